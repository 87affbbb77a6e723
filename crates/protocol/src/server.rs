//! Servers: where the runs are, which of them are asked for, and what there is.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A server and what is wanted of it.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerQuery {
    /// Which kind of server.
    pub service: Service,
    /// Answers of the user by [`QueryField`] number; missing ones are empty. One of them is the key, so that the whole
    /// has no `Debug` that shows it.
    pub fields: Vec<String>,
}

impl fmt::Debug for ServerQuery {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ServerQuery({:?}, {} fields)", self.service, self.fields.len())
    }
}

impl ServerQuery {
    /// What the user wrote in a field, trimmed; empty where nothing is.
    pub fn field(&self, field: QueryField) -> &str {
        self.fields.get(field as usize).map_or("", |text| text.trim())
    }

    /// Writes a field.
    pub fn write(&mut self, field: QueryField, text: String) {
        let place = field as usize;
        if self.fields.len() <= place {
            self.fields.resize(place + 1, String::new());
        }
        if let Some(known) = self.fields.get_mut(place) {
            *known = text;
        }
    }
}

/// A kind of server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Service {
    /// Weights & Biases, or a server that speaks as it does.
    #[default]
    Wandb,
    /// Axiom: events of the pipeline.
    Axiom,
}

/// What the user can say about a server and the runs wanted, in the order of [`ServerQuery::fields`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryField {
    /// W&B: any of its URLs, or `entity/project`. Axiom: the name of the data set.
    Address,
    /// API key or token; empty for public projects.
    Key,
    /// Address of the API, where it is not the usual one.
    Server,
    /// W&B: how many runs at most. Axiom: how many hours back.
    Count,
    /// Summary metric by which the runs are ordered, highest first; empty for the newest first.
    Order,
    /// Which runs, as in the filter of the run list (`docs/selecting-runs.md`); empty for all.
    Query,
    /// Origins of buckets in which the server keeps files, beside those that are known.
    FileHosts,
}

/// What a server has, or why nothing can be chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ServerListing {
    /// Runs to choose among.
    Runs(ServerRuns),
    /// The projects of an entity that was named without one.
    Projects {
        /// The entity.
        entity: String,
        /// Its projects, as `entity/project`.
        projects: Vec<String>,
    },
    /// The query can't be read: nothing was asked.
    InvalidQuery {
        /// The character, from 0.
        at: u32,
        /// What is wrong there.
        what: String,
    },
    /// Origins that the page has to name before the engine may ask: nothing was asked.
    UnnamedHosts(Vec<String>),
    /// The server gave nothing.
    Failed {
        /// What went wrong.
        text: String,
        /// What to do instead.
        workarounds: Vec<Workaround>,
    },
}

impl ServerListing {
    /// A failure for which there is no workaround.
    pub fn failed(text: impl Into<String>) -> Self {
        Self::Failed { text: text.into(), workarounds: Vec::new() }
    }
}

/// Runs of a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServerRuns {
    /// How they were chosen, and by whom: server or page.
    pub text: String,
    /// The runs, in the order asked for.
    pub runs: Vec<ServerRun>,
    /// True when a part of the query has to be asked again once the runs are read.
    pub needs_local_filter: bool,
}

/// A run on a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServerRun {
    /// Name of the run in [`super::Request::Fetch`].
    pub id: String,
    /// Name to show.
    pub name: String,
    /// State, age, rows, and the like, in a few words.
    pub detail: String,
}

/// A way that works where the server can't be asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Workaround {
    /// What to do, in a sentence.
    pub text: String,
    /// A script to copy, where it takes one.
    pub script: Option<String>,
}
