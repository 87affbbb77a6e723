//! Times as APIs write them: RFC 3339 to Unix seconds and back.

/// Seconds of a day.
const DAY: i64 = 86_400;

/// Unix seconds of `2026-11-21T00:37:51.25Z`. Without an offset the time is UTC, as W&B means it. `None` for anything
/// else.
pub fn unix_seconds(text: &str) -> Option<f64> {
    let (date, time) = text.trim().split_once(['T', 't', ' '])?;
    let mut date = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let (time, offset) = split_offset(time)?;
    let mut time = time.splitn(3, ':');
    let hour: i64 = time.next()?.parse().ok()?;
    let minute: i64 = time.next()?.parse().ok()?;
    let second: f64 = time.next().map_or(Some(0.0), |part| part.parse().ok())?;
    let is_sound = (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..=9999).contains(&year)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0.0..61.0).contains(&second);
    is_sound.then(|| (days(year, month, day) * DAY + hour * 3_600 + minute * 60 - offset) as f64 + second)
}

/// `2026-11-21T00:37:51Z` for Unix seconds, fractions cut off. Times before 1970 or after 9999 are their nearest end.
pub fn rfc3339(seconds: f64) -> String {
    let seconds = (seconds.max(0.0) as i64).min(253_402_300_799);
    let (day, time) = (seconds / DAY, seconds % DAY);
    let (year, month, day) = civil(day);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", time / 3_600, time / 60 % 60, time % 60)
}

/// The time without its offset, and the offset in seconds.
fn split_offset(time: &str) -> Option<(&str, i64)> {
    if let Some(utc) = time.strip_suffix(['Z', 'z']) {
        return Some((utc, 0));
    }
    let Some(place) = time.rfind(['+', '-']) else { return Some((time, 0)) };
    let (time, offset) = time.split_at_checked(place)?;
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    let digits: String = offset.chars().filter(char::is_ascii_digit).collect();
    let number: i64 = digits.parse().ok()?;
    let (hours, minutes) = if digits.len() > 2 { (number / 100, number % 100) } else { (number, 0) };
    Some((time, sign * (hours * 3_600 + minutes * 60)))
}

/// Days from 1970-01-01 (Howard Hinnant's days_from_civil).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Year, month and day of a day from 1970-01-01 on.
fn civil(day: i64) -> (i64, i64, i64) {
    let day = day + 719_468;
    let era = day.div_euclid(146_097);
    let of_era = day.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_come_back() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0.0),
            ("2026-11-21T00:37:51Z", 1_795_221_471.0),
            ("2000-02-29T23:59:59Z", 951_868_799.0),
            ("2024-12-31T12:00:00Z", 1_735_646_400.0),
        ] {
            assert_eq!(unix_seconds(text), Some(seconds), "{text}");
            assert_eq!(rfc3339(seconds), text);
        }
        assert_eq!(unix_seconds("2026-11-21T00:37:51"), Some(1_795_221_471.0));
        assert_eq!(unix_seconds("2026-11-21T01:37:51.5+01:00"), Some(1_795_221_471.5));
        assert_eq!(unix_seconds("2026-11-20 16:37:51-0800"), Some(1_795_221_471.0));
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in
            ["", "now", "2026-11-21", "2026-13-01T00:00:00Z", "2026-01-01T25:00:00Z", "x-y-zT1:2:3", "1-1-1Té:0"]
        {
            assert_eq!(unix_seconds(text), None, "{text}");
        }
    }
}
