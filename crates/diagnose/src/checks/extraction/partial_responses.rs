//! Responses hold some of their outputs and end before the rest.
//!
//! # What it checks
//! The share of partial responses: a warning when it stays above 10 %. Where only their number per step is logged, a
//! note when it grew threefold and stayed, beyond its noise.
//!
//! # Why it matters
//! Partial responses are mostly cut off: the length limit, not the policy, decides what is scored.
//!
//! # Evidence needed
//! The share or the number of partial responses per step, or extraction events.
//!
//! # Threshold and where it comes from
//! 10 %: the experiment-analysis guide. Threefold: as for empty responses.
//!
//! # Known false alarms
//! More responses per step make more partial ones.
//!
//! # What to do
//! Compare with the truncation rate. Raise the length limit when they rise together; otherwise read some.
//!
//! # References
//! The experiment-analysis guide; the analyze-experiment guide, "Order Extraction Quality".

use crate::advice::{Advice, FindingTexts, LONGER_RESPONSES};
use crate::settings::Hyperparameter;
use crate::topics::responses::assess_bad_responses;
use crate::topics::threshold_rule::ThresholdRule;
use crate::{Check, Code, Rulebook};
use rundown_vocabulary::{Concept, Direction};

pub const CHECK: Check =
    Check::of_run(Code::PartialResponses, |context| assess_bad_responses(context, &RULE, "Partial responses rose"));

const RULE: ThresholdRule = ThresholdRule {
    code: Code::PartialResponses,
    concept: Concept::PartialResponses,
    wrong: Direction::Up,
    note: None,
    warning: Rulebook::responses_partial,
    critical: None,
    warm_up: 0.0,
    title: "The share of partial responses is",
    detail: "responses end before all of their outputs are there.",
    words: FindingTexts {
        causes: &[(Hyperparameter::MaxResponse, "Responses end where this limit is.")],
        actions: &[
            Advice::Change(&LONGER_RESPONSES, "partial responses below 10 %"),
            Advice::Do([
                "Ask for the outputs before the reasoning, or for fewer of them",
                "what is cut off matters less",
                "another distribution of responses",
                "partial responses below 10 %",
            ]),
        ],
        alternative: "The policy leaves outputs out on purpose, and the reward lets it.",
        refute: "Partial responses end by themselves, well below the limit.",
        references: &["experiment-analysis guide (partial below 10 %)"],
    },
    confidence: 0.8,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, jump};
    use crate::{Outcome, Severity};

    #[test]
    fn shares_and_numbers_are_checked() {
        let run = Synthetic::healthy(200).noisy("extraction/partial_rate", 0.01, |t| 0.02 + 0.2 * jump(t, 0.7));
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((139.0..=144.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        let number = Synthetic::healthy(200).noisy("extraction/partial_responses", 1.5, |t| 2.0 + 11.0 * jump(t, 0.7));
        assert_eq!(number.finding(&CHECK).severity, Severity::Note);
    }

    #[test]
    fn the_usual_is_quiet() {
        assert!(Synthetic::healthy(200).noisy("extraction/partial_rate", 0.02, |_| 0.05).quiet(&CHECK));
        let rising = |t: f64| 8.0 + 4.0 * t;
        assert!(Synthetic::healthy(200).noisy("extraction/partial_responses", 2.0, rising).quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(200).check(&CHECK), Outcome::Skipped(_)));
    }
}
