//! What a user has to know about the data of a run: where it was replaced, estimated, sampled or left out.

use serde::{Deserialize, Serialize};

/// A peculiarity of the data of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunWarning {
    /// The run was restarted: event files of the restart replace what had been logged from step `from` to step `to`.
    Restarted {
        /// First step of the restart.
        from: f64,
        /// Last step before it.
        to: f64,
    },
    /// The file holds several starts of the training, and this run is one of them.
    OneOfStarts {
        /// Which one, from 1.
        start: usize,
        /// How many there are.
        of: usize,
    },
    /// The file holds several trainings, each behind a command or a heading of its own, and this run is one of them.
    OneOfCommands {
        /// Which one, from 1.
        start: usize,
        /// How many there are.
        of: usize,
    },
    /// The file holds what several jobs printed at the same time, and this run is one of them.
    OneOfJobs {
        /// Which one, from 1.
        job: usize,
        /// How many there are.
        of: usize,
    },
    /// The step counter goes back to its first step again and again, after a few steps each time.
    ShortStarts {
        /// How often it goes back.
        times: usize,
        /// The step that it goes back to.
        first: f64,
        /// The highest step that was reached.
        highest: f64,
    },
    /// A second log continues the run from a checkpoint, so that the run was restarted at this step.
    LogContinued {
        /// First step of the second log.
        from: f64,
    },
    /// The run's own file ends early, and another file continues it.
    HistoryContinued {
        /// Path of the other file.
        file: String,
        /// First step that comes from it, where the axis has one.
        from: Option<f64>,
    },
    /// Values of a joined file were left out, because the run has no row at their steps.
    ValuesWithoutRow {
        /// How many.
        values: usize,
        /// Path of the joined file.
        file: String,
    },
    /// The log names no steps: rows at even distances were assumed over the steps of the progress bar.
    StepsFromProgressBar {
        /// Rows of the log.
        rows: usize,
        /// Steps of the progress bar.
        steps: u64,
        /// Assumed distance of two rows.
        every: u64,
    },
    /// The log names no steps: the rows are counted instead.
    RowsCounted,
    /// Each row was written several times, with nothing new but the step: only the first of each counts.
    RowsRepeated {
        /// How often, in most places.
        each: usize,
        /// Rows that are left.
        kept: usize,
    },
    /// W&B kept only the first characters of lines of metrics: the metrics behind them are missing.
    LinesCut {
        /// How many lines.
        lines: usize,
    },
    /// No steps were logged: a counter of something larger, such as the epoch, is taken for them.
    StepsFromCounter {
        /// Its metric.
        counter: String,
    },
    /// The source has one row a run, without a history.
    FinalValuesOnly,
    /// The source is the export of a W&B chart, whose points may be samples or averages.
    ChartExport {
        /// True where each point is the mean of several runs.
        grouped: bool,
    },
    /// Only a JSON report of the run is there, with thinned curves.
    ReportOnly,
    /// The server returned buckets of a metric instead of its values.
    Bucketed {
        /// The metric.
        key: String,
        /// Logged values.
        values: u64,
        /// Returned buckets.
        buckets: u64,
    },
    /// Rows of a supervised fine-tuning before the training with a reward, under the same names.
    FineTuningLeftOut {
        /// Rows that are left out.
        rows: usize,
    },
    /// The server returned a sample of the metrics of the machine.
    SystemMetricsSampled,
    /// The server does not return system metrics or console lines.
    SystemMetricsUnavailable,
    /// The server returned fewer rows of a step than it counts: what came is a sample.
    RowsOfStepMissing,
    /// The server's answers made more requests necessary than are sent: what came is a sample.
    RequestLimit,
    /// The download was interrupted.
    HistoryIncomplete {
        /// Requests that were not sent.
        requests: usize,
    },
    /// The run has more tables than are kept.
    TablesLimited,
    /// The run has more files than are listed.
    FilesLimited,
    /// The server does not list files and artifacts.
    FilesNotListed,
    /// The server did not return some tables.
    TablesMissing {
        /// How many.
        tables: u32,
    },
    /// A warning of an export of schema 1, which holds its words only.
    Text {
        /// The words.
        text: String,
        /// Where on the step axis.
        step: Option<f64>,
    },
}

impl RunWarning {
    /// Where on the step axis it applies; `None` for the whole run.
    pub fn step(&self) -> Option<f64> {
        match self {
            RunWarning::Restarted { from, .. } | RunWarning::LogContinued { from } => Some(*from),
            RunWarning::HistoryContinued { from, .. } => *from,
            RunWarning::Text { step, .. } => *step,
            _ => None,
        }
    }

    /// True for a warning that the run was restarted.
    pub fn is_restart(&self) -> bool {
        matches!(self, RunWarning::Restarted { .. } | RunWarning::LogContinued { .. })
    }

    /// The warning as a sentence.
    pub fn message(&self) -> String {
        match self {
            RunWarning::Restarted { from, to } => {
                format!("The run was restarted at step {from}: what had been logged from there to step {to} is replaced.")
            }
            RunWarning::OneOfStarts { start, of } => format!(
                "The file holds {of} starts of a training: this is start {start}. Settings are those of the whole file."
            ),
            RunWarning::OneOfCommands { start, of } => format!(
                "The file holds {of} trainings, each behind its own command or heading; this is training {start}, with the settings given there."
            ),
            RunWarning::OneOfJobs { job, of } => {
                format!("The file holds the output of {of} jobs, each line behind the name of its job; this is job {job}.")
            }
            RunWarning::ShortStarts { times, first, highest } => format!(
                "The step counter goes back {times} times to step {first} and never passes step {highest}: short starts of a training in one file, \
                 or a counter that begins again with each epoch or episode. Of each step the values that were logged last are shown."
            ),
            RunWarning::LogContinued { from } => {
                format!("The run was restarted at step {from}: a second log continues it from there.")
            }
            RunWarning::HistoryContinued { file, .. } => {
                format!("The run's own file ends early: from here on the rows are those of {file}.")
            }
            RunWarning::ValuesWithoutRow { values, file } => {
                format!("{values} values of {file} are left out: the run has no row at their steps.")
            }
            RunWarning::StepsFromProgressBar { rows, every, .. } if *every == 1 => {
                format!("The log has no step numbers: its {rows} rows are one a step, by the progress bar.")
            }
            RunWarning::StepsFromProgressBar { rows, steps, every } => format!(
                "The log has no step numbers: {rows} rows over {steps} steps of the progress bar are taken as one every {every}."
            ),
            RunWarning::RowsCounted => "The log has no step numbers: its rows are counted as steps.".to_owned(),
            RunWarning::RowsRepeated { each, kept } => format!(
                "The file has the same values in {each} rows one after the other, with another step in each: only the first row of each {each} is a measurement, {kept} in all."
            ),
            RunWarning::LinesCut { lines } => format!(
                "W&B cut lines of metrics in this log at 4,096 characters ({lines}). The rest of each is missing here; the run's .wandb file and the job's own log have it."
            ),
            RunWarning::StepsFromCounter { counter } => {
                format!("No steps were logged: {counter} is used as the step.")
            }
            RunWarning::FinalValuesOnly => {
                "Read from a table with one row a run: there is no history, only settings and final values.".to_owned()
            }
            RunWarning::ChartExport { grouped: false } => {
                "Read from the export of a W&B chart, which may be sampled or averaged: spikes may be missing.".to_owned()
            }
            RunWarning::ChartExport { grouped: true } => {
                "Read from the export of a W&B chart of grouped runs: each point is the mean of several runs.".to_owned()
            }
            RunWarning::ReportOnly => {
                "Only a report of this run is here: its findings are those of the report, and its curves have 64 points."
                    .to_owned()
            }
            RunWarning::Bucketed { key, values, buckets } => format!(
                "{key} is sampled history: {values} values came as {buckets} buckets, each with its minimum, mean and maximum. A NaN in a bucket may not show."
            ),
            RunWarning::FineTuningLeftOut { rows } => format!(
                "The rows before the training with a reward are left out ({rows}): a supervised fine-tuning (train/mean_token_accuracy) logged them under the same names."
            ),
            RunWarning::SystemMetricsSampled => "The system metrics are a sample of their rows.".to_owned(),
            RunWarning::SystemMetricsUnavailable => {
                "This server does not return system metrics, or console lines.".to_owned()
            }
            RunWarning::RowsOfStepMissing => {
                "Sampled history: the server returns fewer rows of a step than it has.".to_owned()
            }
            RunWarning::RequestLimit => {
                "Sampled history: the server's answers do not come to an end, and are left as they are.".to_owned()
            }
            RunWarning::HistoryIncomplete { requests } => {
                format!("The history is not complete: {requests} requests are still to be sent.")
            }
            RunWarning::TablesLimited => {
                "The run has more tables than can be kept here: some were left on its server.".to_owned()
            }
            RunWarning::FilesLimited => "The run has more files than are listed here.".to_owned(),
            RunWarning::FilesNotListed => {
                "This server does not list the files or artifacts of a run.".to_owned()
            }
            RunWarning::TablesMissing { tables } => format!("The server did not return {tables} tables."),
            RunWarning::Text { text, .. } => text.clone(),
        }
    }

    /// The text in it that comes from a file, to be changed in place.
    pub fn text_mut(&mut self) -> Option<&mut String> {
        match self {
            RunWarning::HistoryContinued { file: text, .. }
            | RunWarning::ValuesWithoutRow { file: text, .. }
            | RunWarning::StepsFromCounter { counter: text }
            | RunWarning::Bucketed { key: text, .. }
            | RunWarning::Text { text, .. } => Some(text),
            _ => None,
        }
    }
}

/// A warning in an export of a run: the fact, and beside it its words for other readers of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExportedWarning {
    text: String,
    step: Option<f64>,
    /// Missing in exports that hold the words only.
    warning: Option<RunWarning>,
}

impl From<&RunWarning> for ExportedWarning {
    fn from(warning: &RunWarning) -> Self {
        Self { text: warning.message(), step: warning.step(), warning: Some(warning.clone()) }
    }
}

impl From<ExportedWarning> for RunWarning {
    fn from(ExportedWarning { text, step, warning }: ExportedWarning) -> Self {
        warning.unwrap_or_else(|| match step {
            // Older exports warn of a restart in these words, without the end of what was replaced.
            Some(from) if text.contains("started again") => RunWarning::LogContinued { from },
            _ => RunWarning::Text { text, step },
        })
    }
}

/// The serde form of the warnings of a run.
pub(super) mod exported_warnings {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::{ExportedWarning, RunWarning};

    pub fn serialize<S: Serializer>(warnings: &[RunWarning], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(warnings.iter().map(ExportedWarning::from))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<RunWarning>, D::Error> {
        Ok(Vec::<ExportedWarning>::deserialize(deserializer)?.into_iter().map(RunWarning::from).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_survives_its_export_and_older_ones_keep_their_words() {
        let restarted = RunWarning::Restarted { from: 40.0, to: 90.0 };
        let json = serde_json::to_string(&ExportedWarning::from(&restarted)).unwrap();
        assert_eq!(RunWarning::from(serde_json::from_str::<ExportedWarning>(&json).unwrap()), restarted);
        let old = |text: &str| RunWarning::from(serde_json::from_str::<ExportedWarning>(text).unwrap());
        let of_words = old("{\"text\": \"it was started again at step 40\", \"step\": 40}");
        assert!(of_words.is_restart() && of_words.step() == Some(40.0));
        assert_eq!(
            old("{\"text\": \"sampled\", \"step\": null}"),
            RunWarning::Text { text: "sampled".to_owned(), step: None }
        );
    }
}
