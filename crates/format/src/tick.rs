//! Labels of axes: all labels of an axis have the decimals of its spacing, whole numbers are grouped, and the minus is
//! the typographic one.

use super::number::{number, scientific};

/// Between groups of thousands, from 10,000 on.
const GROUP: char = ',';

/// At most this many decimals are written.
const MAX_DECIMALS: usize = 12;

/// A label with at most this many decimals: trailing zeros are dropped, thousands grouped from 10,000 on.
pub fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{:.*}", decimals.min(MAX_DECIMALS), value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let fraction = fraction.trim_end_matches('0');
    let is_zero = whole == "0" && fraction.is_empty();
    let sign = if value < 0.0 && !is_zero { "−" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{fraction}", grouped(whole))
}

/// A label as a power of ten with at most this many significant digits: `−2.5e-5`.
pub fn power(value: f64, digits: usize) -> String {
    let sign = if value < 0.0 { "−" } else { "" };
    format!("{sign}{}", scientific(value.abs(), digits))
}

/// A place on a time axis, given in seconds: its two largest units, such as `2d 4h`, `1h 30m`, `45s`, `0.25s`.
pub fn elapsed(seconds: f64) -> String {
    let magnitude = seconds.abs();
    if !magnitude.is_finite() {
        return number(seconds);
    }
    let sign = if seconds < 0.0 { "−" } else { "" };
    if magnitude < 10.0 {
        let text = number((magnitude * 1000.0).round() / 1000.0);
        return if text == "0" { text } else { format!("{sign}{text}s") };
    }
    if magnitude >= 1e15 {
        return format!("{sign}{}d", scientific(magnitude / 86_400.0, 3));
    }
    let whole = magnitude.round() as u64;
    let units = [(whole / 86_400, "d"), (whole / 3_600 % 24, "h"), (whole / 60 % 60, "m"), (whole % 60, "s")];
    let parts: Vec<String> = units
        .iter()
        .skip_while(|(count, _)| *count == 0)
        .take(2)
        .filter(|(count, _)| *count > 0)
        .map(|(count, unit)| format!("{}{unit}", grouped(&count.to_string())))
        .collect();
    format!("{sign}{}", parts.join(" "))
}

/// Digits in groups of three, from five digits on.
pub(super) fn grouped(whole: &str) -> String {
    if whole.len() < 5 {
        return whole.to_owned();
    }
    let mut out = String::with_capacity(whole.len() + whole.len() / 3);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(GROUP);
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn labels_have_no_trailing_zeros() {
        for (value, decimals, text) in [
            (0.5, 2, "0.5"),
            (-0.5, 2, "−0.5"),
            (-0.001, 2, "0"),
            (12_345.6, 0, "12,346"),
            (1234.0, 0, "1234"),
            (1_250_000.25, 2, "1,250,000.25"),
        ] {
            assert_eq!(fixed(value, decimals), text);
        }
        assert_eq!(power(-1.25e-5, 3), "−1.25e-5");
    }

    #[test]
    fn a_place_on_a_time_axis_has_two_units() {
        for (seconds, text) in [
            (0.0, "0"),
            (0.25, "0.25s"),
            (45.0, "45s"),
            (90.0, "1m 30s"),
            (3600.0, "1h"),
            (5400.4, "1h 30m"),
            (187_200.0, "2d 4h"),
            (-60.0, "−1m"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(elapsed(seconds), text, "{seconds}");
        }
    }

    proptest! {
        #[test]
        fn any_place_is_short(value: f64) {
            prop_assert!(elapsed(value).chars().count() <= 20, "{}", elapsed(value));
        }
    }
}
