//! What a run was doing when memory ran out: a smaller batch of the update frees nothing while responses are sampled.

use super::traceback::LONGEST_MESSAGE;
use crate::advice::resume::WATCH;
use crate::advice::{Advice, NewValue};
use rundown_run::{ConfigValue, LogLine, Run};

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
        functions(run).find_map(|function| match function {
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
    pub(super) fn smaller(self, run: &Run) -> &'static Advice {
        match self {
            Self::Sampling => &FEWER_SEQUENCES,
            Self::LogProbabilities => &SMALLER_FORWARD,
            // The critic has a batch of its own.
            Self::Loss if functions(run).any(|function| function == "update_critic") => &SMALLER_DEVICE_BATCH,
            Self::Loss if run.config.get(DYNAMIC_BATCH).is_some_and(ConfigValue::is_set) => &FEWER_TOKENS,
            Self::Loss => {
                let batch = run.config.number(&DEVICE_BATCHES).filter(|(_, batch)| *batch >= 2.0);
                if batch.is_some() { &HALF_DEVICE_BATCH } else { &SMALLER_DEVICE_BATCH }
            }
        }
    }
}

/// The functions that the traceback at the end of a log goes through, the innermost first. A long message may stand below it: XLA lists
/// the largest allocations behind its error.
fn functions(run: &Run) -> impl Iterator<Item = &str> {
    let is_frame = |line: &LogLine| line.text.contains("File \"");
    let lines = run.log.lines.iter().rev();
    let message = lines.clone().take(LONGEST_MESSAGE).position(is_frame).unwrap_or(0);
    let frames = lines.skip(message).take(TRACEBACK_LINES).filter(move |line| is_frame(line));
    frames.filter_map(|line| Some(line.text.rsplit_once(", in ")?.1.trim_end()))
}

/// Settings of the samples that one device takes through the loss of the policy at a time.
const DEVICE_BATCHES: [&str; 4] = [
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu",
    "actor_rollout_ref.actor.ppo_micro_batch_size",
    "per_device_train_batch_size",
    "micro_train_batch_size",
];
/// Where this is on, verl counts tokens instead.
const DYNAMIC_BATCH: &str = "actor_rollout_ref.actor.use_dynamic_bsz";
static HALF_DEVICE_BATCH: Advice = Advice::Set {
    keys: &DEVICE_BATCHES,
    words: "batch per device",
    to: NewValue::Text("half as many"),
    texts: [
        "less memory at the peak",
        "slower; gradients have to be accumulated over twice as many, for the same batch",
        WATCH,
    ],
};
static FEWER_TOKENS: Advice = Advice::Set {
    keys: &["actor_rollout_ref.actor.ppo_max_token_len_per_gpu"],
    words: "tokens per device",
    to: NewValue::Text("half as many, no fewer than prompt and response together"),
    texts: ["less memory at the peak", "slower", WATCH],
};

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
