//! The cache hits, and rollouts are slow all the same.
//!
//! # What it checks
//! A hit rate above 50 % after the warm-up in a run whose rollouts are slow by the rule of `rollout_slow`. A note: it
//! says where the cause is not.
//!
//! # Why it matters
//! Work on the prompt's structure would gain little; the bottleneck is generation, the environment or the storage.
//!
//! # Evidence needed
//! The hit rate of the prefix cache, and the duration of rollouts.
//!
//! # Threshold and where it comes from
//! The analyze-experiment guide: a high hit rate with slow rollouts means that the bottleneck is elsewhere.
//!
//! # Known false alarms
//! As for slow rollouts.
//!
//! # What to do
//! Compare the time of generation with that of the environment and of reloads.
//!
//! # References
//! The analyze-experiment guide, "Prefix Cache Inefficiency".

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::topics::cache::warm_level;
use crate::{Check, Code, Evidence, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::percent;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::CacheHotButSlow, run);

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[Advice::Do([
        "Divide a rollout into generation, environment and reload",
        "finds the bottleneck that the cache does not touch",
        "none",
        "seconds of each part",
    ])],
    alternative: "The hit rate counts requests, and the long prompts are the ones that miss.",
    refute: "Prompts, not responses, take most of the engine's time.",
    references: &["analyze-experiment guide (high hit rate but slow rollouts: the bottleneck is elsewhere)"],
};

fn run(context: &Context<'_>) -> Outcome {
    let timed =
        [Concept::RolloutDuration, Concept::RolloutTimeP95].into_iter().find_map(|concept| context.signal(concept));
    let (Some(rate), Some(time)) = (context.signal(Concept::CacheHitRate), timed) else {
        return Outcome::Skipped(context.need(&[Concept::CacheHitRate, Concept::RolloutTimeP95]));
    };
    let warm = context.rulebook.cache_warm();
    let level = warm_level(context, rate).unwrap_or(f64::NAN);
    let shown = Evidence::new("hit rate after the warm-up", level, "").above(warm);
    // `causes` keeps this finding only beside `rollout_slow`.
    if level <= warm.value || level.is_nan() {
        return Outcome::Quiet(vec![shown]);
    }
    let title = rich!("Rollouts are slow although the cache hit rate is {}", percent(level));
    let signals: [&MetricSeries<'_>; 2] = [rate, time];
    let finding = context.finding(CHECK.code, Severity::Note, title, Some(time.step(0)), &TEXTS);
    let detail = "The cache works: the bottleneck is generation, the environment or the storage.";
    Outcome::Found(vec![finding.supported_by(detail, &signals, vec![shown], 0.7)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;

    fn run_with(rate: f64, seconds: f64) -> Synthetic {
        Synthetic::healthy(200).noisy("cache/hit_rate", 0.02, move |_| rate).noisy(
            "rollout/duration_p95",
            4.0,
            move |_| seconds,
        )
    }

    #[test]
    fn only_a_hot_cache_with_slow_rollouts_is_noted() {
        assert_eq!(run_with(0.8, 200.0).finding(&CHECK).severity, Severity::Note);
        assert!(run_with(0.8, 80.0).quiet(&CHECK));
        assert!(run_with(0.2, 200.0).quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(200).check(&CHECK), Outcome::Skipped(_)));
    }
}
