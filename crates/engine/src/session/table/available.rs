//! The columns that a table could have.

use std::collections::BTreeMap;

use super::TableRuns;
use super::columns::described;
use super::metric_values::MetricFacts;
use rundown_protocol::{Aggregate, RunTableColumn, TableColumn};
use rundown_run::ConfigValue;

/// What every run has, settings that differ, other settings, metrics by their last value.
pub fn available(runs: &TableRuns<'_>) -> Vec<RunTableColumn> {
    let word = |column: TableColumn| RunTableColumn { is_numeric: false, ..described(&column, &[]) };
    let number = |column: TableColumn| described(&column, &[]);
    let mut found = vec![word(TableColumn::Name), word(TableColumn::State), word(TableColumn::Verdict)];
    found.push(RunTableColumn { direction: Some(false), ..number(TableColumn::Rank) });
    found.extend([number(TableColumn::LastStep), number(TableColumn::Duration)]);
    found.extend([number(TableColumn::BestStep), number(TableColumn::StepsToTarget), word(TableColumn::Findings)]);
    found.extend(settings(runs));
    found.extend(metrics(runs));
    found
}

fn settings(runs: &TableRuns<'_>) -> Vec<RunTableColumn> {
    // Values that are no numbers are NaN here.
    let mut by_key: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for row in &runs.rows {
        for (key, value) in row.summary.config.iter() {
            let number = if let ConfigValue::Number(number) = value { *number } else { f64::NAN };
            by_key.entry(key).or_default().push(number);
        }
    }
    let column = |key: &str| {
        let values = by_key.get(key).map_or(&[][..], Vec::as_slice);
        let is_numeric = values.iter().all(|value| !value.is_nan());
        let column = described(&TableColumn::Setting(key.to_owned()), if is_numeric { values } else { &[] });
        RunTableColumn { is_numeric, ..column }
    };
    let is_other = |key: &&str| !runs.differing.iter().any(|known| known == key);
    let others = by_key.keys().copied().filter(is_other);
    runs.differing.iter().map(String::as_str).chain(others).map(column).collect()
}

fn metrics(runs: &TableRuns<'_>) -> Vec<RunTableColumn> {
    let mut by_key: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for row in &runs.rows {
        row.summary.last.iter().for_each(|(key, last)| by_key.entry(key).or_default().push(*last));
    }
    let column = |(key, values): (&str, Vec<f64>)| {
        let MetricFacts { unit, direction } = MetricFacts::of(runs, key);
        let column = TableColumn::Metric { key: key.to_owned(), aggregate: Aggregate::Last };
        RunTableColumn { unit: unit.to_owned(), direction, ..described(&column, &values) }
    };
    by_key.into_iter().map(column).collect()
}
