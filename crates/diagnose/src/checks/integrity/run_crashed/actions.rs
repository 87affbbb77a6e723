//! What to do about a run that did not end well, by its state and its error.

use super::last_error::{ErrorKind, LastError};
use crate::Severity;
use crate::advice::Advice;
use crate::topics::parts_in_use::VLLM_SHARES;
use rundown_run::RunState;

const WATCH: &str = "the run passes this step";
static RESUME: Advice = Advice::Do([
    "Resume from the last checkpoint",
    "keeps the steps so far",
    "the same error again",
    "the first steps after it",
]);
static CORRECT: Advice = Advice::Do([
    "Correct what the error names, then resume from the last checkpoint",
    "keeps the steps so far",
    "the same error again, where its cause is another",
    "the first steps after it",
]);
static RESUME_STOPPED: Advice = Advice::Do([
    "Find out who or what stopped it (a person, a time limit, memory), then resume from the last checkpoint",
    "keeps the steps so far",
    "it is stopped again",
    "the first steps after it",
]);
static DETACH: Advice = Advice::Do([
    "Its terminal was closed: resume from the last checkpoint in tmux, under nohup or as a job of a scheduler",
    "keeps the steps so far, and the run outlives the session",
    "none",
    "the first steps after it",
]);
static START: Advice = Advice::Do([
    "Correct what the error names, then start again",
    "the first step is reached",
    "none: nothing was trained yet",
    "the first logged step",
]);
static START_AGAIN: Advice = Advice::Do([
    "Find out who or what stopped it (a person, a time limit, memory), then start again",
    "the first step is reached",
    "none: nothing was trained yet",
    "the first logged step",
]);
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
static LESS_FOR_VLLM: Advice = Advice::Set {
    keys: &VLLM_SHARES,
    words: "vLLM's share of the GPU memory",
    to: "0.5",
    texts: ["leaves memory to the trainer", "fewer parallel samples", WATCH],
};
static SMALLER_UPDATES: Advice = Advice::Do([
    "Lower the learning rate to a half and clip gradients at 0.5",
    "keeps parameters finite",
    "slower",
    "gradient norm below 10",
]);
static WIDER_NUMBERS: Advice =
    Advice::Do(["Use bf16 or keep the LM head in fp32", "removes overflow", "memory", "no NaN in loss and KL"]);
static ONCE_MORE: Advice = Advice::Do([
    "Start again, unless it was stopped for a reason",
    "the first step is reached",
    "none: nothing was trained yet",
    "the first logged step",
]);

/// Where the memory of a GPU was in use when it ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MemoryUse {
    /// Most of it was in use outside of the process that failed.
    pub is_elsewhere: bool,
    /// vLLM may be given a smaller share.
    pub vllm_may_hold_less: bool,
}

/// What to try, the best first; `memory` of a run that ran out of it, `has_steps` where any step was logged.
pub(super) fn actions(
    state: RunState,
    severity: Severity,
    error: Option<&LastError>,
    memory: Option<MemoryUse>,
    has_steps: bool,
) -> Vec<&'static Advice> {
    let kind = error.map(|error| error.kind);
    if !has_steps {
        // Nothing was trained: there is no checkpoint to go on from.
        return match (memory, kind) {
            _ if severity == Severity::Note => vec![&ONCE_MORE],
            (Some(memory), _) => less_memory(memory),
            // Nothing names an error.
            (_, None) => vec![&START_AGAIN],
            _ if state == RunState::Killed => vec![&START_AGAIN],
            _ => vec![&START],
        };
    }
    if state == RunState::Killed {
        let is_hang_up = error.is_some_and(|error| is_hang_up(&error.line));
        return if is_hang_up { vec![&DETACH] } else { vec![&RESUME_STOPPED] };
    }
    match (memory, kind) {
        (Some(memory), _) => less_memory(memory).into_iter().chain([&RESUME]).collect(),
        (_, Some(ErrorKind::NotFinite)) => vec![&SMALLER_UPDATES, &WIDER_NUMBERS, &RESUME],
        (_, Some(ErrorKind::OutOfMemory | ErrorKind::Other)) => vec![&CORRECT],
        (_, None) => vec![&RESUME],
    }
}

fn less_memory(memory: MemoryUse) -> Vec<&'static Advice> {
    // A smaller batch frees little where the trainer holds little.
    let first = if memory.is_elsewhere { &FREE_ELSEWHERE } else { &SMALLER };
    let vllm = memory.vllm_may_hold_less.then_some(&LESS_FOR_VLLM);
    [first].into_iter().chain(vllm).collect()
}

/// True for a line that names the signal of a terminal that was closed, as PyTorch's elastic agent writes it.
fn is_hang_up(line: &str) -> bool {
    line.contains("SIGHUP") || line.trim_end().ends_with("got signal: 1")
}
