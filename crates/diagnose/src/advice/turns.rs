//! Hyperparameters and where to turn them: the sizes of published recipes, once for all checks.

use crate::context::Context;
use crate::settings::{Hyperparameter, is_switched_off};
use crate::{Action, ActionKind, SettingName};
use rundown_format::short;
use rundown_vocabulary::Concept;

/// A weight of which a turn shows whether it makes it smaller.
const SMALL: f64 = 1e-3;

/// A hyperparameter and where to turn it. Each action turns one hyperparameter, so that its effect can be told.
pub(crate) struct Turn {
    pub hyperparameter: Hyperparameter,
    /// The value to try, from the present one and the usual range.
    pub to: fn(f64, Option<(f64, f64)>) -> f64,
    /// The value to try where the present one is unknown.
    pub otherwise: &'static str,
    pub effect: &'static str,
    pub risk: &'static str,
}

impl Turn {
    /// The action for a run; `from` stays empty where its config does not have the setting.
    pub(crate) fn action(&self, context: &Context<'_>, watch: &str) -> Action {
        let setting = context.setting(self.hyperparameter);
        let target = setting.as_ref().map_or(f64::NAN, |setting| (self.to)(setting.value, setting.usual));
        let to = if target.is_finite() { short(target) } else { self.otherwise.to_owned() };
        let change = match setting {
            Some(setting) => ActionKind::Set { setting: SettingName::Key(setting.key), from: Some(setting.text), to },
            None => {
                ActionKind::Set { setting: SettingName::Words(self.hyperparameter.words().to_owned()), from: None, to }
            }
        };
        let [effect, risk, watch] = [self.effect, self.risk, watch].map(str::to_owned);
        Action { kind: change, effect, risk, watch }
    }

    /// False where turning it can have no effect: a term to be weakened that is off, or a clip that no gradient reaches.
    pub(super) fn has_effect(&self, context: &Context<'_>) -> bool {
        let lowers = (self.to)(SMALL, None) < SMALL;
        if lowers && is_switched_off(&context.run.config, self.hyperparameter) {
            return false;
        }
        if self.hyperparameter != Hyperparameter::MaxGradNorm {
            return true;
        }
        let setting = context.setting(self.hyperparameter);
        let target =
            setting.map(|setting| (self.to)(setting.value, setting.usual)).or_else(|| self.otherwise.parse().ok());
        let norm = context.signal(Concept::GradientNorm).filter(|norm| norm.nonfinite.is_empty());
        !norm.zip(target).is_some_and(|(norm, target)| norm.max() < target)
    }
}

/// To a third, or to the usual maximum when it is far above it.
pub(crate) const LOWER_LEARNING_RATE: Turn = Turn {
    hyperparameter: Hyperparameter::LearningRate,
    to: |value, usual| match usual {
        Some((_, high)) if value > 3.0 * high => high,
        _ => value / 3.0,
    },
    otherwise: "a third",
    effect: "smaller policy updates, tamer gradients",
    risk: "slower learning",
};

/// Threefold, or to twice the usual minimum when it is far below it.
pub(crate) const RAISE_LEARNING_RATE: Turn = Turn {
    hyperparameter: Hyperparameter::LearningRate,
    to: |value, usual| match usual {
        Some((low, _)) if 3.0 * value < low => 2.0 * low,
        _ => 3.0 * value,
    },
    otherwise: "three times as much",
    effect: "the policy moves within 50 steps",
    risk: "instability",
};

/// Fivefold; from zero to 0.01.
pub(crate) const RAISE_KL_COEFFICIENT: Turn = Turn {
    hyperparameter: Hyperparameter::KlCoefficient,
    to: |value, _| if value <= 0.0 { 0.01 } else { (5.0 * value).min(value.max(0.1)) },
    otherwise: "0.01",
    effect: "holds the policy near the reference",
    risk: "underfits above 0.1",
};

/// To a fifth.
pub(crate) const LOWER_KL_COEFFICIENT: Turn = Turn {
    hyperparameter: Hyperparameter::KlCoefficient,
    to: |value, _| if value > 0.5 { 0.04 } else { value / 5.0 },
    otherwise: "a fifth",
    effect: "lets the policy move",
    risk: "drift away from the reference",
};

/// As DAPO does.
pub(crate) const CLIP_HIGHER: Turn = Turn {
    hyperparameter: Hyperparameter::ClipHigh,
    to: |value, _| if value < 0.28 { 0.28 } else { 0.35 },
    otherwise: "0.28",
    effect: "rare tokens can gain probability; in DAPO a later plateau",
    risk: "slower exploitation",
};

/// To sixteen, then twofold.
pub(crate) const MORE_RESPONSES: Turn = Turn {
    hyperparameter: Hyperparameter::Generations,
    to: |value, _| if value < 16.0 { 16.0 } else { 2.0 * value },
    otherwise: "16",
    effect: "more groups with both right and wrong answers, steadier advantages",
    risk: "more sampling per step",
};

/// By half.
pub(crate) const LONGER_RESPONSES: Turn = Turn {
    hyperparameter: Hyperparameter::MaxResponse,
    to: |value, _| (1.5 * value).round(),
    otherwise: "half as much again",
    effect: "answers that are cut off now can end",
    risk: "more memory and time per step",
};

/// To half, no further down than 0.2, and to that where nothing was cut.
pub(crate) const LOWER_MAX_GRAD_NORM: Turn = Turn {
    hyperparameter: Hyperparameter::MaxGradNorm,
    to: |value, _| match value {
        value if value > 1.0 => 1.0,
        value if value > 0.0 => (0.5 * value).max(value.min(0.2)),
        _ => 0.2,
    },
    otherwise: "0.5",
    effect: "single batches move the weights less",
    risk: "slower learning where every step is clipped",
};

/// To one.
pub(crate) const TEMPERATURE_ONE: Turn = Turn {
    hyperparameter: Hyperparameter::Temperature,
    to: |value, _| if value < 1.0 { 1.0 } else { value + 0.1 },
    otherwise: "1.0",
    effect: "more varied responses within a group",
    risk: "more wrong answers at first",
};

/// To half, at least one.
pub(crate) const FEWER_UPDATES: Turn = Turn {
    hyperparameter: Hyperparameter::UpdatesPerBatch,
    to: |value, _| (0.5 * value).floor().max(1.0),
    otherwise: "1",
    effect: "the policy stays close to the one that sampled",
    risk: "fewer updates per sampled response",
};

/// Twofold.
pub(crate) const MORE_UPDATES: Turn = Turn {
    hyperparameter: Hyperparameter::UpdatesPerBatch,
    to: |value, _| 2.0 * value,
    otherwise: "2",
    effect: "two updates from each batch",
    risk: "off-policy samples",
};

/// Twofold.
pub(crate) const LARGER_BATCH: Turn = Turn {
    hyperparameter: Hyperparameter::Batch,
    to: |value, _| 2.0 * value,
    otherwise: "twice as many prompts",
    effect: "less noise in the gradient",
    risk: "more sampling per step",
};

/// To twenty steps at least.
pub(crate) const WARM_UP: Turn = Turn {
    hyperparameter: Hyperparameter::Warmup,
    to: |value, _| if value < 20.0 { 20.0 } else { 2.0 * value },
    otherwise: "20",
    effect: "small first updates, while the optimiser's averages settle",
    risk: "a few slower steps",
};

/// To zero.
pub(crate) const NO_ENTROPY_BONUS: Turn = Turn {
    hyperparameter: Hyperparameter::EntropyCoefficient,
    to: |_, _| 0.0,
    otherwise: "0",
    effect: "nothing rewards randomness any more",
    risk: "entropy may fall faster",
};
