//! Metric keys within our own sentences, and words that several sections use.

use crate::diagnose::{Limit, Relation};
use crate::format::{number, quantity};

/// `1 check`, `3 checks`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A large count: `1.152 billion`, `794.7 million`, and smaller ones in full.
pub(super) fn large(count: f64) -> String {
    match count.abs() {
        size if size >= 1e9 => format!("{} billion", number(count / 1e9)),
        size if size >= 1e6 => format!("{} million", number(count / 1e6)),
        _ => number(count.round()),
    }
}

/// A limit in words: HTML's signs would only be read as entities in plain text.
pub(super) fn above_or_below(limit: &Limit, unit: &str) -> String {
    let relation = match limit.relation {
        Relation::Above => "above",
        Relation::Below => "below",
        Relation::Unequal => "not",
    };
    format!("{relation} {}", quantity(limit.value, unit))
}
