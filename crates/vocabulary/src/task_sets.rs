//! Names of public sets of tasks, after which evaluations are named.

use super::generic::is_number;
use super::table::{has_any, words};

/// True for a set that nobody trains on: a score on it is an evaluation wherever it stands.
pub(super) fn is_test_set(word: &str) -> bool {
    TEST_SETS.contains(&word)
}

/// True for the name of a set of tasks and nothing else, such as `mmlu_pro`, `arc_challenge` or `gsm8k/test`: what is logged
/// under it is the share of them that was solved, if its values are shares.
pub(super) fn is_task_set(name: &str) -> bool {
    let words = words(name);
    let is_set = |word: &String| is_test_set(word) || SETS.contains(&word.as_str());
    let is_part = |word: &String| PARTS.contains(&word.as_str()) || is_number(word);
    words.iter().any(is_set) && words.iter().all(|word| is_set(word) || is_part(word))
}

/// True for a score on a set of general knowledge: it is evaluated to see what is forgotten, and is seldom what is trained.
pub(super) fn is_general_set(name: &str) -> bool {
    has_any(&words(name), &GENERAL)
}

/// True for a score on a set of a few dozen tasks, each of which moves it by two points or more: competitions of one year, such
/// as AIME (30 tasks), HMMT (30) and AMC (40).
pub(super) fn is_small_set(name: &str) -> bool {
    // Behind the name of the set stands the year, or nothing.
    words(name).iter().any(|word| SMALL.iter().any(|set| word.strip_prefix(*set).is_some_and(is_number)))
}

const SMALL: [&str; 3] = ["aime", "amc", "hmmt"];

const GENERAL: [&str; 10] =
    ["mmlu", "ifeval", "arc", "hellaswag", "winogrande", "truthfulqa", "boolq", "piqa", "bbh", "commonsenseqa"];

const TEST_SETS: [&str; 17] = [
    "aime", "aime24", "aime25", "aime2024", "aime2025", "amc", "amc23", "math500", "minerva", "olympiad",
    "olympiadbench", "gpqa", "mmlu", "humaneval", "livecodebench", "hmmt", "ifeval",
];

/// Sets with a part for training too.
const SETS: [&str; 41] = [
    "gsm8k", "gsm", "math", "svamp", "asdiv", "mawps", "multiarith", "aqua", "countdown", "geometry3k", "geo3k",
    "mathvista", "mathverse", "deepscaler", "mbpp", "apps", "taco", "codecontests", "codeforces", "swebench", "bird",
    "spider", "arc", "hellaswag", "winogrande", "truthfulqa", "boolq", "piqa", "bbh", "csqa", "commonsenseqa",
    "strategyqa", "hotpotqa", "triviaqa", "musique", "2wikimultihopqa", "squad", "alfworld", "webshop", "sokoban",
    "wordle",
];

/// Words for a part of a set.
const PARTS: [&str; 14] = [
    "test", "mean", "avg", "main", "all", "pro", "plus", "lite", "easy", "hard", "challenge", "diamond", "verified",
    "bench",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_a_few_dozen_tasks() {
        for name in ["aime24", "amc23", "HuggingFaceH4/aime_2024/acc", "hmmt", "aime2025/avg@32"] {
            assert!(is_small_set(name), "{name}");
        }
        for name in ["math500", "gsm8k", "accuracy", "amcs", "minerva"] {
            assert!(!is_small_set(name), "{name}");
        }
    }

    #[test]
    fn names_of_sets_and_of_other_things() {
        for name in ["gsm8k", "math_500", "mmlu_pro", "gpqa/diamond", "arc_challenge", "gsm8k/test", "AIME24"] {
            assert!(is_task_set(name), "{name}");
        }
        for name in ["gsm8k_length", "math_format", "500", "hard", "countdown_temperature", "reward"] {
            assert!(!is_task_set(name), "{name}");
        }
    }
}
