//! A transport with canned responses for unit tests; it never waits.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::{HttpRequest, HttpResponse, Incoming, Transport, TransportError};

/// Answers in order and remembers what was asked.
pub struct Fake {
    answers: RefCell<VecDeque<Result<HttpResponse, TransportError>>>,
    asked: RefCell<Vec<HttpRequest>>,
    slept: Cell<u32>,
}

impl Fake {
    /// A transport with these answers; when they are used up the network is gone.
    pub fn new(answers: impl IntoIterator<Item = Result<HttpResponse, TransportError>>) -> Self {
        Self { answers: RefCell::new(answers.into_iter().collect()), asked: RefCell::default(), slept: Cell::default() }
    }

    /// Requests so far.
    pub fn asked(&self) -> Vec<HttpRequest> {
        self.asked.borrow().clone()
    }

    /// Milliseconds that would have been slept.
    pub fn slept(&self) -> u32 {
        self.slept.get()
    }
}

impl Transport for Fake {
    async fn send(&self, request: &HttpRequest, incoming: &Incoming) -> Result<(), TransportError> {
        self.asked.borrow_mut().push(request.clone());
        incoming.push_whole(self.answers.borrow_mut().pop_front().unwrap_or(Err(TransportError::Offline))?)
    }

    async fn sleep(&self, milliseconds: u32) {
        self.slept.set(self.slept.get() + milliseconds);
    }
}

/// An answer.
pub fn answer(status: u16, body: &str) -> Result<HttpResponse, TransportError> {
    Ok(HttpResponse { status, body: body.as_bytes().to_vec(), ..HttpResponse::default() })
}

/// Runs a future that never waits.
///
/// # Panics
/// When it waits.
#[allow(clippy::panic, reason = "a test fails by panicking")]
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..1_000_000 {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
    panic!("the future waits");
}
