//! OpenRLHF's keys; read from its source of August 2026.

use crate::table::{FrameworkKey, entry, mark};
use crate::{Concept, Scale, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    entry(Concept::Reward, "train/reward", ""),
    entry(Concept::Reward, "rollout/reward_mean", ""),
    mark(Concept::RewardStd, "train/group_reward_std", "within groups"),
    entry(Concept::RewardStd, "rollout/reward_std", "over the batch"),
    mark(Concept::ZeroVarianceGroups, "train/dynamic_filtering_pass_rate", "prompts that the filter kept")
        .scaled(Scale::PercentComplement),
    entry(Concept::ReturnMean, "train/return", "summed over the sequence"),
    entry(Concept::ValueMean, "train/values", ""),
    entry(Concept::KlToReference, "train/kl", "mean over tokens, k1, k2 or k3 as configured"),
    mark(Concept::KlToSampler, "train/ppo_kl", "signed k1: 0 does not prove a ratio of 1")
        .in_unit(Unit::NatsPerTokenSigned),
    entry(Concept::Entropy, "train/entropy_loss", "the entropy itself, mean over tokens"),
    mark(Concept::ClipFraction, "train/ppo_clip_ratio", "both sides"),
    entry(Concept::PolicyLoss, "train/policy_loss", ""),
    entry(Concept::ValueLoss, "train/critic_loss", ""),
    mark(Concept::GradientNorm, "train/actor_grad_norm", ""),
    mark(Concept::LearningRate, "train/actor_lr", ""),
    entry(Concept::ResponseLength, "train/response_length", ""),
    entry(Concept::ResponseLength, "rollout/response_length_mean", ""),
    mark(Concept::TruncatedShare, "train/response_clip_ratio", ""),
    entry(Concept::TruncatedShare, "train/truncated", ""),
    entry(Concept::TruncatedShare, "rollout/truncated_rate", ""),
    mark(Concept::MismatchKl, "train/vllm_kl", "signed k1, with the vLLM correction").in_unit(Unit::NatsPerTokenSigned),
    entry(Concept::StepTime, "train/timing/step_total", "its logged phases, added"),
    entry(Concept::RolloutTime, "train/timing/generation", ""),
    mark(Concept::TrainTime, "train/timing/ppo_train", ""),
    entry(Concept::ReloadTime, "train/timing/broadcast", ""),
];

/// Further keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] =
    &["critic_lr", "logprobs_diff", "timing/make_experience", "total_length", "rollout/num_samples"];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] = &[
    "algo.advantage.", "micro_rollout_batch_size", "generate_max_len", "actor_num_gpus_per_node", "vllm_num_engines",
    "rollout.n_samples_per_prompt",
];
