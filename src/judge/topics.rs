//! Views over all runs: which there are, and what each says.

use crate::compare::Entry;
use crate::engine::messages::{Document, Topic, TopicRequest};

/// The views that these runs have something for.
pub(super) fn topics(entries: &[&Entry]) -> Vec<Topic> {
    Topic::ALL.into_iter().filter(|topic| *topic != Topic::Compare || entries.len() > 1).filter(|_| false).collect()
}

/// A view.
pub(super) fn document(_entries: &[&Entry], _request: &TopicRequest) -> Document {
    Document::default()
}
