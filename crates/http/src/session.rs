//! A session with one server: retries, a shared limit of concurrent requests, traffic counts, cancellation.

use std::cell::Cell;
use std::pin::pin;

use futures_util::future::{Either, select};

use super::incoming::TICK_MS;
use super::{Backoff, CancelToken, HttpRequest, HttpResponse, Incoming, Transport, TransportError, is_worth_retrying};

/// Requests at once. A browser opens six connections to a host; four leave two for the user's own W&B tab, and a
/// server that limits the time in its database gains nothing from more.
const MAX_AT_ONCE: u32 = 4;
/// Successful answers in a row after which the limit of concurrent requests is raised by one.
const RAISE_AFTER: u32 = 8;

/// A request that failed for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HttpError {
    /// No response came.
    Transport(TransportError),
    /// The status of the last attempt is not 2xx.
    Status(HttpResponse),
}

/// A session with one server; all its requests share retries, cancellation and the limit of concurrent requests.
pub struct HttpSession<T> {
    transport: T,
    cancel: CancelToken,
    max_attempts: u32,
    random: Cell<u64>,
    concurrency: Cell<u32>,
    successes: Cell<u32>,
    requests: Cell<u64>,
}

impl<T: Transport> HttpSession<T> {
    /// A session over `transport`. `seed` is any number, best a random one: it spreads the retries of many pages.
    pub fn new(transport: T, seed: u64) -> Self {
        Self {
            transport,
            cancel: CancelToken::default(),
            max_attempts: u32::MAX,
            random: Cell::new(seed | 1),
            concurrency: Cell::new(MAX_AT_ONCE),
            successes: Cell::new(0),
            requests: Cell::new(0),
        }
    }

    /// Ends with [`TransportError::Cancelled`] once `cancel` is cancelled.
    pub fn with_cancel(mut self, cancel: CancelToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// Limits the attempts of each request, for requests that somebody waits for.
    pub fn with_max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts;
        self
    }

    /// How many requests may be in flight. Halved when the server limits the rate (429), and slowly raised again.
    pub fn concurrency(&self) -> usize {
        self.concurrency.get() as usize
    }

    /// Responses so far.
    pub fn requests(&self) -> u64 {
        self.requests.get()
    }

    /// True once cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Waits, unless cancelled meanwhile.
    ///
    /// # Errors
    /// [`TransportError::Cancelled`].
    pub async fn wait(&self, milliseconds: u32) -> Result<(), TransportError> {
        let (slept, cancelled) = (pin!(self.transport.sleep(milliseconds)), pin!(self.cancel.cancelled()));
        match select(cancelled, slept).await {
            Either::Left(_) => Err(TransportError::Cancelled),
            Either::Right(_) => Ok(()),
        }
    }

    /// Sends a request once. Whatever ends it drops the transport's future, which aborts it.
    async fn attempt(&self, request: &HttpRequest) -> Result<HttpResponse, TransportError> {
        let incoming = Incoming::new(request.limit);
        {
            let (sending, watching) = (pin!(self.transport.send(request, &incoming)), pin!(self.watch(&incoming)));
            match select(sending, watching).await {
                Either::Left((sent, _)) => sent?,
                Either::Right((error, _)) => return Err(error),
            }
        }
        Ok(incoming.into_response())
    }

    /// Why an answer that does not end is not waited for any more.
    async fn watch(&self, incoming: &Incoming) -> TransportError {
        loop {
            if let Err(cancelled) = self.wait(TICK_MS).await {
                return cancelled;
            }
            if let Some(error) = incoming.tick() {
                return error;
            }
        }
    }

    /// Sends a request, with retries where they may help, and returns a response with status 2xx.
    ///
    /// # Errors
    /// That of the last attempt.
    pub async fn send(&self, request: &HttpRequest) -> Result<HttpResponse, HttpError> {
        self.send_at_most(request, u32::MAX).await
    }

    /// As [`HttpSession::send`] with at most `max_failures` failed attempts, for requests that may be too large and can
    /// be split. A rate limit (429) does not count as a failure.
    ///
    /// # Errors
    /// As [`HttpSession::send`].
    pub async fn send_at_most(&self, request: &HttpRequest, max_failures: u32) -> Result<HttpResponse, HttpError> {
        let mut pause = Backoff::default();
        let (mut attempts, mut failures) = (0, 0);
        loop {
            if self.is_cancelled() {
                return Err(HttpError::Transport(TransportError::Cancelled));
            }
            let sent = self.attempt(request).await;
            let (failure, is_retryable) = match sent {
                Ok(response) => {
                    self.count(&response);
                    match response.status {
                        // Also when cancelled meanwhile: what was received need not be requested again.
                        200..300 => return Ok(response),
                        status => (HttpError::Status(response), is_worth_retrying(status)),
                    }
                }
                // A retry does not lift a CORS refusal, and a browser cannot tell one from other failures. But a server
                // whose responses could be read before does not refuse: its 502 lacks CORS headers, or the network is down.
                Err(error) => {
                    let was_readable = self.requests.get() > 0;
                    let is_retryable =
                        error == TransportError::Cut || (error == TransportError::Blocked && was_readable);
                    (HttpError::Transport(error), is_retryable)
                }
            };
            if self.is_cancelled() {
                return Err(HttpError::Transport(TransportError::Cancelled));
            }
            let answer = match &failure {
                HttpError::Status(response) => Some(response),
                HttpError::Transport(_) => None,
            };
            let is_limited = answer.is_some_and(|response| response.status == 429);
            failures += u32::from(!is_limited);
            attempts += 1;
            let may_retry = failures < max_failures && attempts < self.max_attempts;
            let wait = if is_retryable && may_retry { pause.next(answer, self.random()) } else { None };
            let Some(milliseconds) = wait else { return Err(failure) };
            self.wait(milliseconds).await.map_err(HttpError::Transport)?;
        }
    }

    fn count(&self, response: &HttpResponse) {
        self.requests.set(self.requests.get() + 1);
        if response.status == 429 {
            self.concurrency.set((self.concurrency.get() / 2).max(1));
            self.successes.set(0);
        } else if response.status < 300 {
            self.successes.set(self.successes.get() + 1);
            if self.successes.get() >= RAISE_AFTER {
                self.successes.set(0);
                self.concurrency.set((self.concurrency.get() + 1).min(MAX_AT_ONCE));
            }
        }
    }

    /// xorshift64: enough to spread retries.
    fn random(&self) -> u64 {
        let mut state = self.random.get();
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        self.random.set(state);
        state
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::super::fake::{Fake, answer, block_on};
    use super::*;

    fn get(session: &HttpSession<impl Transport>) -> Result<HttpResponse, HttpError> {
        block_on(session.send(&HttpRequest::get("http://x/")))
    }

    #[test]
    fn transient_failures_are_retried_and_a_rate_limit_halves_the_concurrency() {
        let fake = Fake::new([answer(429, "a"), answer(502, ""), Err(TransportError::Cut), answer(200, "good")]);
        let session = HttpSession::new(&fake, 1);
        assert_eq!(get(&session).unwrap().body, b"good");
        assert_eq!((session.requests(), session.concurrency()), (3, 2));
        let slept = fake.slept();
        assert!((14_000..=17_500).contains(&slept), "{slept}");
    }

    #[test]
    fn who_waits_is_told_sooner() {
        for status in [429, 500] {
            let fake = Fake::new((0..9).map(|_| answer(status, "")));
            assert!(get(&HttpSession::new(&fake, 1).with_max_attempts(3)).is_err());
            assert_eq!(fake.asked().len(), 3, "{status}");
        }
    }

    #[test]
    fn permanent_failures_are_not_retried() {
        for status in [400, 401, 403, 404] {
            let fake = Fake::new([answer(status, "no")]);
            let session = HttpSession::new(&fake, 1);
            assert!(matches!(get(&session), Err(HttpError::Status(response)) if response.status == status));
            assert_eq!(fake.slept(), 0);
        }
        let fake = Fake::new([Err(TransportError::Blocked)]);
        let session = HttpSession::new(&fake, 1);
        assert_eq!(get(&session), Err(HttpError::Transport(TransportError::Blocked)));
    }

    #[test]
    fn a_blocked_answer_is_retried_after_a_readable_one() {
        let blocked = || Err(TransportError::Blocked);
        let fake = Fake::new([answer(200, ""), blocked(), blocked(), answer(200, "back")]);
        let session = HttpSession::new(&fake, 1);
        get(&session).unwrap();
        assert_eq!(get(&session).unwrap().body, b"back");
    }

    /// A transport whose user stops it: while the first answer comes, or in a wait that has no end of its own.
    struct Stopped<'f> {
        fake: &'f Fake,
        cancel: CancelToken,
        in_a_wait: bool,
    }

    impl Transport for Stopped<'_> {
        async fn send(&self, request: &HttpRequest, incoming: &Incoming) -> Result<(), TransportError> {
            if !self.in_a_wait {
                self.cancel.cancel();
            }
            self.fake.send(request, incoming).await
        }

        async fn sleep(&self, _: u32) {
            self.cancel.cancel();
            pending::<()>().await;
        }
    }

    fn stopped(fake: &Fake, in_a_wait: bool) -> HttpSession<Stopped<'_>> {
        let cancel = CancelToken::default();
        HttpSession::new(Stopped { fake, cancel: cancel.clone(), in_a_wait }, 1).with_cancel(cancel)
    }

    #[test]
    fn cancelling_ends_a_wait() {
        let fake = Fake::new([answer(503, ""), answer(200, "")]);
        assert_eq!(get(&stopped(&fake, true)), Err(HttpError::Transport(TransportError::Cancelled)));
        assert_eq!(fake.asked().len(), 1);
    }

    #[test]
    fn a_response_received_before_the_cancellation_is_returned() {
        let fake = Fake::new([answer(200, "late"), answer(200, "")]);
        let session = stopped(&fake, false);
        assert_eq!(get(&session).unwrap().body, b"late");
        assert_eq!(get(&session), Err(HttpError::Transport(TransportError::Cancelled)));
        assert_eq!(fake.asked().len(), 1);
    }

    /// A server that sends a head and some bytes, and no end. Says how many of its requests were dropped.
    struct Endless {
        bytes: usize,
        dropped: Cell<u32>,
        slept_ms: Cell<u64>,
        cancel_after_ms: u64,
        cancel: CancelToken,
    }

    struct Open<'e>(&'e Endless);

    impl Drop for Open<'_> {
        fn drop(&mut self) {
            self.0.dropped.set(self.0.dropped.get() + 1);
        }
    }

    impl Transport for Endless {
        async fn send(&self, _: &HttpRequest, incoming: &Incoming) -> Result<(), TransportError> {
            let _open = Open(self);
            incoming.begin(HttpResponse { status: 200, ..HttpResponse::default() }, None)?;
            incoming.push(&vec![b' '; self.bytes])?;
            pending().await
        }

        async fn sleep(&self, milliseconds: u32) {
            self.slept_ms.set(self.slept_ms.get() + u64::from(milliseconds));
            if self.slept_ms.get() >= self.cancel_after_ms {
                self.cancel.cancel();
            }
        }
    }

    /// What came of it, and after how many milliseconds.
    fn endless(bytes: usize, cancel_after_ms: u64) -> (TransportError, u64) {
        let cancel = CancelToken::default();
        let (dropped, slept_ms) = (Cell::new(0), Cell::new(0));
        let endless = Endless { bytes, dropped, slept_ms, cancel_after_ms, cancel: cancel.clone() };
        let session = HttpSession::new(&endless, 1).with_cancel(cancel);
        let Err(HttpError::Transport(error)) = get(&session) else { panic!("it answered") };
        assert_eq!(endless.dropped.get(), 1, "a request was left open, or sent again");
        (error, endless.slept_ms.get())
    }

    #[test]
    fn an_answer_that_does_not_end_is_given_up() {
        assert_eq!(endless(9, u64::MAX), (TransportError::Silent, 35_000));
        assert_eq!(endless(65 << 20, u64::MAX), (TransportError::TooLarge { limit: 64_000_000 }, 0));
        assert_eq!(endless(9, 10_000), (TransportError::Cancelled, 10_000));
    }

    #[test]
    fn a_redirect_is_neither_followed_nor_tried_again() {
        let fake = Fake::new([answer(307, ""), answer(200, "")]);
        let session = HttpSession::new(&fake, 1);
        assert_eq!(get(&session), Err(HttpError::Transport(TransportError::Redirected { target: None })));
        assert_eq!((fake.asked().len(), fake.slept()), (1, 0));
    }

    #[test]
    fn the_concurrency_is_raised_slowly() {
        let successes = (0..8).map(|_| answer(200, ""));
        let fake = Fake::new([answer(429, "")].into_iter().chain(successes));
        let session = HttpSession::new(&fake, 1);
        for _ in 0..8 {
            get(&session).unwrap();
        }
        assert_eq!(session.concurrency(), 3);
    }
}
