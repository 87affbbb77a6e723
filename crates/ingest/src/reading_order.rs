//! In which order the files of a drop are read: those of one run together, so that the run is whole long before the
//! last file of the drop.
//!
//! Paths alone decide, and a wrong guess costs no more than a run that is shown in parts for a moment: which pieces are
//! one run is decided when all files were read (`assemble`).

use std::collections::{BTreeMap, BTreeSet};

use super::ignored::is_ignored;
use super::path;
use rundown_stats::CompactSort;

/// Files with these extensions are mostly runs by themselves, wherever they lie.
const WHOLE: [&str; 6] = ["csv", "json", "jsonl", "ndjson", "tsv", "wandb"];
/// So many documents in a folder at most may be parts of one run, such as its settings beside its history.
const MANY: usize = 8;
/// With so many folders below it at most, a folder that holds files itself is that of one run.
const FEW: usize = 4;
/// Folders within the folder of a run.
const INNER: [&str; 12] = [
    "aux",
    "eval",
    "events",
    "files",
    "logs",
    "metrics",
    "params",
    "tags",
    "tb",
    "tensorboard",
    "tensorboard_log",
    "train",
];

/// Files that are read together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileGroup {
    /// Their places in the drop, by path.
    pub files: Vec<usize>,
    /// True where other files of the same folder are other groups, as they look like runs of their own.
    pub is_loose: bool,
}

/// The files of a drop, given as path and size in bytes, in groups; the smallest group first, so that the first runs
/// are there at once.
pub fn reading_order(files: &[(&str, u64)]) -> Vec<FileGroup> {
    let mut folders: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, (file, _)) in files.iter().enumerate() {
        folders.entry(run_folder(file)).or_default().push(place);
    }
    let path_of = |place: &usize| files.get(*place).map_or("", |(file, _)| *file);
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
    let size_of = |place: &usize| files.get(*place).map_or(0, |(_, size)| *size);
    // Groups of equal size stay in the order of their paths.
    groups.compact_sort_by_key(|group| group.files.iter().map(size_of).sum::<u64>());
    groups
}

/// The folder that holds all files of a run, as far as a path tells.
fn run_folder(file: &str) -> &str {
    let mut folder = path::folder(file);
    let mut inside = folder;
    while !inside.is_empty() {
        if path::run_folder(path::file_name(inside)).is_some() {
            return inside;
        }
        inside = path::folder(inside);
    }
    let is_inner = |name: &str| INNER.contains(&name) || name.starts_with("checkpoint-");
    while is_inner(path::file_name(folder)) && !path::folder(folder).is_empty() {
        folder = path::folder(folder);
    }
    folder
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
    for (around, inner) in below.into_iter().rev().filter(|(_, inner)| inner.len() <= FEW) {
        for folder in inner {
            let places = folders.remove(folder).unwrap_or_default();
            folders.entry(around).or_default().extend(places);
        }
    }
}

/// True for files of one folder of which each is likely to be a run.
fn is_loose<'a>(files: impl Iterator<Item = &'a str>) -> bool {
    let files: Vec<&str> = files.collect();
    let folders: BTreeSet<&str> = files.iter().map(|file| path::folder(file)).collect();
    let read: Vec<&str> = files.into_iter().filter(|file| !is_ignored(file)).collect();
    let is_whole = |file: &&str| WHOLE.contains(&path::extension(file).as_str());
    let is_document = |file: &&str| path::extension(file) == "json";
    let is_trainer_state = |file: &&str| path::file_name(file) == "trainer_state.json";
    let may_be_parts = read.iter().any(is_trainer_state) || (read.len() <= MANY && read.iter().any(is_document));
    folders.len() == 1 && read.iter().all(is_whole) && !may_be_parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(files: &[(&str, u64)]) -> Vec<Vec<String>> {
        let groups = reading_order(files);
        groups.iter().map(|group| group.files.iter().map(|place| files[*place].0.to_owned()).collect()).collect()
    }

    #[test]
    fn files_of_one_run_are_read_together_and_small_runs_first() {
        let first = "wandb/run-20261120_235704-a";
        let second = "wandb/run-20261121_000000-b";
        let files = [
            (format!("{first}/run-a.wandb"), 900),
            (format!("{second}/run-b.wandb"), 100),
            (format!("{first}/files/output.log"), 10),
            (format!("{second}/files/media/table/x.json"), 10),
            ("out/amber/trainer_state.json".to_owned(), 500),
            ("out/amber/checkpoint-100/trainer_state.json".to_owned(), 10),
            ("out/amber/logs/events.out.tfevents.1".to_owned(), 10),
        ];
        let files: Vec<(&str, u64)> = files.iter().map(|(file, size)| (file.as_str(), *size)).collect();
        assert_eq!(
            groups(&files),
            [
                vec![format!("{second}/files/media/table/x.json"), format!("{second}/run-b.wandb")],
                vec![
                    "out/amber/checkpoint-100/trainer_state.json".to_owned(),
                    "out/amber/logs/events.out.tfevents.1".to_owned(),
                    "out/amber/trainer_state.json".to_owned()
                ],
                vec![format!("{first}/files/output.log"), format!("{first}/run-a.wandb")],
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
        let files: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 10)).collect();
        let sizes: Vec<usize> = reading_order(&files).iter().map(|group| group.files.len()).collect();
        assert_eq!(sizes, [1, 3, 3, 3, 3, 3]);
        // Few folders around a file are taken for those of one run.
        assert_eq!(reading_order(&files[..7]).len(), 1);
    }

    #[test]
    fn tables_of_one_folder_are_runs_of_their_own() {
        let names: Vec<String> = (0..20).map(|run| format!("sweep/{run:02}.csv")).collect();
        let mut files: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 100)).collect();
        files[3].1 = 1_000;
        let order = reading_order(&files);
        assert!(order.len() == 20 && order.iter().all(|group| group.is_loose));
        assert_eq!((order[0].files[0], order[3].files[0], order[19].files[0]), (0, 4, 3));
        files.push(("sweep/train.log", 5));
        assert_eq!(reading_order(&files).len(), 1, "the log may be of any of them");
        let documents = [("out/config.json", 1), ("out/history.json", 2)];
        assert_eq!(reading_order(&documents).len(), 1, "parts of one run");
        assert!(reading_order(&[]).is_empty());
    }
}
