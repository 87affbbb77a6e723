//! Settings of a training as JSON under a name of their own, such as `ppo_grpo_v2.json`, `train_args.json` or `seed3.json`.
//!
//! A project has much other JSON, and results name settings beside their numbers: only an object of nothing but single
//! values is read, of which several are settings of a training and none is a result.

use std::borrow::Cow;

use super::MIN_SETTINGS;
use crate::budget::SHORT_HEAD;
use crate::formats::json_document::is_run;
use crate::path;
use crate::rows::metric_words;
use crate::rows::names::{CONFIG_KEYS, evaluation_in_name, is_step_name};
use crate::setting_names::{is_also_metric, is_no_metric, setting_key};
use crate::syntax::json::Json;
use rundown_stats::CompactCollect as _;

/// Settings that evaluations, and files for the use of a model such as `generation_config.json`, have as well.
const OF_ANY_USE: [&str; 11] = [
    "batch_size", "max_completion_length", "max_new_tokens", "max_prompt_length", "max_seq_length", "num_generations",
    "per_device_eval_batch_size", "seed", "temperature", "top_k", "top_p",
];
/// Words in the names of files that hold something else, settings among it: results, and settings of no run.
const OTHER_FILES: [&str; 24] = [
    "benchmark", "benchmarks", "best", "default", "defaults", "eval", "evals", "evaluation", "example", "examples",
    "grid", "metrics", "optuna", "report", "result", "results", "schema", "score", "scores", "search", "study",
    "summary", "sweep", "template",
];
/// Words of what is set, in names with the word of a metric or an evaluation: `num_return_sequences`, `val_split`.
const SET_WORDS: [&str; 5] = ["num", "size", "split", "steps", "temperature"];
/// Names of steps that are planned where no metric stands beside them.
const PLANS: [&str; 5] = ["iterations", "steps", "timesteps", "total_timesteps", "updates"];

/// True for a file of JSON that holds the settings of a training and nothing else.
pub(super) fn is_settings(file: &str, head: &[u8]) -> bool {
    // Of a longer file, which is none of settings, the end is not known here.
    if head.len() >= SHORT_HEAD || has_word_of(path::stem(file), &OTHER_FILES) {
        return false;
    }
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let Ok(Json::Object(members)) = Json::parse(head) else { return false };
    let members: Vec<(String, Json)> = members.into_iter().compact_collect();
    // What a script exported from a tracker is a run, also without a history.
    if is_run(&members) {
        return false;
    }
    let tree = without_sections(Json::Object(members.into_iter().compact_collect()));
    let Json::Object(settings) = tree else { return false };
    let is_of_training = |key: &Cow<'_, str>| {
        let key: &str = key;
        (is_no_metric(key) || is_also_metric(key)) && !OF_ANY_USE.contains(&key)
    };
    let keys = settings.keys().filter_map(|name| setting_key(name));
    let known: Vec<Cow<'_, str>> = keys.filter(is_of_training).compact_collect();
    known.len() >= MIN_SETTINGS
        && known.iter().any(|key| is_no_metric(key))
        && settings.iter().all(|(name, value)| is_single(value) && !is_result(name, value))
}

/// The object with the members of its sections as its own.
pub(super) fn without_sections(tree: Json) -> Json {
    let Json::Object(mut members) = tree else { return Json::default() };
    for section in CONFIG_KEYS {
        match members.remove(section) {
            Some(Json::Object(inner)) => members.extend(inner),
            Some(other) => {
                members.insert(section.to_owned(), other);
            }
            None => {}
        }
    }
    Json::Object(members)
}

/// True for a value that one setting has: no object, and no list but one of names.
fn is_single(value: &Json) -> bool {
    match value {
        Json::Object(_) => false,
        Json::List(items) => items.iter().all(|item| matches!(item, Json::Text(_))),
        _ => true,
    }
}

/// True for a number that a training or an evaluation came to, such as its step or a score.
fn is_result(name: &str, value: &Json) -> bool {
    let is_share = match value {
        Json::Number(number) => number.fract() != 0.0,
        // As people write it: `"72.5%"`.
        Json::Text(text) if text.trim_end_matches('%').parse::<f64>().is_ok() => true,
        _ => return false,
    };
    let is_set = setting_key(name).is_some()
        || metric_words::is_of_setting(name)
        || has_word_of(name, &SET_WORDS)
        || PLANS.contains(&name);
    !is_set
        && (is_step_name(name)
            || matches!(name, "epoch" | "episode")
            || metric_words::is_score(name)
            || has_word_of(name, &["best", "final", "last"])
            || (is_share && evaluation_in_name(name).is_some()))
}

fn has_word_of(name: &str, words: &[&str]) -> bool {
    let mut all = name.split(|letter: char| !letter.is_alphanumeric());
    all.any(|word| words.iter().any(|known| known.eq_ignore_ascii_case(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAT: &str = r#"{"model_name": "Qwen/Qwen3-0.6B", "learning_rate": 1e-06, "num_generations": 8, "max_steps": 60,
        "beta": 0.04, "val_split": 0.1, "eval_steps": 20, "target_modules": ["q_proj"], "bf16": true, "resume": null}"#;

    #[test]
    fn an_object_of_settings_is_read_whatever_its_name_is() {
        let nested = r#"{"config": {"lr": 1e-5, "epochs": 3, "gamma": 0.99, "grad_clip": 0.5}, "commit": "abc"}"#;
        for (file, text) in [
            ("a/ppo_grpo_v2.json", FLAT),
            ("run_manifest.json", FLAT),
            ("hparams_seed3.json", nested),
            (
                "train_args.json",
                r#"{"hyperparameters": {"lr": 1e-5, "ppo_epochs": 4, "clip_eps": 0.2}, "total_timesteps": 1e6}"#,
            ),
            ("x.json", format!("\u{feff}{FLAT}\n").as_str()),
        ] {
            assert!(is_settings(file, text.as_bytes()), "{file}");
        }
        let tree = without_sections(Json::parse(nested.as_bytes()).unwrap());
        let Json::Object(members) = tree else { panic!() };
        assert_eq!(members.keys().collect::<Vec<_>>(), ["commit", "epochs", "gamma", "grad_clip", "lr"]);
    }

    #[test]
    fn results_and_files_of_other_kinds_are_none() {
        let with = |member: &str| FLAT.replacen('{', &format!("{{{member}, "), 1);
        for member in [
            r#""accuracy": 0.5"#,
            r#""final_reward": 1"#,
            r#""step": 10"#,
            r#""pass@1": "50.5%""#,
            r#""test_gsm8k": 0.5"#,
            r#""rewards": [0.1, 0.2]"#,
            r#""betas": [0.9, 0.95]"#,
            r#""history": [{"a": 1}]"#,
            r#""model": {"layers": 2}"#,
            r#""results": {"gsm8k": 0.5}"#,
            r#""config": {"lr": 1}, "name": "a""#,
        ] {
            assert!(!is_settings("a.json", with(member).as_bytes()), "{member}");
        }
        let generation =
            r#"{"do_sample": true, "temperature": 0.6, "top_k": 20, "top_p": 0.95, "max_new_tokens": 2048}"#;
        let deepspeed = r#"{"train_batch_size": 32, "gradient_accumulation_steps": 4, "gradient_clipping": 1.0,
            "zero_optimization": {"stage": 2}}"#;
        let evaluation =
            r#"{"model": "hf", "batch_size": 8, "seed": 1, "temperature": 0, "num_generations": 4, "gsm8k": 0.5}"#;
        let rates = r#"{"lr": 1e-5, "beta": 0.04, "epsilon": 0.2}"#;
        for text in [generation, deepspeed, evaluation, rates, "{}", "[1]", "{\"lr\": "] {
            assert!(!is_settings("a.json", text.as_bytes()), "{text}");
        }
        for file in ["best_params.json", "eval_results.json", "sweep-space_search.json"] {
            assert!(!is_settings(file, FLAT.as_bytes()), "{file}");
        }
        let long = format!("{FLAT}{}", " ".repeat(SHORT_HEAD));
        assert!(!is_settings("a.json", long.as_bytes()));
    }
}
