//! Dictionaries that the Hugging Face Trainer prints: `{'loss': 0.01, 'reward': 1.2, 'epoch': 0.02}`.
//!
//! They hold no step. The Trainer prints each beside a progress bar, whose states are remembered with the rows; what
//! steps they give is decided at the end (see [`steps`]). transformers 5 prints numbers as strings of four digits.
//!
//! A log may hold several trainings: rows behind a closing line, or of an epoch that begins again, are of the next one.

mod places;
mod steps;

use crate::budget::MemoryUse;
use std::collections::BTreeMap;

use super::line_times::{LineTime, RowTimes, settle_bar_times};
use super::progress::bars;
use crate::rows::closing_row;
use crate::rows::metric_rows::MetricRows;
use crate::rows::read_progress::ReadProgress;
use crate::rows::settle::{is_progress_name, progress_in_text};
use crate::syntax::json::Json;
use crate::syntax::python;
use rundown_run::{Column, Run, RunWarning};

use places::{add_step, next_dict, without_brace};
pub(super) use steps::Bars;
use steps::{RowHint, RowKind};

/// Keys of which one makes a dictionary of numbers a row of metrics.
const ROW_KEYS: [&str; 10] = [
    "epoch",
    "step",
    "_step",
    "global_step",
    "train/global_step",
    "training/global_step",
    "iteration",
    "loss",
    "train_loss",
    closing_row::RUNTIME,
];
/// Nesting of metrics within a row that is looked at.
const MAX_DEPTH: usize = 4;

/// Collects the dictionaries of a log.
#[derive(Debug, Default)]
pub(crate) struct Dicts {
    rows: MetricRows,
    times: RowTimes,
    /// That of the segment that is being read.
    time: LineTime,
    hints: Vec<RowHint>,
    bars: Bars,
    totals: BTreeMap<String, Json>,
    closings: u32,
    /// Trainings that ended before the last one.
    ended: Vec<Ended>,
    /// The bars at the closing line, until another training begins.
    pub(super) closed: Option<Bars>,
    /// First and last epoch of the training.
    pub(super) epochs: Option<(f64, f64)>,
}

/// Rows that prove that a log has such rows.
const ENOUGH_ROWS: usize = 3;
/// Fewest equal numbers that are no metrics.
const MIN_EQUAL_NUMBERS: usize = 3;

/// A training of the log: rows until its end or that of the log, its bars, and what its closing line sums up, where it has one.
#[derive(Debug)]
struct Ended {
    rows: usize,
    bars: Bars,
    totals: BTreeMap<String, Json>,
}

impl Dicts {
    /// Rows so far.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// True where the rows are those of a trainer: there are several, the Trainer's have an epoch, and it sums them up. A loop
    /// of its own may print a dictionary of results beside its lines.
    pub(super) fn is_sure(&self) -> bool {
        self.len() >= ENOUGH_ROWS || self.closings > 0 || self.epochs.is_some()
    }

    /// Says how far the log has been read.
    pub(super) fn set_progress(&mut self, progress: ReadProgress) {
        self.rows.set_progress(progress);
    }

    /// What the rows take.
    pub(super) fn memory_use(&self) -> MemoryUse {
        self.rows.memory_use() + MemoryUse::bytes(self.hints.len() * size_of::<RowHint>() + self.bars.bytes())
    }

    /// How often the Trainer summed up a training.
    pub(crate) fn closings(&self) -> u32 {
        self.closings
    }

    /// Reads bars and dictionaries of a segment in their order; true when one of them was a row.
    pub(crate) fn add(&mut self, segment: &str, time: LineTime) -> bool {
        self.time = time;
        let rows = self.hints.len();
        if let Some(members) = without_brace(segment) {
            self.dict(members);
            return self.hints.len() > rows;
        }
        let mut rest = segment;
        while let Some(start) = next_dict(rest) {
            let (before, dict) = rest.split_at_checked(start).unwrap_or((rest, ""));
            self.bars.add(bars(before));
            let length = match python::parse_prefix(dict) {
                Ok((Json::Object(mut members), length)) => {
                    // Where other rows name none, their steps come from the bars.
                    if self.hints.is_empty() || self.rows.has_step() {
                        add_step(before, &mut members);
                    }
                    self.dict(members);
                    length
                }
                Ok((_, length)) | Err(length) => length,
            };
            rest = dict.get(length..).unwrap_or("");
        }
        self.bars.add(bars(rest));
        self.hints.len() > rows
    }

    /// The bars of the log so far, without those of an evaluation behind the training.
    pub(super) fn bars(&self) -> Bars {
        self.bars.clone().until(self.closed.clone())
    }

    /// The training so far. The totals are those of its closing line.
    fn so_far(&self) -> Ended {
        let totals = if self.closed.is_some() { self.totals.clone() } else { BTreeMap::new() };
        Ended { rows: self.hints.len(), bars: self.bars(), totals }
    }

    /// Adds rows and totals to a run. `every` is the number of steps from one row to the next, and `planned` that of all
    /// steps, where settings say them.
    pub(crate) fn finish(self, every: Option<f64>, planned: Option<f64>) -> Run {
        // Only a training that came to its end took the steps that were planned, and only one of them all.
        let planned = planned.filter(|_| self.closed.is_some() && self.ended.is_empty());
        let last = self.so_far();
        let distance =
            |hints: &[RowHint], of: &Ended| every.or_else(|| steps::distance(hints, &of.bars, planned, &of.totals));
        let has_step = self.rows.has_step();
        let mut run = self.rows.finish();
        for (key, value) in self.totals {
            run.summary.insert(key, value.into_config_value());
        }
        run.starts_at = self.ended.iter().map(|ended| ended.rows as u32).collect();
        let are_counted =
            run.starts_at.is_empty() && distance(&self.hints, &last).is_none() && steps::are_counted(&run, &last.bars);
        if !has_step && !self.hints.is_empty() && !are_counted {
            run.warnings.retain(|warning| !matches!(warning, RunWarning::StepsFromCounter { .. }));
            let (mut column, mut times) = (Column::default(), Vec::with_capacity(self.hints.len()));
            let (mut from, mut began) = (0, 0.0_f64);
            for ended in self.ended.into_iter().chain([last]) {
                let hints = self.hints.get(from..ended.rows).unwrap_or_default();
                let (steps, warning) = steps::steps(hints, &ended.bars, distance(hints, &ended));
                // The bar of the next training begins at 0 again.
                times.extend(ended.bars.seconds_until(&steps).into_iter().map(|seconds| began + seconds));
                began += ended.bars.last_seconds().unwrap_or(0.0);
                (from..).zip(steps).for_each(|(row, step)| column.push(row as u32, step));
                run.warnings.extend(warning.filter(|warning| !run.warnings.contains(warning)));
                from = ended.rows;
            }
            run.columns.insert("step".to_owned(), column);
            settle_bar_times(&mut run, times, began);
        }
        run
    }

    fn dict(&mut self, members: BTreeMap<String, Json>) {
        let mut numbers = Vec::new();
        let mut others = 0;
        let mut has_totals = false;
        for (key, value) in &members {
            has_totals |= key == closing_row::RUNTIME;
            collect(key, value, 0, &mut numbers, &mut others);
        }
        let is_row = ROW_KEYS.iter().any(|key| members.contains_key(*key)) || members.contains_key("eval_loss");
        if !is_row || numbers.is_empty() || others > numbers.len() || (numbers.len() < 2 && !has_totals) {
            return;
        }
        if are_counts(&numbers) {
            return;
        }
        if has_totals {
            self.closings += 1;
            self.closed = Some(self.bars.clone());
            for (key, value) in members.iter().filter(|(key, _)| closing_row::is_total(key)) {
                let number = scalar(value).map_or_else(|| value.clone(), Json::Number);
                self.totals.insert(key.clone(), number);
            }
            numbers.retain(|(key, _)| !closing_row::is_total(key));
            if numbers.iter().all(|(key, _)| is_progress_name(key)) {
                return;
            }
        }
        let kind = match numbers.iter().any(|(key, _)| key.starts_with("eval_") || key.starts_with("test_")) {
            _ if has_totals => RowKind::Last,
            true => RowKind::Evaluation,
            false => RowKind::Training,
        };
        if kind == RowKind::Training {
            self.begin(&numbers);
        }
        for (key, value) in &numbers {
            self.rows.number(key, *value);
        }
        self.rows.time(self.times.give(self.time));
        let before = self.rows.len();
        self.rows.end_row();
        if self.rows.len() > before {
            self.hints.push(self.bars.hint(kind));
        }
    }

    /// Ends the training so far where a row of another one comes: behind a closing line, or where the epoch is again the
    /// first one. An epoch that goes back by less is a training that was resumed.
    fn begin(&mut self, numbers: &[(String, f64)]) {
        let epoch = numbers.iter().find(|(key, _)| key == "epoch").map(|(_, epoch)| *epoch);
        let is_first = |(first, last): (f64, f64)| epoch.is_some_and(|epoch| epoch <= first && last > first);
        let is_ended = self.closed.is_some() || self.epochs.is_some_and(is_first);
        if is_ended && !self.hints.is_empty() {
            let ended = self.so_far();
            self.bars.drop_ended(&ended.bars);
            self.ended.push(ended);
            self.epochs = None;
        }
        self.closed = None;
        if let Some(epoch) = epoch {
            self.epochs = Some((self.epochs.map_or(epoch, |(first, _)| first), epoch));
        }
    }
}

/// True for lengths of series that a script prints to compare them: the same number of rows under every name.
fn are_counts(numbers: &[(String, f64)]) -> bool {
    let Some((_, first)) = numbers.first() else { return false };
    numbers.len() >= MIN_EQUAL_NUMBERS
        && *first > 1.0
        && first.fract() == 0.0
        && numbers.iter().all(|(_, number)| number == first)
}

/// A number, also when it is printed as a string.
fn scalar(value: &Json) -> Option<f64> {
    value.metric().or_else(|| value.text().and_then(python::number))
}

fn collect(key: &str, value: &Json, depth: usize, numbers: &mut Vec<(String, f64)>, others: &mut usize) {
    match (value, scalar(value)) {
        (_, Some(number)) => numbers.push((key.to_owned(), number)),
        (Json::Object(inner), _) if depth < MAX_DEPTH => {
            for (name, value) in inner {
                // `{"step": 1, "data": {…}}`: a wrapper is no part of the name.
                let is_wrapper = depth == 0 && matches!(key, "data" | "metrics" | "logs");
                let name = if is_wrapper { name.clone() } else { format!("{key}.{name}") };
                collect(&name, value, depth + 1, numbers, others);
            }
        }
        (Json::Null, _) => {}
        // ms-swift's `'global_step/max_steps': '3/120', 'elapsed_time': '45m 20s'`.
        (Json::Text(text), _) if let Some(found) = progress_in_text(key, text) => {
            numbers.extend(found.into_iter().map(|(name, value)| (name.to_owned(), value)));
        }
        _ => *others += 1,
    }
}

#[cfg(test)]
mod tests;
