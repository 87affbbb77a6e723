//! What the page asks, and the replies.

use serde::{Deserialize, Serialize};

use super::{
    ExportRequest, FileRow, FormatChoice, Heat, HeatRequest, Lines, LinesRequest, MetricList, ProjectRequest,
    ProjectView, QueryMatches, RunIdentity, RunList, RunTable, RunView, ServerListing, ServerQuery, TableRequest,
};

/// A request with the number that its answer will carry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// Chosen by the page, never reused. Progress and the answer carry it.
    pub id: u32,
    /// What is asked.
    pub request: Request,
}

/// What the page asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Read files. The engine says which of them it needs ([`super::Event::Wanted`]), reads them in slices as they
    /// arrive, reports progress, diagnoses what it found and answers [`Reply::Runs`].
    AddFiles {
        /// Paths relative to what was dropped, such as `tiny-grpo/amber-01/run-x.wandb`.
        paths: Vec<String>,
        /// Formats that the user chose for files, by path.
        formats: Vec<(String, FormatChoice)>,
    },
    /// Files for the [`Request::AddFiles`] with the same id: their handles travel beside this message, in the order in
    /// which the engine named them. Copying handles takes long, so that many come in several messages. Has no answer of
    /// its own.
    TakeFiles,
    /// Fetch a file of this site (the sample project) and read it as if dropped. Answers [`Reply::Runs`].
    AddFromSite {
        /// Its absolute address.
        url: String,
    },
    /// Ask a server which runs it has. Answers [`Reply::Listing`].
    Browse(ServerQuery),
    /// Which origins a query would ask. Answers [`Reply::Hosts`].
    HostsOf(ServerQuery),
    /// Fetch runs that a server offered, with progress, and add them. Answers [`Reply::Runs`].
    Fetch {
        /// Which server, with what key.
        query: ServerQuery,
        /// Ids from [`super::OfferRow::id`].
        runs: Vec<String>,
    },
    /// Fetch what is left of a run on its server: metrics that were not fetched, tables, and the list of files. Answers
    /// [`Reply::Runs`].
    FetchRest {
        /// Which run.
        run: u32,
    },
    /// Look again at the fetched runs that were still running. Answers [`Reply::Runs`] with what is new in
    /// [`RunList::news`].
    Poll,
    /// Every file that was added and what it was taken for. Answers [`Reply::Files`].
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
    /// Every metric of some runs, in sections. Answers [`Reply::Metrics`].
    ListMetrics {
        /// Which runs.
        runs: Vec<u32>,
    },
    /// Lines to draw, decimated for the width in which they will be drawn. Answers [`Reply::Lines`].
    Lines(LinesRequest),
    /// A heat map to draw. Answers [`Reply::Heat`].
    Heat(HeatRequest),
    /// A table of runs. Answers [`Reply::Table`].
    Table(TableRequest),
    /// A chart as a file. Answers [`Reply::Report`].
    ExportChart(ExportRequest),
    /// A report. Answers [`Reply::Report`], and for a preview [`Reply::Project`].
    Report {
        /// The runs in it; all runs when empty.
        runs: Vec<u32>,
        /// What it is written as.
        format: ReportFormat,
        /// True to hide the names of people and machines, for a report to be sent around. Not in a preview.
        hides_names: bool,
    },
    /// Texts without the names of people and machines that the runs tell of themselves. Answers [`Reply::Texts`].
    HideNames {
        /// What the page wrote itself, to be saved.
        texts: Vec<String>,
    },
    /// A view over all runs. Answers [`Reply::Project`].
    OpenProject(ProjectRequest),
    /// Which runs a query selects (`docs/selecting-runs.md`). Answers [`Reply::Matches`].
    Find {
        /// The query as typed.
        query: String,
        /// Where the cursor stands in it, in characters.
        cursor: u32,
    },
    /// Diagnose all runs, and those to come, with these settings (`docs/settings.md`). Answers [`Reply::Runs`], or what
    /// is wrong with them; then everything stays as it was.
    ApplySettings {
        /// The text of the settings.
        settings: String,
    },
    /// Write into a text of settings what a metric stands for. Answers [`Reply::Settings`].
    WriteMetric {
        /// The text as it is.
        settings: String,
        /// Key of the metric.
        key: String,
        /// What it stands for (`docs/settings.md`), such as `reward:down`.
        meaning: String,
    },
    /// What an earlier engine crashed on, and this one is not to work on: each is listed with a problem. Answers
    /// [`Reply::Done`].
    Exclude {
        /// Files that are not sent again.
        files: Vec<String>,
        /// Runs that are not to be diagnosed.
        runs: Vec<RunIdentity>,
    },
    /// Name each file and run before work on it begins: an earlier engine crashed, and the page has to know on what. Answers
    /// [`Reply::Done`].
    NameEach,
    /// Forget some runs until their files are added again. Answers [`Reply::Runs`].
    RemoveRuns {
        /// Which runs.
        runs: Vec<u32>,
    },
    /// Forget all runs and exclusions. Answers [`Reply::Runs`].
    Clear,
    /// Stop working on another request; that one answers [`super::Fault::Cancelled`] and keeps what was read by then.
    /// Answers [`Reply::Done`].
    Cancel {
        /// Id of the request to stop.
        id: u32,
    },
    /// Asks whether the engine still responds. Answers [`Reply::Done`].
    Ping,
}

impl Request {
    /// True for a question: a request that changes nothing, and that views ask again. An engine that crashed on one is not
    /// asked it again.
    pub fn is_question(&self) -> bool {
        // Listed in full, so that a new request has to decide.
        match self {
            Request::ListFiles
            | Request::OpenRun { .. }
            | Request::ListMetrics { .. }
            | Request::Lines(_)
            | Request::Heat(_)
            | Request::Table(_)
            | Request::ExportChart(_)
            | Request::Report { .. }
            | Request::HideNames { .. }
            | Request::OpenProject(_)
            | Request::Find { .. }
            | Request::WriteMetric { .. } => true,
            // Without the list there is no page.
            Request::ListRuns
            | Request::AddFiles { .. }
            | Request::TakeFiles
            | Request::AddFromSite { .. }
            | Request::Browse(_)
            | Request::HostsOf(_)
            | Request::Fetch { .. }
            | Request::FetchRest { .. }
            | Request::Poll
            | Request::ApplySettings { .. }
            | Request::Exclude { .. }
            | Request::NameEach
            | Request::RemoveRuns { .. }
            | Request::Clear
            | Request::Cancel { .. }
            | Request::Ping => false,
        }
    }
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

/// What the engine answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// Done, nothing to show.
    Done,
    /// The run list.
    Runs(RunList),
    /// The Run view.
    Run(Box<RunView>),
    /// The metrics of some runs.
    Metrics(MetricList),
    /// Lines to draw.
    Lines(Lines),
    /// A heat map to draw.
    Heat(Heat),
    /// A table of runs.
    Table(RunTable),
    /// A report, or a chart as a file.
    Report(String),
    /// Texts without names of people and machines, in the order of the request.
    Texts(Vec<String>),
    /// What a server has, or what to do instead.
    Listing(ServerListing),
    /// Origins that the page has to name before they can be asked; none where all are named.
    Hosts(Vec<String>),
    /// Every file that was added, in the order of their paths.
    Files(Vec<FileRow>),
    /// A view over all runs, or the preview of a report.
    Project(ProjectView),
    /// Runs that a query selects.
    Matches(QueryMatches),
    /// A text of settings.
    Settings(String),
}
