//! OpenRLHF's keys; read from its source of August 2026.

use crate::vocabulary::table::{FrameworkKey, entry, scaled};
use crate::vocabulary::{Concept, Scale, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    entry(Concept::Reward, "train/reward", Unit::Plain, ""),
    entry(Concept::Reward, "rollout/reward_mean", Unit::Plain, ""),
    entry(Concept::RewardStd, "train/group_reward_std", Unit::Plain, "within groups"),
    entry(Concept::RewardStd, "rollout/reward_std", Unit::Plain, "over the batch"),
    scaled(
        Concept::ZeroStdGroups,
        "train/dynamic_filtering_pass_rate",
        Unit::Share,
        &Scale::PercentComplement,
        "prompts that the filter kept",
    ),
    entry(Concept::ReturnMean, "train/return", Unit::Plain, "summed over the sequence"),
    entry(Concept::ValueMean, "train/values", Unit::Plain, ""),
    entry(Concept::KlToReference, "train/kl", Unit::NatsPerToken, "mean over tokens, k1, k2 or k3 as configured"),
    entry(Concept::KlToSampler, "train/ppo_kl", Unit::NatsPerTokenSigned, "signed k1: 0 does not prove a ratio of 1"),
    entry(Concept::Entropy, "train/entropy_loss", Unit::NatsPerToken, "the entropy itself, mean over tokens"),
    entry(Concept::ClipFraction, "train/ppo_clip_ratio", Unit::Share, "both sides"),
    entry(Concept::PolicyLoss, "train/policy_loss", Unit::Plain, ""),
    entry(Concept::ValueLoss, "train/critic_loss", Unit::Plain, ""),
    entry(Concept::GradientNorm, "train/actor_grad_norm", Unit::Plain, ""),
    entry(Concept::LearningRate, "train/actor_lr", Unit::Plain, ""),
    entry(Concept::ResponseLength, "train/response_length", Unit::Tokens, ""),
    entry(Concept::ResponseLength, "rollout/response_length_mean", Unit::Tokens, ""),
    entry(Concept::TruncatedShare, "train/response_clip_ratio", Unit::Share, ""),
    entry(Concept::TruncatedShare, "train/truncated", Unit::Share, ""),
    entry(Concept::TruncatedShare, "rollout/truncated_rate", Unit::Share, ""),
    entry(Concept::MismatchKl, "train/vllm_kl", Unit::NatsPerTokenSigned, "signed k1, with the vLLM correction"),
    entry(Concept::StepTime, "train/timing/step_total", Unit::Seconds, "its logged phases, added"),
    entry(Concept::RolloutTime, "train/timing/generation", Unit::Seconds, ""),
    entry(Concept::TrainTime, "train/timing/ppo_train", Unit::Seconds, ""),
    entry(Concept::ReloadTime, "train/timing/broadcast", Unit::Seconds, ""),
];

/// Keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] = &[
    "ppo_clip_ratio",
    "ppo_kl",
    "actor_lr",
    "critic_lr",
    "actor_grad_norm",
    "response_clip_ratio",
    "group_reward_std",
    "logprobs_diff",
    "vllm_kl",
    "dynamic_filtering_pass_rate",
    "timing/make_experience",
    "timing/ppo_train",
    "total_length",
    "rollout/num_samples",
];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] = &[
    "algo.advantage.",
    "micro_rollout_batch_size",
    "actor_num_gpus_per_node",
    "vllm_num_engines",
    "rollout.n_samples_per_prompt",
];
