//! torchtune's keys, of its GRPO and PPO recipes and the asynchronous trainer; read from its last source.

use crate::vocabulary::table::{FrameworkKey, entry};
use crate::vocabulary::{Concept, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    entry(Concept::Reward, "rewards", Unit::Plain, ""),
    entry(Concept::Reward, "scores", Unit::Plain, "PPO"),
    entry(Concept::Reward, "rlhf_reward", Unit::Plain, "PPO: the score plus the KL penalty"),
    entry(Concept::RewardComponent, "successes", Unit::Plain, ""),
    entry(Concept::KlToReference, "kl_loss", Unit::NatsPerToken, "GRPO: mean over tokens"),
    entry(Concept::KlToReference, "kl", Unit::NatsPerSequence, "PPO: summed over the sequence"),
    entry(Concept::KlToReference, "train_worker_training/kl_loss", Unit::NatsPerToken, "asynchronous"),
    entry(Concept::KlToSampler, "approx_policy_kl", Unit::NatsPerToken, "half the squared log-ratio"),
    entry(Concept::KlToSampler, "approx_policy_kls", Unit::NatsPerToken, "half the squared log-ratio"),
    entry(Concept::KlToSampler, "train_worker_training/approx_policy_kls", Unit::NatsPerToken, "asynchronous"),
    entry(Concept::ClipFraction, "clipfrac", Unit::Share, ""),
    entry(Concept::ClipFraction, "train_worker_training/clipfrac", Unit::Share, "asynchronous"),
    entry(Concept::RatioMean, "ratios", Unit::Plain, ""),
    entry(Concept::RatioMean, "train_worker_training/ratios", Unit::Plain, "asynchronous"),
    entry(Concept::PolicyLoss, "policy_loss", Unit::Plain, ""),
    entry(Concept::PolicyLoss, "loss", Unit::Plain, ""),
    entry(Concept::PolicyLoss, "train_worker_training/policy_loss", Unit::Plain, "asynchronous"),
    entry(Concept::ValueLoss, "value_loss", Unit::Plain, ""),
    entry(Concept::GradientNorm, "grad_norm", Unit::Plain, ""),
    entry(Concept::LearningRate, "lr", Unit::Plain, ""),
    entry(Concept::ResponseLength, "response_lengths", Unit::Tokens, ""),
    entry(Concept::ResponseLength, "train_worker_training/response_lengths", Unit::Tokens, "asynchronous"),
    entry(Concept::Staleness, "queues/train_worker_policy_age_mean", Unit::Count, ""),
    entry(Concept::StepTime, "train_worker_performance/total_step_time (s)", Unit::Seconds, "asynchronous"),
    entry(Concept::TrainTime, "train_worker_performance/time_grpo_steps (s)", Unit::Seconds, "asynchronous"),
    entry(Concept::ReloadTime, "train_worker_performance/time_weight_sync (s)", Unit::Seconds, "asynchronous"),
    entry(Concept::TrainerIdle, "train_worker_performance/time_waiting_buffer (s)", Unit::Seconds, "asynchronous"),
    entry(Concept::Throughput, "train_worker_performance/tokens_per_second", Unit::TokensPerSecond, "asynchronous"),
];

/// Keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] = &[
    "successes",
    "num_stop_tokens",
    "approx_policy_kl",
    "approx_policy_kls",
    "ratios",
    "clipfrac",
    "rlhf_reward",
    "kl_reward",
    "response_lengths",
    "train_worker_training/",
    "train_worker_performance/",
    "queues/",
];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] = &["_component_", "grpo_samples", "ppo_batch_size"];
