//! Controlled comparisons: sets of runs that differ in one parameter and nothing else. What differs there was caused by
//! it or by chance, which no correlation can say.

mod polish;

use std::collections::BTreeMap;

use super::Parameter;
pub(crate) use polish::added_by_level;
use rundown_stats::{SplitMix64, median};

/// The runs that differ in one parameter alone.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchedRuns {
    /// Places of the runs among the summaries.
    pub runs: Vec<usize>,
    /// The parameter's values that occur, as places among its levels, ascending, with the median outcome of each.
    pub levels: Vec<(usize, f64)>,
}

impl MatchedRuns {
    /// The level with the best median; `None` where two share it. `sign` is 1 where more is better, else -1.
    pub fn best(&self, sign: f64) -> Option<usize> {
        let mut best: Option<(usize, f64)> = None;
        let mut is_shared = false;
        for (level, value) in &self.levels {
            match best {
                Some((_, top)) if sign * value < sign * top => {}
                Some((_, top)) if *value == top => is_shared = true,
                _ => (best, is_shared) = (Some((*level, *value)), false),
            }
        }
        best.filter(|_| !is_shared).map(|(level, _)| level)
    }
}

/// The slices of every parameter over `runs` with their `values`. Runs that differ in a seed alone are repetitions
/// within a slice; where their `names` (the settings in them, as [`RunSample`](super::RunSample) has them) differ, something
/// else does too, and there is no slice. O(runs * parameters * log).
pub fn matched_runs(
    parameters: &[Parameter],
    runs: &[usize],
    values: &[f64],
    names: &[String],
) -> Vec<Vec<MatchedRuns>> {
    let totals: Vec<u64> = runs.iter().map(|run| fingerprint(parameters, *run)).collect();
    parameters
        .iter()
        .enumerate()
        .map(|(index, parameter)| {
            let mut members: Vec<(u64, RunAtLevel<'_>)> = Vec::new();
            for (((run, value), total), name) in runs.iter().zip(values).zip(&totals).zip(names) {
                if let Some(level) = parameter.level_of(*run) {
                    // All but this parameter's part.
                    let rest = total.wrapping_sub(part(index, Some(level)));
                    members.push((rest, RunAtLevel { run: *run, level, value: *value, name }));
                }
            }
            members.sort_unstable_by_key(|(rest, member)| (*rest, member.run));
            let groups = members.chunk_by(|(one, _), (other, _)| one == other);
            groups.filter(|group| group.len() > 1).filter_map(slice).collect()
        })
        .collect()
}

/// A number for the values of all parameters of a run: equal for runs with equal values.
pub(super) fn fingerprint(parameters: &[Parameter], run: usize) -> u64 {
    let parts = parameters.iter().enumerate().map(|(index, parameter)| part(index, parameter.level_of(run)));
    parts.fold(0, u64::wrapping_add)
}

/// The part of one parameter: 64 well-mixed bits, so that sums meet by chance in no project.
fn part(index: usize, level: Option<usize>) -> u64 {
    let level = level.map_or(0, |level| level as u64 + 1);
    SplitMix64::new(((index as u64) << 32).wrapping_add(level)).next_u64()
}

/// A run with its level of a parameter and its outcome.
struct RunAtLevel<'n> {
    run: usize,
    level: usize,
    value: f64,
    name: &'n str,
}

/// `None` for runs that share the level, and where repetitions have the names of different settings.
fn slice(members: &[(u64, RunAtLevel<'_>)]) -> Option<MatchedRuns> {
    let mut by_level: BTreeMap<usize, (&str, Vec<f64>)> = BTreeMap::new();
    for (_, member) in members {
        let (name, values) = by_level.entry(member.level).or_insert((member.name, Vec::new()));
        if *name != member.name {
            return None;
        }
        values.push(member.value);
    }
    if by_level.len() < 2 {
        return None;
    }
    let levels = by_level.into_iter().filter_map(|(level, (_, values))| Some((level, median(&values)?))).collect();
    Some(MatchedRuns { runs: members.iter().map(|(_, member)| member.run).collect(), levels })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters;
    use crate::testing::refs;
    use crate::testing::summary;
    use rundown_run::ConfigValue;

    #[test]
    fn runs_that_differ_in_one_setting_are_found() {
        let run = |rate: f64, beta: f64, seed: f64| {
            let number = ConfigValue::Number;
            summary(&[("learning_rate", number(rate)), ("beta", number(beta)), ("seed", number(seed))])
        };
        let summaries =
            [run(1e-6, 0.0, 1.0), run(1e-5, 0.0, 2.0), run(1e-5, 0.0, 3.0), run(1e-5, 0.1, 4.0), run(1e-4, 0.2, 5.0)];
        let found = parameters(&refs(&summaries));
        let sliced = |names: [&str; 5]| {
            matched_runs(&found.varying, &[0, 1, 2, 3, 4], &[0.1, 0.2, 0.4, 0.9, 0.5], &names.map(str::to_owned))
        };
        let place = |words: &str| found.varying.iter().position(|parameter| parameter.words == words).unwrap();
        let slices = sliced([""; 5]);
        let of = |words: &str| &slices[place(words)];
        let rate = of("learning rate");
        assert_eq!(rate.len(), 1);
        assert_eq!(rate[0].runs, [0, 1, 2]);
        assert_eq!(rate[0].best(1.0), Some(1));
        assert_eq!(rate[0].best(-1.0), Some(0));
        let tied = MatchedRuns { levels: vec![(0, 0.5), (1, 0.2), (2, 0.5)], ..rate[0].clone() };
        assert_eq!((tied.best(1.0), tied.best(-1.0)), (None, Some(1)));
        assert!((rate[0].levels[1].1 - 0.3).abs() < 1e-12);
        assert_eq!(of("KL coefficient").len(), 1);
        // The names of two repetitions tell of another setting; those of other values may differ by these values.
        assert!(sliced(["b8", "b8", "b16", "b8", "b8"])[place("learning rate")].is_empty());
        assert_eq!(sliced(["lr1", "lr2", "lr2", "lr2", "lr3"]), slices);
    }
}
