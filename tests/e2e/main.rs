//! The built page in a real browser. Run by `make test`; by hand: `cargo test --features e2e --test e2e`.
//!
//! Each scenario gets a browser and a server of its own. Whatever a scenario is about, it also fails if the page
//! logged an error or a warning, broke its content security policy, asked for a file that is not there, or asked
//! anything of another host ([`browser::Browser::complaints`]).

#[cfg(not(target_arch = "wasm32"))]
mod browser;
#[cfg(not(target_arch = "wasm32"))]
mod damage;
#[cfg(not(target_arch = "wasm32"))]
mod elsewhere;
#[cfg(not(target_arch = "wasm32"))]
mod first_screen;
#[cfg(not(target_arch = "wasm32"))]
mod folder;
#[cfg(not(target_arch = "wasm32"))]
mod harness;
#[cfg(not(target_arch = "wasm32"))]
mod hostile;
#[cfg(not(target_arch = "wasm32"))]
#[path = "../labels/support.rs"]
#[allow(
    dead_code,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "shared with other tests: a test fails by panicking, its helpers included"
)]
mod labels;
#[cfg(not(target_arch = "wasm32"))]
mod made;
#[cfg(not(target_arch = "wasm32"))]
mod page;
#[cfg(not(target_arch = "wasm32"))]
mod restart;
#[cfg(not(target_arch = "wasm32"))]
mod same_report;
#[cfg(not(target_arch = "wasm32"))]
mod sample;
#[cfg(not(target_arch = "wasm32"))]
mod server;
#[cfg(not(target_arch = "wasm32"))]
#[path = "../../examples/serve/site.rs"]
mod site;
#[cfg(not(target_arch = "wasm32"))]
#[path = "../support/mod.rs"]
#[allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "shared with other tests: a test fails by panicking, its helpers included"
)]
mod support;
#[cfg(not(target_arch = "wasm32"))]
#[path = "../support/wandb_file.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod wandb_file;
