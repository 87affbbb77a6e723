//! What a check is.

use crate::{Code, Context, Evidence, Finding, Need};

/// One check of the catalogue. Each lives in a file of its own under [`crate::checks`] as a `pub const CHECK`.
#[derive(Clone, Copy)]
pub struct Check {
    /// Stable name.
    pub code: Code,
    /// The check itself: pure, and quiet where the data are too few.
    pub run: fn(&Context<'_>) -> Outcome,
}

/// The outcome of a check.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It found something.
    Found(Vec<Finding>),
    /// It found nothing; the numbers that it looked at.
    Quiet(Vec<Evidence>),
    /// It lacked a metric: what would enable it.
    Skipped(Need),
}
