//! Too many events, requests or episodes end in an error.
//!
//! # What it checks
//! The share of errors, smoothed over a twentieth of the run: a warning when it stays above 1 %, critical above 20 %.
//! In event logs it is the share of rollouts that failed, and must be above with its whole 95 % interval.
//!
//! # Why it matters
//! Failed episodes are missing from the batch, and they are seldom a fair sample: the long, hard ones fail first, so
//! the policy is trained on the easy rest.
//!
//! # Evidence needed
//! A share of errors: a logged rate, or the outcomes of rollouts in exported logs of the pipeline. Error events that are
//! no rollouts are not counted.
//!
//! # Threshold and where it comes from
//! 1 %: the experiment-analysis guide (below 1 % healthy, below 5 % degraded). 20 %: a fifth of the batch is missing.
//!
//! # Known false alarms
//! Errors that are retried and succeed are counted where the log counts attempts.
//!
//! # What to do
//! Read the error texts of the first bad step, sorted by how often they occur.
//!
//! # References
//! The experiment-analysis guide, "Error rates"; prime-rl's monitoring skill (above 5 % is a smell).

use crate::diagnose::advice::{Advice, FindingTexts};
use crate::diagnose::context::Context;
use crate::diagnose::measure::series::MetricSeries;
use crate::diagnose::topics::event_rates::{self, are_outcomes, complement};
use crate::diagnose::topics::threshold_rule::ThresholdRule;
use crate::diagnose::{Check, Code, Outcome, Rulebook};
use crate::vocabulary::{Concept, Direction};

/// The check.
pub const CHECK: Check = Check { code: Code::ErrorRateHigh, run };

fn run(context: &Context<'_>) -> Outcome {
    let completed = context.signals(Concept::CompletedRollouts).iter().filter(|signal| are_outcomes(signal));
    let mut signals: Vec<MetricSeries<'_>> = context.signals(Concept::ErrorRate).to_vec();
    signals.extend(completed.map(complement));
    let mut outcome = event_rates::assess(&RULE, context, &signals);
    if let Outcome::Found(findings) = &mut outcome {
        // The chart shows what was logged.
        for finding in findings {
            finding.trend =
                finding.metrics.iter().filter_map(|key| context.signal_of(key)).map(MetricSeries::trend).collect();
        }
    }
    outcome
}

const RULE: ThresholdRule = ThresholdRule {
    code: Code::ErrorRateHigh,
    concept: Concept::ErrorRate,
    wrong: Direction::Up,
    warning: Rulebook::error_rate,
    critical: Some(Rulebook::error_rate_critical),
    warm_up: 0.0,
    title: "The error rate is",
    detail: "what fails is missing from the batch, and the long, hard episodes fail first.",
    words: FindingTexts {
        causes: &[],
        actions: &[Advice::Do([
            "Read the error texts of the first bad steps, the most frequent first",
            "the batch is whole again",
            "none",
            "error rate below 1 %",
        ])],
        alternative: "Attempts are counted, and retries succeed.",
        refute: "Episodes of a step are as many as were asked for.",
        references: &["experiment-analysis guide (below 1 % healthy)", "prime-rl monitoring skill (5 %)"],
    },
    confidence: 0.8,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::Severity;
    use crate::diagnose::checks::testing::{Synthetic, jump};

    #[test]
    fn a_lasting_rate_is_found_where_it_begins() {
        let run = Synthetic::healthy(200).noisy("errors/rate", 0.005, |t| 0.002 + 0.07 * jump(t, 0.6));
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((118.0..=124.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        let broken = Synthetic::healthy(200).noisy("errors/rate", 0.01, |_| 0.4);
        assert_eq!(broken.finding(&CHECK).severity, Severity::Critical);
    }

    #[test]
    fn few_errors_are_quiet() {
        assert!(Synthetic::healthy(200).noisy("errors/rate", 0.003, |_| 0.004).quiet(&CHECK));
    }

    #[test]
    fn the_onset_is_where_the_rate_rises_and_not_where_its_noise_passes_the_threshold() {
        let finding = Synthetic::healthy(300)
            .noisy("errors/rate", 0.004, |t| 0.011 + 0.2 * crate::diagnose::checks::testing::jump(t, 0.6))
            .finding(&CHECK);
        assert!((175.0..=184.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    }
}
