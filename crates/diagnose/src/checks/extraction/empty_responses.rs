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

use crate::advice::{Advice, FindingTexts};
use crate::topics::responses::assess_bad_responses;
use crate::topics::threshold_rule::ThresholdRule;
use crate::{Check, Code, Rulebook};
use rundown_vocabulary::{Concept, Direction};

pub const CHECK: Check =
    Check::of_run(Code::EmptyResponses, |context| assess_bad_responses(context, &RULE, "Empty responses rose"));

const RULE: ThresholdRule = ThresholdRule {
    code: Code::EmptyResponses,
    concept: Concept::EmptyResponses,
    wrong: Direction::Up,
    note: None,
    warning: Rulebook::responses_empty,
    critical: None,
    warm_up: 0.0,
    title: "The share of empty responses is",
    detail: "an empty response teaches nothing.",
    words: FindingTexts {
        causes: &[],
        actions: &[Advice::Do([
            "Read empty responses with their prompts, token by token",
            "finds stop strings, templates and time-outs",
            "none",
            "empty responses below 5 %",
        ])],
        alternative: "The prompt, the chat template or a stop string changed.",
        refute: "The same prompts get responses from the same checkpoint elsewhere.",
        references: &["experiment-analysis guide (empty below 5 %)"],
    },
    confidence: 0.8,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, jump};
    use crate::{Outcome, Severity};

    #[test]
    fn a_share_is_compared_with_the_guide() {
        let run = Synthetic::healthy(200).noisy("extraction/empty_rate", 0.01, |t| 0.01 + 0.1 * jump(t, 0.5));
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((99.0..=104.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        assert!(Synthetic::healthy(200).noisy("extraction/empty_rate", 0.01, |_| 0.02).quiet(&CHECK));
    }

    #[test]
    fn a_number_is_checked_by_its_growth() {
        let run = Synthetic::healthy(200).noisy("extraction/empty_responses", 1.0, |t| 1.0 + 6.0 * jump(t, 0.5));
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        assert!((98.0..=104.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        assert!(Synthetic::healthy(200).noisy("extraction/empty_responses", 1.0, |_| 3.0).quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(200).check(&CHECK), Outcome::Skipped(_)));
    }
}
