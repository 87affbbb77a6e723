//! What the page and the engine say to each other. The page knows the engine by these types alone.
//!
//! A message is postcard bytes; numbers cross beside it as `Float64Array`s that are transferred, not copied, and a
//! message names them by their index ([`ArrayIndex`]). File handles travel beside a request in the same way.

mod read;
mod server;

use serde::{Deserialize, Serialize};

pub use server::{Offer, OfferRow, QueryField, ServerQuery, Service};

/// Index of an array that travels beside the message.
pub type ArrayIndex = u32;

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
    /// Fetch what is left of a run on its server: metrics that were not asked for, and tables. Answers
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
    /// A report as text. Answers [`Reply::Report`].
    Report {
        /// The runs in it; all runs when empty.
        runs: Vec<u32>,
        /// Markdown or JSON.
        format: ReportFormat,
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

/// Lines of several metrics of one run over one window, for one width.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinesRequest {
    /// Which run.
    pub run: u32,
    /// Metric keys, in drawing order.
    pub keys: Vec<String>,
    /// What lies along x.
    pub x: XAxis,
    /// Visible part of x; everything when `None`.
    pub window: Option<(f64, f64)>,
    /// Width of the plotting area in device pixels: at most four points a pixel column come back.
    pub width_px: u32,
    /// Smoothing weight from 0 (none) to below 1.
    pub smoothing: f64,
}

/// What lies along x.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum XAxis {
    /// The run's step axis.
    #[default]
    Step,
    /// Seconds since the run's first row.
    RelativeTime,
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

/// Everything that the Run view shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunView {
    /// The run.
    pub run: u32,
    /// Its name.
    pub name: String,
    /// Verdict.
    pub verdict: VerdictMark,
    /// Headline, such as "The policy games the reward instead of learning the task".
    pub headline: String,
    /// The verdict in one paragraph.
    pub summary: Vec<Span>,
    /// Facts in a row: state, framework, important config.
    pub facts: Vec<Fact>,
    /// Key of the step axis and why, for the axis title.
    pub step_key: String,
    /// Why that key.
    pub step_why: String,
    /// Steps of the timeline.
    pub steps: (f64, f64),
    /// Lanes of the timeline, in order; lanes without a finding included.
    pub lanes: Vec<String>,
    /// Findings, root causes first, worst first.
    pub findings: Vec<FindingCard>,
    /// Checks that were quiet, with their numbers in words.
    pub quiet: Vec<CheckNote>,
    /// Checks that were skipped, with what would enable them.
    pub skipped: Vec<CheckNote>,
    /// Which key stands for which concept, and why.
    pub bindings: Vec<BindingRow>,
    /// Files and warnings of the run.
    pub files: Vec<String>,
    /// What was odd about the data.
    pub warnings: Vec<String>,
    /// Settings: key and value, secrets redacted.
    pub config: Vec<(String, String)>,
    /// Key of the metric by which learning was judged, empty without one.
    pub measure: String,
}

/// A piece of a sentence: plain, a metric or config key (monospace), or strong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Span {
    /// Plain words.
    Text(String),
    /// A key, in monospace.
    Key(String),
    /// Strong.
    Strong(String),
}

/// One fact beside the verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// Label, such as `learning_rate`; empty when the value says it all.
    pub label: String,
    /// Value, such as `1e-3`.
    pub value: String,
    /// What is unusual about it, such as `10× usual`; empty when nothing is.
    pub remark: String,
}

/// A finding as a card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FindingCard {
    /// Stable code, such as `kl_blow_up`.
    pub code: String,
    /// Name in words, such as `KL blow-up`.
    pub name: String,
    /// Lane on the timeline: index into [`RunView::lanes`].
    pub lane: u32,
    /// Severity.
    pub severity: SeverityMark,
    /// One sentence with its key numbers.
    pub title: String,
    /// What happened and why it matters.
    pub detail: Vec<Span>,
    /// First step, NaN when it has none.
    pub onset: f64,
    /// Last step, NaN when it has none.
    pub end: f64,
    /// 0 to 1.
    pub confidence: f64,
    /// Metrics to draw as evidence, at most two, the most telling first.
    pub chart: Vec<String>,
    /// Rows: metric, first, middle, last, slope per 100 steps, formatted.
    pub trend: Vec<[String; 5]>,
    /// Rows: name, value with unit, threshold with its source.
    pub evidence: Vec<[String; 3]>,
    /// Rows: config key, value, why.
    pub causes: Vec<[String; 3]>,
    /// What to try.
    pub actions: Vec<ActionRow>,
    /// The competing explanation.
    pub alternative: String,
    /// What would refute it.
    pub refute: String,
    /// Where rule and advice come from.
    pub references: Vec<String>,
    /// Index of the finding in [`RunView::findings`] that explains this one.
    pub explained_by: Option<u32>,
}

/// One thing to try.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActionRow {
    /// What to change; a config key when `from` or `to` is set.
    pub change: String,
    /// Present value or empty.
    pub from: String,
    /// Value to try or empty.
    pub to: String,
    /// Expected effect, risk, and what to watch, in one sentence.
    pub note: String,
}

/// A check that said nothing, with the reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckNote {
    /// Name in words.
    pub name: String,
    /// Numbers or missing key, in one sentence.
    pub text: String,
}

/// Which key stands for which concept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BindingRow {
    /// Concept in words, such as `KL to the reference`.
    pub concept: String,
    /// Metric key.
    pub key: String,
    /// Unit, or empty.
    pub unit: String,
    /// Why this key.
    pub why: String,
}

/// Every metric of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MetricList {
    /// The run.
    pub run: u32,
    /// Sections by prefix, in order.
    pub sections: Vec<MetricSection>,
    /// What the run's server has besides, in words; empty when nothing.
    pub rest: String,
}

/// Metrics that share a prefix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricSection {
    /// Prefix, such as `train/completions`, or `other`.
    pub name: String,
    /// The metrics, by key.
    pub metrics: Vec<MetricRow>,
}

/// One metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricRow {
    /// Key.
    pub key: String,
    /// Logged points.
    pub points: u64,
    /// NaN and infinite points.
    pub nonfinite: u64,
    /// Last finite value, NaN when there is none.
    pub last: f64,
    /// Smallest finite value.
    pub min: f64,
    /// Largest finite value.
    pub max: f64,
    /// True when every value is the same: such charts are folded away.
    pub constant: bool,
}

/// Lines to draw.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Lines {
    /// The run.
    pub run: u32,
    /// The range of x over the whole run, for zooming out.
    pub x_extent: Option<(f64, f64)>,
    /// One for each requested key that exists.
    pub lines: Vec<Line>,
}

/// One decimated line; its numbers travel beside the message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Metric key.
    pub key: String,
    /// x of the raw line, ascending.
    pub x: ArrayIndex,
    /// y of the raw line; NaN breaks it. Every spike survives.
    pub y: ArrayIndex,
    /// x of the smoothed line; equal to `x` without smoothing.
    pub smooth_x: ArrayIndex,
    /// y of the smoothed line.
    pub smooth_y: ArrayIndex,
    /// x of NaN points, to be marked on the axis.
    pub nan_x: ArrayIndex,
    /// x of +infinity points.
    pub positive_infinity_x: ArrayIndex,
    /// x of -infinity points.
    pub negative_infinity_x: ArrayIndex,
    /// Finite range of y in the window, `None` without a finite point.
    pub y_range: Option<(f64, f64)>,
    /// Points in the window before decimation.
    pub points: u64,
}
