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

/// What a server has.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Offer {
    /// How the runs were chosen, and by whom: server or page. Or what went wrong.
    pub text: String,
    /// True when it went wrong.
    pub failed: bool,
    /// The runs, in the order asked for.
    pub runs: Vec<OfferRow>,
    /// What to do when it went wrong: a sentence, and a script to copy (or nothing).
    pub advice: Vec<(String, String)>,
    /// What is wrong with the query and at which character (from 0); `None` for a good one.
    pub fault: Option<(u32, String)>,
    /// Origins that the page has to name before the engine may ask: nothing was asked yet. Empty when something was.
    pub hosts: Vec<String>,
    /// True when a part of the query has to be asked again once the runs are read.
    pub is_open: bool,
}

/// A run on a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OfferRow {
    /// Name of the run in [`super::Request::Fetch`].
    pub id: String,
    /// Name to show.
    pub name: String,
    /// State, age, rows, and the like, in a few words.
    pub detail: String,
}
