//! How a log says that the run ended: done, or stopped from outside.
//!
//! An exception is no matter of this file: the check `run_crashed` reads it from the last lines of the log.

use super::progress::bars;
use crate::run::{Ending, RunState};

/// The last thing that was said about the end.
#[derive(Debug, Default)]
pub(crate) struct LastWords {
    said: Option<(RunState, &'static str)>,
}

impl LastWords {
    /// Looks at a segment that is no row of metrics.
    pub(crate) fn take(&mut self, text: &str) {
        if text.contains("Traceback (most recent call last)") {
            // An error after the end is not for this file to judge.
            self.said = None;
        } else if let Some(said) = stopped(text).or_else(|| done(text)) {
            self.said = Some(said);
        }
    }

    /// A row of metrics was read: whatever was said before, the run went on.
    pub(crate) fn row(&mut self) {
        self.said = None;
    }

    /// The Trainer summed up the training.
    pub(crate) fn totals(&mut self) {
        self.said = Some((RunState::Finished, "the log has the Trainer's closing line (train_runtime)"));
    }

    /// How the run ended, as far as the log says it.
    pub(crate) fn finish(self) -> Ending {
        let Some((state, evidence)) = self.said else { return Ending::default() };
        Ending { state, evidence: vec![evidence.to_owned()], ..Ending::default() }
    }
}

fn stopped(text: &str) -> Option<(RunState, &'static str)> {
    let killed = |evidence| Some((RunState::Killed, evidence));
    if text.contains("CANCELLED AT") && text.contains("slurmstepd") {
        return match text.contains("TIME LIMIT") {
            true => killed("the log says that Slurm cancelled the job at its time limit"),
            false => killed("the log says that Slurm cancelled the job"),
        };
    }
    if text.contains("oom_kill event") || text.contains("oom-kill event") {
        return killed("the log says that the system killed a process because memory ran out");
    }
    if text.contains("SignalException") && text.contains("got signal") {
        return killed("the log ends with a signal that was sent from outside");
    }
    // What a shell says of a process that was killed: `run.sh: line 3: 4242 Killed   python train.py`.
    let is_shells = text == "Killed" || (text.contains(": line ") && text.contains(" Killed "));
    if is_shells { killed("the shell says that the process was killed") } else { None }
}

fn done(text: &str) -> Option<(RunState, &'static str)> {
    let finished = |evidence| Some((RunState::Finished, evidence));
    if text.trim_start_matches(['\'', '"', '(']).starts_with("Final validation metrics") {
        return finished("the log has verl's final validation");
    }
    let is_full = |bar: super::progress::Bar<'_>| {
        bar.name.ends_with("Training Progress") && bar.total > 0 && bar.done == bar.total
    };
    if bars(text).any(is_full) { finished("the training's progress bar reached its end") } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(lines: &[&str]) -> RunState {
        let mut words = LastWords::default();
        lines.iter().for_each(|line| words.take(line));
        words.finish().state
    }

    #[test]
    fn the_end_is_told_from_an_error() {
        let end = "Training Progress: 100%|##| 2/2 [00:01<00:00]";
        assert_eq!(state(&[end]), RunState::Finished);
        assert_eq!(state(&["('Final validation metrics: '"]), RunState::Finished);
        assert_eq!(state(&[end, "Traceback (most recent call last):"]), RunState::Unknown);
        assert_eq!(state(&["Training Progress:  50%|#| 1/2 [00:01<00:00]"]), RunState::Unknown);
    }

    #[test]
    fn signals_and_schedulers_are_known() {
        for line in [
            "Killed",
            "run.sh: line 3: 4242 Killed                  python train.py",
            "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***",
            "x.api.SignalException: Process 12152 got signal: 1",
        ] {
            assert_eq!(state(&["Traceback (most recent call last):", line]), RunState::Killed, "{line}");
        }
        assert_eq!(state(&["Killed the old server", "the signal is strong"]), RunState::Unknown);
    }

    #[test]
    fn a_run_that_goes_on_has_not_ended() {
        let mut words = LastWords::default();
        words.take("Killed");
        words.row();
        assert_eq!(words.finish().state, RunState::Unknown);
    }
}
