//! The trait that sends requests: the one thing that a browser, a test and a terminal do differently.

use std::future::Future;

use super::{HttpRequest, Incoming, TransportError};

/// Sends requests. Futures need not be `Send`: a page has one thread.
pub trait Transport {
    /// Sends one request and hands the answer to `incoming` as it comes, piece by piece; stops reading where that is an
    /// error. Redirects are not followed. Dropping the future aborts the request.
    fn send(&self, request: &HttpRequest, incoming: &Incoming) -> impl Future<Output = Result<(), TransportError>>;

    /// Waits.
    fn sleep(&self, milliseconds: u32) -> impl Future<Output = ()>;
}

impl<T: Transport> Transport for &T {
    fn send(&self, request: &HttpRequest, incoming: &Incoming) -> impl Future<Output = Result<(), TransportError>> {
        (**self).send(request, incoming)
    }

    fn sleep(&self, milliseconds: u32) -> impl Future<Output = ()> {
        (**self).sleep(milliseconds)
    }
}
