//! NeMo-RL's keys; read from its source of August 2026.

use crate::vocabulary::table::{FrameworkKey, entry, scaled};
use crate::vocabulary::{Concept, Scale, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    entry(Concept::Reward, "train/reward", Unit::Plain, ""),
    entry(Concept::Reward, "train/mean_total_reward", Unit::Plain, ""),
    entry(Concept::Reward, "train/filtered_reward", Unit::Plain, "without the prompts that were filtered out"),
    scaled(
        Concept::ZeroStdGroups,
        "train/baseline_reward/pct_mixed",
        Unit::Share,
        &Scale::PercentComplement,
        "prompts whose mean reward is neither 0 nor 1",
    ),
    scaled(
        Concept::SolvedGroups,
        "train/baseline_reward/pct_1",
        Unit::Share,
        &Scale::Percent,
        "prompts whose mean reward is 1",
    ),
    scaled(
        Concept::FailedGroups,
        "train/baseline_reward/pct_0",
        Unit::Share,
        &Scale::Percent,
        "prompts whose mean reward is 0",
    ),
    entry(Concept::AdvantageMean, "train/advantages/mean", Unit::Plain, ""),
    entry(Concept::AdvantageMax, "train/advantages/max", Unit::Plain, ""),
    entry(Concept::KlToReference, "train/kl_penalty", Unit::NatsPerToken, "mean over tokens, before its weight"),
    entry(Concept::Entropy, "train/approx_entropy", Unit::NatsPerToken, "estimated on the sampled tokens"),
    entry(Concept::RatioMean, "train/probs_ratio", Unit::Plain, ""),
    entry(Concept::RatioMax, "train/probs_ratio_max", Unit::Plain, ""),
    entry(Concept::PolicyLoss, "train/loss", Unit::Plain, ""),
    entry(Concept::GradientNorm, "train/grad_norm", Unit::Plain, ""),
    entry(Concept::LearningRate, "train/lr", Unit::Plain, ""),
    entry(Concept::ResponseLength, "train/mean_gen_tokens_per_sample", Unit::Tokens, ""),
    entry(Concept::ResponseLengthMax, "train/max_gen_tokens_per_sample", Unit::Tokens, ""),
    entry(Concept::TruncatedShare, "train/truncation_rate", Unit::Share, ""),
    scaled(
        Concept::TruncatedShare,
        "train/natural_termination_rate",
        Unit::Share,
        &Scale::Complement,
        "responses that ended by themselves",
    ),
    entry(Concept::Turns, "train/avg_turns_per_sample", Unit::Count, ""),
    entry(Concept::InvalidOutputs, "train/invalid_tool_call_rate", Unit::Share, ""),
    entry(Concept::InvalidOutputs, "train/malformed_thinking_rate", Unit::Share, ""),
    entry(Concept::MismatchKl, "train/gen_kl_error", Unit::NatsPerToken, "k3, sampler to trainer"),
    entry(Concept::MismatchKl, "train/policy_kl_error", Unit::NatsPerToken, "k3, trainer to sampler"),
    entry(Concept::MismatchFactor, "train/token_mult_prob_error", Unit::Plain, "1 where sampler and trainer agree"),
    entry(Concept::MismatchRatio, "train/sampling_importance_ratio", Unit::Plain, ""),
    entry(Concept::Staleness, "train/avg_trajectory_age", Unit::Count, ""),
    entry(Concept::StepTime, "timing/train/total_step_time", Unit::Seconds, ""),
    entry(Concept::RolloutTime, "timing/train/generation", Unit::Seconds, ""),
    entry(
        Concept::RolloutTime,
        "timing/train/exposed_generation",
        Unit::Seconds,
        "asynchronous: what the trainer waits for",
    ),
    entry(Concept::TrainTime, "timing/train/policy_training", Unit::Seconds, ""),
    entry(Concept::RewardTime, "timing/train/reward_calculation", Unit::Seconds, ""),
    entry(Concept::ReloadTime, "timing/train/weight_sync", Unit::Seconds, ""),
    entry(Concept::ReloadTime, "timing/train/prepare_for_generation/transfer_and_update_weights", Unit::Seconds, ""),
    entry(Concept::UpkeepTime, "timing/validation/total_validation_time", Unit::Seconds, ""),
    entry(Concept::UpkeepTime, "timing/train/checkpointing", Unit::Seconds, ""),
    entry(Concept::TrainerIdle, "timing/train/idle/buffer_starvation", Unit::Seconds, ""),
    entry(Concept::TrainerIdle, "performance/training_worker_idle_time_ratio", Unit::Share, ""),
    entry(Concept::Throughput, "timing/train/valid_tokens_per_sec_per_gpu", Unit::TokensPerSecond, "per GPU"),
    entry(Concept::Throughput, "performance/tokens_per_sec_per_gpu", Unit::TokensPerSecond, "per GPU"),
    entry(Concept::Utilisation, "performance/train_fp_utilization", Unit::Share, ""),
];

/// Keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] = &[
    "gen_kl_error",
    "token_mult_prob_error",
    "policy_kl_error",
    "probs_ratio",
    "probs_ratio_clamped",
    "kl_penalty",
    "approx_entropy",
    "baseline_reward/pct_mixed",
    "mean_gen_tokens_per_sample",
    "natural_termination_rate",
    "timing/train/total_step_time",
    "timing/train/policy_training",
    "sampling_importance_ratio",
];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] = &["loss_fn.", "grpo.num_", "policy.generation."];
