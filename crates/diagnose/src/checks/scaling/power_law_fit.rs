//! The reward follows a power law of compute.
//!
//! # What it checks
//! The line through the logarithms of reward and cumulative compute, over one power of ten of compute at least. A note
//! with the exponent, its 95 % interval and the scatter, when the line explains half of the variance and the exponent
//! is beyond 0. A line that bends for good is `scaling_saturated` instead.
//!
//! # Why it matters
//! The exponent says what the next doubling of compute buys, and lets runs of different size be compared.
//!
//! # Evidence needed
//! Cumulative compute, and a reward that is positive at every step.
//!
//! # Threshold and where it comes from
//! Least squares; the error of the exponent is widened for autocorrelated residuals. Over less than one power of ten
//! any curve is straight.
//!
//! # Known false alarms
//! A reward with an offset follows no power law of its own, and fits one over a short span.
//!
//! # What to do
//! Compare exponents of runs, not levels. Trust a forecast for no more than as much compute again.
//!
//! # References
//! The analyze-experiment guide, "Power Law Scaling Analysis".

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::measure::Z_95;
use crate::topics::scaling::{Pairs, line, saturation_bend};
use crate::{Check, Code, Evidence, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::number;
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::PowerLawFit, run);

/// Standard errors of the exponent.
const SURE: f64 = 4.0;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[Advice::Do([
        "Compare the exponent with that of other runs before buying compute",
        "tells which recipe scales better",
        "an exponent from a short span is not a forecast",
        "the exponent with its interval",
    ])],
    alternative: "The reward has an offset: then the exponent changes with the span that is fitted.",
    refute: "The exponents of the first and the second half differ by more than their intervals.",
    references: &["analyze-experiment guide (log reward over log compute)"],
};

fn run(context: &Context<'_>) -> Outcome {
    let Some(pairs) = Pairs::of(context) else {
        return Outcome::Skipped(context.need(&[Concept::Compute, Concept::Reward]));
    };
    let book = context.rulebook;
    let span = Evidence::new("span of the compute", pairs.decades(), "powers of ten").above(book.power_law_span());
    let Some(fit) = line(&pairs.x, &pairs.y).filter(|_| pairs.log) else { return Outcome::Quiet(vec![span]) };
    let evidence = vec![
        Evidence::new("exponent", fit.slope, ""),
        Evidence::new("lower end of the exponent's 95 % interval", fit.slope - Z_95 * fit.error, ""),
        Evidence::new("upper end of the exponent's 95 % interval", fit.slope + Z_95 * fit.error, ""),
        Evidence::new("share of the variance explained", fit.r2, "").above(book.power_law_fit()),
        Evidence::new("scatter around the line, of the reward", fit.sigma, ""),
        Evidence::new("exponent of the first half", half(&pairs, 0), ""),
        Evidence::new("exponent of the second half", half(&pairs, 1), ""),
        span,
    ];
    let fits = fit.r2 >= book.power_law_fit().value && fit.slope.abs() >= SURE * fit.error;
    if !fits || pairs.decades() < book.power_law_span().value || saturation_bend(context, &pairs).is_some() {
        return Outcome::Quiet(evidence);
    }
    let title = rich!(
        "The reward follows compute to the power of {} (95 % interval {} to {})",
        number(fit.slope),
        number(fit.slope - Z_95 * fit.error),
        number(fit.slope + Z_95 * fit.error)
    );
    let onset = pairs.steps.first().copied();
    let finding = context.finding(CHECK.code, Severity::Note, title, onset, &TEXTS);
    let doubling = 100.0 * (libm::exp2(fit.slope) - 1.0);
    let detail = rich!("Twice the compute changes the reward by {} %.", number(doubling));
    Outcome::Found(vec![finding.supported_by(
        detail,
        &[pairs.reward, pairs.compute],
        evidence,
        fit.r2.clamp(0.0, 0.95),
    )])
}

/// Exponent of the points of one half of the span.
fn half(pairs: &Pairs<'_, '_>, which: usize) -> f64 {
    let middle =
        stats::mean(&[pairs.x.first().copied().unwrap_or(f64::NAN), pairs.x.last().copied().unwrap_or(f64::NAN)]);
    let split = pairs.x.partition_point(|x| *x < middle.unwrap_or(f64::NAN));
    let range = if which == 0 { 0..split } else { split..pairs.x.len() };
    let part = || line(pairs.x.get(range.clone())?, pairs.y.get(range.clone())?);
    part().map_or(f64::NAN, |line| line.slope)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;

    fn scaled(reward: impl Fn(f64) -> f64) -> Synthetic {
        Synthetic::new(250)
            .noisy("power_law/cumulative_flops", 0.0, |t| 640.0 * (250.0 * t + 1.0))
            .noisy("benchmark/reward_mean", 0.25, reward)
    }

    #[test]
    fn an_exponent_is_noted_with_its_interval() {
        let finding = scaled(|t| 4.0 * libm::pow(250.0 * t + 1.0, 0.3)).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        assert!((finding.evidence[0].value - 0.3).abs() < 0.02, "{}", finding.title);
        assert!(finding.evidence[1].value < 0.3 && finding.evidence[2].value > 0.28);
    }

    #[test]
    fn no_law_no_note() {
        assert!(scaled(|_| 4.0).quiet(&CHECK));
        assert!(scaled(|t| 0.3 - t).quiet(&CHECK), "not positive");
        assert!(matches!(Synthetic::healthy(250).check(&CHECK), Outcome::Skipped(_)));
    }
}
