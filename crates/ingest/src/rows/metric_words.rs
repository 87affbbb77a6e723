//! Words by which the name of a metric of a training is known, whatever tool wrote it: they tell rows of metrics from
//! other lines and lists with numbers. Which metric it is, is decided by the vocabulary.

use super::names::evaluation_in_name;
use rundown_stats::CompactSort as _;

/// Words that a name of a metric has; lower case, without their plural.
const METRIC_WORDS: [&str; 9] = ["loss", "reward", "return", "score", "kl", "entropy", "accuracy", "acc", "grad"];
/// Words of further metrics, which other text has as well.
const AMBIGUOUS_METRIC_WORDS: [&str; 9] =
    ["advantage", "lr", "learning", "clip", "length", "truncated", "prob", "logprob", "policy"];
/// Words of metrics that only a training has: results of models and of samples have scores and accuracies.
const TRAINING_WORDS: [&str; 6] = ["loss", "reward", "kl", "entropy", "grad", "advantage"];
/// Words that tell a curve over steps from the values of samples.
const CURVE_WORDS: [&str; 5] = ["curve", "history", "trace", "train", "training"];
/// Words of scores of an evaluation that are not among [`METRIC_WORDS`].
const SCORE_WORDS: [&str; 6] = ["em", "exact", "f1", "pass", "solved", "success"];
/// Words of settings in names with the word of a metric.
const SETTING_WORDS: [&str; 7] = ["coef", "coefficient", "penalty", "scale", "target", "threshold", "weight"];
/// Words of a number over many samples; lower case.
const SUMMARIES: [&str; 6] = ["percentage", "percent", "mean", "average", "avg", "correct"];
/// Words of files that hold metrics of any kind, or those of one part of a training.
const RECORDS: [&str; 14] = [
    "data", "episode", "format", "gradient", "log", "metric", "norm", "output", "progress", "rate", "record", "result",
    "stat", "step",
];
/// Words of the losses of a policy, and of its critic: trainings by reinforcement alone have both.
const POLICIES: [&str; 4] = ["act", "actor", "policy", "pg"];
const CRITICS: [&str; 4] = ["cri", "critic", "value", "vf"];
/// Names of metrics, and different words in them, that make a row by themselves.
const NAMES_OF_ROW: usize = 3;
const WORDS_OF_ROW: usize = 2;

/// True for a name with a word of a metric.
pub(crate) fn is_metric(name: &str) -> bool {
    word_of(name, &METRIC_WORDS).is_some()
}

/// True for a name with a word of a number over many samples.
pub(crate) fn is_summary(name: &str) -> bool {
    word_of(name, &SUMMARIES).is_some()
}

/// True for the best value so far of a metric: `new best eval_acc`.
pub(crate) fn is_best(name: &str) -> bool {
    word_of(name, &["best"]).is_some()
}

/// True for the name of a learning rate.
pub(crate) fn is_learning_rate(name: &str) -> bool {
    let is_word = |word: &str| word.eq_ignore_ascii_case("lr");
    name.contains("learning_rate") || name.split(|letter: char| !letter.is_ascii_alphanumeric()).any(is_word)
}

/// True for names that make a row of training metrics by themselves: three metrics, not all of the same word, unless they are
/// the losses of a policy and of its critic.
pub(crate) fn make_row<'n>(names: impl Iterator<Item = &'n str> + Clone) -> bool {
    let is_loss_of = |words: &[&'static str]| {
        names.clone().any(|name| word_of(name, &["loss"]).is_some() && word_of(name, words).is_some())
    };
    let words: Vec<&str> = names
        .clone()
        .filter_map(|name| word_of(name, &METRIC_WORDS).or_else(|| word_of(name, &AMBIGUOUS_METRIC_WORDS)))
        .collect();
    words.len() >= NAMES_OF_ROW && (distinct(words) >= WORDS_OF_ROW || (is_loss_of(&POLICIES) && is_loss_of(&CRITICS)))
}

/// True for names of which two are of metrics that only a training has.
pub(crate) fn are_of_training<'n>(names: impl Iterator<Item = &'n str>) -> bool {
    distinct(names.filter_map(|name| word_of(name, &TRAINING_WORDS)).collect()) >= WORDS_OF_ROW
}

/// True for a name of a metric that only a training has.
pub(crate) fn is_of_training(name: &str) -> bool {
    word_of(name, &TRAINING_WORDS).is_some()
}

/// True for the name of a metric of an update, which no sample has.
pub(crate) fn is_of_update(name: &str) -> bool {
    word_of(name, &["loss", "grad"]).is_some()
}

/// True for a name with the word of a reward.
pub(crate) fn is_reward(name: &str) -> bool {
    word_of(name, &["reward"]).is_some()
}

/// True for the name of a reward over many samples.
pub(crate) fn is_mean_reward(name: &str) -> bool {
    is_reward(name) && is_summary(name)
}

/// True for names of which two are of different metrics.
pub(crate) fn are_of_metrics<'n>(names: impl Iterator<Item = &'n str>) -> bool {
    distinct(names.filter_map(|name| word_of(name, &METRIC_WORDS)).collect()) >= WORDS_OF_ROW
}

/// True for a name of a curve of a metric that only a training has, such as `reward_history`.
pub(crate) fn is_curve(name: &str) -> bool {
    is_of_training(name) && word_of(name, &CURVE_WORDS).is_some()
}

/// True for a name of a curve, of whatever metric: `eval_curve`, `history`.
pub(crate) fn names_curve(name: &str) -> bool {
    word_of(name, &["curve", "history"]).is_some()
}

/// True for a name with a word of a metric, or of a score of an evaluation.
pub(crate) fn is_score(name: &str) -> bool {
    is_metric(name) || word_of(name, &SCORE_WORDS).is_some()
}

/// True for a name with a word of what is set for a metric, such as its target.
pub(crate) fn is_of_setting(name: &str) -> bool {
    word_of(name, &SETTING_WORDS).is_some()
}

/// True for a name of nothing but words of metrics and of what is kept of them, such as `eval_results`: it says what a
/// file holds, and not of which run.
pub(crate) fn is_kind_of_metrics(name: &str) -> bool {
    let known = |word: &str| {
        [&METRIC_WORDS[..], &AMBIGUOUS_METRIC_WORDS, &CURVE_WORDS, &SUMMARIES, &RECORDS]
            .iter()
            .any(|words| word_of(word, words).is_some())
            || evaluation_in_name(word).is_some()
    };
    let mut words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    words.peek().is_some() && words.all(known)
}

fn distinct(mut words: Vec<&str>) -> usize {
    words.compact_sort_by_key(|word| *word);
    words.dedup();
    words.len()
}

fn word_of(name: &str, words: &[&'static str]) -> Option<&'static str> {
    name.split(|c: char| !c.is_alphanumeric()).find_map(|word| {
        let is_word = |wanted: &str| {
            let plurals = ["", "s", "es"].into_iter();
            plurals.filter_map(|end| word.strip_suffix(end)).any(|one| one.eq_ignore_ascii_case(wanted))
        };
        words.iter().copied().find(|wanted| is_word(wanted))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_say_what_they_hold_or_of_which_run() {
        for kind in ["rewards", "eval_results", "losses", "grad-norm", "Training_Metrics", "val.accuracy"] {
            assert!(is_kind_of_metrics(kind), "{kind}");
        }
        for run in ["grpo", "rewards_grpo", "loss_seed1", "rewards_2", "baseline", "", "_"] {
            assert!(!is_kind_of_metrics(run), "{run}");
        }
    }

    #[test]
    fn rows_of_metrics_are_known_by_words_in_their_names() {
        assert!(make_row(["rollout/raw_reward", "rollout/response_lengths", "rollout/log_probs"].into_iter()));
        assert!(make_row(["Reward", "Seq. Length", "Max. Off-Policy Level"].into_iter()));
        assert!(!make_row(["format_reward", "answer_reward", "reward"].into_iter()), "rewards of a sample");
        assert!(!make_row(["PASS", "FLAG", "QUESTION", "loss"].into_iter()));
        assert!(make_row(["step", "act_loss", "cri_loss", "unsuper_loss"].into_iter()));
        assert!(!make_row(["box_loss", "cls_loss", "value_loss"].into_iter()), "parts of one loss");
    }

    #[test]
    fn results_of_models_are_of_no_training() {
        assert!(are_of_training(["rewards", "kl"].into_iter()));
        assert!(!are_of_training(["accuracy", "score", "reward"].into_iter()));
    }

    #[test]
    fn words_are_whole_and_may_be_plural() {
        assert!(is_metric("Mean Rewards") && is_metric("losses") && is_metric("loss") && is_metric("grad_norm"));
        assert!(!is_metric("glossary") && !is_metric("level"));
        assert!(is_curve("reward_curve") && is_curve("training_losses") && !is_curve("rewards") && !is_curve("train"));
        assert!(is_summary("Percentage of correct examples") && !is_summary("meaning"));
    }
}
