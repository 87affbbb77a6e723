//! Cells and parts of sentences that the comparisons share.

use rundown_compare::{RankedRun, RunSummary};
use rundown_content::{Block, Cell, Span, Table};
use rundown_format::{RichText, redact, rich};

/// Width of a figure in a report, in CSS pixels.
pub const WIDTH: f64 = 720.0;
/// Most rows of a table, and most runs that are drawn or listed one by one.
pub(super) const MAX_ROWS: usize = 50;
pub(super) const MAX_DRAWN: usize = 8;
/// Runs that a sentence or a cell names; more are counted.
const MAX_NAMED_RUNS: usize = 3;

/// Of runs with an outcome whose files hold no config: what they differ in is not known.
pub(super) const NO_SETTINGS: &str = "No settings are known: the files of the runs with this outcome hold no config";

/// What to do about that.
pub(super) const ADD_CONFIG: &str = "Log the config with the metrics, or add its file (config.yaml, config.json).";

/// A number as a cell, empty where it is unknown.
pub(super) fn maybe(value: Option<f64>) -> Cell {
    value.map_or_else(Cell::default, Cell::tabular)
}

/// A share as a cell, empty where it is unknown.
pub(super) fn maybe_share(value: Option<f64>) -> Cell {
    value.map_or_else(Cell::default, Cell::percent)
}

/// The name of a run without secrets; its id where it has none.
pub(super) fn name(summary: &RunSummary) -> String {
    redact(summary.name_or_id()).into_owned()
}

/// A run as a cell.
pub(super) fn run(summary: &RunSummary) -> Cell {
    Cell::run(summary.number, name(summary))
}

/// A name from a file as a cell.
pub(super) fn key(key: &str) -> Cell {
    Cell::key(redact(key).into_owned())
}

/// The worst findings on a run as a cell.
pub(super) fn worst(row: &RankedRun) -> Cell {
    let words: Vec<String> = row.worst.iter().map(|code| code.phrase()).collect();
    Cell::text(words.join(", "))
}

/// A run in a sentence.
pub(super) fn run_span(summary: &RunSummary) -> Span {
    Span::Run(summary.number, name(summary))
}

/// The first of these runs, and how many more there are.
pub(super) fn named_runs(runs: &[&RunSummary]) -> RichText {
    let more = runs.len().saturating_sub(MAX_NAMED_RUNS);
    let shown = RichText::joined(runs.iter().take(MAX_NAMED_RUNS).map(|run| run_span(run).into()), ", ", ", ");
    if more > 0 { rich!("{} and {} more", shown, more) } else { shown }
}

/// A key or a name from a file in a sentence.
pub(super) fn key_span(key: &str) -> Span {
    Span::Key(redact(key).into_owned())
}

/// That a part of the reward is not in all runs, for a sentence.
pub(super) fn different_parts(part: &str) -> RichText {
    rich!("rewards have different parts ({} is not in all of them)", key_span(part))
}

/// Adds a table that has rows, cut to its first ones.
pub(super) fn push(blocks: &mut Vec<Block>, mut table: Table) {
    if table.rows.is_empty() {
        return;
    }
    let more = table.rows.len().saturating_sub(MAX_ROWS);
    table.rows.truncate(MAX_ROWS);
    table.left_out += u32::try_from(more).unwrap_or(u32::MAX);
    blocks.push(Block::Table(table));
}

/// The table without the columns that no row fills, and without rows when only runs are left.
pub(super) fn filled(table: Table) -> Table {
    let mut table = without_empty_columns(table);
    if table.columns.iter().all(|column| !column.is_numeric) {
        table.rows.clear();
    }
    table
}

/// The table without the columns that no row fills.
pub(super) fn without_empty_columns(mut table: Table) -> Table {
    let is_filled =
        |place: usize| table.rows.iter().any(|row| row.get(place).is_some_and(|cell| !cell.text.is_empty()));
    let keep: Vec<bool> = (0..table.columns.len()).map(is_filled).collect();
    let mut places = keep.iter();
    table.columns.retain(|_| places.next().copied().unwrap_or(false));
    for row in &mut table.rows {
        let mut places = keep.iter();
        row.retain(|_| places.next().copied().unwrap_or(false));
    }
    table
}

/// Adds a list that has items.
pub(super) fn push_list(blocks: &mut Vec<Block>, items: Vec<Vec<Span>>) {
    if !items.is_empty() {
        blocks.push(Block::List(items));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_in_a_name_does_not_come_through() {
        let secret = "hf_abcdefghijklmnopqrstuvwxyz012345";
        let summary = RunSummary { name: format!("run {secret}"), ..RunSummary::default() };
        assert!(!name(&summary).contains(secret));
        assert_ne!(key_span(secret), Span::Key(secret.to_owned()));
    }
}
