//! A table of metrics: one row a step, or one row for each step of each run (the long form).

use std::collections::{BTreeMap, BTreeSet};

use super::cell::number;
use super::result_rows::ResultRows;
use super::step_texts::StepTexts;
use super::{TableOutcome, TableSink};
use crate::budget::MemoryUse;
use crate::formats::by_run::{RowsByRun, is_id_key, is_run_key};
use crate::rows::counts::ColumnCounts;
use crate::rows::labels::is_label_name;
use crate::rows::names::{is_metric_name, is_row_text, is_step_name};
use crate::rows::read_progress::ReadProgress;
use crate::syntax::utf8;
use crate::{Place, Problem, Weight};
use rundown_stats::CompactCollect as _;

/// What a column holds.
enum ColumnKind {
    /// Nothing with a name, such as the index that pandas writes.
    Nameless,
    /// Which run the row is of.
    Run,
    /// Numbers, or texts that say what kind of row it is or of which run.
    Metric {
        key: String,
        has_texts: bool,
        /// Whether its cells are counts; `None` for steps and texts.
        counts: Option<ColumnCounts>,
        /// Its numbers are a metric's, whatever they are.
        is_plain: bool,
        /// Which column it is of the run that the last row was of, once that is known.
        index: Option<usize>,
    },
}

/// Reads rows of metrics.
#[derive(Default)]
pub(super) struct MetricTable {
    delimiter: u8,
    columns: Vec<ColumnKind>,
    /// Metrics of headers before that are not in the last one, by their names.
    waiting: BTreeMap<String, ColumnKind>,
    /// The column that says which run a row is of.
    run_column: Option<String>,
    runs: RowsByRun,
    /// The row that is being read: its run, its numbers and its texts by column.
    run: String,
    /// The run that the row before was of.
    last_run: String,
    numbers: Vec<(usize, f64)>,
    texts: Vec<(usize, String)>,
    /// Columns that have the name of another.
    twice: usize,
    step_texts: StepTexts,
    results: ResultRows,
}

impl MetricTable {
    pub(super) fn new(names: &[String], delimiter: u8) -> Self {
        let has_step = names.iter().any(|name| is_step_name(name));
        // An id is better than a name, which may be shared.
        let is_run = |name: &&String| has_step && is_run_key(name);
        let run = names.iter().filter(is_run).max_by_key(|name| is_id_key(name));
        let kind = |name: &String| ColumnKind::of(name, Some(name) == run);
        let distinct: BTreeSet<&String> = names.iter().filter(|name| !name.is_empty()).compact_collect();
        let mut runs = RowsByRun::default();
        runs.has_ids = run.is_some_and(|name| is_id_key(name));
        Self {
            delimiter,
            columns: names.iter().map(kind).collect(),
            run_column: run.cloned(),
            runs,
            results: ResultRows::of_columns(names),
            twice: names.len() - names.iter().filter(|name| name.is_empty()).count() - distinct.len(),
            ..Self::default()
        }
    }
}

impl ColumnKind {
    fn of(name: &str, is_run: bool) -> Self {
        if name.is_empty() {
            return Self::Nameless;
        }
        if is_run {
            return Self::Run;
        }
        let has_texts = is_row_text(name) || is_label_name(name);
        let counts = (!has_texts && !is_step_name(name)).then(ColumnCounts::default);
        Self::Metric { key: name.to_owned(), has_texts, counts, is_plain: is_metric_name(name), index: None }
    }

    /// The column without its place in the rows of the present run: another run may be read when a header names it again.
    fn without_index(mut self) -> Self {
        if let Self::Metric { index, .. } = &mut self {
            *index = None;
        }
        self
    }
}

impl MetricTable {
    /// Begins with the rows of another run, whose columns are others.
    fn change_run(&mut self) {
        self.run.clone_into(&mut self.last_run);
        for column in &mut self.columns {
            if let ColumnKind::Metric { index, .. } = column {
                *index = None;
            }
        }
    }
}

impl TableSink for MetricTable {
    fn cell(&mut self, column: usize, text: &str) {
        self.step_texts.text(column, text, self.runs.len() == 0);
        self.results.cell(column, text);
        match self.columns.get_mut(column) {
            Some(ColumnKind::Run) => text.clone_into(&mut self.run),
            Some(ColumnKind::Metric { has_texts, counts, .. }) => match (number(text, self.delimiter), counts) {
                (Some(value), counts) => {
                    if let Some(counts) = counts.as_mut().filter(|_| value.is_finite()) {
                        counts.number();
                    }
                    self.numbers.push((column, value));
                }
                (None, _) if text.is_empty() => {}
                (None, _) if *has_texts => self.texts.push((column, text.to_owned())),
                (None, Some(counts)) => self.numbers.extend(counts.share(text).map(|share| (column, share))),
                (None, None) => {}
            },
            Some(ColumnKind::Nameless) | None => {}
        }
    }

    fn decimal(&mut self, column: usize, text: &[u8], value: f64) {
        match self.columns.get_mut(column) {
            Some(ColumnKind::Metric { counts, .. }) => {
                self.results.decimal(column, text);
                if let Some(counts) = counts {
                    counts.number();
                }
                self.numbers.push((column, value));
            }
            _ => self.cell(column, &utf8(text)),
        }
    }

    fn end_row(&mut self) {
        if self.run_column.is_some() && self.run != self.last_run {
            self.change_run();
        }
        let rows = self.runs.rows(&self.run);
        for (column, text) in self.texts.drain(..) {
            if let Some(ColumnKind::Metric { key, .. }) = self.columns.get(column) {
                rows.text_cell(key, &text);
            }
        }
        self.numbers.retain_mut(|(column, value)| {
            let Some(ColumnKind::Metric { key, is_plain, index, .. }) = self.columns.get_mut(*column) else {
                return false;
            };
            if *is_plain {
                *column = *index.get_or_insert_with(|| rows.column(key));
            } else {
                rows.number(key, *value);
            }
            *is_plain
        });
        rows.numbers_of(&mut self.numbers);
        rows.end_row();
        self.step_texts.end_row();
        self.results.end_row();
        self.run.clear();
    }

    fn drop_row(&mut self) -> bool {
        self.numbers.clear();
        self.texts.clear();
        self.step_texts.drop_row();
        self.results.drop_row();
        self.run.clear();
        true
    }

    fn change_header(&mut self, names: &[String]) -> bool {
        let places: BTreeMap<&str, usize> =
            names.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
        let mut known: Vec<Option<ColumnKind>> = names.iter().map(|_| None).collect();
        for column in std::mem::take(&mut self.columns) {
            let ColumnKind::Metric { key, .. } = &column else { continue };
            let place = places.get(key.as_str()).and_then(|place| known.get_mut(*place));
            // A second column of a name waits too, and is taken at once where the header has it again.
            if let Some(place) = place.filter(|place| place.is_none()) {
                *place = Some(column);
            } else {
                self.waiting.entry(key.clone()).or_insert(column.without_index());
            }
        }
        let of_name = |(name, column): (&String, Option<ColumnKind>)| {
            let column = column.or_else(|| self.waiting.remove(name));
            column.unwrap_or_else(|| ColumnKind::of(name, Some(name) == self.run_column.as_ref()))
        };
        self.columns = names.iter().zip(known).map(of_name).collect();
        self.results = ResultRows::of_columns(names);
        self.drop_row();
        true
    }

    fn set_progress(&mut self, progress: ReadProgress) {
        self.runs.set_progress(progress);
    }

    fn memory_use(&self) -> MemoryUse {
        self.runs.memory_use()
    }

    fn finish(self: Box<Self>, _path: &str) -> TableOutcome {
        let mut problems: Vec<Problem> = self.runs.left_out().into_iter().collect();
        if self.twice > 0 {
            let what = format!("{} columns have the name of another: of each row the last value counts.", self.twice);
            problems.push(Problem::here(Place::Line(1), Weight::Remark, what, "Give each column a name of its own."));
        }
        let mut runs = if self.runs.len() > 0 { self.runs.finish() } else { Vec::new() };
        if let [run] = &mut runs[..] {
            self.step_texts.count(run);
        }
        if self.results.are_results() && !runs.iter().any(|run| run.columns.contains_key("step")) {
            return TableOutcome { are_results: true, ..TableOutcome::default() };
        }
        for column in self.columns.into_iter().chain(self.waiting.into_values()) {
            let ColumnKind::Metric { key, counts: Some(counts), .. } = column else { continue };
            if !counts.are_refuted() {
                continue;
            }
            runs.iter_mut().for_each(|run| _ = run.columns.remove(&key));
            if counts.has_numbers() {
                let what = format!("The column “{key}” mixes counts such as 12/64 with other cells, and was skipped.");
                problems.push(Problem::here(Place::Line(1), Weight::Partial, what, "Write shares as decimals."));
            }
        }
        TableOutcome { runs, problems, ..TableOutcome::default() }
    }
}
