//! The prefix cache does not get warmer, or cools down again.
//!
//! # What it checks
//! Two things, for a hit rate that ends below 50 %. It fell by 10 points or more after the warm-up and stayed there: a
//! warning. It is no higher at the end than in the first tenth of the run: a note. Where the fall is what makes the
//! rate low, `cache_hit_rate_low` says it and this check is quiet.
//!
//! # Why it matters
//! A cache that works is cold once. A rate that never rises means that prompts share nothing; one that falls, that
//! something pushes entries out or that the prompts changed.
//!
//! # Evidence needed
//! The hit rate of the prefix cache.
//!
//! # Threshold and where it comes from
//! The analyze-experiment guide: the rate should rise as the static prefix is cached, to above 50 %. 10 points:
//! smaller changes come with the mix of prompts.
//!
//! # Known false alarms
//! A run that was resumed starts with a warm cache. Its rate need not rise, but then it is mostly above 50 %.
//!
//! # What to do
//! Look what changes at the beginning of prompts from step to step: dates, ids, shuffled lists of moves.
//!
//! # References
//! The analyze-experiment guide, "Prefix Cache Inefficiency".

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::measure::Z_PICKED;
use crate::measure::level;
use crate::measure::series::MetricSeries;
use crate::topics::cache::{warm_level, warm_start};
use crate::topics::event_rates::is_long_enough;
use crate::{Check, Code, Evidence, Outcome, QuietReason, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{percent, step};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_metric(Code::CacheNotWarming, Concept::CacheHitRate, run);

/// Rise, in parts of the change that counts, that is warming.
const WARMING: f64 = 0.5;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[
        Advice::Do([
            "Compare the first tokens of two prompts of one step, and of two steps",
            "finds what changes too early in the prompt",
            "none",
            "cache hit rate above 50 %",
        ]),
        Advice::Do([
            "Give the engine more memory for its KV cache",
            "entries live until they are needed again",
            "less room for training",
            "cache hit rate, waiting requests",
        ]),
    ],
    alternative: "The mix of prompts changed, and the cache works as before.",
    refute: "Prompts of one step share most of their first tokens, and the engine reports no evictions.",
    references: &["analyze-experiment guide (the hit rate should rise as the static prefix is cached)"],
};

fn run(context: &Context<'_>, signal: &MetricSeries<'_>) -> Outcome {
    let book = context.rulebook;
    let tenth = (signal.len() / 10).max(3);
    let first = signal.values.get(..tenth).and_then(stats::mean).unwrap_or(f64::NAN);
    let last = signal.values.get(signal.len().saturating_sub(2 * tenth)..).and_then(stats::mean).unwrap_or(f64::NAN);
    let evidence = vec![
        Evidence::new("hit rate at the end", last, "").below(book.cache_warm()),
        Evidence::new("hit rate in the first tenth", first, ""),
    ];
    if last >= book.cache_warm().value
        || signal.max() <= 0.0
        || signal.len() < 4 * tenth
        || !is_long_enough(context, signal)
    {
        return Outcome::Quiet(evidence);
    }
    if let Some((onset, before)) = cooled(context, signal) {
        // The fall is what makes the rate low: the other check has it.
        if warm_level(context, signal).is_some_and(|level| level < book.cache_low().value)
            || last < book.cache_low().value
        {
            return Outcome::QuietBecause(QuietReason::CoveredBy(Code::CacheHitRateLow), evidence);
        }
        let title =
            rich!("The cache hit rate fell from {} to {} at step {}", percent(before), percent(last), step(onset));
        let finding = context.finding(CHECK.code, Severity::Warning, title, Some(onset), &TEXTS);
        let mut evidence = evidence;
        evidence.push(Evidence::new("fall of the hit rate", before - last, "").above(book.cache_change()));
        let detail = "Entries are evicted, or the prompts changed.";
        return Outcome::Found(vec![finding.supported_by(detail, &[signal], evidence, 0.75)]);
    }
    if last - first >= WARMING * book.cache_change().value {
        return Outcome::Quiet(evidence);
    }
    let title = rich!("The cache does not warm up: its hit rate was {} and is {}", percent(first), percent(last));
    let onset = signal.step(warm_start(context, signal));
    let finding = context.finding(CHECK.code, Severity::Note, title, Some(onset), &TEXTS);
    Outcome::Found(vec![finding.supported_by(
        "Prompts share little, or entries are evicted too early.",
        &[signal],
        evidence,
        0.7,
    )])
}

/// Where the rate fell after the warm-up for good, and its level before.
fn cooled(context: &Context<'_>, signal: &MetricSeries<'_>) -> Option<(f64, f64)> {
    let start = warm_start(context, signal);
    let values = signal.values.get(start..)?;
    let change = stats::single_change(values, (values.len() / 20).max(5))?;
    let noise = level::change(values, change.index, values.len() - change.index, 0.0)?;
    let fell = change.before - change.after >= context.rulebook.cache_change().value && noise.z() <= -Z_PICKED;
    fell.then(|| (signal.step(start + change.index), change.before))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, jump, saturating};

    fn rate(level: impl Fn(f64) -> f64) -> Synthetic {
        Synthetic::healthy(250).noisy("cache/hit_rate", 0.02, level)
    }

    #[test]
    fn a_rate_that_never_rises_is_noted_and_one_that_falls_is_a_warning() {
        assert_eq!(rate(|_| 0.4).finding(&CHECK).severity, Severity::Note);
        let finding = rate(|t| 0.7 - 0.3 * jump(t, 0.6)).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((147.0..=155.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    }

    #[test]
    fn what_warms_up_or_is_low_for_another_reason_is_quiet() {
        assert!(rate(|t| 0.05 + 0.67 * saturating(4.0 * t)).quiet(&CHECK));
        assert!(rate(|t| 0.05 + 0.17 * saturating(2.0 * t)).quiet(&CHECK), "low, but it warmed");
        assert!(rate(|t| 0.7 - 0.55 * jump(t, 0.6)).quiet(&CHECK), "low says it");
        assert!(rate(|_| 0.8).quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(250).check(&CHECK), Outcome::Skipped(_)));
    }
}
