//! An answer on its way in, and the rules that it has to keep: no redirect, no more bytes than were allowed, none of
//! them too slowly.
//!
//! The rules stand here and not in a transport, so that a browser, a terminal and a test keep the same ones.

use std::cell::{Cell, RefCell};

use super::address::host_of;
use super::{HttpResponse, TransportError};

/// Milliseconds between two looks at what has come ([`Incoming::tick`]).
pub const TICK_MS: u32 = 5_000;
/// Milliseconds that a server may send nothing.
const SILENCE_MS: u64 = 30_000;
/// Milliseconds for an answer, whatever its size …
const GRACE_MS: u64 = 120_000;
/// … and one more for so many bytes of it. A server that sends a byte now and then never falls silent and never ends; four
/// honest answers at once at this rate are half a megabit a second.
const BYTES_PER_MS: u64 = 16;

/// An answer on its way in.
#[derive(Debug)]
pub struct Incoming {
    response: RefCell<HttpResponse>,
    limit: u64,
    received: Cell<u64>,
    pace: Cell<Pace>,
}

/// How long an answer takes. Time is counted in ticks: the core has no clock, and a machine that slept was not waiting.
#[derive(Debug, Clone, Copy, Default)]
struct Pace {
    elapsed_ms: u64,
    silent_ms: u64,
    received: u64,
}

impl Incoming {
    /// Nothing yet, of an answer of at most `limit` bytes.
    pub fn new(limit: u64) -> Self {
        Self { response: RefCell::default(), limit, received: Cell::new(0), pace: Cell::default() }
    }

    /// Takes status and headers; the body of `head` is empty. `location` is where a redirect points to.
    ///
    /// # Errors
    /// For a redirect, and for a length beyond the limit: read no further.
    pub fn begin(&self, head: HttpResponse, location: Option<&str>) -> Result<(), TransportError> {
        if matches!(head.status, 300..=303 | 305..=308) {
            return Err(TransportError::Redirected { target: location.and_then(host_of).map(str::to_owned) });
        }
        // Of an error as well: its body is read for its message.
        if head.content_length.is_some_and(|length| length > self.limit) && !head.has_no_body {
            return Err(TransportError::TooLarge { limit: self.limit });
        }
        *self.response.borrow_mut() = head;
        Ok(())
    }

    /// Takes the next bytes of the body.
    ///
    /// # Errors
    /// When there are more than the limit: read no further.
    pub fn push(&self, bytes: &[u8]) -> Result<(), TransportError> {
        let received = self.received.get().saturating_add(bytes.len() as u64);
        if received > self.limit {
            return Err(TransportError::TooLarge { limit: self.limit });
        }
        self.received.set(received);
        self.response.borrow_mut().body.extend_from_slice(bytes);
        Ok(())
    }

    /// Adds an answer that is there as a whole.
    ///
    /// # Errors
    /// As [`Incoming::begin`] and [`Incoming::push`].
    pub fn push_whole(&self, mut response: HttpResponse) -> Result<(), TransportError> {
        let body = std::mem::take(&mut response.body);
        self.begin(response, None)?;
        self.push(&body)
    }

    /// What came.
    pub(super) fn into_response(self) -> HttpResponse {
        self.response.into_inner()
    }

    /// Notes that [`TICK_MS`] are over; what is wrong with the pace, if anything is.
    pub fn tick(&self) -> Option<TransportError> {
        let mut pace = self.pace.get();
        let received = self.received.get();
        pace.elapsed_ms += u64::from(TICK_MS);
        pace.silent_ms = if received > pace.received { 0 } else { pace.silent_ms + u64::from(TICK_MS) };
        pace.received = received;
        self.pace.set(pace);
        if pace.silent_ms >= SILENCE_MS {
            return Some(TransportError::Silent);
        }
        (pace.elapsed_ms > GRACE_MS + received / BYTES_PER_MS).then_some(TransportError::Slow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(status: u16, content_length: Option<u64>) -> HttpResponse {
        HttpResponse { status, content_length, ..HttpResponse::default() }
    }

    #[test]
    fn a_redirect_is_an_error_that_names_its_target() {
        for (status, location, target) in [
            (307, Some("https://user:pass@evil.example:8443/x?q#f"), Some("evil.example:8443")),
            (301, Some("//evil.example/x"), Some("evil.example")),
            (308, Some("/elsewhere"), None),
            (302, None, None),
        ] {
            let target = target.map(str::to_owned);
            let came = Incoming::new(10).begin(head(status, None), location);
            assert_eq!(came, Err(TransportError::Redirected { target }), "{status} {location:?}");
        }
        assert_eq!(Incoming::new(10).begin(head(304, None), None), Ok(()));
    }

    #[test]
    fn no_more_is_taken_than_was_allowed() {
        let too_large = Err(TransportError::TooLarge { limit: 10 });
        assert_eq!(Incoming::new(10).begin(head(200, Some(11)), None), too_large);
        let asked_for_size = HttpResponse { has_no_body: true, ..head(200, Some(11)) };
        assert_eq!(Incoming::new(10).begin(asked_for_size, None), Ok(()));
        let incoming = Incoming::new(10);
        incoming.begin(head(200, Some(10)), None).unwrap();
        incoming.push(b"0123456789").unwrap();
        assert_eq!(incoming.push(b"x"), too_large);
        assert_eq!(incoming.into_response().body, b"0123456789");
    }

    /// Seconds after which an answer is given up that brings so many bytes in each tick.
    fn ends_after(bytes: usize) -> (u64, TransportError) {
        let incoming = Incoming::new(u64::MAX);
        for tick in 1..100_000 {
            incoming.push(&vec![b' '; bytes]).unwrap();
            if let Some(error) = incoming.tick() {
                return (tick * u64::from(TICK_MS) / 1_000, error);
            }
        }
        panic!("it never ends");
    }

    #[test]
    fn silence_and_dripping_end() {
        assert_eq!(ends_after(0), (30, TransportError::Silent));
        assert_eq!(ends_after(10), (125, TransportError::Slow));
        // 8 kB a second: half of the time is owed.
        assert_eq!(ends_after(40_000), (245, TransportError::Slow));
    }

    #[test]
    fn what_comes_at_a_fair_pace_may_take_its_time() {
        let incoming = Incoming::new(u64::MAX);
        for _ in 0..1_000 {
            incoming.push(&[0; 80_000]).unwrap();
            assert_eq!(incoming.tick(), None);
        }
    }
}
