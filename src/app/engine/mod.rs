//! The page's side of the engine: a worker that is asked by messages and started again when it crashes.

mod client;
mod connection;
mod posting;
pub mod question;
mod receiving;
mod recovery;
mod restart;
mod unresponsive;
pub mod worker_url;

pub use client::{Engine, Payload};
pub use connection::{AskError, EngineReply, Source};
pub use worker_url::fetch_engine;
