//! Which keys say that they were measured on held-out tasks.

use super::score_words::{is_accuracy, is_score};
use super::table::{has_any, normal, words};
use super::task_sets::is_test_set;

/// True for a key that says that it was measured on held-out tasks, such as `eval/accuracy`.
pub fn is_held_out(key: &str) -> bool {
    held_out(&normal(key)).is_some()
}

/// True for a key whose prefix says that it was measured on the training's own responses, such as `train/accuracy`.
pub fn is_of_training(key: &str) -> bool {
    // The normal form has no such prefix any more.
    let prefix = key.split_once(['/', '_', '.']).map(|(prefix, _)| prefix);
    let is_train = |prefix: &str| prefix.eq_ignore_ascii_case("train") || prefix.eq_ignore_ascii_case("training");
    prefix.is_some_and(is_train) && !is_held_out(key)
}

/// Prefixes of own scripts, behind which only a known score is an evaluation.
const LOOSE: [&str; 20] = [
    "test_", "dev/", "dev_", "evaluation_", "validation_", "valid_", "held_out_", "held_out/", "held-out/", "holdout_",
    "holdout/", "heldout-", "benchmark/", "benchmarks/", "benchmark_", "bench/", "unseen_", "unseen/", "ood_", "ood/",
];

/// True for a key with such a prefix.
pub(super) fn is_loose(key: &str) -> bool {
    LOOSE.iter().any(|prefix| key.starts_with(prefix))
}

/// The part of the key behind the prefix that says "held out".
pub(super) fn held_out(key: &str) -> Option<String> {
    const PREFIXES: [&str; 15] = [
        "val-core/", "val-aux/", "eval/", "eval_", "eval-rollout/", "eval_rollout/", "evaluation/", "validation/",
        "val/", "val_", "valid/", "test/", "test_score/", "heldout_", "heldout/",
    ];
    // tunix names the mode behind the first part: `rewards/eval/score/mean`.
    if let Some((first, rest)) =
        key.split_once("/eval/").filter(|(first, rest)| !first.contains('/') && !rest.is_empty())
    {
        return Some(format!("{first}/{rest}"));
    }
    // The longest that fits, so that `eval_rollout/` is not taken for `eval_`.
    let fitting = PREFIXES.iter().chain(&LOOSE).filter(|prefix| key.starts_with(**prefix));
    let Some(prefix) = fitting.max_by_key(|prefix| prefix.len()) else {
        return is_benchmark(key).then(|| key.to_owned());
    };
    let rest = key.strip_prefix(prefix)?;
    let is_adjective = match *prefix {
        "valid_" => !is_plain_score(rest),
        "test_" => is_unit_test(rest),
        _ => false,
    };
    if is_adjective {
        return None;
    }
    // `test_score/{data}` names only the data: the score is in the prefix.
    let name = if *prefix == "test_score/" { format!("test_score/{rest}") } else { rest.to_owned() };
    (!name.is_empty()).then_some(name)
}

/// True for what follows `valid_` where that means validation: `valid_acc`, not `valid_action_rate`.
fn is_plain_score(rest: &str) -> bool {
    words(rest).iter().all(|word| is_accuracy(word) || is_score(word) || matches!(word.as_str(), "mean" | "avg"))
}

/// True for what follows `test_` where that means the tests of a program, which are its reward: `test_pass_rate`.
fn is_unit_test(rest: &str) -> bool {
    let words = words(rest);
    let has = |wanted: &[&str]| has_any(&words, wanted);
    has(&["passed", "passing", "passes", "failing", "case", "cases"])
        || (has(&["pass"]) && has(&["rate", "ratio", "frac", "fraction", "reward"]))
}

/// True for a score on a public test set on which nobody trains, `math500_acc` or `aime/avg@32`, or on the held-out part
/// of another, `gsm8k_test_acc`. Both say what was solved, and none that it was training.
fn is_benchmark(key: &str) -> bool {
    const PARTS: [&str; 5] = ["test", "val", "validation", "heldout", "holdout"];
    let words = words(key);
    let place = words.iter().position(|word| is_test_set(word) || PARTS.contains(&word.as_str()));
    let Some(place) = place.filter(|_| !has_any(&words, &["train", "training"])) else {
        return false;
    };
    let is_solved = |word: &String| is_accuracy(word) || word == "avg" || (word == "score");
    let (_, after) = words.split_at(place + 1);
    after.iter().any(is_solved) && !is_unit_test(&after.join("_"))
}
