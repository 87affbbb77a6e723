//! Which runs a query selects, and how it could go on.

use crate::compare::Entry;
use crate::engine::messages::Found;

/// Answers a query as it stands while somebody types.
pub(super) fn find(_entries: &[&Entry], _query: &str, _cursor: u32) -> Found {
    Found::default()
}
