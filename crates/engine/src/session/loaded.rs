//! A run of the session: its data, and what was found out about it.

use super::PendingRun;
use super::charts::LineCache;
use super::news::FindingSeverities;
use rundown_compare::{self as compare, RunSummary};
use rundown_diagnose::{Diagnosis, diagnose_with};
use rundown_ingest::{AssembledRun, ReportedRun};
use rundown_ingest::{Place, Problem, Weight};
use rundown_protocol::{NewsRow, RunIdentity};
use rundown_run::Run;
use rundown_settings::Settings;
use rundown_vocabulary::Bindings;

/// A loaded run by what is known of it.
pub enum LoadedRun {
    /// Not diagnosed yet, or not since its data or the settings changed.
    Pending {
        /// The run.
        run: AssembledRun,
        /// Findings before its data changed.
        previous: Option<FindingSeverities>,
    },
    /// Diagnosed by this session.
    Measured {
        /// The run, whole.
        run: Run,
        /// Its diagnosis.
        analysis: Box<Analysis>,
    },
    /// Known from a JSON report alone. Not diagnosed again: what the report found with all numbers can't be found in
    /// its thinned curves.
    Reported {
        /// Identity, settings and thinned curves, and the report.
        run: ReportedRun,
        /// What the report says of it.
        analysis: Box<Analysis>,
    },
    /// Not diagnosed, because an earlier engine crashed on it.
    Excluded {
        /// The run.
        run: AssembledRun,
        /// A diagnosis without findings, which says why.
        analysis: Box<Analysis>,
    },
}

/// A diagnosis and what comparisons need of it.
pub struct Analysis {
    diagnosis: Diagnosis,
    summary: RunSummary,
}

impl LoadedRun {
    /// The run.
    pub fn run(&self) -> &Run {
        match self {
            Self::Pending { run, .. } | Self::Excluded { run, .. } => run.run(),
            Self::Measured { run, .. } | Self::Reported { run: ReportedRun { run, .. }, .. } => run,
        }
    }

    /// Its diagnosis; `None` while it waits for one.
    pub fn diagnosis(&self) -> Option<&Diagnosis> {
        self.analysis().map(|analysis| &analysis.diagnosis)
    }

    /// The run as comparisons see it; `None` while it waits for its diagnosis.
    pub fn summary(&self) -> Option<&RunSummary> {
        self.analysis().map(|analysis| &analysis.summary)
    }

    /// True for a run that this session diagnosed.
    pub fn is_measured(&self) -> bool {
        matches!(self, Self::Measured { .. })
    }

    fn analysis(&self) -> Option<&Analysis> {
        match self {
            Self::Pending { .. } => None,
            Self::Measured { analysis, .. } | Self::Reported { analysis, .. } | Self::Excluded { analysis, .. } => {
                Some(analysis)
            }
        }
    }

    fn take(&mut self) -> AssembledRun {
        match self {
            Self::Pending { run, .. } | Self::Excluded { run, .. } => std::mem::take(run),
            Self::Measured { run, .. } => AssembledRun::Measured(std::mem::take(run)),
            Self::Reported { run, .. } => AssembledRun::Reported(std::mem::take(run)),
        }
    }

    /// Puts a run back that was taken; returns it where a run of another kind was taken.
    fn put_back(&mut self, run: AssembledRun) -> Option<AssembledRun> {
        match (self, run) {
            (Self::Pending { run: place, .. } | Self::Excluded { run: place, .. }, run) => *place = run,
            (Self::Measured { run: place, analysis }, AssembledRun::Measured(run)) => {
                analysis.summary.name.clone_from(&run.name);
                *place = run;
            }
            (Self::Reported { run: place, .. }, AssembledRun::Reported(run)) => *place = run,
            (_, run) => return Some(run),
        }
        None
    }
}

impl Default for LoadedRun {
    fn default() -> Self {
        Self::Pending { run: AssembledRun::default(), previous: None }
    }
}

/// A loaded run with its number and the lines that were drawn of it.
pub(super) struct SessionRun {
    /// What the page knows it by.
    pub(super) number: u32,
    /// Its place among all runs: by drop, then by path. Numbers follow the order in which runs became whole, and nothing
    /// that is shown depends on that.
    pub(super) place: u32,
    /// The drop that it is of, while files of that are still being read: it may be a part of a run then.
    pub(super) early: Option<u32>,
    pub(super) run: LoadedRun,
    pub(super) lines: LineCache,
    /// Files of the run when it was taken out to be joined with new ones.
    files_before: Vec<rundown_run::SourceFile>,
}

/// What came of [`SessionRun::diagnose`].
pub(super) struct Diagnosed {
    /// False for a diagnosis that was read from a report.
    pub(super) is_measured: bool,
    /// Findings that the run did not have before it grew.
    pub(super) news: Vec<NewsRow>,
}

impl SessionRun {
    pub(super) fn new(number: u32, place: u32, run: AssembledRun) -> Self {
        Self {
            number,
            place,
            early: None,
            run: LoadedRun::Pending { run, previous: None },
            lines: LineCache::default(),
            files_before: Vec::new(),
        }
    }

    /// Takes the run out, to be joined with new pieces; [`SessionRun::with_run`] puts it back.
    pub(super) fn take_run(&mut self) -> AssembledRun {
        let run = self.run.take();
        self.files_before.clone_from(&run.run().files);
        run
    }

    /// Puts the run back. One whose files changed waits for a new diagnosis.
    pub(super) fn with_run(mut self, run: AssembledRun) -> Self {
        let run = if run.run().files == self.files_before {
            match self.run.put_back(run) {
                None => return self,
                Some(run) => run,
            }
        } else {
            run
        };
        let previous = match &self.run {
            LoadedRun::Pending { previous, .. } => previous.clone(),
            loaded => loaded.diagnosis().map(FindingSeverities::of),
        };
        Self { run: LoadedRun::Pending { run, previous }, lines: LineCache::default(), ..self }
    }

    /// Takes its place among all runs once all files of its drop were read. Where more was found out about the run by
    /// then, it waits for a new diagnosis.
    pub(super) fn settled(mut self, place: u32, run: AssembledRun) -> Self {
        (self.place, self.early) = (place, None);
        let (mut before, mut run) = (self.run.take(), run);
        if let (AssembledRun::Measured(before), AssembledRun::Measured(now)) = (&mut before, &mut run)
            && is_same_data(before, now)
        {
            match self.run.put_back(run) {
                None => return self,
                Some(other) => run = other,
            }
        }
        // What is new was in the files all along: it is no news.
        Self { run: LoadedRun::Pending { run, previous: None }, lines: LineCache::default(), ..self }
    }

    /// What its metrics stand for; `None` while it waits for its diagnosis.
    pub(super) fn bindings(&self) -> Option<&Bindings> {
        self.run.diagnosis().map(|diagnosis| &diagnosis.bindings)
    }

    pub(super) fn identity(&self) -> RunIdentity {
        identity_of(self.run.run())
    }

    /// What it is recognised by, its place among all runs, and its number.
    pub(super) fn placed_identity(&self) -> (RunIdentity, u32, u32) {
        (self.identity(), self.place, self.number)
    }

    pub(super) fn is_pending(&self) -> bool {
        matches!(self.run, LoadedRun::Pending { .. })
    }

    pub(super) fn pending(&self) -> Option<PendingRun> {
        let LoadedRun::Pending { run, .. } = &self.run else { return None };
        Some(PendingRun { number: self.number, identity: self.identity(), name: run.run().name.clone() })
    }

    /// Makes a diagnosed run wait for a new diagnosis, as after a change of settings. What a report found stays.
    pub(super) fn discard_diagnosis(&mut self) {
        // What counts tokens may be another metric then.
        self.lines = LineCache::default();
        self.run = match std::mem::take(&mut self.run) {
            LoadedRun::Pending { run, .. } => LoadedRun::Pending { run, previous: None },
            LoadedRun::Measured { run, .. } => LoadedRun::Pending { run: AssembledRun::Measured(run), previous: None },
            kept => kept,
        };
    }

    /// Diagnoses the run; `None` for one that does not wait for it.
    pub(super) fn diagnose(&mut self, settings: &Settings) -> Option<Diagnosed> {
        let LoadedRun::Pending { run, previous } = &mut self.run else { return None };
        let (run, previous) = (std::mem::take(run), previous.take());
        self.run = match run {
            AssembledRun::Reported(run) => {
                let (summary, diagnosis) = compare::reported_analysis(self.number, &run.report);
                LoadedRun::Reported { run, analysis: Box::new(Analysis { diagnosis, summary }) }
            }
            AssembledRun::Measured(run) => self.measured(run, settings),
        };
        let now = self.run.diagnosis().map(FindingSeverities::of).unwrap_or_default();
        let name = self.run.run().name.as_str();
        let news = previous.map(|before| before.news(self.number, name, &now)).unwrap_or_default();
        Some(Diagnosed { is_measured: self.run.is_measured(), news })
    }

    fn measured(&self, run: Run, settings: &Settings) -> LoadedRun {
        super::planted::panic_in_check(&run);
        let diagnosis = diagnose_with(&run, &settings.rulebook, &settings.options);
        let summary = RunSummary::of(self.number, (&run, &diagnosis));
        LoadedRun::Measured { run, analysis: Box::new(Analysis { diagnosis, summary }) }
    }

    /// Settles the run without a diagnosis and gives the problem to show; nothing for one that is settled already.
    pub(super) fn exclude(&mut self) -> Option<Problem> {
        let LoadedRun::Pending { run, .. } = &mut self.run else { return None };
        let assembled = std::mem::take(run);
        let run = assembled.run();
        let file = run.files.first().map_or(run.name.as_str(), |file| file.path.as_str());
        let problem =
            Problem::new(file, Place::File, Weight::Lost, EXCLUDED, "Please report it: no run should do that.");
        let summary = RunSummary { headline: NO_DIAGNOSIS.to_owned(), ..RunSummary::undiagnosed(self.number, run) };
        let analysis = Box::new(Analysis { diagnosis: empty_diagnosis(), summary });
        self.run = LoadedRun::Excluded { run: assembled, analysis };
        Some(problem)
    }
}

/// True when the two differ in no more than the name: which runs are called the same shows only after the last file.
fn is_same_data(before: &mut Run, now: &mut Run) -> bool {
    before.name.clone_from(&now.name);
    before.is_same(now)
}

/// What a run is recognised by in another engine, and before its files are joined once more.
pub(super) fn identity_of(run: &Run) -> RunIdentity {
    let file = run.files.first().map(|file| file.path.clone()).unwrap_or_default();
    RunIdentity { id: run.id.clone(), file }
}

/// Headline of an excluded run.
const NO_DIAGNOSIS: &str = "Not diagnosed";
/// Why a run is excluded.
const EXCLUDED: &str = "The engine stopped while it diagnosed this run, so that the run has no verdict.";

/// A diagnosis of which nothing was computed.
fn empty_diagnosis() -> Diagnosis {
    Diagnosis { headline: NO_DIAGNOSIS.into(), summary: EXCLUDED.into(), ..Diagnosis::default() }
}
