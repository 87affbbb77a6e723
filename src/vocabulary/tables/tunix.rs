//! tunix's keys: the mode stands behind the first part of a name. Read from its source of August 2026.

use crate::vocabulary::table::{FrameworkKey, entry, scaled};
use crate::vocabulary::{Concept, Scale, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    entry(Concept::Reward, "rewards/train/score/mean", Unit::Plain, "before any KL penalty"),
    entry(Concept::Reward, "rewards/train/reward/mean", Unit::Plain, "PPO: minus the KL penalty"),
    entry(Concept::Reward, "rewards/train/mean", Unit::Plain, ""),
    entry(Concept::Reward, "rewards/train/sum", Unit::Plain, ""),
    entry(Concept::RewardMax, "rewards/train/score/max", Unit::Plain, ""),
    entry(Concept::RewardMin, "rewards/train/score/min", Unit::Plain, ""),
    entry(Concept::RewardComponent, "rewards/train/{function}", Unit::Plain, ""),
    scaled(
        Concept::ZeroStdGroups,
        "actor/train/advantage/nonzero_frac",
        Unit::Share,
        &Scale::Complement,
        "samples whose advantage is not 0",
    ),
    scaled(
        Concept::ZeroStdGroups,
        "advantage/train/nonzero_frac",
        Unit::Share,
        &Scale::Complement,
        "samples whose advantage is not 0",
    ),
    entry(Concept::AdvantageMean, "rewards/train/advantage/mean", Unit::Plain, ""),
    entry(Concept::AdvantageMax, "rewards/train/advantage/max", Unit::Plain, ""),
    entry(Concept::AdvantageMax, "actor/train/advantage/max", Unit::Plain, ""),
    entry(Concept::KlToReference, "actor/train/kl", Unit::NatsPerToken, "mean over tokens, of the type kl_loss_mode"),
    entry(
        Concept::KlToReference,
        "actor/train/kl_loss",
        Unit::NatsPerToken,
        "mean over tokens, of the type kl_loss_mode",
    ),
    entry(Concept::KlToReference, "rewards/train/reward_kl_penalty", Unit::NatsPerTokenSigned, "PPO: in the reward"),
    entry(
        Concept::KlToSampler,
        "actor/train/ppo_kl",
        Unit::NatsPerTokenSigned,
        "signed k1: 0 does not prove a ratio of 1",
    ),
    entry(Concept::Entropy, "actor/train/entropy", Unit::NatsPerToken, "mean over tokens"),
    entry(Concept::Entropy, "actor/train/loss/entropy", Unit::NatsPerToken, "mean over tokens"),
    entry(Concept::ClipFraction, "actor/train/pg_clipfrac", Unit::Share, ""),
    entry(Concept::RatioMean, "actor/train/is_ratio/mean", Unit::Plain, ""),
    entry(Concept::RatioMax, "actor/train/is_ratio/max", Unit::Plain, ""),
    entry(Concept::PolicyLoss, "actor/train/reduced_pg_loss", Unit::Plain, ""),
    entry(Concept::PolicyLoss, "actor/train/loss", Unit::Plain, ""),
    entry(Concept::ValueLoss, "critic/train/loss", Unit::Plain, ""),
    entry(Concept::ValueClipFraction, "critic/train/vf_clipfrac", Unit::Share, ""),
    entry(Concept::ValueMean, "critic/train/vpred_mean", Unit::Plain, ""),
    entry(Concept::ReturnMean, "advantages/train/returns/mean", Unit::Plain, ""),
    entry(Concept::GradientNorm, "actor/train/grad_norm", Unit::Plain, ""),
    entry(Concept::LearningRate, "actor/train/learning_rate", Unit::Plain, ""),
    entry(Concept::ResponseLength, "completions/train/mean_length", Unit::Tokens, ""),
    entry(Concept::ResponseLength, "generation/train/completions/mean_length", Unit::Tokens, ""),
    entry(Concept::ResponseLengthMax, "completions/train/max_length", Unit::Tokens, ""),
    entry(Concept::ResponseLengthMax, "generation/train/completions/max_length", Unit::Tokens, ""),
    entry(Concept::ResponseLengthMin, "completions/train/min_length", Unit::Tokens, ""),
    entry(Concept::ResponseLengthMin, "generation/train/completions/min_length", Unit::Tokens, ""),
    entry(Concept::PromptLength, "generation/train/prompts/mean_length", Unit::Tokens, ""),
    entry(Concept::TruncatedShare, "generation/train/completions/clip_ratio", Unit::Share, ""),
    entry(Concept::MismatchLogprob, "sampler_trainer/train/logp_diff_mean", Unit::NatsPerToken, ""),
    entry(Concept::MismatchProbability, "sampler_trainer/train/prob_diff_mean", Unit::Plain, ""),
    entry(Concept::MismatchCorrelation, "sampler_trainer/train/probs_pearson_corr", Unit::Plain, ""),
    entry(Concept::MismatchRatio, "sampler_is/train/weight_mean", Unit::Plain, ""),
    entry(Concept::StepTime, "perf/train/global_step_time", Unit::Seconds, ""),
    entry(Concept::RolloutTime, "perf/train/sum/rollout_time", Unit::Seconds, ""),
    entry(Concept::RolloutTime, "perf/train/mean/rollout_time", Unit::Seconds, ""),
    entry(Concept::TrainTime, "perf/train/sum/actor_train_time", Unit::Seconds, ""),
    entry(Concept::ReloadTime, "perf/train/weight_sync_time", Unit::Seconds, ""),
    entry(Concept::SamplerIdle, "perf/train/rollout_idle_time", Unit::Seconds, ""),
    entry(Concept::TrainerIdle, "perf/train/actor_dequeue_time", Unit::Seconds, ""),
];

/// Keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] = &[
    "actor/train/",
    "rewards/train/",
    "completions/train/",
    "generation/train/",
    "sampler_trainer/train/",
    "perf/train/",
    "trajectory/train/",
    "global/train/",
    "actor/eval/",
    "rewards/eval/",
];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] = &["rl_training_config.", "grpo_config.", "cluster_config."];
