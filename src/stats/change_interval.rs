//! How surely the place of a change is known: "the length jumped at step 156" or "somewhere between 90 and 240".

use super::autocorrelation::effective_size;
use super::change::pelt;
use super::describe::mean;

/// 97.5 % quantile of where a two-sided random walk with unit drift away from the truth has its top, in units of
/// (noise / jump)^2: the solution of Yao's distribution (1987), as used by Bai (1997).
const WALK_95: f64 = 11.033_292_445_409_428;

/// A change of level with the interval of its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocatedChange {
    /// First index after the change.
    pub index: usize,
    /// First index of the 95 % interval.
    pub low: usize,
    /// Last index of it.
    pub high: usize,
    /// Mean of the stretch before, back to the change before this one.
    pub before: f64,
    /// Mean of the stretch after, up to the next change.
    pub after: f64,
    /// The jump in long-run standard deviations of the noise around both means: autocorrelated noise counts for more.
    /// `f64::INFINITY` where both stretches are constant.
    pub effect: f64,
}

/// The changes of [`pelt`], each with the 95 % interval of its place.
///
/// The interval is Bai's (1997): index +- ([11.03 s^2 / jump^2] + 1), cut off at the neighbouring changes, where s^2 is
/// the long-run variance of the residuals, so that autocorrelation widens it. It is derived for jumps that are small
/// against the noise; for large ones it is a little too wide, which is the safe side. No resampling: linear time.
pub fn located_changes(y: &[f64], penalty: f64, min_segment: usize) -> Vec<LocatedChange> {
    let places = pelt(y, penalty, min_segment);
    let mut start = 0;
    let mut located = Vec::with_capacity(places.len());
    for (rank, &index) in places.iter().enumerate() {
        let end = places.get(rank + 1).copied().unwrap_or(y.len());
        located.extend(locate(y, start, index, end));
        start = index;
    }
    located
}

/// The interval of one change: `y[start..index]` has one level, `y[index..end]` another.
///
/// `None` when a side is empty or the levels are equal.
pub fn locate(y: &[f64], start: usize, index: usize, end: usize) -> Option<LocatedChange> {
    let (left, right) = (y.get(start..index)?, y.get(index..end)?);
    let (before, after) = (mean(left)?, mean(right)?);
    let jump = after - before;
    if jump == 0.0 || !jump.is_finite() {
        return None;
    }
    let mut residuals: Vec<f64> = left.iter().map(|value| value - before).collect();
    residuals.extend(right.iter().map(|value| value - after));
    let squares: f64 = residuals.iter().map(|value| value * value).sum();
    let count = residuals.len() as f64;
    let degrees = (count - 2.0).max(1.0);
    let variance = squares / degrees * (count / effective_size(&residuals).max(1.0));
    // Divided one after the other: the square of a huge jump would overflow.
    let half_width = ((WALK_95 * variance / jump / jump).floor() + 1.0).min(y.len() as f64) as usize;
    let effect = if variance > 0.0 { jump.abs() / variance.sqrt() } else { f64::INFINITY };
    let low = index.saturating_sub(half_width).max(start + 1).min(index);
    let high = index.saturating_add(half_width).min(end - 1);
    Some(LocatedChange { index, low, high, before, after, effect })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::testing::{ar1, white};
    use crate::stats::{default_penalty, single_change};
    use proptest::prelude::*;

    fn jump(noise: &[f64], at: usize, size: f64) -> Vec<f64> {
        noise.iter().enumerate().map(|(place, value)| value + if place < at { 0.0 } else { size }).collect()
    }

    /// Share of intervals that hold the true place, with their mean width.
    fn coverage(noise: fn(u64) -> Vec<f64>, size: f64) -> (f64, f64) {
        let (mut held, mut width) = (0, 0);
        for seed in 0..200 {
            let y = jump(&noise(seed), 120, size);
            let found = single_change(&y, 5).unwrap();
            let interval = locate(&y, 0, found.index, y.len()).unwrap();
            held += usize::from(interval.low <= 120 && 120 <= interval.high);
            width += interval.high - interval.low;
        }
        (f64::from(u32::try_from(held).unwrap()) / 200.0, width as f64 / 200.0)
    }

    #[test]
    fn the_interval_holds_the_place() {
        for size in [1.0, 2.0, 4.0] {
            let (held, width) = coverage(|seed| white(seed, 300), size);
            assert!(held >= 0.92, "{size}: {held}");
            assert!(width < 30.0 / (size * size).min(9.0), "{size}: {width}");
        }
        let (held, _) = coverage(|seed| ar1(seed, 300, 0.7), 3.0);
        assert!(held >= 0.88, "{held}");
    }

    #[test]
    fn two_changes_are_kept_apart() {
        let y: Vec<f64> = jump(&jump(&white(8, 300), 100, 5.0), 200, -4.0);
        let found = located_changes(&y, default_penalty(&y), 8);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].low <= 100 && 100 <= found[0].high && found[0].high < found[1].low, "{found:?}");
        assert!(found[0].after > 4.0 && found[1].after < 2.0 && found[0].effect > 3.0, "{found:?}");
    }

    #[test]
    fn a_clean_jump_is_known_to_the_point() {
        let y = jump(&[0.0; 60], 30, 2.0);
        let found = locate(&y, 0, 30, 60).unwrap();
        assert_eq!((found.low, found.high, found.effect), (29, 31, f64::INFINITY));
        assert_eq!(locate(&[1.0; 20], 0, 10, 20), None);
        assert_eq!(locate(&[1.0; 20], 0, 0, 20), None);
        assert_eq!(locate(&[1.0; 20], 5, 10, 30), None);
        assert_eq!(locate(&[1.0, 2.0], 0, 1, 2).map(|found| (found.low, found.high)), Some((1, 1)));
        assert!(located_changes(&[], 1.0, 5).is_empty());
    }

    proptest! {
        #[test]
        fn never_panics(y in prop::collection::vec(prop::num::f64::ANY, 0..60), start in 0_usize..60, index in 0_usize..60) {
            let _ = locate(&y, start, index, y.len());
            for found in located_changes(&y, default_penalty(&y), 3) {
                prop_assert!(found.low <= found.index && found.index <= found.high);
            }
        }
    }
}
