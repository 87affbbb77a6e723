//! Causes and actions that several checks share: what the config says, and which knob to turn by how much.
//!
//! Sizes are those of published recipes (DAPO, TRL and verl documentation). Each action turns one knob, so that its
//! effect can be told.

use super::context::Context;
use super::settings::{Knob, Setting};
use super::text::num;
use super::{Action, Cause};

/// A cause from a setting: its value, whether that is unusual, and why it could explain the finding.
pub(super) fn cause(setting: &Setting, why: &str) -> Cause {
    let usual = match (setting.remark.is_empty(), setting.usual) {
        (false, Some((low, high))) => {
            format!(" Unusual ({}): {} to {} is common.", setting.remark, num(low), num(high))
        }
        _ => String::new(),
    };
    Cause { config: setting.key.clone(), value: setting.text.clone(), why: format!("{why}{usual}") }
}

/// Causes for the settings of `knobs` that the run has.
pub(super) fn causes(context: &Context<'_>, knobs: &[(Knob, &str)]) -> Vec<Cause> {
    knobs.iter().filter_map(|(knob, why)| context.setting(*knob).map(|setting| cause(&setting, why))).collect()
}

/// Advice that is not a setting.
pub(super) fn advice(change: &str, effect: &str, risk: &str, watch: &str) -> Action {
    Action {
        change: change.to_owned(),
        from: String::new(),
        to: String::new(),
        effect: effect.to_owned(),
        risk: risk.to_owned(),
        watch: watch.to_owned(),
    }
}

/// A change of one setting; `from` stays empty where the config does not have it.
pub(super) fn turn(
    context: &Context<'_>,
    knob: Knob,
    to: impl Fn(f64) -> f64,
    fallback: &str,
    texts: [&str; 3],
) -> Action {
    let [effect, risk, watch] = texts;
    let setting = context.setting(knob);
    let target = setting.as_ref().map_or(f64::NAN, |setting| to(setting.value));
    Action {
        change: setting.as_ref().map_or_else(|| knob.words().to_owned(), |setting| setting.key.clone()),
        from: setting.map_or_else(String::new, |setting| setting.text),
        to: if target.is_finite() { num(target) } else { fallback.to_owned() },
        effect: effect.to_owned(),
        risk: risk.to_owned(),
        watch: watch.to_owned(),
    }
}

/// Lower the learning rate: to a third, or to the usual maximum when it is far above it.
pub(super) fn lower_learning_rate(context: &Context<'_>, watch: &str) -> Action {
    let highest = context.setting(Knob::LearningRate).and_then(|setting| setting.usual).map(|(_, high)| high);
    let to = |value: f64| match highest {
        Some(high) if value > 3.0 * high => high,
        _ => value / 3.0,
    };
    turn(
        context,
        Knob::LearningRate,
        to,
        "a third",
        ["smaller policy updates, tamer gradients", "slower learning", watch],
    )
}

/// Raise the learning rate threefold, or to the usual minimum when it is far below it.
pub(super) fn raise_learning_rate(context: &Context<'_>, watch: &str) -> Action {
    let lowest = context.setting(Knob::LearningRate).and_then(|setting| setting.usual).map(|(low, _)| low);
    let to = |value: f64| match lowest {
        Some(low) if 3.0 * value < low => 2.0 * low,
        _ => 3.0 * value,
    };
    turn(
        context,
        Knob::LearningRate,
        to,
        "three times as much",
        ["the policy moves within 50 steps", "instability", watch],
    )
}

/// Raise the KL coefficient fivefold; from zero to 0.01.
pub(super) fn raise_kl_coefficient(context: &Context<'_>, watch: &str) -> Action {
    let to = |value: f64| if value <= 0.0 { 0.01 } else { (5.0 * value).min(0.1) };
    turn(
        context,
        Knob::KlCoefficient,
        to,
        "0.01",
        ["holds the policy near the reference", "underfits above 0.1", watch],
    )
}

/// Lower the KL coefficient to a fifth.
pub(super) fn lower_kl_coefficient(context: &Context<'_>, watch: &str) -> Action {
    let to = |value: f64| if value > 0.5 { 0.04 } else { value / 5.0 };
    turn(context, Knob::KlCoefficient, to, "a fifth", ["lets the policy move", "drift away from the reference", watch])
}

/// Clip higher, as DAPO does.
pub(super) fn clip_higher(context: &Context<'_>, watch: &str) -> Action {
    let to = |value: f64| if value < 0.28 { 0.28 } else { 0.35 };
    let texts = ["rare tokens can gain probability; in DAPO a later plateau", "slower exploitation", watch];
    turn(context, Knob::ClipHigh, to, "0.28", texts)
}

impl Knob {
    /// The setting in words, for advice on a run whose config does not have it.
    pub(super) fn words(self) -> &'static str {
        match self {
            Knob::LearningRate => "learning rate",
            Knob::KlCoefficient => "KL coefficient",
            Knob::Generations => "responses per prompt",
            Knob::Temperature => "sampling temperature",
            Knob::ClipHigh => "upper clip range",
            Knob::ClipLow => "clip range",
            Knob::MaxResponse => "longest response",
            Knob::MaxGradNorm => "gradient norm to clip at",
            Knob::UpdatesPerBatch => "updates per batch",
            Knob::Batch => "batch size",
            Knob::PlannedSteps => "planned steps",
            Knob::EntropyCoefficient => "entropy coefficient",
            Knob::Warmup => "warm-up steps",
        }
    }
}
