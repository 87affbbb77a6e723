//! What each value of a setting adds to the outcome of a set of matched runs, where the sets hold different values.

use std::collections::BTreeMap;

use super::MatchedRuns;
use rundown_stats::{mean, median};

/// Most rounds of a median polish: each halves what is left of two sets that share a level.
const POLISH_ROUNDS: usize = 30;
/// It ends when no level changes by more than this share of the largest one.
const POLISH_PRECISION: f64 = 1e-4;

/// What each level adds to the outcome of a set: a level that only good sets have is not better for that. Where sets hold
/// different levels, one may have met only weak ones; then sets and levels are fitted in turns until both agree (after
/// Tukey's median polish, 1977, with means of the sets), and what the levels add has a mean of 0.
pub(crate) fn added_by_level(sets: &[&MatchedRuns]) -> BTreeMap<usize, f64> {
    let holds_same = |set: &&MatchedRuns| {
        let levels = |set: &MatchedRuns| set.levels.iter().map(|(level, _)| *level).collect::<Vec<usize>>();
        sets.first().is_some_and(|first| levels(first) == levels(set))
    };
    let rounds = if sets.iter().all(holds_same) { 1 } else { POLISH_ROUNDS };
    let mut added: BTreeMap<usize, f64> = BTreeMap::new();
    for _ in 0..rounds {
        let mut rest: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        for set in sets {
            let of_set = |(level, value): &(usize, f64)| value - added.get(level).copied().unwrap_or(0.0);
            let centre = mean(&set.levels.iter().map(of_set).collect::<Vec<f64>>()).unwrap_or(0.0);
            for (level, value) in &set.levels {
                rest.entry(*level).or_default().push(*value - centre);
            }
        }
        let mut fitted: BTreeMap<usize, f64> =
            rest.iter().filter_map(|(level, rest)| Some((*level, median(rest)?))).collect();
        if rounds > 1 {
            // The centres of the sets would take up the mean of the levels, and the levels add it again in the next round.
            let centre = mean(&fitted.values().copied().collect::<Vec<f64>>()).unwrap_or(0.0);
            fitted.values_mut().for_each(|value| *value -= centre);
        }
        let change =
            |(level, value): (&usize, &f64)| (value - added.get(level).copied().unwrap_or(f64::INFINITY)).abs();
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        let is_settled = largest(&mut fitted.iter().map(change))
            <= POLISH_PRECISION * largest(&mut fitted.values().map(|value| value.abs()));
        added = fitted;
        if is_settled {
            break;
        }
    }
    added
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(levels: &[(usize, f64)]) -> MatchedRuns {
        MatchedRuns { runs: Vec::new(), levels: levels.to_vec() }
    }

    #[test]
    fn a_value_that_lost_to_another_is_not_best_by_beating_a_weak_one() {
        let (close, easy) = (set(&[(0, 0.5), (1, 0.6)]), set(&[(0, 0.9), (2, 0.1)]));
        let added = added_by_level(&[&close, &easy]);
        assert!((added[&1] - added[&0] - 0.1).abs() < 1e-3, "{added:?}");
        assert!((added[&0] - added[&2] - 0.8).abs() < 1e-3, "{added:?}");
        let grid = [set(&[(0, 0.3), (1, 0.5)]), set(&[(0, 0.7), (1, 0.8)])];
        let added = added_by_level(&[&grid[0], &grid[1]]);
        assert!((added[&1] - 0.075).abs() < 1e-12 && (added[&0] + 0.075).abs() < 1e-12, "{added:?}");
    }

    #[test]
    fn what_levels_add_settles_around_zero() {
        // One set has other ranks, and one lacks a level.
        let usual = set(&[(0, 0.5), (1, 0.6), (2, 0.7)]);
        let (other, short) = (set(&[(0, 0.5), (1, 0.6), (2, 0.2)]), set(&[(0, 0.4), (1, 0.6)]));
        let added = added_by_level(&[&usual, &usual, &other, &short]);
        for (level, expected) in [-6.0 / 55.0, 1.0 / 55.0, 5.0 / 55.0].into_iter().enumerate() {
            assert!((added[&level] - expected).abs() < 1e-3, "{added:?}");
        }
        assert!(added.values().sum::<f64>().abs() < 1e-12, "{added:?}");
    }
}
