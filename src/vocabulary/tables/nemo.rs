//! NeMo-RL's keys; read from its source of August 2026.

use crate::vocabulary::table::{FrameworkKey, entry};
use crate::vocabulary::{Concept, Scale, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    entry(Concept::Reward, "train/reward", ""),
    entry(Concept::Reward, "train/mean_total_reward", ""),
    entry(Concept::Reward, "train/filtered_reward", "without the prompts that were filtered out"),
    entry(Concept::ZeroStdGroups, "train/baseline_reward/pct_mixed", "prompts whose mean reward is neither 0 nor 1")
        .scaled(&Scale::PercentComplement),
    entry(Concept::SolvedGroups, "train/baseline_reward/pct_1", "prompts whose mean reward is 1")
        .scaled(&Scale::Percent),
    entry(Concept::FailedGroups, "train/baseline_reward/pct_0", "prompts whose mean reward is 0")
        .scaled(&Scale::Percent),
    entry(Concept::AdvantageMean, "train/advantages/mean", ""),
    entry(Concept::AdvantageMax, "train/advantages/max", ""),
    entry(Concept::KlToReference, "train/kl_penalty", "mean over tokens, before its weight"),
    entry(Concept::Entropy, "train/approx_entropy", "estimated on the sampled tokens"),
    entry(Concept::RatioMean, "train/probs_ratio", ""),
    entry(Concept::RatioMax, "train/probs_ratio_max", ""),
    entry(Concept::PolicyLoss, "train/loss", ""),
    entry(Concept::GradientNorm, "train/grad_norm", ""),
    entry(Concept::LearningRate, "train/lr", ""),
    entry(Concept::ResponseLength, "train/mean_gen_tokens_per_sample", ""),
    entry(Concept::ResponseLengthMax, "train/max_gen_tokens_per_sample", ""),
    entry(Concept::TruncatedShare, "train/truncation_rate", ""),
    entry(Concept::TruncatedShare, "train/natural_termination_rate", "responses that ended by themselves")
        .scaled(&Scale::Complement),
    entry(Concept::Turns, "train/avg_turns_per_sample", ""),
    entry(Concept::InvalidOutputs, "train/invalid_tool_call_rate", ""),
    entry(Concept::InvalidOutputs, "train/malformed_thinking_rate", ""),
    entry(Concept::MismatchKl, "train/gen_kl_error", "k3, sampler to trainer"),
    entry(Concept::MismatchKl, "train/policy_kl_error", "k3, trainer to sampler"),
    entry(Concept::MismatchFactor, "train/token_mult_prob_error", "1 where sampler and trainer agree"),
    entry(Concept::MismatchRatio, "train/sampling_importance_ratio", ""),
    entry(Concept::Staleness, "train/avg_trajectory_age", ""),
    entry(Concept::StepTime, "timing/train/total_step_time", ""),
    entry(Concept::RolloutTime, "timing/train/generation", ""),
    entry(Concept::RolloutTime, "timing/train/exposed_generation", "asynchronous: what the trainer waits for"),
    entry(Concept::TrainTime, "timing/train/policy_training", ""),
    entry(Concept::RewardTime, "timing/train/reward_calculation", ""),
    entry(Concept::ReloadTime, "timing/train/weight_sync", ""),
    entry(Concept::ReloadTime, "timing/train/prepare_for_generation/transfer_and_update_weights", ""),
    entry(Concept::UpkeepTime, "timing/validation/total_validation_time", ""),
    entry(Concept::UpkeepTime, "timing/train/checkpointing", ""),
    entry(Concept::TrainerIdle, "timing/train/idle/buffer_starvation", ""),
    entry(Concept::TrainerIdle, "performance/training_worker_idle_time_ratio", "").in_unit(Unit::Share),
    entry(Concept::Throughput, "timing/train/valid_tokens_per_sec_per_gpu", "per GPU"),
    entry(Concept::Throughput, "performance/tokens_per_sec_per_gpu", "per GPU"),
    entry(Concept::Utilisation, "performance/train_fp_utilization", ""),
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
