//! The rules that keep the sources in layers: the table of ARCHITECTURE.md says which crate uses which, files of one folder
//! do not use each other in a circle, files and folders stay small, and every file says why it exists.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may panic")]
#![cfg(not(target_arch = "wasm32"))]

#[path = "layers/crate_graph.rs"]
mod crate_graph;
#[path = "layers/examples.rs"]
mod examples;
#[path = "layers/exceptions.rs"]
mod exceptions;
#[path = "layers/manifests.rs"]
mod manifests;
#[path = "layers/sources.rs"]
mod sources;
#[path = "layers/tokens.rs"]
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate_graph::{Circle, Crate};
use exceptions::{CIRCLES, LARGE_FOLDERS, LONG_FILES};
use manifests::{in_manifests, in_table};
use sources::sources;

const FOLDERS: [&str; 5] = ["src", "crates", "tests", "examples", "benches"];
/// Lines of a file.
const LINES: usize = 400;
/// Files and folders in a folder.
const ENTRIES: usize = 25;
/// The folders in it are groups of checks, one file a check.
const CHECKS: &str = "crates/diagnose/src/checks";

#[test]
fn the_table_is_that_of_the_manifests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let table = in_table(&page).unwrap_or_else(|error| panic!("ARCHITECTURE.md: {error}"));
    assert_eq!(table, in_manifests(root));
}

#[test]
fn files_of_a_folder_do_not_use_each_other_in_a_circle() {
    let crates = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("crates")).unwrap();
    let crates = crates.map(|entry| format!("crates/{}/src", entry.unwrap().file_name().display()));
    let circles: Vec<Circle> = std::iter::once("src".to_owned())
        .chain(crates)
        .flat_map(|folder| Crate::of(&folder, &sources(&folder)).circles())
        .collect();
    let found = wrong_circles(&circles, CIRCLES);
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn files_are_short() {
    let long: BTreeMap<String, usize> = FOLDERS
        .iter()
        .flat_map(|folder| sources(folder))
        .map(|file| (file.path.display().to_string(), file.text.lines().count()))
        .filter(|(_, lines)| *lines > LINES)
        .collect();
    let found = over_limit(&long, LONG_FILES, "lines", LINES);
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn folders_are_small() {
    let mut entries: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for file in FOLDERS.iter().flat_map(|folder| sources(folder)) {
        for (path, folder) in file.path.ancestors().zip(file.path.ancestors().skip(1)) {
            // A folder and the file that opens it are one module.
            entries.entry(folder.display().to_string()).or_default().insert(path.with_extension(""));
        }
    }
    let is_group = |folder: &str| Path::new(folder).parent() == Some(Path::new(CHECKS));
    let large: BTreeMap<String, usize> = entries
        .into_iter()
        .map(|(folder, entries)| {
            (folder, entries.iter().filter(|path| !path.ends_with("mod") && !path.ends_with("lib")).count())
        })
        .filter(|(folder, count)| *count > ENTRIES && !is_group(folder))
        .collect();
    let found = over_limit(&large, LARGE_FOLDERS, "entries", ENTRIES);
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn every_file_says_why_it_exists() {
    let silent: Vec<String> = FOLDERS
        .iter()
        .flat_map(|folder| sources(folder))
        .filter(|file| !file.text.starts_with("//! "))
        .map(|file| file.violation("does not open with //!"))
        .collect();
    assert!(silent.is_empty(), "\n{}", silent.join("\n"));
}

/// Circles beyond the exceptions, and exceptions that are needed no more.
fn wrong_circles(circles: &[Circle], exceptions: &[(&str, &[&str], &str)]) -> Vec<String> {
    let is_allowed = |(folder, members): &&Circle| {
        exceptions.iter().any(|(of, allowed, _)| {
            of == folder && members.iter().all(|member| allowed.is_empty() || allowed.contains(&member.as_str()))
        })
    };
    let circles = circles.iter();
    let mut found: Vec<String> = circles
        .clone()
        .filter(|circle| !is_allowed(circle))
        .map(|(folder, members)| format!("{folder}: {} use each other in a circle", members.join(", ")))
        .collect();
    for (folder, allowed, _) in exceptions {
        let covers = |(of, members): &Circle| {
            of == folder && (allowed.is_empty() || members.iter().any(|member| allowed.contains(&member.as_str())))
        };
        if !circles.clone().any(covers) {
            let members = allowed.join(", ");
            found.push(format!("{folder}: the exception for {members} is needed no more: remove it"));
        }
    }
    found
}

/// What is over a limit without being an exception, and exceptions that are needed no more.
fn over_limit(sizes: &BTreeMap<String, usize>, exceptions: &[&str], of: &str, limit: usize) -> Vec<String> {
    let mut found: Vec<String> = sizes
        .iter()
        .filter(|(path, _)| !exceptions.contains(&path.as_str()))
        .map(|(path, size)| format!("{path}: {size} {of}, at most {limit} are allowed"))
        .collect();
    for path in exceptions.iter().filter(|path| !sizes.contains_key(**path)) {
        found.push(format!("{path}: the exception is needed no more: remove it"));
    }
    found
}
