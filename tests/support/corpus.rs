//! Where the corpus of real runs lies, and what is in it.

use std::path::{Path, PathBuf};

/// A folder of the corpus, canonical because browsers take no other paths, or `None` with a notice where it is missing.
pub fn corpus(folder: &str) -> Option<PathBuf> {
    let root = std::env::var_os("RUNDOWN_CORPUS").unwrap_or_else(|| "../shared/corpus".into());
    let path = Path::new(&root).join(folder);
    let found = path.canonicalize().ok();
    if found.is_none() {
        eprintln!("skipped: no {} (set RUNDOWN_CORPUS)", path.display());
    }
    found
}

/// Every file below a folder (or the file itself), sorted by path.
pub fn files_below(path: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    collect(path, &mut files);
    files
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if !path.is_dir() {
        files.push(path.to_owned());
        return;
    }
    let Ok(entries) = std::fs::read_dir(path) else { return };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for entry in entries {
        collect(&entry, files);
    }
}
