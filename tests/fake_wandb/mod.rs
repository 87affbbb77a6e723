//! A W&B server on this machine, over real runs: it speaks the queries of the API, checks keys, and fails on demand.
//!
//! It is no imitation of the client: queries are parsed and answered field by field, a field that does not exist is an
//! error, and the real W&B SDK reads from it too (`tests/wandb/peer.rs`). Browser tests start it as
//! `cargo run --example fake_wandb -- PORT FOLDER…` and turn its switches with `POST /__control`.

#![allow(dead_code, clippy::string_slice, reason = "test code, of which each user takes a part")]

mod filter;
mod graphql;
mod http;
mod query;
mod run_fields;
mod store;

use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[allow(unused_imports, reason = "each user takes a part of this")]
pub use store::{StoredRun, value};

/// How the server misbehaves. Counts are of requests, used up one by one.
#[derive(Debug, Clone, Default, serde::Deserialize)]
#[serde(default)]
pub struct Switches {
    /// The only key that is accepted; any when none.
    pub key: Option<String>,
    /// The project is shown to nobody without the key.
    pub private: bool,
    /// Answer 429 so often.
    pub rate_limited: u32,
    /// Answer 429 to everything after so many good answers.
    pub limited_after: Option<u32>,
    /// What it says in `Retry-After` then.
    pub retry_after: Option<String>,
    /// Answer 502 so often.
    pub bad_gateway: u32,
    /// End the answer in its middle so often.
    pub truncated: u32,
    /// Wait before each answer.
    pub slow_ms: u64,
    /// Fields that this server does not know.
    pub missing_fields: Vec<String>,
    /// Never more rows of a spec than this, whatever was asked for.
    pub most_samples: Option<usize>,
    /// The history is exported in two parts, all but the last hundred rows. The parts are JSON lines in place of
    /// Parquet: what is tested is how they come, and readers go by content.
    pub export: bool,
    /// No CORS headers.
    pub no_cors: bool,
    /// Only so many rows of each run are there yet, and it still goes on.
    pub visible_rows: Option<usize>,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Logged {
    /// Method and path.
    pub line: String,
    /// Host that was asked.
    pub host: String,
    /// `Authorization`.
    pub authorization: Option<String>,
    /// Body.
    pub body: String,
    /// Status of the answer.
    pub status: u16,
}

/// What all requests share.
pub struct State {
    /// User or team.
    pub entity: String,
    /// Project.
    pub project: String,
    /// Its runs.
    pub runs: Vec<StoredRun>,
    /// `http://127.0.0.1:PORT`.
    pub base_url: String,
    switches: Mutex<Switches>,
    log: Mutex<Vec<Logged>>,
}

impl State {
    /// The switches, to read or to turn.
    pub fn switches(&self) -> MutexGuard<'_, Switches> {
        self.switches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The requests so far.
    pub fn log(&self) -> MutexGuard<'_, Vec<Logged>> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A server that is running.
pub struct FakeWandb {
    state: Arc<State>,
}

impl FakeWandb {
    /// Serves the runs in these folders (or `.wandb` files) on a thread of its own, until the process ends.
    pub fn start(port: u16, folders: &[PathBuf]) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut runs: Vec<StoredRun> = folders.iter().flat_map(|folder| store::load(folder)).collect();
        runs.sort_by(|left, right| (&left.created_at, &left.id).cmp(&(&right.created_at, &right.id)));
        let state = Arc::new(State {
            entity: "corpus".to_owned(),
            project: "tiny-grpo".to_owned(),
            runs,
            base_url: format!("http://127.0.0.1:{port}"),
            switches: Mutex::default(),
            log: Mutex::default(),
        });
        let shared = Arc::clone(&state);
        std::thread::spawn(move || http::serve(listener, shared));
        Self { state }
    }

    /// The server's state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Base URL of its API.
    pub fn base_url(&self) -> &str {
        &self.state.base_url
    }

    /// Behaves well again and forgets the requests.
    pub fn reset(&self, switches: Switches) {
        *self.state.switches() = switches;
        self.state.log().clear();
    }
}
