//! Events become a run: one row for each step, so that tags logged at one step stand in one row.
//!
//! Tags come one by one and in any order of steps; of a tag that is logged twice at a step the later value counts.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::event::EventItem;
use super::text;
use crate::budget::{COLUMN_BYTES, MemoryUse};
use crate::rows::closing_row::sum_up;
use crate::rows::read_progress::ReadProgress;
use crate::rows::step_rows::{SortedRows, StepKey, StepRows};
use rundown_run::{Column, Histogram, Run};
use rundown_stats::CompactSort;

/// A column that only [`crate::RunAssembler`] sees: the step from which on this file replaces earlier ones.
pub(crate) const REPLACES_FROM: &str = "\0replaces_from";

/// Collects what events bring.
#[derive(Debug, Default)]
pub(crate) struct EventRunBuilder {
    tags: FxHashMap<String, usize>,
    scalars: Vec<TagScalars>,
    /// Their rows are those of `rows`.
    histograms: BTreeMap<String, Vec<Histogram>>,
    /// Bins of all histograms.
    bins: usize,
    rows: StepRows,
    progress: ReadProgress,
    run: Run,
    replaces_from: Option<i64>,
}

/// The numbers of a tag.
#[derive(Debug, Default)]
struct TagScalars {
    /// By ascending steps.
    column: Column,
    /// Rows and values whose step the tag had already passed, in the order of logging.
    late: Vec<(u32, f64)>,
}

impl EventRunBuilder {
    pub(crate) fn add(&mut self, step: i64, time: f64, item: EventItem<'_>) {
        match item {
            EventItem::Start => self.purge(step),
            EventItem::Scalar(tag, value) => self.add_scalar(tag, step, time, value),
            EventItem::Histogram(tag, histogram) => {
                self.bins += histogram.counts.len();
                let row = self.row(step, time, self.rows.len().saturating_sub(1) as u32);
                self.histograms.entry(tag.to_owned()).or_default().push(Histogram { row, ..histogram });
            }
            EventItem::Text(tag, bytes) => text::settings(tag, bytes, &mut self.run.config),
            EventItem::Setting(key, value) => self.run.config.insert(key, value),
        }
    }

    /// Says how far the file has been read.
    pub(crate) fn set_progress(&mut self, progress: ReadProgress) {
        self.progress = progress;
    }

    /// What the values take.
    pub(crate) fn memory_use(&self) -> MemoryUse {
        let scalars: u64 = self.scalars.iter().map(TagScalars::bytes).sum();
        MemoryUse::bytes(self.rows.bytes() + 16 * self.bins) + MemoryUse { bytes: scalars, left_out: 0 }
    }

    /// The run, or `None` when the events hold nothing.
    pub(crate) fn finish(self) -> Option<Run> {
        let is_used = self.used_rows();
        let rows = self.rows.sorted(|row| is_used.get(row as usize) == Some(&true));
        let (mut scalars, mut run) = (self.scalars, self.run);
        if rows.steps.is_empty() && run.config.is_empty() {
            return None;
        }
        for (tag, index) in self.tags {
            let Some(scalars) = scalars.get_mut(index).map(std::mem::take) else { continue };
            let column = scalars.into_column(&rows);
            if !column.is_empty() {
                run.columns.insert(tag, column);
            }
        }
        if !rows.steps.is_empty() {
            let steps = || (0..).zip(rows.steps.iter().copied()).collect();
            run.columns.entry("step".to_owned()).or_insert_with(steps);
        }
        for (tag, mut list) in self.histograms {
            list.iter_mut().for_each(|histogram| histogram.row = rows.number(histogram.row));
            list.compact_sort_by_key(|histogram| histogram.row);
            run.histograms.insert(tag, list);
        }
        run.row_steps = rows.steps;
        run.row_times = rows.times;
        sum_up(&mut run);
        run.started_at = run.row_times.iter().copied().filter(|time| time.is_finite()).reduce(f64::min);
        if let Some(step) = self.replaces_from {
            run.push_value(REPLACES_FROM, 0, step as f64);
        }
        Some(run)
    }

    fn add_scalar(&mut self, tag: &str, step: i64, time: f64, value: f64) {
        let index = match self.tags.get(tag) {
            Some(index) => *index,
            None => {
                self.tags.insert(tag.to_owned(), self.scalars.len());
                self.scalars.push(TagScalars::default());
                self.scalars.len() - 1
            }
        };
        let last = self.scalars.get(index).and_then(|scalars| scalars.column.rows().last());
        let row = self.row(step, time, last.map_or(0, |last| last.saturating_add(1)));
        let is_late = last.is_some_and(|last| self.rows.key(row) <= self.rows.key(last));
        match self.scalars.get_mut(index) {
            Some(scalars) if is_late => scalars.late.push((row, value)),
            Some(scalars) => self.progress.push_to(&mut scalars.column, row, value),
            None => {}
        }
    }

    /// The row of a step, which takes this time: of equal steps the last one counts.
    fn row(&mut self, step: i64, time: f64, likely: u32) -> u32 {
        let row = self.rows.row(StepKey { step: step as f64, repeat: 0 }, likely);
        self.rows.time_mut(row).into_iter().for_each(|known| *known = time);
        row
    }

    /// True for each row that holds something: what a restart replaced may have been all of it.
    fn used_rows(&self) -> Vec<bool> {
        if self.replaces_from.is_none() {
            return vec![true; self.rows.len()];
        }
        let mut is_used = vec![false; self.rows.len()];
        let of_scalars = self.scalars.iter().flat_map(TagScalars::rows);
        let of_histograms = self.histograms.values().flatten().map(|histogram| histogram.row);
        for row in of_scalars.chain(of_histograms) {
            is_used.get_mut(row as usize).into_iter().for_each(|is_used| *is_used = true);
        }
        is_used
    }

    /// Drops what a killed session logged from `step` on.
    fn purge(&mut self, step: i64) {
        let rows = &self.rows;
        let is_kept = |row: u32| rows.key(row).is_some_and(|key| key.step < step as f64);
        self.scalars.iter_mut().for_each(|scalars| scalars.retain(is_kept));
        self.histograms.values_mut().for_each(|list| list.retain(|histogram| is_kept(histogram.row)));
        self.histograms.retain(|_, list| !list.is_empty());
        self.replaces_from = Some(self.replaces_from.map_or(step, |known| known.min(step)));
    }
}

impl TagScalars {
    fn bytes(&self) -> u64 {
        COLUMN_BYTES + self.column.bytes() + (self.late.len() * size_of::<(u32, f64)>()) as u64
    }

    fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        self.column.rows().iter().chain(self.late.iter().map(|(row, _)| *row))
    }

    fn retain(&mut self, is_kept: impl Fn(u32) -> bool) {
        // The steps of its rows rise. Mostly nothing goes.
        if self.column.rows().last().is_some_and(|row| !is_kept(row)) {
            self.column.truncate(self.column.rows().iter().take_while(|row| is_kept(*row)).count());
        }
        self.late.retain(|(row, _)| is_kept(*row));
    }

    /// One value for each row, by row.
    fn into_column(self, rows: &SortedRows) -> Column {
        if self.late.is_empty() {
            return rows.column(self.column);
        }
        let points = self.column.points().chain(self.late);
        let mut points: Vec<(u32, f64)> = points.map(|(row, value)| (rows.number(row), value)).collect();
        points.compact_sort_by_key(|(row, _)| *row);
        // Of equal rows the last one counts.
        points.chunk_by(|a, b| a.0 == b.0).filter_map(<[_]>::last).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::RowNumbers;

    fn build(events: &[(i64, EventItem<'_>)]) -> Run {
        let mut builder = EventRunBuilder::default();
        for (place, (step, item)) in events.iter().enumerate() {
            builder.add(*step, 1e9 + place as f64, item.clone());
        }
        builder.finish().unwrap()
    }

    #[test]
    fn tags_of_one_step_share_a_row_whatever_their_order() {
        let run = build(&[
            (10, EventItem::Scalar("a", 1.0)),
            (20, EventItem::Scalar("a", 2.0)),
            (10, EventItem::Scalar("b", 5.0)),
            (20, EventItem::Scalar("a", 3.0)),
            (0, EventItem::Scalar("b", 4.0)),
        ]);
        assert_eq!(run.row_steps, [0.0, 10.0, 20.0]);
        assert_eq!((run.columns["a"].rows(), run.columns["a"].values()), (RowNumbers::List(&[1, 2]), &[1.0, 3.0][..]));
        assert_eq!((run.columns["b"].rows(), run.columns["b"].values()), (RowNumbers::List(&[0, 1]), &[4.0, 5.0][..]));
        assert_eq!(run.row_times, [1e9 + 4.0, 1e9 + 2.0, 1e9 + 3.0]);
    }

    #[test]
    fn what_sums_up_a_training_is_no_series() {
        let run = build(&[
            (1, EventItem::Scalar("train/loss", 1.0)),
            (2, EventItem::Scalar("train/train_runtime", 60.0)),
            (2, EventItem::Scalar("train/train_loss", 0.5)),
        ]);
        assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["step", "train/loss"]);
        assert_eq!(run.summary.number(&["train_loss"]), Some(("train_loss", 0.5)));
        assert_eq!(run.ending.state, rundown_run::RunState::Finished);
        let of_a_script = build(&[
            (1, EventItem::Scalar("train_runtime", 30.0)),
            (2, EventItem::Scalar("train_runtime", 30.0)),
            (1, EventItem::Scalar("train/train_loss", 0.75)),
            (2, EventItem::Scalar("train/train_loss", 0.5)),
        ]);
        assert_eq!(of_a_script.columns["train/train_loss"].values(), [0.75, 0.5]);
    }

    #[test]
    fn a_session_that_begins_again_replaces_what_follows() {
        let run = build(&[
            (0, EventItem::Start),
            (1, EventItem::Scalar("a", 1.0)),
            (2, EventItem::Scalar("a", 2.0)),
            (3, EventItem::Scalar("a", 3.0)),
            (2, EventItem::Start),
            (2, EventItem::Scalar("a", 20.0)),
        ]);
        assert_eq!(run.columns["a"].values(), [1.0, 20.0]);
        assert_eq!(run.row_steps, [1.0, 2.0]);
    }

    #[test]
    fn sessions_that_replace_nothing_cost_nothing() {
        let scalars = (0..40_000).map(|step| (step, EventItem::Scalar("a", 1.0)));
        let starts = (0..40_000).map(|place| (40_000 + place, EventItem::Start));
        let run = build(&scalars.chain(starts).collect::<Vec<_>>());
        assert_eq!(run.columns["a"].len(), 40_000);
    }
}
