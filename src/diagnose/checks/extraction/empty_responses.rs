//! Responses hold no output at all.
//!
//! # What it checks
//! The share of empty responses: a warning when it stays above 5 %. Where only their number per step is logged, a note
//! when it grew threefold and stayed, beyond its noise.
//!
//! # Why it matters
//! An empty response teaches only that silence costs as much as a mistake. Often it is a prompt or a stop string, not
//! the policy.
//!
//! # Evidence needed
//! The share or the number of empty responses per step, or extraction events.
//!
//! # Threshold and where it comes from
//! 5 %: the experiment-analysis guide. Threefold: the analyze-experiment guide speaks of sudden spikes; a number has
//! no better measure without the number of all responses.
//!
//! # Known false alarms
//! More responses per step make more empty ones.
//!
//! # What to do
//! Read some. Look for a stop string at the very beginning, a chat template without a generation prompt, a time-out.
//!
//! # References
//! The experiment-analysis guide; the analyze-experiment guide, "Order Extraction Quality".

use crate::diagnose::advice::{Advice, Words};
use crate::diagnose::bound::Bound;
use crate::diagnose::context::Context;
use crate::diagnose::events::{self, is_long_enough, is_share};
use crate::diagnose::level;
use crate::diagnose::signal::Signal;
use crate::diagnose::{Check, Code, Evidence, Finding, Outcome, Rulebook, Severity};
use crate::format::rich;
use crate::format::rich_text::{metric, number, step};
use crate::stats;
use crate::vocabulary::{Concept, Direction};

/// The check.
pub const CHECK: Check =
    Check { code: Code::EmptyResponses, run: |context| judge(context, &BOUND, "Empty responses rose") };

/// Standard errors of a growth that counts.
const SURE: f64 = 4.0;

const BOUND: Bound = Bound {
    code: Code::EmptyResponses,
    concept: Concept::EmptyResponses,
    wrong: Direction::Up,
    warning: Rulebook::responses_empty,
    critical: None,
    warm_up: 0.0,
    title: "The share of empty responses is",
    detail: "an empty response teaches nothing.",
    words: Words {
        causes: &[],
        actions: &[Advice::Do([
            "Read empty responses with their prompts, token by token",
            "finds stop strings, templates and time-outs",
            "none",
            "empty responses below 5 %",
        ])],
        alternative: "The prompt, the chat template or a stop string changed.",
        refute: "The same prompts get answers from the same checkpoint elsewhere.",
        references: &["experiment-analysis guide (empty below 5 %)"],
    },
    confidence: 0.8,
};

/// Judges a kind of bad response: its share by the bound, its number by its growth.
pub(in crate::diagnose) fn judge(context: &Context<'_>, bound: &Bound, rose: &str) -> Outcome {
    let (shares, numbers): (Vec<Signal<'_>>, Vec<Signal<'_>>) =
        context.signals(bound.concept).iter().filter(|signal| !signal.is_empty()).cloned().partition(is_share);
    let mut findings = Vec::new();
    let mut quiet = Vec::new();
    match events::judge(bound, context, &shares) {
        Outcome::Found(found) => findings = found,
        Outcome::Quiet(evidence) => quiet = evidence,
        Outcome::Skipped(_) => {}
    }
    for signal in &numbers {
        match growth(context, bound, signal, rose) {
            Some(finding) => findings.push(finding),
            None => {
                let level = stats::mean(&signal.values).unwrap_or(f64::NAN);
                quiet.push(Evidence::new(rich!("mean of {}", metric(signal.key())), level, ""));
            }
        }
    }
    match (findings.is_empty(), quiet.is_empty()) {
        (false, _) => Outcome::Found(findings),
        (true, false) => Outcome::Quiet(quiet),
        (true, true) => Outcome::Skipped(context.need(&[bound.concept])),
    }
}

fn growth(context: &Context<'_>, bound: &Bound, signal: &Signal<'_>, rose: &str) -> Option<Finding> {
    if !is_long_enough(context, signal) {
        return None;
    }
    let least = (signal.len() / 20).max(5);
    let change = stats::single_change(&signal.values, least)?;
    let noise = level::change_of(signal, change.index, signal.len() - change.index, 0.0)?;
    let tail = stats::mean(signal.values.get(signal.len() - least..)?)?;
    let times = context.rulebook.responses_growth();
    // A number that was near 0 has to become one that is not.
    let grown = change.after >= times.value * change.before && change.after - change.before >= 1.0;
    let holds = tail >= 0.5 * (change.after + change.before);
    if !grown || !holds || noise.z() < SURE {
        return None;
    }
    let onset = signal.step(change.index);
    let title =
        rich!("{} from {} to {} a step at step {}", rose, number(change.before), number(change.after), step(onset));
    let evidence = vec![
        Evidence::new("mean after", change.after, ""),
        Evidence::new("mean before", change.before, ""),
        Evidence::new("growth", level::ratio(change.after, change.before), "times").above(times),
    ];
    let finding = context.finding(bound.code, Severity::Note, title, Some(onset), &bound.words);
    Some(finding.supported_by(bound.detail, &[signal], evidence, 0.7))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::checks::testing::{Synthetic, jump};

    #[test]
    fn a_share_is_judged_by_the_guide() {
        let run = Synthetic::healthy(200).noisy("extraction/empty_rate", 0.01, |t| 0.01 + 0.1 * jump(t, 0.5));
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((99.0..=104.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        assert!(Synthetic::healthy(200).noisy("extraction/empty_rate", 0.01, |_| 0.02).quiet(&CHECK));
    }

    #[test]
    fn a_number_is_judged_by_its_growth() {
        let run = Synthetic::healthy(200).noisy("extraction/empty_responses", 1.0, |t| 1.0 + 6.0 * jump(t, 0.5));
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        assert!((98.0..=104.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        assert!(Synthetic::healthy(200).noisy("extraction/empty_responses", 1.0, |_| 3.0).quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(200).check(&CHECK), Outcome::Skipped(_)));
    }
}
