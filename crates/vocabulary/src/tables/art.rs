//! ART's keys; read from its wheel 0.5.18.

use crate::Concept;
use crate::table::{FrameworkKey, entry, mark};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    entry(Concept::Reward, "train/reward", ""),
    mark(Concept::RewardStd, "train/reward_std_dev", "within groups"),
    mark(Concept::KlToReference, "loss/kl_div", ""),
    mark(Concept::KlToReference, "loss/kl_policy_ref", ""),
    entry(Concept::KlToReference, "train/kl_div", "older: mean over tokens"),
    entry(Concept::Entropy, "loss/entropy", ""),
    entry(Concept::PolicyLoss, "train/policy_loss", "older"),
    mark(Concept::GradientNorm, "loss/grad_norm", ""),
    mark(Concept::LearningRate, "loss/learning_rate", ""),
    mark(Concept::ErrorRate, "train/exception_rate", "rollouts that ended in an exception"),
    mark(Concept::Staleness, "train/steps_off_policy", ""),
    mark(Concept::StepTime, "time/step_wall_s", ""),
    mark(Concept::TrainerIdle, "throughput/step_trainer_idle_s", ""),
];

/// Further keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] = &[
    "data/step_num_groups_trainable",
    "data/step_num_groups_submitted",
    "discarded_stale_groups",
    "time/wall_clock_sec",
];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] = &["trajectories_per_group"];
