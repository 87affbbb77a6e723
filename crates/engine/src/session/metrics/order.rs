//! The order of sections and of the metrics in them: what a person looks for first.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::{NO_PREFIX, SYSTEM};
use rundown_protocol::{MetricKind, MetricRow, MetricSection};
use rundown_stats::CompactSort as _;
use rundown_vocabulary::{Bindings, Concept};

/// What is looked at first, in this order; metrics of everything else go by their keys.
const FIRST_CONCEPTS: [Concept; 20] = [
    Concept::Evaluation,
    Concept::Reward,
    Concept::EloGap,
    Concept::Elo,
    Concept::WinRate,
    Concept::KlToReference,
    Concept::TeacherKl,
    Concept::Entropy,
    Concept::ResponseLength,
    Concept::TruncatedShare,
    Concept::GradientNorm,
    Concept::KlToSampler,
    Concept::ClipFraction,
    Concept::ZeroVarianceGroups,
    Concept::PolicyLoss,
    Concept::ValueLoss,
    Concept::ExplainedVariance,
    Concept::LearningRate,
    Concept::StepTime,
    Concept::Throughput,
];
/// Metrics that are offered to be drawn before any was chosen.
const MAX_FIRST: usize = 12;

/// First words of prefixes, by rank. Within a rank sections go by name.
const RANKS: [&[&str]; 3] = [
    &["eval", "evals", "evaluation", "val", "valid", "validation", "test", "tests", "testing", "benchmark"],
    &["reward", "rewards", "score", "scores", "criteria", "rubric", "final"],
    &["train", "training", "trainer", "actor", "critic", "policy", "grpo", "ppo", "objective", "loss", "losses"],
];
/// How many of them are of outcomes: evaluations and rewards.
const OUTCOME_RANKS: usize = 2;
/// First words of prefixes of what the machine did with its time.
const TIMES: &[&str] =
    &["timing", "timings", "time", "times", "perf", "performance", "profile", "profiler", "profiling", "throughput"];

/// Sections in the order: how good it is (evaluations, rewards), how it trains, everything else by name, how long it takes,
/// metrics without a prefix, the machine. A run that logs most of its metrics without a prefix has these first. Sections in which
/// nothing changes have no chart: they come last before the machine. Evaluations and rewards keep their place, as a single point
/// of them is a result.
pub fn in_order(mut sections: Vec<MetricSection>) -> Vec<MetricSection> {
    let size = |section: &MetricSection| section.metrics.len();
    let bare = sections.iter().find(|section| section.name == NO_PREFIX).map_or(0, size);
    let others = sections.iter().filter(|section| section.name != NO_PREFIX && section.name != SYSTEM);
    let is_main = others.map(size).all(|other| other < bare);
    let place = |section: &MetricSection| {
        let rank = rank(&section.name, is_main);
        let is_still = !(1..=OUTCOME_RANKS).contains(&rank) && section.metrics.iter().all(|row| row.constant);
        (section.name == SYSTEM, is_still, rank)
    };
    sections.compact_sort_by(|a, b| place(a).cmp(&place(b)).then_with(|| a.name.cmp(&b.name)));
    sections
}

/// Places of keys in [`FIRST_CONCEPTS`]; keys of other concepts are not among them.
pub struct ConceptPlaces<'a>(HashMap<&'a str, usize>);

impl<'a> ConceptPlaces<'a> {
    /// The places of what is bound in some runs. A key that means several things has the first place of them.
    pub fn of(bindings: impl Iterator<Item = &'a Bindings>) -> Self {
        let mut places = HashMap::new();
        for binding in bindings.flat_map(Bindings::iter) {
            let Some(place) = FIRST_CONCEPTS.iter().position(|concept| *concept == binding.concept) else { continue };
            places
                .entry(binding.key.as_str())
                .and_modify(|known: &mut usize| *known = place.min(*known))
                .or_insert(place);
        }
        Self(places)
    }

    /// Puts the metrics of a section in order: numbers before histograms, by concept, then as they were.
    pub fn put_in_order(&self, rows: &mut [MetricRow]) {
        rows.compact_sort_by(|a, b| self.order(a).cmp(&self.order(b)));
    }

    /// Keys of lines to draw first: of each concept the metric that most runs have, concepts that at least half of the
    /// runs have before others.
    pub fn first(&self, sections: &[MetricSection], runs: usize) -> Vec<String> {
        let rows = sections.iter().flat_map(|section| &section.metrics);
        let lines = rows.filter(|row| row.kind == MetricKind::Numbers && !row.constant);
        let mut known: Vec<(usize, &MetricRow)> =
            lines.filter_map(|row| Some((*self.0.get(row.key.as_str())?, row))).collect();
        known.compact_sort_by(|(a_place, a), (b_place, b)| (a_place, Reverse(a.runs)).cmp(&(b_place, Reverse(b.runs))));
        known.dedup_by_key(|(place, _)| *place);
        let (common, rare): (Vec<_>, Vec<_>) = known.into_iter().partition(|(_, row)| 2 * row.runs as usize >= runs);
        common.into_iter().chain(rare).take(MAX_FIRST).map(|(_, row)| row.key.clone()).collect()
    }

    fn order(&self, row: &MetricRow) -> (bool, usize) {
        let place = self.0.get(row.key.as_str()).copied().unwrap_or(FIRST_CONCEPTS.len());
        (row.kind == MetricKind::Histograms, place)
    }
}

fn rank(name: &str, is_bare_main: bool) -> usize {
    let lower = name.to_ascii_lowercase();
    let first = lower.split(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default();
    let known = RANKS.iter().position(|words| words.contains(&first));
    match known {
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
    use rundown_vocabulary::{Binding, Framework};

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
            "eval", "val-core/gsm8k", "rewards", "actor", "critic/rewards", "train", "completions", "response_length",
            "values", "perf", "profiling", "timing_s", "metrics", "system",
        ];
        assert_eq!(ordered(&sections), expected);
    }

    #[test]
    fn a_run_without_prefixes_begins_with_them() {
        assert_eq!(ordered(&[("eval", 2), ("metrics", 9), ("system", 40)]), ["metrics", "eval", "system"]);
        assert_eq!(ordered(&[("eval", 9), ("metrics", 9)]), ["eval", "metrics"]);
        assert_eq!(ordered(&[("metrics", 1), ("system", 4)]), ["metrics", "system"]);
    }

    #[test]
    fn a_section_without_a_chart_comes_behind_the_others() {
        let section = |name: &str, constant: bool| MetricSection {
            name: name.to_owned(),
            metrics: vec![MetricRow { constant, ..MetricRow::default() }],
        };
        let sections = [("actor", true), ("eval", true), ("rewards", false), ("system", false), ("train", false)];
        let sections = in_order(sections.map(|(name, constant)| section(name, constant)).to_vec());
        let names: Vec<&str> = sections.iter().map(|section| section.name.as_str()).collect();
        assert_eq!(names, ["eval", "rewards", "train", "actor", "system"], "an evaluation may be logged once");
    }

    fn row(key: &str, runs: u32) -> MetricRow {
        MetricRow { key: key.to_owned(), runs, ..MetricRow::default() }
    }

    fn bound(keys: &[(&str, Concept)]) -> Bindings {
        let mut bindings = Bindings::new(Framework::Unknown);
        for (key, concept) in keys {
            bindings.push(Binding::unscaled(*concept, key, concept.unit(), concept.direction()));
        }
        bindings
    }

    #[test]
    fn metrics_of_a_section_go_by_what_they_stand_for() {
        let bindings = bound(&[
            ("train/entropy", Concept::Entropy),
            ("train/reward", Concept::Reward),
            ("train/memory", Concept::Memory),
        ]);
        let mut rows = ["train/entropy", "train/epoch", "train/memory", "train/reward"].map(|key| row(key, 1));
        ConceptPlaces::of([&bindings].into_iter()).put_in_order(&mut rows);
        let keys = rows.map(|row| row.key);
        assert_eq!(keys, ["train/reward", "train/entropy", "train/epoch", "train/memory"]);
    }

    #[test]
    fn lines_of_most_runs_are_drawn_first_and_one_of_each_concept() {
        let bindings = bound(&[
            ("eval/rare", Concept::Evaluation),
            ("kl", Concept::KlToReference),
            ("reward", Concept::Reward),
            ("reward/old", Concept::Reward),
            ("flat", Concept::Entropy),
        ]);
        let mut metrics = vec![row("eval/rare", 1), row("flat", 9), row("kl", 6), row("other", 9), row("reward", 8)];
        metrics.push(row("reward/old", 1));
        metrics[1].constant = true;
        let sections = [MetricSection { name: NO_PREFIX.to_owned(), metrics }];
        let first = ConceptPlaces::of([&bindings].into_iter()).first(&sections, 9);
        assert_eq!(first, ["reward", "kl", "eval/rare"]);
    }
}
