//! Digits of a number, without the standard library's tables.
//!
//! Writing any float with any precision exactly costs 16 kB of a page's download. What a reader is shown has a few
//! digits, and for those whole numbers do: the last one may be rounded the other way at an exact half.

use super::ticks::power_of_ten;

/// Whole numbers up to here are exact as floats.
const EXACT: f64 = 9e15;

/// The magnitude of `value` with this many decimals, at most 15. What is too large for them has fewer, and zeros in
/// their place; what is not finite is 0.
pub fn digits(value: f64, decimals: usize) -> String {
    let magnitude = if value.is_finite() { value.abs() } else { 0.0 };
    let mut kept = decimals.min(15);
    while kept > 0 && magnitude * power(kept) > EXACT {
        kept -= 1;
    }
    // Above 1.8e19 this is the largest whole number of its type: callers write such values by their exponent.
    let scaled = (magnitude * power(kept)).round() as u64;
    let one = power(kept) as u64;
    let mut text = (scaled / one).to_string();
    if decimals > 0 {
        let fraction = (scaled % one).to_string();
        text.push('.');
        text.extend(std::iter::repeat_n('0', kept.saturating_sub(fraction.len())));
        // Without decimals the remainder is no digit.
        text.push_str(if kept > 0 { &fraction } else { "" });
        text.extend(std::iter::repeat_n('0', decimals - kept));
    }
    text
}

/// The magnitude of `value` as a mantissa from 1 to below 10 with this many decimals, and its power of ten.
pub fn mantissa(value: f64, decimals: usize) -> (String, i32) {
    let magnitude = value.abs();
    if magnitude == 0.0 || !magnitude.is_finite() {
        return (digits(0.0, decimals), 0);
    }
    let mut exponent = libm::floor(libm::log10(magnitude)) as i32;
    let mut text = digits(scaled(magnitude, exponent), decimals);
    // The logarithm may be off by one at a power of ten, and rounding may reach the next one.
    if text.starts_with("10") {
        exponent += 1;
        text = digits(scaled(magnitude, exponent), decimals);
    } else if text.starts_with('0') {
        exponent -= 1;
        text = digits(scaled(magnitude, exponent), decimals);
    }
    (text, exponent)
}

fn scaled(magnitude: f64, exponent: i32) -> f64 {
    // In two steps: 10 to the 320 is no f64.
    let half = exponent / 2;
    magnitude / power_of_ten(half) / power_of_ten(exponent - half)
}

fn power(exponent: usize) -> f64 {
    power_of_ten(exponent as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn digits_are_those_of_the_standard_library() {
        for (value, decimals) in
            [(0.0, 0), (0.0, 2), (0.05, 1), (1.005, 2), (999.999, 2), (0.1, 15), (12345.678, 3), (1e15, 0), (7.0, 4)]
        {
            assert_eq!(digits(value, decimals), format!("{value:.decimals$}"));
        }
        assert_eq!(digits(-2.5e14, 4), "250000000000000.0000");
        assert_eq!(digits(f64::NAN, 1), "0.0");
    }

    #[test]
    fn a_mantissa_has_one_digit_before_the_point() {
        let cases = [
            (1.24e-5, 1, ("1.2", -5)),
            (9.99e9, 1, ("1.0", 10)),
            (1e23, 0, ("1", 23)),
            (5e-324, 0, ("5", -324)),
            (1.7976931348623157e308, 3, ("1.798", 308)),
            (0.0, 2, ("0.00", 0)),
        ];
        for (value, decimals, (text, exponent)) in cases {
            assert_eq!(mantissa(value, decimals), (text.to_owned(), exponent), "{value:e}");
        }
    }

    proptest! {
        #[test]
        fn digits_are_near_their_value(value in 0.0..1e12f64, decimals in 0usize..=12) {
            let read: f64 = digits(value, decimals).parse().unwrap();
            let half = 0.5 * power_of_ten(-(decimals as i32));
            prop_assert!((read - value).abs() <= half * 1.001 + value * 1e-15, "{value} {read}");
        }

        #[test]
        fn a_mantissa_is_near_its_value(value in any::<f64>(), decimals in 0usize..=12) {
            prop_assume!(value.is_normal());
            let (text, exponent) = mantissa(value, decimals);
            let read: f64 = format!("{text}e{exponent}").parse().unwrap();
            let unit = 0.51 * power_of_ten(-(decimals as i32));
            prop_assert!((read / value.abs() - 1.0).abs() <= unit + 1e-13, "{value:e} {text}e{exponent}");
            prop_assert_eq!(text.find('.').unwrap_or(text.len()), 1);
        }
    }
}
