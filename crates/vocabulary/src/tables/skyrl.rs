//! SkyRL's keys; read from its source of August 2026.

use crate::table::{FrameworkKey, entry, mark};
use crate::{Concept, Scale};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    mark(Concept::Reward, "reward/avg_raw_reward", ""),
    entry(Concept::Reward, "reward/mean_positive_reward", ""),
    mark(Concept::Reward, "loss/avg_final_rewards", "after any KL penalty"),
    entry(Concept::AdvantageMean, "loss/avg_raw_advantages", ""),
    mark(Concept::KlToReference, "policy/policy_kl", "mean over tokens"),
    entry(Concept::KlToReference, "loss/avg_kl", "in the reward, mean over tokens"),
    entry(Concept::KlCoefficient, "loss/kl_loss_coef", "weight of the KL in the reward"),
    mark(Concept::Entropy, "policy/policy_entropy", "mean over tokens"),
    entry(Concept::ClipFraction, "policy/loss_metrics/clip_ratio", ""),
    entry(Concept::ClipFraction, "policy/ppo_clip_ratio", "older"),
    mark(Concept::PolicyLoss, "policy/policy_loss", ""),
    mark(Concept::PolicyLoss, "policy/final_loss", "with the KL and entropy terms"),
    entry(Concept::ValueLoss, "critic/critic_loss", ""),
    entry(Concept::ValueClipFraction, "critic/values_clipfrac", ""),
    entry(Concept::ValueMean, "critic/values_mean", ""),
    entry(Concept::GradientNorm, "policy/grad_norm", ""),
    mark(Concept::GradientNorm, "policy/raw_grad_norm", "older"),
    mark(Concept::LearningRate, "policy/policy_lr", ""),
    mark(Concept::ResponseLength, "generate/avg_num_tokens", ""),
    entry(Concept::ResponseLengthMax, "generate/max_num_tokens", ""),
    entry(Concept::ResponseLengthMin, "generate/min_num_tokens", ""),
    entry(Concept::CorrectLength, "generate/avg_tokens_non_zero_rewards", "with a reward above 0"),
    mark(Concept::IncorrectLength, "generate/avg_tokens_zero_rewards", "with a reward of 0"),
    entry(Concept::Turns, "generate/avg_num_turns", ""),
    entry(Concept::FailedRollouts, "generate/num_error_trajectories", ""),
    entry(Concept::FailedRollouts, "generate/num_timeout_trajectories", ""),
    entry(Concept::MismatchLogprob, "policy/rollout_train_logprobs_abs_diff_mean", ""),
    entry(Concept::Staleness, "async/staleness_mean", ""),
    entry(Concept::StalenessMax, "async/staleness_max", ""),
    entry(Concept::DroppedStale, "async/keep_rate", "groups that were kept").scaled(Scale::Complement),
    entry(Concept::StepTime, "timing/step", ""),
    entry(Concept::RolloutTime, "timing/generate", ""),
    entry(Concept::RolloutTime, "timing/wait_for_generation_buffer", "asynchronous: what the trainer waits for"),
    entry(Concept::TrainTime, "timing/policy_train", ""),
    mark(Concept::TrainTime, "timing/train_critic_and_policy", ""),
    entry(Concept::ReloadTime, "timing/sync_weights", ""),
    entry(Concept::UpkeepTime, "timing/eval", ""),
    entry(Concept::UpkeepTime, "timing/save_checkpoints", ""),
    entry(Concept::Throughput, "trainer/tokens_per_second_per_gpu", "per GPU"),
];

/// Further keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] = &["timing/fwd_logprobs_values_reward"];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] = &["trainer.policy.", "trainer.placement.", "generator."];
