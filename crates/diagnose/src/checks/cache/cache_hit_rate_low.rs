//! The prefix cache seldom hits.
//!
//! # What it checks
//! The hit rate after the first fifth of the run, smoothed: a warning when it stays below 30 %, a note when it ends
//! between 30 % and 50 %. A hit rate of exactly 0 is a cache that is off (`cache_disabled`).
//!
//! # Why it matters
//! A hit rate of 50 % about halves the cost of prompts. The prompts of a group are equal and the turns of an episode
//! grow from one another, so a low rate is mostly the order of the prompt's parts.
//!
//! # Evidence needed
//! The hit rate of the prefix cache.
//!
//! # Threshold and where it comes from
//! The analyze-experiment guide: above 50 % after the warm-up, below 30 % check the prompt's structure.
//!
//! # Known false alarms
//! Short prompts, single responses per prompt, or an engine that routes a group over many machines.
//!
//! # What to do
//! Put what never changes first in the prompt, what changes last. Send the responses of a group to one engine.
//!
//! # References
//! The analyze-experiment guide, "Prefix Cache Performance".

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::topics::cache::{warm_level, warm_start};
use crate::topics::event_rates;
use crate::topics::threshold_rule::ThresholdRule;
use crate::{Check, Code, Evidence, Outcome, Rulebook, Severity};
use rundown_format::rich;
use rundown_format::rich_text::percent;
use rundown_vocabulary::{Concept, Direction};

pub const CHECK: Check = Check::of_run(Code::CacheHitRateLow, run);

const RULE: ThresholdRule = ThresholdRule {
    code: Code::CacheHitRateLow,
    concept: Concept::CacheHitRate,
    wrong: Direction::Down,
    note: None,
    warning: Rulebook::cache_low,
    critical: None,
    // The rulebook's `cache_warm_up` replaces it.
    warm_up: 0.2,
    title: "The cache hit rate is",
    detail: "most of each prompt is prefilled again.",
    words: FindingTexts {
        causes: &[],
        actions: &[
            Advice::Do([
                "Put what never changes first in the prompt, and what changes last",
                "prompts share a longer beginning",
                "the model may weigh the parts differently",
                "cache hit rate above 50 %",
            ]),
            Advice::Do([
                "Send the responses of a group, and the turns of an episode, to the same engine",
                "they find each other's prefix",
                "uneven load",
                "cache hit rate above 50 %",
            ]),
        ],
        alternative: "Prompts are short or all different, so there is little to share.",
        refute: "Two prompts of one step share most of their first tokens.",
        references: &["analyze-experiment guide (above 50 % after the warm-up, below 30 % is low)"],
    },
    confidence: 0.85,
};

fn run(context: &Context<'_>) -> Outcome {
    let book = context.rulebook;
    let used: Vec<MetricSeries<'_>> =
        context.signals(Concept::CacheHitRate).iter().filter(|signal| signal.max() > 0.0).cloned().collect();
    let off = used.is_empty() && context.signal(Concept::CacheHitRate).is_some();
    if off {
        return Outcome::Quiet(vec![Evidence::new("largest hit rate", 0.0, "")]);
    }
    let rule = ThresholdRule { warm_up: book.cache_warm_up().value, ..RULE };
    match event_rates::assess(&rule, context, &used) {
        Outcome::Quiet(evidence) => {
            let Some((signal, level)) = used.first().and_then(|signal| Some((signal, warm_level(context, signal)?)))
            else {
                return Outcome::Quiet(evidence);
            };
            let warm = book.cache_warm();
            if level >= warm.value || !event_rates::is_long_enough(context, signal) {
                return Outcome::Quiet(evidence);
            }
            let title = rich!("The cache hit rate is {} after the warm-up", percent(level));
            let finding =
                context.finding(CHECK.code, Severity::Note, title, Some(warm_step(context, signal)), &RULE.words);
            let shown = Evidence::new("median after the warm-up", level, "").below(warm);
            Outcome::Found(vec![finding.supported_by(
                "About half of each prompt could be shared.",
                &[signal],
                vec![shown],
                0.7,
            )])
        }
        other => other,
    }
}

fn warm_step(context: &Context<'_>, signal: &MetricSeries<'_>) -> f64 {
    signal.step(warm_start(context, signal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, saturating};

    fn rate(level: f64) -> Synthetic {
        Synthetic::healthy(250).noisy("cache/hit_rate", 0.02, move |t| 0.05 + (level - 0.05) * saturating(4.0 * t))
    }

    #[test]
    fn a_cold_cache_is_a_warning() {
        let finding = rate(0.22).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((40.0..=60.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        assert_eq!(rate(0.4).finding(&CHECK).severity, Severity::Note);
    }

    #[test]
    fn a_warm_cache_is_quiet_however_cold_it_began() {
        assert!(rate(0.72).quiet(&CHECK));
        assert!(Synthetic::healthy(250).noisy("cache/hit_rate", 0.0, |_| 0.0).quiet(&CHECK), "off is not low");
        assert!(matches!(Synthetic::healthy(250).check(&CHECK), Outcome::Skipped(_)));
    }
}
