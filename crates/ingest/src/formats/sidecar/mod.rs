//! Files beside a run: settings, launch scripts, and what W&B keeps there (summary, machine, system metrics, tables).
//!
//! A `.wandb` file holds all of this but the tables, and what it says counts. Older SDKs, runs that were fetched
//! from the server, and folders whose `.wandb` is lost have only these files. Each becomes a `PartKind::Sidecar`, which
//! assembling adds to the run of its folder.

mod events;
mod own_name;
mod small;
mod table;

use std::borrow::Cow;

use crate::setting_names::{is_also_metric, is_no_metric, setting_key};
use crate::{FileReader, path};

pub(crate) use events::EventsReader;
pub(crate) use small::SmallFileReader;
pub(crate) use table::TableReader;

/// Known settings that a file of any name must have to be read as the settings of a training.
const MIN_SETTINGS: usize = 3;

/// What a side file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SidecarKind {
    /// Settings as YAML, such as `config.yaml` of W&B or of Hydra.
    Config,
    /// Settings as JSON, such as `config.json` or `args.json` of a script.
    Settings,
    /// Settings as JSON under a name of their own, such as `ppo_grpo_v2.json`.
    OwnName,
    /// `adapter_config.json`, which PEFT saves with the weights of an adapter.
    Adapter,
    /// Criteria that answers are scored by, as YAML.
    Rubric,
    /// A shell script that starts a training.
    Script,
    /// `wandb-summary.json`.
    Summary,
    /// `wandb-metadata.json`.
    Metadata,
    /// `wandb-events.jsonl`: system metrics, of SDKs until 0.9.
    Events,
    /// `*.table.json`.
    Table,
    /// `logs/debug.log` of a W&B run folder, in which the SDK notes the settings that the run began with.
    SdkLog,
}

/// The kind of side file that a path names.
pub(crate) fn kind(file: &str) -> Option<SidecarKind> {
    match path::file_name(file) {
        "config.yaml"
        | "config.yml"
        | "args.yaml"
        | "args.yml"
        | "hparams.yaml"
        | "params.yaml"
        | "resolved_config.yaml"
        | "resolved_config.yml" => Some(SidecarKind::Config),
        "config.json"
        | "args.json"
        | "cfg.json"
        | "hparams.json"
        | "hyperparameters.json"
        | "params.json"
        | "resolved_config.json"
        | "run_args.json"
        | "run_config.json"
        | "training_args.json"
        | "train_config.json" => Some(SidecarKind::Settings),
        "adapter_config.json" => Some(SidecarKind::Adapter),
        "wandb-summary.json" => Some(SidecarKind::Summary),
        "wandb-metadata.json" => Some(SidecarKind::Metadata),
        "wandb-events.jsonl" => Some(SidecarKind::Events),
        "debug.log" if is_sdk_log(file) => Some(SidecarKind::SdkLog),
        name if name.contains("rubric") && matches!(path::extension(name).as_str(), "yaml" | "yml") => {
            Some(SidecarKind::Rubric)
        }
        name if name.ends_with(".table.json") => Some(SidecarKind::Table),
        name if [".sh", ".slurm", ".sbatch"].iter().any(|ending| name.ends_with(ending)) => Some(SidecarKind::Script),
        _ => None,
    }
}

/// True for `run-…/logs/debug.log`. The one above the run folders is a link to that of the newest run.
fn is_sdk_log(file: &str) -> bool {
    let folder = path::folder(file).strip_suffix("/logs");
    folder.is_some_and(|folder| path::run_folder(path::file_name(folder)).is_some())
}

/// Settings of a training under a name of its own, such as `grpo_gsm8k.yaml`: in YAML several known settings at the start
/// of their lines, in JSON nothing but settings. Other files of both kinds, of which a project has many, have none.
pub(crate) fn config_kind(file: &str, head: &[u8]) -> Option<SidecarKind> {
    match path::extension(file).as_str() {
        "yaml" | "yml" => has_settings(head, MIN_SETTINGS).then_some(SidecarKind::Config),
        "json" => own_name::is_settings(file, head).then_some(SidecarKind::OwnName),
        _ => None,
    }
}

/// True where so many lines begin with a known setting, at least.
pub(crate) fn has_settings(head: &[u8], least: usize) -> bool {
    let lines = head.split(|byte| *byte == b'\n').filter_map(|line| str::from_utf8(line).ok());
    let keys = lines.filter_map(|line| setting_key(line.trim_start().split_once(':')?.0));
    let is_setting = |key: &Cow<'_, str>| is_no_metric(key) || is_also_metric(key);
    keys.filter(is_setting).take(least).count() == least
}

/// True for a file of settings that has none of their usual names ([`config_kind`]).
pub(crate) fn has_custom_name(file: &str) -> bool {
    kind(file).is_none() && matches!(path::extension(file).as_str(), "json" | "yaml" | "yml")
}

/// True for a side file of JSON that has none of the usual names.
pub(crate) fn is_json_of_own_name(file: &str) -> bool {
    kind(file).is_none() && path::extension(file) == "json"
}

/// A reader for a side file.
pub(crate) fn reader(kind: SidecarKind, file: &str) -> Box<dyn FileReader> {
    match kind {
        SidecarKind::Config
        | SidecarKind::Settings
        | SidecarKind::OwnName
        | SidecarKind::Adapter
        | SidecarKind::Rubric
        | SidecarKind::Script
        | SidecarKind::Summary
        | SidecarKind::SdkLog
        | SidecarKind::Metadata => Box::new(SmallFileReader::new(kind)),
        SidecarKind::Events => Box::new(EventsReader::default()),
        SidecarKind::Table => Box::new(TableReader::new(file)),
    }
}

/// The folder of the run that a side file belongs to: what stands above W&B's `files`, `media`, `logs`, Hydra's `.hydra` and a
/// checkpoint.
pub(crate) fn run_folder(file: &str) -> &str {
    if is_sdk_log(file) {
        return path::folder(path::folder(file));
    }
    let mut folder = path::output_folder(path::folder(file));
    if let Some(at) = folder.find("/media/").or_else(|| folder.ends_with("/media").then(|| folder.len() - 6)) {
        folder = folder.get(..at).unwrap_or(folder);
    }
    let folder = folder.strip_suffix("/.hydra").unwrap_or(folder);
    folder.strip_suffix("/files").unwrap_or(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_of_any_name_may_hold_settings() {
        let settings = b"# GRPO\nlearning_rate: 1.0e-6\nnum_generations: 8  # G\nlora:\n  lora_r: 16\n";
        assert_eq!(config_kind("a/grpo_gsm8k.yaml", settings), Some(SidecarKind::Config));
        assert_eq!(config_kind("a/grpo_gsm8k.toml", settings), None);
        let workflow = b"name: tests\non: [push]\njobs:\n  test:\n    steps:\n      - run: make test\n";
        assert_eq!(config_kind("a/tests.yml", workflow), None);
        assert_eq!(config_kind("a/b.yaml", b"learning_rate: 1\nseed: 2\n\xff: 3\n"), None, "too few");
        assert!(has_custom_name("a/b.yaml") && !has_custom_name("a/config.yaml"));
    }

    #[test]
    fn the_run_of_a_side_file_lies_above_it() {
        for (file, folder) in [
            ("w/run-1/files/config.yaml", "w/run-1"),
            ("w/run-1/config.yaml", "w/run-1"),
            ("w/run-20261120_000000-abc/logs/debug.log", "w/run-20261120_000000-abc"),
            ("w/logs/config.yaml", "w/logs"),
            ("w/run-1/files/media/table/eval/x.table.json", "w/run-1"),
            ("out/.hydra/config.yaml", "out"),
            ("out/checkpoint-300/adapter_config.json", "out"),
            ("config.yaml", ""),
        ] {
            assert_eq!(run_folder(file), folder, "{file}");
        }
    }
}
