//! How a log says that the run ended: done, stopped from outside, or by an error.
//!
//! An error counts only where the log ends with a traceback of the main process: code that a model wrote fails all day
//! long, and rollout workers print its errors. The check `run_crashed` quotes it, and that of logs that a tracker kept.

mod completion;
mod failure;
mod hydra;
mod traceback;

use super::progress::{ProgressBar, bars};
use crate::rows::plan;
pub(super) use completion::is_training_complete;
use failure::{FAILED_IN_CONDA, fault, last_words};
use hydra::HydraError;
use rundown_run::{Ending, Log, RunState, exception};
use traceback::Error;

/// Segments behind a fault of a process with which a log still ends: programs that a model wrote have some too.
const FAULT_TAIL: u32 = 5;

/// The last line about the end.
#[derive(Debug, Default)]
pub(crate) struct EndingDetector {
    found: Option<EndingSign>,
    error: Error,
    /// A shell's line on a process that ended by a fault, and the segments since.
    fault: Option<(&'static str, u32)>,
    /// What the last segment says of a training that failed.
    last_words: Option<&'static str>,
    hydra: HydraError,
    /// Last step and number of steps that the training's progress bar showed, and whether rows tell the steps better.
    progress: Option<(u64, u64)>,
    has_rows: bool,
    /// The run was done before the error: what stopped then was not the training.
    was_done: bool,
}

/// The sign of an ending in a line.
#[derive(Debug, Clone, Copy)]
struct EndingSign {
    state: RunState,
    /// Why, for a reader of the report.
    evidence: &'static str,
    /// It is a sentence of the program, such as "Training complete", which a later row refutes.
    is_sentence: bool,
    /// How long the training took by that sentence.
    seconds: Option<f64>,
}

impl EndingSign {
    fn new(state: RunState, evidence: &'static str) -> Self {
        Self { state, evidence, is_sentence: false, seconds: None }
    }
}

impl EndingDetector {
    /// Adds a segment that is no row of metrics. `mark` is what Ray put before it.
    pub(crate) fn add(&mut self, mark: &str, text: &str) {
        let is_below = std::mem::take(&mut self.error.is_inside) && mark.is_empty();
        let text = self.error.without_prefix(text);
        if !self.has_rows {
            let bar = bars(text).filter(is_of_training).last();
            self.progress = bar.map(|bar| (bar.done, bar.total)).or(self.progress);
            self.hydra.add(text);
        }
        self.last_words = last_words(text, self.has_rows).filter(|_| mark.is_empty());
        let earlier = self.fault.map(|(wording, since)| (wording, since.saturating_add(1)));
        self.fault = fault(text).filter(|_| mark.is_empty()).map(|wording| (wording, 0)).or(earlier);
        if self.error.is_ignored(text) {
            return;
        }
        if let Some(prefix) = traceback::start(text) {
            self.error.begin(prefix);
            let sign = self.found.take();
            self.was_done |= sign.is_some_and(|sign| sign.state == RunState::Finished);
            self.error.has_traceback |= mark.is_empty();
        } else if let Some(sign) = stopped(text).or_else(|| done(text)) {
            // What a framework logs at its end tells more than a sentence.
            let tells_less = sign.is_sentence && self.is_done();
            self.found = self.found.take().filter(|_| tells_less).or(Some(sign));
        } else if let Some(sign) =
            launcher(text).or_else(|| signalled(text)).filter(|_| mark.is_empty() && !self.is_done())
        {
            self.found = Some(sign);
        } else if let Some((class, _)) = is_below.then(|| exception(text)).flatten() {
            class.clone_into(&mut self.error.class);
            self.error.since = 0;
        } else if text.starts_with(hydra::HINT) && mark.is_empty() {
            self.error.since = 0;
        } else if text.starts_with(FAILED_IN_CONDA) && mark.is_empty() {
            self.error.is_reported = true;
        } else if !text.starts_with("wandb:") && !self.error.is_reported {
            // W&B's summary of a run that failed may be longer than the traceback.
            self.error.since = self.error.since.saturating_add(1);
            self.error.is_inside = mark.is_empty() && text.starts_with("  ");
            // Of a traceback whose start was cut off, as in a paste.
            self.error.has_traceback |= mark.is_empty() && traceback::is_frame(text);
        }
    }

    /// True where the training was done, whatever failed behind it.
    pub(crate) fn is_done(&self) -> bool {
        self.was_done || self.found.is_some_and(|sign| sign.state == RunState::Finished)
    }

    /// A line that looks like a row was read: a training that was complete is not the last one.
    pub(crate) fn goes_on(&mut self) {
        self.found = self.found.take().filter(|sign| !sign.is_sentence);
    }

    /// A row of metrics was read: the run went on after any sign of its end before. Not where the first rows follow a launcher's word
    /// on its failure: they were printed before.
    pub(crate) fn row(&mut self) {
        if self.has_rows || !self.error.is_reported {
            *self = Self { has_rows: true, ..Self::default() };
        }
    }

    /// A shell runs the next command: no output of the one before it follows.
    pub(crate) fn begin_command(&mut self) {
        self.error.is_reported = false;
    }

    /// True where the progress bar of a training without rows moved.
    pub(crate) fn has_progress(&self) -> bool {
        self.progress.is_some_and(|(done, _)| done > 0)
    }

    /// The Trainer summed up the training.
    pub(crate) fn totals(&mut self) {
        let evidence = "the log has the Trainer's closing line (train_runtime)";
        self.found = Some(EndingSign::new(RunState::Finished, evidence));
    }

    /// The seconds that the training took, as the program says at its end.
    pub(crate) fn seconds(&self) -> Option<f64> {
        self.found?.seconds
    }

    /// How the run ended, as far as the log says it.
    pub(crate) fn finish(self) -> Ending {
        let of = |state, evidence| Ending { state, evidence: vec![evidence], ..Ending::default() };
        if let Some(EndingSign { state, evidence, .. }) = self.found {
            return of(state, evidence.to_owned());
        }
        if let Some((evidence, _)) = self.fault.filter(|(_, since)| *since <= FAULT_TAIL && !self.was_done) {
            return of(RunState::Crashed, evidence.to_owned());
        }
        let Error { has_traceback, class, since, is_reported, .. } = self.error;
        let is_error = has_traceback && !class.is_empty() && since as usize <= Log::ERROR_TAIL;
        if let Some(words) = self.last_words.filter(|_| !is_error && !self.was_done) {
            return of(RunState::Crashed, words.to_owned());
        }
        if let Some(evidence) = self.hydra.evidence().filter(|_| !has_traceback) {
            return of(RunState::Crashed, evidence);
        }
        if is_reported && !is_error && !self.was_done {
            return of(RunState::Crashed, "conda says that its command failed".to_owned());
        }
        if self.was_done || !is_error {
            let stands = |(done, total)| of(RunState::Unknown, plan::bar_evidence(done, total));
            return self.progress.map(stands).unwrap_or_default();
        }
        if class == "KeyboardInterrupt" {
            let killed = of(RunState::Killed, "the log ends with an interrupt from the keyboard".to_owned());
            return Ending { interrupted: true, ..killed };
        }
        of(RunState::Crashed, format!("the log ends with an error: {class}"))
    }
}

fn stopped(text: &str) -> Option<EndingSign> {
    let killed = |evidence| Some(EndingSign::new(RunState::Killed, evidence));
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

/// What Ray and Abseil log in a process that gets a signal.
fn signalled(text: &str) -> Option<EndingSign> {
    let (_, rest) = text.split_once("*** SIG")?;
    let evidence = match rest.split(' ').next()? {
        "TERM" => "the log says that the process was ended from outside (SIGTERM)",
        "INT" => "the log says that the process was interrupted (SIGINT)",
        _ => return None,
    };
    rest.contains(" received at time").then(|| EndingSign::new(RunState::Killed, evidence))
}

/// Lines of torchrun and NCCL on a process that failed.
fn launcher(text: &str) -> Option<EndingSign> {
    if text.contains("Watchdog caught collective operation timeout") {
        let evidence = "the log says that a collective operation of NCCL timed out";
        return Some(EndingSign::new(RunState::Crashed, evidence));
    }
    let (_, code) = text.split_once("failed (exitcode: ").filter(|(before, _)| before.contains("multiprocessing"))?;
    let (state, evidence) = match code.split(')').next()? {
        "-9" => (
            RunState::Killed,
            "torchrun says that a process was killed (signal 9), as the system does when memory runs out",
        ),
        "-15" => (RunState::Killed, "torchrun says that a process was ended from outside (signal 15)"),
        _ => (RunState::Crashed, "torchrun says that a process failed"),
    };
    Some(EndingSign::new(state, evidence))
}

fn done(text: &str) -> Option<EndingSign> {
    let finished = |evidence| Some(EndingSign::new(RunState::Finished, evidence));
    if text.trim_start_matches(['\'', '"', '(']).starts_with("Final validation metrics") {
        return finished("the log has verl's final validation");
    }
    if text.ends_with("exits successfully.") && text.contains("launch.py") {
        return finished("DeepSpeed's launcher says that its process exited successfully");
    }
    if is_training_complete(text) {
        let sign = EndingSign::new(RunState::Finished, "the log says that the training is complete");
        return Some(EndingSign { is_sentence: true, seconds: completion::training_seconds(text), ..sign });
    }
    let is_full = |bar: ProgressBar<'_>| is_of_training(&bar) && bar.total > 0 && bar.done == bar.total;
    if bars(text).any(is_full) { finished("the training's progress bar reached its end") } else { None }
}

/// True for verl's bar over the steps of a training.
fn is_of_training(bar: &ProgressBar<'_>) -> bool {
    bar.name.ends_with("Training Progress")
}

#[cfg(test)]
mod tests;
