//! AReaL's keys; read from its source of May 2026.

use crate::vocabulary::table::{FrameworkKey, entry};
use crate::vocabulary::{Concept, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    entry(Concept::Reward, "rollout/reward", Unit::Plain, "of all trajectories"),
    entry(Concept::Reward, "ppo_actor/task_reward/avg", Unit::Plain, "of the trajectories that are trained on"),
    entry(Concept::Reward, "ppo_actor/final_reward/avg", Unit::Plain, "with the KL penalty, per token"),
    entry(Concept::RewardMax, "ppo_actor/task_reward/max", Unit::Plain, ""),
    entry(Concept::RewardMin, "ppo_actor/task_reward/min", Unit::Plain, ""),
    entry(Concept::AdvantageMean, "ppo_actor/advantages/avg", Unit::Plain, "weighted by tokens"),
    entry(Concept::AdvantageMax, "ppo_actor/advantages/max", Unit::Plain, ""),
    // `ppo_actor/kl_rewards` is the KL times minus its weight: no KL.
    entry(
        Concept::KlToSampler,
        "ppo_actor/update/approx_kl/avg",
        Unit::NatsPerTokenSigned,
        "the mean log-ratio: 0 does not prove a ratio of 1",
    ),
    entry(Concept::Entropy, "ppo_actor/update/entropy/avg", Unit::NatsPerToken, "mean over tokens"),
    entry(Concept::Entropy, "entropy/avg", Unit::NatsPerToken, "mean over tokens"),
    entry(Concept::ClipFraction, "ppo_actor/update/clip_ratio/avg", Unit::Share, ""),
    entry(Concept::RatioMean, "ppo_actor/update/importance_weight/avg", Unit::Plain, ""),
    entry(Concept::RatioMax, "ppo_actor/update/importance_weight/max", Unit::Plain, ""),
    entry(Concept::PolicyLoss, "ppo_actor/update/actor_loss/avg", Unit::Plain, ""),
    entry(Concept::ValueLoss, "ppo_critic/update/critic_loss/avg", Unit::Plain, ""),
    entry(Concept::ValueClipFraction, "ppo_critic/update/clip_ratio/avg", Unit::Share, ""),
    entry(Concept::ValueMean, "ppo_critic/update/new_value/avg", Unit::Plain, ""),
    entry(Concept::ReturnMean, "ppo_critic/update/target_value/avg", Unit::Plain, ""),
    entry(Concept::GradientNorm, "ppo_actor/update/grad_norm", Unit::Plain, ""),
    entry(Concept::LearningRate, "ppo_actor/update/lr", Unit::Plain, ""),
    entry(Concept::ResponseLength, "ppo_actor/seq_len/avg", Unit::Tokens, "with the prompt"),
    entry(Concept::ResponseLengthMax, "ppo_actor/seq_len/max", Unit::Tokens, "with the prompt"),
    entry(Concept::CorrectLength, "ppo_actor/correct_seq_len/avg", Unit::Tokens, "with the prompt"),
    entry(Concept::IncorrectLength, "ppo_actor/incorrect_seq_len/avg", Unit::Tokens, "with the prompt"),
    entry(Concept::PromptLength, "ppo_actor/prompt_len/avg", Unit::Tokens, ""),
    entry(Concept::TruncatedShare, "ppo_actor/no_eos_ratios/avg", Unit::Share, ""),
    entry(
        Concept::MismatchKl,
        "ppo_actor/update/behave_approx_kl/avg",
        Unit::NatsPerTokenSigned,
        "the mean log-ratio, sampler to trainer, and their lag",
    ),
    entry(Concept::MismatchRatio, "ppo_actor/update/behave_imp_weight/avg", Unit::Plain, ""),
    entry(Concept::Staleness, "ppo_actor/update/version_stats/sample_staleness_theta_avg", Unit::Count, ""),
    entry(Concept::Staleness, "version_stats/sample_staleness_theta_avg", Unit::Count, ""),
    entry(Concept::StalenessMax, "ppo_actor/update/version_stats/sample_staleness_theta_max", Unit::Count, ""),
    entry(Concept::StalenessMax, "version_stats/sample_staleness_theta_max", Unit::Count, ""),
    entry(Concept::RolloutTime, "timeperf/rollout", Unit::Seconds, "what the trainer waits for"),
    entry(Concept::TrainTime, "timeperf/train_step", Unit::Seconds, ""),
    entry(Concept::ReloadTime, "timeperf/update_weights", Unit::Seconds, ""),
    entry(Concept::UpkeepTime, "timeperf/eval", Unit::Seconds, ""),
    entry(Concept::UpkeepTime, "timeperf/save", Unit::Seconds, ""),
];

/// Keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] = &[
    "ppo_actor/task_reward/avg",
    "ppo_actor/seq_len/avg",
    "ppo_actor/no_eos_ratios/avg",
    "ppo_actor/correct_seq_len/avg",
    "ppo_actor/update/",
    "ppo_actor/advantages/avg",
    "eval-rollout/",
    "timeperf/",
    "version_stats/",
    "rollout/accepted",
    "rollout/rejected",
];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] =
    &["rollout.max_head_offpolicyness", "gconfig.", "actor.ppo_n_minibatches", "allocation_mode"];
