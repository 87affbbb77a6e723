//! W&B: our client against a fake server and the real client, our reader of `.wandb` files against an independent one.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "tests may panic")]

mod api;
mod artifacts;
#[path = "../support/example.rs"]
mod example;
#[path = "../fake_wandb/mod.rs"]
mod fake_wandb;
mod interrupted;
mod key;
#[path = "../fake_wandb/native.rs"]
mod native;
mod oracle;
mod peer;
mod query;
mod served;
#[path = "../support/mod.rs"]
mod support;
mod terminal;
#[path = "../support/wandb_file.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod wandb_file;
