//! Points without rows: each metric came by itself, with steps of its own, and rows are made of equal steps.
//!
//! MLflow keeps a file for each metric, TensorBoard downloads one for each tag, W&B exports one for each chart. In a
//! run all metrics share the rows, so that a point of one lies beside the point of another at the same step.

use std::collections::BTreeMap;

use super::columns::ColumnsByName;
use crate::budget::Kept;
use rundown_run::{Band, Run};

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
    points: Vec<MetricPoint>,
}

#[derive(Debug, Clone, Copy)]
struct MetricPoint {
    step: f64,
    time: f64,
    value: f64,
    column: usize,
    part: PointPart,
    /// How often this column had this step before: a metric may log a step twice.
    repeat: u32,
}

impl PointCollector {
    /// Number of points so far.
    pub(crate) fn len(&self) -> usize {
        self.points.len()
    }

    /// What the points take.
    pub(crate) fn kept(&self) -> Kept {
        self.names.kept() + Kept::bytes(self.points.len() * size_of::<MetricPoint>())
    }

    /// Adds a point. `time` is in Unix seconds, NaN where unknown. A point without a finite step is no point.
    pub(crate) fn push(&mut self, key: &str, part: PointPart, step: f64, time: f64, value: f64) {
        if step.is_finite() {
            let column = self.names.named(key);
            // Adding zero makes -0 to 0, so that both are one step.
            self.points.push(MetricPoint { step: step + 0.0, time, value, column, part, repeat: 0 });
        }
    }

    /// Adds every point of a run, its steps taken from `row_steps`.
    pub(crate) fn add_run(&mut self, run: &Run) {
        let at = |row: u32| {
            let step = run.row_steps.get(row as usize).copied().unwrap_or(f64::NAN);
            (step, run.row_times.get(row as usize).copied().unwrap_or(f64::NAN))
        };
        let values = run.columns.iter().map(|(key, column)| (key, PointPart::Value, column));
        let edges = run
            .bands
            .iter()
            .flat_map(|(key, band)| [(key, PointPart::Low, &band.low), (key, PointPart::High, &band.high)]);
        for (key, part, column) in values.chain(edges) {
            for (row, value) in column.points() {
                let (step, time) = at(row);
                self.push(key, part, step, time, value);
            }
        }
    }

    /// A run with one row for each different step, ascending; a step that one metric has twice has two rows.
    pub(crate) fn into_run(mut self) -> Run {
        self.points.sort_by(|a, b| (a.column, a.part).cmp(&(b.column, b.part)).then(a.step.total_cmp(&b.step)));
        let mut before: Option<MetricPoint> = None;
        for point in &mut self.points {
            point.repeat = match before {
                Some(last) if (last.column, last.part, last.step) == (point.column, point.part, point.step) => {
                    last.repeat + 1
                }
                _ => 0,
            };
            before = Some(*point);
        }
        let order = |point: &MetricPoint| (point.repeat, point.column, point.part);
        self.points.sort_by(|a, b| a.step.total_cmp(&b.step).then_with(|| order(a).cmp(&order(b))));

        let mut run = Run::default();
        let mut bands: BTreeMap<String, Band> = BTreeMap::new();
        let mut columns = ColumnsByName::default();
        let targets: Vec<usize> = self.names.names().map(|name| columns.named(name)).collect();
        let mut row = 0;
        let mut last = None;
        for point in self.points {
            if last != Some((point.step, point.repeat)) {
                row = run.push_row(point.step, f64::NAN);
                last = Some((point.step, point.repeat));
            }
            if let Some(time) = run.row_times.last_mut()
                && time.is_nan()
            {
                *time = point.time;
            }
            match point.part {
                PointPart::Value => {
                    targets.get(point.column).into_iter().for_each(|target| columns.push(*target, row, point.value));
                }
                PointPart::Low => band_of(&mut bands, self.names.name(point.column)).low.push(row, point.value),
                PointPart::High => band_of(&mut bands, self.names.name(point.column)).high.push(row, point.value),
            }
        }
        Run { columns: columns.into_map(), bands, ..run }
    }
}

fn band_of<'b>(bands: &'b mut BTreeMap<String, Band>, name: &str) -> &'b mut Band {
    if !bands.contains_key(name) {
        bands.insert(name.to_owned(), Band::default());
    }
    bands.entry(name.to_owned()).or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
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
}
