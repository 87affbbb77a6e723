//! In which section a metric stands: that of its prefix, or of a shorter one where the section would have next to no charts.
//!
//! `val-core/openai/gsm8k/reward/mean@1` is the only metric of its prefix, and so are those of all other data sets: together, under
//! `val-core`, they fill a row of charts.

use std::collections::{HashMap, HashSet};

/// Metrics that make a section of their own: as many charts as a row has beside the run list.
const MIN_METRICS: usize = 3;

/// Shorter prefixes for the sections of few metrics.
pub struct Prefixes<'a>(HashMap<&'a str, &'a str>);

impl<'a> Prefixes<'a> {
    /// The sections of these metrics, of which each is named with its prefix. One may be named several times, by several runs.
    pub fn of<'k>(metrics: impl Iterator<Item = (&'a str, &'k str)>) -> Self {
        let mut keys: HashMap<&'a str, HashSet<&'k str>> = HashMap::new();
        for (prefix, key) in metrics {
            keys.entry(prefix).or_default().insert(key);
        }
        // How many sections there are at and below each prefix.
        let mut sections: HashMap<&'a str, usize> = HashMap::new();
        for above in keys.keys().flat_map(|prefix| at_and_above(prefix)) {
            *sections.entry(above).or_default() += 1;
        }
        let has_company = |above: &&str| sections.get(above).is_some_and(|count| *count > 1);
        let few = keys.iter().filter(|(_, keys)| keys.len() < MIN_METRICS);
        let shorter = few.filter_map(|(prefix, _)| Some((*prefix, at_and_above(prefix).skip(1).find(has_company)?)));
        Self(shorter.collect())
    }

    /// The section of metrics with this prefix.
    pub fn section(&self, prefix: &'a str) -> &'a str {
        self.0.get(prefix).copied().unwrap_or(prefix)
    }
}

/// A prefix and all shorter ones, the longest first.
fn at_and_above(prefix: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(prefix), |prefix| Some(prefix.rsplit_once('/')?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sections(metrics: &[(&'static str, usize)]) -> Vec<&'static str> {
        const KEYS: [&str; 4] = ["a", "b", "c", "d"];
        let all = metrics.iter().flat_map(|(prefix, count)| KEYS.iter().take(*count).map(|key| (*prefix, *key)));
        let prefixes = Prefixes::of(all.clone().chain(all));
        metrics.iter().map(|(prefix, _)| prefixes.section(prefix)).collect()
    }

    #[test]
    fn few_metrics_join_those_of_a_shorter_prefix() {
        assert_eq!(sections(&[("val-core/a/reward", 1), ("val-core/b/reward", 1)]), ["val-core", "val-core"]);
        assert_eq!(sections(&[("train", 4), ("train/completions", 2)]), ["train", "train"]);
        assert_eq!(sections(&[("rewards/format", 2), ("rewards/answer", 4)]), ["rewards", "rewards/answer"]);
    }

    #[test]
    fn a_prefix_of_many_metrics_or_without_others_stays() {
        assert_eq!(sections(&[("critic/rewards", 3), ("critic/values", 3)]), ["critic/rewards", "critic/values"]);
        assert_eq!(sections(&[("test_score/openai", 1), ("metrics", 1)]), ["test_score/openai", "metrics"]);
    }
}
