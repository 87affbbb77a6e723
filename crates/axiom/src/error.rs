//! What can go wrong between the page and Axiom, in words that say what to do.

use rundown_format::duration;
use rundown_http::{HttpError, TransportError, refused_wait};

/// An error of Axiom's API. Its text never holds the token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AxiomError {
    /// 401.
    #[error("Axiom does not accept this token. Copy it again, and check that it belongs to this region.")]
    WrongToken,
    /// 403.
    #[error("This token may not query the data set. Give it the query permission for it in Axiom's settings.")]
    NoAccess,
    /// 404.
    #[error("Axiom knows no data set of this name. Check it for typing errors.")]
    NotFound,
    /// 400 and 422, and anything else that is refused.
    #[error("Axiom refused the query (status {status}). {message}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// What it said, without the token.
        message: String,
    },
    /// 429 after all retries.
    #[error("Axiom limits the request rate, and still did after several retries. Resume later: fetched data is kept.")]
    RateLimited,
    /// It asks for a longer wait than anybody waits for.
    #[error(
        "Rate limited: Axiom asks to wait {} before the next request. Resume then: fetched data is kept.",
        duration(f64::from(*seconds))
    )]
    LongWait {
        /// How long, in seconds.
        seconds: u32,
    },
    /// The request or its response was rejected by a rule of this client, such as that of redirects.
    #[error("The server at {server} {what} Check the address of the API.")]
    Rejected {
        /// Base of the API.
        server: String,
        /// What it did.
        what: TransportError,
    },
    /// 5xx after all retries.
    #[error("Axiom failed (status {status}), even after several retries. Resume later: fetched data is kept.")]
    Server {
        /// HTTP status.
        status: u16,
    },
    /// No answer that may be read.
    #[error(
        "{base_url} did not let this page read its answer (CORS), or it cannot be reached. Export the events as JSON or CSV in Axiom and drop the file instead."
    )]
    Blocked {
        /// Base of the API.
        base_url: String,
    },
    /// No network.
    #[error("There is no network connection. Connect and resume: fetched data is kept.")]
    Offline,
    /// The answer ended early, after all retries.
    #[error("Axiom's answer ended early, again and again. Resume later: fetched data is kept.")]
    Cut,
    /// The answer is not of the form that Axiom documents.
    #[error("Axiom's answer could not be understood: {what}. Check the address of the API.")]
    Malformed {
        /// What is wrong with it.
        what: String,
    },
    /// The user stopped it.
    #[error("Stopped. Data fetched so far is kept.")]
    Cancelled,
}

impl AxiomError {
    /// From what the transport or the status said.
    pub(crate) fn from_failure(failure: &HttpError, base_url: &str, message: String) -> Self {
        match failure {
            HttpError::Transport(TransportError::Offline) => AxiomError::Offline,
            HttpError::Transport(TransportError::Cancelled) => AxiomError::Cancelled,
            HttpError::Transport(TransportError::Cut) => AxiomError::Cut,
            HttpError::Transport(TransportError::Blocked) => AxiomError::Blocked { base_url: base_url.to_owned() },
            HttpError::Transport(what) => AxiomError::Rejected { server: base_url.to_owned(), what: what.clone() },
            HttpError::Status(response) if let Some(seconds) = refused_wait(response) => {
                AxiomError::LongWait { seconds }
            }
            HttpError::Status(response) => match response.status {
                401 => AxiomError::WrongToken,
                403 => AxiomError::NoAccess,
                404 => AxiomError::NotFound,
                429 => AxiomError::RateLimited,
                status @ 500.. if status != 501 => AxiomError::Server { status },
                status => AxiomError::Refused { status, message },
            },
        }
    }
}
