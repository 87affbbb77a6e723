//! Requests, responses and the trait that sends them: the one thing that a browser, a test and a terminal do
//! differently.

use std::future::Future;

use super::Authorization;

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
}

impl HttpRequest {
    /// A `GET` without authorization.
    pub fn get(url: &str) -> Self {
        Self { method: HttpMethod::Get, url: url.to_owned(), authorization: None, content_type: None, body: Vec::new() }
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
    /// The whole body.
    pub body: Vec<u8>,
}

/// Why there is no response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
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
}

/// Sends requests. Futures need not be `Send`: a page has one thread.
pub trait Transport {
    /// Sends one request and reads the whole answer. Redirects are followed, and the authorization is dropped on the
    /// way to another host (browsers and HTTP libraries do so).
    fn send(&self, request: &HttpRequest) -> impl Future<Output = Result<HttpResponse, TransportError>>;

    /// Waits.
    fn sleep(&self, milliseconds: u32) -> impl Future<Output = ()>;
}

impl<T: Transport> Transport for &T {
    fn send(&self, request: &HttpRequest) -> impl Future<Output = Result<HttpResponse, TransportError>> {
        (**self).send(request)
    }

    fn sleep(&self, milliseconds: u32) -> impl Future<Output = ()> {
        (**self).sleep(milliseconds)
    }
}
