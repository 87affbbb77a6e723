//! Outputs cannot be extracted from the responses.
//!
//! # What it checks
//! The share of expected outputs that were extracted, smoothed over a twentieth of the run: a warning when it stays
//! below 95 %, critical below 50 %. In event logs the rate of single responses is taken over blocks, and must be below
//! with its whole 95 % interval.
//!
//! # Why it matters
//! What is not extracted is scored as wrong or as nothing: the policy is punished for form, and the reward measures
//! the parser. When the rate falls and the reward with it, look at the parser before the policy.
//!
//! # Evidence needed
//! The extraction rate, the numbers of expected and extracted outputs, or extraction events.
//!
//! # Threshold and where it comes from
//! 95 %: the experiment-analysis and analyze-experiment guides.
//!
//! # Known false alarms
//! A low rate from the first step may be a task that allows no output.
//!
//! # What to do
//! Read responses that failed. Empty ones point to the prompt or a stop string, partial ones to the length limit, the
//! rest to the parser, to a logits processor that should enforce the form, or to a policy that left it.
//!
//! # References
//! The experiment-analysis guide; the analyze-experiment guide, "Order Extraction Quality".

use crate::advice::{Advice, FindingTexts, LONGER_RESPONSES};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::settings::Hyperparameter;
use crate::topics::event_rates::{self, are_outcomes, is_long_enough};
use crate::topics::threshold_rule::{ThresholdRule, value_with_unit};
use crate::{Check, Code, Evidence, Finding, Outcome, Rulebook};
use rundown_format::rich;
use rundown_stats as stats;
use rundown_vocabulary::{Binding, Concept, Direction, Unit};

pub const CHECK: Check = Check::of_run(Code::ExtractionRateLow, run);

/// Fewest events of a group that say something of it.
const GROUP: usize = 50;

const RULE: ThresholdRule = ThresholdRule {
    code: Code::ExtractionRateLow,
    concept: Concept::ExtractionRate,
    wrong: Direction::Down,
    note: None,
    warning: Rulebook::extraction_rate,
    critical: Some(Rulebook::extraction_critical),
    warm_up: 0.0,
    title: "The extraction rate is",
    detail: "what is not extracted is scored as wrong, so the reward measures the format.",
    words: FindingTexts {
        causes: &[
            (Hyperparameter::MaxResponse, "Responses that are cut off end before their outputs."),
            (Hyperparameter::Temperature, "A high temperature breaks the output format."),
        ],
        actions: &[
            Advice::Do([
                "Read twenty responses that failed, from before and after the onset",
                "tells empty, partial and unparsed responses apart",
                "none",
                "extraction rate above 95 %",
            ]),
            Advice::Do([
                "Run the parser over responses from before the onset",
                "shows whether the parser or the policy changed",
                "none",
                "the same rate as then",
            ]),
            Advice::Do([
                "Check the logits processor, or the grammar, that constrains the outputs, where there is one",
                "shows whether it is on, and lets every valid output through",
                "none",
                "the rate with it and without it, on the same prompts",
            ]),
            Advice::Change(&LONGER_RESPONSES, "extraction rate, partial responses"),
            Advice::GoBack,
        ],
        alternative: "The prompt or the parser was changed, and the policy did not.",
        refute: "Responses that failed hold no output that a person would find.",
        references: &["experiment-analysis guide (above 95 %)", "analyze-experiment guide (above 95 %)"],
    },
    confidence: 0.9,
};

fn run(context: &Context<'_>) -> Outcome {
    let logged = context.signals(Concept::ExtractionRate);
    let mut outcome = if logged.iter().any(|signal| !signal.is_empty() && signal.binding.name.is_none()) {
        event_rates::assess(&RULE, context, logged)
    } else {
        from_counts(context)
    };
    if let Outcome::Found(findings) = &mut outcome {
        findings.iter_mut().for_each(|finding| add_kinds(context, finding));
    }
    outcome
}

/// Extracted over expected, where only their numbers are logged.
fn from_counts(context: &Context<'_>) -> Outcome {
    let (Some(extracted), Some(expected)) =
        (context.signal(Concept::ExtractedOutputs), context.signal(Concept::ExpectedOutputs))
    else {
        return Outcome::Skipped(context.need(&[Concept::ExtractionRate]));
    };
    let binding =
        Binding { concept: Concept::ExtractionRate, unit: Unit::Share, name: None, ..extracted.binding.clone() };
    let mut rate = extracted.clone();
    rate.binding = &binding;
    let asked = stats::forward_fill(&expected.steps, &expected.values, &extracted.steps);
    for (value, asked) in rate.values.to_mut().iter_mut().zip(asked) {
        // A step that asked for nothing lost nothing.
        *value = if asked > 0.0 { *value / asked } else { 1.0 };
    }
    event_rates::assess(&RULE, context, &[rate])
}

/// Adds what the failures are, and where they are worst.
fn add_kinds(context: &Context<'_>, finding: &mut Finding) {
    let onset = finding.onset.unwrap_or(f64::NEG_INFINITY);
    let after = |signal: &MetricSeries<'_>| {
        let from = signal.steps.partition_point(|step| *step < onset);
        stats::mean(signal.values.get(from..)?)
    };
    for concept in [Concept::EmptyResponses, Concept::PartialResponses] {
        let Some(signal) = context.signal(concept) else { continue };
        if let Some(level) = after(signal) {
            finding.evidence.push(Evidence::new(rich!("{} since then", concept.words()), level, ""));
        }
    }
    let groups = context.signals(Concept::ExtractionRate).iter().filter(|signal| signal.binding.name.is_some());
    let assessed = groups
        .filter(|signal| !are_outcomes(&signal.values) && is_long_enough(context, signal) || signal.len() >= GROUP);
    let worst = assessed.filter_map(|signal| Some((signal, after(signal)?))).min_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((signal, level)) = worst {
        let name = signal.binding.name.as_deref().unwrap_or("");
        finding.evidence.push(Evidence::new(
            rich!("lowest of a group: {} ({})", name, value_with_unit(signal, level)),
            level,
            "",
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Severity;
    use crate::checks::testing::{Synthetic, change, jump};

    #[test]
    fn a_rate_that_falls_is_found_where_it_falls() {
        let run = Synthetic::healthy(250).noisy("extraction/rate", 0.008, |t| 0.985 - 0.12 * jump(t, 0.56)).noisy(
            "extraction/empty_responses",
            1.0,
            |t| 1.0 + 5.0 * jump(t, 0.56),
        );
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((139.0..=144.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        assert!(finding.evidence.iter().any(|number| number.name.to_string().starts_with("empty")));
        assert!(finding.actions.iter().any(|action| change(action).0.contains("logits processor")));
        let broken = Synthetic::healthy(250).noisy("extraction/rate", 0.02, |_| 0.3);
        assert_eq!(broken.finding(&CHECK).severity, Severity::Critical);
    }

    #[test]
    fn counts_and_events_give_a_rate_too() {
        let counted = Synthetic::healthy(100).noisy("extraction/answers_expected", 0.0, |_| 400.0).noisy(
            "extraction/answers_extracted",
            2.0,
            |_| 340.0,
        );
        assert!(counted.finding(&CHECK).title.to_string().contains(" 85"));
        let every = |n: u32| move |t: f64| f64::from(u8::from(!((t * 800.0).round() as u32).is_multiple_of(n)));
        let events = |n| Synthetic::new(800).noisy("axiom/extraction/success", 0.0, every(n));
        assert!(events(8).finding(&CHECK).title.to_string().contains("87.5 %"));
        assert!(events(60).quiet(&CHECK));
    }

    #[test]
    fn a_high_rate_is_quiet_and_no_rate_is_skipped() {
        assert!(Synthetic::healthy(250).noisy("extraction/rate", 0.006, |_| 0.985).quiet(&CHECK));
        let dip = |t: f64| if (t * 250.0) as u32 % 60 == 9 { 0.8 } else { 0.985 };
        assert!(Synthetic::healthy(250).noisy("extraction/rate", 0.005, dip).quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(250).check(&CHECK), Outcome::Skipped(_)));
    }
}
