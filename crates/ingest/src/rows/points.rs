//! Points without rows: each metric came by itself, with steps of its own, and rows are made of equal steps.
//!
//! MLflow keeps a file for each metric, TensorBoard downloads one for each tag, W&B exports one for each chart. In a
//! run all metrics share the rows, so that a point of one lies beside the point of another at the same step.

use super::columns::ColumnsByName;
use super::step_rows::{StepKey, StepRows};
use crate::budget::{MemoryUse, VALUE_BYTES};
use rundown_run::{Band, Column, Run};
use rundown_stats::CompactSort;

/// Where a value goes within a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum PointPart {
    /// The metric itself.
    Value,
    /// The low edge of its band.
    Low,
    /// The high edge of its band.
    High,
}

/// Collects points in any order.
#[derive(Debug, Default)]
pub(crate) struct PointCollector {
    names: ColumnsByName,
    metrics: Vec<MetricColumns>,
    rows: StepRows,
    /// Points whose step lies before the last one of their metric.
    late: Vec<MetricPoint>,
    points: usize,
}

/// The points of a metric, by ascending steps.
#[derive(Debug, Default)]
struct MetricColumns {
    values: Column,
    band: Band,
}

#[derive(Debug, Clone, Copy)]
struct MetricPoint {
    metric: usize,
    part: PointPart,
    step: f64,
    time: f64,
    value: f64,
}

impl PointCollector {
    /// Number of points so far.
    pub(crate) fn len(&self) -> usize {
        self.points
    }

    /// What the points take.
    pub(crate) fn memory_use(&self) -> MemoryUse {
        let points = self.points * VALUE_BYTES as usize + self.late.len() * size_of::<MetricPoint>();
        self.names.memory_use() + MemoryUse::bytes(points + self.rows.bytes())
    }

    /// Adds a point. `time` is in Unix seconds, NaN where unknown. A point without a finite step is no point.
    pub(crate) fn push(&mut self, key: &str, part: PointPart, step: f64, time: f64, value: f64) {
        let metric = self.metric(key);
        self.push_point(MetricPoint { metric, part, step, time, value });
    }

    /// Adds every point of a run, its steps taken from `row_steps`.
    pub(crate) fn add_run(&mut self, run: Run) {
        let values = run.columns.into_iter().map(|(key, column)| (key, PointPart::Value, column));
        let edges = run
            .bands
            .into_iter()
            .flat_map(|(key, Band { low, high })| [(key.clone(), PointPart::Low, low), (key, PointPart::High, high)]);
        for (key, part, column) in values.chain(edges) {
            let metric = self.metric(&key);
            let known = self.metrics.get_mut(metric).map(|metric| metric.part_mut(part));
            // Of a metric in many pieces, exact room for each would move it each time.
            if let Some(known) = known.filter(|known| known.is_empty()) {
                known.make_room(column.len());
            }
            for (row, value) in column.points() {
                let step = run.row_steps.get(row as usize).copied().unwrap_or(f64::NAN);
                let time = run.row_times.get(row as usize).copied().unwrap_or(f64::NAN);
                self.push_point(MetricPoint { metric, part, step, time, value });
            }
        }
    }

    /// A run with one row for each different step, ascending; a step that one metric has twice has two rows. The time of
    /// a row is the earliest of its points.
    pub(crate) fn into_run(mut self) -> Run {
        self.add_late_points();
        let rows = self.rows.sorted(|_| true);
        let mut run = Run::default();
        for (name, MetricColumns { values, band }) in self.names.names().zip(self.metrics) {
            if !values.is_empty() {
                run.columns.insert(name.to_owned(), rows.column(values));
            }
            if !band.low.is_empty() || !band.high.is_empty() {
                let band = Band { low: rows.column(band.low), high: rows.column(band.high) };
                run.bands.insert(name.to_owned(), band);
            }
        }
        Run { row_steps: rows.steps, row_times: rows.times, ..run }
    }

    /// Number of the metric of this name, made when it is new; one that has no columns where that would be too many.
    fn metric(&mut self, key: &str) -> usize {
        let metric = self.names.named(key);
        if metric == self.metrics.len() {
            self.metrics.push(MetricColumns::default());
        }
        metric
    }

    fn push_point(&mut self, point: MetricPoint) {
        if !point.step.is_finite() {
            return;
        }
        // Adding zero makes -0 to 0, so that both are one step.
        let step = point.step + 0.0;
        let Some(metric) = self.metrics.get_mut(point.metric) else { return };
        self.points += 1;
        let last = metric.part_mut(point.part).rows().last();
        let last = last.and_then(|row| Some((row, self.rows.key(row)?)));
        let (repeat, likely) = match last {
            Some((_, last)) if step < last.step => return self.late.push(MetricPoint { step, ..point }),
            Some((row, last)) if step == last.step => (last.repeat + 1, row + 1),
            Some((row, _)) => (0, row + 1),
            None => (0, 0),
        };
        self.add_to_row(StepKey { step, repeat }, likely, point);
    }

    /// Adds the points that came late: behind those that their metric already has at the same step.
    fn add_late_points(&mut self) {
        let mut late = std::mem::take(&mut self.late);
        late.compact_sort_by(|a, b| (a.metric, a.part).cmp(&(b.metric, b.part)).then(a.step.total_cmp(&b.step)));
        for points in late.chunk_by(|a, b| (a.metric, a.part) == (b.metric, b.part)) {
            let Some(MetricPoint { metric, part, .. }) = points.first().copied() else { continue };
            let Some(metric) = self.metrics.get_mut(metric) else { continue };
            let in_time: Vec<u32> = metric.part_mut(part).rows().iter().collect();
            for equal in points.chunk_by(|a, b| a.step == b.step) {
                let Some(step) = equal.first().map(|point| point.step) else { continue };
                let step_of = |row: &u32| self.rows.key(*row).map_or(f64::NAN, |key| key.step);
                let before = in_time.partition_point(|row| step_of(row) < step);
                let up_to = in_time.partition_point(|row| step_of(row) <= step);
                for (repeat, point) in ((up_to - before) as u32..).zip(equal) {
                    self.add_to_row(StepKey { step, repeat }, u32::MAX, *point);
                }
            }
        }
    }

    /// Adds a point to the row of a key.
    fn add_to_row(&mut self, key: StepKey, likely: u32, point: MetricPoint) {
        let row = self.rows.row(key, likely);
        if let Some(time) = self.rows.time_mut(row) {
            *time = time.min(point.time);
        }
        if let Some(metric) = self.metrics.get_mut(point.metric) {
            metric.part_mut(point.part).push(row, point.value);
        }
    }
}

impl MetricColumns {
    fn part_mut(&mut self, part: PointPart) -> &mut Column {
        match part {
            PointPart::Value => &mut self.values,
            PointPart::Low => &mut self.band.low,
            PointPart::High => &mut self.band.high,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use proptest::prelude::*;
    use rundown_run::RowNumbers;

    #[test]
    fn equal_steps_share_a_row_and_repeated_ones_have_their_own() {
        let mut points = PointCollector::default();
        for (key, step, value) in [("b", 2.0, 20.0), ("a", 1.0, 1.0), ("a", 2.0, 2.0), ("a", 2.0, 3.0), ("b", 0.0, 0.5)]
        {
            points.push(key, PointPart::Value, step, 1.79e9 + step, value);
        }
        points.push("a", PointPart::High, 2.0, f64::NAN, 9.0);
        points.push("a", PointPart::Value, f64::NAN, f64::NAN, 9.0);
        let run = points.into_run();
        assert_eq!(run.row_steps, [0.0, 1.0, 2.0, 2.0]);
        assert_eq!(run.row_times, [1.79e9, 1.79e9 + 1.0, 1.79e9 + 2.0, 1.79e9 + 2.0]);
        assert_eq!(
            (run.columns["a"].rows(), run.columns["a"].values()),
            (RowNumbers::List(&[1, 2, 3]), &[1.0, 2.0, 3.0][..])
        );
        assert_eq!(run.columns["b"].rows(), [0, 2]);
        assert_eq!(run.bands["a"].high.rows(), [2]);
    }

    #[test]
    fn the_time_of_a_row_is_the_earliest_of_its_points() {
        let mut points = PointCollector::default();
        for (key, time) in [("a", f64::NAN), ("b", 1.79e9), ("c", 1.78e9), ("d", f64::NAN)] {
            points.push(key, PointPart::Value, 1.0, time, 0.5);
        }
        assert_eq!(points.into_run().row_times, [1.78e9]);
    }

    proptest! {
        #[test]
        fn points_are_kept_in_the_order_of_their_steps(
            added in prop::collection::vec((0_usize..3, 0_u8..3, 0_u32..8), 0..60)
        ) {
            let parts = [PointPart::Value, PointPart::Low, PointPart::High];
            let mut points = PointCollector::default();
            let mut wanted: BTreeMap<(usize, PointPart), Vec<(f64, f64)>> = BTreeMap::new();
            for (place, (metric, part, step)) in added.iter().enumerate() {
                let (part, step) = (parts[*part as usize], f64::from(*step));
                points.push(["a", "b", "c"][*metric], part, step, f64::NAN, place as f64);
                wanted.entry((*metric, part)).or_default().push((step, place as f64));
            }
            let mut again = PointCollector::default();
            let mut run = points.into_run();
            again.add_run(run.clone());
            prop_assert!(again.into_run().is_same(&mut run), "a run that is added alone stays as it is");

            for ((metric, part), mut wanted) in wanted {
                wanted.sort_by(|a, b| a.0.total_cmp(&b.0));
                let name = ["a", "b", "c"][metric];
                let column = match part {
                    PointPart::Value => &run.columns[name],
                    PointPart::Low => &run.bands[name].low,
                    PointPart::High => &run.bands[name].high,
                };
                let found: Vec<(f64, f64)> =
                    column.points().map(|(row, value)| (run.row_steps[row as usize], value)).collect();
                prop_assert_eq!(found, wanted);
                prop_assert!(column.rows().iter().is_sorted_by(|a, b| a < b), "each point has a row of its own");
            }
        }
    }
}
