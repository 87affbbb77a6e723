//! ART's keys; read from its wheel 0.5.18.

use crate::vocabulary::Concept;
use crate::vocabulary::table::{FrameworkKey, entry};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    entry(Concept::Reward, "train/reward", ""),
    entry(Concept::RewardStd, "train/reward_std_dev", "within groups"),
    entry(Concept::KlToReference, "loss/kl_div", ""),
    entry(Concept::KlToReference, "loss/kl_policy_ref", ""),
    entry(Concept::KlToReference, "train/kl_div", "older: mean over tokens"),
    entry(Concept::Entropy, "loss/entropy", ""),
    entry(Concept::PolicyLoss, "train/policy_loss", "older"),
    entry(Concept::GradientNorm, "loss/grad_norm", ""),
    entry(Concept::LearningRate, "loss/learning_rate", ""),
    entry(Concept::ErrorRate, "train/exception_rate", "rollouts that ended in an exception"),
    entry(Concept::Staleness, "train/steps_off_policy", ""),
    entry(Concept::StepTime, "time/step_wall_s", ""),
    entry(Concept::TrainerIdle, "throughput/step_trainer_idle_s", ""),
];

/// Keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] = &[
    "reward_std_dev",
    "exception_rate",
    "loss/kl_div",
    "loss/kl_policy_ref",
    "loss/grad_norm",
    "loss/learning_rate",
    "data/step_num_groups_trainable",
    "data/step_num_groups_submitted",
    "steps_off_policy",
    "discarded_stale_groups",
    "time/step_wall_s",
    "throughput/step_trainer_idle_s",
    "time/wall_clock_sec",
];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] = &["trajectories_per_group"];
