//! slime's keys; read from its source of August 2026.

use crate::table::{FrameworkKey, entry, mark};
use crate::{Concept, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    mark(Concept::Reward, "rollout/raw_reward", ""),
    // `rollout/rewards` are normalised in their group, so that their mean is 0: no reward.
    // `rollout/zero_std/count_…` are numbers of groups, and nothing logged says of how many.
    entry(Concept::Evaluation, "eval/{data}", "mean reward on a held-out set"),
    entry(Concept::KlToReference, "train/kl_loss", ""),
    mark(Concept::TeacherKl, "train/opd_reverse_kl", "of on-policy distillation, signed")
        .in_unit(Unit::NatsPerTokenSigned),
    entry(Concept::TeacherKl, "rollout/opd_reverse_kl", "of on-policy distillation, signed")
        .in_unit(Unit::NatsPerTokenSigned),
    entry(Concept::KlToSampler, "train/ppo_kl", "signed k1: 0 does not prove a ratio of 1")
        .in_unit(Unit::NatsPerTokenSigned),
    entry(Concept::Entropy, "train/entropy_loss", "the entropy itself, mean over tokens"),
    entry(Concept::Entropy, "rollout/entropy", ""),
    entry(Concept::ClipFraction, "train/pg_clipfrac", ""),
    entry(Concept::RatioMean, "train/ois", ""),
    entry(Concept::PolicyLoss, "train/pg_loss", ""),
    entry(Concept::PolicyLoss, "train/loss", ""),
    entry(Concept::ValueLoss, "train/critic-value_loss", ""),
    entry(Concept::ValueClipFraction, "train/critic-value_clipfrac", ""),
    entry(Concept::AdvantageMean, "rollout/advantages", ""),
    entry(Concept::ReturnMean, "rollout/returns", ""),
    entry(Concept::ValueMean, "rollout/values", ""),
    entry(Concept::GradientNorm, "train/grad_norm", ""),
    mark(Concept::LearningRate, "train/lr-pg_0", "of the first parameter group"),
    entry(Concept::ResponseLength, "rollout/response_len/mean", ""),
    mark(Concept::ResponseLength, "rollout/response_lengths", ""),
    entry(Concept::ResponseLengthMax, "rollout/response_len/max", ""),
    entry(Concept::ResponseLengthMin, "rollout/response_len/min", ""),
    mark(Concept::TruncatedShare, "rollout/truncated_ratio", ""),
    entry(Concept::TruncatedShare, "rollout/truncated", ""),
    mark(Concept::RepetitionShare, "rollout/repetition_frac", ""),
    mark(Concept::MismatchLogprob, "train/train_rollout_logprob_abs_diff", ""),
    entry(Concept::MismatchRatio, "train/tis", ""),
    entry(Concept::StepTime, "perf/step_time", ""),
    entry(Concept::RolloutTime, "perf/rollout_time", ""),
    mark(Concept::TrainTime, "perf/actor_train_time", ""),
    entry(Concept::TrainTime, "perf/train_time", ""),
    entry(Concept::ReloadTime, "perf/update_weights_time", ""),
    mark(Concept::TrainerIdle, "perf/wait_time_ratio", "").in_unit(Unit::Share),
    mark(Concept::TrainerIdle, "perf/train_wait_time", ""),
    entry(Concept::Throughput, "perf/tokens_per_gpu_per_sec", "of the sampler, per GPU"),
    entry(Concept::Throughput, "perf/actor_train_tok_per_s", ""),
    entry(Concept::CacheHitRate, "rollout/prefix_cache_hit_rate", ""),
];

/// Further keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] =
    &["rollout/response_len/", "rollout/log_probs", "rollout/zero_std/", "rollout/dynamic_filter/"];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] = &["rollout_num_gpus", "over_sampling_batch_size", "sglang_"];
