//! One way to write numbers, so that a report, the page and a test say the same.
//!
//! Rust prints floats by exact decimal arithmetic, so everything here is the same on every platform.

use crate::http::rfc3339;

/// Integers below this are written with all their digits: steps, counts, bytes.
const EXACT_INTEGERS: f64 = 9_007_199_254_740_992.0;

/// Significant digits for people.
const PEOPLE: usize = 4;

/// Significant digits for programs: enough for any plot, few enough that platforms agree.
const PROGRAMS: usize = 6;

/// A number for people: four significant digits, `1e-5` style below 0.001 and from ten million up, integers in full.
///
/// Not a number is `NaN`; infinities are `Infinity` and `-Infinity`.
pub fn number(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    if value.fract() == 0.0 && value.abs() < EXACT_INTEGERS {
        return format!("{value:.0}");
    }
    let rounded = significant(value, PEOPLE);
    if !(1e-3..1e7).contains(&rounded.abs()) {
        return format!("{rounded:e}");
    }
    format!("{rounded}")
}

/// [`number`] and its unit: `0.21 nats/token`, `35 %`. A plain number has an empty unit.
pub fn quantity(value: f64, unit: &str) -> String {
    if unit.is_empty() { number(value) } else { format!("{} {unit}", number(value)) }
}

/// A share as a whole percentage: `80 %`.
pub fn percent(share: f64) -> String {
    if share.is_finite() { format!("{:.0} %", share * 100.0) } else { number(share) }
}

/// A number for programs: integers as they are, everything else to six significant digits.
pub fn rounded(value: f64) -> f64 {
    if value.fract() == 0.0 && value.abs() < EXACT_INTEGERS { value } else { significant(value, PROGRAMS) }
}

/// Unix seconds as `2026-11-20 14:05 UTC`. `None` outside the years 1970 to 9999.
pub fn utc(unix_seconds: f64) -> Option<String> {
    const YEAR_10000: f64 = 253_402_300_800.0;
    if !(0.0..YEAR_10000).contains(&unix_seconds) {
        return None;
    }
    let text = rfc3339(unix_seconds).replace('T', " ");
    text.rsplit_once(':').map(|(minutes, _)| format!("{minutes} UTC"))
}

/// Bytes as people count them: `1.2 MB`, powers of ten.
pub fn bytes(count: u64) -> String {
    let scaled = |unit: f64| (count as f64 / unit * 10.0).round() / 10.0;
    match count {
        0..1_000 => format!("{count} B"),
        1_000..1_000_000 => format!("{} kB", scaled(1e3)),
        1_000_000..1_000_000_000 => format!("{} MB", scaled(1e6)),
        _ => format!("{} GB", scaled(1e9)),
    }
}

/// Hours in the unit that suits them: `41 s`, `7.5 min`, `12.25 h`.
pub fn duration(hours: f64) -> String {
    const SECOND: f64 = 1.0 / 3600.0;
    match hours.abs() {
        size if size < 120.0 * SECOND => format!("{} s", number(hundredths(hours / SECOND))),
        size if size < 2.0 => format!("{} min", number(hundredths(60.0 * hours))),
        _ => format!("{} h", number(hundredths(hours))),
    }
}

/// Two decimals are enough for times and money, but for very little of them.
pub fn hundredths(value: f64) -> f64 {
    if value.abs() < 0.1 { value } else { (100.0 * value).round() / 100.0 }
}

fn significant(value: f64, digits: usize) -> f64 {
    if !value.is_finite() {
        return value;
    }
    // Through decimal text: the one rounding that every platform does alike.
    format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_for_people() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1e-5, "1e-5"),
            (3.16227e-4, "3.162e-4"),
            (0.001, "0.001"),
            (0.053_268, "0.05327"),
            (0.999_96, "1"),
            (6.1, "6.1"),
            (1234.56, "1235"),
            (166_650.0, "166650"),
            (12_345_678.9, "1.235e7"),
            (-0.25, "-0.25"),
            (1e300, "1e300"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!(quantity(0.2, "nats/token"), "0.2 nats/token");
        assert_eq!(quantity(3.0, ""), "3");
        assert_eq!(percent(0.8), "80 %");
    }

    #[test]
    fn numbers_for_programs() {
        assert_eq!(rounded(0.1 + 0.2), 0.3);
        assert_eq!(rounded(123_456_789.0), 123_456_789.0);
        assert_eq!(rounded(1.0 / 3.0), 0.333_333);
        assert!(rounded(f64::NAN).is_nan());
    }

    #[test]
    fn durations_have_a_fitting_unit() {
        for (hours, text) in [
            (0.0, "0 s"),
            (1.152e-5, "0.04147 s"),
            (0.006_826, "24.57 s"),
            (0.5, "30 min"),
            (1.097, "65.82 min"),
            (12.345, "12.35 h"),
            (f64::NAN, "NaN h"),
        ] {
            assert_eq!(duration(hours), text);
        }
    }

    #[test]
    fn dates_and_sizes() {
        assert_eq!(utc(0.0).unwrap(), "1970-01-01 00:00 UTC");
        assert_eq!(utc(951_827_696.0).unwrap(), "2000-02-29 12:34 UTC");
        assert_eq!(utc(1_795_183_500.5).unwrap(), "2026-11-20 14:05 UTC");
        assert_eq!(utc(f64::NAN), None);
        assert_eq!(utc(-1.0), None);
        assert_eq!(bytes(999), "999 B");
        assert_eq!(bytes(1_474_560), "1.5 MB");
    }

    proptest! {
        #[test]
        fn rounding_twice_changes_nothing(value in prop::num::f64::ANY) {
            let once = rounded(value);
            prop_assert!(rounded(once).to_bits() == once.to_bits() || once.is_nan());
            prop_assert!(!number(value).is_empty());
        }

        #[test]
        fn people_read_what_was_meant(value in -1e6_f64..1e6) {
            let read: f64 = number(value).parse().unwrap();
            prop_assert!((read - value).abs() <= value.abs() * 6e-4);
        }
    }
}
