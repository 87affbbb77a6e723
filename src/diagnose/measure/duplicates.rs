//! Series that are the same data: two runs, or two metrics of a run, that agree to the last digit.
//!
//! Two measured series never do. A copy of a file under another name does, a notebook run that was saved twice, or a
//! metric that is logged under the name of another.

use std::collections::BTreeMap;

use crate::run::{Run, Series};
use crate::vocabulary::{Concept, bind};

/// Fewest points, all equal, that make two series the same data.
pub(in crate::diagnose) const POINTS: usize = 20;
/// Fewest different values among them: a saturated reward agrees with every other one.
const DIFFERENT: usize = 10;
/// Metrics that are measured anew in every step, and differ between two runs of the same config and seed on most
/// machines. Schedules, counters and evaluations of few tasks may rightly agree.
const MEASURED: [Concept; 5] =
    [Concept::Reward, Concept::GradientNorm, Concept::Entropy, Concept::KlToReference, Concept::ResponseLength];

/// Two runs that hold the same data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    /// Place of the first run that holds it.
    pub first: usize,
    /// Place of the run that holds it again.
    pub second: usize,
    /// The metric that shows it, under its name in the first run.
    pub key: String,
    /// How many points agree, from the first on.
    pub points: usize,
    /// True when the shorter of the two has no other points; false for runs that part later, such as a fork.
    pub whole: bool,
}

/// Runs that hold the same data from their first point on, each paired with the first run that holds it.
///
/// Values are compared with six digits, so that a run read from a rounding source is known again. Time n log n in the
/// number of runs, linear in their points.
pub fn duplicates(runs: &[&Run]) -> Vec<Duplicate> {
    let mut seen: BTreeMap<(Concept, Vec<u64>), (usize, String)> = BTreeMap::new();
    let mut found: Vec<Duplicate> = Vec::new();
    for (place, run) in runs.iter().enumerate() {
        let bindings = bind(run);
        let mut pair: Option<Duplicate> = None;
        for concept in MEASURED {
            let Some(binding) = bindings.first(concept) else { continue };
            let Some(series) = run.series(&binding.key).filter(|series| is_telling(&series.values)) else { continue };
            let head: Vec<u64> = series.values.iter().take(POINTS).map(|value| rounded(*value)).collect();
            let Some((first, key)) = seen.get(&(concept, head.clone())) else {
                seen.insert((concept, head), (place, binding.key.clone()));
                continue;
            };
            let Some(known) = runs.get(*first).and_then(|run| run.series(key)) else { continue };
            let points = agreeing(&known, &series);
            // Of several metrics the one that agrees for the longest time says it.
            if pair.as_ref().is_none_or(|pair| pair.points < points) {
                let whole = points >= known.len().min(series.len());
                pair = Some(Duplicate { first: *first, second: place, key: key.clone(), points, whole });
            }
        }
        found.extend(pair);
    }
    found
}

/// True for a series that is long and varied enough to be known again.
pub(in crate::diagnose) fn is_telling(values: &[f64]) -> bool {
    let mut different: Vec<u64> = Vec::with_capacity(DIFFERENT);
    let mut points = 0;
    for value in values.iter().filter(|value| value.is_finite()) {
        points += 1;
        if different.len() < DIFFERENT {
            let value = rounded(*value);
            if !different.contains(&value) {
                different.push(value);
            }
        } else if points >= POINTS {
            return true;
        }
    }
    points >= POINTS && different.len() >= DIFFERENT
}

/// Points from the first on that agree, steps apart.
fn agreeing(one: &Series, other: &Series) -> usize {
    one.values.iter().zip(&other.values).take_while(|(a, b)| rounded(**a) == rounded(**b)).count()
}

/// The bits of a value that is rounded to six digits; all NaN alike.
fn rounded(value: f64) -> u64 {
    if value == 0.0 || !value.is_finite() {
        return if value.is_nan() { f64::NAN.to_bits() } else { (value + 0.0).to_bits() };
    }
    // Powers of two: they are exact, so that rounding to 20 bits is the same everywhere.
    let (part, power) = libm::frexp(value);
    libm::ldexp(libm::round(libm::ldexp(part, 20)), power - 20).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::checks::testing::{Synthetic, rise};

    #[test]
    fn a_copy_is_known_again_and_another_run_is_not() {
        let run = Synthetic::healthy(100).build();
        let other = Synthetic::healthy(100).noisy("train/reward", 0.2, |t| 1.2 + rise(t));
        let other = other.without("train/kl").without("train/entropy").without("train/grad_norm");
        let other = other.without("train/completions/mean_length").build();
        let found = duplicates(&[&run, &other, &run.clone()]);
        let expected = Duplicate { first: 0, second: 2, key: "train/reward".to_owned(), points: 100, whole: true };
        assert_eq!(found, [expected]);
    }

    #[test]
    fn a_fork_agrees_in_part_and_a_constant_says_nothing() {
        let run = |late: f64| {
            let mut run = Run::default();
            for step in 0..60_u32 {
                let row = run.push_row(f64::from(step), f64::NAN);
                let noise = f64::from(step * 37 % 23);
                run.push_value("reward", row, if step < 40 { noise } else { noise + late });
            }
            run.choose_axis(None);
            run
        };
        let found = duplicates(&[&run(0.0), &run(0.5)]);
        assert_eq!(found.iter().map(|pair| (pair.points, pair.whole)).collect::<Vec<_>>(), [(40, false)]);
        let flat = Synthetic::new(60).noisy("train/reward", 0.0, |_| 1.0).build();
        assert!(duplicates(&[&flat, &flat]).is_empty());
    }

    #[test]
    fn digits_beyond_the_sixth_do_not_count() {
        assert_eq!(rounded(0.123_456_78), rounded(0.123_456_79));
        assert_ne!(rounded(0.123_45), rounded(0.123_46));
        assert_eq!(rounded(0.0), rounded(-0.0));
    }
}
