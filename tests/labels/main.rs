//! Runs with known causes get the verdict and the findings that their labels ask for, and none that they forbid.
//!
//! `tiny.rs` reads the labelled training runs, `systems.rs` the simulated systems, `public.rs` logs of public runs,
//! `real.rs` logs as people keep them. The first two are packed in this repository; the others are skipped, with a
//! notice, where they are missing. Nothing in the checks is fitted to these files.

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
mod real;
#[path = "../support/mod.rs"]
mod support;
mod systems;
mod tiny;
mod variants;
