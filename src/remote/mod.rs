//! What every client of a web API needs and none should write again: a transport that is a trait, retries that are
//! polite, a key that cannot be printed, a way to stop.
//!
//! The futures need no executor and are not `Send`: a page drives them with `wasm_bindgen_futures`, a test with any
//! runtime. In a page [`Transport::send`] is one `fetch` with `credentials: "omit"`, `redirect: "follow"` and
//! `mode: "cors"`; a `TypeError` before any status is [`TransportError::Blocked`], or [`TransportError::Offline`] where
//! `navigator.onLine` is false; the answer's `Retry-After` and `RateLimit-Reset` are handed on where the browser shows
//! them. [`Transport::sleep`] is a timer. Aborting the fetch when [`Cancel::cancel`] is called is the transport's part.

mod key;
mod retry;
mod session;
mod time;
mod transport;

pub use key::{Authorization, Key};
pub use retry::{Pause, Retries, is_worth_retrying};
pub use session::{Cancel, Event, Failure, Session};
pub use time::rfc3339;
pub use transport::{Method, Request, Response, Transport, TransportError};

#[cfg(test)]
pub(crate) mod fake;
