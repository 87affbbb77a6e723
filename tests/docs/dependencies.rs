//! docs/dependencies.md has a row for each direct dependency, with the version that Cargo.toml asks for.

use std::collections::BTreeMap;
use std::fs;

use toml::{Table, Value};

/// Names and versions of a table of dependencies.
fn versions(dependencies: Option<&Value>) -> BTreeMap<String, String> {
    let table = dependencies.and_then(Value::as_table).expect("a table of dependencies");
    let version = |value: &Value| match value {
        Value::String(version) => version.clone(),
        other => other.get("version").and_then(Value::as_str).expect("a version").to_owned(),
    };
    let foreign = table.iter().filter(|(_, value)| value.get("path").is_none());
    foreign.map(|(name, value)| (name.clone(), version(value))).collect()
}

/// The first two cells of each row.
fn documented() -> BTreeMap<String, String> {
    let page = fs::read_to_string("docs/dependencies.md").unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| crate"));
    rows.map(|row| {
        let mut cells = row.split('|').skip(1).map(|cell| cell.trim().to_owned());
        (cells.next().unwrap(), cells.next().unwrap())
    })
    .collect()
}

/// True for the same version, or a shorter form of it: 0.4 of 0.4.2.
fn agrees(documented: &str, asked: &str) -> bool {
    asked == documented || asked.starts_with(&format!("{documented}."))
}

#[test]
fn every_dependency_has_its_row() {
    let manifest: Table = toml::from_str(&fs::read_to_string("Cargo.toml").unwrap()).unwrap();
    let asked = versions(manifest["workspace"].get("dependencies"));
    let documented = documented();
    let missing: Vec<_> = asked
        .iter()
        .filter(|(name, version)| !documented.get(*name).is_some_and(|documented| agrees(documented, version)))
        .collect();
    assert!(missing.is_empty(), "without a row, or with another version: {missing:?}");
    let gone: Vec<_> = documented.keys().filter(|name| !asked.contains_key(*name)).collect();
    assert!(gone.is_empty(), "no dependency any more: {gone:?}");
}

#[test]
fn every_dependency_has_a_user() {
    let manifest: Table = toml::from_str(&fs::read_to_string("Cargo.toml").unwrap()).unwrap();
    let folders = fs::read_dir("crates").unwrap().map(|entry| entry.unwrap().path().join("Cargo.toml"));
    let manifests: Vec<String> =
        folders.chain(["Cargo.toml".into()]).map(|path| fs::read_to_string(path).unwrap()).collect();
    let names = manifest["workspace"]["dependencies"].as_table().unwrap().keys();
    let is_used = |name: &str| {
        let uses = [format!("\n{name}.workspace"), format!("\n{name} = {{ workspace")];
        manifests.iter().any(|manifest| uses.iter().any(|used| manifest.contains(used)))
    };
    let unused: Vec<&String> = names.filter(|name| !is_used(name)).collect();
    assert!(unused.is_empty(), "no crate uses {unused:?}");
}
