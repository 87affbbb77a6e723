//! Unix seconds as RFC 3339, the form in which APIs take times.

/// Seconds of a day.
const DAY: i64 = 86_400;

/// `2026-11-21T00:37:51Z` for Unix seconds, fractions cut off. Times before 1970 or after 9999 are their nearest end.
pub fn rfc3339(seconds: f64) -> String {
    let seconds = (seconds.max(0.0) as i64).min(253_402_300_799);
    let (day, time) = (seconds / DAY, seconds % DAY);
    let (year, month, day) = civil(day);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", time / 3_600, time / 60 % 60, time % 60)
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
    fn times_are_written_in_utc() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0.0),
            ("2026-11-21T00:37:51Z", 1_795_221_471.9),
            ("2000-02-29T23:59:59Z", 951_868_799.0),
            ("2024-12-31T12:00:00Z", 1_735_646_400.0),
            ("1970-01-01T00:00:00Z", -5.0),
            ("9999-12-31T23:59:59Z", f64::INFINITY),
        ] {
            assert_eq!(rfc3339(seconds), text);
        }
    }
}
