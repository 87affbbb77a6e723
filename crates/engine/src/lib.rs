//! The engine: the program that owns the runs and answers the page's requests.
//!
//! [`session`] is all of it that needs no browser: it owns each run with its diagnosis and answers from memory.
//! [`downloads`] and [`metric_selection`] serve runs that come from servers; [`warm_up`] is work for an engine that waits. The
//! browser's part (file slices, `fetch`, messages) is `worker`, which builds for wasm alone.

pub mod downloads;
pub mod metric_selection;
pub mod session;
pub mod warm_up;

#[cfg(target_arch = "wasm32")]
pub mod worker;
