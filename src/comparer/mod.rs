//! Answers about all runs together: the views that compare them, and which of them a query selects.
//!
//! Works on what the judge kept of each run ([`Entry`]), as bytes, so that it can be a program of its own that is loaded
//! when somebody first asks for it.

mod find;
mod reference;
mod topics;

use crate::compare::Entry;
use crate::compare::query::Words;
use crate::engine::messages::{Fault, Reply, TopicRequest, encoded};

/// The runs of a page, ready to be compared.
#[derive(Default)]
pub struct Comparer {
    entries: Vec<Entry>,
    /// Keys and values for completion, once somebody typed.
    words: Option<Words>,
}

impl Comparer {
    /// Takes all runs as [`crate::judge::Judge::entries`] gives them. False for bytes of another version.
    pub fn take(&mut self, entries: &[u8]) -> bool {
        let read = postcard::from_bytes(entries);
        let is_read = read.is_ok();
        self.entries = read.unwrap_or_default();
        self.words = None;
        is_read
    }

    /// A view over all runs as an encoded reply; `request` is an encoded [`TopicRequest`].
    pub fn topic(&self, request: &[u8]) -> Vec<u8> {
        let Ok(request) = postcard::from_bytes::<TopicRequest>(request) else {
            return encoded(&Err::<Reply, Fault>(Fault::BadMessage));
        };
        let is_wanted = |entry: &&Entry| request.runs.is_empty() || request.runs.contains(&entry.number);
        let entries: Vec<&Entry> = self.entries.iter().filter(is_wanted).collect();
        encoded(&Ok::<Reply, Fault>(Reply::Document(topics::document(&entries, &request))))
    }

    /// Which runs a query selects, as an encoded reply; `cursor` counts characters.
    pub fn find(&mut self, query: &str, cursor: u32) -> Vec<u8> {
        let entries: Vec<&Entry> = self.entries.iter().collect();
        let words = self.words.get_or_insert_with(|| Words::of(&entries));
        encoded(&Ok::<Reply, Fault>(Reply::Found(find::find(&entries, words, query, cursor))))
    }
}

#[cfg(test)]
mod tests;
