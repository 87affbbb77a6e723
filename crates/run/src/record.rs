//! The run itself. Its serde form is the export of a run (docs/run-export.md): a change of a name here is one of the format.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::warning::exported_warnings;
use super::{
    Artifact, AxisReason, Band, Column, Config, EventLog, Histogram, Log, RowNumbers, RunWarning, STEP_KEYS, Sampling,
    SourceFile, StepAxis, TableFile,
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

    /// The texts of where the run belongs to, and its notes: entity, project, group, job type, sweep, host, notes.
    pub fn texts_mut(&mut self) -> [&mut Option<String>; 7] {
        let Run { entity, project, group, job_type, sweep, host, notes, .. } = self;
        [entity, project, group, job_type, sweep, host, notes]
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
        // A counter that never changes cannot order the rows.
        let from = |key: &str, why: AxisReason| {
            let column = self.columns.get(key)?;
            let axis = StepAxis::from_column(key, why, rows, column.rows(), column.values());
            let axis = axis.filter(|axis| !axis.is_constant())?;
            Some(axis.with_first_rows(column.rows(), &self.row_steps))
        };
        let defined = || {
            let mut rules = self.metric_rules.iter().filter(|rule| rule.step_metric.is_some());
            let rule = rules.clone().find(|rule| rule.name == "*").or_else(|| rules.next())?;
            let key = rule.step_metric.as_deref()?;
            from(key, AxisReason::DefineMetric)
        };
        let known = || STEP_KEYS.iter().find_map(|key| from(key, self.counter_reason(key)));
        let axis = defined().or_else(known).or_else(|| {
            let all = RowNumbers::Range { first: 0, len: rows };
            StepAxis::from_column("_step", AxisReason::RowCount, rows, all, &self.row_steps)
        });
        self.axis = axis.map(|axis| self.count_on(axis)).unwrap_or_default();
    }

    /// Why a counter of this name gives the steps: `step` is also what readers of logs without steps make.
    fn counter_reason(&self, key: &str) -> AxisReason {
        let made = self.warnings.iter().filter(|_| key == "step").find_map(|warning| match warning {
            RunWarning::RowsCounted => Some(AxisReason::RowCount),
            RunWarning::StepsFromProgressBar { .. } => Some(AxisReason::ProgressBar),
            RunWarning::StepsFromCounter { .. } => Some(AxisReason::CoarseCounter),
            _ => None,
        });
        made.unwrap_or(AxisReason::TrainerCounter)
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

named_enum! {
    serde as_str
    /// How a run ended.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum RunState {
        /// Its end was logged as done.
        Finished = "finished",
        /// It still runs.
        Running = "running",
        /// It stopped with an error.
        Crashed = "crashed",
        /// Its tracker marked it as failed.
        Failed = "failed",
        /// It was killed from outside.
        Killed = "killed",
        /// No source shows how it ended.
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
    /// True where someone stopped it from the keyboard (Ctrl-C, or the stop of a notebook), as far as the source says.
    pub interrupted: bool,
    /// True for sources that write an exit record when a run ends well (W&B), so that its absence means something.
    pub expects_exit: bool,
    /// The evidence of the state, in plain sentences.
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
        assert_eq!(run.series("train/reward").unwrap().steps[..], [1.0, 2.0]);
        assert_eq!(run.axis.why, AxisReason::TrainerCounter);
    }

    #[test]
    fn a_constant_counter_is_no_axis() {
        let mut run = Run::default();
        for index in 0..8_u32 {
            let row = run.push_row(f64::from(index), f64::NAN);
            run.push_value("train/global_step", row, 0.0);
            run.push_value("train/reward", row, 0.5);
        }
        run.choose_axis();
        assert_eq!((run.axis.key.as_str(), run.step_range()), ("_step", Some((0.0, 7.0))));
    }

    #[test]
    fn a_step_that_a_reader_made_is_no_trainers() {
        let why = |warning: Option<RunWarning>| {
            let mut run = Run { warnings: warning.into_iter().collect(), ..Run::default() };
            let row = run.push_row(0.0, f64::NAN);
            run.push_value("step", row, 0.25);
            run.choose_axis();
            run.axis.why
        };
        assert_eq!(why(None), AxisReason::TrainerCounter);
        assert_eq!(why(Some(RunWarning::RowsCounted)), AxisReason::RowCount);
        assert_eq!(why(Some(RunWarning::StepsFromCounter { counter: "epoch".to_owned() })), AxisReason::CoarseCounter);
    }
}
