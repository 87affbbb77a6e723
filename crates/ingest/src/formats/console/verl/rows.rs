//! The rows that verl's lines make.

use std::collections::{BTreeMap, BTreeSet};

use super::super::counts::InvalidCounts;
use super::super::line_times::{LineTime, RowTimes};
use super::{VerlLine, VerlReader, without_cut_field};
use crate::budget::MemoryUse;
use crate::rows::metric_rows::MetricRows;
use crate::rows::names::is_of_evaluation;
use crate::rows::read_progress::ReadProgress;
use rundown_run::{Run, RunWarning};

/// verl's copy of the step that it prints at the start of the line.
const VERL_STEP: &str = "training/global_step";

/// Collects the rows of a log.
#[derive(Debug, Default)]
pub(crate) struct VerlRows {
    reader: VerlReader,
    rows: MetricRows,
    times: RowTimes,
    /// What the rollouts counted since the last row.
    counts: InvalidCounts,
    /// Keys of such counts.
    counted: BTreeSet<String>,
    /// The step of the line before, and what it says of an evaluation.
    evaluated: (f64, BTreeMap<String, f64>),
    /// First step and the last one.
    steps: Option<(f64, f64)>,
    /// Rows at which another training begins.
    starts_at: Vec<u32>,
    /// Digits behind the point, while all numbers have the same.
    decimals: Option<usize>,
    is_uneven: bool,
    /// Lines that W&B cut.
    cut_lines: usize,
}

impl VerlRows {
    /// Rows so far.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// What the rows take.
    pub(crate) fn memory_use(&self) -> MemoryUse {
        self.rows.memory_use()
    }

    /// Says how far the log has been read.
    pub(crate) fn set_progress(&mut self, progress: ReadProgress) {
        self.rows.set_progress(progress);
    }

    /// Looks for counts of the rollouts in a line between rows.
    pub(crate) fn count(&mut self, text: &str) {
        self.counts.add(text);
    }

    /// Notes that another training begins, where one that was done begins again at its first step.
    pub(crate) fn begin(&mut self, step: f64, was_done: bool) {
        let (first, last) = self.steps.unwrap_or((step, step));
        if was_done && step <= first && step < last {
            self.starts_at.push(self.rows.len() as u32);
        }
        self.steps = Some((first, step));
    }

    /// A segment without the field at which W&B cut it; such lines are counted.
    pub(crate) fn without_cut_field<'s>(&mut self, segment: &'s str) -> &'s str {
        let whole = without_cut_field(segment);
        self.cut_lines += usize::from(whole.len() < segment.len());
        whole
    }

    /// Adds a line as a row.
    pub(crate) fn add(&mut self, line: &VerlLine<'_>, time: LineTime) {
        self.rows.time(self.times.give(time));
        let step = line.step as f64;
        self.rows.number("step", step);
        let (of_step, printed_before) = std::mem::replace(&mut self.evaluated, (step, BTreeMap::new()));
        let repeats = |name: &str, value: f64| of_step == step && printed_before.get(name) == Some(&value);
        let Self { reader, rows, evaluated, is_uneven, decimals, .. } = self;
        reader.read(line, |name, printed| {
            // Loops print the metrics of an evaluation in a line of their own and again with those of its step.
            if is_of_evaluation(name) {
                evaluated.1.insert(name.to_owned(), printed.value);
                if repeats(name, printed.value) {
                    return;
                }
            }
            *is_uneven |= printed.decimals.is_none() && printed.value.is_finite();
            if let Some(digits) = printed.decimals {
                *is_uneven |= *decimals.get_or_insert(digits) != digits;
            }
            rows.number(name, printed.value);
        });
        for (key, share) in self.counts.drain() {
            self.rows.number(&key, share);
            self.counted.insert(key);
        }
        self.rows.end_row();
    }

    /// The run that the rows make.
    pub(crate) fn finish(self) -> Run {
        let mut run = self.rows.finish();
        run.starts_at = self.starts_at;
        if self.cut_lines > 0 {
            run.warnings.push(RunWarning::LinesCut { lines: self.cut_lines });
        }
        let steps = run.columns.get("step");
        // A row of a validation has no copy; the step at the start of the line is in every row.
        let is_copy = run.columns.get(VERL_STEP).zip(steps).is_some_and(|(copy, steps)| {
            copy.points().all(|(row, value)| steps.values().get(row as usize) == Some(&value))
        });
        if is_copy {
            run.columns.remove(VERL_STEP);
        }
        if let Some(decimals) = self.decimals.filter(|decimals| !self.is_uneven && (1..=9).contains(decimals)) {
            let quantum = (0..decimals).fold(1.0, |quantum, _| quantum / 10.0);
            let is_printed = |key: &String| key != "step" && !self.counted.contains(key);
            for (_, column) in run.columns.iter_mut().filter(|(key, _)| is_printed(key)) {
                column.set_quantum(quantum);
            }
        }
        run
    }
}

#[cfg(test)]
mod tests {
    use super::super::line;
    use super::*;

    #[test]
    fn an_evaluation_that_is_printed_again_with_its_step_counts_once() {
        let mut rows = VerlRows::default();
        for text in [
            "step:9 - val/acc:0.9 - val/n:60",
            "step:9 - kl:0.1 - val/acc:0.9",
            "step:10 - kl:0.2",
            "step:19 - val/acc:0.9",
            "step:19 - kl:0.1 - val/acc:0.8",
        ] {
            rows.add(&line(text).unwrap(), LineTime::NONE);
        }
        let run = rows.finish();
        assert_eq!(run.columns["val/acc"].values(), [0.9, 0.9, 0.8], "another value is another evaluation");
        assert_eq!(run.columns["kl"].values(), [0.1, 0.2, 0.1]);
    }
}
