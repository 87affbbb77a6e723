//! What to do about a run that did not end well, by its state and its error.

use super::AbnormalEnd;
use super::last_error::{ErrorKind, LastError};
use super::phase::{Phase, TRACEBACK_LINES};
use crate::advice::resume::{CORRECT, RESUME, RESUME_STOPPED, WATCH, resume};
use crate::advice::{Advice, NewValue};
use crate::topics::parts_in_use::{VLLM_SHARES, vllm_may_hold_less};
use rundown_run::{Run, RunState};

/// For a run of which hardly anything was trained yet.
const fn start(change: &'static str) -> Advice {
    Advice::Do([
        change,
        "the run gets past this point",
        "none: hardly anything was trained yet",
        "the first logged steps",
    ])
}

static FREE_DISK: Advice = Advice::Resume {
    saved: [
        "Free disk space (df -h, old checkpoints), keep fewer checkpoints, then resume from the last complete one",
        "checkpoints can be written",
        "the last checkpoint may be incomplete",
        "the next checkpoint is written",
    ],
    unsaved: [
        "Free disk space (df -h, old checkpoints), then start again and keep fewer checkpoints: by its settings none was written yet",
        "checkpoints can be written",
        "none",
        "the first checkpoint is written",
    ],
};
/// Not `nohup`: PyTorch's elastic agent sets a handler of its own for the signal that `nohup` lets a program ignore.
static DETACH: Advice = resume(
    "none",
    [
        "Its terminal was closed: resume from the last checkpoint in tmux, under setsid or as a job of a scheduler",
        "keeps the steps so far, and the run outlives the session",
    ],
    [
        "Its terminal was closed: start again in tmux, under setsid or as a job of a scheduler, and save more often: by its settings no checkpoint was written yet",
        "the run outlives the session",
    ],
);
static START: Advice = start("Correct what the error names, then start again");
static START_AGAIN: Advice =
    start("Find out who or what stopped it (a person, a time limit, memory), then start again");
static SMALLER: Advice = Advice::Do([
    "Lower the max completion length or halve the batch per device",
    "less memory at the peak",
    "slower",
    WATCH,
]);
static FREE_ELSEWHERE: Advice = Advice::Do([
    "Look at what else holds the GPU's memory (nvidia-smi): a sampler that was not put to sleep, another job, a process that was left over",
    "frees what the trainer does not hold",
    "none",
    WATCH,
]);
static SHARD: Advice = Advice::Do([
    "Spread the models over more GPUs (FSDP, tensor or pipeline parallel), load them in bf16, or offload optimiser and reference",
    "the weights fit: no batch was trained yet",
    "slower steps",
    "the models are loaded",
]);
static CHECK_SAVED: Advice = Advice::Do([
    "Check that the final model was saved; otherwise use the last checkpoint",
    "all steps were taken: nothing needs to be trained again",
    "none",
    "the saved model scores as in the last evaluation",
]);
static LESS_FOR_VLLM: Advice = Advice::Set {
    keys: &VLLM_SHARES,
    words: "vLLM's share of the GPU memory",
    to: NewValue::Number(0.5),
    texts: [
        "leaves memory to the trainer, and to activations and the copy of the weights while responses are sampled",
        "fewer parallel samples",
        WATCH,
    ],
};
static SMALLER_UPDATES: Advice = Advice::Do([
    "Lower the learning rate to a half and clip gradients at 0.5",
    "keeps parameters finite",
    "slower",
    "gradient norm below 10",
]);
static WIDER_NUMBERS: Advice =
    Advice::Do(["Use bf16 or keep the LM head in fp32", "removes overflow", "memory", "no NaN in loss and KL"]);
static RESUME_INTERRUPTED: Advice = resume(
    "none",
    ["Resume from the last checkpoint, unless it was stopped for a reason", "keeps the steps so far"],
    [
        "Start again, unless it was stopped for a reason: by its settings no checkpoint was written yet",
        "all of its steps are taken",
    ],
);
static ONCE_MORE: Advice = start("Start again, unless it was stopped for a reason");

/// What a traceback names where the models are loaded.
const LOADING: [&str; 4] = ["init_model", "from_pretrained", "load_model", "init_workers"];

/// How far a run came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reached {
    /// No step was logged.
    NoStep,
    /// The first few of many planned ones.
    FirstSteps,
    /// Some of the planned ones, or of an unknown number.
    SomeSteps,
    /// All that were planned.
    AllSteps,
}

/// What to try, the best first.
pub(super) fn actions(
    run: &Run,
    end: AbnormalEnd,
    error: Option<&LastError>,
    reached: Reached,
) -> Vec<&'static Advice> {
    match (end, reached) {
        (AbnormalEnd::AfterTraining, _) | (_, Reached::AllSteps) => vec![&CHECK_SAVED],
        (AbnormalEnd::ByHand, Reached::SomeSteps) => vec![&RESUME_INTERRUPTED],
        (AbnormalEnd::ByHand, _) => vec![&ONCE_MORE],
        (_, Reached::SomeSteps) => between_steps(run, error),
        _ => before_checkpoint(run, error, reached),
    }
}

/// Nothing, or next to nothing, was trained: there is no checkpoint to go on from.
fn before_checkpoint(run: &Run, error: Option<&LastError>, reached: Reached) -> Vec<&'static Advice> {
    let is_trained = reached == Reached::FirstSteps;
    match error {
        Some(error) if error.kind == ErrorKind::OutOfMemory && !is_trained && is_loading(run) => vec![&SHARD],
        Some(error) if error.kind == ErrorKind::OutOfMemory => less_memory(run, error),
        Some(error) if error.kind == ErrorKind::NotFinite && is_trained => vec![&SMALLER_UPDATES, &WIDER_NUMBERS],
        Some(error) if run.ending.state != RunState::Killed && error.kind != ErrorKind::WorkerGone => vec![&START],
        _ => vec![&START_AGAIN],
    }
}

fn between_steps(run: &Run, error: Option<&LastError>) -> Vec<&'static Advice> {
    if run.ending.state == RunState::Killed {
        let is_hang_up = error.is_some_and(|error| is_hang_up(&error.line));
        return if is_hang_up { vec![&DETACH] } else { vec![&RESUME_STOPPED] };
    }
    let Some(error) = error else { return vec![&RESUME] };
    match error.kind {
        ErrorKind::OutOfMemory => less_memory(run, error).into_iter().chain([&RESUME]).collect(),
        ErrorKind::NotFinite => vec![&SMALLER_UPDATES, &WIDER_NUMBERS, &RESUME],
        ErrorKind::NotWritten => vec![&FREE_DISK],
        ErrorKind::WorkerGone => vec![&RESUME_STOPPED],
        ErrorKind::Other => vec![&CORRECT],
    }
}

fn less_memory(run: &Run, error: &LastError) -> Vec<&'static Advice> {
    // A smaller batch frees little where the trainer holds little.
    let is_elsewhere = error.gpu_memory.is_some_and(|memory| memory.is_held_elsewhere());
    let first =
        if is_elsewhere { &FREE_ELSEWHERE } else { Phase::of(run).map_or(&SMALLER, |phase| phase.smaller(run)) };
    let vllm = vllm_may_hold_less(run).then_some(&LESS_FOR_VLLM);
    [first].into_iter().chain(vllm).collect()
}

/// True for a log that ends in a traceback through the loading of a model.
fn is_loading(run: &Run) -> bool {
    let mut tail = run.log.lines.iter().rev().take(TRACEBACK_LINES);
    tail.any(|line| LOADING.iter().any(|name| line.text.contains(name)))
}

/// True for a line that names the signal of a terminal that was closed, as PyTorch's elastic agent writes it.
fn is_hang_up(line: &str) -> bool {
    line.contains("SIGHUP") || line.trim_end().ends_with("got signal: 1")
}
