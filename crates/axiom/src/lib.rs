//! Axiom's query API: the events of a data set in a window of time, as one event a line.
//!
//! What the events mean is for [`rundown_ingest`]: the lines are handed to it like a dropped file. Axiom has one host for
//! all regions by default (`https://api.axiom.co`) and edge hosts that the user may name.

mod apl;
mod client;
mod error;
mod lines;

pub use client::{AxiomClient, DEFAULT_BASE_URL, Pages};
pub use error::AxiomError;
