//! Settings that stand in the names of runs and in no file: a sweep is often a folder of logs named `lr_2e-5`, `lora_rank_16` or
//! `grpo-lambda0.25-b8`.
//!
//! A number with its word counts as a setting where two runs have the word with different values: what all names share tells
//! nothing, and what is in one name alone may be anything. A whole number at the end (`amber-sun-3`) counts runs, unless its word is
//! that of a setting, or the name is nothing but words of an ablation (`mu_3`). The size of a model (`7B`) is one too. The keys begin
//! with `run_name.`, so that they are told from those of a config; what the words of known settings stand for is for `diagnose` to
//! say.

use std::collections::BTreeMap;

use crate::setting_names::setting_key;
use rundown_run::{Config, ConfigValue, MONTHS, Run, without_mark};
use rundown_stats::ascending;

/// Words before a number that counts runs, or names a place within one.
const COUNTERS: [&str; 43] = [
    "array", "attempt", "checkpoint", "ckpt", "device", "epoch", "exp", "experiment", "fold", "gpu", "gpus", "id",
    "iter", "iteration", "job", "level", "log", "node", "nodes", "part", "phase", "pid", "rep", "repeat", "round",
    "rs", "run", "s", "sd", "seed", "slurm", "stage", "start", "step", "steps", "sweep", "task", "train", "trial",
    "try", "v", "version", "worker",
];
/// Algorithms: the number behind one counts runs (`grpo_12`).
const ALGORITHMS: [&str; 8] = ["dapo", "dpo", "grpo", "gspo", "ppo", "reinforce", "rloo", "sft"];
/// Families of models: the number behind one is its version.
const MODELS: [&str; 9] = ["deepseek", "gemma", "gpt", "llama", "mistral", "olmo", "phi", "qwen", "smollm"];
/// Words that mean little without one of [`MODIFIERS`] before them: `group_size_16`, `lora-rank-8`.
const INCOMPLETE: [&str; 15] = [
    "alpha", "coef", "coeff", "decay", "generations", "groups", "k", "len", "length", "norm", "p", "rank", "rate",
    "ratio", "size",
];
/// Words that belong to one of these: `lora_rank`, `group_size`. Any other word before it, as in `grpo-rank16`, is no part of the
/// setting's name.
const MODIFIERS: [&str; 17] = [
    "batch", "clip", "entropy", "grad", "group", "kl", "learning", "lora", "lr", "max", "min", "num", "prompt",
    "response", "top", "warmup", "weight",
];
/// Short words of names, and the keys of the settings that they stand for. A rank in a name is that of an adapter.
const SHORT: [(&str, &str); 5] =
    [("bs", "batch_size"), ("kl", "kl_coef"), ("lr", "learning_rate"), ("rank", "lora_rank"), ("temp", "temperature")];
/// Settings of at most about 1. Names often leave out what file names and trackers' names cannot hold: the sign of the exponent
/// (`lr5e5`) and the point (`beta05`).
const BELOW_ONE: [&str; 9] =
    ["beta", "entropy_coef", "gamma", "kl_coef", "lam", "learning_rate", "temperature", "top_p", "weight_decay"];
/// The key of the size of a model, in billions of parameters, which stands before its word: `grpo-7B`. Of `30B-A3B` the first counts.
const MODEL_SIZE: &str = "model_size";
/// From so many digits on a whole number is a time stamp or an id.
const STAMP_DIGITS: usize = 6;

/// Adds to each run the settings that its name states, where those of the others show that they are settings.
pub fn add(runs: &mut [Run]) {
    let mut of_words: BTreeMap<String, Vec<(usize, NameNumber)>> = BTreeMap::new();
    for (place, run) in runs.iter().enumerate() {
        for (word, number) in numbers(&run.name) {
            of_words.entry(word).or_default().push((place, number));
        }
    }
    for (word, numbers) in of_words {
        // In `advice-5/6` and `advice-1/6` they number the members of a group. `kl0.1/1` is a setting before a seed.
        let total = numbers.first().and_then(|(_, number)| number.total);
        let is_member = |value: f64| value.fract() == 0.0 && value >= 1.0 && Some(value) <= total;
        if numbers.iter().all(|(_, number)| number.total == total && number.value.is_some_and(is_member)) {
            continue;
        }
        // Beside `gamma2.0` the number of `gamma-20.0` is a negative one.
        let is_sign = numbers.iter().any(|(_, number)| number.joint.is_alphabetic());
        let value = |(place, number): (usize, NameNumber)| {
            let sign = if is_sign && number.joint == '-' { -1.0 } else { 1.0 };
            Some((place, sign * number.value?))
        };
        // A word that counts somewhere (`amber-01`) counts everywhere (`amber-12`).
        let Some(values) = numbers.into_iter().map(value).collect::<Option<Vec<_>>>() else { continue };
        let is_in_config =
            |(place, value): &(usize, f64)| runs.get(*place).is_some_and(|run| holds(&run.config, &word, *value));
        if !is_setting(&values) || values.iter().all(is_in_config) {
            continue;
        }
        let key = format!("{}{word}", Config::OF_NAME);
        for (place, value) in values {
            let run = runs.get_mut(place).filter(|run| run.config.iter().all(|(known, _)| last_part(known) != word));
            if let Some(run) = run {
                run.config.insert(key.as_str(), ConfigValue::Number(value));
            }
        }
    }
}

fn last_part(key: &str) -> &str {
    key.rsplit(['.', '/']).next().unwrap_or(key)
}

/// True for values that were chosen: two of them differ, no run has two, and they do not just count the runs.
fn is_setting(values: &[(usize, f64)]) -> bool {
    // They come in the order of the runs.
    let has_one_each = values.is_sorted_by(|(run, _), (next, _)| run < next);
    let mut different = ascending(values.iter().map(|(_, value)| *value));
    different.dedup();
    let counts_from = |first: f64| different.iter().enumerate().all(|(place, value)| *value == first + place as f64);
    has_one_each && different.len() > 1 && !counts_from(0.0) && !counts_from(1.0)
}

/// True where a config has this number, or a model of this size.
fn holds(config: &Config, word: &str, number: f64) -> bool {
    let size = (word == MODEL_SIZE).then(|| format!("{number}b"));
    let names_size = |text: &str| size.as_ref().is_some_and(|size| text.to_lowercase().contains(size));
    config.iter().any(|(_, value)| match value {
        ConfigValue::Number(value) => *value == number,
        ConfigValue::Text(text) => text.trim().parse() == Ok(number) || names_size(text),
        _ => false,
    })
}

/// A number of a name.
struct NameNumber {
    /// `None` for one that is no value, such as one filled up with zeros.
    value: Option<f64>,
    /// The character before it: the last of its word, or what separates the two.
    joint: char,
    /// The whole number behind a slash at the end of the name.
    total: Option<f64>,
}

/// The numbers of a name, each with the key of its word.
fn numbers(name: &str) -> Vec<(String, NameNumber)> {
    let name = without_mark(name);
    let mut found = Vec::new();
    if name.split('-').zip(name.split('-').skip(1)).any(ends_uuid) {
        return found;
    }
    let mut rest = name;
    // Words since the last number, the last one at the end.
    let mut words: Vec<&str> = Vec::new();
    while let Some(next) = rest.chars().next() {
        if next.is_ascii_digit() {
            let number = rest.get(..number_length(rest)).unwrap_or(rest);
            let before = name.get(..name.len() - rest.len()).unwrap_or_default();
            rest = rest.get(number.len()..).unwrap_or_default();
            let tail = letters(rest);
            if is_model_size(before, number, tail, rest) {
                let size = NameNumber { value: number.parse().ok(), joint: ' ', total: None };
                let is_first = found.iter().all(|(word, _)| word != MODEL_SIZE);
                found.extend(is_first.then(|| (MODEL_SIZE.to_owned(), size)));
            } else if tail.is_empty() {
                let is_no_value = is_stamp(number) || begins_date(number, rest);
                let value = number.parse().ok().filter(|value: &f64| !is_no_value && value.is_finite());
                let may_count = rest.is_empty() && is_whole(number) && may_precede_count(before);
                let joint = before.chars().next_back().unwrap_or(' ');
                let total = rest.strip_prefix('/').filter(|total| is_whole(total)).and_then(|total| total.parse().ok());
                found.extend(key_of(&words).map(|(word, is_known)| {
                    let small = || small_value(number, joint).filter(|_| BELOW_ONE.contains(&word.as_str()));
                    let value = small().or_else(|| value.filter(|_| is_known || !may_count));
                    (word, NameNumber { value, joint, total })
                }));
            }
            // `2x8` and `3fa9` are no numbers, and their letters no words.
            rest = rest.trim_start_matches(|next: char| !tail.is_empty() && next.is_ascii_alphanumeric());
            words.clear();
        } else if next.is_alphabetic() {
            let word = letters(rest);
            words.push(word);
            rest = rest.get(word.len()..).unwrap_or_default();
        } else {
            let after = rest.get(next.len_utf8()..).unwrap_or_default();
            // One separator stands between a word and its number.
            if !matches!(next, '_' | '-' | '=' | ' ' | ':') || !after.starts_with(|next: char| next.is_alphanumeric()) {
                words.clear();
            }
            rest = after;
        }
    }
    found
}

/// True for the parameters of a model in billions: `7B`, and `7b` where no letter stands before it.
fn is_model_size(before: &str, number: &str, tail: &str, rest: &str) -> bool {
    let is_word = match tail {
        "B" => true,
        "b" => !before.ends_with(char::is_alphanumeric),
        _ => false,
    };
    let is_whole_word = rest.strip_prefix(tail).is_some_and(|behind| !behind.starts_with(char::is_alphanumeric));
    is_word && is_whole_word && !is_stamp(number)
}

/// True where a number at the end, behind this text, may count runs: a separator stands before it, as in the names that trackers and
/// schedulers give. Not where the text is only words joined by `_`, as folders of an ablation are named (`mu_3`).
fn may_precede_count(before: &str) -> bool {
    let is_ablation = before.chars().all(|letter| letter.is_alphabetic() || letter == '_');
    before.ends_with(['-', '_', ' ']) && !is_ablation
}

/// The last two parts of a UUID: other parts of it look like a word with its number. A time may have as many digits as the last.
fn ends_uuid((before, last): (&str, &str)) -> bool {
    let is_part = |part: &str, length| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_part(before, 4) && is_part(last, 12)
}

/// The letters at the start of a text.
fn letters(text: &str) -> &str {
    let end = text.find(|next: char| !next.is_alphabetic()).unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}

/// Length of the number at the start of a text, as in `16`, `0.25` and `1e-6`.
fn number_length(text: &str) -> usize {
    let digits = |from: usize| text.bytes().skip(from).take_while(u8::is_ascii_digit).count();
    let mut length = digits(0);
    if text.get(length..).is_some_and(|rest| rest.starts_with('.')) && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    let exponent = text.get(length..).unwrap_or_default();
    let sign = exponent.get(1..).is_some_and(|rest| rest.starts_with(['-', '+']));
    let before = 1 + usize::from(sign);
    if exponent.starts_with(['e', 'E']) && digits(length + before) > 0 {
        length += before + digits(length + before);
    }
    length
}

/// What a number right behind the name of a small setting stands for where a sign or a point was left out: `5e5` for 5e-5 and `05`
/// for 0.5; `None` for any other number.
fn small_value(number: &str, joint: char) -> Option<f64> {
    if let Some((digits, exponent)) = number.split_once(['e', 'E']) {
        return format!("{digits}e-{exponent}").parse().ok().filter(|_| is_whole(exponent));
    }
    let decimals = number.strip_prefix('0').filter(|decimals| !decimals.is_empty() && is_whole(decimals))?;
    format!("0.{decimals}").parse().ok().filter(|_| joint.is_alphabetic())
}

fn is_whole(number: &str) -> bool {
    number.bytes().all(|byte| byte.is_ascii_digit())
}

/// A month and a day: `11-17`, or `1117`; earlier months begin with a zero. 1024 is more often a size.
fn begins_date(number: &str, rest: &str) -> bool {
    let next = rest.strip_prefix(['-', '_']).unwrap_or_default();
    let behind = next.trim_start_matches(|next: char| next.is_ascii_digit());
    let has_day = next.len() - behind.len() == 2 && letters(behind).is_empty();
    let whole: u32 = number.parse().unwrap_or(0);
    let is_day = (10..=12).contains(&(whole / 100)) && (1..=31).contains(&(whole % 100)) && whole != 1024;
    has_day && (1..=12).contains(&whole) || is_day
}

/// A date, a year, an id, or a number that is filled up with zeros.
fn is_stamp(number: &str) -> bool {
    let is_year = number.len() == 4 && (number.starts_with("19") || number.starts_with("20"));
    is_whole(number) && (is_year || number.len() >= STAMP_DIGITS || number.len() > 1 && number.starts_with('0'))
}

/// The key of the setting that the words before a number name, and whether it is known as one.
fn key_of(words: &[&str]) -> Option<(String, bool)> {
    let (last, before) = words.split_last()?;
    let last = last.to_lowercase();
    let is_month = MONTHS.iter().any(|month| month.eq_ignore_ascii_case(&last));
    if is_month || [&COUNTERS[..], &MODELS, &ALGORITHMS].iter().any(|words| words.contains(&last.as_str())) {
        return None;
    }
    let before = before.last().map(|before| before.to_lowercase()).unwrap_or_default();
    let joined = format!("{before}_{last}");
    if INCOMPLETE.contains(&last.as_str()) && MODIFIERS.contains(&before.as_str()) {
        return Some((joined, true));
    }
    if let Some((_, key)) = SHORT.iter().find(|(short, _)| *short == last) {
        return Some(((*key).to_owned(), true));
    }
    let is_known = [&joined, &last].into_iter().any(|name| setting_key(name).is_some());
    Some((last, is_known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(name: &str) -> String {
        let numbers = numbers(name);
        let values = numbers.iter().filter_map(|(word, number)| Some(format!("{word} {}", number.value?)));
        values.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn numbers_stand_behind_their_words() {
        for (name, expected) in [
            ("lr_2e-5", "learning_rate 0.00002"),
            ("lr-1e-4-b8", "learning_rate 0.0001, b 8"),
            ("lora_rank_128", "lora_rank 128"),
            ("rank16", "lora_rank 16"),
            ("grpo-rank16", "lora_rank 16"),
            ("num_groups_16", "num_groups 16"),
            ("mu_2", "mu 2"),
            ("lr_1e-5-202511171121", "learning_rate 0.00001"),
            ("lr2e-5-r64-40", "learning_rate 0.00002, r 64"),
            ("grpo-bs1024_16gpu", "batch_size 1024"),
            ("grpo-grad_accum-4", "accum 4"),
            ("grpo-mu2", "mu 2"),
            ("grpo-mu_2-b8", "mu 2, b 8"),
            ("group_size_16", "group_size 16"),
            ("grpo_lambda0.25", "lambda 0.25"),
            ("w6_temp0.4_r32_b2", "w 6, temperature 0.4, r 32, b 2"),
            ("beta=0.04 lr=1e-6", "beta 0.04, learning_rate 0.000001"),
            ("crpo-sp-p1-b8-gamma2.0-lam1.0-01161659", "p 1, b 8, gamma 2, lam 1"),
            ("kl0.05 (6wdskn95)", "kl_coef 0.05"),
            ("lr5e5_beta05", "learning_rate 0.00005, beta 0.5"),
            ("kl001_temp1_lr_1e4", "kl_coef 0.01, temperature 1, learning_rate 0.0001"),
            ("cap1e3_lr1e+2", "cap 1000, learning_rate 100"),
            ("grpo0.5B-gsm8k-b32-r4", "model_size 0.5, b 32, r 4"),
            ("Qwen2.5-7B", "model_size 7"),
            ("qwen2.5-1.5b-lr1e-6", "model_size 1.5, learning_rate 0.000001"),
            ("7B", "model_size 7"),
            ("Qwen3-30B-A3B", "model_size 30"),
        ] {
            assert_eq!(said(name), expected, "{name}");
        }
    }

    #[test]
    fn counters_times_and_ids_are_no_settings() {
        for name in [
            "seed3",
            "run-12",
            "v2",
            "step_100",
            "sweep-01",
            "amber-sun-3",
            "CartPole-12",
            "grpo_11-17",
            "grpo_1117",
            "slurm-2631",
            "train_4711",
            "Jun17_12-30-45_host",
            "2025-06-17",
            "aime2024",
            "gsm8k",
            "qwen05b",
            "amber-e29b-7B2",
            "grpo_12",
            "bs2x8",
            "a-550e8400-e29b-41d4-a716-446655440000",
            "20250617T112133",
            "17",
            "plain",
            "é",
            "",
        ] {
            assert_eq!(said(name), "", "{name}");
        }
    }

    fn runs(names: &[&str]) -> Vec<Run> {
        names.iter().map(|name| Run { name: (*name).to_owned(), ..Run::default() }).collect()
    }

    fn settings(runs: &mut [Run]) -> Vec<String> {
        add(runs);
        let of =
            |run: &Run| run.config.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ");
        runs.iter().map(of).collect()
    }

    #[test]
    fn a_word_with_different_values_is_a_setting() {
        let mut sweep = runs(&["qwen2.5-lr_2e-5", "qwen2.5-lr_1e-6", "qwen2.5-mu_3", "baseline"]);
        let expected = ["run_name.learning_rate=2e-5", "run_name.learning_rate=1e-6", "", ""];
        assert_eq!(settings(&mut sweep), expected);
        assert_eq!(settings(&mut sweep), expected, "once is enough");
        assert_eq!(settings(&mut runs(&["policy1", "policy2", "policy3"])), ["", "", ""], "these count");
        assert_eq!(settings(&mut runs(&["amber-08", "amber-12", "amber-15"])), ["", "", ""], "and so do these");
        assert_eq!(settings(&mut runs(&["fluent-river-12", "clear-river-57"])), ["", ""], "W&B counts its runs");
        assert_eq!(settings(&mut runs(&["ppo-advice-5/6", "ppo-advice-1/6"])), ["", ""], "members of a group");
        let before_seeds = settings(&mut runs(&["kl0.1/1", "kl0.5/1"]));
        assert_eq!(before_seeds, ["run_name.kl_coef=0.1", "run_name.kl_coef=0.5"]);
        assert_eq!(settings(&mut runs(&["policy8/0", "policy64/0"])), ["run_name.policy=8", "run_name.policy=64"]);
        let signed = settings(&mut runs(&["sp-gamma2.0-b8", "sp-gamma-20.0-b8"]));
        assert_eq!(signed, ["run_name.gamma=2", "run_name.gamma=-20"]);
        let rates = settings(&mut runs(&["lr-1e-4", "lr-1e-5"]));
        assert_eq!(rates, ["run_name.learning_rate=1e-4", "run_name.learning_rate=1e-5"]);
        assert_eq!(settings(&mut runs(&["policy8", "policy64"])), ["run_name.policy=8", "run_name.policy=64"]);
    }

    #[test]
    fn what_the_config_says_is_not_said_again() {
        let mut sweep = runs(&["beta0.04", "beta0.1"]);
        sweep.iter_mut().take(1).for_each(|run| run.config.insert("grpo.beta", ConfigValue::Number(0.04)));
        assert_eq!(settings(&mut sweep), ["grpo.beta=0.04", "run_name.beta=0.1"]);
        let mut sweep = runs(&["ppo-1.5B", "ppo-7B"]);
        for (run, model) in sweep.iter_mut().zip(["Qwen/Qwen2.5-1.5B", "Qwen/Qwen2.5-7B-Instruct"]) {
            run.config.insert("model", ConfigValue::Text(model.to_owned()));
        }
        assert_eq!(settings(&mut sweep), ["model=Qwen/Qwen2.5-1.5B", "model=Qwen/Qwen2.5-7B-Instruct"]);
        assert_eq!(settings(&mut runs(&["ppo-1.5B", "ppo-7B"])), ["run_name.model_size=1.5", "run_name.model_size=7"]);
        let mut sweep = runs(&["r8", "r32"]);
        for (run, rank) in sweep.iter_mut().zip([8.0, 32.0]) {
            run.config.insert("lora_r", ConfigValue::Number(rank));
        }
        assert_eq!(settings(&mut sweep), ["lora_r=8", "lora_r=32"]);
        let mut sweep = runs(&["cap1", "cap5"]);
        sweep.iter_mut().for_each(|run| run.config.insert("steps", ConfigValue::Number(1.0)));
        assert_eq!(settings(&mut sweep), ["run_name.cap=1 steps=1", "run_name.cap=5 steps=1"]);
    }
}
