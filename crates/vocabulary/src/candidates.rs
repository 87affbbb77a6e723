//! Which metrics may be the reward or an evaluation of a run in which no key is known to be either: for the question to
//! the user, who decides.

use super::table::{has_any, words};
use super::{Bindings, Concept};
use rundown_run::{Column, Run};
use rundown_stats as stats;
use rundown_stats::CompactSort as _;

/// Most metrics that are offered.
const OFFERED: usize = 4;
/// Fewest values of a metric that can show learning.
const POINTS: usize = 5;

/// Beginnings of words that name what a policy is trained for.
const OUTCOME: [&str; 16] = [
    "reward", "return", "score", "succ", "accura", "correct", "solve", "pass", "win", "rating", "elo", "fitness",
    "utility", "quality", "judge", "progress",
];
/// Words that name a quantity of training itself, or a statistic beside the mean.
const OTHER: [&str; 53] = [
    "loss", "kl", "entropy", "grad", "norm", "lr", "rate", "learning", "clip", "ratio", "logp", "logprob", "logprobs",
    "prob", "probs", "length", "len", "tokens", "token", "count", "num", "time", "sec", "seconds", "ms", "duration",
    "latency", "throughput", "mem", "memory", "gpu", "cpu", "step", "steps", "epoch", "iter", "iteration", "batch",
    "samples", "size", "beta", "coef", "temperature", "std", "var", "min", "max", "hist", "timestamp", "percent",
    "advantage", "advantages", "adv",
];

/// Words that say that tasks outside of training were asked.
const HELD_OUT: [&str; 8] = ["eval", "evaluation", "val", "valid", "validation", "test", "held", "heldout"];

/// A metric that may be what a run is judged by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its key.
    pub key: String,
    /// What it would stand for: the evaluation where its name says that it was held out, else the reward.
    pub concept: Concept,
}

/// The likeliest metrics, at most four: those named after an outcome first, then those that moved most. Nothing for a
/// run that has a reward or an evaluation.
pub fn candidates(run: &Run, bindings: &Bindings) -> Vec<Candidate> {
    let is_known = |concept| bindings.first(concept).is_some();
    if is_known(Concept::Reward) || is_known(Concept::Evaluation) {
        return Vec::new();
    }
    let bound: Vec<&str> = bindings.iter().map(|binding| binding.key.as_str()).collect();
    let free = run.columns.iter().filter(|(key, _)| !bound.contains(&key.as_str()) && !key.starts_with("system"));
    let mut found: Vec<(bool, f64, &String)> = free
        .filter_map(|(key, column)| {
            let words = words(key);
            let is_outcome = words.iter().any(|word| OUTCOME.iter().any(|outcome| word.starts_with(outcome)));
            (!has_any(&words, &OTHER)).then_some((is_outcome, movement(column)?, key))
        })
        .collect();
    found.compact_sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(b.2)));
    let candidate = |(_, _, key): (bool, f64, &String)| {
        let is_held_out = has_any(&words(key), &HELD_OUT);
        let concept = if is_held_out { Concept::Evaluation } else { Concept::Reward };
        Candidate { key: key.clone(), concept }
    };
    found.into_iter().take(OFFERED).map(candidate).collect()
}

/// True for words of which one names a quantity of training itself, a statistic, or tasks outside of training.
pub(super) fn is_no_reward(words: &[String]) -> bool {
    has_any(words, &OTHER) || has_any(words, &HELD_OUT)
}

/// How far the last fifth lies from the first, in standard deviations; `None` for what does not vary.
fn movement(column: &Column) -> Option<f64> {
    let values: Vec<f64> = column.values().iter().copied().filter(|value| value.is_finite()).collect();
    let fifth = values.len().div_ceil(5);
    let deviation = stats::std_dev(&values).filter(|deviation| values.len() >= POINTS && *deviation > 0.0)?;
    let first = stats::mean(values.get(..fifth)?)?;
    let last = stats::mean(values.get(values.len() - fifth..)?)?;
    Some((last - first).abs() / deviation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bind;

    type Curve = fn(f64) -> f64;

    fn run(columns: &[(&str, Curve)]) -> Run {
        let mut run = Run::default();
        for step in 0..50 {
            let row = run.push_row(f64::from(step), f64::NAN);
            for (key, value) in columns {
                run.push_value(key, row, value(f64::from(step)));
            }
        }
        run.choose_axis();
        run
    }

    fn keys(run: &Run) -> Vec<(String, Concept)> {
        let found = candidates(run, &bind(run));
        found.into_iter().map(|candidate| (candidate.key, candidate.concept)).collect()
    }

    #[test]
    fn what_is_named_after_an_outcome_comes_first() {
        let run = run(&[
            ("charm", |step| step),
            ("villain_fitness", |step| libm::sin(step)),
            ("held_out/quality_q", |step| 0.1 * step),
            ("widget_count", |step| step),
            ("constant_fitness", |_| 1.0),
            ("loss", |step| -step),
            ("ppo/policy/advantages_mean", |step| step),
        ]);
        let expected = [
            ("held_out/quality_q".to_owned(), Concept::Evaluation),
            ("villain_fitness".to_owned(), Concept::Reward),
            ("charm".to_owned(), Concept::Reward),
        ];
        assert_eq!(keys(&run), expected);
    }

    #[test]
    fn a_run_with_a_reward_needs_no_question() {
        assert!(keys(&run(&[("reward", |step| step), ("charm", |step| step)])).is_empty());
    }
}
