//! What the tests of reading share: the corpus, and files read as the page reads them.

// Each test file uses a part of this.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

use rundown::ingest::{FileOutcome, Ingested, Intake, open};
use rundown::run::Run;

/// A folder of the corpus, or `None` with a notice where the corpus is missing.
pub fn corpus(folder: &str) -> Option<PathBuf> {
    let root = std::env::var("RUNDOWN_CORPUS").unwrap_or_else(|_| "../shared/corpus".to_owned());
    let path = Path::new(&root).join(folder);
    if !path.exists() {
        eprintln!("skipped: no {} (set RUNDOWN_CORPUS)", path.display());
        return None;
    }
    Some(path)
}

/// Every file below a folder with its path relative to the folder's parent, as a browser gives it; sorted.
pub fn dropped(folder: &Path) -> Vec<(String, PathBuf)> {
    let mut files = Vec::new();
    collect(folder, &mut files);
    let parent = folder.parent().unwrap_or(folder);
    let relative = |file: &PathBuf| file.strip_prefix(parent).unwrap_or(file).display().to_string();
    files.into_iter().map(|file| (relative(&file), file)).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            collect(&entry, files);
        } else {
            files.push(entry);
        }
    }
}

/// Reads bytes in slices of `slice`.
pub fn read(path: &str, bytes: &[u8], slice: usize) -> FileOutcome {
    let mut file = open(path, bytes.len() as u64);
    for part in bytes.chunks(slice) {
        if file.wants_bytes() {
            file.push(part);
        }
    }
    file.finish()
}

/// Reads files and puts them together.
pub fn ingest<'f>(files: impl IntoIterator<Item = (&'f str, &'f [u8])>) -> Ingested {
    let mut intake = Intake::default();
    for (path, bytes) in files {
        intake.add(read(path, bytes, 1 << 20));
    }
    intake.assemble(Vec::new())
}

/// Reads a whole folder as if dropped.
pub fn ingest_folder(folder: &Path) -> Ingested {
    let mut intake = Intake::default();
    for (path, file) in dropped(folder) {
        intake.add(read(&path, &std::fs::read(file).unwrap_or_default(), 4 << 20));
    }
    intake.assemble(Vec::new())
}

/// The run of this name.
pub fn named<'r>(runs: &'r [Run], name: &str) -> &'r Run {
    let found = runs.iter().find(|run| run.name == name);
    found.unwrap_or_else(|| panic!("no run {name}"))
}
