//! prime-rl's keys; read from its source of March and August 2026.

use crate::table::{FrameworkKey, entry, mark};
use crate::{Concept, Scale};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    entry(Concept::Reward, "train/agg/effective/{agent}/reward/mean", "of the samples that are trained on"),
    entry(Concept::Reward, "train/agg/effective/reward/mean", "of the samples that are trained on"),
    entry(Concept::Reward, "train/agg/all/{agent}/reward/mean", ""),
    entry(Concept::Reward, "train/agg/all/reward/mean", ""),
    entry(Concept::Reward, "reward/all/mean", "older"),
    entry(Concept::Reward, "reward/mean", "older"),
    entry(Concept::Reward, "reward/{env}/mean", "older: of one environment"),
    entry(Concept::RewardStd, "reward/std", "older: over the batch"),
    entry(Concept::RewardMax, "reward/max", "older"),
    entry(Concept::RewardMin, "reward/min", "older"),
    entry(Concept::ZeroVarianceGroups, "train/agg/all/{agent}/solved_some", "groups that are partly solved")
        .scaled(Scale::Complement),
    entry(Concept::SolvedGroups, "train/agg/all/{agent}/solved_all", ""),
    entry(Concept::SolvedGroups, "batch/solve_all", "older"),
    entry(Concept::FailedGroups, "train/agg/all/{agent}/solved_none", ""),
    entry(Concept::FailedGroups, "batch/solve_none", "older"),
    mark(Concept::Entropy, "entropy/all/mean", "mean over tokens"),
    entry(Concept::Entropy, "entropy/mean", "older"),
    entry(Concept::ClipFraction, "is_masked/mean", "tokens outside the trust region"),
    entry(Concept::ClipFractionHigh, "is_masked_high/mean", ""),
    entry(Concept::ClipFractionLow, "is_masked_low/mean", ""),
    entry(Concept::PolicyLoss, "loss/mean", ""),
    entry(Concept::GradientNorm, "optim/grad_norm", ""),
    entry(Concept::LearningRate, "optim/lr", ""),
    mark(Concept::ExpertImbalance, "max_vio/mean", ""),
    entry(Concept::ResponseLength, "train/agg/all/{agent}/num_output_tokens/mean", ""),
    entry(Concept::ResponseLength, "train/agg/all/num_output_tokens/mean", ""),
    entry(Concept::ResponseLength, "decode_len/mean", "older"),
    entry(Concept::ResponseLengthMax, "train/agg/all/{agent}/num_output_tokens/max", ""),
    entry(Concept::ResponseLengthMax, "train/agg/all/num_output_tokens/max", ""),
    entry(Concept::ResponseLengthMax, "decode_len/max", "older"),
    entry(Concept::PromptLength, "train/agg/all/{agent}/num_input_tokens/mean", ""),
    entry(Concept::PromptLength, "train/agg/all/num_input_tokens/mean", ""),
    entry(Concept::PromptLength, "prefill_len/mean", "older"),
    entry(Concept::TruncatedShare, "train/agg/all/{agent}/is_truncated/mean", ""),
    entry(Concept::TruncatedShare, "is_truncated/mean", "older"),
    entry(Concept::Turns, "train/agg/all/{agent}/num_turns/mean", ""),
    entry(Concept::Turns, "train/agg/all/num_turns/mean", ""),
    entry(Concept::Turns, "num_turns/mean", "older"),
    entry(Concept::ErrorRate, "train/agg/all/{agent}/has_error/mean", ""),
    entry(Concept::ErrorRate, "error/mean", "older"),
    mark(Concept::MismatchKl, "mismatch_kl/all/mean", "sampler and trainer, and their lag"),
    mark(Concept::MismatchKl, "mismatch_kl/mean", "older"),
    entry(Concept::Staleness, "off_policy/mean", ""),
    entry(Concept::StalenessMax, "off_policy/max", ""),
    mark(Concept::Staleness, "Async Level", "console: steps that the sampling policy is behind"),
    mark(Concept::StalenessMax, "Max. Off-Policy Level", "console"),
    entry(Concept::StepTime, "time/step", ""),
    entry(Concept::StepTime, "Time", "console"),
    entry(Concept::RolloutTime, "time/generate_completions", "older"),
    entry(Concept::TrainTime, "time/forward_backward", ""),
    mark(Concept::ReloadTime, "time/broadcast_weights", ""),
    entry(Concept::UpkeepTime, "time/save_ckpt", ""),
    mark(Concept::TrainerIdle, "time/wait_for_batch", ""),
    mark(Concept::SamplerIdle, "time/wait_for_policy", ""),
    entry(Concept::SamplerIdle, "time/wait_for_ckpt", "older"),
    entry(Concept::Throughput, "perf/throughput", ""),
    entry(Concept::Utilisation, "perf/mfu", "in percent").scaled(Scale::Percent),
    entry(Concept::Memory, "perf/peak_memory", ""),
    entry(Concept::CacheHitRate, "inference/agg/prefix_cache_hit_rate/pooled", ""),
    entry(Concept::CacheHitRate, "inference/agg/prefix_cache_hit_rate", ""),
    entry(Concept::CacheUsage, "inference/agg/kv_cache_usage_perc/mean", ""),
    entry(Concept::CacheUsage, "inference/agg/kv_cache_usage_perc", ""),
    entry(Concept::RequestsWaiting, "inference/agg/num_requests_waiting/mean", ""),
    entry(Concept::RequestsWaiting, "inference/agg/num_requests_waiting", ""),
    entry(Concept::Tokens, "progress/total_tokens", "cumulative"),
];

/// Further keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] = &[
    "agg/", "off_policy/", "dispatcher/", "inference/agg/", "progress/ckpt_step", "kl_ent_ratio/mean",
    "batch/effective_batch_size", // Prompt and response together: no concept stands for it.
    "seq._length",
];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] = &["orchestrator.", "inference."];
