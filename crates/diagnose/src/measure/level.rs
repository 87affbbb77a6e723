//! Is the level at the end another one than at the start? Levels with their noise, for noisy and autocorrelated curves.
//!
//! The question is about this run, not about runs like it: a level that rose and stayed is a fact, so only noise of
//! measurement counts, not the path between. That noise is taken from differences of neighbours, which a trend or a
//! jump hardly touches; and again from differences of block means, which see noise that is correlated over several
//! steps. The larger one decides. Extreme points are set aside of levels and noise alike.

use crate::measure::extremes::without_extremes;
use crate::measure::noise::Noise;
pub(crate) use crate::measure::noise::ratio;
pub use crate::measure::noise::{LevelChange, noise};
use crate::measure::series::MetricSeries;
use rundown_stats as stats;

/// Compares the level of the first `head` points with that of the last `tail`.
///
/// `floor` is the least standard deviation of a point, where one is known: sampling noise of an evaluation, or the
/// resolution of the log. `None` when the two levels overlap or are empty.
pub fn change(values: &[f64], head: usize, tail: usize, floor: f64) -> Option<LevelChange> {
    let values = &*without_extremes(values);
    let levels = levels(values, head, tail)?;
    Some(Noise::of(values).change(levels, (head, tail), floor))
}

/// [`change`] of all values of a signal, whose noise is found once.
pub(crate) fn change_of(signal: &MetricSeries<'_>, head: usize, tail: usize, floor: f64) -> Option<LevelChange> {
    let levels = levels(signal.without_extremes().unwrap_or(&signal.values), head, tail)?;
    Some(signal.noise().change(levels, (head, tail), floor))
}

/// Compares the halves of what a signal logged from a step on. `None` with fewer than two points.
pub(crate) fn change_of_halves(signal: &MetricSeries<'_>, since: f64) -> Option<LevelChange> {
    let values = signal.values.get(signal.steps.partition_point(|step| *step < since)..)?;
    change(values, values.len() / 2, values.len() / 2, 0.0)
}

/// Points on each side of a step that make its level, in [`differs_at`].
const AROUND: usize = 3;
/// Part of the level of the start by which another one differs enough to bring anything about. Ours.
const SHIFT: f64 = 0.5;

/// True where a signal is at another level around a step than it was in the first fifth of what came before: by half of it, and by
/// `z` standard errors.
pub(crate) fn differs_at(signal: &MetricSeries<'_>, step: f64, z: f64) -> bool {
    let before = signal.steps.partition_point(|at| *at < step);
    let values = signal.values.get(..(before + AROUND).min(signal.len())).unwrap_or(&[]);
    let change = change(values, (before / 5).max(1), 2 * AROUND, 0.0);
    change.is_some_and(|change| change.delta().abs() >= SHIFT * change.first.abs() && change.z().abs() >= z)
}

fn levels(values: &[f64], head: usize, tail: usize) -> Option<(f64, f64)> {
    if head == 0 || tail == 0 || head + tail > values.len() {
        return None;
    }
    Some((stats::mean(values.get(..head)?)?, stats::mean(values.get(values.len() - tail..)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_stats::testing::{ar1, white};

    fn rising(noise: &[f64], by: f64) -> Vec<f64> {
        let last = (noise.len() - 1) as f64;
        noise.iter().enumerate().map(|(index, noise)| noise + by * index as f64 / last).collect()
    }

    #[test]
    fn a_rise_is_found_in_white_noise() {
        let values = rising(&white(5, 200), 2.0);
        let change = change(&values, 20, 40, 0.0).unwrap();
        assert!((0.8..1.2).contains(&change.sigma), "{change:?}");
        assert!(change.z() > 4.0, "{change:?}");
    }

    #[test]
    fn correlated_noise_seldom_looks_like_a_rise() {
        let alarm = |seed: &u64| change(&ar1(*seed, 300, 0.7), 30, 60, 0.0).unwrap().z().abs() > 3.0;
        let alarms = (0..300).filter(alarm).count();
        assert!(alarms <= 15, "{alarms} of 300");
    }

    #[test]
    fn a_constant_has_not_changed_and_a_step_without_noise_has() {
        let flat = change(&[0.5; 40], 4, 8, 0.0).unwrap();
        assert_eq!((flat.z(), flat.p()), (0.0, 1.0));
        let mut step = vec![0.0; 20];
        step.extend([1.0; 20]);
        let step = change(&step, 4, 8, 0.0).unwrap();
        assert!(step.z() > 3.0 && step.p() < 0.01, "{step:?}");
    }

    #[test]
    fn the_p_of_a_change_of_few_points_is_that_of_an_estimated_noise() {
        let few = change(&[0.1, 0.12, 0.3, 0.28], 1, 1, 0.0).unwrap();
        let known = 2.0 * stats::normal_sf(few.z().abs());
        assert!(few.p() > 0.05 && few.p() > 2.0 * known, "{few:?}");
        let many = change(&rising(&white(5, 200), 2.0), 20, 40, 0.0).unwrap();
        assert!(many.p() < 0.001, "{many:?}");
    }

    #[test]
    fn overlapping_levels_are_refused() {
        assert_eq!(change(&[1.0, 2.0], 2, 1, 0.0), None);
        assert_eq!(change(&[], 0, 0, 0.0), None);
    }
}
