//! Events become a run: one row for each step, so that tags logged at one step stand in one row.
//!
//! Tags come one by one and in any order of steps; of a tag that is logged twice at a step the later value counts.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::event::EventItem;
use super::text;
use crate::budget::{COLUMN_BYTES, Kept};
use rundown_run::{Column, ConfigValue, Histogram, Run};

/// A column that only [`crate::RunAssembler`] sees: the step from which on this file replaces earlier ones.
pub(crate) const REPLACES_FROM: &str = "\0replaces_from";

/// What the Hugging Face Trainer logs once, at the end, to sum up the training.
const TOTALS: [&str; 5] = [
    "train/train_runtime",
    "train/train_samples_per_second",
    "train/train_steps_per_second",
    "train/total_flos",
    "train/train_loss",
];

/// Collects what events bring.
#[derive(Debug, Default)]
pub(crate) struct EventRunBuilder {
    tags: FxHashMap<String, usize>,
    /// Step and value of each number of a tag.
    series: Vec<Vec<(i64, f64)>>,
    histograms: BTreeMap<String, Vec<(i64, Histogram)>>,
    /// Bins of all histograms.
    bins: usize,
    /// Time of each step, in the order of logging.
    times: Vec<(i64, f64)>,
    run: Run,
    replaces_from: Option<i64>,
}

impl EventRunBuilder {
    pub(crate) fn add(&mut self, step: i64, time: f64, item: EventItem<'_>) {
        match item {
            EventItem::Start => self.purge(step),
            EventItem::Scalar(tag, value) => {
                self.at(step, time);
                if let Some(series) = self.series_of(tag) {
                    series.push((step, value));
                }
            }
            EventItem::Histogram(tag, histogram) => {
                self.at(step, time);
                self.bins += histogram.counts.len();
                self.histograms.entry(tag.to_owned()).or_default().push((step, histogram));
            }
            EventItem::Text(tag, bytes) => text::settings(tag, bytes, &mut self.run.config),
            EventItem::Setting(key, value) => self.run.config.insert(key, value),
        }
    }

    /// What the values take.
    pub(crate) fn kept(&self) -> Kept {
        let values: usize = self.series.iter().map(Vec::len).sum();
        Kept::bytes(16 * (values + self.times.len() + self.bins) + self.tags.len() * COLUMN_BYTES as usize)
    }

    /// The run, or `None` when the events hold nothing.
    pub(crate) fn finish(self) -> Option<Run> {
        let mut series = self.series;
        let mut run = self.run;
        let mut steps: Vec<i64> = series.iter().flatten().map(|(step, _)| *step).collect();
        steps.extend(self.histograms.values().flatten().map(|(step, _)| *step));
        steps.sort();
        steps.dedup();
        if steps.is_empty() && run.config.is_empty() {
            return None;
        }
        run.row_steps = steps.iter().map(|step| *step as f64).collect();
        run.row_times = vec![f64::NAN; steps.len()];
        let row_of = |step: i64| steps.binary_search(&step).ok();
        for (step, time) in self.times {
            if let Some(place) = row_of(step).and_then(|row| run.row_times.get_mut(row)) {
                *place = time;
            }
        }
        let rows: Column = (0..).zip(run.row_steps.iter().copied()).collect();
        for (tag, index) in self.tags {
            let Some(mut points) = series.get_mut(index).map(std::mem::take) else { continue };
            points.sort_by_key(|(step, _)| *step);
            // Of equal steps the last one counts.
            let last = points.chunk_by(|a, b| a.0 == b.0).filter_map(<[_]>::last);
            let column: Column = last.filter_map(|(step, value)| Some((row_of(*step)? as u32, *value))).collect();
            if !column.is_empty() {
                run.columns.insert(tag, column);
            }
        }
        if run.columns.contains_key("train/train_runtime") {
            for tag in TOTALS {
                let total = run.columns.remove(tag).and_then(|column| column.last());
                if let (Some(total), Some(name)) = (total, tag.strip_prefix("train/")) {
                    run.summary.insert(name, ConfigValue::Number(total));
                }
            }
        }
        if !rows.is_empty() {
            run.columns.entry("step".to_owned()).or_insert(rows);
        }
        for (tag, mut list) in self.histograms {
            list.sort_by_key(|(step, _)| *step);
            let placed = list
                .into_iter()
                .filter_map(|(step, histogram)| row_of(step).map(|row| Histogram { row: row as u32, ..histogram }));
            run.histograms.insert(tag, placed.collect());
        }
        run.started_at = run.row_times.iter().copied().filter(|time| time.is_finite()).reduce(f64::min);
        if let Some(step) = self.replaces_from {
            run.push_value(REPLACES_FROM, 0, step as f64);
        }
        Some(run)
    }

    fn at(&mut self, step: i64, time: f64) {
        if self.times.last() != Some(&(step, time)) {
            self.times.push((step, time));
        }
    }

    fn series_of(&mut self, tag: &str) -> Option<&mut Vec<(i64, f64)>> {
        let index = match self.tags.get(tag) {
            Some(index) => *index,
            None => {
                self.tags.insert(tag.to_owned(), self.series.len());
                self.series.push(Vec::new());
                self.series.len() - 1
            }
        };
        self.series.get_mut(index)
    }

    /// Drops what a killed session logged from `step` on.
    fn purge(&mut self, step: i64) {
        self.series.iter_mut().for_each(|series| series.retain(|(at, _)| *at < step));
        self.histograms.values_mut().for_each(|list| list.retain(|(at, _)| *at < step));
        self.histograms.retain(|_, list| !list.is_empty());
        self.replaces_from = Some(self.replaces_from.map_or(step, |known| known.min(step)));
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
}
