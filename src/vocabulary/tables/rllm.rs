//! rllm's keys, which it logs beside those of its backend; read from its source of August 2026.

use crate::vocabulary::table::{FrameworkKey, entry, scaled};
use crate::vocabulary::{Concept, Scale, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    entry(Concept::Reward, "reward/mean", Unit::Plain, ""),
    entry(Concept::RewardStd, "reward/std", Unit::Plain, "over the batch"),
    entry(Concept::RewardMax, "reward/max", Unit::Plain, ""),
    entry(Concept::RewardMin, "reward/min", Unit::Plain, ""),
    scaled(
        Concept::ZeroStdGroups,
        "batch/solve_partial",
        Unit::Share,
        &Scale::Complement,
        "groups that are partly solved",
    ),
    scaled(
        Concept::ZeroStdGroups,
        "batch/{role}/fractions/effective",
        Unit::Share,
        &Scale::Complement,
        "groups that give a gradient",
    ),
    entry(Concept::SolvedGroups, "batch/solve_all", Unit::Share, ""),
    entry(Concept::SolvedGroups, "batch/{role}/fractions/too_easy", Unit::Share, ""),
    entry(Concept::FailedGroups, "batch/solve_none", Unit::Share, ""),
    entry(Concept::FailedGroups, "batch/{role}/fractions/too_hard", Unit::Share, ""),
    entry(Concept::AdvantageMean, "advantage/mean", Unit::Plain, ""),
    entry(Concept::AdvantageMax, "advantage/max", Unit::Plain, ""),
    entry(Concept::Entropy, "optim/entropy", Unit::NatsPerToken, "of the sampled tokens"),
    entry(Concept::LearningRate, "optim/lr", Unit::Plain, ""),
    entry(Concept::ResponseLength, "batch/step_response_length/mean", Unit::Tokens, "of a step of the episode"),
    entry(Concept::ResponseLengthMax, "batch/step_response_length/max", Unit::Tokens, ""),
    entry(Concept::ResponseLengthMin, "batch/step_response_length/min", Unit::Tokens, ""),
    entry(Concept::Turns, "batch/steps_per_traj/mean", Unit::Count, ""),
    entry(Concept::Turns, "episode/num_turns", Unit::Count, ""),
    entry(Concept::MismatchKl, "optim/kl_sample_train_v1", Unit::NatsPerTokenSigned, "signed k1"),
    entry(Concept::MismatchKl, "optim/kl_sample_train_v2", Unit::NatsPerToken, "half the squared log-ratio"),
    entry(Concept::Staleness, "async/staleness_mean", Unit::Count, ""),
    entry(Concept::StalenessMax, "async/staleness_max", Unit::Count, ""),
    entry(Concept::StepTime, "time/step", Unit::Seconds, ""),
    entry(Concept::ReloadTime, "time/weight_sync", Unit::Seconds, ""),
    entry(Concept::UpkeepTime, "time/testing", Unit::Seconds, ""),
    entry(Concept::TrainerIdle, "time/buffer_wait", Unit::Seconds, ""),
    entry(Concept::TrainerIdle, "async/trainer_idle_ratio", Unit::Share, ""),
];

/// Keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] = &[
    "batch/solve_none",
    "batch/solve_all",
    "batch/solve_partial",
    "batch/num_tasks",
    "groups/num_groups",
    "groups/dropped_zero_adv",
    "batch/termination_reason/",
    "episode/termination_reason/",
    "batch/steps_per_traj/mean",
    "time/agentflow_s",
    "async/staleness_mean",
];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] = &["rllm."];
