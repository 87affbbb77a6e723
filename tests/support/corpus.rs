//! Where the real runs lie that tests read: the full corpus, the part of it that stands packed in this repository, and
//! logs that are read in place only.
//!
//! `RUNDOWN_CORPUS` names the full corpus, by default `../shared/corpus`; `RUNDOWN_REAL_LOGS` the logs, by default
//! `../shared/real-logs`. What is missing is skipped with a notice, but fails under `CI=true`, where nobody reads notices.
//! A machine that is meant to have neither says so: `RUNDOWN_CORPUS=packed`, `RUNDOWN_REAL_LOGS=none`.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking, its helpers included")]
#![allow(dead_code, reason = "each test file uses a part of this")]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// A folder of the full corpus, canonical because browsers take no other paths; `None` with a notice where it is missing.
///
/// # Panics
/// Where it is missing under `CI=true`.
pub fn corpus(folder: &str) -> Option<PathBuf> {
    find("RUNDOWN_CORPUS", "../shared/corpus", "packed", folder)
}

/// The labelled logs that must not be copied into the project; `None` as for the corpus.
pub fn real_logs() -> Option<PathBuf> {
    find("RUNDOWN_REAL_LOGS", "../shared/real-logs", "none", "")
}

/// `tiny-grpo` or `systems` with their labels: of the full corpus, else as packed in `tests/corpus`. The packed runs have
/// the same rows of metrics, without other logs of the same run.
pub fn labelled(folder: &str) -> PathBuf {
    let root = std::env::var_os("RUNDOWN_CORPUS").unwrap_or_else(|| "../shared/corpus".into());
    Path::new(&root).join(folder).canonicalize().unwrap_or_else(|_| packed(folder))
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
    let Ok(entries) = fs::read_dir(path) else { return };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for entry in entries {
        collect(&entry, files);
    }
}

fn find(variable: &str, default: &str, renounced: &str, folder: &str) -> Option<PathBuf> {
    let given = std::env::var_os(variable);
    let path = Path::new(given.as_ref().unwrap_or(&OsString::from(default))).join(folder);
    let found = path.canonicalize().ok();
    if found.is_none() {
        let is_renounced = given.is_some_and(|given| given == renounced);
        let is_ci = std::env::var_os("CI").is_some_and(|ci| ci == "true");
        let missing = format!("no {} (set {variable})", path.display());
        assert!(is_renounced || !is_ci, "{missing}; {variable}={renounced} says that this machine has none");
        eprintln!("skipped: {missing}");
    }
    found
}

/// `tiny-grpo` or `systems` as packed in `tests/corpus`, whatever else is there: for pages that must be the same on every machine.
/// Unpacks it into the target folder, once for each content.
pub fn packed(folder: &str) -> PathBuf {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(format!("{folder}.tar.gz"));
    let bytes = fs::read(&archive).unwrap_or_else(|error| panic!("{}: {error}", archive.display()));
    // An example has no temporary folder of its own.
    let temporary = option_env!("CARGO_TARGET_TMPDIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let place = temporary.join(format!("corpus-{folder}-{:08x}", crc32fast::hash(&bytes)));
    if !place.is_dir() {
        let partial = temporary.join(format!("corpus-{folder}-{}", std::process::id()));
        fs::create_dir_all(&partial).expect("target/tmp can be written to");
        let unpacked = Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(&partial).status();
        assert!(unpacked.is_ok_and(|status| status.success()), "tar cannot unpack {}", archive.display());
        // Another test's process may have been faster.
        if fs::rename(&partial, &place).is_err() {
            fs::remove_dir_all(&partial).expect("what was unpacked can be removed");
        }
    }
    place.join(folder).canonicalize().unwrap_or_else(|error| panic!("{} holds no {folder}: {error}", archive.display()))
}
