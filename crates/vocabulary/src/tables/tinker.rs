//! tinker's keys, as its cookbook logs them; read from its source of August 2026.

use crate::table::{FrameworkKey, entry, mark};
use crate::{Concept, Scale, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    mark(Concept::Reward, "env/all/reward/total", ""),
    entry(Concept::Reward, "reward/total", ""),
    entry(Concept::RewardComponent, "env/all/correct", ""),
    entry(Concept::RewardComponent, "env/all/format", ""),
    entry(Concept::RewardComponent, "env/all/format_boxed", ""),
    entry(Concept::TruncatedShare, "env/all/format_eos", "responses that end by themselves").scaled(Scale::Complement),
    entry(Concept::ZeroVarianceGroups, "env/all/by_group/frac_mixed", "groups with a spread of rewards")
        .scaled(Scale::Complement),
    entry(Concept::SolvedGroups, "env/all/by_group/frac_all_good", ""),
    entry(Concept::FailedGroups, "env/all/by_group/frac_all_bad", ""),
    mark(Concept::KlToReference, "kl_policy_base", "the mean log-ratio: k1").in_unit(Unit::NatsPerTokenSigned),
    mark(Concept::TeacherKl, "teacher_kl", "of on-policy distillation"),
    entry(Concept::KlToSampler, "kl_pre_post_v2", "half the squared log-ratio"),
    mark(Concept::KlToSampler, "kl_pre_post_v1", "signed k1").in_unit(Unit::NatsPerTokenSigned),
    entry(Concept::Entropy, "optim/entropy", "of the sampled tokens"),
    entry(Concept::LearningRate, "optim/lr", ""),
    mark(Concept::ResponseLength, "env/all/ac_tokens_per_turn", "of a turn"),
    entry(Concept::PromptLength, "env/all/ob_tokens_per_turn", "of a turn"),
    mark(Concept::Turns, "env/all/turns_per_episode", ""),
    entry(Concept::FailedRollouts, "rollout_errors/total", ""),
    mark(Concept::MismatchKl, "optim/kl_sample_train_v1", "signed k1").in_unit(Unit::NatsPerTokenSigned),
    entry(Concept::MismatchKl, "optim/kl_sample_train_v2", "half the squared log-ratio"),
    entry(Concept::StepTime, "time/total", ""),
    entry(Concept::StepTime, "time/training_loop/total", "of asynchronous training"),
    entry(Concept::RolloutTime, "time/sampling", ""),
    entry(Concept::TrainTime, "time/train", ""),
    entry(Concept::TrainTime, "time/train_step", ""),
    entry(Concept::UpkeepTime, "time/run_evals", ""),
];

/// Further keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] =
    &["env/all/by_group/", "progress/done_frac", "progress/batch", "sampling_client/", "rollout_errors/", "test/env/"];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] = &["kl_penalty_coef", "num_substeps", "groups_per_batch"];
