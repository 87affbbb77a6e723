//! Onset detection: the step at which a stable level begins to change.
//!
//! A jump is found by two means, a slow change by a flat line with a slope behind it; the one that leaves less error
//! is taken. A threshold that is crossed on the way would name a later step, the more so the slower the change.

use crate::measure::hinge::best_bend;
use rundown_stats as stats;

/// Share of the way to the new level up to which points are looked at: after it many curves flatten out again.
const WAY: f64 = 0.8;
/// Share of the way within which the first of several steps is looked for, and the least share that such a step makes.
const FIRST_WAY: f64 = 0.35;
const FIRST_STEP: f64 = 0.25;
/// Share of the squared error that may be left by a step, and of what a slope leaves, for it to be clear.
const LEFT: f64 = 0.4;
const LEFT_OF_SLOPE: f64 = 0.75;
/// Fewest points of a slope.
const LINE: usize = 3;

/// Index at which `values` leave the level that they start with; `None` for fewer than five points.
fn departure(values: &[f64]) -> Option<usize> {
    let (bent, bend) = best_bend(values, 1, LINE)?;
    match stats::single_change(values, 2) {
        Some(jump) if jump.sse <= bend => Some(jump.index),
        _ => Some(bent),
    }
}

/// Index, from `from` on, at which the level `start` is left for the level `end`; `from` where that cannot be told.
pub(crate) fn of_change(values: &[f64], from: usize, start: f64, end: f64) -> usize {
    let width = (values.len() / 100).max(1);
    let smooth = stats::running_mean(values, width);
    let up_to = |way: f64, after: usize| {
        let line = start + way * (end - start);
        let passed = |value: &f64| if end > start { *value >= line } else { *value <= line };
        let there = smooth.iter().skip(from).position(passed).map_or(values.len(), |place| from + place);
        values.get(from..(there + after).min(values.len()))
    };
    let first = up_to(FIRST_WAY, width + 2).and_then(|values| first_step(values, end - start));
    from + first.or_else(|| up_to(WAY, 3 * width + 3).and_then(departure)).unwrap_or(0)
}

/// Index of a clear jump that makes a good part of the `change`: of several jumps the first one, where a slope through
/// all of them would begin earlier, and a split into two levels later.
fn first_step(values: &[f64], change: f64) -> Option<usize> {
    let jump = stats::single_change(values, 2)?;
    let (_, bend) = best_bend(values, 1, LINE)?;
    let centre = stats::mean(values)?;
    let total: f64 = values.iter().map(|value| (value - centre) * (value - centre)).sum();
    let is_large = (jump.after - jump.before) * change.signum() >= FIRST_STEP * change.abs();
    let is_clear = jump.sse <= LEFT * total && jump.sse <= LEFT_OF_SLOPE * bend;
    (is_large && is_clear).then_some(jump.index)
}

/// Index from which the level `end`, at which the values end, is held, coming from the level `start`: the mirror image
/// of [`of_change`].
pub(crate) fn arrival(values: &[f64], start: f64, end: f64) -> usize {
    let mirrored: Vec<f64> = values.iter().rev().copied().collect();
    values.len() - of_change(&mirrored, 0, end, start).min(values.len())
}

/// First index at which something holds and from which on it holds often enough: `is_enough` is asked how often, and of how many
/// points.
pub(crate) fn lasts_from(holds: &[bool], is_enough: impl Fn(usize, usize) -> bool) -> Option<usize> {
    let (mut first, mut times) = (None, 0);
    for (index, _) in holds.iter().enumerate().rev().filter(|(_, holds)| **holds) {
        times += 1;
        if is_enough(times, holds.len() - index) {
            first = Some(index);
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_stats::testing::white;

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
    fn of_two_jumps_the_first_one_is_the_onset() {
        let stairs = with_noise(|at| if at < 90.0 { 0.0 } else { 1.0 } + if at < 150.0 { 0.0 } else { 1.5 });
        assert_eq!(of_change(&stairs, 0, 0.0, 2.5), 90);
        let down: Vec<f64> = stairs.iter().map(|value| 2.5 - value).collect();
        assert_eq!(of_change(&down, 0, 2.5, 0.0), 90);
    }

    #[test]
    fn what_comes_after_the_change_does_not_matter() {
        let slope = with_noise(|at| 1.0 - (0.025 * (at - 60.0).max(0.0)).min(1.0));
        let found = of_change(&slope, 0, 1.0, 0.0);
        assert!((56..=66).contains(&found), "{found}");
        let back = arrival(&slope, 1.0, 0.0);
        assert!((94..=106).contains(&back), "{back}");
    }
}
