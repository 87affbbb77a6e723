//! What settings did to the outcome, as programs read it: attribution, not proof.

use super::finding::clean;
use rundown_compare::{Effect, EffectAnalysis, EffectBin, Estimate, FailureEffect, ParameterKind};
use rundown_format::redact_setting;
use rundown_present::compare::{effect_notes, effect_sentence, failure_sentence};
use rundown_schema::comparison::{
    BinReport, ConstantReport, DroppedReport, FailureReport, Interval, SignalReport, SignalsReport,
};
use rundown_stats::Shape;

pub(super) fn signals_report(found: &EffectAnalysis, failures: &[FailureEffect]) -> SignalsReport {
    let constant = found.constant.iter().map(|constant| ConstantReport {
        key: clean(&constant.key),
        value: redact_setting(&constant.key, &constant.text),
    });
    let dropped = found
        .dropped
        .iter()
        .map(|dropped| DroppedReport { key: clean(&dropped.key), why: dropped.why.words().to_owned() });
    SignalsReport {
        measure: clean(&found.target),
        runs: found.runs,
        broken: found.broken,
        notes: effect_notes(found).iter().map(|note| note.redacted().to_string()).collect(),
        forest_r2: found.forest_r2,
        failures: failures.iter().map(failure_report).collect(),
        settings: found.effects.iter().map(|effect| signal_report(effect, &found.target)).collect(),
        constant: constant.collect(),
        dropped: dropped.collect(),
    }
}

fn failure_report(effect: &FailureEffect) -> FailureReport {
    FailureReport {
        code: effect.code.as_str().to_owned(),
        key: clean(&effect.key),
        failed: effect.with.failed,
        runs: effect.with.runs,
        other_failed: effect.without.failed,
        other_runs: effect.without.runs,
        p_corrected: effect.q,
        sentence: failure_sentence(effect).redacted().to_string(),
    }
}

fn signal_report(effect: &Effect, target: &str) -> SignalReport {
    let parameter = &effect.parameter;
    let best = effect.best.and_then(|best| effect.bins.get(best));
    let near = parameter.near.iter().map(|near| &near.key);
    SignalReport {
        key: clean(&parameter.key),
        setting: clean(&parameter.words),
        kind: kind(parameter.kind).to_owned(),
        runs: effect.runs,
        pearson: effect.pearson.map(estimate),
        spearman: effect.spearman.map(estimate),
        p: effect.p,
        p_corrected: effect.q,
        is_claimed: effect.is_claimed,
        strength: effect.strength.as_str().to_owned(),
        shape: shape(effect.shape).to_owned(),
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

fn estimate(found: Estimate) -> Interval {
    Interval { value: found.value.into(), low: found.low.into(), high: found.high.into() }
}

fn bin_report(key: &str, bin: &EffectBin) -> BinReport {
    BinReport {
        label: label(key, bin),
        runs: bin.runs,
        median: bin.median.into(),
        low: bin.low.into(),
        high: bin.high.into(),
    }
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
