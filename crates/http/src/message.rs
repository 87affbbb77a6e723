//! Requests, responses, and why there is none.

use super::Authorization;
use rundown_format::bytes;

/// Most bytes of an answer that is parsed as a whole. What W&B and Axiom send for one query is a tenth of it.
pub const ANSWER_LIMIT: u64 = 64_000_000;

/// HTTP methods that are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpMethod {
    /// `GET`.
    Get,
    /// `HEAD`.
    Head,
    /// `POST`.
    Post,
}

/// A request. It carries no cookies.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpRequest {
    /// HttpMethod.
    pub method: HttpMethod,
    /// Absolute address.
    pub url: String,
    /// `Authorization`, only for the host that the user named.
    pub authorization: Option<Authorization>,
    /// `Content-Type` of the body.
    pub content_type: Option<&'static str>,
    /// Body, empty where there is none.
    pub body: Vec<u8>,
    /// Most bytes that the answer may have.
    pub limit: u64,
}

impl HttpRequest {
    /// A `GET` without authorization.
    pub fn get(url: &str) -> Self {
        Self {
            method: HttpMethod::Get,
            url: url.to_owned(),
            authorization: None,
            content_type: None,
            body: Vec::new(),
            limit: ANSWER_LIMIT,
        }
    }

    /// A `POST` of JSON.
    pub fn post_json(url: &str, body: Vec<u8>) -> Self {
        Self { method: HttpMethod::Post, content_type: Some("application/json"), body, ..Self::get(url) }
    }
}

/// A response with any status.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpResponse {
    /// HTTP status.
    pub status: u16,
    /// `Retry-After` as sent, where it can be read.
    pub retry_after: Option<String>,
    /// `RateLimit-Reset` (seconds) as sent, where it can be read.
    pub rate_limit_reset: Option<String>,
    /// `Content-Length`, where it can be read.
    pub content_length: Option<u64>,
    /// `Content-Length` is that of a body that does not come: the answer to `HEAD`.
    pub has_no_body: bool,
    /// The whole body.
    pub body: Vec<u8>,
}

impl HttpResponse {
    /// A response without its body, which arrives later. `header` gives the value of a header that can be read; names are
    /// in lower case.
    pub fn from_head(method: HttpMethod, status: u16, header: impl Fn(&str) -> Option<String>) -> Self {
        Self {
            status,
            retry_after: header("retry-after"),
            rate_limit_reset: header("ratelimit-reset"),
            content_length: header("content-length").and_then(|length| length.parse().ok()),
            has_no_body: method == HttpMethod::Head,
            body: Vec::new(),
        }
    }
}

/// Why there is no response. The texts of what a server did wrong follow its name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// This machine has no network.
    #[error("no network")]
    Offline,
    /// The request failed before any status: the server is down, or its answer may not be read from this page (CORS).
    /// A browser does not say which.
    #[error("no readable answer")]
    Blocked,
    /// The connection ended within the answer.
    #[error("the answer ended early")]
    Cut,
    /// The user stopped it.
    #[error("cancelled")]
    Cancelled,
    /// The server points to another address. It is not asked: it would get the query, and perhaps the key.
    #[error("answered with a redirect{}. It was not followed: nothing was sent there.", target_words(target))]
    Redirected {
        /// The host that it points to; `None` for another address of the same host, and in a browser, which does not tell.
        target: Option<String>,
    },
    /// No byte came for half a minute.
    #[error("sent nothing for 30 seconds.")]
    Silent,
    /// Bytes came, too few of them.
    #[error("responds too slowly: less than 16 kB/s over two minutes.")]
    Slow,
    /// More bytes came than were allowed.
    #[error("sent more than {}, the limit for this answer. It was not read further.", bytes(*limit))]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// This page was not told that it may ask this host, and has not.
    #[error("is not among the hosts that this page may contact, so no request was sent.")]
    NotNamed,
}

impl TransportError {
    /// True where the request or its response was rejected by a rule of this client; the text follows the server's name.
    pub fn is_rejection(&self) -> bool {
        matches!(self, Self::Redirected { .. } | Self::Silent | Self::Slow | Self::TooLarge { .. } | Self::NotNamed)
    }
}

fn target_words(target: &Option<String>) -> String {
    match target {
        Some(host) => format!(" to {host}"),
        None => " to another address".to_owned(),
    }
}
