//! What a [`Smoothing`] makes of values.

use rundown_plot::Sums;
use rundown_protocol::{Smoothing, SmoothingKind};
use rundown_stats as stats;

/// Most memory of a smoother, in points.
const MAX_MEMORY: f64 = 1000.0;

/// True where a smoothing changes anything.
pub fn is_smoothing(smoothing: &Smoothing) -> bool {
    smoothing.kind != SmoothingKind::None && smoothing.weight > 0.0
}

/// Values smoothed as [`Smoothing`] says; `x` ascends.
pub fn smoothed(smoothing: &Smoothing, x: &[f64], y: &[f64]) -> Vec<f64> {
    if !is_smoothing(smoothing) {
        return y.to_vec();
    }
    let weight = smoothing.weight;
    let memory = (1.0 / (1.0 - weight.min(1.0))).min(MAX_MEMORY);
    match smoothing.kind {
        SmoothingKind::None => y.to_vec(),
        SmoothingKind::TimeWeightedEma => stats::time_weighted_ema(x, y, weight),
        SmoothingKind::Ema => stats::ema(y, weight),
        SmoothingKind::Gaussian => stats::gaussian(y, ((memory * memory - 1.0) / 12.0).sqrt()),
        SmoothingKind::RunningMean => stats::running_mean(y, ((memory - 1.0) / 2.0).round() as usize),
    }
}

/// Positions and values of the smoothed line of many points, from sums of successive ones; `None` for a smoothing that counts
/// points and not positions, which would look another on sums.
pub fn smoothed_sums(smoothing: &Smoothing, sums: &Sums) -> Option<(Vec<f64>, Vec<f64>)> {
    let is_over_x = smoothing.kind == SmoothingKind::TimeWeightedEma;
    let average = || stats::time_weighted_ema_of_sums(&sums.x, &sums.sums, &sums.counts, smoothing.weight);
    is_over_x.then(|| (sums.x.clone(), average()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_weight_means_as_much_for_every_kind() {
        let y = stats::testing::white(9, 4_000);
        let x: Vec<f64> = (0..4_000).map(f64::from).collect();
        let of = |kind, weight| smoothed(&Smoothing { kind, weight }, &x, &y);
        let spread = |values: &[f64]| stats::std_dev(values.get(500..3_500).unwrap()).unwrap();
        let kinds = [SmoothingKind::Ema, SmoothingKind::Gaussian, SmoothingKind::RunningMean];
        for weight in [0.8, 0.95] {
            let left = kinds.map(|kind| spread(&of(kind, weight)) / spread(&y));
            // Of white noise a mean of m points leaves 1 / sqrt(m), as does a normal curve of the same deviation; an
            // exponential average looks back only, and leaves 1 / sqrt(2 m).
            let expected = (1.0 - weight).sqrt();
            assert!(left.iter().all(|left| *left > expected * 0.6 && *left < expected * 1.15), "{left:?} {expected}");
        }
        for kind in [SmoothingKind::None, SmoothingKind::Ema, SmoothingKind::Gaussian, SmoothingKind::RunningMean] {
            assert_eq!(of(kind, 0.0), y);
            assert_eq!(of(kind, f64::NAN), y);
            assert_eq!(of(kind, 1.5).len(), y.len());
        }
        // Five points: the one, and two on either side.
        assert_eq!(of(SmoothingKind::RunningMean, 0.8)[100], y[98..103].iter().sum::<f64>() / 5.0);
    }
}
