//! What a setting is to a comparison: a hyperparameter, a seed, or only a name for the run.

use super::columns::SettingColumn;
use crate::RunSummary;
use rundown_diagnose::hyperparameter_of;
use rundown_run::{ConfigValue, iso_seconds};

/// What a setting is to a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SettingRole {
    /// It sets how the model is trained.
    Hyperparameter,
    /// It only chooses the random numbers.
    Seed,
    /// It names the run, or is a remark on it.
    Name,
    /// An id, a hash, an address, or a version of the code.
    Id,
    /// Where the run writes.
    Place,
    /// It is the time, the user or the machine of the run, or a switch of videos or saved models.
    Circumstance,
}

/// Last words of keys that name a run in whatever section they stand.
const NAMES: [&str; 24] = [
    "run_name", "run_title", "exp_name", "experiment_name", "experiment", "job_name", "trial_name", "group_name",
    "wandb_name", "wandb_run_name", "wandb_group", "display_name", "hub_model_id", "run_id", "exp_id", "experiment_id",
    "job_id", "trial_id", "tags", "note", "notes", "comment", "comments", "description",
];

/// Last words of ids and versions.
const IDS: [&str; 12] =
    ["id", "ids", "uuid", "guid", "hash", "sha", "commit", "revision", "url", "uri", "version", "fingerprint"];

/// Things of which another id or version is another training: models, data.
const VERSIONED_SUBJECTS: [&str; 15] = [
    "model", "models", "dataset", "data", "task", "env", "environment", "rubric", "reward", "prompt", "template",
    "checkpoint", "lora", "tokenizer", "token",
];

/// What a plain `name`, `id` or `group` belongs to when it names the run.
const OWNERS: [&str; 9] = ["run", "wandb", "exp", "experiment", "job", "trial", "logger", "logging", "tracker"];

/// First words of keys of places that are written to.
const OUTPUT_WORDS: [&str; 21] = [
    "run", "exp", "experiment", "job", "project", "output", "out", "save", "log", "logs", "logging", "checkpoint",
    "checkpoints", "ckpt", "cache", "tmp", "temp", "work", "results", "artifact", "rollout",
];

/// Last words of keys of places.
const OUTPUT_PLACE_WORDS: [&str; 8] = ["dir", "path", "folder", "directory", "root", "file", "dirname", "prefix"];

/// Keys of the machine and of the time of the run, and switches of videos and saved models, by which no training differs.
const CIRCUMSTANCE_KEYS: [&str; 48] = [
    "capture_video", "record_video", "save_video", "save_model", "save_checkpoint", "save_checkpoints", "save_every",
    "save_freq", "save_interval", "save_steps", "save_strategy", "save_total_limit", "upload_model", "port", "host",
    "ip", "address", "master_addr", "master_address", "rank", "local_rank", "node", "node_rank", "process_index",
    "cuda_visible_devices", "start_time", "started", "started_at", "created", "created_at", "time_now", "endpoint",
    "base_url", "slurm_job_id", "job_start_time", "user", "nodelist", "date", "timezone", "elapsed", "elapsed_time",
    "elapsed_seconds", "train_runtime", "walltime", "wall_time", "wall_clock", "wall_clock_time", "wall_clock_sec",
];

/// Ranks that adapters have. 1 and 2 are numbers of processes as well.
const ADAPTER_RANKS: [f64; 8] = [4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0];

/// Keys beside a `rank` that show it to be the number of a process.
const PROCESS_KEYS: [&str; 3] = ["world_size", "local_rank", "node_rank"];

/// Words of such keys in any place, and words that only count as the last one.
const CIRCUMSTANCE_WORDS: [&str; 5] = ["timestamp", "datetime", "hostname", "username", "pid"];
const CIRCUMSTANCE_LAST_WORDS: [&str; 4] = ["port", "host", "date", "addr"];

/// What a setting is, by the words of its key: seeds, names and outputs of a run, ids, ports, hosts and times.
///
/// Where a model or data set lies is a hyperparameter: it says what is trained on what. So is every known setting.
pub fn role_of(key: &str) -> SettingRole {
    match by_words(key) {
        role @ (SettingRole::Hyperparameter | SettingRole::Seed) => role,
        _ if hyperparameter_of(key).is_some() => SettingRole::Hyperparameter,
        role => role,
    }
}

fn by_words(key: &str) -> SettingRole {
    let lower = snake_case(key);
    let mut parts = lower.rsplit(['.', '/']);
    let last = parts.next().unwrap_or_default();
    let owner = parts.next().unwrap_or_default();
    let words: Vec<&str> = last.split('_').filter(|word| !word.is_empty()).collect();
    let (first, end) = (words.first().copied().unwrap_or_default(), words.last().copied().unwrap_or_default());
    let is_seed = words.iter().any(|word| matches!(*word, "seed" | "seeds" | "rng")) || last == "random_state";
    if is_seed && !matches!(first, "num" | "n" | "use") {
        return SettingRole::Seed;
    }
    let is_subject = words.iter().chain([&owner]).any(|word| VERSIONED_SUBJECTS.contains(word));
    // The rank of an adapter is no process's.
    let is_listed = CIRCUMSTANCE_KEYS.contains(&last) && !(last == "rank" && is_subject);
    if is_listed || CIRCUMSTANCE_LAST_WORDS.contains(&end) || words.iter().any(|word| CIRCUMSTANCE_WORDS.contains(word))
    {
        return SettingRole::Circumstance;
    }
    let is_own = OWNERS.contains(&owner) && matches!(last, "name" | "id" | "group" | "version" | "project");
    if NAMES.contains(&last) || is_own || matches!(lower.as_str(), "name" | "id" | "group") {
        return SettingRole::Name;
    }
    // `default_local_dir` of verl, `ckpt_path`, `output_dir`; a whole key such as `logdir`.
    let is_output = words.iter().rev().skip(1).any(|word| OUTPUT_WORDS.contains(word)) || last == "default_local_dir";
    let is_joined = ["logdir", "outdir", "savedir", "workdir", "dir", "folder"].contains(&last);
    if OUTPUT_PLACE_WORDS.contains(&end) && is_output && !is_start(&words) || is_joined && !is_subject {
        return SettingRole::Place;
    }
    if lower.starts_with("_wandb") || IDS.contains(&end) && !is_subject {
        return SettingRole::Id;
    }
    SettingRole::Hyperparameter
}

/// Words of a checkpoint that training starts from, which is a hyperparameter.
fn is_start(words: &[&str]) -> bool {
    words
        .iter()
        .any(|word| matches!(*word, "load" | "from" | "resume" | "init" | "pretrained" | "model" | "base" | "ref"))
}

/// As [`role_of`], by the values as well: a bare `rank` is the number of a process, or that of an adapter.
pub(crate) fn role_of_column(column: &SettingColumn<'_>, summaries: &[&RunSummary]) -> SettingRole {
    match role_of(column.key) {
        SettingRole::Circumstance if is_adapter_rank(column.key, column.values.iter().copied(), summaries) => {
            SettingRole::Hyperparameter
        }
        role => role,
    }
}

/// True for a `rank` that has usual ranks of adapters in all runs, and stands beside no other number of processes.
fn is_adapter_rank<'v>(
    key: &str,
    values: impl Iterator<Item = (usize, &'v ConfigValue)>,
    summaries: &[&RunSummary],
) -> bool {
    let Some(section) = key.strip_suffix("rank").filter(|section| section.is_empty() || section.ends_with(['.', '/']))
    else {
        return false;
    };
    let mut values = values.peekable();
    values.peek().is_some()
        && values.all(|(run, value)| {
            let number = match value {
                ConfigValue::Number(number) => Some(*number),
                ConfigValue::Text(text) => text.parse().ok(),
                _ => None,
            };
            let config = summaries.get(run).map(|summary| &summary.config);
            let is_beside =
                |other: &&str| config.is_some_and(|config| config.get(&format!("{section}{other}")).is_some());
            number.is_some_and(|number| ADAPTER_RANKS.contains(&number)) && !PROCESS_KEYS.iter().any(is_beside)
        })
}

/// As [`role_of`], by the values as well: a rank of adapters is a hyperparameter; texts that hold the run's own id or name, or a
/// time, are not.
pub(crate) fn role_by_values(key: &str, values: &[Option<&ConfigValue>], summaries: &[&RunSummary]) -> SettingRole {
    let role = role_of(key);
    if role != SettingRole::Hyperparameter {
        let set = values.iter().enumerate().filter_map(|(run, value)| value.map(|value| (run, value)));
        let is_adapter = role == SettingRole::Circumstance && is_adapter_rank(key, set, summaries);
        return if is_adapter { SettingRole::Hyperparameter } else { role };
    }
    let mut is_own = false;
    let mut is_time = false;
    for (value, summary) in values.iter().zip(summaries) {
        match value {
            Some(ConfigValue::Text(text)) => {
                let holds_id = summary.id.len() >= MIN_ID_LENGTH && text.contains(&summary.id);
                let own = holds_id || *text == summary.name;
                let time = text.len() > DATE_LENGTH && iso_seconds(text).is_some();
                if !own && !time {
                    return SettingRole::Hyperparameter;
                }
                is_own |= own;
                is_time |= !own;
            }
            Some(_) => return SettingRole::Hyperparameter,
            None => {}
        }
    }
    match (is_own, is_time) {
        (true, _) => SettingRole::Name,
        (false, true) => SettingRole::Circumstance,
        (false, false) => SettingRole::Hyperparameter,
    }
}

/// Shorter ids stand in too many words by chance.
const MIN_ID_LENGTH: usize = 6;
const DATE_LENGTH: usize = 10;

/// A key in lower case, with `_` before the capitals within a word and instead of `-`.
fn snake_case(key: &str) -> String {
    let mut lower = String::with_capacity(key.len());
    let mut was_small = false;
    for character in key.chars() {
        if character.is_ascii_uppercase() && was_small {
            lower.push('_');
        }
        was_small = character.is_ascii_lowercase() || character.is_ascii_digit();
        lower.push(if character == '-' { '_' } else { character.to_ascii_lowercase() });
    }
    lower
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::setting_columns;

    #[test]
    fn keys_of_the_frameworks() {
        for (role, keys) in [
            (
                SettingRole::Seed,
                "seed data_seed train.seed trainer.randomSeed actor.rng_seed random_state data.shuffle_seed sampling.seed",
            ),
            (
                SettingRole::Name,
                "run_name trainer.experiment_name wandb.name wandb_run_name hub_model_id id run.id logger.wandb.project \
                 experiment note trainer.notes",
            ),
            (
                SettingRole::Place,
                "output_dir logging_dir trainer.default_local_dir save_path ckpt_path logDir checkpoint.save_dir \
                 args.cache_dir trainer.rollout_data_dir run_dir",
            ),
            (SettingRole::Id, "git_commit wandb_version uuid _wandb.code sweep_id repo.url"),
            (
                SettingRole::Circumstance,
                "port master_port vllm.server_port hostname local_rank timestamp start_time vllm_server_host.port \
                 MASTER_ADDR start_timestamp slurm_job_id rank wall_time train_runtime elapsed args.capture_video \
                 save_model trainer.save_freq save_steps save_checkpoints",
            ),
            (
                SettingRole::Hyperparameter,
                "learning_rate model.name model_name_or_path actor_rollout_ref.model.path data.train_files lora_rank \
                 nnodes num_seeds trainer.resume_from_path load_checkpoint_path data.path reward.name optimizer.name \
                 adapter.name dataset_name use_cache group_size num_generations wandb.log_every report_to init_ckpt_path \
                 actor.hybrid_engine transport temperature import tokenizer_path \
                 use_video \
                 model.version env.id lora.rank data.dir num_nodes max_tokens data_dir duration_s max_wall_time",
            ),
        ] {
            for key in keys.split_whitespace() {
                assert_eq!(role_of(key), role, "{key}");
            }
        }
    }

    #[test]
    fn a_rank_is_that_of_an_adapter_by_its_values() {
        let role = |ranks: &[f64], beside: &str| {
            let mut summaries = vec![RunSummary::default(); ranks.len()];
            for (summary, rank) in summaries.iter_mut().zip(ranks) {
                summary.config.insert("rank", ConfigValue::Number(*rank));
                summary.config.insert(beside, ConfigValue::Number(8.0));
            }
            let summaries: Vec<&RunSummary> = summaries.iter().collect();
            let columns = setting_columns(&summaries);
            let column = columns.iter().find(|column| column.key == "rank").unwrap();
            let values: Vec<_> = summaries.iter().map(|summary| summary.config.get("rank")).collect();
            let role = role_of_column(column, &summaries);
            assert_eq!(role_by_values("rank", &values, &summaries), role);
            role
        };
        assert_eq!(role(&[8.0, 16.0, 64.0], "alpha"), SettingRole::Hyperparameter);
        assert_eq!(role(&[0.0, 1.0, 2.0, 3.0], "alpha"), SettingRole::Circumstance);
        assert_eq!(role(&[4.0, 5.0], "alpha"), SettingRole::Circumstance);
        assert_eq!(role(&[4.0, 8.0], "world_size"), SettingRole::Circumstance);
        assert_eq!(role(&[4.0, 8.0], "local_rank"), SettingRole::Circumstance);
    }

    #[test]
    fn values_that_only_name_the_run() {
        let text = |text: &str| ConfigValue::Text(text.to_owned());
        let summary = |id: &str, name: &str| RunSummary { id: id.into(), name: name.into(), ..RunSummary::default() };
        let (a, b) = (summary("abc123", "first"), summary("def456", "second"));
        let role = |one: &ConfigValue, two: &ConfigValue| role_by_values("odd", &[Some(one), Some(two)], &[&a, &b]);
        assert_eq!(role(&text("runs/abc123"), &text("runs/def456")), SettingRole::Name);
        assert_eq!(role(&text("first"), &text("second")), SettingRole::Name);
        assert_eq!(role(&text("2026-11-01T10:00"), &text("2026-11-02T10:00")), SettingRole::Circumstance);
        assert_eq!(role(&text("first"), &text("adam")), SettingRole::Hyperparameter);
        assert_eq!(role(&ConfigValue::Number(1.0), &text("second")), SettingRole::Hyperparameter);
        assert_eq!(role_by_values("odd", &[None, None], &[&a, &b]), SettingRole::Hyperparameter);
    }
}
