//! The run itself. Its serde form is the export of a run (docs/run-export.md): a change of a name here is one of the format.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::warning::exported_warnings;
use super::{
    Artifact, AxisReason, Band, Column, Config, EventLog, Histogram, Log, RowNumbers, RunWarning, STEP_KEYS, Sampling,
    Series, SourceFile, StepAxis, TableFile,
};
use rundown_format::{exact, named_enum};

/// One training run, whole: everything that its files hold, joined.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Run {
    /// Stable id: W&B's run id, or one made from the file's path.
    pub id: String,
    /// Name to show; not unique.
    pub name: String,
    /// W&B entity (user or team), where known.
    pub entity: Option<String>,
    /// Project, where known.
    pub project: Option<String>,
    /// Group within the project.
    pub group: Option<String>,
    /// Job type.
    pub job_type: Option<String>,
    /// Sweep id.
    pub sweep: Option<String>,
    /// Host that it ran on.
    pub host: Option<String>,
    /// Free text by the user.
    pub notes: Option<String>,
    /// Tags, in order.
    pub tags: Vec<String>,
    /// Unix seconds.
    #[serde(with = "exact::option")]
    pub started_at: Option<f64>,
    /// How it ended, and how that is known.
    pub ending: Ending,
    /// Files that it was read from, in order.
    pub files: Vec<SourceFile>,
    /// For each metric, the files that it came from: places in [`Run::files`], ascending.
    pub origins: BTreeMap<String, Vec<usize>>,
    /// Settings, flat.
    pub config: Config,
    /// Final values as the source summarised them, flat.
    pub summary: Config,
    /// The source's own row counter (`_step`), one for each row, in the order of logging.
    #[serde(with = "exact::list")]
    pub row_steps: Vec<f64>,
    /// Unix seconds of each row, NaN where unknown. As long as `row_steps`.
    #[serde(with = "exact::list")]
    pub row_times: Vec<f64>,
    /// Rows at which the source itself says that another training begins, ascending.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub starts_at: Vec<u32>,
    /// Numeric metrics by key. Booleans are 0 and 1.
    #[serde(rename = "history")]
    pub columns: BTreeMap<String, Column>,
    /// Lowest and highest values behind the points of a metric, where the source has them.
    pub bands: BTreeMap<String, Band>,
    /// Which metrics are not every value that was logged; empty for a run that is complete.
    pub sampling: Vec<Sampling>,
    /// Metrics that the server of the run has and that were not asked for.
    pub unfetched: u64,
    /// The server of the run has files (contents of tables, artifacts) that were not asked for.
    pub unlisted: bool,
    /// Metrics of the machine (W&B's `system.*`): x is [`Run::system_times`].
    pub system: BTreeMap<String, Column>,
    /// Unix seconds of each row of system metrics.
    #[serde(with = "exact::list")]
    pub system_times: Vec<f64>,
    /// Histograms by key.
    pub histograms: BTreeMap<String, Vec<Histogram>>,
    /// Tables in the order of logging.
    pub tables: Vec<TableFile>,
    /// Artifacts that it published, in the order of the source, then files that its server keeps (kind `file`).
    pub artifacts: Vec<Artifact>,
    /// `define_metric` rules, in order.
    pub metric_rules: Vec<MetricRule>,
    /// Console output.
    pub log: Log,
    /// What its event log holds beside numbers.
    pub events: EventLog,
    /// Steps of the rows; set by [`Run::choose_axis`].
    #[serde(skip_deserializing)]
    pub axis: StepAxis,
    /// Peculiarities of the data that the user has to know.
    #[serde(with = "exported_warnings")]
    pub warnings: Vec<RunWarning>,
}

impl Run {
    /// Adds a row and returns its number.
    pub fn push_row(&mut self, step: f64, time: f64) -> u32 {
        let row = self.row_steps.len() as u32;
        self.row_steps.push(step);
        self.row_times.push(time);
        row
    }

    /// Adds a value of `key` in row `row`.
    pub fn push_value(&mut self, key: &str, row: u32, value: f64) {
        match self.columns.get_mut(key) {
            Some(column) => column.push(row, value),
            None => self.columns.entry(key.to_owned()).or_default().push(row, value),
        }
    }

    /// True when every file of a piece was read into this run already.
    pub fn has_files_of(&self, piece: &Run) -> bool {
        piece.files.iter().all(|file| self.files.contains(file))
    }

    /// Merges the texts of where the run belongs to and its notes: `choose` gets the run's own and that of the piece.
    pub fn merge_texts(&mut self, piece: &mut Run, choose: fn(Option<String>, Option<String>) -> Option<String>) {
        let of = |run: &mut Run| {
            let Run { entity, project, group, job_type, sweep, host, notes, .. } = run;
            [entity, project, group, job_type, sweep, host, notes].map(std::mem::take)
        };
        let (own, other) = (of(self), of(piece));
        let mut chosen = own.into_iter().zip(other).map(|(own, other)| choose(own, other));
        let Run { entity, project, group, job_type, sweep, host, notes, .. } = self;
        for text in [entity, project, group, job_type, sweep, host, notes] {
            *text = chosen.next().flatten();
        }
    }

    /// Says of each metric that names no file yet that it comes from the run's first one.
    pub fn note_origins(&mut self) {
        for key in self.columns.keys() {
            if !self.origins.contains_key(key) {
                self.origins.insert(key.clone(), vec![0]);
            }
        }
    }

    /// Settles the step axis: the `define_metric` step metric, a trainer's own counter, or `_step`. Call it when all
    /// rows are in.
    pub fn choose_axis(&mut self) {
        let rows = self.row_steps.len();
        let from = |key: &str, why: AxisReason| {
            let column = self.columns.get(key)?;
            StepAxis::from_column(key, why, rows, column.rows(), column.values())
        };
        let defined = || {
            let mut rules = self.metric_rules.iter().filter(|rule| rule.step_metric.is_some());
            let rule = rules.clone().find(|rule| rule.name == "*").or_else(|| rules.next())?;
            let key = rule.step_metric.as_deref()?;
            from(key, AxisReason::DefineMetric)
        };
        let known = || STEP_KEYS.iter().find_map(|key| from(key, AxisReason::TrainerCounter));
        let axis = defined().or_else(known).or_else(|| {
            let all = RowNumbers::Range { first: 0, len: rows };
            StepAxis::from_column("_step", AxisReason::RowCount, rows, all, &self.row_steps)
        });
        self.axis = axis.map(|axis| self.count_on(axis)).unwrap_or_default();
    }

    /// The series of a metric over the chosen axis, or `None` when it was never logged.
    ///
    /// Steps ascend. Of a metric that was logged for each sample of a step, the mean of the step. After a restart the
    /// later segment replaces the points that it logged again; the number of replaced points is in
    /// [`Series::superseded`].
    pub fn series(&self, key: &str) -> Option<Series> {
        let column = self.columns.get(key)?;
        let mut series = self.in_every_row(column).unwrap_or_else(|| self.as_logged(column));
        if !series.steps.is_sorted() {
            self.arrange(column, &mut series);
        }
        Some(mean_of_samples(series))
    }

    /// The points of a column, as they were logged. Those of rows without a step are left out.
    fn as_logged(&self, column: &Column) -> Series {
        let mut series = Series {
            steps: Vec::with_capacity(column.len()),
            values: Vec::with_capacity(column.len()),
            times: Vec::with_capacity(column.len()),
            superseded: 0,
            printed_quantum: column.quantum(),
        };
        for (row, value) in column.points() {
            let Some(&step) = self.axis.steps.get(row as usize) else { continue };
            series.steps.push(step);
            series.values.push(value);
            series.times.push(self.row_times.get(row as usize).copied().unwrap_or(f64::NAN));
        }
        series
    }

    /// The same of a column that has a value in every row from its first to its last, in a quarter of the time; `None`
    /// for another one.
    fn in_every_row(&self, column: &Column) -> Option<Series> {
        let RowNumbers::Range { first, len } = column.rows() else { return None };
        let range = first as usize..first as usize + len;
        Some(Series {
            steps: self.axis.steps.get(range.clone())?.to_vec(),
            values: column.values().to_vec(),
            times: self.row_times.get(range)?.to_vec(),
            superseded: 0,
            printed_quantum: column.quantum(),
        })
    }

    /// Puts the points of a column, as they were logged, into the order of their steps.
    fn arrange(&self, column: &Column, series: &mut Series) {
        let mut segment = 0;
        let mut boundaries = self.axis.restarts.iter().map(|restart| restart.row).peekable();
        let mut logged = series.values.iter().zip(&series.times);
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

    /// First and last step at which anything was logged.
    pub fn step_range(&self) -> Option<(f64, f64)> {
        let first = self.axis.steps.iter().copied().reduce(f64::min)?;
        let last = self.axis.steps.iter().copied().reduce(f64::max)?;
        Some((first, last))
    }
}

/// Adds the items that are not there yet, in their order.
pub fn add_new<T: PartialEq>(list: &mut Vec<T>, items: impl IntoIterator<Item = T>) {
    for item in items {
        if !list.contains(&item) {
            list.push(item);
        }
    }
}

/// Points a step from which on they are samples of it.
const SAMPLES: usize = 3;

/// The means of the steps, where there are three points of a step or more, such as a row for each rollout. The finite
/// values count; a step without any is NaN.
fn mean_of_samples(series: Series) -> Series {
    let changes = series.steps.windows(2).filter(|pair| pair.first() != pair.last()).count();
    if series.len() < SAMPLES * (changes + 1) || changes == 0 {
        return series;
    }
    let mut means = Series { superseded: series.superseded, printed_quantum: None, ..Series::default() };
    let mut from = 0;
    for samples in series.steps.chunk_by(|a, b| a == b) {
        let range = from..from + samples.len();
        from = range.end;
        let values = series.values.get(range.clone()).unwrap_or_default().iter().filter(|value| value.is_finite());
        let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
        means.steps.extend(samples.first());
        means.values.push(if count > 0.0 { sum / count } else { f64::NAN });
        means.times.extend(series.times.get(range).and_then(<[f64]>::last));
    }
    means
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

named_enum! {
    serde as_str
    /// How a run ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum RunState {
        /// It said that it was done.
        Finished = "finished",
        /// It still runs.
        Running = "running",
        /// It stopped with an error.
        Crashed = "crashed",
        /// Its tracker marked it as failed.
        Failed = "failed",
        /// It was killed from outside.
        Killed = "killed",
        /// Nothing says how it ended.
        #[default]
        #[serde(other)]
        Unknown = "unknown",
    }
}

/// The state of a run with its evidence.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ending {
    /// The state.
    pub state: RunState,
    /// Exit code, where the source has an exit record.
    pub exit_code: Option<i32>,
    /// True for sources that write an exit record when a run ends well (W&B), so that its absence means something.
    pub expects_exit: bool,
    /// What says so, in plain sentences.
    pub evidence: Vec<String>,
}

/// One `define_metric` rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MetricRule {
    /// Metric name, or a pattern that ends in `*`.
    pub name: String,
    /// The metric that gives its x axis.
    pub step_metric: Option<String>,
    /// `Some(true)` when more is better, as the run says.
    pub maximise: Option<bool>,
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
        assert_eq!(series.steps, [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(series.values, [1.0, 20.0, 30.0, 40.0]);
        assert_eq!(series.superseded, 2);
        assert_eq!(run.axis.restarts.len(), 1);
    }

    #[test]
    fn a_key_logged_twice_in_one_step_keeps_both_values() {
        let series = run(&[1.0, 1.0, 2.0], &[1.0, 9.0, 2.0]).series("reward").unwrap();
        assert_eq!(series.values, [1.0, 9.0, 2.0]);
    }

    #[test]
    fn many_points_of_a_step_are_its_samples() {
        let series =
            run(&[1.0, 1.0, 1.0, 2.0, 2.0, 2.0], &[0.0, 1.0, f64::NAN, 1.0, 1.0, 0.25]).series("reward").unwrap();
        assert_eq!((series.steps, series.values), (vec![1.0, 2.0], vec![0.5, 0.75]));
    }

    #[test]
    fn unsorted_rows_are_sorted() {
        let series = run(&[3.0, 2.0, 1.0], &[3.0, 2.0, 1.0]).series("reward").unwrap();
        assert_eq!(series.steps, [1.0, 2.0, 3.0]);
        assert_eq!(series.superseded, 0);
    }

    #[test]
    fn the_trainers_counter_beats_wandbs() {
        let mut run = Run::default();
        for index in 0..4_u32 {
            let row = run.push_row(f64::from(index), f64::NAN);
            if index % 2 == 1 {
                run.push_value("train/global_step", row, f64::from(index / 2 + 1));
                run.push_value("train/reward", row, 0.5);
            }
        }
        run.choose_axis();
        assert_eq!(run.axis.key, "train/global_step");
        assert_eq!(run.series("train/reward").unwrap().steps, [1.0, 2.0]);
        assert_eq!(run.axis.why, AxisReason::TrainerCounter);
    }
}
