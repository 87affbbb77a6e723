//! What a reward function rewards, as far as its name tells.

use super::table::{Keys, words};

/// What a reward function rewards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RewardKind {
    /// The form of the answer: format, tags, length, language, style.
    Form,
    /// The task itself: a right answer.
    Task,
    /// Its name does not say. Never guessed from a word such as `check`.
    Unknown,
}

/// Words that name a form beyond doubt, matched at the start of a word (`xmlcount`, `formatted`).
const FORM: [&str; 8] = ["format", "xml", "tag", "language", "style", "length", "markdown", "boxed"];
/// Words that qualify either a form or a task, so that a task word beside them wins (`exact_int_match`, `json_accuracy`).
const WEAK_FORM: [&str; 11] =
    ["strict", "soft", "int", "len", "json", "syntax", "compilable", "compiles", "compiled", "parsable", "parseable"];
/// Words that name the task, at the start of a word.
const TASK: [&str; 6] = ["accura", "correct", "answer", "success", "solve", "verif"];
/// Words that name the task, whole.
const TASK_WHOLE: [&str; 8] = ["acc", "exact", "em", "f1", "pass", "passed", "match", "matches"];
/// Words of an answer that could be read, whether or not it is right: `parse_success`, `answer_parsed`.
const PARSED: [&str; 3] = ["parse", "parsed", "parsing"];
/// Words beside which it is nevertheless compared with the right one, at the start of a word.
const COMPARED: [&str; 4] = ["accura", "correct", "solve", "verif"];
/// What an answer is compared with, as two words.
const GROUND_TRUTH: [&str; 2] = ["ground", "truth"];
/// Words beside which a match is one of the form.
const PATTERN: [&str; 3] = ["pattern", "regex", "template"];

/// The kind of a reward function, from its name alone.
pub fn reward_kind(name: &str) -> RewardKind {
    let words = words(name);
    let any = |wanted: &[&str], test: fn(&str, &str) -> bool| {
        words.iter().any(|word| wanted.iter().any(|want| test(word, want)))
    };
    if any(&FORM, |word, want| word.starts_with(want)) {
        return RewardKind::Form;
    }
    let is_compared = GROUND_TRUTH.iter().all(|want| words.iter().any(|word| word == want));
    if !is_compared && any(&PATTERN, |word, want| word == want) {
        return RewardKind::Form;
    }
    let is_right = is_compared || any(&COMPARED, |word, want| word.starts_with(want));
    if any(&PARSED, |word, want| word == want) && !is_right && !any(&TASK_WHOLE, |word, want| word == want) {
        return RewardKind::Form;
    }
    if is_compared || any(&TASK, |word, want| word.starts_with(want)) || any(&TASK_WHOLE, |word, want| word == want) {
        return RewardKind::Task;
    }
    if any(&WEAK_FORM, |word, want| word == want) {
        return RewardKind::Form;
    }
    RewardKind::Unknown
}

/// The name of the reward function in a key (in normal form) that holds its mean, if it is such a key.
///
/// TRL writes `rewards/{f}/mean` (up to 0.16 and verifiers: `rewards/{f}`), verl forks `reward_extra_info/{f}` or
/// `reward_extra/{f}`, and plain loops `rewards/{f}_mean` or `reward/{f}`.
pub(super) fn component_name(key: &str) -> Option<&str> {
    let (prefix, rest) = key.split_once('/')?;
    // Forks of verl: `critic/answer_score/mean`, beside the total `critic/score/mean`.
    if let ("critic", Some(name)) = (prefix, rest.strip_suffix("_score/mean")) {
        return (reward_kind(name) != RewardKind::Unknown && is_function(name)).then_some(name);
    }
    if !matches!(prefix, "rewards" | "reward" | "reward_extra_info" | "reward_extra") {
        return None;
    }
    let name = match rest.strip_suffix("/mean") {
        Some(name) if !name.contains('/') => name,
        _ if rest.contains('/') => return None,
        _ => rest.strip_suffix("_mean").unwrap_or(rest),
    };
    (is_function(name) && !is_of_preferences(key)).then_some(name)
}

/// As [`component_name`]; besides, members of an object of rewards that has a total (`reward.format` beside `reward.total`).
pub(super) fn component_among<'k>(key: &'k str, keys: &Keys<'_>) -> Option<&'k str> {
    let of_object = || {
        let (prefix, name) = key.split_once('.').filter(|(prefix, _)| matches!(*prefix, "reward" | "rewards"))?;
        let is_part = is_function(name) && !name.contains(['.', '/']);
        (is_part && keys.contains_key(&format!("{prefix}.total"))).then_some(name)
    };
    component_name(key).or_else(of_object)
}

/// True for a key (in normal form) of training on pairs of answers (DPO): `rewards/accuracies` is the share of pairs whose
/// chosen answer has the larger implicit reward, and no quality of the policy.
pub(super) fn is_of_preferences(key: &str) -> bool {
    let parts = key.strip_prefix("rewards/");
    parts.is_some_and(|name| matches!(name, "accuracies" | "margins" | "chosen" | "rejected"))
}

/// The name of the reward function in a key (in normal form) that has no prefix and says itself that it is one:
/// `answer_reward`, `r1_accuracy_reward_func_mean`, `mean_answer_reward`. A name that does not tell what is rewarded may be a
/// total.
pub(super) fn plain_component(key: &str) -> Option<&str> {
    let name = without_mean(key);
    let has_end = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    let is_named = has_end(&["_reward_func", "_reward_fn"]);
    let is_reward = is_named || (has_end(&["_reward", "_rewards"]) && reward_kind(name) != RewardKind::Unknown);
    (is_reward && !name.contains('/') && is_function(name)).then_some(name)
}

/// A key without the word that says that it is a mean: of a loop that also prints single answers the mean counts.
pub(super) fn without_mean(key: &str) -> &str {
    let prefixes = ["mean_", "avg_", "average_"].iter().find_map(|mark| key.strip_prefix(mark));
    let suffixes = || ["_mean", "_avg", "_average"].iter().find_map(|mark| key.strip_suffix(mark));
    prefixes.or_else(suffixes).unwrap_or(key)
}

/// False for a statistic, a total, or another quantity beside the rewards: those are not reward functions.
pub(super) fn is_function(name: &str) -> bool {
    let own = words(name);
    let statistic = [
        "mean", "avg", "std", "max", "min", "sum", "total", "hist", "median", "count", "recent", "selected", "ratio",
        "kl", "advantage", "advantages",
    ];
    // Shares of what a judge or a checker did, beside what it found.
    let judging = ["failed", "failure", "eligible", "judged"];
    let other = |word: &String| statistic.contains(&word.as_str()) || judging.contains(&word.as_str());
    let total = matches!(name, "reward" | "score" | "rewards" | "scores" | "all" | "overall" | "raw" | "rlhf");
    !own.is_empty() && !own.iter().any(other) && !total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_form_from_task() {
        for name in
            ["xmlcount_reward_func", "format_exact", "strict_format", "int_reward_func", "length_bonus", "regex_match"]
        {
            assert_eq!(reward_kind(name), RewardKind::Form, "{name}");
        }
        for name in ["parse_success", "answer_parse_rate", "parsed"] {
            assert_eq!(reward_kind(name), RewardKind::Form, "{name}");
        }
        for name in [
            "parsed_accuracy", "correctness_reward_func", "answer_check", "exact_match", "pass_rate", "accuracy",
            "triggers_match_ground_truth",
        ] {
            assert_eq!(reward_kind(name), RewardKind::Task, "{name}");
        }
        for name in ["number_check", "hackable", "constant", "combined_reward", "system"] {
            assert_eq!(reward_kind(name), RewardKind::Unknown, "{name}");
        }
    }

    #[test]
    fn component_keys_of_all_versions() {
        assert_eq!(component_name("rewards/answer_check/mean"), Some("answer_check"));
        assert_eq!(component_name("rewards/answer_check/std"), None);
        assert_eq!(component_name("rewards/int_reward_func"), Some("int_reward_func"));
        assert_eq!(component_name("rewards/accuracy_mean"), Some("accuracy"));
        assert_eq!(component_name("rewards/accuracy_max"), None);
        assert_eq!(component_name("rewards/total_mean"), None);
        assert_eq!(component_name("rewards/mean"), None);
        assert_eq!(component_name("rewards/train/score/mean"), None);
        assert_eq!(component_name("rewards/reward_kl_penalty"), None);
        assert_eq!(component_name("rewards/advantage/mean"), None);
        assert_eq!(component_name("reward/format_error_ratio"), None, "a share of the answers");
        assert_eq!(component_name("reward_extra_info/format"), Some("format"));
        for key in ["rewards/accuracies", "rewards/margins", "rewards/chosen", "rewards/rejected"] {
            assert_eq!(component_name(key), None, "{key}: of pairs of answers");
        }
        assert_eq!(component_name("reward/selected_mean"), None, "the reward of what is trained on");
        assert_eq!(component_name("reward"), None);
        assert_eq!(component_name("critic/format_score/mean"), Some("format"));
        assert_eq!(component_name("critic/score/mean"), None);
        assert_eq!(component_name("reward/checker_failure_rate"), None);
        assert_eq!(component_name("critic/raw_score/mean"), None);
    }

    #[test]
    fn plain_names_of_reward_functions() {
        for name in ["format_reward", "answer_reward", "xml_tag_reward_func", "reward_movement_reward_func"] {
            assert_eq!(plain_component(name), Some(name), "{name}");
        }
        assert_eq!(plain_component("accuracy_reward_func_mean"), Some("accuracy_reward_func"));
        for key in ["total_reward", "movement_reward", "format_reward_std", "losses/format_reward", "reward"] {
            assert_eq!(plain_component(key), None, "{key}");
        }
    }
}
