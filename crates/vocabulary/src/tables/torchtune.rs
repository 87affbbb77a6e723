//! torchtune's keys, of its GRPO and PPO recipes and the asynchronous trainer; read from its last source.

use crate::table::{FrameworkKey, entry, mark};
use crate::{Concept, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    entry(Concept::Reward, "rewards", ""),
    entry(Concept::Reward, "scores", "PPO"),
    mark(Concept::Reward, "rlhf_reward", "PPO: the score plus the KL penalty"),
    mark(Concept::RewardComponent, "successes", ""),
    entry(Concept::KlToReference, "kl_loss", "GRPO: mean over tokens"),
    entry(Concept::KlToReference, "kl", "PPO: summed over the sequence").in_unit(Unit::NatsPerSequence),
    entry(Concept::KlToReference, "train_worker_training/kl_loss", "asynchronous"),
    mark(Concept::KlToSampler, "approx_policy_kl", "half the squared log-ratio"),
    mark(Concept::KlToSampler, "approx_policy_kls", "half the squared log-ratio"),
    entry(Concept::KlToSampler, "train_worker_training/approx_policy_kls", "asynchronous"),
    mark(Concept::ClipFraction, "clipfrac", ""),
    entry(Concept::ClipFraction, "train_worker_training/clipfrac", "asynchronous"),
    mark(Concept::RatioMean, "ratios", ""),
    entry(Concept::RatioMean, "train_worker_training/ratios", "asynchronous"),
    entry(Concept::PolicyLoss, "policy_loss", ""),
    entry(Concept::PolicyLoss, "loss", ""),
    entry(Concept::PolicyLoss, "train_worker_training/policy_loss", "asynchronous"),
    entry(Concept::ValueLoss, "value_loss", ""),
    entry(Concept::GradientNorm, "grad_norm", ""),
    entry(Concept::LearningRate, "lr", ""),
    mark(Concept::ResponseLength, "response_lengths", ""),
    entry(Concept::ResponseLength, "train_worker_training/response_lengths", "asynchronous"),
    entry(Concept::Staleness, "queues/train_worker_policy_age_mean", ""),
    entry(Concept::StepTime, "train_worker_performance/total_step_time (s)", "asynchronous"),
    entry(Concept::TrainTime, "train_worker_performance/time_grpo_steps (s)", "asynchronous"),
    entry(Concept::ReloadTime, "train_worker_performance/time_weight_sync (s)", "asynchronous"),
    entry(Concept::TrainerIdle, "train_worker_performance/time_waiting_buffer (s)", "asynchronous"),
    entry(Concept::Throughput, "train_worker_performance/tokens_per_second", "asynchronous"),
];

/// Further keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] =
    &["num_stop_tokens", "kl_reward", "train_worker_training/", "train_worker_performance/", "queues/"];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] = &["_component_", "grpo_samples", "ppo_batch_size"];
