//! What a scalar stands for.

use std::borrow::Cow;

use saphyr_parser::{ScalarStyle, Tag};

use crate::json::Json;

/// The value of a scalar: by its tag where it has one that PyYAML knows, else by how it is written.
pub(super) fn scalar(text: Cow<'_, str>, style: ScalarStyle, tag: Option<&Tag>) -> Json {
    // One tag can be written as `!!int`, `!<tag:yaml.org,2002:int>` or with a prefix of the file's own.
    let tag = tag.map(|tag| [tag.handle.as_str(), tag.suffix.as_str()].concat());
    let of_yaml = tag.as_deref().and_then(|tag| tag.strip_prefix("tag:yaml.org,2002:"));
    match of_yaml.map(|name| name.strip_prefix("python/").unwrap_or(name)) {
        Some("str" | "unicode" | "binary" | "bytes" | "timestamp") => return Json::Text(text.into_owned()),
        Some("null" | "none") => return Json::Null,
        // PyYAML writes these where all scalars of a file are quoted.
        Some("int" | "long" | "float" | "bool") => return plain(text.trim_ascii()),
        // A function or a class (`!!python/name:torch.float32 ''`): its name stands in the tag alone.
        Some(name) if text.is_empty() => {
            if let Some(("name" | "module", name)) = name.split_once(':') {
                return Json::Text(name.to_owned());
            }
        }
        _ => {}
    }
    if style == ScalarStyle::Plain { plain(&text) } else { Json::Text(text.into_owned()) }
}

/// The value that PyYAML (YAML 1.1) reads in a scalar without quotes.
///
/// It differs in two forms. An exponent needs neither a dot nor a sign, as OmegaConf reads it and Go's `yaml.v3` writes it.
/// Dates stay texts, as OmegaConf has them (docs/decisions/yaml.md).
fn plain(text: &str) -> Json {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Json::Null,
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => return Json::Bool(true),
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => return Json::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Json::Number(f64::NAN),
        _ => {}
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_negative = text.starts_with('-');
    let sign = if is_negative { -1.0 } else { 1.0 };
    let value = match unsigned {
        ".inf" | ".Inf" | ".INF" => Some(Json::Number(sign * f64::INFINITY)),
        // PyYAML reads no sign before a leading dot.
        _ if unsigned.starts_with('.') && unsigned != text => None,
        _ => match integer(unsigned) {
            Some(integer) if is_negative => Some(negative(integer)),
            Some(integer) => Some(integer),
            None => float(unsigned).map(|value| Json::Number(sign * value)),
        },
    };
    value.unwrap_or_else(|| Json::Text(text.to_owned()))
}

/// The negative of an integer, which knows no negative zero.
fn negative(integer: Json) -> Json {
    match integer {
        Json::Number(number) => Json::Number(0.0 - number),
        Json::BigInteger(digits) => Json::BigInteger(format!("-{digits}")),
        other => other,
    }
}

/// An integer without its sign: decimal, `0b`, `0x`, octal after a zero, or to base 60 (`1:30:00`). Underscores may stand
/// behind its first digit.
fn integer(text: &str) -> Option<Json> {
    let first = text.bytes().next().filter(u8::is_ascii_digit)?;
    if text.contains(':') {
        return sexagesimal(text).filter(|_| first != b'0' && !text.contains('.')).map(Json::Number);
    }
    let digits = without_underscores(text);
    let (base, digits) = match digits.split_at_checked(2) {
        Some(("0b", digits)) => (2, digits),
        Some(("0x", digits)) => (16, digits),
        _ if digits.len() > 1 && first == b'0' => (8, &*digits),
        _ => (10, &*digits),
    };
    if digits.is_empty() || !digits.bytes().all(|digit| char::from(digit).is_digit(base)) {
        return None;
    }
    if base == 10 {
        // It is JSON too, of any length.
        return Json::parse(digits.as_bytes()).ok();
    }
    let value = u128::from_str_radix(digits, base).ok()?;
    Json::parse(value.to_string().as_bytes()).ok()
}

/// A number with a dot or an exponent, without its sign.
fn float(text: &str) -> Option<f64> {
    if text.contains(':') {
        return sexagesimal(text).filter(|_| text.contains('.'));
    }
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let has_dot = mantissa.contains('.');
    let digits = exponent.map(|exponent| exponent.strip_prefix(['-', '+']).unwrap_or(exponent));
    let is_number = match (has_dot, exponent, digits) {
        // The first characters of a commit's hash may be digits around an `e` (`12e4567`), which PyYAML writes without
        // quotes. No one writes such long numbers without a sign in the exponent.
        (false, Some(exponent), Some(digits)) => exponent != digits || (mantissa.len() <= 3 && digits.len() <= 2),
        (has_dot, _, _) => has_dot,
    };
    let starts_well = mantissa.trim_start_matches('.').starts_with(|first: char| first.is_ascii_digit());
    let ends_well = digits.is_none_or(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()));
    if !is_number || !starts_well || !ends_well {
        return None;
    }
    without_underscores(text).parse().ok()
}

/// A number to base 60 as PyYAML reads it: `12:30` is 750. From 2^53 on it stays a text.
fn sexagesimal(text: &str) -> Option<f64> {
    let text = without_underscores(text);
    let (first, rest) = text.split_once(':')?;
    let (rest, fraction) = rest.split_once('.').unwrap_or((rest, ""));
    let is_below_sixty = |part: &str| match part.as_bytes() {
        [digit] => digit.is_ascii_digit(),
        [tens, digit] => (b'0'..b'6').contains(tens) && digit.is_ascii_digit(),
        _ => false,
    };
    if !is_decimal(first) || !is_decimal(fraction) || !rest.split(':').all(is_below_sixty) {
        return None;
    }
    let (mut sum, mut base) = (0.0, 1.0);
    // From the last part on, as PyYAML adds them: a fraction is rounded the same.
    for part in text.rsplit(':') {
        sum += part.parse::<f64>().ok()? * base;
        base *= 60.0;
    }
    (sum < 9_007_199_254_740_992.0).then_some(sum)
}

fn is_decimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn without_underscores(text: &str) -> Cow<'_, str> {
    if text.contains('_') { Cow::Owned(text.replace('_', "")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_are_what_pyyaml_reads() {
        for (text, number) in [
            ("1", 1.0),
            ("+12", 12.0),
            ("-1.5e-3", -1.5e-3),
            ("1.0e-05", 1e-5),
            ("+.inf", f64::INFINITY),
            ("-.Inf", f64::NEG_INFINITY),
            (".5", 0.5),
            ("2.", 2.0),
            ("1_000", 1000.0),
            ("1_000.5", 1000.5),
            ("0x10", 16.0),
            ("-0x1F", -31.0),
            ("0b101", 5.0),
            ("0755", 493.0),
            ("00", 0.0),
            ("12:30", 750.0),
            ("-1:30:00", -5400.0),
            ("190:20:30.15", 685_230.15),
            ("1.5e+999", f64::INFINITY),
        ] {
            assert_eq!(plain(text), Json::Number(number), "{text}");
        }
        let texts = [
            "nan", "inf", "-.nan", "2026-11-01", "1.2.3", "_1", "0xg", "0x", ".", "-", "e5", "1e", "y", "n", "0889",
            "0o17", "0:30", "1:60", "8080:8080", "12:", ":30", "1:2:", "._1", "1.5e1_0", "--1", "-.5", "+.5", "1e5e5",
            "1.5.e5", "3/16",
        ];
        for text in texts {
            assert_eq!(plain(text), Json::Text(text.to_owned()));
        }
        assert_eq!((plain("yes"), plain("Off")), (Json::Bool(true), Json::Bool(false)));
        for (text, digits) in [
            ("12345678901234567890", "12345678901234567890"),
            ("+12345678901234567890", "12345678901234567890"),
            ("-0xFFFFFFFFFFFFFFFF", "-18446744073709551615"),
        ] {
            assert_eq!(plain(text), Json::BigInteger(digits.to_owned()));
        }
        assert!(plain(".nan").metric().is_some_and(f64::is_nan));
    }

    #[test]
    fn exponents_are_read_as_omegaconf_and_go_read_them() {
        for (text, number) in
            [("1e-05", 1e-5), ("1e5", 1e5), ("100E6", 1e8), ("123456e+10", 1.23456e15), ("1.5e3", 1500.0)]
        {
            assert_eq!(plain(text), Json::Number(number), "{text}");
        }
        for hash in ["12e4567", "1234e56", "4e123456"] {
            assert_eq!(plain(hash), Json::Text(hash.to_owned()));
        }
    }
}
