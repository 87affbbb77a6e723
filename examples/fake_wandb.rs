//! Starts the W&B server of the tests: `cargo run --example fake_wandb -- PORT FOLDER…`. It prints its base URL and
//! serves the `.wandb` files below the folders as the project `corpus/tiny-grpo` until it is stopped.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a server for tests may panic")]

// With all features this is built for wasm32 too, where there is nothing to serve from.
#[cfg(not(target_arch = "wasm32"))]
#[path = "../tests/fake_wandb/mod.rs"]
mod fake_wandb;
#[cfg(not(target_arch = "wasm32"))]
#[path = "../tests/support/corpus.rs"]
mod support;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    let mut arguments = std::env::args().skip(1);
    let port = arguments.next().and_then(|port| port.parse::<u16>().ok());
    let folders: Vec<std::path::PathBuf> = arguments.map(Into::into).collect();
    let are_there = !folders.is_empty() && folders.iter().all(|folder| folder.exists());
    let Some(port) = port.filter(|_| are_there) else {
        eprintln!("fake_wandb: give a port (0 for a free one) and folders with .wandb files");
        return std::process::ExitCode::FAILURE;
    };
    let server = fake_wandb::FakeWandb::start(port, &folders);
    println!("{}", server.base_url());
    loop {
        std::thread::park();
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {}
