//! The run list: one row for each run, and what could not be read.

use serde::{Deserialize, Serialize};

use super::Topic;
use rundown_format::named_enum;

/// All runs, and what could not be read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunList {
    /// Name of the project when all runs share one, else empty.
    pub project: String,
    /// Key of the number in the list, such as `eval/accuracy`; empty when the runs share none.
    pub measure: String,
    /// True where a run with a lower measure is the better one.
    pub less_is_better: bool,
    /// Runs in the order of the list: worst last, best measure first within a verdict.
    pub runs: Vec<RunRow>,
    /// What could not be read.
    pub problems: Vec<ProblemRow>,
    /// Files that came so far, used or not.
    pub files: u32,
    /// How many files were read and how many were not used, with their bytes, in words.
    pub read: String,
    /// True while files are being read of which these runs are the first.
    pub is_partial: bool,
    /// Milliseconds that the last reading took; 0 where nothing was measured.
    pub read_ms: f64,
    /// What is new since the runs were last looked at, worst first; empty but for [`super::Request::Poll`].
    pub news: Vec<NewsRow>,
    /// Fetched runs that were still running when they were last looked at.
    pub running: u32,
    /// What went wrong while the runs came, empty when nothing did.
    pub fault: String,
    /// Views that these runs have something for.
    pub topics: Vec<Topic>,
    /// Keys of settings in which the runs differ and by which they can be grouped, the most useful first; at most 60.
    pub settings: Vec<String>,
}

/// A finding that a growing run did not have before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NewsRow {
    /// The run.
    pub run: u32,
    /// Name of the run and what was found, in one sentence.
    pub text: String,
    /// How bad it is.
    pub severity: SeverityMark,
}

named_enum! {
    word
    /// A run's verdict.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum VerdictMark {
        /// ●
        Good = "good",
        /// ○ too little data
        Undecided = "undecided",
        /// ▲
        Bad = "bad",
        /// ■
        Ugly = "ugly",
    }
}

named_enum! {
    word
    /// A finding's severity.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum SeverityMark {
        /// Worth knowing.
        Note = "note",
        /// ▲
        Warning = "warning",
        /// ■
        Critical = "critical",
    }
}

/// One line of the run list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRow {
    /// The engine's number for the run.
    pub run: u32,
    /// Unique among the loaded runs, and the same whenever the same files are read: the run's own id, and of several
    /// runs with one id those after the first, by the path of their first file, as `id (2)`, `id (3)` and so on.
    pub id: String,
    /// Name to show.
    pub name: String,
    /// Verdict.
    pub verdict: VerdictMark,
    /// State word, such as `finished`.
    pub state: String,
    /// Mean of [`RunList::measure`] over the last part of the run, by which runs are ranked; none where the run lacks it.
    pub value: Option<f64>,
    /// Key under which the run logs that: [`RunList::measure`], but of a run of another framework its own.
    pub value_key: String,
    /// The measure over the run, at most 60 values, for a sparkline. Gaps are NaN.
    pub spark: Vec<f32>,
    /// Names of the worst findings, worst first, at most three: `reward hacking`.
    pub worst: Vec<String>,
}

/// A problem with a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProblemRow {
    /// Path as dropped.
    pub file: String,
    /// Where in the file: `byte 32768`, `line 12`.
    pub place: String,
    /// What is wrong and what to do.
    pub text: String,
    /// True when something of the file was lost, false for a remark.
    pub lost: bool,
}
