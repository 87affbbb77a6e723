//! One user's talk with one server: retries, a shared brake, counts of what came, and a way to stop.

use std::cell::Cell;
use std::rc::Rc;

use super::{Pause, Request, Response, Retries, Transport, TransportError, is_worth_retrying};

/// Requests at once. A browser opens six connections to a host; four leave two for the user's own W&B tab, and a
/// server that limits the time in its database gains nothing from more.
const MOST_AT_ONCE: u32 = 4;
/// Answers in a row after which one more request at once is dared again.
const CALM: u32 = 8;
/// A wait is slept in pieces of this many milliseconds, so that stopping is felt at once.
const NAP_MS: u32 = 250;

/// Stops what it was given to. Clones stop the same.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Rc<Cell<bool>>);

impl Cancel {
    /// Stops.
    pub fn cancel(&self) {
        self.0.set(true);
    }

    /// True once stopped.
    pub fn is_cancelled(&self) -> bool {
        self.0.get()
    }
}

/// What happens, for a progress line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// An answer came.
    Received {
        /// Size of its body.
        bytes: u64,
    },
    /// The server wants a pause, or failed.
    Waiting {
        /// How long.
        milliseconds: u32,
        /// Status that it answered with, where it did.
        status: Option<u16>,
    },
}

/// Why a request has no good answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// No answer came.
    Transport(TransportError),
    /// An answer came with a status other than 2xx, after all retries.
    Status(Response),
}

/// State that all requests share.
pub struct Session<T> {
    transport: T,
    retries: Retries,
    cancel: Cancel,
    random: Cell<u64>,
    width: Cell<u32>,
    calm: Cell<u32>,
    requests: Cell<u64>,
    bytes: Cell<u64>,
    listener: Option<Box<dyn Fn(Event)>>,
}

impl<T: Transport> Session<T> {
    /// A session over `transport`. `seed` is any number, best a random one: it spreads the retries of many pages.
    pub fn new(transport: T, seed: u64) -> Self {
        Self {
            transport,
            retries: Retries::default(),
            cancel: Cancel::default(),
            random: Cell::new(seed | 1),
            width: Cell::new(MOST_AT_ONCE),
            calm: Cell::new(0),
            requests: Cell::new(0),
            bytes: Cell::new(0),
            listener: None,
        }
    }

    /// Sets how often a request is tried again.
    pub fn with_retries(mut self, retries: Retries) -> Self {
        self.retries = retries;
        self
    }

    /// Stops when `cancel` does.
    pub fn with_cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// Tells `listener` what happens.
    pub fn with_listener(mut self, listener: impl Fn(Event) + 'static) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }

    /// How many requests may be under way now. Halved when the server limits, and slowly raised again.
    pub fn width(&self) -> usize {
        self.width.get() as usize
    }

    /// Requests answered so far.
    pub fn requests(&self) -> u64 {
        self.requests.get()
    }

    /// Bytes of all bodies so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.get()
    }

    /// True once the user stopped.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Waits, unless stopped meanwhile.
    ///
    /// # Errors
    /// [`TransportError::Cancelled`].
    pub async fn wait(&self, mut milliseconds: u32) -> Result<(), TransportError> {
        while milliseconds > 0 && !self.is_cancelled() {
            let nap = milliseconds.min(NAP_MS);
            self.transport.sleep(nap).await;
            milliseconds -= nap;
        }
        if self.is_cancelled() { Err(TransportError::Cancelled) } else { Ok(()) }
    }

    /// Sends a request, again where that may help, and gives the answer when its status is 2xx.
    ///
    /// # Errors
    /// The last failure, when retries are used up or cannot help.
    pub async fn send(&self, request: &Request) -> Result<Response, Failure> {
        self.send_patiently(request, u32::MAX).await
    }

    /// As [`Session::send`], but gives up after so many failures of the server, for requests that may be too large and
    /// can be made smaller. Being limited (429) is no such failure.
    ///
    /// # Errors
    /// As [`Session::send`].
    pub async fn send_patiently(&self, request: &Request, patience: u32) -> Result<Response, Failure> {
        let mut pause = Pause::default();
        let mut failures = 0;
        loop {
            if self.is_cancelled() {
                return Err(Failure::Transport(TransportError::Cancelled));
            }
            let sent = self.transport.send(request).await;
            let (failure, can_heal) = match sent {
                Ok(response) => {
                    self.count(&response);
                    match response.status {
                        // Also when stopped meanwhile: what came need not be asked for again.
                        200..300 => return Ok(response),
                        status => (Failure::Status(response), is_worth_retrying(status)),
                    }
                }
                // A refusal by CORS does not heal, and a browser cannot tell it from anything else. But a server whose
                // answers could be read is not one that refuses: its 502 has no CORS headers, or the network is gone.
                Err(error) => {
                    let was_readable = self.requests.get() > 0;
                    let can_heal = error == TransportError::Cut || (error == TransportError::Blocked && was_readable);
                    (Failure::Transport(error), can_heal)
                }
            };
            if self.is_cancelled() {
                return Err(Failure::Transport(TransportError::Cancelled));
            }
            let answer = match &failure {
                Failure::Status(response) => Some(response),
                Failure::Transport(_) => None,
            };
            let is_limited = answer.is_some_and(|response| response.status == 429);
            failures += u32::from(!is_limited);
            let wait =
                if can_heal && failures < patience { pause.next(self.retries, answer, self.random()) } else { None };
            let Some(milliseconds) = wait else { return Err(failure) };
            self.tell(Event::Waiting { milliseconds, status: answer.map(|response| response.status) });
            self.wait(milliseconds).await.map_err(Failure::Transport)?;
        }
    }

    fn count(&self, response: &Response) {
        let bytes = response.body.len() as u64;
        self.requests.set(self.requests.get() + 1);
        self.bytes.set(self.bytes.get() + bytes);
        self.tell(Event::Received { bytes });
        if response.status == 429 {
            self.width.set((self.width.get() / 2).max(1));
            self.calm.set(0);
        } else if response.status < 300 {
            self.calm.set(self.calm.get() + 1);
            if self.calm.get() >= CALM {
                self.calm.set(0);
                self.width.set((self.width.get() + 1).min(MOST_AT_ONCE));
            }
        }
    }

    fn tell(&self, event: Event) {
        if let Some(listener) = &self.listener {
            listener(event);
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
    use super::super::fake::{Fake, answer, block_on};
    use super::*;

    fn get(fake: &Fake, session: &Session<&Fake>) -> Result<Response, Failure> {
        let _ = fake;
        block_on(session.send(&Request::get("http://x/")))
    }

    #[test]
    fn what_may_heal_is_tried_again_and_the_brake_is_pulled() {
        let fake = Fake::new([answer(429, "a"), answer(502, ""), Err(TransportError::Cut), answer(200, "good")]);
        let session = Session::new(&fake, 1);
        assert_eq!(get(&fake, &session).unwrap().body, b"good");
        assert_eq!((session.requests(), session.bytes(), session.width()), (3, 5, 2));
        let slept = fake.slept();
        assert!((14_000..=17_500).contains(&slept), "{slept}");
    }

    #[test]
    fn what_cannot_heal_is_not() {
        for status in [400, 401, 403, 404] {
            let fake = Fake::new([answer(status, "no")]);
            let session = Session::new(&fake, 1);
            assert!(matches!(get(&fake, &session), Err(Failure::Status(response)) if response.status == status));
            assert_eq!(fake.slept(), 0);
        }
        let fake = Fake::new([Err(TransportError::Blocked)]);
        let session = Session::new(&fake, 1);
        assert_eq!(get(&fake, &session), Err(Failure::Transport(TransportError::Blocked)));
    }

    #[test]
    fn a_server_that_was_readable_is_given_time() {
        let blocked = || Err(TransportError::Blocked);
        let fake = Fake::new([answer(200, ""), blocked(), blocked(), answer(200, "back")]);
        let session = Session::new(&fake, 1);
        get(&fake, &session).unwrap();
        assert_eq!(get(&fake, &session).unwrap().body, b"back");
    }

    #[test]
    fn stopping_ends_a_wait_within_a_nap() {
        let fake = Fake::new([answer(503, ""), answer(200, "")]);
        let cancel = Cancel::default();
        let stopper = cancel.clone();
        let session = Session::new(&fake, 1).with_cancel(cancel).with_listener(move |event| {
            if matches!(event, Event::Waiting { .. }) {
                stopper.cancel();
            }
        });
        assert_eq!(get(&fake, &session), Err(Failure::Transport(TransportError::Cancelled)));
        assert_eq!(fake.slept(), 0);
    }

    #[test]
    fn an_answer_that_came_before_the_stop_was_felt_is_kept() {
        let fake = Fake::new([answer(200, "late"), answer(200, "")]);
        let cancel = Cancel::default();
        let stopper = cancel.clone();
        let session = Session::new(&fake, 1).with_cancel(cancel).with_listener(move |_| stopper.cancel());
        assert_eq!(get(&fake, &session).unwrap().body, b"late");
        assert_eq!(get(&fake, &session), Err(Failure::Transport(TransportError::Cancelled)));
        assert_eq!(fake.asked().len(), 1);
    }

    #[test]
    fn the_brake_is_let_go_slowly() {
        let calm = (0..8).map(|_| answer(200, ""));
        let fake = Fake::new([answer(429, "")].into_iter().chain(calm));
        let session = Session::new(&fake, 1);
        for _ in 0..8 {
            get(&fake, &session).unwrap();
        }
        assert_eq!(session.width(), 3);
    }
}
