//! How far the engine is with a request, and what it works on.

use serde::{Deserialize, Serialize};

/// How far a long request is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// What the engine does next.
    pub work: Work,
    /// Bytes read.
    pub bytes_done: u64,
    /// Bytes to read in all.
    pub bytes_total: u64,
    /// Files or runs finished.
    pub files_done: u32,
    /// Files or runs in all.
    pub files_total: u32,
    /// Runs diagnosed.
    pub runs_done: u32,
    /// Runs in all; 0 while files are still being read that may hold more of them.
    pub runs_total: u32,
}

/// What the engine works on: if it crashes, this is what the next one leaves out (a file or a run only where `Request::NameEach` was
/// sent: before, not each is named).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub enum Work {
    /// Nothing yet.
    #[default]
    Waiting,
    /// Reads a file.
    Reading {
        /// Its path as dropped.
        file: String,
    },
    /// Fetches runs from a server.
    Fetching {
        /// Their ids on the server, or a few words on what arrives.
        what: String,
        /// The ids again, for runs that come by id.
        runs: Vec<String>,
    },
    /// Joins what was read into runs.
    Joining,
    /// Runs the checks on a run.
    Diagnosing {
        /// Which run.
        run: RunIdentity,
        /// Name to show.
        name: String,
    },
    /// Answers a question about what is loaded.
    Answering,
}

/// What a run is recognised by when another engine has read it again: its number may be another one then.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RunIdentity {
    /// The run's id.
    pub id: String,
    /// Path of its first file: ids made from file names repeat from folder to folder.
    pub file: String,
}
