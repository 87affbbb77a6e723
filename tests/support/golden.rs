//! Texts that tests hold the program to: snapshots under `tests/golden`, and pages of the documentation that are written
//! from the program.
//!
//! After a wanted change `INSTA_UPDATE=always cargo test` writes all of them; read the difference before it is committed.
//! `cargo insta review` shows the snapshots one by one.

#![allow(clippy::expect_used, reason = "a test fails by panicking, its helpers included")]
#![allow(dead_code, reason = "each test file uses a part of this")]

use std::path::Path;

/// Compares a text with the reviewed snapshot `tests/golden/NAME.snap`.
#[track_caller]
pub fn same_as_snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../golden");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Compares a text with a page of the documentation, line by line: a page is read as it is, so it has no snapshot's head.
#[track_caller]
pub fn same_as_page(path: &str, text: &str) {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
        std::fs::write(&place, text).expect("the file can be written");
    }
    let expected = std::fs::read_to_string(&place).expect("a page of the documentation");
    for (line, (got, expected)) in text.lines().zip(expected.lines()).enumerate() {
        assert_eq!(got, expected, "{path}, line {}; INSTA_UPDATE=always writes it", line + 1);
    }
    assert!(text == expected, "{path}: one is longer; INSTA_UPDATE=always writes it");
}
