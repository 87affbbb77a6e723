//! The columns that a table could have.

use std::collections::BTreeMap;

use super::TableRuns;
use super::columns::described;
use super::metric_values::MetricFacts;
use crate::session::grouping::DifferingSettings;
use rundown_compare::{SettingColumn, setting_columns};
use rundown_protocol::{Aggregate, ColumnId, RunTableColumn};
use rundown_run::ConfigValue;

/// What every run has; settings that differ, what at least half of the runs recorded first; other settings; metrics by their
/// last value, in the same order.
pub fn available(runs: &TableRuns<'_>) -> Vec<RunTableColumn> {
    let number = |column: ColumnId| RunTableColumn { is_axis: true, ..described(&column, &[]) };
    let word = |column: ColumnId| RunTableColumn { is_numeric: false, ..number(column) };
    let text = |column: ColumnId| RunTableColumn { is_axis: false, ..word(column) };
    let mut found = vec![text(ColumnId::Name), word(ColumnId::State), word(ColumnId::Verdict)];
    found.push(RunTableColumn { direction: Some(false), ..number(ColumnId::Rank) });
    found.extend([number(ColumnId::LastStep), number(ColumnId::Duration)]);
    found.extend([number(ColumnId::BestStep), number(ColumnId::StepsToTarget), text(ColumnId::Findings)]);
    found.extend(settings(runs));
    found.extend(metrics(runs));
    found
}

fn settings(runs: &TableRuns<'_>) -> Vec<RunTableColumn> {
    let columns = setting_columns(&runs.summaries());
    let DifferingSettings { groupable, common, .. } = &runs.facts.differing;
    let column = |(setting, differs): (&SettingColumn<'_>, bool)| {
        let numbers: Vec<f64> = setting.values.iter().map_while(|(_, value)| number_of(value)).collect();
        let is_numeric = numbers.len() == setting.values.len();
        let column = ColumnId::Setting(setting.key.to_owned());
        let is_axis = differs && setting.varies();
        RunTableColumn { is_numeric, is_axis, ..described(&column, if is_numeric { &numbers } else { &[] }) }
    };
    let place = |key: &String| columns.binary_search_by(|setting| setting.key.cmp(key)).ok();
    let partial = groupable.iter().filter(|key| !common.contains(key));
    let differing = common.iter().chain(partial).filter_map(|key| Some((columns.get(place(key)?)?, true)));
    let is_other = |setting: &&SettingColumn<'_>| {
        let is_key = |known: &String| known == setting.key;
        !groupable.iter().any(is_key) && !common.iter().any(is_key)
    };
    let others = columns.iter().filter(is_other).map(|setting| (setting, false));
    differing.chain(others).map(column).collect()
}

/// `None` for what is no number, and for NaN.
fn number_of(value: &ConfigValue) -> Option<f64> {
    value.as_number().filter(|number| !number.is_nan())
}

fn metrics(runs: &TableRuns<'_>) -> Vec<RunTableColumn> {
    let mut by_key: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for row in &runs.rows {
        row.summary.last.iter().for_each(|(key, last)| by_key.entry(key).or_default().push(*last));
    }
    let column = |(key, values): (&str, Vec<f64>)| {
        let MetricFacts { unit, direction } = MetricFacts::of(runs, key);
        let column = ColumnId::Metric { key: key.to_owned(), aggregate: Aggregate::Last };
        let is_axis = values.iter().any(|value| Some(value) != values.first());
        RunTableColumn { unit: unit.to_owned(), direction, is_axis, ..described(&column, &values) }
    };
    let is_common = |(_, values): &(&str, Vec<f64>)| values.len() * 2 >= runs.rows.len();
    let (common, partial): (Vec<_>, Vec<_>) = by_key.into_iter().partition(is_common);
    common.into_iter().chain(partial).map(column).collect()
}
