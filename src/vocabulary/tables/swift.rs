//! Keys that ms-swift has beside TRL's; read from its source of August 2026.

use crate::vocabulary::table::{FrameworkKey, entry};
use crate::vocabulary::{Concept, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    entry(Concept::Entropy, "train/entropy/mean", Unit::NatsPerToken, "mean over tokens"),
    entry(Concept::ClipFraction, "train/clip_ratio/region_mean", Unit::Share, "either side"),
    entry(Concept::Turns, "train/num_turns", Unit::Count, ""),
    entry(Concept::MismatchKl, "train/rollout_correction/k3_kl", Unit::NatsPerToken, ""),
    entry(Concept::MismatchKl, "train/rollout_correction/kl", Unit::NatsPerTokenSigned, "signed k1"),
    entry(Concept::MismatchSampleSize, "train/rollout_correction/ess", Unit::Share, ""),
    entry(Concept::MismatchRatio, "train/rollout_correction/is_weight_mean", Unit::Plain, ""),
    entry(Concept::MismatchChiSquare, "train/rollout_correction/chi2_token", Unit::Plain, ""),
    entry(Concept::StepTime, "train/train_speed(s/it)", Unit::Seconds, "mean since the start"),
    entry(Concept::Memory, "train/memory(GiB)", Unit::Gigabytes, ""),
];

/// Keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] = &[
    "entropy/mean",
    "memory(gib)",
    "train_speed(s/it)",
    "train_speed(iter/s)",
    "rollout_correction/",
    "global_step/max_steps",
];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] = &["rlhf_type", "train_type", "tuner_type"];
