//! What settings did to the outcome, as programs read it: attribution, not proof.

use serde::Serialize;

use super::clean::clean;
use crate::compare::{Effect, EffectAnalysis, EffectBin, Estimate, ParameterKind};
use crate::format::redact_setting;
use crate::present::compare::{effect_notes, effect_sentence};
use crate::stats::Shape;

#[derive(Serialize)]
pub(super) struct SignalsReport {
    /// Key of the outcome.
    measure: String,
    /// Runs that count, and those of them that broke before they had an outcome.
    runs: usize,
    broken: usize,
    /// What to know before believing any of it.
    notes: Vec<String>,
    /// Out-of-bag R² of the forest behind the importances.
    forest_r2: Option<f64>,
    /// One for each setting that differs: claimed ones first, then by p.
    settings: Vec<SignalReport>,
    constant: Vec<ConstantReport>,
    dropped: Vec<DroppedReport>,
}

#[derive(Serialize)]
struct SignalReport {
    key: String,
    setting: String,
    kind: &'static str,
    runs: usize,
    pearson: Option<EstimateReport>,
    spearman: Option<EstimateReport>,
    p: Option<f64>,
    /// Corrected for the number of settings.
    p_corrected: Option<f64>,
    is_claimed: bool,
    strength: &'static str,
    shape: &'static str,
    /// Where a step lies.
    threshold: Option<f64>,
    bins: Vec<BinReport>,
    best: Option<String>,
    importance: Option<f64>,
    /// Settings whose effects can't be told from this one's.
    confounded_with: Vec<String>,
    sentence: String,
}

#[derive(Serialize)]
struct EstimateReport {
    value: f64,
    low: f64,
    high: f64,
}

#[derive(Serialize)]
struct BinReport {
    label: String,
    runs: usize,
    median: f64,
    low: f64,
    high: f64,
}

#[derive(Serialize)]
struct ConstantReport {
    key: String,
    value: String,
}

#[derive(Serialize)]
struct DroppedReport {
    key: String,
    why: &'static str,
}

pub(super) fn signals_report(found: &EffectAnalysis) -> SignalsReport {
    let constant = found.constant.iter().map(|constant| ConstantReport {
        key: clean(&constant.key),
        value: redact_setting(&constant.key, &constant.text),
    });
    let dropped =
        found.dropped.iter().map(|dropped| DroppedReport { key: clean(&dropped.key), why: dropped.why.words() });
    SignalsReport {
        measure: clean(&found.target),
        runs: found.runs,
        broken: found.broken,
        notes: effect_notes(found).iter().map(|note| note.redacted().to_string()).collect(),
        forest_r2: found.forest_r2,
        settings: found.effects.iter().map(|effect| signal_report(effect, &found.target)).collect(),
        constant: constant.collect(),
        dropped: dropped.collect(),
    }
}

fn signal_report(effect: &Effect, target: &str) -> SignalReport {
    let parameter = &effect.parameter;
    let best = effect.best.and_then(|best| effect.bins.get(best));
    let near = parameter.near.iter().map(|near| &near.key);
    SignalReport {
        key: clean(&parameter.key),
        setting: clean(&parameter.words),
        kind: kind(parameter.kind),
        runs: effect.runs,
        pearson: effect.pearson.map(estimate),
        spearman: effect.spearman.map(estimate),
        p: effect.p,
        p_corrected: effect.q,
        is_claimed: effect.is_claimed,
        strength: effect.strength.as_str(),
        shape: shape(effect.shape),
        threshold: match effect.shape {
            Shape::Threshold { at, .. } => Some(at),
            _ => None,
        },
        bins: effect.bins.iter().map(|bin| bin_report(&parameter.key, bin)).collect(),
        best: best.map(|bin| label(&parameter.key, bin)),
        importance: effect.importance.map(|importance| importance.mean),
        confounded_with: parameter.same.iter().chain(near).chain(&effect.inseparable).map(|key| clean(key)).collect(),
        sentence: effect_sentence(effect, target).redacted().to_string(),
    }
}

fn estimate(found: Estimate) -> EstimateReport {
    EstimateReport { value: found.value, low: found.low, high: found.high }
}

fn bin_report(key: &str, bin: &EffectBin) -> BinReport {
    BinReport { label: label(key, bin), runs: bin.runs, median: bin.median, low: bin.low, high: bin.high }
}

/// The values of a bin; hidden where the setting holds secrets.
fn label(key: &str, bin: &EffectBin) -> String {
    redact_setting(key, &bin.label)
}

fn kind(kind: ParameterKind) -> &'static str {
    match kind {
        ParameterKind::Number => "number",
        ParameterKind::Logarithm => "logarithm",
        ParameterKind::Switch => "switch",
        ParameterKind::Category => "category",
    }
}

fn shape(shape: Shape) -> &'static str {
    match shape {
        Shape::None => "none",
        Shape::Rising => "rising",
        Shape::Falling => "falling",
        Shape::InvertedU => "inverted_u",
        Shape::U => "u",
        Shape::Threshold { rises: true, .. } => "step_up",
        Shape::Threshold { rises: false, .. } => "step_down",
    }
}
