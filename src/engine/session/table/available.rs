//! The columns that a table could have.

use std::collections::{BTreeMap, BTreeSet};

use super::TableRuns;
use super::columns::described;
use super::metric_values::MetricFacts;
use crate::protocol::{Aggregate, RunTableColumn, TableColumn};
use crate::run::ConfigValue;
use crate::vocabulary::Binding;

/// What every run has, settings that differ, other settings, metrics by their last value.
pub fn available(runs: &TableRuns<'_>) -> Vec<RunTableColumn> {
    let word = |column: TableColumn| RunTableColumn { is_numeric: false, ..described(&column, &[]) };
    let number = |column: TableColumn| described(&column, &[]);
    let mut found = vec![word(TableColumn::Name), word(TableColumn::State), word(TableColumn::Verdict)];
    found.push(RunTableColumn { direction: Some(false), ..number(TableColumn::Rank) });
    found.extend([number(TableColumn::LastStep), number(TableColumn::Duration)]);
    found.extend(settings(runs));
    found.extend(metrics(runs));
    found
}

fn settings(runs: &TableRuns<'_>) -> Vec<RunTableColumn> {
    let mut by_key: BTreeMap<&str, Vec<&ConfigValue>> = BTreeMap::new();
    for row in &runs.rows {
        row.summary.config.iter().for_each(|(key, value)| by_key.entry(key).or_default().push(value));
    }
    let column = |key: &str| {
        let number = |value: &&ConfigValue| if let ConfigValue::Number(number) = value { Some(*number) } else { None };
        let set = by_key.get(key).map_or(&[][..], Vec::as_slice);
        let numbers: Vec<f64> = set.iter().filter_map(number).collect();
        let is_numeric = !numbers.is_empty() && numbers.len() == set.len();
        let column = described(&TableColumn::Setting(key.to_owned()), if is_numeric { &numbers } else { &[] });
        RunTableColumn { is_numeric, ..column }
    };
    let differing: BTreeSet<&str> = runs.differing.iter().map(String::as_str).collect();
    let others = by_key.keys().copied().filter(|key| !differing.contains(key));
    runs.differing.iter().map(String::as_str).chain(others).map(column).collect()
}

fn metrics(runs: &TableRuns<'_>) -> Vec<RunTableColumn> {
    let mut by_key: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut bound: BTreeMap<&str, Vec<&Binding>> = BTreeMap::new();
    for row in &runs.rows {
        row.summary.last.iter().for_each(|(key, last)| by_key.entry(key).or_default().push(*last));
        for binding in row.loaded.bindings().into_iter().flat_map(|bindings| bindings.iter()) {
            bound.entry(&binding.key).or_default().push(binding);
        }
    }
    let column = |(key, values): (&str, Vec<f64>)| {
        let facts = bound.get(key).and_then(|found| MetricFacts::by_bindings(found));
        let (unit, direction) = facts.map_or(("", None), |facts| (facts.unit, facts.direction));
        let column = TableColumn::Metric { key: key.to_owned(), aggregate: Aggregate::Last };
        RunTableColumn { unit: unit.to_owned(), direction, ..described(&column, &values) }
    };
    by_key.into_iter().map(column).collect()
}
