//! Numbers: for people with three or four significant digits, for programs with six.

/// Integers below this, 2^53, are exact as floats and are written with all their digits: steps, counts, tokens.
const EXACT_INTEGERS: f64 = 9_007_199_254_740_992.0;

/// Significant digits in tables.
const TABLE_DIGITS: usize = 4;

/// Significant digits in sentences and marks.
const SENTENCE_DIGITS: usize = 3;

/// From here on three significant digits round to 1.
const NEARLY_ONE: f64 = 0.9995;

/// Significant digits for programs: enough for any plot, few enough that platforms agree.
const PROGRAM_DIGITS: usize = 6;

/// A number with four significant digits, for tables and labels: `0.05327`, `6.1`, `1235`, `166650`, `3.162e-4`.
///
/// Integers are written in full, other numbers below 0.001 and from ten million on with a power of ten. Not a number is
/// `NaN`; infinities are `Infinity` and `-Infinity`. The minus is ASCII, so that a copied number can be read back.
pub fn number(value: f64) -> String {
    to_digits(value, TABLE_DIGITS)
}

/// As [`number`] with three significant digits, for sentences and narrow columns: `0.484`; four where three would make a share of
/// nearly 1 a whole one: `0.9998`, and up to `0.9999`. From 0.99995 on it is 1.
pub fn short(value: f64) -> String {
    let is_nearly_one = (NEARLY_ONE..1.0).contains(&value.abs());
    to_digits(value, if is_nearly_one { TABLE_DIGITS } else { SENTENCE_DIGITS })
}

/// A setting with all of its digits, small and large ones with a power of ten where that is shorter: `0.02`, `1e-6`,
/// `2.5e8`, but a seed of `20240101`.
pub fn setting_number(value: f64) -> String {
    let plain = value.to_string();
    if value == 0.0 || (1e-3..1e7).contains(&value.abs()) {
        return plain;
    }
    let scientific = format!("{value:e}");
    if scientific.len() < plain.len() { scientific } else { plain }
}

/// A number as a power of ten, with at most this many significant digits: `1e-3`, `3.33e-5`.
pub(super) fn scientific(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return non_finite(value).to_owned();
    }
    format!("{:e}", significant(value, digits))
}

/// A learning rate: a power of ten below 0.01, `1e-3`, `3.33e-5`, as papers and configs have it.
pub fn learning_rate(value: f64) -> String {
    let is_small = value != 0.0 && value.abs() < 0.01;
    if is_small { scientific(value, SENTENCE_DIGITS) } else { short(value) }
}

/// A coordinate of a drawing, with one decimal at most.
pub fn coordinate(value: f32) -> String {
    let text = format!("{value:.1}");
    match text.strip_suffix(".0") {
        Some("-0") => "0".to_owned(),
        Some(whole) => whole.to_owned(),
        None => text,
    }
}

/// A number for programs: integers as they are, everything else to six significant digits.
pub fn rounded(value: f64) -> f64 {
    if is_exact_integer(value) { value } else { significant(value, PROGRAM_DIGITS) }
}

fn to_digits(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return non_finite(value).to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    if is_exact_integer(value) {
        return (value as i64).to_string();
    }
    let rounded = significant(value, digits);
    match rounded.abs() {
        // All digits before the point are written: zeros in their place would look exact.
        1e3..1e7 => format!("{value:.0}"),
        1e-3..1e7 => rounded.to_string(),
        _ => format!("{rounded:e}"),
    }
}

/// A written number without the minus of one that rounds to zero: `0.00` for `-0.00`.
pub(super) fn unsigned_zero(text: String) -> String {
    match text.strip_prefix('-') {
        Some(zero) if is_zero(zero) => zero.to_owned(),
        _ => text,
    }
}

/// True for a written number, or a percentage, that is zero to its last digit.
pub(super) fn is_zero(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0' | b'.' | b' ' | b'%'))
}

fn is_exact_integer(value: f64) -> bool {
    value.fract() == 0.0 && value.abs() < EXACT_INTEGERS
}

fn non_finite(value: f64) -> &'static str {
    match value {
        f64::INFINITY => "Infinity",
        f64::NEG_INFINITY => "-Infinity",
        _ => "NaN",
    }
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
    fn settings_keep_their_digits() {
        for (value, text) in [
            (0.02, "0.02"),
            (5e-4, "5e-4"),
            (600.0, "600"),
            (2.5e8, "2.5e8"),
            (-1e20, "-1e20"),
            (20_240_101.0, "20240101"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(setting_number(value), text);
        }
    }

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
            (16_665.4, "16665"),
            (166_650.0, "166650"),
            (12_345_678.9, "1.235e7"),
            (-0.25, "-0.25"),
            (1e300, "1e300"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(number(value), text);
        }
        let shorter = [0.484_375, 1927.3, 3.333e-4, 0.012_345, -2.5, 1e6, 999.6, 0.9998].map(short);
        assert_eq!(shorter, ["0.484", "1927", "3.33e-4", "0.0123", "-2.5", "1000000", "1000", "0.9998"]);
        let rates = [0.001, 3.333e-5, 1e-5, f64::NAN, 0.0, 0.02].map(learning_rate);
        assert_eq!(rates, ["1e-3", "3.33e-5", "1e-5", "NaN", "0", "0.02"]);
    }

    #[test]
    fn coordinates_have_one_decimal_at_most() {
        assert_eq!([0.0, -0.04, 10.0, -2.25, 0.1].map(coordinate), ["0", "0", "10", "-2.2", "0.1"]);
    }

    #[test]
    fn numbers_for_programs() {
        assert_eq!(rounded(0.1 + 0.2), 0.3);
        assert_eq!(rounded(123_456_789.0), 123_456_789.0);
        assert_eq!(rounded(1.0 / 3.0), 0.333_333);
        assert!(rounded(f64::NAN).is_nan());
    }

    proptest! {
        #[test]
        fn rounding_twice_changes_nothing(value in prop::num::f64::ANY) {
            let once = rounded(value);
            prop_assert!(rounded(once).to_bits() == once.to_bits() || once.is_nan());
            prop_assert!(!number(value).is_empty());
        }

        #[test]
        fn a_written_number_is_close_to_its_value(value in -1e6_f64..1e6) {
            let read: f64 = number(value).parse().unwrap();
            prop_assert!((read - value).abs() <= value.abs() * 6e-4);
            let read: f64 = short(value).parse().unwrap();
            prop_assert!((read - value).abs() <= value.abs() * 6e-3);
        }
    }
}
