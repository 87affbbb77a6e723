//! Which rows of a table are whose, and where they go in their run.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::ParquetTable;
use super::column::{ColumnContent, TableColumn};
use super::shape::TableShape;
use crate::run_limit::RunLimit;
use rundown_run::{Column, ConfigValue, Run};
use rundown_stats::CompactSort;

/// A row that belongs to no run, or holds nothing.
const NO_ROW: u32 = u32::MAX;

/// Which run each row belongs to.
pub(super) struct RowsOfRuns {
    /// Id and name of each run, in the order in which they appear.
    pub(super) runs: Vec<(String, String)>,
    /// Number of the run of each row; `None` where all are of the only one.
    of_row: Option<Vec<u32>>,
    /// Rows of the table.
    rows: u32,
    /// Rows that are left out beyond the limit of runs.
    pub(super) limit: RunLimit,
}

impl RowsOfRuns {
    /// So many rows of a run without a name.
    pub(super) fn of_one(rows: u32) -> Self {
        RowsOfRuns { runs: vec![Default::default()], of_row: None, rows, limit: RunLimit::default() }
    }

    /// Takes the columns out of the table that name the runs.
    pub(super) fn of(shape: &TableShape, table: &mut ParquetTable) -> RowsOfRuns {
        let rows = table.rows;
        let mut texts = |wanted: &Option<String>| {
            let column = wanted.as_ref().and_then(|name| remove_column(&mut table.columns, |other| other == name));
            column.map(|column| words(column, rows))
        };
        let (ids, names) = (texts(&shape.run_id), texts(&shape.run_name));
        if ids.is_none() && names.is_none() {
            return Self::of_one(rows);
        }
        let mut limit = RunLimit::default();
        let mut runs: Vec<(String, String)> = Vec::new();
        let mut of_row = Vec::with_capacity(rows as usize);
        let mut known: FxHashMap<Rc<str>, u32> = FxHashMap::default();
        for row in 0..rows as usize {
            let at = |words: &Option<Vec<Option<Rc<str>>>>| words.as_ref().and_then(|words| words.get(row)?.clone());
            let (id, name) = (at(&ids), at(&names));
            let Some(key) = id.clone().or_else(|| name.clone()) else {
                of_row.push(NO_ROW);
                continue;
            };
            if !known.contains_key(&key) && !limit.admits_beside(runs.len()) {
                of_row.push(NO_ROW);
                continue;
            }
            let next = runs.len() as u32;
            let run = *known.entry(key).or_insert(next);
            if run == next {
                let word = |word: Option<Rc<str>>| word.map(|word| word.to_string()).unwrap_or_default();
                runs.push((word(id), word(name)));
            }
            of_row.push(run);
        }
        RowsOfRuns { runs, of_row: Some(of_row), rows, limit }
    }

    /// The run of a row; `None` for a row that belongs to none.
    pub(super) fn run_of(&self, row: u32) -> Option<u32> {
        match &self.of_row {
            Some(of_row) => of_row.get(row as usize).copied().filter(|run| *run != NO_ROW),
            None => (row < self.rows).then_some(0),
        }
    }

    /// Where the used rows go (all of them, where nothing says which), by W&B's counter where the table has it: it never
    /// goes back in a run.
    pub(super) fn places(&self, is_used: Option<&[bool]>, counter: Option<&Column>) -> RowPlaces {
        let ascends = |counter: &Column| {
            let steps = counter.values();
            counter.len() == self.rows as usize
                && steps.iter().all(|step| step.is_finite())
                && steps.is_sorted_by(|a, b| a.total_cmp(b).is_le())
        };
        if is_used.is_none() && self.of_row.is_none() && counter.is_none_or(ascends) {
            return RowPlaces { sizes: vec![self.rows], of_row: None };
        }
        let is_used = |row: u32| is_used.is_none_or(|is_used| is_used.get(row as usize) == Some(&true));
        let mut rows: Vec<u32> = (0..self.rows).filter(|row| is_used(*row) && self.run_of(*row).is_some()).collect();
        if let Some(counter) = counter {
            let steps = by_row(counter.points(), self.rows, f64::NAN);
            let mut last = f64::NEG_INFINITY;
            // A row without a counter stays behind the one before it.
            let mut keyed: Vec<(f64, u32)> = rows
                .iter()
                .map(|row| {
                    last = steps.get(*row as usize).copied().filter(|step| step.is_finite()).unwrap_or(last);
                    (last, *row)
                })
                .collect();
            keyed.compact_sort_by(|a, b| a.0.total_cmp(&b.0));
            rows = keyed.into_iter().map(|(_, row)| row).collect();
        }
        let mut of_row = vec![(NO_ROW, 0); self.rows as usize];
        let mut sizes = vec![0; self.runs.len()];
        for row in rows {
            let Some(run) = self.run_of(row) else { continue };
            if let (Some(size), Some(place)) = (sizes.get_mut(run as usize), of_row.get_mut(row as usize)) {
                *place = (run, *size);
                *size += 1;
            }
        }
        let is_unmoved = self.runs.len() == 1 && (0..).zip(&of_row).all(|(row, place)| *place == (0, row));
        RowPlaces { sizes, of_row: (!is_unmoved).then_some(of_row) }
    }
}

/// Run and row in the run of each row of the table.
pub(super) struct RowPlaces {
    /// Rows of each run.
    pub(super) sizes: Vec<u32>,
    /// `None` where each row of the table is the same row of the only run, as in nearly every table.
    of_row: Option<Vec<(u32, u32)>>,
}

impl RowPlaces {
    /// Does something to the run of a row of the table.
    pub(super) fn put(&self, runs: &mut [Run], row: u32, act: impl FnOnce(&mut Run, u32)) {
        let place = match &self.of_row {
            Some(of_row) => of_row.get(row as usize).copied(),
            None => Some((0, row)),
        };
        if let Some((run, row)) = place
            && let Some(run) = runs.get_mut(run as usize)
        {
            act(run, row);
        }
    }

    /// Gives each run its part of a column.
    pub(super) fn spread(&self, runs: &mut [Run], key: &str, column: Column) {
        let Some(of_row) = &self.of_row else { return self.give_whole(runs, key, column) };
        let mut points: Vec<(u32, u32, f64)> = column
            .points()
            .filter_map(|(row, value)| of_row.get(row as usize).map(|(run, row)| (*run, *row, value)))
            .filter(|(run, _, _)| *run != NO_ROW)
            .collect();
        points.sort_by_key(|(run, row, _)| (*run, *row));
        let mut parts = points.chunk_by(|a, b| a.0 == b.0);
        for part in &mut parts {
            let run = part.first().and_then(|(run, _, _)| runs.get_mut(*run as usize));
            if let Some(run) = run {
                let into = run.columns.entry(key.to_owned()).or_default();
                part.iter().for_each(|(_, row, value)| into.push(*row, *value));
            }
        }
    }

    /// Gives the only run a column whose rows are its own.
    fn give_whole(&self, runs: &mut [Run], key: &str, mut column: Column) {
        let Some((run, rows)) = runs.first_mut().zip(self.sizes.first()) else { return };
        if !column.rows().is_sorted() || column.rows().last().is_some_and(|row| row >= *rows) {
            let points = column.points().filter(|(row, _)| row < rows).collect();
            column = Column::default();
            column.extend_unordered(points);
        }
        let into = run.columns.entry(key.to_owned()).or_default();
        if into.is_empty() {
            *into = column;
        } else {
            into.append(&column, 0);
        }
    }
}

/// Takes the first column with such a name out of the table, unless it holds lists.
pub(super) fn remove_column(columns: &mut Vec<TableColumn>, is_wanted: impl Fn(&str) -> bool) -> Option<TableColumn> {
    take_column(columns, |column| is_wanted(&column.name) && !column.is_list)
}

/// Takes the first such column out of the table.
pub(super) fn take_column(
    columns: &mut Vec<TableColumn>,
    is_wanted: impl Fn(&TableColumn) -> bool,
) -> Option<TableColumn> {
    let place = columns.iter().position(is_wanted)?;
    Some(columns.remove(place))
}

/// Sets the value of a row, where there is such a row.
pub(super) fn set<T>(values: &mut [T], row: u32, value: T) {
    if let Some(place) = values.get_mut(row as usize) {
        *place = value;
    }
}

/// The values of points by row, `empty` where a row has none. A point of a row that is not there is left out.
pub(super) fn by_row<T: Clone>(points: impl Iterator<Item = (u32, T)>, rows: u32, empty: T) -> Vec<T> {
    let mut values = vec![empty; rows as usize];
    points.for_each(|(row, value)| set(&mut values, row, value));
    values
}

/// The words of a column by row; numbers are written out.
pub(super) fn words(column: TableColumn, rows: u32) -> Vec<Option<Rc<str>>> {
    match column.content {
        ColumnContent::Texts(texts) => by_row(texts.into_iter().map(|(row, text)| (row, Some(text))), rows, None),
        ColumnContent::Numbers(numbers) => {
            // Numbers repeat: each is written once.
            let mut written: BTreeMap<u64, Rc<str>> = BTreeMap::new();
            let mut word = |value: f64| {
                let word = written.entry(value.to_bits());
                word.or_insert_with(|| ConfigValue::Number(value).to_string().into()).clone()
            };
            by_row(numbers.points().map(|(row, value)| (row, Some(word(value)))), rows, None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::shape::TableKind;
    use super::*;
    use crate::run_limit::MAX_RUNS;

    #[test]
    fn rows_of_a_run_too_many_belong_to_none() {
        let rows = MAX_RUNS as u32 + 2;
        let names: Vec<(u32, Rc<str>)> = (0..rows).map(|row| (row, format!("run {row}").into())).collect();
        let names = TableColumn { name: "run".to_owned(), is_list: false, content: ColumnContent::Texts(names) };
        let mut table = ParquetTable { rows, columns: vec![names] };
        let run_name = Some("run".to_owned());
        let shape = TableShape { kind: TableKind::History, run_id: None, run_name, media: Vec::new() };
        let split = RowsOfRuns::of(&shape, &mut table);
        assert_eq!((split.runs.len(), split.run_of(rows - 1), split.run_of(0)), (MAX_RUNS, None, Some(0)));
        let what = split.limit.problem("row").map(|problem| problem.what);
        assert_eq!(what.as_deref(), Some("2 rows are left out: no more than 20,000 runs are read of one file."));
    }
}
