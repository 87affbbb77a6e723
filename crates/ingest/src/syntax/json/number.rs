//! Numbers of JSON: their value, without a token where a value is a number alone.

/// The value of a number token. Integers beyond 2^53 are rounded.
pub(crate) fn number(text: &str) -> f64 {
    plain_number(text.as_bytes()).unwrap_or(f64::NAN)
}

/// A number that fills `bytes` wholly: the forms of JSON, and `NaN`, `Infinity`, `-Infinity`.
pub(crate) fn plain_number(bytes: &[u8]) -> Option<f64> {
    match bytes {
        b"NaN" => return Some(f64::NAN),
        b"Infinity" => return Some(f64::INFINITY),
        b"-Infinity" => return Some(f64::NEG_INFINITY),
        _ => {}
    }
    let (value, length) = leading_decimal(bytes)?;
    (length == bytes.len()).then_some(value)
}

/// The decimal that `bytes` begin with, correctly rounded, and its length: digits with or without a sign, a point and an
/// exponent. `None` where no digit begins, and where what follows shows that it is no decimal: `1.2.3`, `1e`.
///
/// By `fast-float2`, which needs no search for the end of the number before it (docs/decisions/csv.md).
pub(crate) fn leading_decimal(bytes: &[u8]) -> Option<(f64, usize)> {
    // `fast-float2` would read words such as "-inf", too.
    if !matches!(bytes, [b'0'..=b'9', ..] | [b'-', b'0'..=b'9' | b'.', ..]) {
        return None;
    }
    let (value, length) = fast_float2::parse_partial(bytes).ok()?;
    (!bytes.get(length).is_some_and(|next| is_number_byte(*next))).then_some((value, length))
}

/// True for what [`plain_number`] reads, words aside, without the cost of reading it.
pub(super) fn is_plain_number(bytes: &[u8]) -> bool {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let bytes = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let whole = digits(bytes);
    let rest = bytes.get(whole..).unwrap_or_default();
    let (fraction, rest) = match rest.strip_prefix(b".") {
        Some(rest) => (digits(rest), rest.get(digits(rest)..).unwrap_or_default()),
        None => (0, rest),
    };
    let is_ended = match rest {
        [] => true,
        [b'e' | b'E', b'+' | b'-', exponent @ ..] | [b'e' | b'E', exponent @ ..] => {
            !exponent.is_empty() && digits(exponent) == exponent.len()
        }
        _ => false,
    };
    whole + fraction > 0 && is_ended
}

pub(super) fn is_number_byte(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn other_texts_begin_with_no_decimal() {
        for text in ["", "-", ".", "-.", ".5", "+1", "1.2.3", "--1", "1e", "1e+", "1-2", "-inf", "-nan", "nan", " 1"] {
            assert_eq!(leading_decimal(text.as_bytes()), None, "{text}");
        }
        for (text, length) in [("1,5", 1), ("1 ", 1), ("1.x", 2), ("-.5,", 3), ("12e-3}", 5), ("0x10", 1)] {
            assert_eq!(leading_decimal(text.as_bytes()).map(|(_, length)| length), Some(length), "{text}");
        }
        assert_eq!(plain_number(b"-0").map(f64::to_bits), Some((-0.0_f64).to_bits()));
        assert_eq!(plain_number(b"1 "), None);
    }

    proptest! {
        #[test]
        fn decimals_are_those_of_the_standard_library(
            text in "-?[0-9]{1,25}(\\.[0-9]{0,25})?(e[+-]?[0-9]{1,3})?|-?[0-9.]{0,4}(e[-+]?[0-9]{0,2})?"
        ) {
            let is_meant = text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
            let expected = text.parse::<f64>().ok().filter(|_| is_meant);
            prop_assert_eq!(plain_number(text.as_bytes()).map(f64::to_bits), expected.map(f64::to_bits), "{}", text);
        }
    }
}
