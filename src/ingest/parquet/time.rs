//! Times of day as text, `2026-11-21T13:32:09.5+00:00`, to Unix seconds.

/// Reads an ISO 8601 date and time. Without a zone it is taken as UTC.
pub(crate) fn unix_seconds(text: &str) -> Option<f64> {
    let (date, time) = text.split_once(['T', ' '])?;
    let mut parts = date.split('-').map(str::parse::<i64>);
    let (Some(Ok(year)), Some(Ok(month)), Some(Ok(day)), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    if !(1..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let (clock, zone) = match time.find(['Z', '+', '-']) {
        Some(place) => time.split_at_checked(place)?,
        None => (time, ""),
    };
    let mut parts = clock.split(':').map(str::parse::<f64>);
    let (Some(Ok(hours)), Some(Ok(minutes)), seconds, None) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    let seconds = seconds.unwrap_or(Ok(0.0)).ok()?;
    let in_day = hours * 3600.0 + minutes * 60.0 + seconds;
    Some(days(year, month, day) as f64 * 86_400.0 + in_day - offset(zone)?)
}

/// Seconds east of Greenwich: `Z`, `+02:00` or `-0530`.
fn offset(zone: &str) -> Option<f64> {
    let sign = match zone.as_bytes().first() {
        None | Some(b'Z') => return Some(0.0),
        Some(b'-') => -1.0,
        _ => 1.0,
    };
    let digits: String = zone.chars().filter(char::is_ascii_digit).collect();
    let hours: f64 = digits.get(..2)?.parse().ok()?;
    let minutes: f64 = digits.get(2..4).map_or(Some(0.0), |minutes| minutes.parse().ok())?;
    Some(sign * (hours * 3600.0 + minutes * 60.0))
}

/// Days since 1 January 1970 in the Gregorian calendar. Years begin in March here, so that the leap day is the last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::unix_seconds;

    #[test]
    fn times_are_seconds_since_1970() {
        assert_eq!(unix_seconds("1970-01-01T00:00:00Z"), Some(0.0));
        assert_eq!(unix_seconds("2026-11-21T13:32:09.500+00:00"), Some(1_795_267_929.5));
        assert_eq!(unix_seconds("2000-02-29 12:00"), Some(951_825_600.0));
        assert_eq!(unix_seconds("2026-11-21T15:32:09+02:00"), Some(1_795_267_929.0));
        assert_eq!(unix_seconds("2026-11-21T08:02:09-0530"), Some(1_795_267_929.0));
    }

    #[test]
    fn other_text_is_no_time() {
        for text in ["", "2026-11-21", "12:00", "2026-13-01T00:00", "a-b-cT1:2", "1-2-3-4T1:2"] {
            assert_eq!(unix_seconds(text), None, "{text}");
        }
    }
}
