//! tunix's keys: the mode stands behind the first part of a name. Read from its source of August 2026.

use crate::table::{FrameworkKey, entry};
use crate::{Concept, Scale, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    entry(Concept::Reward, "rewards/train/score/mean", "before any KL penalty"),
    entry(Concept::Reward, "rewards/train/reward/mean", "PPO: minus the KL penalty"),
    entry(Concept::Reward, "rewards/train/mean", ""),
    entry(Concept::Reward, "rewards/train/sum", ""),
    entry(Concept::RewardMax, "rewards/train/score/max", ""),
    entry(Concept::RewardMin, "rewards/train/score/min", ""),
    entry(Concept::RewardComponent, "rewards/train/{function}", ""),
    entry(Concept::ZeroVarianceGroups, "actor/train/advantage/nonzero_frac", "samples whose advantage is not 0")
        .scaled(Scale::Complement),
    entry(Concept::ZeroVarianceGroups, "advantage/train/nonzero_frac", "samples whose advantage is not 0")
        .scaled(Scale::Complement),
    entry(Concept::AdvantageMean, "rewards/train/advantage/mean", ""),
    entry(Concept::AdvantageMax, "rewards/train/advantage/max", ""),
    entry(Concept::AdvantageMin, "rewards/train/advantage/min", ""),
    entry(Concept::AdvantageMax, "actor/train/advantage/max", ""),
    entry(Concept::AdvantageMin, "actor/train/advantage/min", ""),
    entry(Concept::KlToReference, "actor/train/kl", "mean over tokens, of the type kl_loss_mode"),
    entry(Concept::KlToReference, "actor/train/kl_loss", "mean over tokens, of the type kl_loss_mode"),
    entry(Concept::KlToReference, "rewards/train/reward_kl_penalty", "PPO: in the reward")
        .in_unit(Unit::NatsPerTokenSigned),
    entry(Concept::KlToSampler, "actor/train/ppo_kl", "signed k1: 0 does not prove a ratio of 1")
        .in_unit(Unit::NatsPerTokenSigned),
    entry(Concept::Entropy, "actor/train/entropy", "mean over tokens"),
    entry(Concept::Entropy, "actor/train/loss/entropy", "mean over tokens"),
    entry(Concept::ClipFraction, "actor/train/pg_clipfrac", ""),
    entry(Concept::RatioMean, "actor/train/is_ratio/mean", ""),
    entry(Concept::RatioMax, "actor/train/is_ratio/max", ""),
    entry(Concept::PolicyLoss, "actor/train/reduced_pg_loss", ""),
    entry(Concept::PolicyLoss, "actor/train/loss", ""),
    entry(Concept::ValueLoss, "critic/train/loss", ""),
    entry(Concept::ValueClipFraction, "critic/train/vf_clipfrac", ""),
    entry(Concept::ValueMean, "critic/train/vpred_mean", ""),
    entry(Concept::ReturnMean, "advantages/train/returns/mean", ""),
    entry(Concept::GradientNorm, "actor/train/grad_norm", ""),
    entry(Concept::LearningRate, "actor/train/learning_rate", ""),
    entry(Concept::ResponseLength, "completions/train/mean_length", ""),
    entry(Concept::ResponseLength, "generation/train/completions/mean_length", ""),
    entry(Concept::ResponseLengthMax, "completions/train/max_length", ""),
    entry(Concept::ResponseLengthMax, "generation/train/completions/max_length", ""),
    entry(Concept::ResponseLengthMin, "completions/train/min_length", ""),
    entry(Concept::ResponseLengthMin, "generation/train/completions/min_length", ""),
    entry(Concept::PromptLength, "generation/train/prompts/mean_length", ""),
    entry(Concept::TruncatedShare, "generation/train/completions/clip_ratio", ""),
    entry(Concept::MismatchLogprob, "sampler_trainer/train/logp_diff_mean", ""),
    entry(Concept::MismatchProbability, "sampler_trainer/train/prob_diff_mean", ""),
    entry(Concept::MismatchCorrelation, "sampler_trainer/train/probs_pearson_corr", ""),
    entry(Concept::MismatchRatio, "sampler_is/train/weight_mean", ""),
    entry(Concept::StepTime, "perf/train/global_step_time", ""),
    entry(Concept::RolloutTime, "perf/train/sum/rollout_time", ""),
    entry(Concept::RolloutTime, "perf/train/mean/rollout_time", ""),
    entry(Concept::TrainTime, "perf/train/sum/actor_train_time", ""),
    entry(Concept::ReloadTime, "perf/train/weight_sync_time", ""),
    entry(Concept::SamplerIdle, "perf/train/rollout_idle_time", ""),
    entry(Concept::TrainerIdle, "perf/train/actor_dequeue_time", ""),
];

/// Keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] = &[
    "actor/train/", "rewards/train/", "completions/train/", "generation/train/", "sampler_trainer/train/",
    "perf/train/", "trajectory/train/", "global/train/", "actor/eval/", "rewards/eval/",
];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] = &["rl_training_config.", "grpo_config.", "cluster_config."];
