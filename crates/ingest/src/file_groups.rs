//! Which files of a drop are read together: those of one run, so that the run is whole long before the last file of the
//! drop.
//!
//! Paths alone decide, and a wrong guess costs no more than a run that is shown in parts for a moment: which pieces are
//! one run is decided when all files were read (`assemble`).

use std::collections::{BTreeMap, BTreeSet};

use super::ignored::is_ignored;
use super::path;
use rundown_stats::CompactCollect as _;
use rundown_stats::CompactSort;

/// Files with these extensions are mostly runs by themselves, wherever they lie.
const RUN_EXTENSIONS: [&str; 6] = ["csv", "json", "jsonl", "ndjson", "tsv", "wandb"];
/// So many documents in a folder at most may be parts of one run, such as its settings beside its history.
const MAX_DOCUMENTS_OF_RUN: usize = 8;
/// With so many folders below it at most, a folder that holds files itself is that of one run.
const MAX_FOLDERS_OF_RUN: usize = 4;
/// Folders within the folder of a run.
const FOLDERS_WITHIN_RUNS: [&str; 12] = [
    "aux", "eval", "events", "files", "logs", "metrics", "params", "tags", "tb", "tensorboard", "tensorboard_log",
    "train",
];

/// Files that are read together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileGroup {
    /// Their places in the drop, by path.
    pub files: Vec<usize>,
    /// True where other files of the same folder are other groups, as they look like runs of their own.
    pub is_loose: bool,
}

/// The files of a drop, given by their paths, in groups.
pub fn file_groups(files: &[&str]) -> Vec<FileGroup> {
    let mut folders: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, file) in files.iter().enumerate() {
        folders.entry(run_folder(file)).or_default().push(place);
    }
    let path_of = |place: &usize| files.get(*place).copied().unwrap_or_default();
    join_folders(&mut folders, |place| !is_ignored(path_of(place)));
    let mut groups = Vec::new();
    for (_, mut places) in folders {
        places.compact_sort_by_key(|place| (path_of(place), *place));
        if is_loose(places.iter().map(path_of)) {
            groups.extend(places.into_iter().map(|place| FileGroup { files: vec![place], is_loose: true }));
        } else {
            groups.push(FileGroup { files: places, is_loose: false });
        }
    }
    groups
}

/// The folder that holds all files of a run, as far as it shows in a path.
fn run_folder(file: &str) -> &str {
    let folder = path::folder(file);
    let mut inside = folder;
    while !inside.is_empty() {
        if path::run_folder(path::file_name(inside)).is_some() {
            return inside;
        }
        inside = path::folder(inside);
    }
    path::around(folder, |name| FOLDERS_WITHIN_RUNS.contains(&name) || name.starts_with("checkpoint-"))
}

/// Adds the files of folders to those of the folder around them, where that holds files itself and few folders: event
/// files and a W&B run lie below the state of their trainer.
fn join_folders(folders: &mut BTreeMap<&str, Vec<usize>>, is_read: impl Fn(&usize) -> bool) {
    let with_files: BTreeSet<&str> =
        folders.iter().filter(|(_, places)| places.iter().any(&is_read)).map(|(folder, _)| *folder).collect();
    let around = |folder: &str| {
        let mut around = folder;
        while !around.is_empty() {
            around = path::folder(around);
            if let Some(found) = with_files.get(around) {
                return Some(*found);
            }
        }
        None
    };
    let mut below: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for folder in folders.keys().copied() {
        if let Some(around) = around(folder) {
            below.entry(around).or_default().push(folder);
        }
    }
    // The innermost first: their paths are behind those of the folders around them.
    for (around, inner) in below.into_iter().rev().filter(|(_, inner)| inner.len() <= MAX_FOLDERS_OF_RUN) {
        for folder in inner {
            let places = folders.remove(folder).unwrap_or_default();
            folders.entry(around).or_default().extend(places);
        }
    }
}

/// True for files of one folder of which each is likely to be a run.
fn is_loose<'a>(files: impl Iterator<Item = &'a str>) -> bool {
    let files: Vec<&str> = files.collect();
    let folders: BTreeSet<&str> = files.iter().map(|file| path::folder(file)).compact_collect();
    let read: Vec<&str> = files.into_iter().filter(|file| !is_ignored(file)).collect();
    let is_whole = |file: &&str| RUN_EXTENSIONS.contains(&path::extension(file).as_str());
    let is_document = |file: &&str| path::extension(file) == "json";
    let is_trainer_state = |file: &&str| path::file_name(file) == "trainer_state.json";
    let may_be_parts =
        read.iter().any(is_trainer_state) || (read.len() <= MAX_DOCUMENTS_OF_RUN && read.iter().any(is_document));
    folders.len() == 1 && read.iter().all(is_whole) && !may_be_parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(files: &[&str]) -> Vec<Vec<String>> {
        let groups = file_groups(files);
        groups.iter().map(|group| group.files.iter().map(|place| files[*place].to_owned()).collect()).collect()
    }

    #[test]
    fn files_of_one_run_are_read_together() {
        let first = "wandb/run-20261120_235704-a";
        let second = "wandb/run-20261121_000000-b";
        let files = [
            format!("{first}/run-a.wandb"),
            format!("{second}/run-b.wandb"),
            format!("{first}/files/output.log"),
            format!("{second}/files/media/table/x.json"),
            "out/amber/trainer_state.json".to_owned(),
            "out/amber/checkpoint-100/trainer_state.json".to_owned(),
            "out/amber/logs/events.out.tfevents.1".to_owned(),
        ];
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        assert_eq!(
            groups(&files),
            [
                vec![
                    "out/amber/checkpoint-100/trainer_state.json".to_owned(),
                    "out/amber/logs/events.out.tfevents.1".to_owned(),
                    "out/amber/trainer_state.json".to_owned()
                ],
                vec![format!("{first}/files/output.log"), format!("{first}/run-a.wandb")],
                vec![format!("{second}/files/media/table/x.json"), format!("{second}/run-b.wandb")],
            ]
        );
    }

    #[test]
    fn what_lies_below_a_trainer_state_is_read_with_it() {
        let of = |run: &str| {
            ["trainer_state.json", "events/a.tfevents", "wandb/run-20261120_235704-a/run-a.wandb"]
                .map(|file| format!("runs/{run}/{file}"))
        };
        let mut names = vec!["runs/labels.json".to_owned()];
        ["a", "b", "c", "d", "e"].iter().for_each(|run| names.extend(of(run)));
        let files: Vec<&str> = names.iter().map(String::as_str).collect();
        let sizes: Vec<usize> = file_groups(&files).iter().map(|group| group.files.len()).collect();
        assert_eq!(sizes, [1, 3, 3, 3, 3, 3]);
        // Few folders around a file are taken for those of one run.
        assert_eq!(file_groups(&files[..7]).len(), 1);
    }

    #[test]
    fn tables_of_one_folder_are_runs_of_their_own() {
        let names: Vec<String> = (0..20).map(|run| format!("sweep/{run:02}.csv")).collect();
        let mut files: Vec<&str> = names.iter().map(String::as_str).collect();
        let groups = file_groups(&files);
        assert!(groups.len() == 20 && groups.iter().all(|group| group.is_loose));
        files.push("sweep/train.log");
        assert_eq!(file_groups(&files).len(), 1, "the log may be of any of them");
        assert_eq!(file_groups(&["out/config.json", "out/history.json"]).len(), 1, "parts of one run");
        assert!(file_groups(&[]).is_empty());
    }
}
