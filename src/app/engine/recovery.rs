//! What the engine was working on when it crashed, and so what the next one leaves out.
//!
//! The engine names its work before it begins ([`Work`]); of many files and runs the first engine names one now and then, and an engine
//! that replaces a crashed one names each (`Request::NameEach`). Requests overlap: between two slices of a file it answers questions. What it
//! named last among the requests that are not answered yet is what it crashed on.

use rundown_protocol::{PANICKED, RunIdentity, Work};

/// Why an engine stopped, from the error that the browser reports of its worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    OutOfMemory,
    /// A panic, or anything else.
    Crash,
}

impl StopReason {
    /// Reads the error. A failed allocation is a trap without a panic before it: `unreachable` in all browsers. Buffers
    /// of JavaScript fail with words of memory.
    pub fn of(error: &str) -> Self {
        let lower = error.to_ascii_lowercase();
        let words = ["unreachable", "out of memory", "allocation failed", "array length"];
        let is_memory = words.iter().any(|word| lower.contains(word));
        if is_memory && !error.contains(PANICKED) { Self::OutOfMemory } else { Self::Crash }
    }

    /// What to tell the user.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::OutOfMemory => {
                "The engine ran out of memory and was restarted. Drop fewer or smaller files at a time."
            }
            Self::Crash => "The engine stopped unexpectedly and was started again.",
        }
    }
}

/// The work of all unanswered requests, the last one named at the end.
#[derive(Debug, Default)]
pub struct WorkLog {
    begun: Vec<(u32, Work)>,
}

/// What the next engine leaves out.
#[derive(Debug, Clone, PartialEq)]
pub enum Culprit {
    /// A file, by its path.
    File(String),
    /// Runs that were being fetched, by their ids on the server.
    ServerRuns(Vec<String>),
    /// The diagnosis of a run, and the run's name.
    Run(RunIdentity, String),
    /// Everything that was added by this request: its parts could not be told apart.
    Added(u32),
    /// The answer to this request.
    Question(u32),
    /// Nothing: no work was named.
    Unknown,
}

impl WorkLog {
    /// Notes what request `id` is at now.
    pub fn begin(&mut self, id: u32, work: Work) {
        self.end(id);
        self.begun.push((id, work));
    }

    /// Notes that request `id` was answered.
    pub fn end(&mut self, id: u32) {
        self.begun.retain(|(begun, _)| *begun != id);
    }

    /// The request whose work was named last.
    pub fn last(&self) -> Option<u32> {
        self.begun.last().map(|(id, _)| *id)
    }

    /// What the engine crashed on. `adds_runs` is true for the requests that do; `oldest` is the oldest unanswered question,
    /// which the engine need not have named.
    pub fn culprit(&self, adds_runs: impl Fn(u32) -> bool, oldest: Option<u32>) -> Culprit {
        let Some((id, work)) = self.begun.last() else {
            return oldest.map_or(Culprit::Unknown, Culprit::Question);
        };
        match work {
            Work::Reading { file } => Culprit::File(file.clone()),
            Work::Fetching { runs, .. } if !runs.is_empty() => Culprit::ServerRuns(runs.clone()),
            Work::Diagnosing { run, name } => Culprit::Run(run.clone(), name.clone()),
            Work::Fetching { .. } | Work::Joining | Work::Answering if adds_runs(*id) => Culprit::Added(*id),
            Work::Answering => Culprit::Question(*id),
            Work::Fetching { .. } | Work::Joining | Work::Waiting => Culprit::Unknown,
        }
    }
}

impl Culprit {
    /// What is left out, as a sentence for the user; empty where nothing is.
    pub fn sentence(&self) -> String {
        match self {
            Self::File(path) => format!("It was reading {path}, which is now skipped."),
            Self::ServerRuns(runs) => format!("It was fetching {}, which is now skipped.", runs.join(" and ")),
            Self::Run(_, name) => format!("It was diagnosing {name}, which is now listed without a verdict."),
            Self::Added(_) => "It was joining the runs that were added last, which are now skipped.".to_owned(),
            Self::Question(_) => "It was computing a view, which will not be retried.".to_owned(),
            Self::Unknown => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(file: &str) -> Work {
        Work::Reading { file: file.to_owned() }
    }

    #[test]
    fn a_lack_of_memory_is_told_from_a_panic() {
        for error in [
            "Uncaught RuntimeError: unreachable",
            "RuntimeError: unreachable executed",
            "Uncaught RangeError: Array buffer allocation failed",
            "Uncaught RangeError: Invalid typed array length: 4194304",
            "InternalError: allocation size overflow: out of memory",
            &format!("Uncaught {}", rundown_protocol::OUT_OF_MEMORY),
        ] {
            assert_eq!(StopReason::of(error), StopReason::OutOfMemory, "{error}");
        }
        for error in [
            &format!("Uncaught {PANICKED}"),
            "Uncaught RuntimeError: memory access out of bounds",
            "Uncaught RangeError: Maximum call stack size exceeded",
            "",
        ] {
            assert_eq!(StopReason::of(error), StopReason::Crash, "{error}");
        }
        assert!(StopReason::OutOfMemory.sentence().contains("out of memory"));
    }

    #[test]
    fn the_last_work_that_was_not_answered_is_the_culprit() {
        let mut log = WorkLog::default();
        assert_eq!(log.culprit(|_| false, None), Culprit::Unknown);
        assert_eq!(log.culprit(|_| false, Some(3)), Culprit::Question(3), "lines are not named");
        log.begin(1, reading("a.csv"));
        log.begin(1, reading("b.csv"));
        assert_eq!(log.culprit(|id| id == 1, Some(3)), Culprit::File("b.csv".to_owned()));
        log.begin(4, Work::Answering);
        assert_eq!(log.culprit(|id| id == 1, None), Culprit::Question(4));
        log.end(4);
        assert_eq!(log.culprit(|id| id == 1, None), Culprit::File("b.csv".to_owned()));
        let run = RunIdentity { id: "r".to_owned(), file: "b.csv".to_owned() };
        log.begin(1, Work::Diagnosing { run: run.clone(), name: "amber".to_owned() });
        assert_eq!(log.culprit(|id| id == 1, None), Culprit::Run(run, "amber".to_owned()));
        log.end(1);
        assert_eq!(log.culprit(|_| false, None), Culprit::Unknown);
    }

    #[test]
    fn what_can_not_be_told_apart_is_left_out_together() {
        let mut log = WorkLog::default();
        log.begin(7, Work::Joining);
        assert_eq!(log.culprit(|id| id == 7, None), Culprit::Added(7));
        assert_eq!(log.culprit(|_| false, None), Culprit::Unknown, "a poll that adds nothing of the user's");
        log.begin(9, reading("small.csv"));
        log.begin(7, Work::Joining);
        assert_eq!(log.last(), Some(7));
        assert_eq!(log.culprit(|id| [7, 9].contains(&id), None), Culprit::Added(7), "two drops are read");
        log.begin(7, Work::Fetching { what: "3 events".to_owned(), runs: Vec::new() });
        assert_eq!(log.culprit(|id| id == 7, None), Culprit::Added(7));
        log.begin(7, Work::Fetching { what: "a, b".to_owned(), runs: vec!["a".to_owned(), "b".to_owned()] });
        let Culprit::ServerRuns(runs) = log.culprit(|id| id == 7, None) else { panic!("not the runs") };
        assert_eq!(runs, ["a", "b"]);
    }

    #[test]
    fn the_user_is_told_what_is_missing() {
        assert!(Culprit::File("a/b.csv".to_owned()).sentence().contains("a/b.csv"));
        assert!(Culprit::Run(RunIdentity::default(), "amber".to_owned()).sentence().contains("amber"));
        assert_eq!(Culprit::Unknown.sentence(), "");
    }
}
