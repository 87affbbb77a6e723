//! The W&B API: finds runs, fetches their history without losing spikes, and follows runs that still go on.
//!
//! There is no official documentation of this API. What is sent was taken from the W&B SDK 0.31 and the web app, and
//! `tests/wandb/peer.rs` holds it against the real SDK. Everything here is plain async code over a
//! [`Transport`](rundown_http::Transport); no executor, no clock.
//!
//! - [`Reference`] reads what the user pasted, [`Selection`] says which runs of it a list holds.
//! - [`Client`] sends queries; the key goes to `{base URL}/graphql` and `{base URL}/files` alone.
//! - [`RunFilter`] filters the runs of a project by a query.
//! - [`Download`] fetches one run, [`Extras`] its tables and the list of its files. Both can be stopped and gone on
//!   with; [`Unfinished`] keeps them until then.
//! - [`Follower`] asks a running run for what is new.
//! - [`exporter_script`] and [`proxy_script`] are for users whose server does not let a page read its answers.

mod client;
mod console;
mod cursors;
mod decode;
mod error;
mod exporter;
mod extras;
mod files;
mod filter;
mod follow;
mod history;
mod listing;
mod queries;
mod reference;
mod selection;
mod unfinished;

pub use client::WandbClient;
pub use error::{ApiError, CorsWorkaround};
pub use exporter::{exporter_script, proxy_script};
pub use extras::Extras;
pub use files::RunFile;
pub use filter::{FilteredRuns, RunFilter};
pub use follow::Follower;
pub use history::{Download, FetchOptions, FetchProgress};
pub use listing::{ListColumns, Page, ProjectInfo, RunInfo};
pub use reference::{BadReference, DEFAULT_BASE_URL, Reference, RunRef, What};
pub use selection::{Order, RunSelection};
pub use unfinished::Unfinished;
