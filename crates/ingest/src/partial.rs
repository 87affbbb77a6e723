//! A run before it is whole, and the result of joining: what one file holds, and runs known from their data or from a
//! report alone.

use rundown_run::Run;
use rundown_schema::report::RunReport;

/// What one file holds of a run, before the files of one run are joined.
#[derive(Debug, Clone, PartialEq)]
pub struct PartialRun {
    /// The data of the file. Its step axis is not chosen yet.
    pub run: Run,
    /// What the file is to its run.
    pub kind: PartKind,
    /// Folder of the file, as dropped; empty at the top.
    pub folder: String,
}

impl PartialRun {
    /// What a reader found in its file: the folder is noted when the file is finished.
    pub(crate) fn of(run: Run, kind: PartKind) -> Self {
        Self { run, kind, folder: String::new() }
    }
}

/// What a file is to its run, which decides how it is joined.
#[derive(Debug, Clone, PartialEq)]
pub enum PartKind {
    /// Holds a history: a run by itself, unless other files hold the same run.
    History,
    /// Console output: belongs to the run of its folder, and is a run by itself where it has metrics and no run is there.
    ConsoleLog,
    /// Console output with the settings and the progress of a training and no metrics: a run by itself where none is
    /// there, as its settings are in no other file.
    StartedLog,
    /// Settings, machine metrics or samples from a table, for a run whose history is in another file.
    Supplement,
    /// A file that W&B keeps beside a run, such as `config.yaml`.
    Sidecar,
    /// Tables, files and artifacts that a server has beside a run that was fetched from it.
    ServerExtras,
    /// A run of a JSON report.
    Report(Box<RunReport>),
}

/// A run known from a JSON report alone. It joins no other run and is not diagnosed again: its curves are thinned, and
/// what was found with all values stands in the report.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReportedRun {
    /// Identity, settings, final values and thinned curves.
    pub run: Run,
    /// The run's part of the report.
    pub report: Box<RunReport>,
}

/// A run after joining.
#[derive(Debug, Clone, PartialEq)]
pub enum AssembledRun {
    /// A run with its data.
    Measured(Run),
    /// A run known from its report alone.
    Reported(ReportedRun),
}

impl AssembledRun {
    /// Identity, settings and curves of either kind.
    pub fn run(&self) -> &Run {
        match self {
            AssembledRun::Measured(run) | AssembledRun::Reported(ReportedRun { run, .. }) => run,
        }
    }

    /// The same, to be changed.
    pub fn run_mut(&mut self) -> &mut Run {
        match self {
            AssembledRun::Measured(run) | AssembledRun::Reported(ReportedRun { run, .. }) => run,
        }
    }
}

impl Default for AssembledRun {
    fn default() -> Self {
        AssembledRun::Measured(Run::default())
    }
}
