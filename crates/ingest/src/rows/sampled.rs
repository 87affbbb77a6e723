//! Histories that are a sample by the look of their rows: as many as a tool gives at most, with uneven gaps.
//!
//! `run.history()` of W&B gives 500 rows and TensorBoard downloads 1,000 points, whatever the run has; the file does
//! not say so. A run that logs every tenth step has even gaps, and a short run has fewer rows.

/// Rows that `run.history()` of W&B gives by default.
pub(crate) const WANDB_ROWS: usize = 500;
/// Points of a scalar that TensorBoard keeps.
pub(crate) const TENSORBOARD_POINTS: usize = 1_000;

/// True for exactly `most` ascending steps that lie unevenly.
pub(crate) fn looks_sampled(steps: &[f64], most: usize) -> bool {
    let gaps = || {
        steps.windows(2).map(|pair| match pair {
            [before, after] => after - before,
            _ => f64::NAN,
        })
    };
    let (least, greatest) =
        gaps().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, greatest), gap| (least.min(gap), greatest.max(gap)));
    steps.len() == most && gaps().all(|gap| gap > 0.0) && greatest > least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_page_of_uneven_steps_is_a_sample() {
        let uneven: Vec<f64> = (0..500).map(|row| f64::from(row * 3 + row % 2)).collect();
        assert!(looks_sampled(&uneven, 500) && !looks_sampled(&uneven, 1_000));
        let even: Vec<f64> = (0..500).map(|row| f64::from(row * 10)).collect();
        assert!(!looks_sampled(&even, 500));
        let mut back = uneven.clone();
        back.swap(3, 4);
        assert!(!looks_sampled(&back, 500));
        assert!(!looks_sampled(&uneven[1..], 500) && !looks_sampled(&[], 0));
    }
}
