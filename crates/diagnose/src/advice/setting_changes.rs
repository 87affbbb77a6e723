//! Changes of hyperparameters that the checks advise, with the sizes of published recipes.

use super::NewValue;
use super::whole_groups::batch_to_raise;
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::settings::{Hyperparameter, is_switched_off};
use crate::signals::length_limit::length_limit;
use crate::{Action, ActionKind, SettingName, SettingValue};
use rundown_format::short;
use rundown_stats as stats;
use rundown_vocabulary::Concept;

/// A weight that a change is tried on, to see whether it makes weights smaller.
const PROBE_WEIGHT: f64 = 1e-3;

/// A change of one hyperparameter: an action changes no more than one, so that its effect can be told.
pub struct SettingChange {
    /// Which.
    pub hyperparameter: Hyperparameter,
    /// The value to try, from the present one and the usual range.
    pub(crate) to: fn(f64, Option<(f64, f64)>) -> f64,
    /// The value to try where the present one is unknown.
    pub(crate) otherwise: NewValue,
    /// Expected effect.
    pub(crate) effect: &'static str,
    /// What it may cost.
    pub(crate) risk: &'static str,
}

impl SettingChange {
    /// The value to try, from the present one (NaN where it is not known) and the usual range.
    pub fn new_value(&self, present: f64, usual: Option<(f64, f64)>) -> SettingValue {
        if present.is_finite() { (self.to)(present, usual).into() } else { self.otherwise.into() }
    }

    /// The action for a run; `from` stays empty where neither its config nor its log has the setting.
    pub(crate) fn action(&self, context: &Context<'_>, watch: &str) -> Action {
        let setting = context.setting(self.hyperparameter);
        if setting.is_none()
            && let Some(action) = self.switch_on(context, watch)
        {
            return action;
        }
        let known = setting.as_ref().map(|setting| (setting.value, setting.usual));
        let (present, usual) = known.unwrap_or_else(|| (self.shown_by_log(context), None));
        let to = self.new_value(present, usual);
        // What was logged, or follows from it, is no name of a setting.
        let is_configured = setting.as_ref().is_some_and(|setting| context.run.config.get(&setting.key).is_some());
        let name = match &setting {
            Some(setting) if is_configured => SettingName::of_key(&setting.key),
            _ => SettingName::Words(self.hyperparameter.words().to_owned()),
        };
        let from = setting.map(SettingValue::from).or_else(|| present.is_finite().then(|| present.into()));
        let [effect, mut risk, watch] = [self.effect, self.risk, watch].map(str::to_owned);
        if self.hyperparameter == Hyperparameter::Generations
            && let Some(batch) = to.number.and_then(|group| batch_to_raise(&context.run.config, group))
        {
            risk = format!("{risk}; {batch}");
        }
        Action { kind: ActionKind::Set { setting: name, from, to }, effect, risk, watch }
    }

    /// The present value where no config has the setting and the log shows it: the limit at which responses end. Else NaN.
    fn shown_by_log(&self, context: &Context<'_>) -> f64 {
        let is_limit = self.hyperparameter == Hyperparameter::MaxResponse;
        let length = context.signal(Concept::ResponseLength).filter(|_| is_limit);
        length.and_then(|length| length_limit(context, length)).unwrap_or(f64::NAN)
    }

    /// For a KL term that the config switches off, whose coefficient would do nothing: the switch, with the coefficient to set beside
    /// it.
    fn switch_on(&self, context: &Context<'_>, watch: &str) -> Option<Action> {
        let is_on = |of| context.setting(of).is_some_and(|switch| switch.value == 1.0);
        let in_loss = context.setting(Hyperparameter::KlInLoss).filter(|switch| switch.value == 0.0)?;
        if self.hyperparameter != Hyperparameter::KlCoefficient || is_on(Hyperparameter::KlInReward) {
            return None;
        }
        let coefficient = (self.to)(0.0, None);
        (coefficient > 0.0).then(|| {
            let to = format!("true, with a coefficient of {}", short(coefficient)).as_str().into();
            let setting = SettingName::Key(in_loss.key.clone());
            let [effect, risk, watch] = [self.effect, self.risk, watch].map(str::to_owned);
            Action { kind: ActionKind::Set { setting, from: Some(in_loss.into()), to }, effect, risk, watch }
        })
    }

    /// False where it cannot help in this run.
    pub(super) fn can_help(&self, context: &Context<'_>) -> bool {
        let setting = context.setting(self.hyperparameter);
        // A term to be weakened that is off.
        let lowers = (self.to)(PROBE_WEIGHT, None) < PROBE_WEIGHT;
        if lowers && is_switched_off(&context.run.config, self.hyperparameter) {
            return false;
        }
        // A policy without a reference, tokens or groups does not have these settings.
        if self.hyperparameter.is_of_language_models() && setting.is_none() && context.acts_in_environment() {
            return false;
        }
        match self.hyperparameter {
            // Something has to show that there is a KL term to be weakened.
            Hyperparameter::KlCoefficient => {
                !lowers || setting.is_some() || context.signal(Concept::KlToReference).is_some()
            }
            // The responses of a policy that scores 0 to the end are as long as any limit.
            Hyperparameter::MaxResponse => !context.solves_nothing_any_more(),
            // A wider range changes nothing where no ratio reaches the present one.
            Hyperparameter::ClipHigh => !is_never_clipped(context) && !updates_go_far(context),
            // A critic's advantages come from no groups.
            Hyperparameter::Generations => !context.has_critic(),
            // A norm that no gradient reaches clips none.
            Hyperparameter::MaxGradNorm => {
                let target = match (setting, self.otherwise) {
                    (Some(setting), _) => Some((self.to)(setting.value, setting.usual)),
                    (None, NewValue::Number(number)) => Some(number),
                    (None, NewValue::Text(_)) => None,
                };
                let norm = context.signal(Concept::GradientNorm).filter(|norm| norm.nonfinite.is_empty());
                !norm.zip(target).is_some_and(|(norm, target)| norm.max() < target)
            }
            _ => true,
        }
    }
}

/// Rows without a clipped ratio that show that none is clipped: where each batch makes one update, all ratios are 1.
const UNCLIPPED_ROWS: usize = 10;
/// Coarsest printed digit with which a share of 0 means none.
const EXACT: f64 = 1e-4;

/// True where the logged shares of clipped ratios are 0 in all rows.
fn is_never_clipped(context: &Context<'_>) -> bool {
    let concepts = [Concept::ClipFraction, Concept::ClipFractionHigh];
    let logged = || concepts.iter().flat_map(|concept| context.signals(*concept)).filter(|signal| !signal.is_empty());
    let is_exact = |signal: &MetricSeries<'_>| signal.printed_quantum.is_none_or(|quantum| quantum <= EXACT);
    logged().any(|signal| signal.len() >= UNCLIPPED_ROWS) && logged().all(|signal| signal.is_zero() && is_exact(signal))
}

/// True where most updates move the policy too far: within a wider range they would go further.
fn updates_go_far(context: &Context<'_>) -> bool {
    let line = Some(context.rulebook.update_kl().value);
    context.signal(Concept::KlToSampler).is_some_and(|update| stats::median(&update.map(f64::abs).values) > line)
}

/// First digits of the values that people try.
const MANTISSAS: [f64; 7] = [1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0];

/// The nearest value, by its ratio, with first digits that people try: 1.67e-6 becomes 1.5e-6.
pub fn with_common_digits(value: f64) -> f64 {
    let size = value.abs();
    if size == 0.0 || !size.is_finite() {
        return value;
    }
    let decade = libm::pow(10.0, libm::floor(libm::log10(size)));
    let mantissa = size / decade;
    let distance = |of: &f64| libm::log(of / mantissa).abs();
    let kept = MANTISSAS.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(mantissa);
    (kept * decade).copysign(value)
}

/// To a third, or to the usual maximum when it is far above it.
pub const LOWER_LEARNING_RATE: SettingChange = SettingChange {
    hyperparameter: Hyperparameter::LearningRate,
    to: |value, usual| match usual {
        Some((_, high)) if value > 3.0 * high => high,
        _ => with_common_digits(value / 3.0),
    },
    otherwise: NewValue::Text("a third of its value"),
    effect: "smaller policy updates and gradient norms",
    risk: "slower learning",
};

/// Threefold, or to twice the usual minimum when it is far below it.
pub const RAISE_LEARNING_RATE: SettingChange = SettingChange {
    hyperparameter: Hyperparameter::LearningRate,
    to: |value, usual| match usual {
        Some((low, _)) if 3.0 * value < low => 2.0 * low,
        _ => 3.0 * value,
    },
    otherwise: NewValue::Text("three times its value"),
    effect: "the policy moves within 50 steps",
    risk: "instability",
};

/// Fivefold; from zero to 0.01.
pub const RAISE_KL_COEFFICIENT: SettingChange = SettingChange {
    hyperparameter: Hyperparameter::KlCoefficient,
    to: |value, _| if value <= 0.0 { 0.01 } else { (5.0 * value).min(value.max(0.1)) },
    otherwise: NewValue::Text("five times its value (0.01 where it is 0)"),
    effect: "holds the policy near the reference",
    risk: "underfits above 0.1",
};

/// To a fifth.
pub const LOWER_KL_COEFFICIENT: SettingChange = SettingChange {
    hyperparameter: Hyperparameter::KlCoefficient,
    to: |value, _| if value > 0.5 { 0.04 } else { value / 5.0 },
    otherwise: NewValue::Text("a fifth of its value"),
    effect: "lets the policy move",
    risk: "drift away from the reference",
};

/// Clip ranges up to this are of ratios of whole sequences (GSPO's is 4e-4).
const SEQUENCE_CLIP: f64 = 0.02;

/// As DAPO does; of ratios of whole sequences by a third. A range that is wider already (CISPO caps weights at 5) stays.
pub const CLIP_HIGHER: SettingChange = SettingChange {
    hyperparameter: Hyperparameter::ClipHigh,
    to: |value, _| match value {
        0.0..=SEQUENCE_CLIP => with_common_digits(value * 4.0 / 3.0),
        SEQUENCE_CLIP..0.28 => 0.28,
        0.28..0.35 => 0.35,
        wider => wider,
    },
    otherwise: NewValue::Text("at least 0.28"),
    effect: "rare tokens can gain probability; in DAPO a later plateau",
    risk: "slower exploitation",
};

/// To sixteen, then twofold.
pub const MORE_RESPONSES: SettingChange = SettingChange {
    hyperparameter: Hyperparameter::Generations,
    to: |value, _| if value < 16.0 { 16.0 } else { 2.0 * value },
    otherwise: NewValue::Text("at least 16"),
    effect: "more groups with both right and wrong answers, steadier advantages",
    risk: "more sampling per step",
};

/// By half.
pub const LONGER_RESPONSES: SettingChange = SettingChange {
    hyperparameter: Hyperparameter::MaxResponse,
    to: |value, _| (1.5 * value).round(),
    otherwise: NewValue::Text("1.5 times its value"),
    effect: "responses that are cut off now can end",
    risk: "more memory and time per step",
};

/// To half, no further down than 0.2, and to that where nothing was cut.
pub const LOWER_MAX_GRAD_NORM: SettingChange = SettingChange {
    hyperparameter: Hyperparameter::MaxGradNorm,
    to: |value, _| match value {
        value if value > 1.0 => 1.0,
        value if value > 0.0 => (0.5 * value).max(value.min(0.2)),
        _ => 0.2,
    },
    otherwise: NewValue::Number(0.5),
    effect: "single batches move the weights less",
    risk: "slower learning where every step is clipped",
};

/// To one.
pub const TEMPERATURE_ONE: SettingChange = SettingChange {
    hyperparameter: Hyperparameter::Temperature,
    to: |value, _| if value < 1.0 { 1.0 } else { value + 0.1 },
    otherwise: NewValue::Number(1.0),
    effect: "more varied responses within a group",
    risk: "more wrong answers at first",
};

/// To half, at least one.
pub const FEWER_EPOCHS_PER_BATCH: SettingChange = SettingChange {
    hyperparameter: Hyperparameter::EpochsPerBatch,
    to: |value, _| (0.5 * value).floor().max(1.0),
    otherwise: NewValue::Text("half its value, at least 1"),
    effect: "the policy stays close to the one that sampled",
    risk: "fewer updates per sampled response",
};

/// Twofold.
pub const MORE_EPOCHS_PER_BATCH: SettingChange = SettingChange {
    hyperparameter: Hyperparameter::EpochsPerBatch,
    to: |value, _| 2.0 * value,
    otherwise: NewValue::Number(2.0),
    effect: "twice as many updates from each batch",
    risk: "off-policy samples",
};

/// Twofold.
pub const LARGER_BATCH: SettingChange = SettingChange {
    hyperparameter: Hyperparameter::Batch,
    to: |value, _| 2.0 * value,
    otherwise: NewValue::Text("twice its value"),
    effect: "less noise in the gradient",
    risk: "more sampling per step",
};

/// To twenty steps at least.
pub const WARM_UP: SettingChange = SettingChange {
    hyperparameter: Hyperparameter::Warmup,
    to: |value, _| if value < 20.0 { 20.0 } else { 2.0 * value },
    otherwise: NewValue::Text("at least 20 steps"),
    effect: "small first updates, while Adam's moment estimates warm up",
    risk: "a few slower steps",
};

/// To zero.
pub const NO_ENTROPY_BONUS: SettingChange = SettingChange {
    hyperparameter: Hyperparameter::EntropyCoefficient,
    to: |_, _| 0.0,
    otherwise: NewValue::Number(0.0),
    effect: "nothing rewards randomness any more",
    risk: "entropy may fall faster",
};

/// To half.
pub const SHORTER_LAG: SettingChange = SettingChange {
    hyperparameter: Hyperparameter::AsyncLag,
    to: |value, _| (0.5 * value).floor().max(0.0),
    otherwise: NewValue::Text("half its value"),
    effect: "fresher samples",
    risk: "the trainer waits more often",
};

/// To twenty steps, then twofold.
pub const CRITIC_WARM_UP: SettingChange = SettingChange {
    hyperparameter: Hyperparameter::CriticWarmup,
    to: |value, _| if value < 20.0 { 20.0 } else { 2.0 * value },
    otherwise: NewValue::Text("at least 20 steps"),
    effect: "the critic knows the returns before the policy moves",
    risk: "the policy does not learn in these steps",
};

/// Fivefold.
pub const RAISE_CRITIC_LEARNING_RATE: SettingChange = SettingChange {
    hyperparameter: Hyperparameter::CriticLearningRate,
    to: |value, _| with_common_digits(5.0 * value),
    otherwise: NewValue::Text("five times its value"),
    effect: "the critic follows the policy",
    risk: "a noisier critic",
};

/// To half, at least one.
pub const FEWER_EPOCHS: SettingChange = SettingChange {
    hyperparameter: Hyperparameter::Epochs,
    to: |value, _| (0.5 * value).ceil().max(1.0),
    otherwise: NewValue::Text("half its value"),
    effect: "the same prompts are seen less often",
    risk: "slower gains of the training reward",
};
