//! NaN or infinity in a quantity that the optimiser uses.
//!
//! # What it checks
//! Non-finite points of loss, gradient norm, KL, entropy or reward. Critical when they last to the end of the run; a
//! warning from 5 % of the points; a note for single ones.
//!
//! # Why it matters
//! A NaN in the parameters stays: every later step is lost.
//!
//! # Evidence needed
//! Any of these metrics.
//!
//! # Threshold and where it comes from
//! Two points in a row up to the end; 5 %: single skipped steps are routine in mixed precision.
//!
//! # Known false alarms
//! A reward function that returns None gives NaN for that batch in TRL, which averages over the others; single
//! reward functions are therefore not looked at.
//!
//! # What to do
//! Resume from the last finite checkpoint with half the learning rate and gradients clipped lower; bf16 for fp16.
//!
//! # References
//! Axolotl docs/training_stability.qmd; TRL `cast_lm_head_to_fp32`.

use crate::advice::{Advice, FindingTexts, LOWER_LEARNING_RATE, LOWER_MAX_GRAD_NORM};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::settings::Hyperparameter;
use crate::{Check, Code, Evidence, Finding, Outcome, Severity};
use rundown_format::rich_text::{metric, number, step};
use rundown_format::{RichText, rich};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

/// The check.
pub const CHECK: Check = Check { code: Code::NonfiniteValues, run };

const WATCH: &str = "no NaN in loss and gradient norm";

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::LearningRate, "Large updates overflow."),
        (Hyperparameter::MaxGradNorm, "Gradients are cut at this norm."),
    ],
    actions: &[
        Advice::Change(&LOWER_LEARNING_RATE, WATCH),
        Advice::Change(&LOWER_MAX_GRAD_NORM, WATCH),
        Advice::Do(["Use bf16 for fp16, or keep the LM head in fp32", "removes overflow", "memory", WATCH]),
    ],
    alternative: "A metric can be NaN without the training being so, such as a mean over no samples.",
    refute: "The parameters of a checkpoint saved after this step are finite.",
    references: &["Axolotl docs/training_stability.qmd", "TRL cast_lm_head_to_fp32"],
};

/// What the optimiser computes with, the first to break first.
const CONCEPTS: [Concept; 5] =
    [Concept::GradientNorm, Concept::PolicyLoss, Concept::KlToReference, Concept::Entropy, Concept::Reward];

fn run(context: &Context<'_>) -> Outcome {
    let signals: Vec<&MetricSeries<'_>> = CONCEPTS
        .iter()
        .flat_map(|concept| context.signals(*concept))
        .filter(|signal| signal.last_logged.is_some())
        .collect();
    if signals.is_empty() {
        return Outcome::Skipped(context.need(&[Concept::PolicyLoss, Concept::GradientNorm]));
    }
    let worst = signals.iter().copied().filter(|signal| !signal.nonfinite.is_empty()).max_by(|a, b| {
        (severity(context, a), share(a))
            .partial_cmp(&(severity(context, b), share(b)))
            .unwrap_or(std::cmp::Ordering::Equal)
    });
    let Some(worst) = worst else {
        let points: usize = signals.iter().map(|signal| signal.len()).sum();
        return Outcome::Quiet(vec![Evidence::new("finite points looked at", points as f64, "")]);
    };
    Outcome::Found(vec![finding(context, &signals, worst)])
}

fn share(signal: &MetricSeries<'_>) -> f64 {
    let bad = signal.nonfinite.len() as f64;
    bad / (bad + signal.len() as f64).max(1.0)
}

/// Non-finite points in a row up to the end.
fn tail(signal: &MetricSeries<'_>) -> usize {
    let last_finite = signal.steps.last().copied().unwrap_or(f64::NEG_INFINITY);
    signal.nonfinite.iter().rev().take_while(|step| **step > last_finite).count()
}

fn severity(context: &Context<'_>, signal: &MetricSeries<'_>) -> Severity {
    let book = context.rulebook;
    if tail(signal) as f64 >= book.nonfinite_tail().value {
        Severity::Critical
    } else if share(signal) >= book.nonfinite_share().value {
        Severity::Warning
    } else {
        Severity::Note
    }
}

fn finding(context: &Context<'_>, signals: &[&MetricSeries<'_>], worst: &MetricSeries<'_>) -> Finding {
    let book = context.rulebook;
    let severity = severity(context, worst);
    let first = worst.nonfinite.first().copied();
    let lasting = worst.nonfinite.len().checked_sub(tail(worst)).and_then(|index| worst.nonfinite.get(index)).copied();
    let onset = if severity == Severity::Critical { lasting } else { first };
    let at = onset.map_or_else(RichText::default, |at| rich!(" at step {}", step(at)));
    let title = match severity {
        Severity::Critical => rich!("{} became NaN or infinite{} and stayed so", metric(worst.key()), at),
        _ => rich!(
            "{} of {} values of {} are NaN or infinite, the first{}",
            worst.nonfinite.len(),
            worst.nonfinite.len() + worst.len(),
            metric(worst.key()),
            at
        ),
    };
    let mut finding = Finding::new(Code::NonfiniteValues, severity, title);
    finding.detail = match severity {
        Severity::Critical => "Once parameters are NaN they stay NaN: nothing after this step was learned.".into(),
        _ => "Single steps were lost; the optimiser recovered.".into(),
    };
    finding.metrics.push(worst.key().to_owned());
    let others = signals.iter().filter(|signal| !signal.nonfinite.is_empty() && signal.key() != worst.key());
    finding.metrics.extend(others.map(|signal| signal.key().to_owned()));
    finding.onset = onset;
    finding.end = if severity == Severity::Critical { worst.last_logged } else { worst.nonfinite.last().copied() };
    finding.evidence = vec![
        Evidence::new("non-finite points", worst.nonfinite.len() as f64, ""),
        Evidence::new("share of the points", share(worst), "").above(book.nonfinite_share()),
        Evidence::new("in a row up to the end", tail(worst) as f64, "points").above(book.nonfinite_tail()),
    ];
    finding.evidence.extend(precursor(context, onset));
    finding.trend = finding.metrics.iter().filter_map(|key| context.signal_of(key)).map(MetricSeries::trend).collect();
    TEXTS.fill(context, &mut finding);
    finding.confidence = if severity == Severity::Critical { 0.97 } else { 0.8 };
    finding
}

/// How large the gradient norm was just before, against its usual size.
fn precursor(context: &Context<'_>, onset: Option<f64>) -> Option<Evidence> {
    let norm = context.signal(Concept::GradientNorm)?;
    let before = norm.steps.partition_point(|step| Some(*step) < onset);
    let near = norm.values.get(before.saturating_sub(5)..before)?;
    let peak = near.iter().copied().reduce(f64::max)?;
    let usual = stats::median(&norm.values)?;
    (usual > 0.0).then(|| {
        Evidence::new(rich!("largest gradient norm in the 5 steps before (median {})", number(usual)), peak, "")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;

    #[test]
    fn nan_up_to_the_end_is_critical() {
        let run = Synthetic::healthy(100).every("train/loss", 1, |t| if t < 0.6 { 0.1 } else { f64::NAN });
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Critical);
        assert_eq!(finding.onset, Some(61.0));
    }

    #[test]
    fn a_single_nan_is_a_note_and_finite_values_are_quiet() {
        let run = Synthetic::healthy(100).every("train/grad_norm", 1, |t| if t == 0.5 { f64::INFINITY } else { 1.0 });
        assert_eq!(run.finding(&CHECK).severity, Severity::Note);
        assert!(Synthetic::healthy(100).quiet(&CHECK));
        let part = Synthetic::healthy(100).every("train/rewards/a/mean", 1, |t| if t < 0.5 { 0.1 } else { f64::NAN });
        assert!(part.quiet(&CHECK));
    }

    #[test]
    fn a_metric_that_was_never_finite_is_critical() {
        let run = Synthetic::healthy(100).every("train/loss", 1, |_| f64::NAN);
        assert_eq!(run.finding(&CHECK).onset, Some(1.0));
    }
}
