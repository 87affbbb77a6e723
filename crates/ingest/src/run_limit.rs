//! How many runs are read of one file, and the problem that is reported where it holds more.
//!
//! Readers of tables, lists and events, in which each row may name a run, use this before they begin a further one: a file
//! that names a run in each of a million rows would take the memory that its values do not.

use rundown_format::{counted, plural};

use super::{Place, Problem, Weight};

/// More runs in one file than a page can compare.
pub(crate) const MAX_RUNS: usize = 20_000;

/// Counts the rows, runs, events or columns of a file that are left out because their run is beyond the limit.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct RunLimit {
    left_out: usize,
}

impl RunLimit {
    /// True where a run is read beside so many others. Where it is not, the row that names it is counted.
    pub(crate) fn admits_beside(&mut self, others: usize) -> bool {
        let is_admitted = others < MAX_RUNS;
        self.left_out += usize::from(!is_admitted);
        is_admitted
    }

    /// The problem to report where something was left out; `thing` is what was counted, such as `row`.
    pub(crate) fn problem(self, thing: &str) -> Option<Problem> {
        let left_out = Some(self.left_out).filter(|left_out| *left_out > 0)?;
        let what = format!(
            "{} {} left out: no more than {} are read of one file.",
            counted(left_out, thing),
            plural(left_out, "is", "are"),
            counted(MAX_RUNS, "run")
        );
        Some(Problem::here(Place::File, Weight::Partial, what, "Split the file by run."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_the_limit_is_counted() {
        let mut limit = RunLimit::default();
        assert!(limit.admits_beside(MAX_RUNS - 1) && limit.problem("row").is_none());
        assert!(!limit.admits_beside(MAX_RUNS) && !limit.admits_beside(MAX_RUNS));
        let what = limit.problem("row").map(|problem| problem.what);
        assert_eq!(what.as_deref(), Some("2 rows are left out: no more than 20,000 runs are read of one file."));
    }
}
