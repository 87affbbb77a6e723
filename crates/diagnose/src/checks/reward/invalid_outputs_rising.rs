//! More and more outputs cannot be parsed or are not allowed.
//!
//! # What it checks
//! The share of invalid outputs (actions, tool calls, drafts, formats) ends five points above its lowest lasting level,
//! beyond its noise; or the share of valid ones as much below its highest. The same of a share of rule violations, which
//! also counts where it doubled by two points or more.
//!
//! # Why it matters
//! What cannot be parsed cannot be right. Often the parser fails first, on a form of answer that the policy has just
//! learned, and the reward punishes right answers from then on.
//!
//! # Evidence needed
//! A share of invalid or of valid outputs.
//!
//! # Threshold and where it comes from
//! Five points: a fall of the parse rate by as much, with the reward, points at the parser before the policy.
//!
//! # Known false alarms
//! A policy that tries tools more often also fails more often: look at the share, not the number. A correction loop
//! that rewards an early mistake raises the invalid share of the first round only.
//!
//! # What to do
//! Read invalid outputs of the last steps; widen the parser, or penalise the form.
//!
//! # References
//! prime-rl docs: check the reward pipeline first; the rl-training-diagnoser guide (round-1 invalid drafts).

use crate::advice::{Advice, FindingTexts, RAISE_KL_COEFFICIENT};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::settings::Hyperparameter;
use crate::topics::drop_from_peak::{DropFromPeak, drop_from_peak};
use crate::topics::threshold_rule::value_with_unit;
use crate::{Check, Code, Evidence, Finding, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{metric, step};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::InvalidOutputsRising, run);

/// Growth from which on a share of violations counts, however small it was. Ours.
const MIN_VIOLATION_GROWTH: f64 = 2.0;

fn run(context: &Context<'_>) -> Outcome {
    let book = context.rulebook;
    let signals = || {
        let concepts = [Concept::InvalidOutputs, Concept::FormatFailures, Concept::ValidOutputs, Concept::Violations];
        concepts.into_iter().flat_map(|concept| context.signals(concept)).filter(|signal| is_share(signal))
    };
    if signals().next().is_none() {
        return Outcome::Skipped(context.need(&[Concept::InvalidOutputs]));
    }
    let long = |signal: &&MetricSeries<'_>| signal.len() as f64 >= book.points_needed().value;
    let falls = signals().filter(long).filter_map(|signal| Some((signal, drop_from_peak(signal)?)));
    let doubled = |signal: &MetricSeries<'_>, fall: &DropFromPeak| {
        signal.binding.concept == Concept::Violations
            && fall.last >= MIN_VIOLATION_GROWTH * fall.peak
            && size(fall) >= book.learning_share().value
    };
    let counts = |signal: &MetricSeries<'_>, fall: &DropFromPeak| {
        (size(fall) >= book.invalid_rise().value || doubled(signal, fall)) && fall.z >= book.learning_z().value
    };
    let worst = falls.max_by(|a, b| counts(a.0, &a.1).cmp(&counts(b.0, &b.1)).then(size(&a.1).total_cmp(&size(&b.1))));
    let Some((signal, worst)) = worst else {
        return Outcome::Quiet(Vec::new());
    };
    let evidence = vec![
        Evidence::new("share at its best", worst.peak, ""),
        Evidence::new("share at the end", worst.last, ""),
        Evidence::new("change for the worse", size(&worst), "").above(book.invalid_rise()),
        Evidence::new("change in standard errors", worst.z, "SE").above(book.learning_z()),
    ];
    if !counts(signal, &worst) {
        return Outcome::Quiet(evidence);
    }
    Outcome::Found(vec![finding(context, signal, &worst, evidence)])
}

/// A number of invalid outputs grows with the batch. Single values beyond 1 are those of padded batches.
fn is_share(signal: &MetricSeries<'_>) -> bool {
    signal.min() >= 0.0 && stats::quantile(&signal.values, 0.9).is_some_and(|high| high <= 1.0)
}

/// The change for the worse, 0 where the end is the best.
fn size(fall: &DropFromPeak) -> f64 {
    if fall.z > 0.0 { fall.lost() } else { 0.0 }
}

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::KlCoefficient, "A weak KL term lets the policy leave the format that the parser knows."),
        (Hyperparameter::LearningRate, "Large updates change the format of responses faster than it can be noticed."),
        (Hyperparameter::MaxResponse, "Responses that are cut off cannot be parsed."),
    ],
    actions: &[
        Advice::Do([
            "Read invalid outputs of the last steps beside valid ones of the first",
            "shows whether the parser or the policy is wrong",
            "none",
            "share of invalid outputs back at its start",
        ]),
        Advice::Do([
            "Give a small penalty for outputs that cannot be parsed",
            "keeps the format without a reward that can be gamed",
            "less exploration of other forms",
            "share of invalid outputs below 5 %",
        ]),
        Advice::Change(&RAISE_KL_COEFFICIENT, "share of invalid outputs back at its start"),
    ],
    alternative: "The parser or the environment changed, not the policy.",
    refute: "Invalid outputs of the last steps are valid under another parser.",
    references: &["prime-rl docs: check the reward pipeline first", "rl-training-diagnoser guide (invalid drafts)"],
};

const VIOLATIONS: FindingTexts = FindingTexts {
    causes: &[(Hyperparameter::LearningRate, "Large updates leave allowed behaviour faster than it can be noticed.")],
    actions: &[
        Advice::Do([
            "Compare the reward of violations with that of the others",
            "shows whether breaking the rule pays",
            "none",
            "share of violations back at its start",
        ]),
        Advice::Do([
            "Raise the penalty of a violation above what it gains, or end the episode there",
            "breaking the rule no longer pays",
            "a policy that avoids the task",
            "share of violations back at its start, and the reward not lower",
        ]),
    ],
    alternative: "The tasks became harder, or the rule stricter.",
    refute: "The last checkpoint breaks the rule no more often on the tasks of the first steps.",
    references: &["arXiv 2209.13085 (reward hacking)"],
};

fn finding(context: &Context<'_>, signal: &MetricSeries<'_>, fall: &DropFromPeak, evidence: Vec<Evidence>) -> Finding {
    let title = rich!(
        "The {} went from {} at its best to {}, beginning at step {}",
        match signal.binding.concept {
            Concept::ValidOutputs => "share of valid outputs",
            Concept::FormatFailures => "share of responses in the wrong format",
            Concept::Violations => "share of rule violations",
            _ => "share of invalid outputs",
        },
        value_with_unit(signal, fall.peak),
        value_with_unit(signal, fall.last),
        step(fall.onset)
    );
    let breaks_rules = signal.binding.concept == Concept::Violations;
    let texts = if breaks_rules { &VIOLATIONS } else { &TEXTS };
    let finding = context.finding(Code::InvalidOutputsRising, Severity::Warning, title, Some(fall.onset), texts);
    let why = match breaks_rules {
        true => "what breaks a rule is not what was asked for, however well it scores.",
        false => "what cannot be parsed cannot score, and does not show the policy what was right.",
    };
    let detail = rich!("{}: {}", metric(signal.key()), why);
    finding.supported_by(detail, &[Some(signal), context.signal(Concept::Reward)], evidence, 0.85)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, jump};

    #[test]
    fn a_rise_is_found_where_it_begins() {
        let run = Synthetic::healthy(300).noisy("invalid_rate", 0.02, |t| 0.05 + 0.5 * (t - 0.6).max(0.0));
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((168.0..=200.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        let format = Synthetic::healthy(300).noisy("format_failure_rate", 0.02, |t| 0.05 + 0.5 * (t - 0.6).max(0.0));
        assert!(format.finding(&CHECK).title.to_string().contains("wrong format"));
        let valid = Synthetic::healthy(300).noisy("valid_rate", 0.02, |t| 0.95 - 0.2 * jump(t, 0.5));
        let finding = valid.finding(&CHECK);
        assert!((146.0..=156.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    }

    #[test]
    fn violations_that_double_are_found() {
        let run = |from: f64, to: f64| {
            Synthetic::healthy(300).noisy("violation_rate", 0.005, move |t| from + (to - from) * jump(t, 0.5))
        };
        let title = run(0.02, 0.05).finding(&CHECK).title.to_string();
        assert!(title.starts_with("The share of rule violations went from 1.95 % at its best to 5"), "{title}");
        let beside = run(0.02, 0.05).noisy("invalid_rate", 0.005, |t| 0.2 + 0.04 * jump(t, 0.5)).finding(&CHECK);
        assert!(beside.title.to_string().starts_with("The share of rule violations"), "{}", beside.title);
        assert!(run(0.1, 0.13).quiet(&CHECK));
        assert!(run(0.05, 0.02).quiet(&CHECK));
    }

    #[test]
    fn noise_and_improvement_are_quiet() {
        assert!(Synthetic::healthy(300).noisy("invalid_rate", 0.05, |_| 0.2).quiet(&CHECK));
        assert!(Synthetic::healthy(300).noisy("invalid_rate", 0.02, |t| 0.5 - 0.4 * t).quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(300).check(&CHECK), Outcome::Skipped(_)));
    }
}
