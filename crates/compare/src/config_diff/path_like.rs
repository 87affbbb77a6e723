//! Settings that are only a place: paths, addresses, and texts that name one run each.

use std::collections::BTreeSet;

use crate::RunSummary;
use crate::settings::is_path;
use rundown_run::ConfigValue;
use rundown_stats::CompactCollect as _;

/// From so many runs on a text with a slash that is another one in each of them names the run.
const MIN_RUNS_WITH_OWN_TEXT: usize = 3;

/// Last words of keys that name a place.
const PATH_WORDS: [&str; 12] =
    ["dir", "dirs", "path", "paths", "folder", "directory", "file", "files", "filename", "root", "url", "uri"];

/// Words of keys that name data, and of those that name where some of it is kept.
const DATA_WORDS: [&str; 7] = ["data", "dataset", "datasets", "train", "val", "eval", "test"];
const OUTPUT_WORDS: [&str; 8] = ["output", "out", "log", "logs", "cache", "save", "dump", "dir"];

/// True for a setting that says where something lies, not how a run was trained: by its key (`output_dir`,
/// `rollout_path`), or by its values (paths, addresses, `models/run-7` that is another one in each run).
///
/// Models and the data that they are trained on are what people compare, whatever their keys are called: they stay where
/// fewer than all runs have their own.
pub(super) fn is_path_like(key: &str, values: &[Option<&ConfigValue>], summaries: &[&RunSummary]) -> bool {
    let mut texts: Vec<&str> = Vec::new();
    let mut runs = 0;
    for (value, summary) in values.iter().zip(summaries) {
        let before = texts.len();
        let Some(value) = value else { continue };
        runs += 1;
        if !add_texts(value, &mut texts) {
            return false;
        }
        let own = [summary.id.as_str(), summary.name.as_str()];
        let of_run = texts.get(before..).unwrap_or_default();
        let names_run = |text: &&str| text.split('/').any(|piece| !piece.is_empty() && own.contains(&piece));
        if of_run.iter().any(|text| text.contains('/') && names_run(text)) {
            return true;
        }
    }
    if texts.is_empty() {
        return false;
    }
    let distinct = texts.iter().compact_collect::<BTreeSet<&&str>>().len();
    let is_own = runs >= MIN_RUNS_WITH_OWN_TEXT && distinct >= runs && texts.iter().all(|text| text.contains('/'));
    let is_place = || names_place(key) || texts.iter().any(|text| is_path(text));
    is_own || !names_model(key) && !names_data(key) && is_place()
}

/// Adds the texts of a value; false where it holds anything else.
fn add_texts<'v>(value: &'v ConfigValue, texts: &mut Vec<&'v str>) -> bool {
    match value {
        ConfigValue::Text(text) => texts.push(text),
        ConfigValue::Null => {}
        ConfigValue::List(items) => return items.iter().all(|item| add_texts(item, texts)),
        _ => return false,
    }
    true
}

fn last_words(key: &str) -> impl DoubleEndedIterator<Item = &str> {
    key.rsplit(['.', '/']).next().unwrap_or(key).split(['_', '-']).filter(|word| !word.is_empty())
}

/// `data_path`, `dataset_path`, `data.train_files`: what is trained on; not a folder that is written to.
fn names_data(key: &str) -> bool {
    let owner = key.rsplit(['.', '/']).nth(1).unwrap_or_default();
    let is_data = |word: &str| DATA_WORDS.iter().any(|known| word.eq_ignore_ascii_case(known));
    let is_output = last_words(key).any(|word| OUTPUT_WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)));
    !is_output && (is_data(owner) || last_words(key).any(is_data))
}

fn names_place(key: &str) -> bool {
    last_words(key).next_back().is_some_and(|word| PATH_WORDS.contains(&word.to_ascii_lowercase().as_str()))
}

/// `model`, `model_name_or_path`, `actor_rollout_ref.model.path`; the `_name_or_path` of a model's own config repeats one.
fn names_model(key: &str) -> bool {
    let is_model = |word: &str| word.eq_ignore_ascii_case("model") || word.eq_ignore_ascii_case("tokenizer");
    let owner = key.rsplit(['.', '/']).nth(1).unwrap_or_default();
    is_model(owner) && !key.ends_with("_name_or_path") || last_words(key).any(is_model)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_left_out(key: &str, values: &[&str]) -> bool {
        let summaries: Vec<RunSummary> = (0..values.len())
            .map(|place| RunSummary { name: format!("amber-{place}"), ..RunSummary::default() })
            .collect();
        let values: Vec<ConfigValue> = values.iter().map(|text| ConfigValue::Text((*text).to_owned())).collect();
        let values: Vec<Option<&ConfigValue>> = values.iter().map(Some).collect();
        is_path_like(key, &values, &summaries.iter().collect::<Vec<_>>())
    }

    #[test]
    fn keys_and_values_of_places_are_left_out() {
        for key in ["_name_or_path", "output_dir", "rollout_path", "data.cache_dir", "log-file", "repo.url"] {
            assert!(is_left_out(key, &["a", "b"]), "{key}");
        }
        for values in [["/data/a", "/data/b"], ["https://a", "https://b"], ["a/b/c", "a/b/d"], ["C:\\a", "C:\\b"]] {
            assert!(is_left_out("source", &values), "{values:?}");
        }
        assert!(is_left_out("start", &["models/amber-0", "models/amber-1"]), "the name of the run");
        assert!(is_left_out("start", &["a/x", "a/y", "a/z"]), "another one in each");
    }

    #[test]
    fn what_people_compare_stays() {
        let (small, large) = ("Qwen/Qwen2.5-0.5B", "Qwen/Qwen2.5-1.5B");
        for key in ["model", "model_name_or_path", "actor_rollout_ref.model.path", "base_model", "tokenizer_path"] {
            assert!(!is_left_out(key, &[small, large]), "{key}");
            assert!(!is_left_out(key, &[small, large, small]), "{key}");
            assert!(is_left_out(key, &["models/x-1", "models/x-2", "models/x-3"]), "{key}");
        }
        assert!(!is_left_out("model", &["/models/qwen", "/models/llama", "/models/qwen"]));
        for key in ["data_path", "dataset.path", "data.train_files", "eval-file"] {
            assert!(!is_left_out(key, &["/data/math.parquet", "/data/gsm8k.parquet"]), "{key}");
        }
        let (plain, tagged) = ("Answer.", "Think: <think>...</think><answer>...</answer>");
        assert!(!is_left_out("system_prompt", &[plain, tagged]), "a prompt is no path for its slashes");
        assert!(!is_left_out("dataset_name", &["openai/gsm8k", "lighteval/MATH"]));
        assert!(!is_left_out("optimizer", &["adam", "sgd", "lion"]));
        assert!(!is_left_out("profile", &["fast", "slow"]));
        let numbers = [ConfigValue::Number(1.0), ConfigValue::Number(2.0)];
        let summary = RunSummary::default();
        assert!(!is_path_like("num_file", &[Some(&numbers[0]), Some(&numbers[1])], &[&summary, &summary]));
        assert!(!is_path_like("file", &[None, Some(&ConfigValue::Null)], &[&summary, &summary]));
    }

    #[test]
    fn lists_of_paths_are_paths() {
        let list = |file: &str| ConfigValue::List(vec![ConfigValue::Text(file.to_owned())]);
        let (one, two) = (list("/data/a.parquet"), list("/data/b.parquet"));
        let summary = RunSummary::default();
        assert!(is_path_like("sources", &[Some(&one), Some(&two)], &[&summary, &summary]));
    }
}
