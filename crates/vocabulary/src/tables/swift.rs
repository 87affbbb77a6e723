//! Keys that ms-swift has beside TRL's; read from its source of August 2026.

use crate::table::{FrameworkKey, entry, mark};
use crate::{Concept, Unit};

/// Keys in the order of preference within a concept.
pub(super) const TABLE: &[FrameworkKey] = &[
    mark(Concept::Entropy, "train/entropy/mean", "mean over tokens"),
    entry(Concept::ClipFraction, "train/clip_ratio/region_mean", "either side"),
    entry(Concept::Turns, "train/num_turns", ""),
    entry(Concept::MismatchKl, "train/rollout_correction/k3_kl", ""),
    entry(Concept::MismatchKl, "train/rollout_correction/kl", "signed k1").in_unit(Unit::NatsPerTokenSigned),
    entry(Concept::MismatchSampleSize, "train/rollout_correction/ess", ""),
    entry(Concept::MismatchRatio, "train/rollout_correction/is_weight_mean", ""),
    entry(Concept::MismatchChiSquare, "train/rollout_correction/chi2_token", ""),
    // A mean since the start hides single slow steps.
    entry(Concept::StepTime, "train/step_time", "of one step, without the optimiser's part"),
    mark(Concept::StepTime, "train/train_speed(s/it)", "mean since the start"),
    mark(Concept::Memory, "train/memory(GiB)", ""),
];

/// Further keys that mark a run as its own; one that ends in `/` stands for all that begin with it.
pub(super) const MARKS: &[&str] = &[
    // Listed twice: nobody else has it, and two marks are needed.
    "train_speed(iter/s)", "train_speed(iter/s)", "rollout_correction/", "global_step/max_steps",
];

/// Beginnings of settings that mark a run as its own.
pub(super) const SETTINGS: &[&str] = &["rlhf_type", "train_type", "tuner_type"];
