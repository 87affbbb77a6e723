//! AReaL's keys; read from its source of May 2026.

use crate::table::{FrameworkKey, entry, mark};
use crate::{Concept, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    entry(Concept::Reward, "rollout/reward", "of all trajectories"),
    mark(Concept::Reward, "ppo_actor/task_reward/avg", "of the trajectories that are trained on"),
    entry(Concept::Reward, "ppo_actor/final_reward/avg", "with the KL penalty, per token"),
    entry(Concept::RewardMax, "ppo_actor/task_reward/max", ""),
    entry(Concept::RewardMin, "ppo_actor/task_reward/min", ""),
    mark(Concept::AdvantageMean, "ppo_actor/advantages/avg", "weighted by tokens"),
    entry(Concept::AdvantageMax, "ppo_actor/advantages/max", ""),
    entry(Concept::AdvantageMin, "ppo_actor/advantages/min", ""),
    // `ppo_actor/kl_rewards` is the KL times minus its weight: no KL.
    entry(Concept::KlToSampler, "ppo_actor/update/approx_kl/avg", "the mean log-ratio: 0 does not prove a ratio of 1")
        .in_unit(Unit::NatsPerTokenSigned),
    entry(Concept::Entropy, "ppo_actor/update/entropy/avg", "mean over tokens"),
    entry(Concept::Entropy, "entropy/avg", "mean over tokens"),
    entry(Concept::ClipFraction, "ppo_actor/update/clip_ratio/avg", ""),
    entry(Concept::RatioMean, "ppo_actor/update/importance_weight/avg", ""),
    entry(Concept::RatioMax, "ppo_actor/update/importance_weight/max", ""),
    entry(Concept::PolicyLoss, "ppo_actor/update/actor_loss/avg", ""),
    entry(Concept::ValueLoss, "ppo_critic/update/critic_loss/avg", ""),
    entry(Concept::ValueClipFraction, "ppo_critic/update/clip_ratio/avg", ""),
    entry(Concept::ValueMean, "ppo_critic/update/new_value/avg", ""),
    entry(Concept::ReturnMean, "ppo_critic/update/target_value/avg", ""),
    entry(Concept::GradientNorm, "ppo_actor/update/grad_norm", ""),
    entry(Concept::LearningRate, "ppo_actor/update/lr", ""),
    mark(Concept::ResponseLength, "ppo_actor/seq_len/avg", "with the prompt"),
    entry(Concept::ResponseLengthMax, "ppo_actor/seq_len/max", "with the prompt"),
    mark(Concept::CorrectLength, "ppo_actor/correct_seq_len/avg", "with the prompt"),
    entry(Concept::IncorrectLength, "ppo_actor/incorrect_seq_len/avg", "with the prompt"),
    entry(Concept::PromptLength, "ppo_actor/prompt_len/avg", ""),
    mark(Concept::TruncatedShare, "ppo_actor/no_eos_ratios/avg", ""),
    entry(
        Concept::MismatchKl,
        "ppo_actor/update/behave_approx_kl/avg",
        "the mean log-ratio, sampler to trainer, and their lag",
    )
    .in_unit(Unit::NatsPerTokenSigned),
    entry(Concept::MismatchRatio, "ppo_actor/update/behave_imp_weight/avg", ""),
    entry(Concept::Staleness, "ppo_actor/update/version_stats/sample_staleness_theta_avg", ""),
    entry(Concept::Staleness, "version_stats/sample_staleness_theta_avg", ""),
    entry(Concept::StalenessMax, "ppo_actor/update/version_stats/sample_staleness_theta_max", ""),
    entry(Concept::StalenessMax, "version_stats/sample_staleness_theta_max", ""),
    entry(Concept::RolloutTime, "timeperf/rollout", "what the trainer waits for"),
    entry(Concept::TrainTime, "timeperf/train_step", ""),
    entry(Concept::ReloadTime, "timeperf/update_weights", ""),
    entry(Concept::UpkeepTime, "timeperf/eval", ""),
    entry(Concept::UpkeepTime, "timeperf/save", ""),
];

/// Further keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] =
    &["ppo_actor/update/", "eval-rollout/", "timeperf/", "version_stats/", "rollout/accepted", "rollout/rejected"];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] =
    &["rollout.max_head_offpolicyness", "gconfig.", "actor.ppo_n_minibatches", "allocation_mode"];
