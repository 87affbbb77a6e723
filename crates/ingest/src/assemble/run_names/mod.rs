//! Names and ids of runs whose files do not name them.

pub mod settings;

use super::origin::path_of;
use crate::path;
use rundown_run::{Run, RunWarning};

/// File names that say nothing about the run: its folder's name does.
const GENERIC_NAMES: [&str; 21] = [
    "console", "data", "eval", "history", "log", // ms-swift's own file.
    "logging", "logs", "metrics", "nohup", "output", "paste", "progress", "results", "stderr", "stdout", "train",
    "train_log", "trainer_state", "training", "training_log",
    // SDK 0.9 and older kept the history in a file of its own.
    "wandb-history",
];

/// Folders within the folder of a run that hold its logs.
const INNER_FOLDERS: [&str; 3] = ["files", "log", "logs"];

/// Endings that a file name may carry before its extension.
const MIDDLE: [&str; 3] = [".trainer_state", ".metrics", ".history"];

/// Gives the run the id of its path and, where it has none, the name of its file or folder. Of several trainings in one
/// file each has its number behind both.
pub(super) fn settle(run: &mut Run) {
    let file = path_of(run).to_owned();
    if let Some(start) = start_of(run).filter(|_| run.id.is_empty() && run.name.is_empty()) {
        run.id = format!("{file} (start {start})");
        run.name = format!("{} (start {start})", name_in(&file).0);
    }
    // Several runs of one table have names of their own, and exports carry the run's id.
    if run.id.is_empty() {
        run.id = if run.name.is_empty() { file.clone() } else { format!("{file}#{}", run.name) };
    }
    if run.name.is_empty() {
        run.name = name_in(&file).0.to_owned();
    }
}

/// Names a run after its folder, where none of its files is named after it. Its id is the path of the first file.
pub(super) fn settle_by_folder(run: &mut Run) {
    run.id = path_of(run).to_owned();
    let folder = path::around(path::output_folder(path::folder(&run.id)), |name| path::LOG_FOLDERS.contains(&name));
    run.name = path::file_name(folder).to_owned();
}

/// Which of several trainings in one file a run is, where it is one of them.
pub(super) fn start_of(run: &Run) -> Option<usize> {
    run.warnings.iter().find_map(|warning| match warning {
        RunWarning::OneOfCommands { start, .. } | RunWarning::OneOfJobs { job: start, .. } => Some(*start),
        _ => None,
    })
}

/// The name that a path gives, and from which part of it: its place, counted from the file's own name upwards.
pub(super) fn name_in(file: &str) -> (&str, usize) {
    let name = path::file_name(file);
    let stem = path::stem(file);
    let stem = MIDDLE.iter().find_map(|middle| stem.strip_suffix(middle)).unwrap_or(stem);
    let is_event_file = name.contains("tfevents");
    let own = if stem.is_empty() || is_event_file { name } else { stem };
    if !is_event_file && !GENERIC_NAMES.contains(&stem.to_ascii_lowercase().as_str()) {
        return (own, 0);
    }
    let above = path::around(path::output_folder(path::folder(file)), |name| match is_event_file {
        true => name == "train" || path::LOG_FOLDERS.contains(&name),
        false => INNER_FOLDERS.contains(&name),
    });
    if above.is_empty() {
        return (own, 0);
    }
    let place = file.get(above.len()..).map_or(0, |below| below.matches('/').count());
    (path::file_name(above), place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_named_after_its_file_or_its_folder() {
        for (file, name) in [
            ("a/trl-wordle-400.trainer_state.json", "trl-wordle-400"),
            ("countdown.metrics.jsonl", "countdown"),
            ("out/amber/trainer_state.json", "amber"),
            ("out/amber/checkpoint-300/trainer_state.json", "amber"),
            ("trainer_state.json", "trainer_state"),
            ("runs/x/metrics.jsonl", "x"),
            ("notebook.1.csv", "notebook.1"),
            (".jsonl", ".jsonl"),
            ("out/amber/tensorboard/events.out.tfevents.1.vm.2.0", "amber"),
            ("runs/events.out.tfevents.1", "runs"),
            ("out/runs/Nov21_18-03-12_host/events.out.tfevents.1.h", "Nov21_18-03-12_host"),
            ("tensorboard_log/gsm8k/qwen/events.out.tfevents.1.h", "qwen"),
            ("events.out.tfevents.1.h", "events.out.tfevents.1.h"),
            ("wandb/run-20261120_235704-fdvf5kta/files/output.log", "run-20261120_235704-fdvf5kta"),
            ("out/amber/logs/train.log", "amber"),
            ("logs/train.log", "logs"),
            ("out/amber/logging.jsonl", "amber"),
            ("amber/nohup.out", "amber"),
            ("nohup.out", "nohup"),
        ] {
            assert_eq!(name_in(file).0, name, "{file}");
        }
    }
}
