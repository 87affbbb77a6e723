//! Which keys hold a score on held-out tasks, and which of them is the measure of learning.

use super::component::{RewardKind, reward_kind};
use super::table::words;

/// How well an evaluation metric measures learning, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// The share of tasks solved.
    Accuracy,
    /// A reward or score of unknown make-up.
    Reward,
    /// Anything else of the evaluation; says nothing about the task by itself.
    Other,
}

/// Rank of a key (in normal form) as an evaluation, its name, and whether it says to be held out; `None` when it
/// is no evaluation.
pub(super) fn evaluation(key: &str) -> Option<(Rank, String)> {
    let name = held_out(key)?;
    let words = words(&name);
    if words.is_empty() || words.iter().any(|word| is_upkeep(word)) {
        return None;
    }
    Some((rank(&words, &name), name))
}

/// Rank of a key that does not say where it was measured: only a plain accuracy counts (`accuracy`,
/// `success_rate`), and only after every key that says so.
pub(super) fn plain_accuracy(key: &str) -> bool {
    let words = words(key);
    let measure = words.iter().any(|word| is_accuracy(word));
    let extra = |word: &String| {
        is_accuracy(word)
            || matches!(
                word.as_str(),
                "rate" | "mean" | "avg" | "train" | "training" | "rollout" | "episode" | "at" | "1"
            )
    };
    measure && words.iter().all(extra)
}

/// The part of the key behind the prefix that says "held out".
fn held_out(key: &str) -> Option<String> {
    const PREFIXES: [&str; 12] = [
        "val-core/",
        "val-aux/",
        "eval/",
        "eval_",
        "evaluation/",
        "validation/",
        "val/",
        "valid/",
        "test/",
        "test_score/",
        "heldout_",
        "heldout/",
    ];
    let prefix = PREFIXES.iter().find(|prefix| key.starts_with(**prefix))?;
    let rest = key.strip_prefix(prefix)?;
    // `test_score/{data}` names only the data: the score is in the prefix.
    let name = if *prefix == "test_score/" { format!("test_score/{rest}") } else { rest.to_owned() };
    (!name.is_empty()).then_some(name)
}

fn rank(words: &[String], name: &str) -> Rank {
    if reward_kind(name) == RewardKind::Form {
        return Rank::Other;
    }
    if words.iter().any(|word| is_accuracy(word)) {
        return Rank::Accuracy;
    }
    if words.iter().any(|word| matches!(word.as_str(), "reward" | "rewards" | "score" | "scores" | "return")) {
        return Rank::Reward;
    }
    Rank::Other
}

fn is_accuracy(word: &str) -> bool {
    matches!(
        word,
        "acc" | "accuracy" | "success" | "correct" | "correctness" | "pass" | "em" | "f1" | "solved" | "exact"
    ) || word.starts_with("pass1")
        || word.starts_with("solve")
}

/// Words of keys about the evaluation itself, its spread, or what only the trainer needs.
fn is_upkeep(word: &str) -> bool {
    matches!(
        word,
        "loss"
            | "runtime"
            | "samples"
            | "steps"
            | "second"
            | "seconds"
            | "sec"
            | "time"
            | "epoch"
            | "length"
            | "len"
            | "tokens"
            | "kl"
            | "entropy"
            | "clip"
            | "clipped"
            | "lr"
            | "std"
            | "min"
            | "max"
            | "worst"
            | "count"
            | "num"
            | "n"
            | "turns"
            | "truncated"
            | "ratio"
            | "norm"
            | "frac"
            | "call"
            | "step"
            | "variance"
            | "zero"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank_of(key: &str) -> Option<Rank> {
        evaluation(key).map(|(rank, _)| rank)
    }

    #[test]
    fn evaluations_of_all_frameworks() {
        for key in ["eval/accuracy", "val-core/gsm8k/acc/mean@1", "val/success_rate", "eval_gsm8k_pass1"] {
            assert_eq!(rank_of(key), Some(Rank::Accuracy), "{key}");
        }
        for key in ["eval/reward", "eval_reward", "val/test_score/openai/gsm8k", "test_score/openai/gsm8k"] {
            assert_eq!(rank_of(key), Some(Rank::Reward), "{key}");
        }
        assert_eq!(rank_of("eval/format_rate"), Some(Rank::Other));
        for key in ["eval/loss", "eval_runtime", "eval/samples_per_second", "eval/completions/mean_length", "reward"] {
            assert_eq!(rank_of(key), None, "{key}");
        }
        assert_eq!(rank_of("val-aux/gsm8k/reward/std@8"), None);
    }

    #[test]
    fn a_plain_accuracy_is_recognised() {
        assert!(plain_accuracy("accuracy"));
        assert!(plain_accuracy("episode/success_rate"));
        assert!(!plain_accuracy("format_rate"));
        assert!(!plain_accuracy("answer_accuracy_std"));
    }
}
