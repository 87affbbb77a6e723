//! Metric keys within our own sentences, and words that several sections use.

use crate::diagnose::{Limit, Relation};
use crate::format::quantity;

/// A limit in words: HTML's signs would only be read as entities in plain text.
pub(super) fn above_or_below(limit: &Limit, unit: &str) -> String {
    let relation = match limit.relation {
        Relation::Above => "above",
        Relation::Below => "below",
        Relation::Unequal => "not",
    };
    format!("{relation} {}", quantity(limit.value, unit))
}
