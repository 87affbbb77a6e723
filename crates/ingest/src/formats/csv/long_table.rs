//! Tables with one value a row: `metric, step, value`, as MLflow's charts and databases are exported, and
//! TensorBoard's downloads `Wall time, Step, Value`, whose metric stands in the file's name alone.

use super::cell::number;
use super::{TableOutcome, TableSink};
use crate::budget::MemoryUse;
use crate::formats::by_run::{is_id_key, is_run_key};
use crate::path;
use crate::rows::labels::is_label_name;
use crate::rows::long_rows::{LongRows, LongRuns, METRIC_COLUMNS, RunKey, VALUE_COLUMNS};
use crate::rows::names::is_step_name;
use crate::rows::sampled::{TENSORBOARD_POINTS, looks_sampled};
use crate::time::any_seconds;
use crate::{Place, Problem, Weight};
use rundown_run::{Run, Thinning};

/// Names of the column that holds a time.
const TIME_COLUMNS: [&str; 5] = ["wall time", "wall_time", "timestamp", "time", "_timestamp"];

/// Reads one value a row.
#[derive(Default)]
pub(super) struct LongTable {
    delimiter: u8,
    step: usize,
    value: usize,
    metric: Option<usize>,
    run: Option<(usize, bool)>,
    /// Columns that may tell runs apart where none names them.
    labels: Vec<(usize, String)>,
    time: Option<usize>,
    is_nan: Option<usize>,
    row: LongRow,
    runs: LongRows,
    /// Rows with a value but without a step or a name.
    left_out: u64,
}

#[derive(Default)]
struct LongRow {
    step: Option<f64>,
    value: Option<f64>,
    metric: String,
    run: RunKey,
    time: Option<f64>,
    is_nan: bool,
}

impl LongTable {
    /// The table with these columns, or `None` for any other one.
    pub(super) fn new(names: &[String], delimiter: u8) -> Option<Self> {
        let find = |wanted: &[&str]| {
            wanted.iter().find_map(|wanted| names.iter().position(|name| name.eq_ignore_ascii_case(wanted)))
        };
        let step = names.iter().position(|name| is_step_name(name))?;
        let (value, metric, time) = (find(&VALUE_COLUMNS)?, find(&METRIC_COLUMNS), find(&TIME_COLUMNS));
        let is_download = metric.is_none() && names.len() == 3 && time.is_some();
        if metric.is_none() && !is_download {
            return None;
        }
        let runs = names.iter().enumerate().filter(|(_, name)| is_run_key(name));
        let run = runs.map(|(column, name)| (column, is_id_key(name))).max_by_key(|(_, is_id)| *is_id);
        let is_nan = find(&["is_nan"]);
        let labels =
            names.iter().cloned().enumerate().filter(|(_, name)| run.is_none() && is_label_name(name)).collect();
        Some(Self { delimiter, step, value, metric, run, labels, time, is_nan, ..Self::default() })
    }

    /// True for TensorBoard's download of one tag.
    pub(super) fn is_download(&self) -> bool {
        self.metric.is_none()
    }
}

impl TableSink for LongTable {
    fn cell(&mut self, column: usize, text: &str) {
        if column == self.step {
            self.row.step = number(text, self.delimiter);
        } else if column == self.value {
            self.row.value = number(text, self.delimiter);
        } else if Some(column) == self.metric {
            text.clone_into(&mut self.row.metric);
        } else if self.run.is_some_and(|(run, _)| run == column) {
            text.clone_into(&mut self.row.run.named);
        } else if Some(column) == self.time {
            self.row.time = any_seconds(text);
        } else if Some(column) == self.is_nan {
            self.row.is_nan = number(text, self.delimiter) == Some(1.0);
        } else if let Some((_, name)) = self.labels.iter().find(|(label, _)| *label == column && !text.is_empty()) {
            self.row.run.labels.push((name.clone(), text.to_owned()));
        }
    }

    fn end_row(&mut self) {
        let row = std::mem::take(&mut self.row);
        // MLflow's database writes NaN as 0 and marks it.
        let value = if row.is_nan { Some(f64::NAN) } else { row.value };
        // A metric may be empty at a step.
        let Some(value) = value else { return };
        let Some(step) = row.step.filter(|_| self.metric.is_none() || !row.metric.is_empty()) else {
            self.left_out += 1;
            return;
        };
        self.runs.push(&row.run, &row.metric, step, row.time.unwrap_or(f64::NAN), value);
    }

    fn memory_use(&self) -> MemoryUse {
        self.runs.memory_use()
    }

    fn finish(self: Box<Self>, file: &str) -> TableOutcome {
        let is_download = self.is_download();
        let has_ids = self.run.is_some_and(|(_, is_id)| is_id);
        let left_out = self.runs.left_out();
        let LongRuns { unnamed, by_name } = self.runs.finish();
        let unnamed = unnamed.into_iter().map(|mut run| {
            if is_download {
                name_download(&mut run, file);
            }
            run
        });
        let named = by_name.into_iter().map(|(name, run)| {
            let id = if has_ids { name.clone() } else { String::new() };
            Run { id, name, ..run }
        });
        let runs = unnamed.chain(named).collect();
        let nameless = (self.left_out > 0).then(|| {
            let what = format!("{} values have no step or no name and were skipped.", self.left_out);
            Problem::here(Place::File, Weight::Partial, what, "")
        });
        let problems = nameless.into_iter().chain(left_out).collect();
        TableOutcome { runs, problems, ..TableOutcome::default() }
    }
}

/// Gives the nameless column of a download its tag, and the run its name, from `run-<run>-tag-<tag>.csv`.
pub(crate) fn name_download(run: &mut Run, file: &str) {
    let stem = path::stem(file);
    let parts = stem.split_once("-tag-").map(|(run, tag)| (run.strip_prefix("run-").unwrap_or(run), tag));
    let (of_run, tag) = parts.unwrap_or(("", stem));
    of_run.clone_into(&mut run.name);
    if let Some(column) = run.columns.remove("") {
        if looks_sampled(&run.row_steps, TENSORBOARD_POINTS) {
            run.note_sampling(Some(tag), Thinning::Rows);
        }
        run.columns.insert(tag.to_owned(), column);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_download_is_named_by_its_file() {
        let mut run = Run::default();
        let row = run.push_row(1.0, 0.0);
        run.push_value("", row, 0.5);
        name_download(&mut run, "dl/run-amber_01-tag-train_loss.csv");
        assert_eq!((run.name.as_str(), run.columns.contains_key("train_loss")), ("amber_01", true));
    }

    #[test]
    fn other_tables_are_left_alone() {
        let names = |names: &[&str]| -> Vec<String> { names.iter().map(|name| (*name).to_owned()).collect() };
        assert!(LongTable::new(&names(&["Wall time", "step", "Value"]), b',').is_some_and(|table| table.is_download()));
        assert!(LongTable::new(&names(&["run_uuid", "key", "value", "timestamp", "step", "is_nan"]), b',').is_some());
        assert!(LongTable::new(&names(&["step", "value", "loss"]), b',').is_none());
        assert!(LongTable::new(&names(&["step", "loss"]), b',').is_none());
    }
}
