//! Test suites of other projects: their files are dropped as a user would drop them, and what is read is held to what the
//! reference reader says (`tests/golden/make_foreign.py`, `make_yaml.py`). Sources and licences: `README.md` in this folder.
//!
//! `cargo test --test foreign -- --ignored --nocapture rows` prints one line of JSON a suite.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "tests may panic")]

mod csv;
mod json;
mod parquet;
mod suite;
#[path = "../support/mod.rs"]
mod support;
mod tar;
mod yaml;
mod zip;

/// Prints what `docs/hardening.md` says of these suites.
#[test]
#[ignore = "prints rows"]
fn rows() {
    for counts in
        [json::all(), json::runs(), yaml::suite(), yaml::dumps(), csv::all(), parquet::all(), tar::all(), zip::all()]
    {
        println!("{}", counts.to_json());
    }
}
