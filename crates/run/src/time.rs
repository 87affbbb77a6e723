//! Points in time as text: ISO 8601 and RFC 3339, the forms of trackers, their exports and their APIs. How times are
//! written is `format`'s.
//!
//! The calendar is jiff's. What is added here is only what trackers write and its parser does not accept: times
//! without an offset (read as UTC), a blank before the offset, and the word `UTC` in its place.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;

/// Length of a date such as `2026-11-01`.
const DATE_LENGTH: usize = 10;
/// Nanoseconds of a second.
const NANOSECONDS: f64 = 1e9;

/// Unix seconds of an ISO 8601 time such as `2026-11-01T00:00:22.726498Z`, `2026-11-01 00:00:22+01:00` or
/// `2026-11-01`. Without an offset it is UTC. `None` for anything else, and for the forms without hyphens
/// (`20261101`), which are more often numbers.
pub fn iso_seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let text = text.strip_suffix(" UTC").unwrap_or(text);
    let (date, time) = text.split_at_checked(DATE_LENGTH)?;
    if date.as_bytes().get(4) != Some(&b'-') {
        return None;
    }
    let timestamp = match time.rsplit_once(' ') {
        Some((clock, offset)) if offset.starts_with(['+', '-']) => format!("{date}{clock}{offset}").parse().ok()?,
        _ => text.parse::<Timestamp>().ok().or_else(|| utc(text))?,
    };
    Some(timestamp.as_second() as f64 + f64::from(timestamp.subsec_nanosecond()) / NANOSECONDS)
}

/// Unix seconds at which a day begins in UTC; `None` for a day that is not in the calendar.
pub fn day_start(year: i64, month: i64, day: i64) -> Option<f64> {
    let date = Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()?;
    Some(Offset::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok()?.as_second() as f64)
}

/// A date or a time without an offset, read as UTC.
fn utc(text: &str) -> Option<Timestamp> {
    let time: DateTime = text.parse().ok()?;
    Offset::UTC.to_timestamp(time).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iso_times_are_seconds() {
        for (text, seconds) in [
            ("1970-01-01", 0.0),
            ("2000-02-29 12:00", 951_825_600.0),
            ("2000-02-29T12:00:00Z", 951_825_600.0),
            ("2024-02-29T12:30:05.5Z", 1_709_209_805.5),
            ("2024-12-31T12:00:00Z", 1_735_646_400.0),
            ("2026-11-01T00:00:22.5Z", 1_793_491_222.5),
            ("2026-11-01 01:00:22+01:00", 1_793_491_222.0),
            ("2026-11-01T00:00:22-0030", 1_793_493_022.0),
            ("2026-11-01T00:00:22 UTC", 1_793_491_222.0),
            ("2026-11-21T00:37:51", 1_795_221_471.0),
            ("2026-11-20 16:37:51-0800", 1_795_221_471.0),
            ("2026-11-01 01:00:22 +0100", 1_793_491_222.0),
            ("2026-11-01T00:00:22.123456789Z", 1_793_491_222.123_456_8),
            ("1969-12-31T23:59", -60.0),
            ("1969-12-31T23:59:59.5", -0.5),
        ] {
            assert_eq!(iso_seconds(text), Some(seconds), "{text}");
        }
    }

    #[test]
    fn other_text_is_no_time() {
        for text in [
            "", "now", "2026", "12:00", "2026-13-01", "2026-01-01T25:00:00Z", "2026-11-01T", "2026-11-01Tab:00",
            "1-1-1T1:1:1", "1-2-3-4T1:2", "20261101T000000", "2026110112", "2026-02-30", "2026-11-01T00:00:22Z Z",
            "é026-11-01",
        ] {
            assert_eq!(iso_seconds(text), None, "{text}");
        }
    }
}
