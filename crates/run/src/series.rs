//! A metric over the run's step axis, as checks, charts and reports read it.

use std::borrow::Cow;

use super::{Column, RowNumbers, Run};

/// Points a step from which on they are samples of it.
const SAMPLES_PER_STEP: usize = 3;

/// One metric over steps: three columns of equal length, steps ascending.
///
/// A step may occur twice in a row when a program logged a key twice in one step; points that a restarted run
/// logged again are already replaced by the later ones (see [`super::Run::series`]).
///
/// Of a metric that was logged in every row, its columns are those of the run: a diagnosis looks at dozens of metrics at
/// once, and their copies took more memory than the run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series<'r> {
    /// Position on the run's step axis.
    pub steps: Cow<'r, [f64]>,
    /// Logged values; may hold NaN and infinities.
    pub values: Cow<'r, [f64]>,
    /// Unix seconds, NaN where the source had no time.
    pub times: Cow<'r, [f64]>,
    /// Points that a later one replaced after a restart.
    pub superseded: usize,
    /// The resolution at which the source printed the values, where it says so.
    pub printed_quantum: Option<f64>,
}

impl Series<'_> {
    /// A series from steps and values, without times.
    #[cfg(any(test, feature = "testing"))]
    pub fn new(steps: Vec<f64>, values: Vec<f64>) -> Self {
        let times = vec![f64::NAN; values.len()];
        Self { steps: steps.into(), values: values.into(), times: times.into(), superseded: 0, printed_quantum: None }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True when there is no point.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Last step, if any.
    pub fn last_step(&self) -> Option<f64> {
        self.steps.last().copied()
    }

    /// The same series without its NaN and infinite points.
    pub fn finite(self) -> Self {
        if self.values.iter().all(|value| value.is_finite()) {
            return self;
        }
        let of_finite = |list: &[f64]| -> Vec<f64> {
            list.iter().zip(self.values.iter()).filter(|(_, value)| value.is_finite()).map(|(item, _)| *item).collect()
        };
        let (steps, times, values) = (of_finite(&self.steps), of_finite(&self.times), of_finite(&self.values));
        Self { steps: steps.into(), values: values.into(), times: times.into(), ..self }
    }
}

impl Run {
    /// The series of a metric over the chosen axis, or `None` when it was never logged.
    ///
    /// Steps ascend. Of a metric that was logged for each sample of a step, the mean of the step. After a restart the
    /// later segment replaces the points that it logged again; the number of replaced points is in
    /// [`Series::superseded`].
    pub fn series(&self, key: &str) -> Option<Series<'_>> {
        let column = self.columns.get(key)?;
        let mut series = self.in_every_row(column).unwrap_or_else(|| self.as_logged(column));
        if !series.steps.is_sorted() {
            self.arrange(column, &mut series);
        }
        Some(mean_of_samples(series))
    }

    /// The points of a column, as they were logged. Those of rows without a step are left out.
    fn as_logged(&self, column: &Column) -> Series<'_> {
        let empty = || Vec::with_capacity(column.len());
        let (mut steps, mut values, mut times) = (empty(), empty(), empty());
        for (row, value) in column.points() {
            let Some(&step) = self.axis.steps.get(row as usize) else { continue };
            steps.push(step);
            values.push(value);
            times.push(self.row_times.get(row as usize).copied().unwrap_or(f64::NAN));
        }
        let (steps, values, times) = (steps.into(), values.into(), times.into());
        Series { steps, values, times, superseded: 0, printed_quantum: column.quantum() }
    }

    /// The same of a column that has a value in every row from its first to its last, without a copy; `None` for another
    /// one.
    fn in_every_row<'r>(&'r self, column: &'r Column) -> Option<Series<'r>> {
        let RowNumbers::Range { first, len } = column.rows() else { return None };
        let range = first as usize..first as usize + len;
        Some(Series {
            steps: self.axis.steps.get(range.clone())?.into(),
            values: column.values().into(),
            times: self.row_times.get(range)?.into(),
            superseded: 0,
            printed_quantum: column.quantum(),
        })
    }

    /// Puts the points of a column, as they were logged, into the order of their steps.
    fn arrange(&self, column: &Column, series: &mut Series<'_>) {
        let mut segment = 0;
        let mut boundaries = self.axis.restarts.iter().map(|restart| restart.row).peekable();
        let mut logged = series.values.iter().zip(series.times.iter());
        let mut points: Vec<SeriesPoint> = Vec::with_capacity(series.len());
        for row in column.rows().iter() {
            while boundaries.next_if(|boundary| *boundary <= row).is_some() {
                segment += 1;
            }
            let Some(&step) = self.axis.steps.get(row as usize) else { continue };
            points.extend(logged.next().map(|(value, time)| SeriesPoint { step, value: *value, time: *time, segment }));
        }
        points.sort_by(|a, b| a.step.total_cmp(&b.step).then(a.segment.cmp(&b.segment)));
        keep_last_segment(&mut points);
        series.superseded = series.len() - points.len();
        series.steps = points.iter().map(|point| point.step).collect();
        series.values = points.iter().map(|point| point.value).collect();
        series.times = points.iter().map(|point| point.time).collect();
    }
}

/// The means of the steps, where there are three points of a step or more, such as a row for each rollout. The finite
/// values count; a step without any is NaN.
fn mean_of_samples(series: Series<'_>) -> Series<'_> {
    let changes = series.steps.windows(2).filter(|pair| pair.first() != pair.last()).count();
    if series.len() < SAMPLES_PER_STEP * (changes + 1) || changes == 0 {
        return series;
    }
    let (mut steps, mut means, mut times) = (Vec::new(), Vec::new(), Vec::new());
    let mut from = 0;
    for samples in series.steps.chunk_by(|a, b| a == b) {
        let range = from..from + samples.len();
        from = range.end;
        let values = series.values.get(range.clone()).unwrap_or_default().iter().filter(|value| value.is_finite());
        let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
        steps.extend(samples.first());
        means.push(if count > 0.0 { sum / count } else { f64::NAN });
        times.extend(series.times.get(range).and_then(<[f64]>::last));
    }
    let (steps, values, times) = (steps.into(), means.into(), times.into());
    Series { steps, values, times, superseded: series.superseded, printed_quantum: None }
}

struct SeriesPoint {
    step: f64,
    value: f64,
    time: f64,
    segment: u32,
}

/// Of points on the same step, keeps those of the last segment. Expects them sorted by step, then segment.
fn keep_last_segment(points: &mut Vec<SeriesPoint>) {
    let mut kept: Vec<SeriesPoint> = Vec::with_capacity(points.len());
    for point in points.drain(..) {
        while kept.last().is_some_and(|last| last.step == point.step && last.segment < point.segment) {
            kept.pop();
        }
        kept.push(point);
    }
    *points = kept;
}

/// Sorts points by place; those of one place keep their order. Shared by all callers, because a sort is compiled anew at each
/// place that calls it (docs/decisions/compact-sort.md).
pub fn sort_points(points: &mut [(f64, f64)]) {
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(steps: &[f64], values: &[f64]) -> Run {
        let mut run = Run::default();
        for (step, value) in steps.iter().zip(values) {
            let row = run.push_row(*step, f64::NAN);
            run.push_value("reward", row, *value);
        }
        run.choose_axis();
        run
    }

    #[test]
    fn a_restart_replaces_what_it_logged_again() {
        let run = run(&[1.0, 2.0, 3.0, 2.0, 3.0, 4.0], &[1.0, 2.0, 3.0, 20.0, 30.0, 40.0]);
        let series = run.series("reward").unwrap();
        assert_eq!(series.steps[..], [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(series.values[..], [1.0, 20.0, 30.0, 40.0]);
        assert_eq!(series.superseded, 2);
        assert_eq!(run.axis.restarts.len(), 1);
    }

    #[test]
    fn a_key_logged_twice_in_one_step_keeps_both_values() {
        let twice = run(&[1.0, 1.0, 2.0], &[1.0, 9.0, 2.0]);
        let series = twice.series("reward").unwrap();
        assert_eq!(series.values[..], [1.0, 9.0, 2.0]);
    }

    #[test]
    fn many_points_of_a_step_are_its_samples() {
        let samples = run(&[1.0, 1.0, 1.0, 2.0, 2.0, 2.0], &[0.0, 1.0, f64::NAN, 1.0, 1.0, 0.25]);
        let series = samples.series("reward").unwrap();
        assert_eq!((&series.steps[..], &series.values[..]), (&[1.0, 2.0][..], &[0.5, 0.75][..]));
    }

    #[test]
    fn what_was_logged_in_every_row_is_not_copied() {
        let every = run(&[1.0, 2.0, 3.0], &[0.5, 0.75, 1.0]);
        let series = every.series("reward").unwrap().finite();
        for (list, of_run) in [(series.steps, &every.axis.steps[..]), (series.values, every.columns["reward"].values())]
        {
            assert!(matches!(list, Cow::Borrowed(list) if std::ptr::eq(list, of_run)));
        }
        let gap = run(&[1.0, 2.0, 3.0], &[0.5, f64::NAN, 1.0]);
        let series = gap.series("reward").unwrap().finite();
        assert_eq!((&series.steps[..], &series.values[..]), (&[1.0, 3.0][..], &[0.5, 1.0][..]));
        assert_eq!(series.times.len(), 2);
    }

    #[test]
    fn unsorted_rows_are_sorted() {
        let backwards = run(&[3.0, 2.0, 1.0], &[3.0, 2.0, 1.0]);
        let series = backwards.series("reward").unwrap();
        assert_eq!(series.steps[..], [1.0, 2.0, 3.0]);
        assert_eq!(series.superseded, 0);
    }
}
