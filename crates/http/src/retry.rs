//! Which requests are retried, and the backoff between attempts.
//!
//! The numbers are those of the W&B SDK (core/internal/api): 2 s, doubled up to 60 s, with up to 25 % added at random
//! so that many pages do not come back at once. A wait that the server asks for takes precedence.

use super::HttpResponse;

/// Attempts after the first one. Six of them wait two minutes in all.
const ATTEMPTS: u32 = 6;
/// First wait in milliseconds.
const FIRST_MS: u32 = 2_000;
/// Longest backoff in milliseconds.
const LONGEST_MS: u32 = 60_000;
/// Longest wait, in milliseconds, that a server may ask for: beyond it the request fails, so that the user learns of it.
const LONGEST_GRANTED_MS: u32 = 300_000;
/// Statuses that a retry does not change.
const FINAL: [u16; 9] = [400, 401, 403, 404, 409, 410, 413, 422, 501];

/// True for a status after which the same request may succeed.
pub fn is_worth_retrying(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500..) && !FINAL.contains(&status)
}

/// Exponential backoff between the attempts of one request.
#[derive(Debug, Clone, Copy, Default)]
pub struct Backoff {
    attempt: u32,
}

impl Backoff {
    /// Milliseconds to wait before the next attempt, or `None` after the last one.
    ///
    /// `random` is any number; its low bits choose the jitter.
    pub fn next(&mut self, response: Option<&HttpResponse>, random: u64) -> Option<u32> {
        if self.attempt >= ATTEMPTS {
            return None;
        }
        let own = FIRST_MS.checked_shl(self.attempt.min(16)).unwrap_or(LONGEST_MS).min(LONGEST_MS);
        self.attempt += 1;
        let wanted = response.and_then(asked_wait);
        if response.and_then(refused_wait).is_some() {
            return None;
        }
        let base = wanted.unwrap_or(own);
        let jitter = (random % 1_024) as u32 * (base / 4) / 1_024;
        Some(base + jitter)
    }
}

/// Seconds for which a server wants to be left alone, where that is longer than it is waited for.
pub fn refused_wait(response: &HttpResponse) -> Option<u32> {
    asked_wait(response).filter(|wanted| *wanted > LONGEST_GRANTED_MS).map(|wanted| wanted / 1_000)
}

/// The wait that the server asks for, in milliseconds. A date in `Retry-After` is ignored: there is no clock here to compare it with.
fn asked_wait(response: &HttpResponse) -> Option<u32> {
    let seconds = |text: &Option<String>| text.as_deref()?.trim().parse::<f64>().ok().filter(|s| *s >= 0.0);
    let reset = || if response.status == 429 { seconds(&response.rate_limit_reset) } else { None };
    let asked = seconds(&response.retry_after).or_else(reset)?;
    Some((asked * 1_000.0).min(f64::from(u32::MAX)) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(retry_after: &str) -> HttpResponse {
        HttpResponse { status: 429, retry_after: Some(retry_after.to_owned()), ..HttpResponse::default() }
    }

    #[test]
    fn waits_double_up_to_a_minute_with_a_quarter_of_jitter() {
        let mut pause = Backoff::default();
        let waits: Vec<u32> = std::iter::from_fn(|| pause.next(None, 0)).collect();
        assert_eq!(waits, [2_000, 4_000, 8_000, 16_000, 32_000, 60_000]);
        let longest = Backoff::default().next(None, 1_023).unwrap();
        assert!((2_400..=2_500).contains(&longest), "{longest}");
    }

    #[test]
    fn the_server_is_obeyed_unless_it_asks_for_too_much() {
        assert_eq!(Backoff::default().next(Some(&limited("7")), 0), Some(7_000));
        assert_eq!(Backoff::default().next(Some(&limited("Wed, 21 Oct 2026 07:28:00 GMT")), 0), Some(2_000));
        assert_eq!(Backoff::default().next(Some(&limited("86400")), 0), None);
        assert_eq!(refused_wait(&limited("999999")), Some(999_999));
        assert_eq!(refused_wait(&limited("300")), None);
        assert_eq!(Backoff::default().next(Some(&limited("-1")), 0), Some(2_000));
        let reset = HttpResponse { status: 429, rate_limit_reset: Some("3".into()), ..HttpResponse::default() };
        assert_eq!(Backoff::default().next(Some(&reset), 0), Some(3_000));
    }

    #[test]
    fn only_what_may_heal_is_tried_again() {
        for status in FINAL {
            assert!(!is_worth_retrying(status), "{status}");
        }
        for status in [408, 429, 500, 502, 503, 504, 599] {
            assert!(is_worth_retrying(status), "{status}");
        }
        assert!(!is_worth_retrying(200));
    }
}
