//! Too many events, requests or episodes end in an error.
//!
//! # What it checks
//! The share of errors, smoothed over a twentieth of the run: a note when it stays above 1 %, a warning above 5 %, critical
//! above 20 %.
//! In event logs it is the share of error events among all events, and must be above with its whole 95 % interval; where
//! that is not so, the share of rollouts that failed is judged by the same limits. Both shares are in the evidence.
//!
//! # Why it matters
//! Failed episodes are missing from the batch, and they are seldom a fair sample: the long, hard ones fail first, so
//! the policy is trained on the easy rest.
//!
//! # Evidence needed
//! A share of errors: a logged rate, or an exported event log. A log of errors and warnings alone is taken for the answer
//! to a query for them, and tells no share. An error event has level `error`, `critical` or `fatal`, or a name that ends in
//! `_error`, `_failed`, `_timeout` or `_exception`.
//!
//! # Threshold and where it comes from
//! 1 % and 5 %: the experiment-analysis guide (below 1 % healthy, below 5 % degraded); prime-rl calls more than 5 %
//! suspicious. What fewer errors leave out of a batch does not decide what is learned. 20 %: a fifth of the batch is missing.
//!
//! # Known false alarms
//! Errors that are retried and succeed are counted where the log counts attempts. An export that leaves ordinary events
//! out makes the share of errors larger than it is.
//!
//! # What to do
//! Read the error texts of the first bad step, sorted by how often they occur.
//!
//! # References
//! The experiment-analysis guide, "Error rates"; prime-rl's monitoring skill (above 5 % is suspicious).

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::topics::error_texts::{is_of_rollout, name_most_frequent};
use crate::topics::event_rates::{are_outcomes, assess, complement, joined};
use crate::topics::threshold_rule::ThresholdRule;
use crate::{Check, Code, Evidence, Outcome, Rulebook};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Direction};

pub const CHECK: Check = Check::of_run(Code::ErrorRateHigh, run);

fn run(context: &Context<'_>) -> Outcome {
    let (events, logged): (Vec<MetricSeries<'_>>, Vec<MetricSeries<'_>>) =
        context.signals(Concept::ErrorRate).iter().cloned().partition(|signal| are_outcomes(&signal.values));
    let rollouts: Vec<MetricSeries<'_>> = context
        .signals(Concept::CompletedRollouts)
        .iter()
        .filter(|signal| are_outcomes(&signal.values))
        .map(complement)
        .collect();
    let mut of_events = assess(&EVENTS, context, &events);
    name_most_frequent(context, &mut of_events, |_| true);
    let mut of_rollouts = assess(&ROLLOUTS, context, &rollouts);
    name_most_frequent(context, &mut of_rollouts, is_of_rollout);
    if matches!((&of_events, &of_rollouts), (Outcome::Found(_), Outcome::Found(_))) {
        // What failed is among the errors: one finding says both.
        of_rollouts = Outcome::Quiet(Vec::new());
    }
    let mut outcome = joined([assess(&RULE, context, &logged), of_events, of_rollouts]);
    if let Outcome::Found(findings) = &mut outcome {
        let shares = shares(context, &events, &rollouts);
        for finding in findings {
            // The chart shows what was logged.
            finding.trend =
                finding.metrics.iter().filter_map(|key| context.signal_of(key)).map(MetricSeries::trend).collect();
            finding.evidence.extend(shares.iter().cloned());
        }
    }
    outcome
}

/// The share of error events and that of failed rollouts over the whole run, where an event log tells them.
fn shares(context: &Context<'_>, events: &[MetricSeries<'_>], rollouts: &[MetricSeries<'_>]) -> Vec<Evidence> {
    let share = |name: &'static str, signals: &[MetricSeries<'_>]| {
        let mean = stats::mean(&signals.first()?.values)?;
        Some(Evidence::new(name, mean, "").above(context.rulebook.error_rate()))
    };
    let both = [share("error events of all events", events), share("failed rollouts of all rollouts", rollouts)];
    both.into_iter().flatten().collect()
}

/// For error events among all events of a log.
const EVENTS: ThresholdRule = ThresholdRule {
    title: "The share of error events is",
    detail: "an error event is a rollout, a request or a step of the pipeline that failed. What fails is missing from \
             the batch.",
    ..RULE
};

/// For failed rollouts among all rollouts of a log.
const ROLLOUTS: ThresholdRule = ThresholdRule { title: "The error rate of rollouts is", ..RULE };

const RULE: ThresholdRule = ThresholdRule {
    code: Code::ErrorRateHigh,
    concept: Concept::ErrorRate,
    wrong: Direction::Up,
    note: Some(Rulebook::error_rate),
    warning: Rulebook::error_rate_unhealthy,
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
    use crate::checks::testing::{Synthetic, jump};
    use crate::{ActionKind, Severity, diagnose};
    use rundown_run::ErrorText;

    #[test]
    fn a_lasting_rate_is_found_where_it_begins() {
        let run = Synthetic::healthy(200).noisy("errors/rate", 0.005, |t| 0.002 + 0.07 * jump(t, 0.6));
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((118.0..=124.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        let degraded = Synthetic::healthy(200).noisy("errors/rate", 0.002, |_| 0.02);
        assert_eq!(degraded.finding(&CHECK).severity, Severity::Note);
        let broken = Synthetic::healthy(200).noisy("errors/rate", 0.01, |_| 0.4);
        assert_eq!(broken.finding(&CHECK).severity, Severity::Critical);
    }

    /// A log of `count` events, of which each `every`-th is an error.
    fn log(count: usize, every: usize) -> Synthetic {
        let is_error = move |t: f64| f64::from(u8::from(((t * count as f64).round() as usize).is_multiple_of(every)));
        Synthetic::new(count).noisy("axiom/error/event", 0.0, is_error)
    }

    #[test]
    fn error_events_count_among_all_events() {
        let finding = log(10_000, 10).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!(finding.title.to_string().contains("share of error events is 10 %"), "{}", finding.title);
        assert!(log(10_000, 200).quiet(&CHECK), "0.5 % are below the target");
    }

    #[test]
    fn errors_and_failed_rollouts_are_one_finding_with_both_shares() {
        let success = |t: f64| f64::from(u8::from(!((t * 2000.0).round() as usize).is_multiple_of(20)));
        let finding = log(2000, 10).noisy("axiom/rollout/success", 0.0, success).finding(&CHECK);
        let share = |name: &str| finding.evidence.iter().find(|e| e.name.to_string().contains(name)).unwrap().value;
        assert!((share("error events") - 0.1).abs() < 0.01 && (share("failed rollouts") - 0.05).abs() < 0.01);
        assert_eq!(finding.metrics, ["axiom/error/event"]);
    }

    #[test]
    fn the_most_frequent_text_is_named() {
        let mut run = log(1000, 10).build();
        let error = |text: &str, count| ErrorText { text: text.to_owned(), count, ..ErrorText::default() };
        run.events.errors = vec![error("out of memory", 90), error("no such power", 10)];
        let diagnosis = diagnose(&run, &Rulebook::default());
        let finding = diagnosis.findings.iter().find(|finding| finding.code == Code::ErrorRateHigh).unwrap();
        let ActionKind::Do(first) = &finding.actions[0].kind else { panic!("no advice") };
        assert!(first.to_string().contains("out of memory") && first.to_string().contains("90 of 100"), "{first}");
    }

    #[test]
    fn few_errors_are_quiet() {
        assert!(Synthetic::healthy(200).noisy("errors/rate", 0.003, |_| 0.004).quiet(&CHECK));
    }

    #[test]
    fn the_onset_is_where_the_rate_rises_and_not_where_its_noise_passes_the_threshold() {
        let finding = Synthetic::healthy(300)
            .noisy("errors/rate", 0.004, |t| 0.011 + 0.2 * crate::checks::testing::jump(t, 0.6))
            .finding(&CHECK);
        assert!((175.0..=184.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    }
}
