//! slime's keys; read from its source of August 2026.

use crate::vocabulary::table::{FrameworkKey, entry};
use crate::vocabulary::{Concept, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    entry(Concept::Reward, "rollout/raw_reward", Unit::Plain, ""),
    // `rollout/rewards` are normalised in their group, so that their mean is 0: no reward.
    // `rollout/zero_std/count_…` are numbers of groups, and nothing logged says of how many.
    entry(Concept::Evaluation, "eval/{data}", Unit::Plain, "mean reward on a held-out set"),
    entry(Concept::KlToReference, "train/kl_loss", Unit::NatsPerToken, ""),
    entry(Concept::KlToSampler, "train/ppo_kl", Unit::NatsPerTokenSigned, "signed k1: 0 does not prove a ratio of 1"),
    entry(Concept::Entropy, "train/entropy_loss", Unit::NatsPerToken, "the entropy itself, mean over tokens"),
    entry(Concept::Entropy, "rollout/entropy", Unit::NatsPerToken, ""),
    entry(Concept::ClipFraction, "train/pg_clipfrac", Unit::Share, ""),
    entry(Concept::RatioMean, "train/ois", Unit::Plain, ""),
    entry(Concept::PolicyLoss, "train/pg_loss", Unit::Plain, ""),
    entry(Concept::PolicyLoss, "train/loss", Unit::Plain, ""),
    entry(Concept::ValueLoss, "train/critic-value_loss", Unit::Plain, ""),
    entry(Concept::ValueClipFraction, "train/critic-value_clipfrac", Unit::Share, ""),
    entry(Concept::AdvantageMean, "rollout/advantages", Unit::Plain, ""),
    entry(Concept::ReturnMean, "rollout/returns", Unit::Plain, ""),
    entry(Concept::ValueMean, "rollout/values", Unit::Plain, ""),
    entry(Concept::GradientNorm, "train/grad_norm", Unit::Plain, ""),
    entry(Concept::LearningRate, "train/lr-pg_0", Unit::Plain, "of the first parameter group"),
    entry(Concept::ResponseLength, "rollout/response_len/mean", Unit::Tokens, ""),
    entry(Concept::ResponseLength, "rollout/response_lengths", Unit::Tokens, ""),
    entry(Concept::ResponseLengthMax, "rollout/response_len/max", Unit::Tokens, ""),
    entry(Concept::ResponseLengthMin, "rollout/response_len/min", Unit::Tokens, ""),
    entry(Concept::TruncatedShare, "rollout/truncated_ratio", Unit::Share, ""),
    entry(Concept::TruncatedShare, "rollout/truncated", Unit::Share, ""),
    entry(Concept::RepetitionShare, "rollout/repetition_frac", Unit::Share, ""),
    entry(Concept::MismatchLogprob, "train/train_rollout_logprob_abs_diff", Unit::NatsPerToken, ""),
    entry(Concept::MismatchRatio, "train/tis", Unit::Plain, ""),
    entry(Concept::StepTime, "perf/step_time", Unit::Seconds, ""),
    entry(Concept::RolloutTime, "perf/rollout_time", Unit::Seconds, ""),
    entry(Concept::TrainTime, "perf/actor_train_time", Unit::Seconds, ""),
    entry(Concept::TrainTime, "perf/train_time", Unit::Seconds, ""),
    entry(Concept::ReloadTime, "perf/update_weights_time", Unit::Seconds, ""),
    entry(Concept::TrainerIdle, "perf/wait_time_ratio", Unit::Share, ""),
    entry(Concept::TrainerIdle, "perf/train_wait_time", Unit::Seconds, ""),
    entry(Concept::Throughput, "perf/tokens_per_gpu_per_sec", Unit::TokensPerSecond, "of the sampler, per GPU"),
    entry(Concept::Throughput, "perf/actor_train_tok_per_s", Unit::TokensPerSecond, ""),
    entry(Concept::CacheHitRate, "rollout/prefix_cache_hit_rate", Unit::Share, ""),
];

/// Keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] = &[
    "rollout/raw_reward",
    "rollout/response_len/",
    "rollout/response_lengths",
    "rollout/truncated_ratio",
    "rollout/repetition_frac",
    "rollout/log_probs",
    "rollout/zero_std/",
    "rollout/dynamic_filter/",
    "perf/actor_train_time",
    "perf/train_wait_time",
    "perf/wait_time_ratio",
    "train_rollout_logprob_abs_diff",
    "lr-pg_0",
];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] = &["rollout_num_gpus", "over_sampling_batch_size", "sglang_"];
