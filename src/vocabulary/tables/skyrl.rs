//! SkyRL's keys; read from its source of August 2026.

use crate::vocabulary::table::{FrameworkKey, entry, scaled};
use crate::vocabulary::{Concept, Scale, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    entry(Concept::Reward, "reward/avg_raw_reward", Unit::Plain, ""),
    entry(Concept::Reward, "reward/mean_positive_reward", Unit::Plain, ""),
    entry(Concept::Reward, "loss/avg_final_rewards", Unit::Plain, "after any KL penalty"),
    entry(Concept::AdvantageMean, "loss/avg_raw_advantages", Unit::Plain, ""),
    entry(Concept::KlToReference, "policy/policy_kl", Unit::NatsPerToken, "mean over tokens"),
    entry(Concept::KlToReference, "loss/avg_kl", Unit::NatsPerToken, "in the reward, mean over tokens"),
    entry(Concept::KlCoefficient, "loss/kl_loss_coef", Unit::Plain, "weight of the KL in the reward"),
    entry(Concept::Entropy, "policy/policy_entropy", Unit::NatsPerToken, "mean over tokens"),
    entry(Concept::ClipFraction, "policy/loss_metrics/clip_ratio", Unit::Share, ""),
    entry(Concept::ClipFraction, "policy/ppo_clip_ratio", Unit::Share, "older"),
    entry(Concept::PolicyLoss, "policy/policy_loss", Unit::Plain, ""),
    entry(Concept::PolicyLoss, "policy/final_loss", Unit::Plain, "with the KL and entropy terms"),
    entry(Concept::ValueLoss, "critic/critic_loss", Unit::Plain, ""),
    entry(Concept::ValueClipFraction, "critic/values_clipfrac", Unit::Share, ""),
    entry(Concept::ValueMean, "critic/values_mean", Unit::Plain, ""),
    entry(Concept::GradientNorm, "policy/grad_norm", Unit::Plain, ""),
    entry(Concept::GradientNorm, "policy/raw_grad_norm", Unit::Plain, "older"),
    entry(Concept::LearningRate, "policy/policy_lr", Unit::Plain, ""),
    entry(Concept::ResponseLength, "generate/avg_num_tokens", Unit::Tokens, ""),
    entry(Concept::ResponseLengthMax, "generate/max_num_tokens", Unit::Tokens, ""),
    entry(Concept::ResponseLengthMin, "generate/min_num_tokens", Unit::Tokens, ""),
    entry(Concept::CorrectLength, "generate/avg_tokens_non_zero_rewards", Unit::Tokens, "with a reward above 0"),
    entry(Concept::IncorrectLength, "generate/avg_tokens_zero_rewards", Unit::Tokens, "with a reward of 0"),
    entry(Concept::Turns, "generate/avg_num_turns", Unit::Count, ""),
    entry(Concept::FailedRollouts, "generate/num_error_trajectories", Unit::Count, ""),
    entry(Concept::FailedRollouts, "generate/num_timeout_trajectories", Unit::Count, ""),
    entry(Concept::MismatchLogprob, "policy/rollout_train_logprobs_abs_diff_mean", Unit::NatsPerToken, ""),
    entry(Concept::Staleness, "async/staleness_mean", Unit::Count, ""),
    entry(Concept::StalenessMax, "async/staleness_max", Unit::Count, ""),
    scaled(Concept::DroppedStale, "async/keep_rate", Unit::Share, &Scale::Complement, "groups that were kept"),
    entry(Concept::StepTime, "timing/step", Unit::Seconds, ""),
    entry(Concept::RolloutTime, "timing/generate", Unit::Seconds, ""),
    entry(
        Concept::RolloutTime,
        "timing/wait_for_generation_buffer",
        Unit::Seconds,
        "asynchronous: what the trainer waits for",
    ),
    entry(Concept::TrainTime, "timing/policy_train", Unit::Seconds, ""),
    entry(Concept::TrainTime, "timing/train_critic_and_policy", Unit::Seconds, ""),
    entry(Concept::ReloadTime, "timing/sync_weights", Unit::Seconds, ""),
    entry(Concept::UpkeepTime, "timing/eval", Unit::Seconds, ""),
    entry(Concept::UpkeepTime, "timing/save_checkpoints", Unit::Seconds, ""),
    entry(Concept::Throughput, "trainer/tokens_per_second_per_gpu", Unit::TokensPerSecond, "per GPU"),
];

/// Keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] = &[
    "reward/avg_raw_reward",
    "loss/avg_final_rewards",
    "generate/avg_num_tokens",
    "generate/avg_tokens_zero_rewards",
    "policy/policy_entropy",
    "policy/policy_lr",
    "policy/policy_kl",
    "policy/final_loss",
    "policy/policy_loss",
    "policy/raw_grad_norm",
    "timing/fwd_logprobs_values_reward",
    "timing/train_critic_and_policy",
];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] = &["trainer.policy.", "trainer.placement.", "generator."];
