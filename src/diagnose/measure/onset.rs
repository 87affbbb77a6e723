//! Onset detection: the step at which a stable level begins to change.
//!
//! A jump is found by two means, a slow change by a flat line with a slope behind it; the one that leaves less error
//! is taken. A threshold that is crossed on the way would name a later step, the more so the slower the change.

use crate::stats;

/// Share of the way to the new level up to which points are looked at: behind it many curves flatten out again.
const WAY: f64 = 0.8;

/// Index at which `values` leave the level that they start with; `None` for fewer than five points.
fn departure(values: &[f64]) -> Option<usize> {
    let (bent, bend) = hinge(values)?;
    match stats::single_change(values, 2) {
        Some(jump) if jump.sse <= bend => Some(jump.index),
        _ => Some(bent),
    }
}

/// Index, from `from` on, at which the level `start` is left for the level `end`; `from` where that cannot be told.
pub(in crate::diagnose) fn of_change(values: &[f64], from: usize, start: f64, end: f64) -> usize {
    let width = (values.len() / 100).max(1);
    let smooth = stats::running_mean(values, width);
    let line = start + WAY * (end - start);
    let passed = |value: &f64| if end > start { *value >= line } else { *value <= line };
    let there = smooth.iter().skip(from).position(passed).map_or(values.len(), |place| from + place);
    let until = (there + 3 * width + 3).min(values.len());
    from + values.get(from..until).and_then(departure).unwrap_or(0)
}

/// Index from which the level `end`, at which the values end, is held, coming from the level `start`: the mirror image
/// of [`of_change`].
pub(in crate::diagnose) fn arrival(values: &[f64], start: f64, end: f64) -> usize {
    let mirrored: Vec<f64> = values.iter().rev().copied().collect();
    values.len() - of_change(&mirrored, 0, end, start).min(values.len())
}

/// The flat line with a slope from some index on that fits best: that index, and the squared error left. O(n).
fn hinge(values: &[f64]) -> Option<(usize, f64)> {
    let count = values.len();
    if count < 5 {
        return None;
    }
    let centre = stats::mean(values)?;
    let n = count as f64;
    let total: f64 = values.iter().map(|value| (value - centre) * (value - centre)).sum();
    let mut best: Option<(usize, f64)> = None;
    // Sums over the points behind the bend, taken in from the end: of y, and of y times its distance to the bend.
    let (mut sum, mut weighted) = (0.0, 0.0);
    for (index, value) in values.iter().enumerate().rev() {
        weighted += sum;
        sum += value - centre;
        let behind = (count - index) as f64;
        if behind < 3.0 || index == 0 {
            continue;
        }
        let distances = behind * (behind - 1.0) / 2.0;
        let squares = (behind - 1.0) * behind * (2.0 * behind - 1.0) / 6.0;
        let spread = squares - distances * distances / n;
        let error = total - weighted * weighted / spread;
        if best.is_none_or(|(_, least)| error < least) {
            best = Some((index, error));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::testing::white;

    fn with_noise(level: impl Fn(f64) -> f64) -> Vec<f64> {
        white(3, 200).iter().enumerate().map(|(index, noise)| level(index as f64) + 0.1 * noise).collect()
    }

    #[test]
    fn a_jump_and_a_slope_are_found_where_they_begin() {
        let jump = with_noise(|at| if at < 120.0 { 0.0 } else { 1.0 });
        assert_eq!(departure(&jump), Some(120));
        let slope = with_noise(|at| 0.02 * (at - 80.0).max(0.0));
        let found = departure(&slope).unwrap();
        assert!((76..=86).contains(&found), "{found}");
        assert_eq!(departure(&[1.0; 4]), None);
        assert!(departure(&[1e308; 40]).is_some());
    }

    #[test]
    fn what_comes_after_the_change_does_not_matter() {
        let ramp = with_noise(|at| 1.0 - (0.025 * (at - 60.0).max(0.0)).min(1.0));
        let found = of_change(&ramp, 0, 1.0, 0.0);
        assert!((56..=66).contains(&found), "{found}");
        let back = arrival(&ramp, 1.0, 0.0);
        assert!((94..=106).contains(&back), "{back}");
    }
}
