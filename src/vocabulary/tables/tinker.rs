//! tinker's keys, as its cookbook logs them; read from its source of August 2026.

use crate::vocabulary::table::{FrameworkKey, entry, scaled};
use crate::vocabulary::{Concept, Scale, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    entry(Concept::Reward, "env/all/reward/total", Unit::Plain, ""),
    entry(Concept::Reward, "reward/total", Unit::Plain, ""),
    entry(Concept::RewardComponent, "env/all/correct", Unit::Plain, ""),
    entry(Concept::RewardComponent, "env/all/format", Unit::Plain, ""),
    scaled(
        Concept::ZeroStdGroups,
        "env/all/by_group/frac_mixed",
        Unit::Share,
        &Scale::Complement,
        "groups with a spread of rewards",
    ),
    entry(Concept::SolvedGroups, "env/all/by_group/frac_all_good", Unit::Share, ""),
    entry(Concept::FailedGroups, "env/all/by_group/frac_all_bad", Unit::Share, ""),
    entry(Concept::KlToReference, "kl_policy_base", Unit::NatsPerTokenSigned, "the mean log-ratio: k1"),
    entry(Concept::KlToSampler, "kl_pre_post_v2", Unit::NatsPerToken, "half the squared log-ratio"),
    entry(Concept::KlToSampler, "kl_pre_post_v1", Unit::NatsPerTokenSigned, "signed k1"),
    entry(Concept::Entropy, "optim/entropy", Unit::NatsPerToken, "of the sampled tokens"),
    entry(Concept::LearningRate, "optim/lr", Unit::Plain, ""),
    entry(Concept::ResponseLength, "env/all/ac_tokens_per_turn", Unit::Tokens, "of a turn"),
    entry(Concept::PromptLength, "env/all/ob_tokens_per_turn", Unit::Tokens, "of a turn"),
    entry(Concept::Turns, "env/all/turns_per_episode", Unit::Count, ""),
    entry(Concept::FailedRollouts, "rollout_errors/total", Unit::Count, ""),
    entry(Concept::MismatchKl, "optim/kl_sample_train_v1", Unit::NatsPerTokenSigned, "signed k1"),
    entry(Concept::MismatchKl, "optim/kl_sample_train_v2", Unit::NatsPerToken, "half the squared log-ratio"),
    entry(Concept::StepTime, "time/total", Unit::Seconds, ""),
    entry(Concept::RolloutTime, "time/sampling", Unit::Seconds, ""),
    entry(Concept::TrainTime, "time/train", Unit::Seconds, ""),
    entry(Concept::TrainTime, "time/train_step", Unit::Seconds, ""),
    entry(Concept::UpkeepTime, "time/run_evals", Unit::Seconds, ""),
];

/// Keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] = &[
    "env/all/reward/total",
    "env/all/by_group/",
    "env/all/ac_tokens_per_turn",
    "env/all/turns_per_episode",
    "progress/done_frac",
    "progress/batch",
    "optim/kl_sample_train_v1",
    "kl_pre_post_v1",
    "kl_policy_base",
    "sampling_client/",
    "rollout_errors/",
    "test/env/",
];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] = &["kl_penalty_coef", "num_substeps", "groups_per_batch"];
