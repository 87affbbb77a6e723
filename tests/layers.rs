//! The rules that keep the package in layers: the table of `src/lib.rs` says which module may use which, the core knows
//! nothing of the browser, files of one folder do not use each other in a circle, files and folders stay small, and
//! every file says why it exists.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may panic")]
#![cfg(not(target_arch = "wasm32"))]

#[path = "layers/examples.rs"]
mod examples;
#[path = "layers/exceptions.rs"]
mod exceptions;
#[path = "layers/package.rs"]
mod package;
#[path = "layers/sources.rs"]
mod sources;
#[path = "layers/table.rs"]
mod table;
#[path = "layers/tokens.rs"]
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use exceptions::{CIRCLES, LARGE_FOLDERS, LONG_FILES};
use package::{Circle, Package};
use sources::{Source, sources};
use table::Table;

const FOLDERS: [&str; 4] = ["src", "tests", "examples", "benches"];
/// Lines of a file.
const LINES: usize = 400;
/// Files and folders in a folder.
const ENTRIES: usize = 25;
/// The folders in it are groups of checks, one file a check.
const CHECKS: &str = "src/diagnose/checks";

#[test]
fn arrows_point_down() {
    let sources = sources("src");
    let found = violations(&read_table(&sources), &Package::of(&sources), &browser_crates());
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn files_of_a_folder_do_not_use_each_other_in_a_circle() {
    let sources = sources("src");
    let found = wrong_circles(&Package::of(&sources).circles(), CIRCLES);
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
        .map(|(folder, entries)| (folder, entries.iter().filter(|path| !path.ends_with("mod")).count()))
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

fn read_table(sources: &[Source]) -> Table {
    let library = sources.iter().find(|source| source.path == Path::new("src/lib.rs")).unwrap();
    Table::read(&library.text).unwrap_or_else(|error| panic!("src/lib.rs: {error}"))
}

/// Crates that only modules for the browser may name, from the manifest.
fn browser_crates() -> BTreeSet<String> {
    let manifest = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let crates = manifest["target"]["cfg(target_arch = \"wasm32\")"]["dependencies"].as_table().unwrap();
    crates.keys().map(|name| name.replace('-', "_")).collect()
}

/// What the table forbids, and rows without a module.
fn violations(table: &Table, package: &Package, browser_crates: &BTreeSet<String>) -> Vec<String> {
    let mut found = Vec::new();
    for (source, names) in package.files.iter().filter(|(source, _)| !source.module.is_empty()) {
        let Some(row) = table.row(&source.module) else {
            found.push(source.violation("its module is not in the table of src/lib.rs"));
            continue;
        };
        let name = row.module.join("::");
        let crates = names.words.intersection(browser_crates).filter(|_| !row.wasm_only);
        found.extend(crates.map(|used| source.violation(&format!("{name} names {used}"))));
        let used: BTreeSet<&[String]> = names.used.iter().map(|path| &path[..path.len().min(2)]).collect();
        for path in used.into_iter().filter(|path| !row.allows(table, path)) {
            found.push(source.violation(&format!("{name} uses {}", path.join("::"))));
        }
    }
    let is_there = |module: &[String]| package.files.iter().any(|(source, _)| source.module.starts_with(module));
    for row in table.rows.iter().filter(|row| !is_there(&row.module)) {
        found.push(format!("src/lib.rs: the table has a row for {}, which is no module", row.module.join("::")));
    }
    found
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
