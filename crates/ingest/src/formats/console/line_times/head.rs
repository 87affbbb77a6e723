//! The time at the head of a line, in the forms that loggers write: with a date, with a day of the year, or of a day.
//!
//! Every line of a log is looked at, most of which begin with no time: the first byte tells most of them.

use crate::time::day_start;

/// Words that loggers put before the time.
const LEVELS: [&[u8]; 6] = [b"INFO", b"WARNING", b"WARN", b"DEBUG", b"ERROR", b"CRITICAL"];
/// What may stand between such a word and the time.
const BETWEEN: &[u8] = b" \t:|-[";
/// Longest text in brackets before the time, in bytes.
const MAX_BRACKETS: usize = 60;

/// A time as it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum HeadTime {
    /// With its year; Unix seconds, read as UTC where no offset is given.
    Dated { year: i64, seconds: f64 },
    /// Without a year, the clock in seconds of the day.
    OfYear { month: i64, day: i64, clock: f64 },
    /// Without a date.
    OfDay { clock: f64 },
}

/// The time at the head of a line, behind a level (`INFO:`) or one text in brackets (`[INFO|trainer.py:7]`).
pub(super) fn head_time(text: &str) -> Option<HeadTime> {
    let bytes = text.as_bytes();
    match bytes {
        [b'0'..=b'9', ..] => time(bytes),
        [b'[', rest @ ..] => time(rest).or_else(|| time(behind_brackets(rest)?)),
        [b'I' | b'W' | b'D' | b'E' | b'C', rest @ ..] => {
            let behind = LEVELS.iter().find_map(|level| bytes.strip_prefix(*level));
            behind.map_or_else(|| short_date(rest), |rest| time(without_signs(rest)))
        }
        _ => None,
    }
}

fn behind_brackets(bytes: &[u8]) -> Option<&[u8]> {
    let near = bytes.get(..MAX_BRACKETS).unwrap_or(bytes);
    let end = memchr::memchr(b']', near)?;
    bytes.get(end + 1..).map(without_signs)
}

fn without_signs(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|byte| !BETWEEN.contains(byte)).unwrap_or(bytes.len());
    bytes.get(end..).unwrap_or_default()
}

fn time(bytes: &[u8]) -> Option<HeadTime> {
    let (first, rest) = pair(bytes)?;
    match rest {
        [b':', ..] => {
            let (clock, rest) = clock(bytes)?;
            ends(rest).then_some(HeadTime::OfDay { clock })
        }
        [b'0'..=b'9', b'0'..=b'9', b'-' | b'/', ..] => {
            let (second, rest) = pair(rest)?;
            let (month, day, rest) = month_and_day(rest.get(1..)?)?;
            let [b' ' | b'T' | b'_', rest @ ..] = rest else { return None };
            let (clock, rest) = clock(rest)?;
            let year = 100 * first + second;
            let seconds = day_start(year, month, day)? + clock - offset(rest);
            (ends(rest) && (2001..2200).contains(&year)).then_some(HeadTime::Dated { year, seconds })
        }
        // As Python writes a date in the usual locale: the month first.
        [b'-' | b'/', ..] => {
            let (month, day, rest) = month_and_day(bytes)?;
            let (year, rest) = match rest {
                [b'/', rest @ ..] => pair(rest).map(|(year, rest)| (Some(2000 + year), rest))?,
                _ => (None, rest),
            };
            let [b' ', rest @ ..] = rest else { return None };
            let (clock, rest) = clock(rest)?;
            if !ends(rest) {
                return None;
            }
            Some(match year {
                Some(year) => HeadTime::Dated { year, seconds: day_start(year, month, day)? + clock },
                None => HeadTime::OfYear { month, day, clock },
            })
        }
        _ => None,
    }
}

/// The time of glog and PyTorch's launcher, behind the letter of its level: `0606 11:12:45.781000`.
fn short_date(bytes: &[u8]) -> Option<HeadTime> {
    let (month, rest) = pair(bytes)?;
    let (day, rest) = pair(rest)?;
    let [b' ', rest @ ..] = rest else { return None };
    let (clock, rest) = clock(rest)?;
    let is_day = (1..=12).contains(&month) && (1..=31).contains(&day);
    (is_day && ends(rest)).then_some(HeadTime::OfYear { month, day, clock })
}

/// `01-31` or `01/31`, and what follows.
fn month_and_day(bytes: &[u8]) -> Option<(i64, i64, &[u8])> {
    let (month, rest) = pair(bytes)?;
    let [b'-' | b'/', rest @ ..] = rest else { return None };
    let (day, rest) = pair(rest)?;
    ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some((month, day, rest))
}

/// `12:00:03`, perhaps with parts of a second, as seconds, and what follows.
fn clock(bytes: &[u8]) -> Option<(f64, &[u8])> {
    let (hours, rest) = pair(bytes)?;
    let [b':', rest @ ..] = rest else { return None };
    let (minutes, rest) = pair(rest)?;
    let [b':', rest @ ..] = rest else { return None };
    let (seconds, rest) = pair(rest)?;
    if hours > 23 || minutes > 59 || seconds > 60 {
        return None;
    }
    let whole = (3600 * hours + 60 * minutes + seconds) as f64;
    let [b'.' | b',', decimals @ ..] = rest else { return Some((whole, rest)) };
    let length = decimals.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, behind) = decimals.split_at_checked(length)?;
    let part = digits.iter().rev().fold(0.0, |part, digit| (part + f64::from(digit - b'0')) / 10.0);
    Some((whole + part, if digits.is_empty() { rest } else { behind }))
}

/// Seconds of the offset behind a time, such as `+08:00` or `-0700`; 0 where there is none.
fn offset(bytes: &[u8]) -> f64 {
    let (sign, rest) = match bytes {
        [b'+', rest @ ..] => (1.0, rest),
        [b'-', rest @ ..] => (-1.0, rest),
        _ => return 0.0,
    };
    let hours_and_minutes = || {
        let (hours, rest) = pair(rest)?;
        let (minutes, _) = pair(rest.strip_prefix(b":").unwrap_or(rest))?;
        Some(sign * (3600 * hours + 60 * minutes) as f64)
    };
    hours_and_minutes().unwrap_or(0.0)
}

/// True for what may follow a time: not the rest of a word or of a longer number, nor the time that is left (`00:10:00<01:00`).
fn ends(rest: &[u8]) -> bool {
    !matches!(rest, [b'<' | b'/' | b'_' | b'0'..=b'9' | b'A'..=b'Y' | b'a'..=b'z', ..])
}

/// A number of two digits, and what follows.
fn pair(bytes: &[u8]) -> Option<(i64, &[u8])> {
    match bytes {
        [tens @ b'0'..=b'9', ones @ b'0'..=b'9', rest @ ..] => {
            Some((i64::from(10 * (tens - b'0') + (ones - b'0')), rest))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::iso_seconds;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for text in [
            "2026-01-01T12:00:03", "2024-02-29 23:59:59.5", "2024-03-01 00:00:00", "2100-12-31 07:08:09",
            "2026-01-01T01:00:03+08:00", "2026-01-01 01:00:03.25-0730",
        ] {
            let Some(HeadTime::Dated { seconds, .. }) = head_time(text) else { panic!("{text}") };
            assert!((seconds - iso_seconds(text).unwrap()).abs() < 1e-3, "{text}");
        }
    }

    #[test]
    fn other_heads_are_no_times() {
        for text in [
            "", "12", "12:00", "12:00:0", "25:00:00 x", "[12/100 12:00:03, x]", "[00:10:03<01:00:00, 3.1s/it]",
            "2026-13-01 12:00:00", "2026-01-01", "2026-01-01 step 3", "1234-01-01 12:00:00", "12:00:001",
            "[rank0]: Traceback", "INFO loading", "I2026-01-01", "Epoch 01-01 12:00:00", "20260101 12:00:00",
        ] {
            assert_eq!(head_time(text), None, "{text}");
        }
        assert!(head_time("[2026-08-16 16:09:52 TP0] x").is_some());
        assert_eq!(head_time("INFO 01-02 00:00:03.5 x"), Some(HeadTime::OfYear { month: 1, day: 2, clock: 3.5 }));
    }
}
