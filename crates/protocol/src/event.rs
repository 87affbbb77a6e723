//! What the engine sends: that it is up, how far it is, and answers.

use serde::{Deserialize, Serialize};

use super::{Fault, Progress, Reply, RunList};

/// A message of the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// The engine is up. Sent once, before anything else. Stays the first variant with one number, so that a page of
    /// any version can read it.
    Ready {
        /// The engine's [`super::VERSION`].
        version: u32,
    },
    /// The files of a [`super::Request::AddFiles`] whose content the engine needs. The others it ignores by their names.
    Wanted {
        /// The request.
        id: u32,
        /// Places of the files in the request.
        files: Vec<u32>,
    },
    /// Work on request `id` begins or goes on. Sent *before* the work that it names, so that the page knows what an
    /// engine was at when it crashed.
    Progress {
        /// The request.
        id: u32,
        /// How far it is.
        progress: Progress,
    },
    /// The run list so far, while request `id` is still reading: the runs that are whole already. Sent a few times a
    /// second.
    Runs {
        /// The request.
        id: u32,
        /// The list.
        list: RunList,
    },
    /// The answer to request `id`; nothing more follows for it.
    Answer {
        /// The request.
        id: u32,
        /// The reply, or what went wrong.
        answer: Result<Reply, Fault>,
    },
}
