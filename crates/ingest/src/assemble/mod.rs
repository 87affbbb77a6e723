//! Everything of one drop, put together: pieces of one run become one run.
//!
//! The order in which files arrive means nothing: everything is sorted by path first, and pieces of a resumed run
//! by the time in their folder's name.

mod attach;
mod axiom_events;
mod counted_alike;
mod dedup_problems;
mod equal_names;
mod event_files;
mod event_settings;
mod join_by_id;
mod log_names;
mod media_by_step;
mod metric_files;
mod mlflow_folders;
mod origin;
mod overlap;
mod pieces;
mod reported;
mod resumed;
mod run_index;
mod run_names;
mod same_metrics;
mod secret_names;
mod server_extras;
mod sidecar_files;
mod starts;
mod state_copies;

use super::reader::FileOutcome;
use super::{Place, Problem, Weight};
use crate::rows::sums::{add_means, add_shares};
use crate::{AssembledRun, PartKind, PartialRun, ReportedRun};
use rundown_run::{FileFormat, Run};
use rundown_stats::CompactSort;

use attach::resumed_files::joined_by_folder;
pub use mlflow_folders::MlflowFolders;
use origin::{is_from_server, is_saved_state, is_trainer_state, is_wandb, path_of};
use run_index::RunIndex;

/// Collects what files gave, and joins it to runs.
#[derive(Debug, Default)]
pub struct RunAssembler {
    parts: Vec<PartialRun>,
    mlflow: MlflowFolders,
    /// Runs of reports that are loaded already.
    reported: Vec<ReportedRun>,
    problems: Vec<Problem>,
    ignored: u64,
}

/// Runs, and what could not be read.
#[derive(Debug, Clone, Default)]
pub struct Ingested {
    /// Runs with their data: loaded ones first, in their order, then the new ones by path.
    pub runs: Vec<Run>,
    /// Runs of which only a report is there, in the same order.
    pub reported: Vec<ReportedRun>,
    /// The problems, by file.
    pub problems: Vec<Problem>,
    /// Paths of files that lie beside a run, such as `config.yaml`, whose run did not come with them.
    pub without_run: Vec<String>,
}

impl Ingested {
    /// All runs, those of reports last.
    pub fn into_all(self) -> impl Iterator<Item = AssembledRun> {
        self.runs.into_iter().map(AssembledRun::Measured).chain(self.reported.into_iter().map(AssembledRun::Reported))
    }
}

impl RunAssembler {
    /// Adds what one file gave. The order of files does not matter.
    pub fn add(&mut self, outcome: FileOutcome) {
        self.parts.extend(outcome.parts.into_iter().filter_map(|part| self.mlflow.add(part)));
        self.problems.extend(outcome.problems);
        self.ignored += u64::from(outcome.format == FileFormat::Ignored);
    }

    /// True when a piece is a newer state of this run, from the server that both came from: it takes the run's place.
    pub fn renews(&self, run: &Run) -> bool {
        let is_newer = |piece: &PartialRun| {
            piece.run.id == run.id && is_from_server(&piece.run) && !server_extras::is_extra(piece)
        };
        is_from_server(run) && self.parts.iter().any(is_newer)
    }

    /// Adds a run of a report that is loaded already.
    pub fn add_reported(&mut self, reported: ReportedRun) {
        self.reported.push(reported);
    }

    /// Keeps what was fetched on demand beside a run whose newer state takes its place.
    pub fn keep_extras(&mut self, run: Run) {
        if let Some(piece) = server_extras::of(run) {
            // First: what comes with the newer state counts.
            self.parts.insert(0, piece);
        }
    }

    /// Joins the pieces, with each other and with the runs that are there already, and settles the step axis of
    /// every run that changed.
    pub fn assemble(self, already: Vec<Run>) -> Ingested {
        let mut problems = self.problems;
        let mut sorted = self.mlflow.into_parts();
        sorted.extend(self.parts);
        sorted.compact_sort_by(|a, b| path_of(&a.run).cmp(path_of(&b.run)));
        let sorted = join_by_id::join(sorted);
        let mut kinds = PartsByKind::default();
        for mut part in sorted {
            secret_names::hide(&mut part.run);
            starts::leave_out_fine_tuning(&mut part.run);
            add_means(&mut part.run);
            add_shares(&mut part.run);
            part.run.note_origins();
            kinds.add(part);
        }

        let known = already.len();
        let mut index = RunIndex::new(already);
        for run in run_index::by_time(kinds.wandb) {
            problems.extend(index.add_wandb(run));
        }
        index.settle_axes();
        let (trainer_states, others) =
            state_copies::join(attach::latest_checkpoints(kinds.trainer_states), kinds.others);
        for run in trainer_states {
            problems.extend(place(&mut index, run, attach::trainer_state));
        }
        index.settle_axes();
        let others = joined_by_folder(pieces::join(others), metric_files::join_folder);
        let others = metric_files::of_one_name::join_runs(others);
        for run in joined_by_folder(others, attach::resumed_files::join_folder) {
            problems.extend(place(&mut index, run, attach::same_numbers));
            index.settle_axes();
        }
        problems.extend(pieces::attach(&mut index, kinds.supplements));
        // A log with metrics may be the run that the one without them lies beside.
        // And one that was started again comes behind the one that it continues.
        // One whose name does not name its job comes last: it is of the only run there, if there is only one.
        let order = |log: &PartialRun| {
            let is_bare = log.run.row_steps.is_empty();
            ((is_bare, is_bare && log_names::is_unnamed(path_of(&log.run))), resumed::first_step(&log.run))
        };
        kinds.logs.compact_sort_by(|a, b| order(a).0.cmp(&order(b).0).then(order(a).1.total_cmp(&order(b).1)));
        for mut log in kinds.logs {
            log.run.choose_axis();
            problems.extend(attach::log(&mut index, log));
            index.settle_axes();
        }
        let (of_sidecars, without_run) = sidecar_files::attach(&mut index, kinds.sidecars);
        problems.extend(of_sidecars);
        let beside = self.ignored + without_run.len() as u64 + kinds.saved_states;
        server_extras::attach(&mut index, kinds.extras);
        let mut runs = attach::named_rows::join_runs(index.into_runs(), known);
        equal_names::disambiguate(&mut runs, known);
        let mut runs = starts::split(axiom_events::attach(runs));
        runs.iter_mut().for_each(|run| run.config.remove_copies());
        run_names::settings::add(&mut runs);
        let reported = reported::without_duplicates(&runs, self.reported, kinds.reported);
        if runs.is_empty() && reported.is_empty() && problems.is_empty() && beside > 0 {
            problems.push(no_history(beside));
        }
        Ingested { runs, reported, problems: dedup_problems::dedup(problems), without_run }
    }
}

/// Adds a piece to the run that it belongs to, or else as a run of its own.
fn place(
    index: &mut RunIndex,
    mut run: Run,
    attach: fn(&mut RunIndex, Run) -> Result<(), Box<Run>>,
) -> Option<Problem> {
    run_names::settle(&mut run);
    run.choose_axis();
    match attach(index, run) {
        Ok(()) => None,
        Err(run) => index.add_other(*run),
    }
}

/// Parts by how they are joined.
#[derive(Default)]
struct PartsByKind {
    wandb: Vec<Run>,
    trainer_states: Vec<Run>,
    others: Vec<Run>,
    logs: Vec<PartialRun>,
    supplements: Vec<PartialRun>,
    sidecars: Vec<PartialRun>,
    extras: Vec<PartialRun>,
    reported: Vec<ReportedRun>,
    /// Number of files that hold one state of a training and no history.
    saved_states: u64,
}

impl PartsByKind {
    fn add(&mut self, part: PartialRun) {
        match part.kind {
            PartKind::Report(report) => self.reported.push(ReportedRun { run: part.run, report }),
            PartKind::ServerExtras => self.extras.push(part),
            PartKind::Supplement => self.supplements.push(part),
            PartKind::Sidecar => self.sidecars.push(part),
            PartKind::ConsoleLog | PartKind::StartedLog => self.logs.push(part),
            PartKind::History if is_wandb(&part.run) => self.wandb.push(part.run),
            PartKind::History if is_trainer_state(path_of(&part.run)) => self.trainer_states.push(part.run),
            PartKind::History if is_saved_state(&part.run) => self.saved_states += 1,
            PartKind::History => self.others.push(part.run),
        }
    }
}

/// The problem with a drop of sidecar files, saved states and ignored files alone; beside a run they are not reported.
fn no_history(files: u64) -> Problem {
    let what = format!("No file here holds a history: {files} lie beside one, such as config.yaml or media.");
    Problem::new("", Place::File, Weight::Remark, what, "Drop the whole run folder: the history is in the .wandb file.")
}
