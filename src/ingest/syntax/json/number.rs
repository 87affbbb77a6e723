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
        // Most values of a training log are short integers or 17 digits: the former need no float parser.
        [b'0'..=b'9', ..] if bytes.len() <= 15 && bytes.iter().all(u8::is_ascii_digit) => {
            let integer = bytes.iter().fold(0_u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
            return Some(integer as f64);
        }
        [b'0'..=b'9' | b'-', ..] => {}
        _ => return None,
    }
    if !bytes.iter().all(|byte| is_number_byte(*byte)) {
        return None;
    }
    std::str::from_utf8(bytes).ok()?.parse().ok()
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
