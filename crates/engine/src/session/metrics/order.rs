//! The order of sections: what a person looks for first.

use super::{NO_PREFIX, SYSTEM};
use rundown_protocol::MetricSection;
use rundown_stats::CompactSort as _;

/// First words of prefixes, by rank. Within a rank sections go by name.
const RANKS: [&[&str]; 3] = [
    &["eval", "evals", "evaluation", "val", "valid", "validation", "test", "tests", "testing", "benchmark"],
    &["reward", "rewards", "score", "scores", "criteria", "rubric", "final"],
    &["train", "training", "trainer", "actor", "critic", "policy", "grpo", "ppo", "objective", "loss", "losses"],
];
/// First words of prefixes of what the machine did with its time.
const TIMES: &[&str] =
    &["timing", "timings", "time", "times", "perf", "performance", "profile", "profiler", "profiling", "throughput"];

/// Sections in the order: how good it is (evaluations, rewards), how it trains, everything else by name, how long it takes,
/// metrics without a prefix, the machine. A run that logs most of its metrics without a prefix has these first.
pub fn in_order(mut sections: Vec<MetricSection>) -> Vec<MetricSection> {
    let size = |section: &MetricSection| section.metrics.len();
    let bare = sections.iter().find(|section| section.name == NO_PREFIX).map_or(0, size);
    let others = sections.iter().filter(|section| section.name != NO_PREFIX && section.name != SYSTEM);
    let is_main = others.map(size).all(|other| other < bare);
    let rank = |section: &MetricSection| rank(&section.name, is_main);
    sections.compact_sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.name.cmp(&b.name)));
    sections
}

fn rank(name: &str, is_bare_main: bool) -> usize {
    let lower = name.to_ascii_lowercase();
    let first = lower.split(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default();
    let known = RANKS.iter().position(|words| words.contains(&first));
    match known {
        _ if name == SYSTEM => RANKS.len() + 4,
        _ if name == NO_PREFIX && is_bare_main => 0,
        _ if name == NO_PREFIX => RANKS.len() + 3,
        Some(place) => place + 1,
        None if TIMES.contains(&first) => RANKS.len() + 2,
        None => RANKS.len() + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_protocol::MetricRow;

    fn ordered(sections: &[(&str, usize)]) -> Vec<String> {
        let section = |(name, metrics): &(&str, usize)| MetricSection {
            name: (*name).to_owned(),
            metrics: vec![MetricRow::default(); *metrics],
        };
        in_order(sections.iter().map(section).collect()).into_iter().map(|section| section.name).collect()
    }

    #[test]
    fn what_a_person_looks_for_comes_first() {
        let sections = [
            ("actor", 3),
            ("completions", 2),
            ("critic/rewards", 2),
            ("metrics", 2),
            ("perf", 2),
            ("profiling", 2),
            ("response_length", 2),
            ("rewards", 1),
            ("system", 90),
            ("timing_s", 5),
            ("train", 2),
            ("val-core/gsm8k", 1),
            ("eval", 1),
            ("values", 1),
        ];
        let expected = [
            "eval",
            "val-core/gsm8k",
            "rewards",
            "actor",
            "critic/rewards",
            "train",
            "completions",
            "response_length",
            "values",
            "perf",
            "profiling",
            "timing_s",
            "metrics",
            "system",
        ];
        assert_eq!(ordered(&sections), expected);
    }

    #[test]
    fn a_run_without_prefixes_begins_with_them() {
        assert_eq!(ordered(&[("eval", 2), ("metrics", 9), ("system", 40)]), ["metrics", "eval", "system"]);
        assert_eq!(ordered(&[("eval", 9), ("metrics", 9)]), ["eval", "metrics"]);
        assert_eq!(ordered(&[("metrics", 1), ("system", 4)]), ["metrics", "system"]);
    }
}
