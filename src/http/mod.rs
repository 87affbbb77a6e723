//! HTTP for the clients of web APIs: a transport trait, retries with backoff, API keys that cannot be printed,
//! cancellation.
//!
//! The futures need no executor and are not `Send`: a page drives them with `wasm_bindgen_futures`, a test with any
//! runtime. In a page [`Transport::send`] is one `fetch` with `credentials: "omit"`, `redirect: "follow"` and
//! `mode: "cors"`; a `TypeError` before any status is [`TransportError::Blocked`], or [`TransportError::Offline`] where
//! `navigator.onLine` is false; the answer's `Retry-After` and `RateLimit-Reset` are handed on where the browser shows
//! them. [`Transport::sleep`] is a timer. A transport may abort its fetch when [`CancelToken::cancel`] is called.

mod key;
mod retry;
mod session;
mod transport;

pub use key::{ApiKey, Authorization};
pub use retry::{Backoff, is_worth_retrying};
pub use session::{CancelToken, HttpError, HttpSession};
pub use transport::{HttpMethod, HttpRequest, HttpResponse, Transport, TransportError};

#[cfg(test)]
pub(crate) mod fake;
