//! Prefix caching is off.
//!
//! # What it checks
//! A metric that says so, a hit rate or a number of hits of exactly 0 all along, or a setting that switches the cache off
//! in a run that logs nothing of a cache. Always a note: it is a choice, not a fault.
//!
//! # Why it matters
//! The responses of a group share their prompt, and the turns of an episode their history: without a cache each is
//! read anew.
//!
//! # Evidence needed
//! A cache metric, or the setting in the config (`enable_prefix_caching`, `prefix_cache_optimized`,
//! `disable_radix_cache`). Without either nothing is said.
//!
//! # Threshold and where it comes from
//! None. The analyze-experiment guide reads the absence of all cache metrics as a cache that may be off.
//!
//! # Known false alarms
//! Short prompts with long responses gain little from a cache. Some engines switch it on by themselves.
//!
//! # What to do
//! Switch it on, with the static part of the prompt first.
//!
//! # References
//! The analyze-experiment guide, "Prefix Cache Performance".

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::finding::NO_METRICS;
use crate::{Cause, Check, Code, Evidence, Finding, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{metric, setting_key};
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::CacheDisabled, run);

/// Fewest zeros that mean off.
const ZEROS: usize = 20;
/// Last parts of settings that switch a cache on, and of those that switch it off.
const ON: [&str; 3] = ["prefix_cache_optimized", "enable_prefix_caching", "vllm_enable_prefix_caching"];
const OFF: [&str; 3] = ["disable_radix_cache", "sglang_disable_radix_cache", "disable_prefix_caching"];

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[Advice::Do([
        "Switch prefix caching on, with the static part of the prompt first",
        "at a hit rate of half, prompts cost about half",
        "memory of the KV cache is shared",
        "cache hit rate above 50 %, rollout time",
    ])],
    alternative: "The engine caches by itself and does not log it.",
    refute: "The engine's own log shows cache hits.",
    references: &["analyze-experiment guide (no cache metrics: caching may be disabled)"],
};

fn run(context: &Context<'_>) -> Outcome {
    let enabled = context.signal(Concept::CacheEnabled);
    let hits = context.signal(Concept::CacheHitRate).or_else(|| context.signal(Concept::CacheHits));
    let setting = switch(context);
    if let Some(signal) = enabled.or(hits) {
        let shown = Evidence::new(rich!("largest {}", metric(signal.key())), signal.max(), "");
        if signal.len() < ZEROS || signal.max() != 0.0 || signal.min() != 0.0 {
            return Outcome::Quiet(vec![shown]);
        }
        let title = rich!("Caching is off: {} is 0 at every step", metric(signal.key()));
        let finding = context.finding(CHECK.code, Severity::Note, title, Some(signal.step(0)), &TEXTS);
        return Outcome::Found(vec![with_setting(finding.supported_by(DETAIL, &[signal], vec![shown], 0.8), setting)]);
    }
    match setting {
        Some((key, text, false)) => {
            let title = rich!("Caching is off: {} is {}", setting_key(key), &text);
            let finding = context.finding(CHECK.code, Severity::Note, title, None, &TEXTS);
            Outcome::Found(vec![with_setting(
                finding.supported_by(DETAIL, NO_METRICS, Vec::new(), 0.8),
                Some((key, text, false)),
            )])
        }
        Some((_, _, true)) => Outcome::Quiet(vec![Evidence::new("the setting says on", 1.0, "")]),
        None => {
            let mut need = context.need(&[Concept::CacheHitRate]);
            if COUNTS.into_iter().all(|concept| context.signal(concept).is_none()) {
                need.hint = rich!("{} {}", need.hint, SILENCE);
            }
            Outcome::Skipped(need)
        }
    }
}

/// Metrics of a cache that do not say whether it is on.
const COUNTS: [Concept; 3] = [Concept::CacheTokens, Concept::CacheQueries, Concept::CacheBatches];
/// What the absence of all cache metrics may mean.
const SILENCE: &str = "Where no cache metric is logged, prefix caching may be disabled: look for enable_prefix_caching or \
                       prefix_cache_optimized.";

const DETAIL: &str = "Responses of a group share their prompt; without a cache each of them reads it anew.";

/// A setting, its value, and whether it leaves the cache on.
type Switch<'a> = (&'a str, String, bool);

fn with_setting(mut finding: Finding, setting: Option<Switch<'_>>) -> Finding {
    if let Some((key, value, false)) = setting {
        let why = "It switches the cache off.".into();
        finding.causes.push(Cause { config: key.to_owned(), value, why });
    }
    finding
}

fn switch<'a>(context: &Context<'a>) -> Option<Switch<'a>> {
    context.run.config.iter().find_map(|(key, value)| {
        let last = key.rsplit('.').next().unwrap_or(key);
        let turns_on = ON.contains(&last);
        if !turns_on && !OFF.contains(&last) {
            return None;
        }
        Some((key, value.to_string(), value.as_switch()? == turns_on))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;
    use rundown_run::ConfigValue;

    fn set(key: &str, value: bool) -> Synthetic {
        let mut run = Synthetic::healthy(200);
        run.run.config.insert(key, ConfigValue::Bool(value));
        run
    }

    #[test]
    fn a_switch_or_zeros_say_off() {
        let finding = set("prefix_cache_optimized", false).finding(&CHECK);
        assert_eq!((finding.severity, finding.causes.len()), (Severity::Note, 1));
        assert!(
            set("engine.disable_radix_cache", true).finding(&CHECK).title.to_string().contains("disable_radix_cache")
        );
        assert_eq!(set("sglang_disable_radix_cache", true).finding(&CHECK).severity, Severity::Note);
        assert_eq!(Synthetic::healthy(200).noisy("cache/hit_rate", 0.0, |_| 0.0).finding(&CHECK).onset, Some(1.0));
    }

    #[test]
    fn a_cache_that_is_on_is_quiet_and_silence_is_no_answer() {
        assert!(set("rollout.enable_prefix_caching", true).quiet(&CHECK));
        assert!(set("prefix_cache_optimized", false).noisy("cache/hit_rate", 0.01, |_| 0.6).quiet(&CHECK));
        let Outcome::Skipped(need) = Synthetic::healthy(200).check(&CHECK) else { panic!("nothing is known") };
        assert!(need.hint.to_string().contains("may be disabled"), "{}", need.hint);
        let counted = Synthetic::healthy(200).noisy("cache/total_queries", 0.1, |t| 1.0 + 900.0 * t);
        let Outcome::Skipped(need) = counted.check(&CHECK) else { panic!("hits are not known") };
        assert!(!need.hint.to_string().contains("may be disabled"), "{}", need.hint);
    }

    #[test]
    fn numbers_of_hits_say_it_too() {
        let hits = |most: f64| Synthetic::healthy(200).noisy("cache/total_hits", 0.0, move |t| most * t);
        assert!(hits(0.0).finding(&CHECK).title.to_string().contains("cache/total_hits is 0"));
        assert!(hits(900.0).quiet(&CHECK));
    }
}
