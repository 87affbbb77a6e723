//! The settings in which runs differ, and all of them as lines to the outcome.

use super::Selection;
use super::parts::{MAX_ROWS, name, push, run};
use crate::config::{redact_config_value, shown_setting};
use rundown_compare::{ConfigDiff, ConfigDiffRow, RunSummary, SettingRole, outcome};
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Span, Table, TableColumn};
use rundown_format::rich_text::setting_key;
use rundown_format::{RichText, rich};
use rundown_plot::figure::{ParallelAxis, ParallelChart, ParallelValue};
use rundown_run::ConfigValue;
use rundown_vocabulary::Direction;

/// Most settings that become axes of the drawing.
const MAX_AXES: usize = 8;
/// Up to so many runs stand beside each other; of more, each has a row.
const MAX_RUN_COLUMNS: usize = 6;
/// Runs that are named where a setting is not set in all.
const MAX_NAMED_RUNS: usize = 3;
/// Keys that are named of those left out.
const MAX_NAMED_KEYS: usize = 8;

/// The settings that differ, without a cap on the runs or keys; `diff` is of these summaries.
pub fn settings(summaries: &[&RunSummary], selection: &Selection, mut diff: ConfigDiff<'_>) -> Vec<Block> {
    if diff.without_config == summaries.len() {
        return Vec::new();
    }
    let mut blocks = vec![Block::section("What differs"), Block::text(summary(&diff, summaries.len()))];
    // A framework may log settings of one run only: they would bury those that were chosen.
    let (rows, partial): (Vec<_>, Vec<_>) = diff.rows.into_iter().partition(|row| set_values(row).len() > 1);
    diff.rows = rows;
    if !diff.rows.is_empty() {
        let table = if summaries.len() <= MAX_RUN_COLUMNS {
            abreast(summaries, &diff)
        } else {
            by_run(summaries, &diff, selection)
        };
        push(&mut blocks, table);
        blocks.extend(lines(summaries, &diff, selection));
    }
    push(&mut blocks, partly_set(summaries, &partial));
    blocks
}

/// How many settings differ and what was left out: the page has a table and the lines of its own.
pub fn settings_in_short(summaries: &[&RunSummary], mut diff: ConfigDiff<'_>) -> Vec<Block> {
    if diff.without_config == summaries.len() {
        return Vec::new();
    }
    let (rows, partial): (Vec<_>, Vec<_>) = diff.rows.into_iter().partition(|row| set_values(row).len() > 1);
    diff.rows = rows;
    let mut blocks = vec![Block::section("What differs"), Block::text(summary(&diff, summaries.len()))];
    push(&mut blocks, partly_set(summaries, &partial));
    blocks
}

/// Up to two different values of a setting, as they are written; "not set" is not a value.
fn set_values(row: &ConfigDiffRow<'_>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for value in row.values.iter().flatten() {
        let written = value.to_string();
        if !found.contains(&written) {
            found.push(written);
        }
        if found.len() > 1 {
            break;
        }
    }
    found
}

/// Settings that some runs lack and the others agree on.
fn partly_set(summaries: &[&RunSummary], rows: &[ConfigDiffRow<'_>]) -> Table {
    let mut table = Table::new(
        "Set in some runs only, to one value",
        &[Words("Setting"), Words("Value"), Numbers("Runs with it"), Words("Which")],
    );
    for row in rows {
        let mut runs = Vec::new();
        let with: Vec<&RunSummary> = summaries
            .iter()
            .zip(&row.values)
            .filter(|(_, value)| value.is_some())
            .map(|(summary, _)| *summary)
            .collect();
        for (place, summary) in with.iter().take(MAX_NAMED_RUNS).enumerate() {
            if place > 0 {
                runs.push(Span::Text(", ".to_owned()));
            }
            runs.push(Span::Run(summary.number, name(summary)));
        }
        if with.len() > MAX_NAMED_RUNS {
            runs.push(Span::Text(format!(" and {} more", with.len() - MAX_NAMED_RUNS)));
        }
        let count = Cell::number(with.len().to_string(), with.len() as f64);
        let value = row.values.iter().find_map(|value| *value);
        table.rows.push(vec![Cell::key(row.key), cell(row.key, value), count, Cell { text: runs, value: None }]);
    }
    table
}

fn summary(diff: &ConfigDiff<'_>, runs: usize) -> RichText {
    let hyperparameters = diff.rows.iter().filter(|row| row.role == SettingRole::Hyperparameter).count();
    let differ = match hyperparameters {
        0 if diff.rows.is_empty() => "The runs differ in no setting".to_owned(),
        0 => "The runs differ in their seeds alone".to_owned(),
        1 => "The runs differ in one setting".to_owned(),
        many => format!("The runs differ in {many} settings"),
    };
    let are = if diff.constant == 1 { "is" } else { "are" };
    let mut text = rich!("{}; {} {} the same in all.", differ, diff.constant, are);
    if !diff.aside.is_empty() {
        let keys = diff.aside.iter().take(MAX_NAMED_KEYS).map(|row| setting_key(row.key).into());
        let rest = diff.aside.len().saturating_sub(MAX_NAMED_KEYS);
        let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        let keys = RichText::joined(keys, ", ", ", ");
        text.append(rich!(" Names, paths and times are left out: {}{}.", keys, more));
    }
    if diff.without_config > 0 {
        text.append(format!(" {} of {runs} runs have no known settings.", diff.without_config));
    }
    text
}

/// A row for each setting, a column for each run.
fn abreast(summaries: &[&RunSummary], diff: &ConfigDiff<'_>) -> Table {
    let mut table = Table::new("", &[Words("Setting")]);
    table.columns.extend(summaries.iter().map(|summary| TableColumn::words(name(summary))));
    for row in &diff.rows {
        let mut cells = vec![Cell::key(row.key)];
        cells.extend(row.values.iter().map(|value| cell(row.key, *value)));
        table.rows.push(cells);
    }
    table
}

/// A row for each run, a column for each setting, in the order of the leaderboard.
fn by_run(summaries: &[&RunSummary], diff: &ConfigDiff<'_>, selection: &Selection) -> Table {
    let mut columns = vec![TableColumn::words("Run")];
    columns.extend(diff.rows.iter().map(|row| TableColumn::words(setting_key(row.key))));
    let mut table = Table { columns, ..Table::default() };
    for ranked in selection.ranked(summaries) {
        let Some(summary) = summaries.get(ranked.index) else { continue };
        // What a table has no room for is not written out either.
        if table.rows.len() >= MAX_ROWS {
            table.left_out += 1;
            continue;
        }
        let mut cells = vec![run(summary)];
        cells.extend(diff.rows.iter().map(|row| cell(row.key, row.values.get(ranked.index).copied().flatten())));
        table.rows.push(cells);
    }
    table
}

fn cell(key: &str, value: Option<&ConfigValue>) -> Cell {
    let Some(value) = value else { return Cell::default() };
    let value_of = match value {
        ConfigValue::Number(number) => Some(*number),
        _ => None,
    };
    Cell { text: vec![Span::Text(shown_setting(key, value))], value: value_of }
}

/// The first hyperparameters of the config diff as axes, the outcome as the last one.
fn lines(summaries: &[&RunSummary], diff: &ConfigDiff<'_>, selection: &Selection) -> Vec<Block> {
    let Some(metric) = &selection.metric else { return Vec::new() };
    let hyperparameters: Vec<_> =
        diff.rows.iter().filter(|row| row.role == SettingRole::Hyperparameter).take(MAX_AXES).collect();
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
