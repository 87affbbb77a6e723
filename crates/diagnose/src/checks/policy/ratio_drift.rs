//! The importance ratio drifts away from 1.
//!
//! # What it checks
//! The mean ratio of the policy to the one that sampled, when it stays more than 2 % off 1; and the largest ratio of
//! the batch, when it stays above 5. A warning when the task gains nothing from then on; a note otherwise, and where it was over
//! before the last third of the run without harm.
//!
//! # Why it matters
//! The mean of an importance ratio is 1 by definition. One that is not, and stays so, means that the probabilities of
//! sampler and trainer do not belong to the same policy, or that a batch is used for too long.
//!
//! # Evidence needed
//! Mean or largest importance ratio.
//!
//! # Threshold and where it comes from
//! 2 %: AReaL's documentation. 5: the largest ratio is a single token's and may be anything for a step; when it stays
//! that high, tokens have five times the probability that they were sampled with. With one minibatch the ratio is
//! exactly 1; otherwise the engines are not deterministic.
//!
//! # Known false alarms
//! Ratios that are logged after clipping, or as sums of logarithms.
//!
//! # What to do
//! Fewer minibatches or updates per batch; a lower learning rate.
//!
//! # References
//! AReaL docs, algo_perf (importance_weight/avg).

use crate::advice::{Advice, FindingTexts, LOWER_LEARNING_RATE};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::settings::Hyperparameter;
use crate::topics::threshold_rule::{Stretch, stretch};
use crate::{Check, Code, Evidence, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::number;
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Direction};

pub const CHECK: Check = Check::of_run(Code::RatioDrift, run);

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (
            Hyperparameter::EpochsPerBatch,
            "Each further update from a batch starts from a policy that did not sample it.",
        ),
        (
            Hyperparameter::MinibatchSize,
            "Each further update from a batch starts from a policy that did not sample it.",
        ),
        (Hyperparameter::LearningRate, "Large updates move the ratios."),
    ],
    actions: &[
        Advice::FewerUpdates("mean ratio within 2 % of 1"),
        Advice::Change(&LOWER_LEARNING_RATE, "mean ratio within 2 % of 1"),
    ],
    alternative: "Sampler and trainer compute other probabilities for the same weights: then it is off before any update.",
    refute: "With one optimiser step per rollout batch the mean ratio is as far from 1.",
    references: &["AReaL docs, algo_perf (importance_weight/avg off 1 by more than 2 %)"],
};

fn run(context: &Context<'_>) -> Outcome {
    let book = context.rulebook;
    let mean = context.signal(Concept::RatioMean);
    let largest = context.signal(Concept::RatioMax);
    if mean.is_none() && largest.is_none() {
        return Outcome::Skipped(context.need(&[Concept::RatioMean, Concept::RatioMax]));
    }
    let off = mean.and_then(|signal| beyond(context, &distances(signal), book.ratio_mean().value));
    let high = largest.and_then(|signal| beyond(context, signal, book.ratio_max().value));
    let median = |values: &[f64]| stats::median(values).unwrap_or(f64::NAN);
    let mut evidence = Vec::new();
    if let Some(signal) = mean {
        let level = off.map_or_else(|| median(&distances(signal).values), |off| off.level);
        evidence.push(Evidence::new("distance of the mean ratio from 1", level, "").above(book.ratio_mean()));
    }
    if let Some(signal) = largest {
        let level = high.map_or_else(|| median(&signal.values), |high| high.level);
        evidence.push(Evidence::new("largest ratio of a batch", level, "").above(book.ratio_max()));
    }
    // The mean tells more, unless it came back and the largest did not.
    let off = mean.zip(off).filter(|(_, off)| off.holds || !high.is_some_and(|high| high.holds));
    let (what, signal, found) = match (off, largest.zip(high)) {
        (Some((signal, off)), _) => ("The mean importance ratio deviates from 1 by", signal, off),
        (None, Some((signal, high))) => ("Importance ratios reach", signal, high),
        (None, None) => return Outcome::Quiet(evidence),
    };
    let harmful = context.stalls_since(found.from) && !found.is_over_without_harm(context, signal);
    let severity = if harmful { Severity::Warning } else { Severity::Note };
    let title = rich!("{} {} {}", what, number(found.level), found.period());
    let mut finding = context.finding(Code::RatioDrift, severity, title, Some(found.from), &TEXTS);
    finding.end = found.end();
    let detail = "The policy that is trained is no longer the one that sampled, so the samples are weighted wrongly.";
    let shown: Vec<_> = mean.into_iter().chain(largest).collect();
    Outcome::Found(vec![finding.supported_by(detail, &shown, evidence, 0.7)])
}

/// How far the mean ratio of each batch is from 1.
fn distances<'s>(mean: &MetricSeries<'s>) -> MetricSeries<'s> {
    mean.map(|value| (value - 1.0).abs())
}

fn beyond(context: &Context<'_>, signal: &MetricSeries<'_>, line: f64) -> Option<Stretch> {
    stretch(signal, 0, Direction::Up, line).filter(|_| context.has_enough_points(signal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, jump};

    fn flat(steps: usize) -> Synthetic {
        Synthetic::healthy(steps).noisy("train/reward", 0.15, |_| 1.4).every("eval/accuracy", 10, |_| 0.5)
    }

    #[test]
    fn a_ratio_that_leaves_one_is_found() {
        let finding = flat(300).noisy("ratio/mean", 0.003, |t| 1.0 - 0.06 * jump(t, 0.6)).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((178.0..=184.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        let high = flat(300).noisy("ratio/max", 0.5, |t| 1.5 + 8.0 * jump(t, 0.6));
        assert!(high.finding(&CHECK).title.to_string().starts_with("Importance ratios reach"));
    }

    #[test]
    fn a_ratio_that_came_back_is_a_note_with_its_end() {
        let finding =
            flat(500).noisy("ratio/mean", 0.003, |t| 1.0 + 0.05 * (jump(t, 0.2) - jump(t, 0.32))).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        assert!((155.0..=165.0).contains(&finding.end.unwrap()), "{:?}", finding.end);
        assert!(finding.title.to_string().ends_with(" to 160"), "{}", finding.title);
    }

    #[test]
    fn ratios_near_one_are_quiet() {
        let near = || flat(300).noisy("ratio/mean", 0.003, |_| 1.0).noisy("ratio/max", 0.5, |_| 2.0);
        assert!(near().quiet(&CHECK));
        assert_eq!(near().quiet_reason(&CHECK), None, "what is compared with the limit is the distance from 1");
        assert!(matches!(flat(300).check(&CHECK), Outcome::Skipped(_)));
    }
}
