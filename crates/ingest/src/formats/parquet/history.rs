//! Runs from a table of metrics: whose each row is, at which step, at what time.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::column::{ColumnContent, TableColumn};
use super::shape::TableShape;
use super::{ParquetTable, media};
use crate::path;
use crate::rows::names::{is_time_name, settle_step};
use crate::syntax::json::nonfinite_word;
use crate::time::{iso_seconds, unix_seconds};
use crate::{PartKind, PartialRun};
use rundown_run::{Column, ConfigValue, Run};
use rundown_stats::CompactSort;

/// Columns that say nothing about the run: indices of pandas and of databases, W&B's own.
const PASSED_OVER: [&str; 8] =
    ["_runtime", "__index_level_0__", "Unnamed: 0", "index", "log_id", "space_id", "created_at", "level_0"];
/// A row that belongs to no run, or holds nothing.
const NO_ROW: u32 = u32::MAX;

/// One run for each name in the table, or the only one.
pub(super) fn runs(shape: &TableShape, mut table: ParquetTable, file: &str) -> Vec<PartialRun> {
    let media: Vec<_> = shape.media.iter().map(|key| (key, media::extract(&mut table.columns, key))).collect();
    let split = RowsOfRuns::of(shape, &mut table);
    let counter = remove_column(&mut table.columns, |name| name == "_step").and_then(numbers);
    let times = times(&mut table.columns);
    let metrics: Vec<(String, Column)> =
        table.columns.into_iter().filter(|column| !column.is_list).filter_map(metric).collect();

    // A column has a row once at most: one that is as long as the table has a value in every row.
    let is_whole = |column: &Column| column.len() == table.rows as usize;
    let places = if metrics.iter().any(|(_, column)| is_whole(column)) {
        split.places(None, counter.as_ref())
    } else {
        let mut is_used = vec![false; table.rows as usize];
        let mut mark = |row: u32| {
            if let Some(is_used) = is_used.get_mut(row as usize) {
                *is_used = true;
            }
        };
        metrics.iter().for_each(|(_, column)| column.rows().iter().for_each(&mut mark));
        for (_, media) in &media {
            media.histograms.keys().chain(media.tables.keys()).copied().for_each(&mut mark);
        }
        split.places(Some(&is_used), counter.as_ref())
    };

    let mut runs: Vec<Run> = split.runs.iter().map(|(id, name)| named(id, name, file)).collect();
    for (run, size) in runs.iter_mut().zip(&places.sizes) {
        run.row_steps = (0..*size).map(f64::from).collect();
        run.row_times = vec![f64::NAN; *size as usize];
    }
    let has_counter = counter.is_some();
    for (row, step) in counter.iter().flat_map(Column::points).filter(|(_, step)| step.is_finite()) {
        places.put(&mut runs, row, |run, row| set(&mut run.row_steps, row, step));
    }
    for (row, time) in times {
        places.put(&mut runs, row, |run, row| set(&mut run.row_times, row, time));
    }
    for (key, column) in metrics {
        places.spread(&mut runs, &key, column);
    }
    for (key, media) in media {
        for (row, mut histogram) in media.histograms {
            places.put(&mut runs, row, |run, row| {
                histogram.row = row;
                run.histograms.entry(key.clone()).or_default().push(histogram);
            });
        }
        for (row, mut file) in media.tables {
            places.put(&mut runs, row, |run, row| {
                file.row = row;
                run.tables.push(file);
            });
        }
    }
    for run in &mut runs {
        settle_step(run, has_counter);
        run.histograms.values_mut().for_each(|list| list.compact_sort_by_key(|histogram| histogram.row));
        run.tables.compact_sort_by_key(|file| file.row);
    }
    runs.retain(|run| !run.row_steps.is_empty());
    runs.into_iter().map(|run| PartialRun::of(run, PartKind::History)).collect()
}

/// Machine metrics for the runs of a table beside this one.
pub(super) fn system(shape: &TableShape, mut table: ParquetTable) -> Vec<PartialRun> {
    let split = RowsOfRuns::of(shape, &mut table);
    let times = times(&mut table.columns);
    let places = split.places(None, None);
    let mut runs: Vec<Run> = split.runs.iter().map(|(id, name)| named(id, name, "")).collect();
    for (run, size) in runs.iter_mut().zip(&places.sizes) {
        run.system_times = vec![f64::NAN; *size as usize];
    }
    for (row, time) in times {
        places.put(&mut runs, row, |run, row| set(&mut run.system_times, row, time));
    }
    for (key, column) in table.columns.into_iter().filter(|column| !column.is_list).filter_map(metric) {
        places.spread(&mut runs, &key, column);
    }
    attachments(runs.into_iter().map(|mut run| Run { system: std::mem::take(&mut run.columns), ..run }))
}

/// Settings for the runs of a table beside this one.
pub(super) fn configs(shape: &TableShape, mut table: ParquetTable) -> Vec<PartialRun> {
    let split = RowsOfRuns::of(shape, &mut table);
    let mut runs: Vec<Run> = split.runs.iter().map(|(id, name)| named(id, name, "")).collect();
    let mut insert = |row: u32, key: &str, value: ConfigValue| {
        let run = split.run_of(row).and_then(|run| runs.get_mut(run as usize));
        if let Some(run) = run {
            run.config.insert(key, value);
        }
    };
    // Trackio's own notes begin with an underscore: who and when.
    let is_setting = |name: &str| !PASSED_OVER.contains(&name) && !name.starts_with('_') && name != "id";
    for TableColumn { name, content, .. } in table.columns.into_iter().filter(|column| is_setting(&column.name)) {
        match content {
            ColumnContent::Numbers(column) => {
                column.points().for_each(|(row, value)| insert(row, &name, ConfigValue::Number(value)));
            }
            ColumnContent::Texts(texts) => {
                texts.iter().for_each(|(row, text)| insert(*row, &name, ConfigValue::Text(text.to_string())));
            }
        }
    }
    attachments(runs.into_iter())
}

fn attachments(runs: impl Iterator<Item = Run>) -> Vec<PartialRun> {
    runs.map(|run| PartialRun::of(run, PartKind::Supplement)).collect()
}

/// Which run each row belongs to.
struct RowsOfRuns {
    /// Id and name of each run, in the order in which they appear.
    runs: Vec<(String, String)>,
    /// Number of the run of each row; `None` where all are of the only one.
    of_row: Option<Vec<u32>>,
    /// Rows of the table.
    rows: u32,
}

impl RowsOfRuns {
    /// Takes the columns out of the table that name the runs.
    fn of(shape: &TableShape, table: &mut ParquetTable) -> RowsOfRuns {
        let rows = table.rows;
        let mut texts = |wanted: &Option<String>| {
            let column = wanted.as_ref().and_then(|name| remove_column(&mut table.columns, |other| other == name));
            column.map(|column| words(column, rows))
        };
        let (ids, names) = (texts(&shape.run_id), texts(&shape.run_name));
        if ids.is_none() && names.is_none() {
            return RowsOfRuns { runs: vec![Default::default()], of_row: None, rows };
        }
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
            let next = runs.len() as u32;
            let run = *known.entry(key).or_insert(next);
            if run == next {
                let word = |word: Option<Rc<str>>| word.map(|word| word.to_string()).unwrap_or_default();
                runs.push((word(id), word(name)));
            }
            of_row.push(run);
        }
        RowsOfRuns { runs, of_row: Some(of_row), rows }
    }

    /// The run of a row; `None` for a row that belongs to none.
    fn run_of(&self, row: u32) -> Option<u32> {
        match &self.of_row {
            Some(of_row) => of_row.get(row as usize).copied().filter(|run| *run != NO_ROW),
            None => (row < self.rows).then_some(0),
        }
    }

    /// Where the used rows go (all of them, where nothing says which), by W&B's counter where the table has it: it never
    /// goes back in a run.
    fn places(&self, is_used: Option<&[bool]>, counter: Option<&Column>) -> Places {
        let ascends = |counter: &Column| {
            let steps = counter.values();
            counter.len() == self.rows as usize
                && steps.iter().all(|step| step.is_finite())
                && steps.is_sorted_by(|a, b| a.total_cmp(b).is_le())
        };
        if is_used.is_none() && self.of_row.is_none() && counter.is_none_or(ascends) {
            return Places { sizes: vec![self.rows], of_row: None };
        }
        let is_used = |row: u32| is_used.is_none_or(|is_used| is_used.get(row as usize) == Some(&true));
        let mut rows: Vec<u32> = (0..self.rows).filter(|row| is_used(*row) && self.run_of(*row).is_some()).collect();
        if let Some(counter) = counter {
            let mut steps = vec![f64::NAN; self.rows as usize];
            counter.points().for_each(|(row, step)| set(&mut steps, row, step));
            let mut last = f64::NEG_INFINITY;
            // A row without a counter stays behind the one before it.
            let mut keyed: Vec<(f64, u32)> = rows
                .iter()
                .map(|row| {
                    last = steps.get(*row as usize).copied().filter(|step| step.is_finite()).unwrap_or(last);
                    (last, *row)
                })
                .collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
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
        Places { sizes, of_row: (!is_unmoved).then_some(of_row) }
    }
}

/// Run and row in the run of each row of the table.
struct Places {
    /// Rows of each run.
    sizes: Vec<u32>,
    /// `None` where each row of the table is the same row of the only run, as in nearly every table.
    of_row: Option<Vec<(u32, u32)>>,
}

impl Places {
    /// Does something to the run of a row of the table.
    fn put(&self, runs: &mut [Run], row: u32, act: impl FnOnce(&mut Run, u32)) {
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
    fn spread(&self, runs: &mut [Run], key: &str, column: Column) {
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

fn named(id: &str, name: &str, file: &str) -> Run {
    let id = if id.is_empty() && name.is_empty() { exported_id(file).unwrap_or_default() } else { id };
    let name = if name.is_empty() { id } else { name };
    Run { id: id.to_owned(), name: name.to_owned(), ..Run::default() }
}

/// The run id in the name that W&B gives an exported history, or in that of its artifact's folder:
/// `ENTITY_PROJECT_ID_0.runhistory.parquet`, `run-ID-history:v0/0000.parquet`.
fn exported_id(file: &str) -> Option<&str> {
    if let Some(stem) = path::file_name(file).strip_suffix(".runhistory.parquet") {
        let (run, part) = stem.rsplit_once('_')?;
        let is_part = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        return is_part.then(|| run.rsplit_once('_').map_or(run, |(_, id)| id));
    }
    let folder = path::file_name(path::folder(file)).strip_prefix("run-")?;
    let (id, _) = folder.rsplit_once("-history")?;
    (!id.is_empty()).then_some(id)
}

/// What a file is a part of, when it is a part of an exported history: the same for all of its parts.
pub(crate) fn whole_of(file: &str) -> Option<String> {
    exported_id(file)?;
    let stem = path::file_name(file).strip_suffix(".runhistory.parquet");
    let stem = stem.and_then(|stem| stem.rsplit_once('_')).map_or("", |(stem, _)| stem);
    Some(format!("{}/{stem}", path::folder(file)))
}

/// The column as a metric, when it is one.
fn metric(column: TableColumn) -> Option<(String, Column)> {
    let name = column.name.clone();
    let is_passed_over = PASSED_OVER.contains(&name.as_str()) || name == "id" || name.starts_with("_wandb");
    if is_passed_over {
        return None;
    }
    numbers(column).map(|column| (name, column))
}

/// The numbers of a column. Text counts when most of it is numbers: some writers keep `"NaN"` or `"n/a"` so.
fn numbers(column: TableColumn) -> Option<Column> {
    match column.content {
        ColumnContent::Numbers(column) => (!column.is_empty()).then_some(column),
        ColumnContent::Texts(texts) => {
            let value = |text: &str| nonfinite_word(text).or_else(|| text.trim().parse().ok());
            let column: Column = texts.iter().filter_map(|(row, text)| Some((*row, value(text)?))).collect();
            (column.len() * 2 > texts.len()).then_some(column)
        }
    }
}

/// Takes the column of times out of the table: Unix seconds by row.
fn times(columns: &mut Vec<TableColumn>) -> Vec<(u32, f64)> {
    let is_times = |column: &TableColumn| match &column.content {
        ColumnContent::Numbers(numbers) => {
            numbers.values().iter().find(|value| value.is_finite()).is_some_and(|first| unix_seconds(*first).is_some())
        }
        ColumnContent::Texts(texts) => texts.first().is_some_and(|(_, text)| iso_seconds(text).is_some()),
    };
    let Some(place) = columns.iter().position(|column| is_time_name(&column.name) && is_times(column)) else {
        return Vec::new();
    };
    match columns.remove(place).content {
        ColumnContent::Numbers(numbers) => {
            numbers.points().filter_map(|(row, value)| unix_seconds(value).map(|time| (row, time))).collect()
        }
        ColumnContent::Texts(texts) => {
            texts.iter().filter_map(|(row, text)| iso_seconds(text).map(|time| (*row, time))).collect()
        }
    }
}

/// The words of a column by row; numbers are written out.
fn words(column: TableColumn, rows: u32) -> Vec<Option<Rc<str>>> {
    let mut words = vec![None; rows as usize];
    let mut put = |row: u32, word: Rc<str>| {
        if let Some(place) = words.get_mut(row as usize) {
            *place = Some(word);
        }
    };
    match column.content {
        ColumnContent::Texts(texts) => texts.into_iter().for_each(|(row, text)| put(row, text)),
        ColumnContent::Numbers(numbers) => {
            // Numbers repeat: each is written once.
            let mut written: BTreeMap<u64, Rc<str>> = BTreeMap::new();
            for (row, value) in numbers.points() {
                let word =
                    written.entry(value.to_bits()).or_insert_with(|| ConfigValue::Number(value).to_string().into());
                put(row, word.clone());
            }
        }
    }
    words
}

fn remove_column(columns: &mut Vec<TableColumn>, is_wanted: impl Fn(&str) -> bool) -> Option<TableColumn> {
    let place = columns.iter().position(|column| is_wanted(&column.name) && !column.is_list)?;
    Some(columns.remove(place))
}

fn set(values: &mut [f64], row: u32, value: f64) {
    if let Some(place) = values.get_mut(row as usize) {
        *place = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_an_exported_history_are_known_by_their_names() {
        for (file, id) in [
            ("x/team_my_project_ab12cd34_0.runhistory.parquet", Some("ab12cd34")),
            ("artifacts/run-ab12cd34-history:v0/0000.parquet", Some("ab12cd34")),
            ("team_x.runhistory.parquet", None),
            ("runs/history.parquet", None),
        ] {
            assert_eq!(exported_id(file), id, "{file}");
        }
        assert_eq!(whole_of("x/a_b_id_0.runhistory.parquet"), whole_of("x/a_b_id_12.runhistory.parquet"));
        assert_ne!(whole_of("x/a_b_id_0.runhistory.parquet"), whole_of("y/a_b_id_0.runhistory.parquet"));
    }
}
