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
        [b'0'..=b'9' | b'-', ..] => {}
        _ => return None,
    }
    if let Some(value) = short_decimal(bytes) {
        return Some(value);
    }
    if !bytes.iter().all(|byte| is_number_byte(*byte)) {
        return None;
    }
    std::str::from_utf8(bytes).ok()?.parse().ok()
}

/// The value of a decimal of at most 15 digits without an exponent, such as `-0.0125`: most values of a log. `None` for any
/// other text, be it a number or not.
///
/// Its digits make an integer below 2^53, and the power of ten to divide it by is exact as well, so that the one division
/// rounds as the standard library does (W. D. Clinger, How to read floating point numbers accurately, 1990), in half to two
/// thirds of its time (docs/decisions/csv.md).
pub(crate) fn short_decimal(bytes: &[u8]) -> Option<f64> {
    const POWERS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
    if digits.len() > 16 || !digits.first()?.is_ascii_digit() {
        return None;
    }
    let (mut integer, mut point) = (0_u64, None);
    for (place, byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => integer = integer * 10 + u64::from(byte - b'0'),
            b'.' if point.is_none() => point = Some(place),
            _ => return None,
        }
    }
    let decimals = point.map_or(0, |place| digits.len() - place - 1);
    let count = digits.len() - usize::from(point.is_some());
    if count > 15 {
        return None;
    }
    let size = integer as f64 / POWERS.get(decimals)?;
    Some(if digits.len() < bytes.len() { -size } else { size })
}

/// True for what [`plain_number`] reads, words aside, without the cost of reading it: whoever takes the token does that.
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
    fn only_short_decimals_are_taken() {
        for text in ["", "-", ".", ".5", "+1", "1e5", "1.2.3", "--1", "1234567890123456", "1,5", "nan", "1 "] {
            assert_eq!(short_decimal(text.as_bytes()), None, "{text}");
        }
        assert_eq!(short_decimal(b"-0").map(f64::to_bits), Some((-0.0_f64).to_bits()));
        assert_eq!(short_decimal(b"1."), Some(1.0));
    }

    proptest! {
        #[test]
        fn short_decimals_are_rounded_as_the_standard_library_does(text in "-?[0-9]{1,8}(\\.[0-9]{0,8})?") {
            if let Some(value) = short_decimal(text.as_bytes()) {
                prop_assert_eq!(value.to_bits(), text.parse::<f64>().unwrap().to_bits(), "{}", text);
            }
        }
    }
}
