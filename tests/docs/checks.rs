//! The user's reference of checks (docs/checks.md) is what stands above each check.

use std::fmt::Write as _;
use std::path::Path;

use rundown_diagnose::checks;

use crate::golden::same_as_page;

const PATH: &str = "docs/checks.md";

/// The sections that each check must have, in this order.
const SECTIONS: [&str; 7] = [
    "What it checks",
    "Why it matters",
    "Evidence needed",
    "Threshold and where it comes from",
    "Known false alarms",
    "What to do",
    "References",
];

#[test]
fn the_reference_is_what_the_checks_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut page = String::from(
        "# The checks\n\nEvery finding of Rundown has one of these codes. The thresholds are those of the built-in rulebook.\n\n",
    );
    let mut group = "";
    for check in checks::ALL {
        if check.code.group().as_str() != group {
            group = check.code.group().as_str();
            let (first, rest) = group.split_at(1);
            let _ = writeln!(page, "## {}{rest}\n", first.to_uppercase());
        }
        let code = check.code.as_str();
        let folder = group.replace('-', "_");
        let source =
            std::fs::read_to_string(root.join(format!("crates/diagnose/src/checks/{folder}/{code}.rs"))).unwrap();
        let _ = writeln!(page, "### {} (`{code}`)\n", check.code.words());
        page.push_str(&section_text(code, &source));
    }
    same_as_page(PATH, &page);
}

#[test]
fn the_readme_counts_the_checks() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let count = format!("\n{} checks of ", checks::ALL.len());
    assert!(readme.contains(&count), "README.md does not say{count}");
}

/// The doc comment of a check, its sections one level below the check's own heading.
fn section_text(code: &str, source: &str) -> String {
    let lines =
        source.lines().map_while(|line| line.strip_prefix("//!")).map(|line| line.strip_prefix(' ').unwrap_or(line));
    let mut text = String::new();
    let mut sections = Vec::new();
    for line in lines {
        match line.strip_prefix("# ") {
            Some(heading) => {
                sections.push(heading);
                let _ = writeln!(text, "#### {heading}");
            }
            None => {
                let _ = writeln!(text, "{line}");
            }
        }
    }
    assert_eq!(sections, SECTIONS, "the sections of {code}");
    text.push('\n');
    text
}
