//! The row with which a program that logs events says that it is done: `{"event": "done"}`.

use rundown_run::{Ending, Run, RunState};

/// Kinds of such rows; lower case.
const ENDS: [&str; 13] = [
    "complete", "completed", "done", "finish", "finished", "run_complete", "run_end", "run_finished", "train_end",
    "training_complete", "training_completed", "training_done", "training_finished",
];

/// True for a kind of row that says so.
pub(super) fn is_end(kind: &str) -> bool {
    ENDS.iter().any(|end| end.eq_ignore_ascii_case(kind))
}

/// Whether the last row so far says so. Several such rows are of parts of a run, such as its episodes.
#[derive(Debug, Default)]
pub(super) struct LastEvent {
    is_end: bool,
    ends: usize,
}

impl LastEvent {
    /// Adds a row.
    pub(super) fn add(&mut self, is_end: bool) {
        self.is_end = is_end;
        self.ends += usize::from(is_end);
    }

    /// Notes that the run came to its end where one row, the last, says so.
    pub(super) fn note(&self, run: &mut Run) {
        if self.is_end && self.ends == 1 {
            let evidence = vec!["the last row of the log says that the run is done".to_owned()];
            run.ending = Ending { state: RunState::Finished, evidence, ..Ending::default() };
        }
    }
}
