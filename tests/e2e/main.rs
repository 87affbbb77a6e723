//! The built page in a real browser. Run by `make test`; by hand: `cargo test --features e2e --test e2e`.
//!
//! Each scenario gets a browser for itself, which may have served others before, and a server of its own. Whatever a scenario is about, it also fails if the page
//! logged an error or a warning, broke its content security policy, asked for a file that is not there, or asked
//! anything of another host ([`browser::Browser::complaints`]).

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "tests may panic")]

#[allow(dead_code, reason = "the benchmarks use the rest")]
mod browser;
mod compare;
mod damage;
mod device;
#[path = "../fake_wandb/mod.rs"]
mod fake_wandb;
mod faults;
mod firefox;
mod first_screen;
mod folder;
mod formats;
mod harness;
mod hostile;
#[path = "../labels/labels.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod labels;
mod made;
#[allow(dead_code, reason = "the benchmarks use the rest")]
mod page;
mod same_report;
mod sample;
mod scenario;
mod server;
mod servers;
mod site;
#[path = "../support/mod.rs"]
mod support;
mod unnamed_reward;
#[path = "../support/wandb_file.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod wandb_file;
mod workspace;

use servers::served;
