//! Which keys hold a score on held-out tasks, and which of them is the primary metric.

use super::component::{RewardKind, is_of_preferences, reward_kind};
use super::held_out::{held_out, is_loose};
use super::score_words::{is_accuracy, is_error_score, is_fault, is_score, is_upkeep, says_percent};
use super::table::{has_any, words};
use super::task_sets::is_task_set;

/// How well an evaluation metric measures learning, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// The share of tasks solved.
    Accuracy,
    /// A reward or score of unknown make-up.
    Reward,
    /// The share of tasks solved by the best, or by most, of several tries: it saturates before the policy is good.
    Several,
    /// How much goes wrong: a share of tasks failed, an error, a perplexity. Less is better.
    Fault,
    /// Anything else of the evaluation; says nothing about the task by itself.
    Other,
}

/// What is asked in an evaluation: how many there were is no result.
const ASKED: [&str; 6] = ["episodes", "examples", "problems", "prompts", "questions", "tasks"];

/// Settings with which the answers of an evaluation are sampled, which rows of it may repeat.
const SAMPLING: [&str; 5] = ["min_p", "seed", "temperature", "top_k", "top_p"];

/// Rank of a key (in normal form) as an evaluation, its name, and whether it says to be held out; `None` when it
/// is no evaluation.
pub(super) fn evaluation(key: &str) -> Option<(Rank, String)> {
    let name = held_out(key)?;
    let measured = measured(key, &name);
    let words = words(measured);
    if name.rsplit('/').next().is_some_and(|last| SAMPLING.contains(&last)) {
        return None;
    }
    // `solved_frac` is one of the words that decide, `frac` alone tells nothing.
    if words.is_empty() || is_of_preferences(&name) || (words.iter().any(|word| is_upkeep(word)) && !task_share(&name))
    {
        return None;
    }
    let rank = rank(&words, &name, measured);
    let counted = name.rsplit('/').next().and_then(|last| last.strip_prefix("total_"));
    let is_count = counted.is_some_and(|counted| ASKED.contains(&counted));
    let is_known = rank != Rank::Other || !(is_loose(key) || is_count);
    is_known.then_some((rank, name))
}

/// The part of a name that says what was measured: verl puts the name of the data before it, which may be any
/// (`val-core/char_count/reward/mean@3`).
fn measured<'n>(key: &str, name: &'n str) -> &'n str {
    let is_of_verl = key.starts_with("val-core/") || key.starts_with("val-aux/");
    let Some((before, _)) = name.rsplit_once('@').filter(|_| is_of_verl) else { return name };
    // The metric and its statistic.
    let start = before.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
    name.get(start..).unwrap_or(name)
}

/// True for a share of answers that are right, by the last part of a name alone: `answer_rate`, `frac_correct`.
///
/// A word more would make it another share: `no_answer_rate`, `answer_parse_rate`.
pub(super) fn task_share(name: &str) -> bool {
    const SOLVED: [&str; 7] = ["answer", "solve", "solved", "win", "wins", "correct", "exact"];
    named_share(name, &SOLVED)
}

/// True for a share of answers in the form asked for, by the last part of a name alone: `format_rate`.
pub(super) fn form_share(name: &str) -> bool {
    named_share(name, &["format", "formatted"])
}

/// True where the last part of a name is one of some words, a word for a share, and at most one for a mean.
fn named_share(name: &str, wanted: &[&str]) -> bool {
    let name = name.strip_suffix("/mean").unwrap_or(name);
    let own = words(name.rsplit('/').next().unwrap_or(name));
    let count = |list: &[&str]| own.iter().filter(|word| list.contains(&word.as_str())).count();
    let (named, share, mean) = (count(wanted), count(&["rate", "frac", "fraction"]), count(&["mean", "avg"]));
    (named, share) == (1, 1) && mean <= 1 && own.len() == 2 + mean
}

/// Rank of a key that does not say where it was measured: only a plain accuracy counts (`accuracy`,
/// `success_rate`, `Percentage of correct examples`), and only after every key that says so.
pub(super) fn plain_accuracy(key: &str) -> bool {
    let words = words(key);
    let measure = words.iter().any(|word| is_accuracy(word));
    // Without such a word `correct answers` is a number of them.
    let is_percentage = words.iter().any(|word| says_percent(word));
    let extra = |word: &String| {
        is_accuracy(word)
            || says_percent(word)
            || ["rate", "mean", "avg", "train", "training", "rollout", "episode", "at", "1"].contains(&word.as_str())
            || (is_percentage
                && (ASKED.contains(&word.as_str())
                    || matches!(word.as_str(), "of" | "answers" | "responses" | "samples")))
    };
    measure && words.iter().all(extra)
}

/// True for a score of retrieved lists of some length, which does not say where it was measured: `ndcg@10`.
pub(super) fn retrieval_score(key: &str) -> bool {
    let Some((score, cut)) = key.split_once('@') else { return false };
    matches!(score, "ndcg" | "recall" | "precision" | "mrr" | "map" | "hit" | "hr") && cut.parse::<u32>().is_ok()
}

/// True for a share of comparisons that were won, which does not say where: `win_rate`, `winrate_vs_sft`.
pub(super) fn win_rate(key: &str) -> bool {
    let words = words(key);
    let has = |wanted: &str| words.iter().any(|word| word == wanted);
    let is_known = |word: &String| {
        ["win", "rate", "winrate", "mean", "avg", "judge", "vs", "sft", "ref", "reference", "baseline"]
            .contains(&word.as_str())
    };
    (has("winrate") || (has("win") && has("rate"))) && words.iter().all(is_known)
}

/// True for the name of a highest value: the best one of a run so far, `best_accuracy`, or of several answers, `score/max`.
/// It cannot fall, or lies above what the policy does.
pub(super) fn is_highest(name: &str) -> bool {
    let words = words(name);
    let says_so = |word: Option<&String>| word.is_some_and(|word| matches!(word.as_str(), "best" | "max" | "peak"));
    says_so(words.first()) || says_so(words.last())
}

/// `measured` is the part of the name of which these are the words.
fn rank(words: &[String], name: &str, measured: &str) -> Rank {
    // How many errors there were depends on how many tasks there are.
    let is_count = has_any(words, &["count", "counts"]);
    if is_count || reward_kind(measured) == RewardKind::Form {
        return Rank::Other;
    }
    if of_several(words) {
        return Rank::Several;
    }
    if words.iter().any(|word| is_accuracy(word)) || task_share(name) {
        return Rank::Accuracy;
    }
    if words.iter().any(|word| is_error_score(word)) && !words.iter().any(|word| word == "reward") {
        return Rank::Fault;
    }
    // `avg@8` is the mean score of eight tries; `hit@10` a share of lists with what was looked for among the first ten.
    let is_counted = |word: &String| matches!(word.as_str(), "avg" | "hit" | "hits");
    let of_count = words.windows(2).any(|pair| pair.first().is_some_and(is_counted) && tries(pair) > 0);
    if of_count || words.iter().any(|word| is_score(word)) {
        return Rank::Reward;
    }
    if is_task_set(name) {
        return Rank::Accuracy;
    }
    if words.iter().any(|word| is_fault(word)) { Rank::Fault } else { Rank::Other }
}

/// True for `pass@8`, `pass_at_8`, `pass8`, `best@8` and `maj@8`, not for `pass@1`.
fn of_several(words: &[String]) -> bool {
    let joined = |word: &String| word.strip_prefix("pass").and_then(|k| k.parse::<u32>().ok()).is_some_and(|k| k > 1);
    let is_at = |word: &&String| *word != "at";
    let named: Vec<String> = words.iter().filter(is_at).cloned().collect();
    words.iter().any(joined)
        || named.windows(2).any(|pair| {
            pair.first().is_some_and(|word| matches!(word.as_str(), "pass" | "best" | "maj")) && tries(pair) > 1
        })
}

/// The number in the second of two words; 0 when it is no number.
fn tries(pair: &[String]) -> u32 {
    pair.get(1).and_then(|word| word.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::normal;

    fn rank_of(key: &str) -> Option<Rank> {
        evaluation(key).map(|(rank, _)| rank)
    }

    #[test]
    fn names_of_highest_values() {
        for name in ["best_validation_accuracy", "score/max", "accuracy_best", "peak_reward"] {
            assert!(is_highest(name), "{name}");
        }
        for name in ["final_validation_accuracy", "acc/best@8/mean", "maximum", "score/max_length/mean", ""] {
            assert!(!is_highest(name), "{name}");
        }
    }

    #[test]
    fn a_count_of_errors_is_no_measure() {
        assert_eq!(rank_of("val/verifier_error_counts"), Some(Rank::Other));
        assert_eq!(rank_of("val/error_rate"), Some(Rank::Fault));
    }

    #[test]
    fn the_name_of_verls_data_measures_nothing() {
        for data in ["char_count", "org/time_intervals", "zero_shot", "wer_bench", "language_table", "format_following"]
        {
            assert_eq!(rank_of(&format!("val-core/{data}/reward/mean@3")), Some(Rank::Reward), "{data}");
            assert_eq!(rank_of(&format!("val-core/{data}/acc/best@8/mean")), Some(Rank::Several), "{data}");
            assert_eq!(rank_of(&format!("val-aux/{data}/reward/std@3")), None, "{data}");
            assert_eq!(rank_of(&format!("val-aux/{data}/num_turns/mean@1")), None, "{data}");
        }
        assert_eq!(rank_of("val-aux/num_turns/mean"), None);
        assert_eq!(rank_of("val-aux/gsm8k/format_reward/mean@1"), Some(Rank::Other));
    }

    #[test]
    fn how_many_tasks_were_asked_is_no_evaluation() {
        assert_eq!(rank_of("test/env/all/total_episodes"), None);
        assert_eq!(rank_of("eval/total_profit"), Some(Rank::Other));
        assert_eq!(rank_of("eval/total_reward"), Some(Rank::Reward));
    }

    #[test]
    fn evaluations_of_all_frameworks() {
        for key in [
            "eval/accuracy", "val-core/gsm8k/acc/mean@1", "val/success_rate", "eval_gsm8k_pass1", "heldout_sr",
            "val_accuracies_avg",
        ] {
            assert_eq!(rank_of(key), Some(Rank::Accuracy), "{key}");
        }
        for key in [
            "eval/reward", "eval_reward", "eval/metricx_reward", "val/test_score/openai/gsm8k",
            "test_score/openai/gsm8k",
        ] {
            assert_eq!(rank_of(key), Some(Rank::Reward), "{key}");
        }
        assert_eq!(rank_of("eval/format_rate"), Some(Rank::Other));
        for key in [
            "eval/gsm8k", "eval_mmlu_pro", "val/aime24", "eval_answer_rate", "val/gsm8k/answer_rate/mean",
            "eval/solved_frac", "test/exact_frac", "eval/win_rate", "eval/winrate",
        ] {
            assert_eq!(rank_of(key), Some(Rank::Accuracy), "{key}");
        }
        for key in ["eval/cache_hit_rate", "eval/no_answer_rate", "eval/answer_parse_rate", "eval_answer"] {
            assert_eq!(rank_of(key), Some(Rank::Other), "{key}");
        }
        for key in ["eval/frac", "eval/truncated_frac", "eval/zero_answer_frac"] {
            assert_eq!(rank_of(key), None, "{key}");
        }
        for key in ["eval/error_rate", "val/wer", "eval/perplexity", "test/failure_rate", "eval/metricx_score_mean"] {
            assert_eq!(rank_of(key), Some(Rank::Fault), "{key}");
        }
        for key in ["eval/loss", "eval_runtime", "eval/samples_per_second", "eval/completions/mean_length", "reward"] {
            assert_eq!(rank_of(key), None, "{key}");
        }
        assert_eq!(rank_of("val-aux/gsm8k/reward/std@8"), None);
    }

    #[test]
    fn one_try_measures_more_than_the_best_of_several() {
        for key in ["eval/pass@1", "eval/aime/pass_at_1", "val/gsm8k/pass@1", "eval/eval_gsm8k_pass1"] {
            assert_eq!(rank_of(key), Some(Rank::Accuracy), "{key}");
        }
        for key in ["eval/all/pass_at_4", "val-core/aime/acc/best@8/mean", "eval/eval_gsm8k_pass4", "eval/aime/pass@16"]
        {
            assert_eq!(rank_of(key), Some(Rank::Several), "{key}");
        }
        for key in ["eval/aime/avg@32", "eval-rollout/reward", "rewards/eval/score/mean", "val_reward/mean"] {
            assert_eq!(rank_of(key), Some(Rank::Reward), "{key}");
        }
        for key in [
            "actor/eval/loss", "timing/eval/total", "eval/stop_rate", "val_reward/std", "eval/step",
            "eval/temperature", "eval/top_p",
        ] {
            assert_eq!(rank_of(key), None, "{key}");
        }
    }

    #[test]
    fn held_out_is_said_in_many_ways() {
        for key in [
            "test_acc", "dev_acc", "dev/f1", "holdout_accuracy", "held_out/accuracy", "valid_acc",
            "validation_accuracy", "math500_acc", "aime24/pass@1", "gsm8k_test_acc", "test_pass@1",
            "benchmarks/gpqa/accuracy", "benchmark/math_acc", "unseen_acc", "ood/accuracy",
        ] {
            assert_eq!(rank_of(key), Some(Rank::Accuracy), "{key}");
        }
        for key in [
            "test_reward", "test_mean_reward", "valid_score", "validation_reward", "aime/avg@32", "dev_chrf",
            "test_bleu4", "eval/rougeL", "eval_ndcg", "eval/ndcg@10", "eval/recall@10", "eval/mrr", "test/hit@10",
            "eval/hits@5",
        ] {
            assert_eq!(rank_of(&normal(key)), Some(Rank::Reward), "{key}");
        }
        for key in [
            "test_pass_rate", "test_cases_passed", "unit_test_pass_rate", "valid_action_rate", "valid_answer",
            "test_time", "aime_train_acc", "test_loss", "valid_format_reward", "device_memory", "latest_acc",
            "tests/acc", "benchmark/tokens_per_second", "bench/latency", "unseen_tokens", "ood_detector_loss",
        ] {
            assert_eq!(rank_of(key), None, "{key}");
        }
    }

    #[test]
    fn win_rates_say_nothing_else() {
        assert!(["win_rate", "winrate", "win_rate_vs_sft", "mean_win_rate"].iter().all(|key| win_rate(key)));
        assert!(!["elo/win_rate", "win", "winning_rate", "win_rate/games", "rate"].iter().any(|key| win_rate(key)));
    }

    #[test]
    fn rewards_of_pairs_are_no_evaluation() {
        for key in ["eval/rewards/accuracies", "eval_rewards/margins", "eval/rewards/chosen", "eval_rewards/rejected"] {
            assert_eq!(rank_of(key), None, "{key}");
        }
    }

    #[test]
    fn a_plain_accuracy_is_recognised() {
        assert!(plain_accuracy("accuracy"));
        assert!(plain_accuracy("episode/success_rate"));
        assert!(!plain_accuracy("format_rate"));
        assert!(!plain_accuracy("answer_accuracy_std"));
        assert!(["Percentage of correct examples", "percent_correct"].iter().all(|key| plain_accuracy(key)));
        for key in ["correct answers", "percentage of correct format", "percentage of examples"] {
            assert!(!plain_accuracy(key), "{key}");
        }
    }
}
