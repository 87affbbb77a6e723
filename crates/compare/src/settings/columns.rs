//! The settings of many runs by key: each key with its value in every run that has it.

use crate::{KeyPlaces, RunSummary};
use rundown_diagnose::{Hyperparameter, hyperparameter_of};
use rundown_run::ConfigValue;
use rundown_stats::CompactSort as _;

/// A key over all runs.
pub struct SettingColumn<'e> {
    /// The key.
    pub key: &'e str,
    /// Places of the runs that have it, ascending, each with its value; never empty.
    pub values: Vec<(usize, &'e ConfigValue)>,
}

impl<'e> SettingColumn<'e> {
    /// The value of the first run that has it.
    pub fn first(&self) -> Option<&'e ConfigValue> {
        self.values.first().map(|(_, value)| *value)
    }

    /// True when two runs have different values of it.
    pub fn varies(&self) -> bool {
        self.first().is_some_and(|first| self.values.iter().any(|(_, value)| *value != first))
    }
}

/// The settings of all runs, by key. O(runs x keys).
pub fn setting_columns<'e>(summaries: &[&'e RunSummary]) -> Vec<SettingColumn<'e>> {
    let mut columns: Vec<SettingColumn<'e>> = Vec::new();
    let mut keys = KeyPlaces::default();
    for (run, summary) in summaries.iter().enumerate() {
        keys.next_run();
        for (key, value) in summary.config.iter() {
            match columns.get_mut(keys.place(key)) {
                Some(column) => column.values.push((run, value)),
                None => columns.push(SettingColumn { key, values: vec![(run, value)] }),
            }
        }
    }
    columns.compact_sort_by(|a, b| a.key.cmp(b.key));
    columns
}

/// The settings as an analysis compares them: where some runs plan a number of steps, those that leave it to the epochs (-1 or 0)
/// have none.
pub(crate) fn compared_columns<'e>(summaries: &[&'e RunSummary]) -> Vec<SettingColumn<'e>> {
    let mut columns = setting_columns(summaries);
    let is_plan = |column: &&mut SettingColumn<'e>| {
        column.varies() && hyperparameter_of(column.key) == Some(Hyperparameter::PlannedSteps)
    };
    for column in columns.iter_mut().filter(is_plan) {
        column.values.retain(|(_, value)| !matches!(value, ConfigValue::Number(steps) if *steps <= 0.0));
    }
    columns.retain(|column| !column.values.is_empty());
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_whatever_order_runs_bring_them() {
        let summary = |keys: &str| {
            let mut summary = RunSummary::default();
            for key in keys.chars() {
                summary.config.insert(key.to_string(), ConfigValue::Text(format!("{keys}{key}")));
            }
            summary
        };
        let summaries = ["bd", "abd", "", "bcd", "d", "abcde", "bd"].map(summary);
        let columns = setting_columns(&summaries.iter().collect::<Vec<_>>());
        let found: Vec<(&str, Vec<usize>)> =
            columns.iter().map(|column| (column.key, column.values.iter().map(|(run, _)| *run).collect())).collect();
        let of = |places: &[usize]| places.to_vec();
        assert_eq!(
            found,
            [
                ("a", of(&[1, 5])),
                ("b", of(&[0, 1, 3, 5, 6])),
                ("c", of(&[3, 5])),
                ("d", of(&[0, 1, 3, 4, 5, 6])),
                ("e", of(&[5]))
            ]
        );
        for column in &columns {
            for (run, value) in &column.values {
                assert_eq!(summaries[*run].config.get(column.key), Some(*value));
            }
        }
        assert!(columns[0].varies() && !columns[4].varies());
    }

    #[test]
    fn steps_that_are_not_planned_are_not_set() {
        let made = [[-1.0, -1.0], [43.0, -1.0], [60.0, -1.0]].map(|[steps, other]| {
            let mut summary = RunSummary::default();
            summary.config.insert("max_steps", ConfigValue::Number(steps));
            summary.config.insert("total_steps", ConfigValue::Number(other));
            summary
        });
        let columns = compared_columns(&made.iter().collect::<Vec<_>>());
        let runs: Vec<Vec<usize>> =
            columns.iter().map(|column| column.values.iter().map(|(run, _)| *run).collect()).collect();
        assert_eq!(runs, [vec![1, 2], vec![0, 1, 2]], "what is the same in all runs stays");
    }
}
