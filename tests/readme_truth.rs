//! The README shows the truth table: the columns of docs/truth.md that a reader asks for first.
//!
//! It is written from that page: after a wanted change, run once with `RUNDOWN_BLESS=1` and read the difference.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/golden.rs"]
mod golden;

use std::fmt::Write as _;
use std::path::Path;

use golden::same_as_file;

const BEGIN: &str = "<!-- truth table -->\n";
const END: &str = "<!-- end of truth table -->\n";
/// Columns of the page's tables of faults, in this order.
const COLUMNS: [&str; 6] = ["code", "fault", "found", "onset off by", "lead", "healthy accused"];

#[test]
fn the_readme_shows_the_truth_table() {
    let readme = read("README.md");
    let (before, rest) = readme.split_once(BEGIN).expect("the README has a place for the table");
    let (_, after) = rest.split_once(END).expect("which ends");
    same_as_file("README.md", &format!("{before}{BEGIN}{}{END}{after}", shown(&read("docs/truth.md"))));
}

/// The tables of faults of the page, in these columns, folded away.
fn shown(page: &str) -> String {
    let mut rows: Vec<Vec<&str>> = Vec::new();
    let mut places: Vec<usize> = Vec::new();
    for line in page.lines() {
        let line = cells(line);
        if line.first() == Some(&"code") {
            places = COLUMNS.iter().filter_map(|name| line.iter().position(|cell| cell == name)).collect();
            assert_eq!(places.len(), COLUMNS.len(), "a table without one of the columns");
        } else if line.len() < COLUMNS.len() {
            places.clear();
        } else if !line.iter().all(|cell| cell.starts_with('-')) && !places.is_empty() {
            rows.push(places.iter().filter_map(|place| line.get(*place).copied()).collect());
        }
    }
    let mut text = format!("<details><summary>{} kinds of faults</summary>\n\n", rows.len());
    let mut write = |row: &[&str]| writeln!(text, "| {} |", row.join(" | ")).unwrap();
    write(&COLUMNS);
    write(&["---"; 6]);
    rows.iter().for_each(|row| write(row));
    text.push_str("\n</details>\n");
    text
}

fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('|').split('|').map(str::trim).collect()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a file of the project")
}
