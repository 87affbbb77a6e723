//! Answers from memory: every request that needs neither files nor a server.

use super::file_formats::format_mark;
use super::selection::is_chosen;
use super::{PendingRun, ReadFile, Session, SessionRun, metrics, query};
use rundown_compare::RunSummary;
use rundown_diagnose::diagnose_with;
use rundown_present::{clean_blocks, project_view, run_view};
use rundown_protocol::{
    ExportRequest, Fault, FileRow, HeatRequest, LinesRequest, MetricList, ProjectRequest, ProjectView, Reply, Request,
    RunView, TableRequest, XAxis,
};
use rundown_query::CompletionIndex;
use rundown_settings::with_metric;

/// A reply with the arrays that it names by index.
pub struct Answer {
    /// The reply, or what went wrong.
    pub reply: Result<Reply, Fault>,
    /// Numbers that travel beside the message.
    pub arrays: Vec<Vec<f64>>,
}

impl From<Result<Reply, Fault>> for Answer {
    fn from(reply: Result<Reply, Fault>) -> Self {
        Self { reply, arrays: Vec::new() }
    }
}

impl Session {
    /// The next run that has to be diagnosed before [`Session::answer`] can answer this request in full.
    pub fn next_pending_for(&self, request: &Request) -> Option<PendingRun> {
        match request {
            Request::OpenRun { run, .. } => self.loaded(*run)?.pending(),
            // What a metric stands for, and which one counts tokens, is known once a run is diagnosed.
            Request::ListMetrics { runs } if !runs.is_empty() => self.chosen(runs).find_map(SessionRun::pending),
            Request::Lines(LinesRequest { x: XAxis::Tokens, series, .. })
            | Request::ExportChart(ExportRequest { lines: LinesRequest { x: XAxis::Tokens, series, .. }, .. }) => {
                series.iter().find_map(|series| self.loaded(series.run)?.pending())
            }
            Request::Heat(HeatRequest { x: XAxis::Tokens, run, .. }) => self.loaded(*run)?.pending(),
            Request::Report { runs, .. } => self.chosen(runs).find_map(SessionRun::pending),
            Request::Table(TableRequest { runs, baseline, .. }) => {
                let baseline = || self.loaded((*baseline)?)?.pending();
                self.chosen(runs).find_map(SessionRun::pending).or_else(baseline)
            }
            Request::OpenProject(_) | Request::Find { .. } | Request::ListRuns => self.next_pending(),
            _ => None,
        }
    }

    /// Answers a request. Runs that still wait for their diagnosis are left out of lists, comparisons and reports.
    ///
    /// Requests that take time (files, servers, settings) are the worker's and give [`Fault::Misrouted`].
    pub fn answer(&mut self, request: &Request) -> Answer {
        match request {
            Request::ListFiles => Ok(Reply::Files(self.file_rows())).into(),
            Request::ListRuns => Ok(Reply::Runs(self.run_list())).into(),
            Request::ListMetrics { runs } => self.list_metrics(runs).map(Reply::Metrics).into(),
            Request::OpenRun { run, last_steps } => {
                self.open_run(*run, *last_steps).map(|view| Reply::Run(Box::new(view))).into()
            }
            Request::Lines(wanted) => self.lines(wanted),
            Request::Heat(wanted) => self.heat(wanted),
            Request::Table(wanted) => Ok(Reply::Table(self.table(wanted))).into(),
            Request::ExportChart(wanted) => self.export_chart(wanted).into(),
            Request::Report { runs, format, hides_names } => self.report(runs, *format, *hides_names).into(),
            Request::HideNames { texts } => Ok(self.without_names(texts)).into(),
            Request::OpenProject(request) => Ok(self.open_project(request)).into(),
            Request::Find { query, cursor } => Ok(self.find(query, *cursor)).into(),
            Request::WriteMetric { settings, key, meaning } => {
                Ok(Reply::Settings(with_metric(settings, key, meaning))).into()
            }
            Request::Exclude { files, runs } => {
                self.exclude(files, runs.clone());
                Ok(Reply::Done).into()
            }
            Request::RemoveRuns { runs } => {
                self.remove(runs);
                Ok(Reply::Runs(self.run_list())).into()
            }
            Request::AddFiles { .. }
            | Request::TakeFiles
            | Request::AddFromSite { .. }
            | Request::Browse(_)
            | Request::HostsOf(_)
            | Request::Fetch { .. }
            | Request::FetchRest { .. }
            | Request::Poll
            | Request::ApplySettings { .. }
            | Request::NameEach
            | Request::Clear
            | Request::Cancel { .. }
            | Request::Ping => Err(Fault::Misrouted).into(),
        }
    }

    fn file_rows(&self) -> Vec<FileRow> {
        let row = |(path, file): (&String, &ReadFile)| FileRow {
            path: path.clone(),
            format: format_mark(file.format),
            status: file.status,
        };
        self.files.iter().map(row).collect()
    }

    fn open_run(&mut self, number: u32, last_steps: u32) -> Result<RunView, Fault> {
        let loaded = self.loaded(number).ok_or(Fault::UnknownRun)?;
        let (run, diagnosis) = (loaded.run.run(), loaded.run.diagnosis().ok_or(Fault::UnknownRun)?);
        if last_steps == 0 || !loaded.run.is_measured() {
            return Ok(run_view(number, run, diagnosis));
        }
        let tail = run.tail(f64::from(last_steps));
        let diagnosis = diagnose_with(&tail, &self.settings.rulebook, &self.settings.options);
        self.statistics.partial_diagnoses += 1;
        Ok(run_view(number, &tail, &diagnosis))
    }

    /// The metrics of these runs, in the order of the request; those that are not loaded are left out.
    fn list_metrics(&self, runs: &[u32]) -> Result<MetricList, Fault> {
        let loaded = self.numbered(runs);
        if loaded.is_empty() && !runs.is_empty() {
            return Err(Fault::UnknownRun);
        }
        let runs: Vec<_> = loaded.iter().map(|loaded| (loaded.number, loaded.run.run(), loaded.bindings())).collect();
        Ok(metrics::list(&runs))
    }

    fn open_project(&mut self, request: &ProjectRequest) -> Reply {
        let mut cache = std::mem::take(&mut self.advice);
        let mut summaries = self.summaries();
        let is_chosen = is_chosen(&request.runs);
        summaries.retain(|summary| is_chosen(summary.number));
        let view = project_view(&summaries, request, &mut cache);
        self.advice = cache;
        // A view is seen on shared screens: it has no more secrets than a report.
        Reply::Project(ProjectView { blocks: clean_blocks(view.blocks, ""), ..view })
    }

    fn find(&mut self, text: &str, cursor: u32) -> Reply {
        let completions = self.completions.take().unwrap_or_else(|| CompletionIndex::new(self.summaries()));
        let summaries: Vec<&RunSummary> = self.summaries();
        let matches = query::matches(&summaries, &completions, text, cursor);
        self.completions = Some(completions);
        Reply::Matches(matches)
    }
}
