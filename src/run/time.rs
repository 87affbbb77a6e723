//! Points in time as text: ISO 8601, the form of trackers, their exports and their APIs.

/// Unix seconds of an ISO 8601 time such as `2026-11-01T00:00:22.726498Z`, `2026-11-01 00:00:22+01:00` or
/// `2026-11-01`. Without an offset it is UTC. `None` for anything else.
pub fn iso_seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let (date, rest) = text.split_at_checked(10)?;
    let mut parts = date.split('-');
    let (year, month, day) = (digits(parts.next()?, 4)?, digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || parts.next().is_some() {
        return None;
    }
    let midnight = days_from_epoch(year, month, day) * 86_400;
    let rest = rest.trim_end_matches(" UTC");
    if rest.is_empty() {
        return Some(midnight as f64);
    }
    let clock = rest.strip_prefix(['T', 't', ' '])?;
    let zone_at = clock.find(['Z', 'z', '+', '-']).unwrap_or(clock.len());
    let (clock, zone) = clock.split_at_checked(zone_at)?;
    let mut parts = clock.trim_end().split(':');
    let (hour, minute) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let second: f64 = match parts.next() {
        Some(second) if second.starts_with(|first: char| first.is_ascii_digit()) => second.parse().ok()?,
        Some(_) => return None,
        None => 0.0,
    };
    if hour > 24 || minute > 59 || !(0.0..61.0).contains(&second) || parts.next().is_some() {
        return None;
    }
    Some((midnight + hour * 3_600 + minute * 60 - offset(zone)?) as f64 + second)
}

/// Seconds of an offset such as `Z`, `+01:00` or `-0530`.
fn offset(zone: &str) -> Option<i64> {
    if zone.is_empty() || zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, rest) = zone.split_at_checked(1)?;
    let (hours, minutes) = match rest.split_once(':') {
        Some(parts) => parts,
        None if rest.len() == 4 => rest.split_at_checked(2)?,
        None => (rest, "00"),
    };
    let seconds = digits(hours, 2)? * 3_600 + digits(minutes, 2)? * 60;
    match sign {
        "+" => Some(seconds),
        "-" => Some(-seconds),
        _ => None,
    }
}

fn digits(text: &str, length: usize) -> Option<i64> {
    (text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

/// Days since 1970-01-01 in the Gregorian calendar. Years are counted from March, so that the leap day is the last.
fn days_from_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    // 719 468 days lie between 0000-03-01 and 1970-01-01.
    year * 365 + leap_days + (month * 153 + 2) / 5 + day - 1 - 719_468
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
            ("1969-12-31T23:59", -60.0),
        ] {
            assert_eq!(iso_seconds(text), Some(seconds), "{text}");
        }
    }

    #[test]
    fn other_text_is_no_time() {
        for text in [
            "",
            "now",
            "2026",
            "12:00",
            "2026-13-01",
            "2026-01-01T25:00:00Z",
            "2026-11-01T",
            "2026-11-01Tab:00",
            "1-1-1T1:1:1",
            "1-2-3-4T1:2",
            "20261101T000000",
            "é026-11-01",
        ] {
            assert_eq!(iso_seconds(text), None, "{text}");
        }
    }
}
