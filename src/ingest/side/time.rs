//! Times as W&B writes them: `2026-11-20T23:57:04.123456Z`.

/// Unix seconds of an ISO 8601 time; without an offset it is UTC, as W&B's is.
pub(super) fn unix_seconds(text: &str) -> Option<f64> {
    let (date, time) = text.trim().split_once(['T', ' '])?;
    let mut date = date.split('-').map(str::parse::<i64>);
    let (year, month, day) = (date.next()?.ok()?, date.next()?.ok()?, date.next()?.ok()?);
    let is_date = (1970..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    let time = time.strip_suffix('Z').unwrap_or(time);
    let (time, offset) = match time.rsplit_once(['+', '-']) {
        Some((clock, offset)) => (clock, offset_seconds(offset)? * if time.contains('+') { 1.0 } else { -1.0 }),
        None => (time, 0.0),
    };
    let mut clock = time.split(':').map(str::parse::<f64>);
    let (hour, minute) = (clock.next()?.ok()?, clock.next()?.ok()?);
    let second = clock.next().unwrap_or(Ok(0.0)).ok()?;
    let is_time = (0.0..24.0).contains(&hour) && (0.0..60.0).contains(&minute) && (0.0..61.0).contains(&second);
    let seconds = days_since_1970(year, month, day) as f64 * 86_400.0 + hour * 3_600.0 + minute * 60.0 + second;
    (is_date && is_time).then_some(seconds - offset)
}

fn offset_seconds(text: &str) -> Option<f64> {
    let (hours, minutes) = text.split_once(':')?;
    Some(f64::from(hours.parse::<u8>().ok()?) * 3_600.0 + f64::from(minutes.parse::<u8>().ok()?) * 60.0)
}

/// Days of the Gregorian calendar; years start in March, so that a leap day ends one.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_become_unix_seconds() {
        assert_eq!(unix_seconds("1970-01-01T00:00:00Z"), Some(0.0));
        assert_eq!(unix_seconds("2024-02-29T12:30:05.5Z"), Some(1_709_209_805.5));
        assert_eq!(unix_seconds("2026-11-20T23:57:04"), Some(1_795_219_024.0));
        assert_eq!(unix_seconds("2024-02-29T14:30:05+02:00"), unix_seconds("2024-02-29T12:30:05Z"));
        for broken in ["", "2026-13-01T00:00:00Z", "2026-01-01", "2026-01-01T25:00:00Z", "x-y-zT1:2:3", "1-1-1T1:1:1"] {
            assert_eq!(unix_seconds(broken), None, "{broken}");
        }
    }
}
