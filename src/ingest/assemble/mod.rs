//! Everything of one drop, put together: pieces of one run become one run.
//!
//! The order in which files arrive means nothing: everything is sorted by path first, and pieces of a resumed run
//! by the time in their folder's name.

mod attach;
mod axiom_events;
mod dedup_problems;
mod join;
mod join_by_id;
mod origin;
mod overlap;
mod pieces;
mod reported;
mod resumed;
mod run_index;
mod run_names;
mod same_metrics;
mod server_extras;
mod sidecar_files;

use super::reader::{FileOutcome, Fragment, Role};
use super::{Place, Problem, Weight};
use crate::run::{FileFormat, Run};

use origin::{is_from_server, is_sidecar_only, is_trainer_state, is_wandb, path_of};
use run_index::RunIndex;

/// What the files of one drop gave, file by file.
#[derive(Debug, Default)]
pub struct Intake {
    fragments: Vec<Fragment>,
    problems: Vec<Problem>,
    passed_over: u64,
}

/// Runs, and what could not be read.
#[derive(Debug, Clone, Default)]
pub struct Ingested {
    /// The runs: those that were there already first, in their order, then the new ones by path; behind them, in the same
    /// order, those of reports.
    pub runs: Vec<Run>,
    /// The problems, by file.
    pub problems: Vec<Problem>,
}

impl Intake {
    /// Adds what one file gave. The order of files does not matter.
    pub fn add(&mut self, outcome: FileOutcome) {
        self.fragments.extend(outcome.fragments);
        self.problems.extend(outcome.problems);
        self.passed_over += u64::from(outcome.taken_for == FileFormat::Ignored);
    }

    /// True when a piece is a newer state of this run, from the server that both came from: it takes the run's place.
    pub fn renews(&self, run: &Run) -> bool {
        let is_newer =
            |piece: &Fragment| piece.run.id == run.id && is_from_server(&piece.run) && !server_extras::is_extra(piece);
        is_from_server(run) && self.fragments.iter().any(is_newer)
    }

    /// Keeps what came on demand beside a run whose newer state takes its place.
    pub fn keep_besides(&mut self, run: Run) {
        if let Some(piece) = server_extras::of(run) {
            // First: what comes with the newer state counts.
            self.fragments.insert(0, piece);
        }
    }

    /// Joins the pieces, with each other and with the runs that are there already, and settles the step axis of
    /// every run that changed.
    pub fn assemble(self, already: Vec<Run>) -> Ingested {
        let mut problems = self.problems;
        let mut sorted = self.fragments;
        sorted.sort_by(|a, b| path_of(&a.run).cmp(path_of(&b.run)));
        let sorted = join_by_id::join(sorted);
        let mut kinds = Kinds::default();
        for mut fragment in sorted {
            fragment.run.note_origins();
            kinds.sort(fragment);
        }

        let (already_reported, already): (Vec<Run>, Vec<Run>) =
            already.into_iter().partition(|run| run.reported.is_some());
        let mut index = RunIndex::new(already);
        for run in run_index::by_time(kinds.wandb) {
            problems.extend(index.add_wandb(run));
        }
        index.settle_axes();
        for run in attach::latest_checkpoints(kinds.trainer_states) {
            problems.extend(place(&mut index, run, attach::trainer_state));
        }
        index.settle_axes();
        for run in pieces::join(kinds.others) {
            problems.extend(place(&mut index, run, attach::same_numbers));
            index.settle_axes();
        }
        problems.extend(pieces::attach(&mut index, kinds.attachments));
        // A log with metrics may be the run that the one without them lies beside.
        // And one that was started again comes behind the one that it continues.
        let order = |log: &Fragment| (log.run.row_steps.is_empty(), resumed::first_step(&log.run));
        kinds.logs.sort_by(|a, b| order(a).0.cmp(&order(b).0).then(order(a).1.total_cmp(&order(b).1)));
        for mut log in kinds.logs {
            log.run.choose_axis(None);
            problems.extend(attach::log(&mut index, log));
            index.settle_axes();
        }
        let (said, alone) = sidecar_files::attach(&mut index, kinds.sides);
        problems.extend(said);
        server_extras::attach(&mut index, kinds.besides);
        let runs = reported::beside(axiom_events::attach(index.into_runs()), already_reported, kinds.reported);
        if runs.is_empty() && problems.is_empty() && self.passed_over + alone > 0 {
            problems.push(side_files_alone(self.passed_over + alone));
        }
        Ingested { runs, problems: dedup_problems::tidy(problems) }
    }
}

/// Adds a piece to the run that it belongs to, or else as a run of its own.
fn place(
    index: &mut RunIndex,
    mut run: Run,
    attach: fn(&mut RunIndex, Run) -> Result<(), Box<Run>>,
) -> Option<Problem> {
    run_names::settle(&mut run);
    run.choose_axis(None);
    match attach(index, run) {
        Ok(()) => None,
        Err(run) => index.add_other(*run),
    }
}

/// Pieces by what they need.
#[derive(Default)]
struct Kinds {
    wandb: Vec<Run>,
    trainer_states: Vec<Run>,
    others: Vec<Run>,
    logs: Vec<Fragment>,
    attachments: Vec<Fragment>,
    sides: Vec<Fragment>,
    besides: Vec<Fragment>,
    reported: Vec<Run>,
}

impl Kinds {
    fn sort(&mut self, fragment: Fragment) {
        if fragment.run.reported.is_some() {
            self.reported.push(fragment.run);
        } else if server_extras::is_extra(&fragment) {
            self.besides.push(fragment);
        } else if fragment.role == Role::Attachment && pieces::is_attachment(&fragment) {
            self.attachments.push(fragment);
        } else if is_sidecar_only(&fragment.run) {
            self.sides.push(fragment);
        } else if fragment.role == Role::Attachment {
            self.logs.push(fragment);
        } else if is_wandb(&fragment.run) {
            self.wandb.push(fragment.run);
        } else if is_trainer_state(path_of(&fragment.run)) {
            self.trainer_states.push(fragment.run);
        } else {
            self.others.push(fragment.run);
        }
    }
}

/// Silence about side files is right only beside a run.
fn side_files_alone(files: u64) -> Problem {
    let what = format!("No file here holds a history: {files} lie beside one, such as config.yaml or media.");
    Problem::new("", Place::File, Weight::Remark, what, "Drop the whole run folder: the history is in the .wandb file.")
}
