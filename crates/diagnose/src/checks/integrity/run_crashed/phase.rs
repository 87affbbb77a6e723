//! What a run was doing when memory ran out: a smaller batch of the update frees nothing while responses are sampled.

use crate::advice::Advice;
use crate::advice::resume::WATCH;
use rundown_run::Run;

/// Lines at the end of a log in which the traceback of an error is looked for.
pub(super) const TRACEBACK_LINES: usize = 120;

/// A part of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// The model generates responses.
    Sampling,
    /// Log-probabilities of responses are computed, outside of an update.
    LogProbabilities,
    /// The loss and its gradient are computed.
    Loss,
}

impl Phase {
    /// The innermost part that the traceback at the end of a log goes through, by the names of functions of verl, TRL and what they
    /// call.
    pub(super) fn of(run: &Run) -> Option<Self> {
        let mut tail = run.log.lines.iter().rev().take(TRACEBACK_LINES).filter(|line| line.text.contains("File \""));
        tail.find_map(|line| match line.text.rsplit_once(", in ")?.1.trim_end() {
            "generate" | "generate_sequences" => Some(Self::Sampling),
            "compute_log_prob" | "compute_ref_log_prob" => Some(Self::LogProbabilities),
            "compute_loss" | "backward" | "update_policy" | "update_actor" | "update_critic" => Some(Self::Loss),
            _ => None,
        })
    }

    /// What was done then, before the place in a title.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Sampling => "while responses were sampled, ",
            Self::LogProbabilities => "while log-probabilities were computed, ",
            Self::Loss => "while the loss or its gradient was computed, ",
        }
    }

    /// What needs less memory in it.
    pub(super) fn smaller(self) -> &'static Advice {
        match self {
            Self::Sampling => &FEWER_SEQUENCES,
            Self::LogProbabilities => &SMALLER_FORWARD,
            Self::Loss => &SMALLER_DEVICE_BATCH,
        }
    }
}

static FEWER_SEQUENCES: Advice = Advice::Do([
    "Sample fewer responses at once (max_num_seqs in vLLM), or lower the limits of prompt and completion",
    "less memory at the peak",
    "slower",
    WATCH,
]);
static SMALLER_FORWARD: Advice = Advice::Do([
    "Halve the batch in which log-probabilities are computed (log_prob_micro_batch_size in verl), or lower the limits of prompt and completion",
    "less memory at the peak",
    "slower",
    WATCH,
]);
static SMALLER_DEVICE_BATCH: Advice = Advice::Do([
    "Halve the batch per device (ppo_micro_batch_size in verl), or lower the limits of prompt and completion",
    "less memory at the peak",
    "slower",
    WATCH,
]);
