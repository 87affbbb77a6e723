//! verl's keys, new and old (Search-R1, TinyZero), and of what keeps its names; read from its source of January 2026.

use super::table::{Entry, entry};
use super::{Concept, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[Entry] = &[
    entry(Concept::Reward, "critic/score/mean", Unit::Plain, "the raw score, before any KL penalty"),
    entry(
        Concept::Reward,
        "critic/rewards/mean",
        Unit::Plain,
        "the score minus the KL penalty, if one is in the reward",
    ),
    entry(Concept::KlToReference, "actor/kl_loss", Unit::NatsPerToken, "mean over tokens, of the type kl_loss_type"),
    entry(
        Concept::KlToReference,
        "actor/reward_kl_penalty",
        Unit::NatsPerTokenSigned,
        "k1 in the reward, may be negative",
    ),
    entry(
        Concept::KlToReference,
        "critic/kl",
        Unit::NatsPerTokenSigned,
        "older verl: k1 in the reward, may be negative",
    ),
    entry(Concept::KlCoefficient, "actor/kl_coef", Unit::Plain, "weight of the KL loss"),
    entry(Concept::KlCoefficient, "actor/reward_kl_penalty_coeff", Unit::Plain, "weight of the KL in the reward"),
    entry(Concept::KlCoefficient, "critic/kl_coeff", Unit::Plain, "older verl: weight of the KL in the reward"),
    entry(
        Concept::KlToSampler,
        "actor/ppo_kl",
        Unit::NatsPerTokenSigned,
        "signed k1: zero does not prove a ratio of one",
    ),
    entry(Concept::Entropy, "actor/entropy", Unit::NatsPerToken, "mean over tokens"),
    entry(
        Concept::Entropy,
        "actor/entropy_loss",
        Unit::NatsPerToken,
        "older verl: the entropy itself, mean over tokens",
    ),
    entry(Concept::ClipFraction, "actor/pg_clipfrac", Unit::Share, "both sides"),
    entry(Concept::PolicyLoss, "actor/pg_loss", Unit::Plain, "near zero is normal"),
    entry(Concept::ValueLoss, "critic/vf_loss", Unit::Plain, "of the critic"),
    entry(Concept::GradientNorm, "actor/grad_norm", Unit::Plain, "before clipping"),
    entry(Concept::LearningRate, "actor/lr", Unit::Plain, "of the actor"),
    entry(Concept::LearningRate, "actor/lr(1e-4)", Unit::Plain, "older verl: in units of 1e-4"),
    entry(Concept::ResponseLength, "response_length/mean", Unit::Tokens, "mean over the batch"),
    entry(Concept::ResponseLengthMax, "response_length/max", Unit::Tokens, "longest of the batch"),
    entry(Concept::TruncatedShare, "response_length/clip_ratio", Unit::Share, "responses as long as the limit"),
    entry(Concept::AdvantageMean, "critic/advantages/mean", Unit::Plain, "weighted by tokens"),
    entry(Concept::AdvantageMax, "critic/advantages/max", Unit::Plain, "largest of the batch"),
    entry(Concept::RewardMax, "critic/score/max", Unit::Plain, "largest raw score"),
    entry(Concept::RewardMax, "critic/rewards/max", Unit::Plain, "largest reward"),
    entry(Concept::RewardMin, "critic/score/min", Unit::Plain, "smallest raw score"),
    entry(Concept::RewardMin, "critic/rewards/min", Unit::Plain, "smallest reward"),
    entry(Concept::StepTime, "timing_s/step", Unit::Seconds, "the whole step"),
    entry(Concept::StepTime, "perf/time_per_step", Unit::Seconds, "the whole step"),
    entry(Concept::StepTime, "timing/step", Unit::Seconds, "older verl"),
    entry(Concept::Tokens, "perf/total_num_tokens", Unit::Tokens, "of the step"),
    entry(Concept::Tokens, "total_num_tokens", Unit::Tokens, "older verl: of the step"),
];

/// Keys (in normal form) that mark a run as verl's.
pub(super) const MARKS: &[&str] = &[
    "actor/pg_loss",
    "actor/ppo_kl",
    "actor/pg_clipfrac",
    "actor/entropy",
    "actor/entropy_loss",
    "actor/grad_norm",
    "critic/score/mean",
    "critic/rewards/mean",
    "critic/advantages/mean",
    "response_length/mean",
    "response_length/clip_ratio",
    "timing_s/step",
    "timing_s/gen",
];

/// Beginnings of settings that mark a run as verl's.
pub(super) const SETTINGS: &[&str] = &["actor_rollout_ref.", "algorithm.adv_estimator", "algorithm.kl_ctrl."];
