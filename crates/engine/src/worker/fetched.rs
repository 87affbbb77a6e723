//! What was fetched from a server, on its way into the session.

use rundown_ingest::{FileOutcome, PartialRun, Problem};
use rundown_run::FileFormat;
use rundown_wandb::Download;

/// What was fetched: pieces of runs, and what went wrong.
#[derive(Default)]
pub struct Fetched {
    /// One for each run.
    pub outcomes: Vec<FileOutcome>,
    /// What went wrong, for the user; empty when nothing did.
    pub fault: String,
}

impl Fetched {
    /// Adds a run as far as it arrived.
    pub fn add(&mut self, download: &Download) {
        let (part, problems) = download.part();
        self.add_piece(part, problems);
    }

    /// Adds a piece of a run with its problems.
    pub fn add_piece(&mut self, piece: PartialRun, problems: Vec<Problem>) {
        let format = FileFormat::WandbApi;
        self.outcomes.push(FileOutcome { parts: vec![piece], problems, format });
    }
}
