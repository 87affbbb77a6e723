//! Files that tests write and then hold the program to: golden reports, snapshots, pages of the documentation.

#![allow(clippy::expect_used, reason = "a test fails by panicking, its helpers included")]

use std::path::Path;

/// Compares a text with a file of the project, line by line. With `RUNDOWN_BLESS` set the file is written first: read
/// the difference before it is committed.
#[track_caller]
pub fn same_as_file(path: &str, text: &str) {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("RUNDOWN_BLESS").is_some() {
        std::fs::write(&place, text).expect("the file can be written");
    }
    let expected = std::fs::read_to_string(&place).unwrap_or_default();
    for (line, (got, expected)) in text.lines().zip(expected.lines()).enumerate() {
        assert_eq!(got, expected, "{path}, line {}; RUNDOWN_BLESS=1 writes it", line + 1);
    }
    assert!(text == expected, "{path}: one is longer; RUNDOWN_BLESS=1 writes it");
}
