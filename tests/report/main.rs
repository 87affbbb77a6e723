//! Reports: as reviewed, read back, without secrets, and as the terminal's `diagnose` writes them.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "tests may panic")]

mod every_report;
#[path = "../support/example.rs"]
mod example;
mod golden;
mod messages;
mod read_back;
mod readers;
mod recall;
mod secrets;
#[path = "../support/mod.rs"]
mod support;
mod terminal;
