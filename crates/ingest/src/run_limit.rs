//! How many runs are read of one file, and the problem that is reported where it holds more.
//!
//! Every reader that can make several runs of a file uses this before it begins a further one: a file that names a run in
//! each of a million rows would take the memory that its values do not.

use rundown_format::counted;

use super::{Place, Problem, Weight};

/// More runs in one file than a page can compare.
pub(crate) const MAX_RUNS: usize = 20_000;

/// Counts what is left out of a file as it is of a run too many.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct RunLimit {
    left_out: u64,
}

impl RunLimit {
    /// True where a run is read beside so many others. Where it is not, the row that names it is counted.
    pub(crate) fn admits_beside(&mut self, others: usize) -> bool {
        let is_admitted = others < MAX_RUNS;
        self.left_out += u64::from(!is_admitted);
        is_admitted
    }

    /// What to tell the user, where something was left out: so many `things`, such as rows.
    pub(crate) fn problem(self, things: &str) -> Option<Problem> {
        let left_out = Some(self.left_out).filter(|left_out| *left_out > 0)?;
        let what = format!(
            "{left_out} {things} are left out: no more than {} are read of one file.",
            counted(MAX_RUNS, "run")
        );
        Some(Problem::here(Place::File, Weight::Partial, what, "Split the file by run."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_of_a_run_too_many_is_counted() {
        let mut limit = RunLimit::default();
        assert!(limit.admits_beside(MAX_RUNS - 1) && limit.problem("rows").is_none());
        assert!(!limit.admits_beside(MAX_RUNS) && !limit.admits_beside(MAX_RUNS));
        let what = limit.problem("rows").map(|problem| problem.what);
        assert_eq!(what.as_deref(), Some("2 rows are left out: no more than 20,000 runs are read of one file."));
    }
}
