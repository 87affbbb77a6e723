//! HTTP for the clients of web APIs: a transport trait, retries with backoff, API keys that cannot be printed,
//! cancellation, and limits for servers that mean harm or are broken.
//!
//! The futures need no executor and are not `Send`: a page drives them with `wasm_bindgen_futures`, a test with any
//! runtime. In a page [`Transport::send`] is one `fetch` with `credentials: "omit"`, `redirect: "manual"` and
//! `mode: "cors"`; a `TypeError` before any status is [`TransportError::Blocked`], or [`TransportError::Offline`] where
//! `navigator.onLine` is false; the answer's `Retry-After` and `RateLimit-Reset` are handed on where the browser shows
//! them. [`Transport::sleep`] is a timer. What ends a request early ([`CancelToken::cancel`], a limit of [`Incoming`])
//! drops the transport's future, and with it the `fetch`.

mod address;
mod cancel;
mod incoming;
mod key;
mod message;
mod retry;
mod session;
mod transport;

pub use address::{host_of, is_at, origin_of};
pub use cancel::CancelToken;
pub use incoming::{Incoming, TICK_MS};
pub use key::{ApiKey, Authorization};
pub use message::{ANSWER_LIMIT, HttpMethod, HttpRequest, HttpResponse, TransportError};
pub use retry::{Backoff, is_worth_retrying, refused_wait};
pub use session::{HttpError, HttpSession};
pub use transport::Transport;

#[cfg(any(test, feature = "testing"))]
pub mod fake;
