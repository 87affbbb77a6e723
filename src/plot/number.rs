//! Numbers as a reader wants them beside a curve: few digits, no noise, the same on every platform.

use super::decimal::{digits, mantissa};

/// Between groups of thousands, from 10,000 on.
const GROUP: char = ',';

/// `value` with about four significant digits: `0.4217`, `3.2`, `12,345`, `1.2e-5`, `NaN`, `∞`.
pub fn short(value: f64) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞".into() } else { "−∞".into() };
    }
    let magnitude = value.abs();
    if magnitude == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e7).contains(&magnitude) {
        return scientific(value, 3);
    }
    fixed(value, decimals_for(magnitude))
}

/// A position, such as a step, without loss as far as a reader cares: whole numbers up to 1e15 in full.
pub(super) fn exact(value: f64) -> String {
    if value.is_finite() && value.abs() < 1e15 && (value.abs() >= 1e-3 || value == 0.0) {
        let decimals = if value == value.round() { 0 } else { 3 };
        return fixed(value, decimals);
    }
    short(value)
}

/// `value` with exactly enough of `decimals`: trailing zeros are dropped, thousands are grouped from 10,000 on.
pub(super) fn fixed(value: f64, decimals: usize) -> String {
    let text = digits(value, decimals.min(12));
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let fraction = fraction.trim_end_matches('0');
    let zero = whole == "0" && fraction.is_empty();
    let mut out = String::new();
    if value < 0.0 && !zero {
        out.push('−');
    }
    out.push_str(&grouped(whole));
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// `value` as `1.25e-5`, with at most `significant` digits.
pub fn scientific(value: f64, significant: usize) -> String {
    let (mantissa, exponent) = mantissa(value, significant.saturating_sub(1));
    let mantissa =
        if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { &mantissa };
    let sign = if value < 0.0 { "−" } else { "" };
    format!("{sign}{mantissa}e{exponent}")
}

/// A length of time: its two largest units, such as `2d 4h`, `1h 30m`, `45s`, `0.25s`.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() {
        return short(seconds);
    }
    let sign = if seconds < 0.0 { "−" } else { "" };
    let magnitude = seconds.abs();
    if magnitude < 10.0 {
        let text = short((magnitude * 1000.0).round() / 1000.0);
        return if text == "0" { text } else { format!("{sign}{text}s") };
    }
    if magnitude >= 1e15 {
        return format!("{sign}{}d", short(magnitude / 86_400.0));
    }
    let whole = magnitude.round() as u64;
    let units = [(whole / 86_400, "d"), (whole / 3_600 % 24, "h"), (whole / 60 % 60, "m"), (whole % 60, "s")];
    let largest = units.iter().position(|(count, _)| *count > 0).unwrap_or(units.len());
    let parts: Vec<String> = units
        .iter()
        .skip(largest)
        .take(2)
        .filter(|(count, _)| *count > 0)
        .map(|(count, unit)| format!("{}{unit}", grouped(&count.to_string())))
        .collect();
    format!("{sign}{}", parts.join(" "))
}

/// Decimals that keep three to four significant digits of a magnitude from 1e-3 on.
fn decimals_for(magnitude: f64) -> usize {
    match magnitude {
        _ if magnitude >= 1e3 => 0,
        _ if magnitude >= 1e2 => 1,
        _ if magnitude >= 1e1 => 2,
        _ if magnitude >= 1e-1 => 3,
        _ if magnitude >= 1e-2 => 4,
        _ => 5,
    }
}

fn grouped(whole: &str) -> String {
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
    fn values_read_as_people_write_them() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (3.2, "3.2"),
            (0.421_73, "0.422"),
            (0.012_34, "0.0123"),
            (1234.56, "1235"),
            (12_345.6, "12,346"),
            (-0.5, "−0.5"),
            (1.25e-5, "1.25e-5"),
            (1e-5, "1e-5"),
            (2e9, "2e9"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "−∞"),
        ] {
            assert_eq!(short(value), text, "{value:e}");
        }
    }

    #[test]
    fn a_length_of_time_keeps_two_units() {
        for (seconds, text) in [
            (0.0, "0"),
            (0.25, "0.25s"),
            (45.0, "45s"),
            (90.0, "1m 30s"),
            (3600.0, "1h"),
            (5400.4, "1h 30m"),
            (187_200.0, "2d 4h"),
            (-60.0, "−1m"),
        ] {
            assert_eq!(duration(seconds), text, "{seconds}");
        }
    }

    proptest! {
        #[test]
        fn any_number_is_short(value: f64) {
            prop_assert!(short(value).chars().count() <= 12, "{}", short(value));
            prop_assert!(duration(value).chars().count() <= 20, "{}", duration(value));
        }

        #[test]
        fn a_short_number_is_close_to_its_value(value in -1e12..1e12f64) {
            let text: String = short(value).replace('−', "-").chars().filter(|c| *c != GROUP).collect();
            let read: f64 = text.parse().unwrap();
            prop_assert!((read - value).abs() <= value.abs() * 6e-3, "{value} {text}");
        }
    }
}
