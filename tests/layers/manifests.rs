//! The table of ARCHITECTURE.md beside the manifests of the crates. The compiler keeps a crate to what its manifest names;
//! this keeps the table to the manifests.

use std::collections::BTreeMap;
use std::path::Path;

/// A crate's name without `rundown-`, and those that it depends on.
pub type Dependencies = BTreeMap<String, Vec<String>>;

const HEADER: &str = "| crate | holds | may use |";

/// The rows of the table. A row is `| crate | holds | may use |`; the last cell is `–` or a list.
///
/// # Errors
/// Where there is no table, or a cell is not understood; the text names the row.
pub fn in_table(page: &str) -> Result<Dependencies, String> {
    let mut rows = Dependencies::new();
    for line in page.lines().skip_while(|line| *line != HEADER).skip(2).take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let [name, _, may_use] = cells[..] else { return Err(format!("not three cells: {line}")) };
        let mut names: Vec<String> = may_use.split(", ").filter(|name| *name != "–").map(str::to_owned).collect();
        if let Some(unknown) = names.iter().find(|name| !rows.contains_key(*name)) {
            return Err(format!("{unknown} is no crate of a row above: {line}"));
        }
        names.sort();
        rows.insert(name.to_owned(), names);
    }
    if rows.is_empty() { Err(format!("no table: {HEADER}")) } else { Ok(rows) }
}

/// What the manifests name, tests' dependencies left out.
pub fn in_manifests(root: &Path) -> Dependencies {
    let mut found = Dependencies::new();
    for entry in std::fs::read_dir(root.join("crates")).unwrap() {
        let folder = entry.unwrap();
        let manifest = std::fs::read_to_string(folder.path().join("Cargo.toml")).unwrap();
        found.insert(folder.file_name().into_string().unwrap(), dependencies(&manifest));
    }
    let page = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    found.insert("page".to_owned(), dependencies(&page));
    found
}

fn dependencies(manifest: &str) -> Vec<String> {
    let manifest: toml::Table = manifest.parse().unwrap();
    let browser = manifest.get("target").and_then(|targets| targets.get("cfg(target_arch = \"wasm32\")"));
    let tables = [manifest.get("dependencies"), browser.and_then(|target| target.get("dependencies"))];
    let names = tables.into_iter().flatten().flat_map(|table| table.as_table().unwrap().keys());
    let mut own: Vec<String> = names.filter_map(|name| name.strip_prefix("rundown-")).map(str::to_owned).collect();
    own.sort();
    own
}
