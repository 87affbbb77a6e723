//! Axiom's query API: the events of a data set in a window of time, as the bytes of its replies.
//!
//! What the events mean is for [`crate::ingest`]: a reply is handed to it like a dropped file.

mod apl;

pub use apl::{Query, quoted};
