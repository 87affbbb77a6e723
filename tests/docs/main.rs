//! Pages of the documentation that are written from the program: they say what it does.
//!
//! After a wanted change `INSTA_UPDATE=always cargo test --test docs` writes them; read the difference before it is
//! committed.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking, its helpers included")]

mod checks;
mod dependencies;
#[path = "../support/golden.rs"]
mod golden;
mod metrics;
mod settings;
mod sources;
