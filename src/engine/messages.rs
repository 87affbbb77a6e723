//! What the page and the engine say to each other. The page knows the engine by these types alone.
//!
//! A message is postcard bytes; numbers cross beside it as `Float64Array`s that are transferred, not copied, and a
//! message names them by their index ([`ArrayIndex`]). File handles travel beside a request in the same way.

mod charts;
mod judge;
mod read;
mod server;
mod topics;
mod view;

use serde::{Deserialize, Serialize};

pub use charts::{ArrayIndex, Line, Lines, LinesRequest, MetricList, MetricRow, MetricSection, XAxis};
pub use judge::{Case, Listing, encoded, encoded_reply};
pub use server::{Offer, OfferRow, QueryField, ServerQuery, Service};
pub use topics::{Choice, Document, Found, Topic, TopicRequest};
pub use view::{FindingCard, Fold, RunView};

pub use crate::content::Span;

/// A request with the number that its reply will carry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// Chosen by the page, never reused. Progress and the reply carry it.
    pub id: u32,
    /// What is asked.
    pub request: Request,
}

/// What the page asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Read files whose handles travel beside this message, one for each path, in the same order. The engine
    /// reads them in slices, reports [`Event::Progress`], diagnoses what it found and answers [`Reply::Runs`].
    AddFiles {
        /// Paths relative to what was dropped, such as `tiny-grpo/amber-01/run-x.wandb`.
        paths: Vec<String>,
        /// What the user takes a file for, by path, where that differs from what the engine found: format words.
        formats: Vec<(String, String)>,
    },
    /// Fetch a file of this site (the sample project) and read it as if dropped. Answers [`Reply::Runs`].
    AddFromSite {
        /// Its absolute address.
        url: String,
    },
    /// Ask a server which runs it has. Answers [`Reply::Offer`].
    Browse(ServerQuery),
    /// Fetch runs that a server offered, with progress, and add them. Answers [`Reply::Runs`].
    Fetch {
        /// Which server, with what key.
        query: ServerQuery,
        /// Ids from [`OfferRow::id`].
        runs: Vec<String>,
    },
    /// Fetch what is left of a run on its server: metrics that did not come, tables, and the list of files. Answers
    /// [`Reply::Runs`].
    FetchRest {
        /// Which run.
        run: u32,
    },
    /// Look again at the fetched runs that were still going. Answers [`Reply::Runs`] with what is new in
    /// [`RunList::news`].
    Poll,
    /// Every file that was read and what it was taken for. Answers [`Reply::Files`].
    ListFiles,
    /// The run list as it stands. Answers [`Reply::Runs`].
    ListRuns,
    /// Everything the Run view shows. Answers [`Reply::Run`].
    OpenRun {
        /// Which run.
        run: u32,
        /// Only the last so many steps; 0 for the whole run.
        last_steps: u32,
    },
    /// Every metric of a run, in sections. Answers [`Reply::Metrics`].
    ListMetrics {
        /// Which run.
        run: u32,
    },
    /// Lines to draw, decimated for the width in which they will be drawn. Answers [`Reply::Lines`].
    Lines(LinesRequest),
    /// A report. Answers [`Reply::Report`], and for a preview [`Reply::Document`].
    Report {
        /// The runs in it; all runs when empty.
        runs: Vec<u32>,
        /// What it is written as.
        format: ReportFormat,
    },
    /// A view over all runs. Answers [`Reply::Document`].
    Open(TopicRequest),
    /// Which runs a query selects (`docs/selecting-runs.md`). Answers [`Reply::Found`].
    Find {
        /// The query as typed.
        query: String,
        /// Where the cursor stands in it, in characters.
        cursor: u32,
    },
    /// Judge all runs, and those to come, by these settings (`docs/settings.md`). Answers [`Reply::Runs`], or what is
    /// wrong with them; then everything stays as it was.
    Set {
        /// The text of the settings.
        settings: String,
    },
    /// Forget all runs. Answers [`Reply::Runs`].
    Clear,
    /// Stop working on another request; that one answers [`Fault::Cancelled`] and keeps what was read by then.
    /// Answers [`Reply::Done`].
    Cancel {
        /// Id of the request to stop.
        id: u32,
    },
}

/// Format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReportFormat {
    /// For people.
    Markdown,
    /// For programs; versioned schema.
    Json,
    /// Whole runs, to be read back without loss: `docs/run-export.md`.
    Runs,
    /// The Markdown as blocks, to be shown.
    Preview,
    /// For people, one file with its charts.
    Html,
}

/// What the engine sends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// The engine is up. Sent once, before anything else.
    Ready,
    /// Work on request `id` goes on.
    Progress {
        /// The request.
        id: u32,
        /// How far it is.
        progress: Progress,
    },
    /// The reply to request `id`; nothing more will come for it.
    Reply {
        /// The request.
        id: u32,
        /// The reply, or what went wrong.
        reply: Result<Reply, Fault>,
    },
}

/// How far a long request is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// What is being done now, such as `amber-01/run-x.wandb`.
    pub doing: String,
    /// Bytes read.
    pub bytes_done: u64,
    /// Bytes to read in all.
    pub bytes_total: u64,
    /// Files finished.
    pub files_done: u32,
    /// Files in all.
    pub files_total: u32,
}

/// Why there is no reply. The text is for the user: what went wrong and what to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Fault {
    /// The page asked to stop.
    Cancelled,
    /// It names a run that is not there.
    NoSuchRun,
    /// The message could not be read: the page and the engine are of different versions.
    BadMessage,
    /// Anything else.
    Failed(String),
}

impl Fault {
    /// [`Fault::BadMessage`] for the user.
    pub const BAD_MESSAGE: &'static str = "The page and its engine are of different versions: reload the page.";
}

/// What the engine answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// The run list.
    Runs(RunList),
    /// The Run view.
    Run(Box<RunView>),
    /// The metrics of a run.
    Metrics(MetricList),
    /// Lines to draw.
    Lines(Lines),
    /// A report.
    Report(String),
    /// Done, nothing to say.
    Done,
    /// What a server has, or what to do instead.
    Offer(Offer),
    /// Files read: path and what it was taken for.
    Files(Vec<(String, String)>),
    /// A view over all runs.
    Document(Document),
    /// Runs that a query selects.
    Found(Found),
}

/// All runs, and what could not be read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunList {
    /// Name of the project when all runs share one, else empty.
    pub project: String,
    /// Key of the number in the list, such as `eval/accuracy`; empty when the runs share none.
    pub measure: String,
    /// Runs in the order of the list: worst last, best measure first within a verdict.
    pub runs: Vec<RunRow>,
    /// What could not be read.
    pub problems: Vec<ProblemRow>,
    /// Files read so far, and their bytes.
    pub files: u32,
    /// Bytes read so far.
    pub bytes: u64,
    /// Milliseconds that the last reading took; 0 where nothing was measured.
    pub read_ms: f64,
    /// Milliseconds that the diagnosis after it took.
    pub diagnose_ms: f64,
    /// What is new since the runs were last looked at, worst first; empty but for [`Request::Poll`].
    pub news: Vec<NewsRow>,
    /// Fetched runs that were still going when they were last looked at.
    pub going: u32,
    /// What went wrong while the runs came, empty when nothing did.
    pub fault: String,
    /// Views that these runs have something for.
    pub topics: Vec<Topic>,
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

/// A run's verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum VerdictMark {
    /// ●
    Good,
    /// ○ too little data
    Undecided,
    /// ▲
    Bad,
    /// ■
    Ugly,
}

/// A finding's severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SeverityMark {
    /// Worth knowing.
    Note,
    /// ▲
    Warning,
    /// ■
    Critical,
}

/// One line of the run list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRow {
    /// The engine's number for the run.
    pub run: u32,
    /// Name to show.
    pub name: String,
    /// Verdict.
    pub verdict: VerdictMark,
    /// State word, such as `finished`.
    pub state: String,
    /// Last value of [`RunList::measure`], NaN when the run lacks it.
    pub value: f64,
    /// The measure over the run, at most 60 values, for a sparkline. Gaps are NaN.
    pub spark: Vec<f32>,
    /// Last step.
    pub last_step: f64,
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
