//! Tables of prompts and completions, as TRL's trainers write them with `log_completions`: one file for each step.

use std::collections::BTreeMap;

use super::ParquetTable;
use super::column::{ColumnContent, TableColumn};
use super::run_rows::by_row;
use crate::rows::names::is_step_name;
use crate::syntax::json::quoted;
use crate::{PartKind, PartialRun};
use rundown_run::{LoggedCell, LoggedTable as Cells, Run, TableFile};

/// Rows kept of one step: a page of samples, not a data set.
const MAX_ROWS: usize = 10_000;
/// Key under which W&B has the same table.
const KEY: &str = "completions";

/// One table for each step, as an attachment to the run of the folder around. Its rows are the steps.
pub(super) fn parts(table: ParquetTable, file: &str) -> Vec<PartialRun> {
    let rows = table.rows as usize;
    let steps = step_of_rows(&table);
    let columns = cells_by_column(table);
    let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
    let mut by_step: BTreeMap<i64, (f64, Cells)> = BTreeMap::new();
    for row in 0..rows {
        let step = steps.get(row).copied().unwrap_or(f64::NAN);
        let order = if step.is_finite() { step as i64 } else { i64::MIN };
        let (_, cells) =
            by_step.entry(order).or_insert_with(|| (step, Cells { columns: names.clone(), ..Cells::default() }));
        if cells.rows.len() == MAX_ROWS {
            cells.dropped += 1;
            continue;
        }
        cells.rows.push(columns.iter().map(|(_, cells)| cells.get(row).cloned().unwrap_or(LoggedCell::Null)).collect());
    }
    let mut run = Run::default();
    for (step, cells) in by_step.into_values() {
        let row = run.push_row(step, f64::NAN);
        let size = cells.rows.len() as u64 + cells.dropped;
        let (key, path) = (KEY.to_owned(), file.to_owned());
        run.tables.push(TableFile { key, row, path, rows: Some(size), content: Some(cells) });
    }
    if run.tables.is_empty() {
        return Vec::new();
    }
    vec![PartialRun::of(run, PartKind::Supplement)]
}

fn step_of_rows(table: &ParquetTable) -> Vec<f64> {
    let column = table.columns.iter().find(|column| is_step_name(&column.name) && !column.is_list);
    match column.map(|column| &column.content) {
        Some(ColumnContent::Numbers(column)) => by_row(column.points(), table.rows, f64::NAN),
        _ => vec![f64::NAN; table.rows as usize],
    }
}

/// Cells of each column. The members of a list of messages (`prompt.role`, `prompt.content`) are one column.
fn cells_by_column(table: ParquetTable) -> Vec<(String, Vec<LoggedCell>)> {
    let rows = table.rows as usize;
    let mut found: Vec<(String, Vec<LoggedCell>)> = Vec::new();
    let mut messages: Vec<(String, Vec<TableColumn>)> = Vec::new();
    for column in table.columns {
        match column.name.split_once('.') {
            Some((name, _)) if column.is_list => {
                let name = name.to_owned();
                match messages.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, members)) => members.push(column),
                    None => {
                        found.push((name.clone(), Vec::new()));
                        messages.push((name, vec![column]));
                    }
                }
            }
            _ if column.is_list => {
                let lists = lists(&column, rows).into_iter().map(|list| match list {
                    list if list.is_empty() => LoggedCell::Null,
                    list => LoggedCell::Text(format!("[{}]", list.join(","))),
                });
                found.push((column.name.clone(), lists.collect()));
            }
            _ => found.push((column.name.clone(), single(&column, table.rows))),
        }
    }
    for (name, members) in messages {
        if let Some((_, cells)) = found.iter_mut().find(|(known, cells)| *known == name && cells.is_empty()) {
            *cells = conversations(&name, &members, rows);
        }
    }
    found
}

fn single(column: &TableColumn, rows: u32) -> Vec<LoggedCell> {
    match &column.content {
        ColumnContent::Numbers(numbers) => {
            by_row(numbers.points().map(|(row, value)| (row, LoggedCell::Number(value))), rows, LoggedCell::Null)
        }
        ColumnContent::Texts(texts) => {
            let cells = texts.iter().map(|(row, text)| (*row, LoggedCell::Text(text.to_string())));
            by_row(cells, rows, LoggedCell::Null)
        }
    }
}

/// The elements of each row's list, as JSON.
fn lists(column: &TableColumn, rows: usize) -> Vec<Vec<String>> {
    let mut lists = vec![Vec::new(); rows];
    let mut put = |row: u32, json: String| {
        if let Some(list) = lists.get_mut(row as usize) {
            list.push(json);
        }
    };
    match &column.content {
        ColumnContent::Numbers(numbers) => numbers.points().for_each(|(row, value)| put(row, value.to_string())),
        ColumnContent::Texts(texts) => texts.iter().for_each(|(row, text)| put(*row, quoted(text))),
    }
    lists
}

/// Lists of messages as JSON: `[{"role": …, "content": …}]`.
fn conversations(name: &str, members: &[TableColumn], rows: usize) -> Vec<LoggedCell> {
    let members: Vec<(String, Vec<Vec<String>>)> = members
        .iter()
        .map(|column| {
            let member = column.name.strip_prefix(name).unwrap_or_default().trim_start_matches('.');
            (quoted(member), lists(column, rows))
        })
        .collect();
    let conversation = |row: usize| {
        let length = members.iter().filter_map(|(_, lists)| lists.get(row)).map(Vec::len).max().unwrap_or(0);
        let message = |place: usize| {
            let pairs: Vec<String> = members
                .iter()
                .filter_map(|(name, lists)| Some(format!("{name}: {}", lists.get(row)?.get(place)?)))
                .collect();
            format!("{{{}}}", pairs.join(", "))
        };
        let messages: Vec<String> = (0..length).map(message).collect();
        if messages.is_empty() { LoggedCell::Null } else { LoggedCell::Text(format!("[{}]", messages.join(", "))) }
    };
    (0..rows).map(conversation).collect()
}
