//! The readers of files: every format as its tool writes it, what lies together, real runs, damaged files and extreme ones.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "tests may panic")]

mod archives;
mod binary;
mod console;
mod corpus;
mod corpus_snapshot;
mod damage;
mod every_byte;
mod exports;
mod extremes;
mod folders;
mod joins;
mod made;
mod malicious;
mod mixed;
mod side_by_side;
mod silent_loss;
mod starts;
#[path = "../support/mod.rs"]
mod support;
mod tables;
mod too_large;
mod two_slices;
#[path = "../support/wandb_file.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod wandb_file;
