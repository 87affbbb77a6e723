//! NeMo-RL's keys; read from its source of August 2026.

use crate::table::{FrameworkKey, entry, mark};
use crate::{Concept, Scale, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    entry(Concept::Reward, "train/reward", ""),
    entry(Concept::Reward, "train/mean_total_reward", ""),
    entry(Concept::Reward, "train/filtered_reward", "without the prompts that were filtered out"),
    mark(
        Concept::ZeroVarianceGroups,
        "train/baseline_reward/pct_mixed",
        "prompts whose mean reward is neither 0 nor 1",
    )
    .scaled(Scale::PercentComplement),
    entry(Concept::SolvedGroups, "train/baseline_reward/pct_1", "prompts whose mean reward is 1")
        .scaled(Scale::Percent),
    entry(Concept::FailedGroups, "train/baseline_reward/pct_0", "prompts whose mean reward is 0")
        .scaled(Scale::Percent),
    entry(Concept::AdvantageMean, "train/advantages/mean", ""),
    entry(Concept::AdvantageMax, "train/advantages/max", ""),
    entry(Concept::AdvantageMin, "train/advantages/min", ""),
    mark(Concept::KlToReference, "train/kl_penalty", "mean over tokens, before its weight"),
    mark(Concept::Entropy, "train/approx_entropy", "estimated on the sampled tokens"),
    mark(Concept::RatioMean, "train/probs_ratio", ""),
    entry(Concept::RatioMax, "train/probs_ratio_max", ""),
    entry(Concept::PolicyLoss, "train/loss", ""),
    entry(Concept::GradientNorm, "train/grad_norm", ""),
    entry(Concept::LearningRate, "train/lr", ""),
    mark(Concept::ResponseLength, "train/mean_gen_tokens_per_sample", ""),
    entry(Concept::ResponseLengthMax, "train/max_gen_tokens_per_sample", ""),
    entry(Concept::TruncatedShare, "train/truncation_rate", ""),
    mark(Concept::TruncatedShare, "train/natural_termination_rate", "responses that ended by themselves")
        .scaled(Scale::Complement),
    entry(Concept::Turns, "train/avg_turns_per_sample", ""),
    entry(Concept::InvalidOutputs, "train/invalid_tool_call_rate", ""),
    entry(Concept::InvalidOutputs, "train/malformed_thinking_rate", ""),
    mark(Concept::MismatchKl, "train/gen_kl_error", "k3, sampler to trainer"),
    mark(Concept::MismatchKl, "train/policy_kl_error", "k3, trainer to sampler"),
    mark(Concept::MismatchKl, "Generation KL Error", "console"),
    mark(Concept::MismatchFactor, "train/token_mult_prob_error", "1 where sampler and trainer agree"),
    mark(Concept::MismatchRatio, "train/sampling_importance_ratio", ""),
    entry(Concept::Staleness, "train/avg_trajectory_age", ""),
    mark(Concept::StepTime, "timing/train/total_step_time", ""),
    entry(Concept::RolloutTime, "timing/train/generation", ""),
    entry(Concept::RolloutTime, "timing/train/exposed_generation", "asynchronous: what the trainer waits for"),
    mark(Concept::TrainTime, "timing/train/policy_training", ""),
    entry(Concept::RolloutTime, "generation", "console"),
    mark(Concept::TrainTime, "policy_training", "console"),
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

/// Further keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] = &["probs_ratio_clamped", "policy_and_reference_logprobs"];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] = &["loss_fn.", "grpo.num_", "policy.generation."];
