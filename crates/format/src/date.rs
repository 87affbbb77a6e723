//! Points in time, in UTC. The caller has the clock.

use jiff::Timestamp;
use jiff::tz::Offset;

/// `2026-11-21T00:37:51Z` for Unix seconds, as web APIs want it; fractions cut off. Times before 1970 are its first
/// second, times after 9999 the last one that can be written.
pub fn rfc3339(unix_seconds: f64) -> String {
    Timestamp::from_second(unix_seconds.max(0.0) as i64).map_or_else(|_| last(), |time| time.to_string())
}

/// Unix seconds as `2026-11-20 14:05 UTC`, for people. `None` outside the years 1970 to 9999.
pub fn utc(unix_seconds: f64) -> Option<String> {
    if unix_seconds.is_nan() || unix_seconds < 0.0 {
        return None;
    }
    let time = Offset::UTC.to_datetime(Timestamp::from_second(unix_seconds as i64).ok()?);
    let (year, month, day, hour, minute) = (time.year(), time.month(), time.day(), time.hour(), time.minute());
    Some(format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02} UTC"))
}

fn last() -> String {
    Timestamp::from_second(Timestamp::MAX.as_second()).unwrap_or_default().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0.0),
            ("2026-11-21T00:37:51Z", 1_795_221_471.9),
            ("2000-02-29T23:59:59Z", 951_868_799.0),
            ("2024-12-31T12:00:00Z", 1_735_646_400.0),
            ("1970-01-01T00:00:00Z", -5.0),
            ("1970-01-01T00:00:00Z", f64::NAN),
            ("9999-12-30T22:00:00Z", f64::INFINITY),
        ] {
            assert_eq!(rfc3339(seconds), text);
        }
    }

    #[test]
    fn people_read_minutes() {
        assert_eq!(utc(0.0).unwrap(), "1970-01-01 00:00 UTC");
        assert_eq!(utc(951_827_696.0).unwrap(), "2000-02-29 12:34 UTC");
        assert_eq!(utc(1_795_183_500.5).unwrap(), "2026-11-20 14:05 UTC");
        for outside in [f64::NAN, -1.0, 1e300] {
            assert_eq!(utc(outside), None);
        }
    }
}
