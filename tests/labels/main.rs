//! Runs with known causes get the verdict and the findings that their labels ask for, and none that they forbid.
//!
//! `tiny.rs` reads the labelled training runs, `systems.rs` the simulated systems, `public.rs` logs of public runs.
//! All skip, with a notice, where the corpus is missing. Nothing in the checks is fitted to these files.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers included"
)]

mod labels;
mod live;
mod public;
#[path = "../support/mod.rs"]
mod support;
mod systems;
mod tiny;
mod variants;
