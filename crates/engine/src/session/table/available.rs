//! The columns that a table could have.

use std::collections::BTreeMap;

use super::TableRuns;
use super::columns::described;
use super::metric_values::MetricFacts;
use rundown_compare::{SettingColumn, setting_columns};
use rundown_protocol::{Aggregate, ColumnId, RunTableColumn};
use rundown_run::ConfigValue;

/// What every run has, settings that differ, other settings, metrics by their last value.
pub fn available(runs: &TableRuns<'_>) -> Vec<RunTableColumn> {
    let word = |column: ColumnId| RunTableColumn { is_numeric: false, ..described(&column, &[]) };
    let number = |column: ColumnId| described(&column, &[]);
    let mut found = vec![word(ColumnId::Name), word(ColumnId::State), word(ColumnId::Verdict)];
    found.push(RunTableColumn { direction: Some(false), ..number(ColumnId::Rank) });
    found.extend([number(ColumnId::LastStep), number(ColumnId::Duration)]);
    found.extend([number(ColumnId::BestStep), number(ColumnId::StepsToTarget), word(ColumnId::Findings)]);
    found.extend(settings(runs));
    found.extend(metrics(runs));
    found
}

fn settings(runs: &TableRuns<'_>) -> Vec<RunTableColumn> {
    let columns = setting_columns(&runs.summaries());
    let column = |setting: &SettingColumn<'_>| {
        let numbers: Vec<f64> = setting.values.iter().map_while(|(_, value)| number_of(value)).collect();
        let is_numeric = numbers.len() == setting.values.len();
        let column = ColumnId::Setting(setting.key.to_owned());
        RunTableColumn { is_numeric, ..described(&column, if is_numeric { &numbers } else { &[] }) }
    };
    let place = |key: &str| columns.binary_search_by(|setting| setting.key.cmp(key)).ok();
    let differing = runs.facts.differing.groupable.iter().filter_map(|key| columns.get(place(key)?));
    let is_other =
        |setting: &&SettingColumn<'_>| !runs.facts.differing.groupable.iter().any(|known| known == setting.key);
    differing.chain(columns.iter().filter(is_other)).map(column).collect()
}

/// `None` for what is no number, and for NaN.
fn number_of(value: &ConfigValue) -> Option<f64> {
    if let ConfigValue::Number(number) = value { Some(*number).filter(|number| !number.is_nan()) } else { None }
}

fn metrics(runs: &TableRuns<'_>) -> Vec<RunTableColumn> {
    let mut by_key: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for row in &runs.rows {
        row.summary.last.iter().for_each(|(key, last)| by_key.entry(key).or_default().push(*last));
    }
    let column = |(key, values): (&str, Vec<f64>)| {
        let MetricFacts { unit, direction } = MetricFacts::of(runs, key);
        let column = ColumnId::Metric { key: key.to_owned(), aggregate: Aggregate::Last };
        RunTableColumn { unit: unit.to_owned(), direction, ..described(&column, &values) }
    };
    by_key.into_iter().map(column).collect()
}
