//! The settings in which runs differ, and all of them as lines to the outcome.

use std::collections::BTreeMap;

use super::Selection;
use super::parts::{MAX_ROWS, key_span, name, named_runs, push, run};
use crate::config::{redact_config_value, shown_setting};
use rundown_compare::{ConfigDiff, ConfigDiffRow, RunSummary, SettingRole, joined_rows, outcome};
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Span, Table, TableColumn};
use rundown_format::redact::cut;
use rundown_format::rich_text::setting_key;
use rundown_format::{RichText, plural, rich};
use rundown_plot::figure::{ParallelAxis, ParallelChart, ParallelValue};
use rundown_run::ConfigValue;
use rundown_vocabulary::Direction;

/// Most settings that become axes of the drawing.
const MAX_AXES: usize = 8;
/// Up to so many runs stand beside each other; of more, each has a row.
const MAX_RUN_COLUMNS: usize = 6;
/// Keys that are named of those left out, and of those that the same runs recorded.
const MAX_NAMED_KEYS: usize = 8;
/// Values that are named of one setting, and letters of one that stands among others.
const MAX_NAMED_VALUES: usize = 6;
const MAX_LETTERS: usize = 40;
/// Letters of a value in a cell: more than a path has, and fewer than the list of the layers of a model.
const MAX_CELL_LETTERS: usize = 120;
/// Rows of the table that is folded away.
const MAX_FOLDED_ROWS: usize = 200;

/// The settings that differ, without a cap on the runs or keys; `diff` is of these summaries.
pub fn settings(summaries: &[&RunSummary], selection: &Selection, diff: &ConfigDiff<'_>) -> Vec<Block> {
    if diff.without_config == summaries.len() {
        return Vec::new();
    }
    let mut blocks = vec![Block::section("Configuration differences"), Block::text(summary(diff, summaries.len()))];
    if summaries.len() <= MAX_RUN_COLUMNS {
        push(&mut blocks, abreast(summaries, diff));
    } else {
        push(&mut blocks, by_run(summaries, diff, selection));
    }
    blocks.extend(lines(summaries, diff, selection));
    blocks.extend(not_in_all(summaries, diff));
    blocks
}

/// How many settings differ and what was left out: the page has a table of those that differ and the lines of its own.
pub fn settings_in_short(summaries: &[&RunSummary], diff: &ConfigDiff<'_>) -> Vec<Block> {
    if diff.without_config == summaries.len() {
        return Vec::new();
    }
    let mut blocks = vec![Block::section("Configuration differences"), Block::text(summary(diff, summaries.len()))];
    blocks.extend(not_in_all(summaries, diff));
    // Where all of them are named, the values are.
    if recorded_by(diff).iter().any(|set| set.rows.len() > MAX_NAMED_KEYS) {
        let table = with_values(summaries, &diff.partial);
        blocks
            .push(Block::Fold { title: "These settings with their values".into(), blocks: vec![Block::Table(table)] });
    }
    blocks
}

/// What stands behind the settings that differ: what few of many runs recorded, and what some recorded with one value.
fn not_in_all(summaries: &[&RunSummary], diff: &ConfigDiff<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    if summaries.len() > MAX_RUN_COLUMNS {
        push(&mut blocks, rarely_recorded(diff));
    }
    push(&mut blocks, partly_recorded(summaries, diff));
    blocks
}

/// Settings that differ among fewer than half of the runs, each with its values.
fn rarely_recorded(diff: &ConfigDiff<'_>) -> Table {
    let mut table = Table::new(
        "Recorded by fewer than half of the runs",
        &[Words("Setting"), Words("Values"), Numbers("Runs with it")],
    );
    for row in diff.rows.iter().filter(|row| !row.is_common) {
        let mut values: Vec<String> = Vec::new();
        for value in row.values.iter().flatten() {
            let value = cut(&shown_setting(row.key, value), MAX_LETTERS).into_owned();
            if !values.contains(&value) {
                values.push(value);
            }
            if values.len() > MAX_NAMED_VALUES {
                break;
            }
        }
        let is_cut = values.len() > MAX_NAMED_VALUES;
        values.truncate(MAX_NAMED_VALUES);
        let more =
            if is_cut { format!(" and {} more", row.distinct.saturating_sub(MAX_NAMED_VALUES)) } else { String::new() };
        let values = format!("{}{more}", values.join(", "));
        table.rows.push(vec![Cell::key(row.key), Cell::text(values), count(row.runs)]);
    }
    table
}

/// Settings that the same runs alone recorded, with one value.
struct RecordedBySome<'d, 'e> {
    /// Places of the runs, ascending.
    runs: Vec<usize>,
    /// The settings, the most important first.
    rows: Vec<&'d ConfigDiffRow<'e>>,
}

/// Settings that some runs alone recorded, by these runs; those with the most important setting first.
fn recorded_by<'d, 'e>(diff: &'d ConfigDiff<'e>) -> Vec<RecordedBySome<'d, 'e>> {
    let mut sets: Vec<RecordedBySome<'d, 'e>> = Vec::new();
    let mut places: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
    for row in &diff.partial {
        let runs: Vec<usize> = row.values.iter().enumerate().filter_map(|(run, value)| value.map(|_| run)).collect();
        let place = *places.entry(runs.clone()).or_insert(sets.len());
        match sets.get_mut(place) {
            Some(set) => set.rows.push(row),
            None => sets.push(RecordedBySome { runs, rows: vec![row] }),
        }
    }
    sets
}

/// A row for each set of runs: how many settings these alone recorded, and the first of them.
fn partly_recorded(summaries: &[&RunSummary], diff: &ConfigDiff<'_>) -> Table {
    let mut table = Table::new(
        "Recorded by some runs only, with one value",
        &[Words("Recorded by"), Numbers("Settings"), Words("Which")],
    );
    for RecordedBySome { runs, rows } in recorded_by(diff) {
        let mut which: Vec<Span> = Vec::new();
        for row in rows.iter().take(MAX_NAMED_KEYS) {
            if !which.is_empty() {
                which.push(Span::Text(", ".to_owned()));
            }
            which.extend(Cell::key(row.key).text);
            let value = first_value(row).map(|value| shown_setting(row.key, value)).unwrap_or_default();
            which.push(Span::Text(format!(" {}", cut(&value, MAX_LETTERS))));
        }
        if rows.len() > MAX_NAMED_KEYS {
            which.push(Span::Text(format!(" and {} more", rows.len() - MAX_NAMED_KEYS)));
        }
        let runs: Vec<&RunSummary> = runs.iter().filter_map(|run| summaries.get(*run).copied()).collect();
        table.rows.push(vec![Cell::text(named_runs(&runs)), count(rows.len()), Cell { text: which, value: None }]);
    }
    table
}

/// Settings that some runs recorded, with one value: a row for each.
fn with_values(summaries: &[&RunSummary], rows: &[ConfigDiffRow<'_>]) -> Table {
    let mut table = Table::new("", &[Words("Setting"), Words("Value"), Numbers("Runs with it"), Words("Which")]);
    for row in rows.iter().take(MAX_FOLDED_ROWS) {
        let runs = summaries.iter().zip(&row.values).filter_map(|(summary, value)| value.map(|_| *summary));
        let runs: Vec<&RunSummary> = runs.collect();
        table.rows.push(vec![
            Cell::key(row.key),
            cell(row.key, first_value(row)),
            count(row.runs),
            Cell::text(named_runs(&runs)),
        ]);
    }
    table.left_out = u32::try_from(rows.len().saturating_sub(MAX_FOLDED_ROWS)).unwrap_or(u32::MAX);
    table
}

fn first_value<'e>(row: &ConfigDiffRow<'e>) -> Option<&'e ConfigValue> {
    row.values.iter().find_map(|value| *value)
}

fn count(number: usize) -> Cell {
    Cell::number(number.to_string(), number as f64)
}

fn summary(diff: &ConfigDiff<'_>, runs: usize) -> RichText {
    let hyperparameters = diff.rows.iter().filter(|row| row.role == SettingRole::Hyperparameter).count();
    let differ = match hyperparameters {
        0 if !diff.rows.is_empty() && diff.constant == 0 && diff.partial.is_empty() => {
            "The runs record no setting but their seeds".to_owned()
        }
        0 if !diff.rows.is_empty() => "The runs differ only in their seeds".to_owned(),
        0 if diff.partial.is_empty() => "The runs differ in no setting".to_owned(),
        0 => "No setting was recorded with different values".to_owned(),
        1 => "The runs differ in one setting".to_owned(),
        many => format!("The runs differ in {many} settings"),
    };
    let same = match diff.constant {
        // No setting was recorded by all runs with the same value: there is nothing to count.
        0 => String::new(),
        1 => "; 1 is the same in all".to_owned(),
        many => format!("; {many} are the same in all"),
    };
    let partial = match diff.partial.len() {
        0 => String::new(),
        1 => ", and 1 was recorded by some runs only".to_owned(),
        many => format!(", and {many} were recorded by some runs only"),
    };
    let mut text = rich!("{}{}{}.", differ, same, partial);
    if !diff.aside.is_empty() {
        let keys = diff.aside.iter().take(MAX_NAMED_KEYS).map(|row| setting_key(row.key).into());
        let rest = diff.aside.len().saturating_sub(MAX_NAMED_KEYS);
        let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        let keys = RichText::joined(keys, ", ", ", ");
        text.append(rich!(
            " Names, paths, times, and switches of videos and saved models are not listed: {}{}.",
            keys,
            more
        ));
    }
    if diff.without_config > 0 {
        let have = plural(diff.without_config, "has", "have");
        text.append(format!(" {} of {runs} runs {have} no known settings.", diff.without_config));
    }
    text
}

/// The keys of settings with the same values in all runs.
fn named_keys(keys: &[&str], span: fn(&str) -> Span) -> RichText {
    RichText::joined(keys.iter().map(|key| span(key).into()), ", ", " and ")
}

/// A row for each setting, a column for each run.
fn abreast(summaries: &[&RunSummary], diff: &ConfigDiff<'_>) -> Table {
    let mut table = Table::new("", &[Words("Setting")]);
    table.columns.extend(summaries.iter().map(|summary| TableColumn::words(name(summary))));
    for (row, keys) in joined_rows(diff.rows.iter()) {
        let mut cells = vec![Cell::text(named_keys(&keys, key_span))];
        cells.extend(row.values.iter().map(|value| cell(row.key, *value)));
        table.rows.push(cells);
    }
    table
}

/// A row for each run, a column for each setting that at least half of them recorded, in the order of the leaderboard.
fn by_run(summaries: &[&RunSummary], diff: &ConfigDiff<'_>, selection: &Selection) -> Table {
    let rows = joined_rows(diff.rows.iter().filter(|row| row.is_common));
    let mut columns = vec![TableColumn::words("Run")];
    columns.extend(rows.iter().map(|(_, keys)| TableColumn::words(named_keys(keys, setting_key))));
    let mut table = Table { columns, ..Table::default() };
    if rows.is_empty() {
        return table;
    }
    for ranked in selection.ranked(summaries) {
        let Some(summary) = summaries.get(ranked.index) else { continue };
        // What a table has no room for is not written out either.
        if table.rows.len() >= MAX_ROWS {
            table.left_out += 1;
            continue;
        }
        let mut cells = vec![run(summary)];
        cells.extend(rows.iter().map(|(row, _)| cell(row.key, row.values.get(ranked.index).copied().flatten())));
        table.rows.push(cells);
    }
    table
}

fn cell(key: &str, value: Option<&ConfigValue>) -> Cell {
    let Some(value) = value else { return Cell::default() };
    let text = cut(&shown_setting(key, value), MAX_CELL_LETTERS).into_owned();
    Cell { text: vec![Span::Text(text)], value: value.as_number() }
}

/// The first hyperparameters of the config diff that at least half of the runs recorded as axes, the outcome as the last one.
fn lines(summaries: &[&RunSummary], diff: &ConfigDiff<'_>, selection: &Selection) -> Vec<Block> {
    let Some(metric) = &selection.metric else { return Vec::new() };
    let is_axis = |row: &&ConfigDiffRow<'_>| row.is_common && row.role == SettingRole::Hyperparameter;
    let hyperparameters: Vec<_> = diff.rows.iter().filter(is_axis).take(MAX_AXES).collect();
    if hyperparameters.len() < 2 || summaries.len() < 4 {
        return Vec::new();
    }
    let names: Vec<String> = summaries.iter().map(|summary| name(summary)).collect();
    let words: Vec<Vec<String>> = hyperparameters
        .iter()
        .map(|row| {
            row.values.iter().map(|value| value.map(|value| redact_config_value(row.key, value)).unwrap_or_default())
        })
        .map(Iterator::collect)
        .collect();
    let mut axes: Vec<ParallelAxis<'_>> = Vec::new();
    for (row, words) in hyperparameters.iter().zip(&words) {
        let values = row.values.iter().zip(words).map(|(value, word)| match value {
            Some(ConfigValue::Number(number)) => ParallelValue::Number(*number),
            Some(_) => ParallelValue::Word(word),
            None => ParallelValue::None,
        });
        axes.push(ParallelAxis { name: row.key, values: values.collect() });
    }
    let outcomes = summaries.iter().map(|summary| outcome(summary, metric));
    let outcomes = outcomes.map(|found| found.map_or(ParallelValue::None, |found| ParallelValue::Number(found.level)));
    axes.push(ParallelAxis { name: &metric.key, values: outcomes.collect() });
    let chart = ParallelChart {
        title: "Settings and outcome, a line for each run".into(),
        runs: names.iter().map(String::as_str).collect(),
        axes,
        is_less_better: metric.direction == Direction::Down,
    };
    vec![Block::Figure(chart.draw(selection.width))]
}

#[cfg(test)]
mod tests;
