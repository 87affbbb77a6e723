//! Why there is no reply.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What kept the engine from replying. Its text is for the user: what went wrong, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fault {
    /// The page asked to stop.
    Cancelled,
    /// The request names a run that is not loaded.
    UnknownRun,
    /// The request could not be read: page and engine are of different versions.
    UnreadableRequest,
    /// The request must be sent another way: only the worker can do it, or only the session.
    Misrouted,
    /// A file of this site could not be fetched.
    SiteFile {
        /// Its address.
        url: String,
        /// HTTP status of the answer; `None` without one.
        status: Option<u16>,
    },
    /// The run came from a server that is no longer connected.
    NotConnected,
    /// A server refused, or could not be reached: what it was about, what happened and what helps, in sentences.
    Server(String),
    /// The export can't be written: which run, and why.
    Export(String),
    /// The settings can't be used: which entry, why, and what would do.
    Settings(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Cancelled => out.write_str("Stopped."),
            Fault::UnknownRun => out.write_str("That run is no longer loaded: choose another one in the list."),
            Fault::UnreadableRequest => {
                out.write_str("The page and its engine are of different versions: reload the page.")
            }
            Fault::Misrouted => out.write_str("The engine has no answer to this request: reload the page."),
            Fault::SiteFile { url, status: Some(status) } => {
                write!(out, "{url} answered {status}: the page may be incomplete on this server.")
            }
            Fault::SiteFile { url, status: None } => {
                write!(out, "{url} could not be fetched: check the connection and try again.")
            }
            Fault::NotConnected => out.write_str("The run is no longer connected to its server: connect again."),
            Fault::Server(text) | Fault::Export(text) | Fault::Settings(text) => out.write_str(text),
        }
    }
}
