//! What both benchmarks need.

use std::path::{Path, PathBuf};

/// Adds every `.wandb` file below a folder, in order of path.
pub fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "wandb") {
            files.push(path);
        }
    }
}
