//! rllm's keys, which it logs beside those of its backend; read from its source of August 2026.

use crate::table::{FrameworkKey, entry, mark};
use crate::{Concept, Scale, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    entry(Concept::Reward, "reward/mean", ""),
    entry(Concept::RewardStd, "reward/std", "over the batch"),
    entry(Concept::RewardMax, "reward/max", ""),
    entry(Concept::RewardMin, "reward/min", ""),
    mark(Concept::ZeroVarianceGroups, "batch/solve_partial", "groups that are partly solved").scaled(Scale::Complement),
    entry(Concept::ZeroVarianceGroups, "batch/{role}/fractions/effective", "groups that give a gradient")
        .scaled(Scale::Complement),
    mark(Concept::SolvedGroups, "batch/solve_all", ""),
    entry(Concept::SolvedGroups, "batch/{role}/fractions/too_easy", ""),
    mark(Concept::FailedGroups, "batch/solve_none", ""),
    entry(Concept::FailedGroups, "batch/{role}/fractions/too_hard", ""),
    entry(Concept::AdvantageMean, "advantage/mean", ""),
    entry(Concept::AdvantageMax, "advantage/max", ""),
    entry(Concept::AdvantageMin, "advantage/min", ""),
    entry(Concept::Entropy, "optim/entropy", "of the sampled tokens"),
    entry(Concept::LearningRate, "optim/lr", ""),
    entry(Concept::ResponseLength, "batch/step_response_length/mean", "of a step of the episode"),
    entry(Concept::ResponseLengthMax, "batch/step_response_length/max", ""),
    entry(Concept::ResponseLengthMin, "batch/step_response_length/min", ""),
    mark(Concept::Turns, "batch/steps_per_traj/mean", ""),
    entry(Concept::Turns, "episode/num_turns", ""),
    entry(Concept::MismatchKl, "optim/kl_sample_train_v1", "signed k1").in_unit(Unit::NatsPerTokenSigned),
    entry(Concept::MismatchKl, "optim/kl_sample_train_v2", "half the squared log-ratio"),
    mark(Concept::Staleness, "async/staleness_mean", ""),
    entry(Concept::StalenessMax, "async/staleness_max", ""),
    entry(Concept::StepTime, "time/step", ""),
    entry(Concept::ReloadTime, "time/weight_sync", ""),
    entry(Concept::UpkeepTime, "time/testing", ""),
    entry(Concept::TrainerIdle, "time/buffer_wait", ""),
    entry(Concept::TrainerIdle, "async/trainer_idle_ratio", "").in_unit(Unit::Share),
];

/// Further keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] = &[
    "batch/num_tasks", "groups/num_groups", "groups/dropped_zero_adv", "batch/termination_reason/",
    "episode/termination_reason/", "time/agentflow_s",
];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] = &["rllm."];
