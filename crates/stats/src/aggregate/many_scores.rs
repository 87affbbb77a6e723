//! Intervals of large samples by their variance: one sort, where a bootstrap draws hundreds of replicates and adds their
//! noise. docs/decisions/many-scores.md has the measurement.

use super::{IntervalEstimate, iqm_of_ascending};
use crate::describe::{ascending, mean, variance};
use crate::distributions::Z_95;

/// From so many scores of each side on the estimates are taken as normal: with a quarter cut off at each end, a hundred
/// are left.
pub const MANY_SCORES: usize = 200;

/// The interquartile mean with its 95 % interval by the winsorised variance (Tukey and McLaughlin 1963). O(n log n).
///
/// `None` with fewer than four scores, or where a result is not finite.
pub fn iqm_of_many(scores: &[f64]) -> Option<IntervalEstimate> {
    let TrimmedMean { iqm, variance } = TrimmedMean::of(scores)?;
    interval(iqm, variance)
}

/// The interquartile mean of `x` minus that of `y` with its 95 % interval (Yuen 1974, as scipy's `ttest_ind` with
/// `trim=0.25`). O(n log n).
///
/// `None` with fewer than four scores of a side, or where a result is not finite.
pub fn gain_of_many(x: &[f64], y: &[f64]) -> Option<IntervalEstimate> {
    let (x, y) = (TrimmedMean::of(x)?, TrimmedMean::of(y)?);
    interval(x.iqm - y.iqm, x.variance + y.variance)
}

/// P(X > Y) + P(X = Y) / 2 of random scores of the two with its 95 % interval by their placements (DeLong, DeLong and
/// Clarke-Pearson 1988), within 0 and 1. O(n log n).
///
/// `None` with fewer than two scores of a side, or where a result is not finite.
pub fn improvement_of_many(x: &[f64], y: &[f64]) -> Option<IntervalEstimate> {
    let (over_y, over_x) = (placements(x, y), placements(y, x));
    let squared_error = |placements: &[f64]| Some(variance(placements)? / placements.len() as f64);
    let found = interval(mean(&over_y)?, squared_error(&over_y)? + squared_error(&over_x)?)?;
    Some(IntervalEstimate { low: found.low.max(0.0), high: found.high.min(1.0), ..found })
}

/// An interquartile mean and its squared standard error.
struct TrimmedMean {
    iqm: f64,
    variance: f64,
}

impl TrimmedMean {
    /// The error is the sum of squares of the winsorised scores about their mean, over h (h - 1) for the h scores that are
    /// not cut off. `None` where nothing is cut off.
    fn of(scores: &[f64]) -> Option<Self> {
        let mut sorted = ascending(scores.iter().copied());
        let iqm = iqm_of_ascending(&sorted)?;
        let (count, cut) = (sorted.len(), sorted.len() / 4);
        if cut == 0 {
            return None;
        }
        let (lowest, highest) = (*sorted.get(cut)?, *sorted.get(count - cut - 1)?);
        // Not `clamp`, which panics where an end is NaN.
        sorted.iter_mut().for_each(|score| *score = score.max(lowest).min(highest));
        let kept = (count - 2 * cut) as f64;
        Some(Self { iqm, variance: variance(&sorted)? * (count - 1) as f64 / (kept * (kept - 1.0)) })
    }
}

/// For each of `scores` the share of `others` that it beats; of equal ones half.
fn placements(scores: &[f64], others: &[f64]) -> Vec<f64> {
    let others = ascending(others.iter().copied());
    let share = |score: &f64| {
        let less = others.partition_point(|other| other < score);
        let at_most = others.partition_point(|other| other <= score);
        (less + at_most) as f64 / 2.0 / others.len() as f64
    };
    scores.iter().map(share).collect()
}

/// The 95 % interval of a normal estimate with this squared standard error.
fn interval(estimate: f64, variance: f64) -> Option<IntervalEstimate> {
    let half = Z_95 * variance.sqrt();
    (estimate.is_finite() && half.is_finite()).then_some(IntervalEstimate {
        estimate,
        low: estimate - half,
        high: estimate + half,
    })
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;
    use crate::SplitMix64;
    use crate::aggregate::{bootstrap_gain, bootstrap_improvement, stratified_bootstrap};
    use crate::testing::white;

    /// Both ends within a seventh of the interval's width.
    fn assert_close(found: IntervalEstimate, drawn: IntervalEstimate) {
        let off = (found.high - found.low) / 7.0;
        assert!((found.estimate - drawn.estimate).abs() < 1e-9, "{found:?} {drawn:?}");
        assert!((found.low - drawn.low).abs() < off && (found.high - drawn.high).abs() < off, "{found:?} {drawn:?}");
    }

    #[test]
    fn the_intervals_are_those_of_the_bootstrap() {
        let mut random = SplitMix64::new(5);
        let shapes: [fn(f64) -> f64; 3] = [|x| x, libm::exp, |x| (x * 2.0).round()];
        for (seed, shape) in (0..).zip(shapes) {
            let x: Vec<f64> = white(seed, 300).into_iter().map(|value| shape(value + 0.3)).collect();
            let y: Vec<f64> = white(seed + 50, 240).into_iter().map(shape).collect();
            let (xs, ys) = (from_ref(&x), from_ref(&y));
            assert_close(iqm_of_many(&x).unwrap(), stratified_bootstrap(xs, 4000, &mut random).unwrap());
            assert_close(gain_of_many(&x, &y).unwrap(), bootstrap_gain(xs, ys, 4000, &mut random).unwrap());
            assert_close(
                improvement_of_many(&x, &y).unwrap(),
                bootstrap_improvement(xs, ys, 4000, &mut random).unwrap(),
            );
        }
    }

    #[test]
    fn ends_are_exact_where_nothing_varies() {
        let (high, low) = (vec![2.0; 200], vec![1.0; 200]);
        assert_eq!(improvement_of_many(&high, &low), Some(IntervalEstimate { estimate: 1.0, low: 1.0, high: 1.0 }));
        assert_eq!(gain_of_many(&high, &low), Some(IntervalEstimate { estimate: 1.0, low: 1.0, high: 1.0 }));
        assert_eq!(iqm_of_many(&[1.0; 3]), None);
        assert_eq!(improvement_of_many(&[1.0], &low), None);
        assert_eq!(iqm_of_many(&[f64::INFINITY; 200]), None);
    }
}
