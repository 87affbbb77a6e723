//! Runs from a table of metrics: whose each row is, at which step, at what time.

use super::column::{ColumnContent, TableColumn};
use super::column_numbers::numbers;
use super::run_rows::{RowsOfRuns, remove_column, set};
use super::shape::TableShape;
use super::{INDEX_COLUMNS, ParquetTable, long_table, media};
use crate::path;
use crate::rows::labels::RowLabels;
use crate::rows::long_rows::LongRuns;
use crate::rows::names::{is_time_name, settle_step};
use crate::time::{iso_seconds, unix_seconds};
use crate::{PartKind, PartialRun, Problem};
use rundown_run::{Column, ConfigValue, Run};
use rundown_stats::CompactSort;

/// One run for each name in the table, or the only one.
pub(super) fn runs(
    shape: &TableShape,
    mut table: ParquetTable,
    file: &str,
    problems: &mut Vec<Problem>,
) -> Vec<PartialRun> {
    let media: Vec<_> = shape.media.iter().map(|key| (key, media::extract(&mut table.columns, key))).collect();
    let split = RowsOfRuns::of(shape, &mut table);
    problems.extend(split.limit.problem("row"));
    let counter = remove_column(&mut table.columns, |name| name == "_step").and_then(numbers);
    let times = times(&mut table.columns);
    if let Some(LongRuns { unnamed, mut by_name }) = long_table::points(&split, &mut table, counter.as_ref(), &times) {
        let of_names = split.runs.iter().filter_map(|(id, name)| {
            let run = by_name.remove(if id.is_empty() { name } else { id })?;
            let Run { id, name, .. } = named(id, name, file);
            Some(Run { id, name, ..run })
        });
        let runs = unnamed.into_iter().chain(of_names);
        return runs.map(|run| PartialRun::of(run, PartKind::History)).collect();
    }
    let labels = labels(&table.columns);
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
    // Where the table names its runs, labels tell nothing more.
    if let [run] = &mut runs[..] {
        runs = labels.split(std::mem::take(run));
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
pub(super) fn system(shape: &TableShape, mut table: ParquetTable, problems: &mut Vec<Problem>) -> Vec<PartialRun> {
    let split = RowsOfRuns::of(shape, &mut table);
    problems.extend(split.limit.problem("row"));
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
pub(super) fn configs(shape: &TableShape, mut table: ParquetTable, problems: &mut Vec<Problem>) -> Vec<PartialRun> {
    let split = RowsOfRuns::of(shape, &mut table);
    problems.extend(split.limit.problem("row"));
    let mut runs: Vec<Run> = split.runs.iter().map(|(id, name)| named(id, name, "")).collect();
    let mut insert = |row: u32, key: &str, value: ConfigValue| {
        let run = split.run_of(row).and_then(|run| runs.get_mut(run as usize));
        if let Some(run) = run {
            run.config.insert(key, value);
        }
    };
    // Trackio's own fields begin with an underscore: the user and the time.
    let is_setting = |name: &str| !INDEX_COLUMNS.contains(&name) && !name.starts_with('_') && name != "id";
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

/// The texts of rows that may tell several runs apart.
fn labels(columns: &[TableColumn]) -> RowLabels {
    let mut labels = RowLabels::default();
    for column in columns {
        let ColumnContent::Texts(texts) = &column.content else { continue };
        for (row, text) in texts {
            let label = labels.label(&column.name, text);
            labels.push(*row, label.as_slice());
        }
    }
    labels
}

/// The column as a metric, when it is one.
fn metric(column: TableColumn) -> Option<(String, Column)> {
    let name = column.name.clone();
    let is_passed_over = INDEX_COLUMNS.contains(&name.as_str()) || name == "id" || name.starts_with("_wandb");
    if is_passed_over {
        return None;
    }
    numbers(column).map(|column| (name, column))
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
