//! What the tests of reading share: the corpus, and files read as the page reads them.

// Each test file uses a part of this.
#![allow(dead_code)]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests may panic")]

use std::path::{Path, PathBuf};

use rundown_ingest::{FileOutcome, Ingested, RunAssembler, open};
use rundown_run::Run;

pub mod archives;
mod corpus;
pub mod golden;

#[allow(unused_imports, reason = "each test file uses a part of this")]
pub use corpus::{corpus, files_below, labelled, packed, real_logs};

/// Every file below a folder with its path relative to the folder's parent, as a browser gives it; sorted.
pub fn dropped(folder: &Path) -> Vec<(String, PathBuf)> {
    let parent = folder.parent().unwrap_or(folder);
    let relative = |file: &PathBuf| file.strip_prefix(parent).unwrap_or(file).display().to_string();
    files_below(folder).into_iter().map(|file| (relative(&file), file)).collect()
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
    let mut assembler = RunAssembler::default();
    for (path, bytes) in files {
        assembler.add(read(path, bytes, 1 << 20));
    }
    assembler.assemble(Vec::new())
}

/// Reads a whole folder as if dropped.
pub fn ingest_folder(folder: &Path) -> Ingested {
    let mut assembler = RunAssembler::default();
    for (path, file) in dropped(folder) {
        assembler.add(read(&path, &std::fs::read(file).unwrap_or_default(), 4 << 20));
    }
    assembler.assemble(Vec::new())
}

/// The run of this name.
pub fn named<'r>(runs: &'r [Run], name: &str) -> &'r Run {
    let found = runs.iter().find(|run| run.name == name);
    found.unwrap_or_else(|| panic!("no run {name}"))
}
