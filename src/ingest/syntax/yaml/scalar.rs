//! What a plain scalar (one without quotes) stands for.

use crate::ingest::json::Json;

/// The value that PyYAML (YAML 1.1) and OmegaConf read in a plain scalar.
///
/// Two forms of YAML 1.1 stay text, because settings mean something else by them: numbers to base 60 (`12:30`), and
/// octal ones (`0755` is read as 755). `1e-05` is a number, as OmegaConf and YAML 1.2 have it; PyYAML asks for a dot.
pub(super) fn plain(text: &str) -> Json {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Json::Null,
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => return Json::Bool(true),
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => return Json::Bool(false),
        _ => {}
    }
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    match digits {
        ".inf" | ".Inf" | ".INF" => return Json::Number(sign * f64::INFINITY),
        ".nan" | ".NaN" | ".NAN" => return Json::Number(f64::NAN),
        _ => {}
    }
    // Integers beyond 2^53 keep their digits.
    if digits.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok(integer) = Json::parse(text.as_bytes())
    {
        return integer;
    }
    match number(digits) {
        Some(number) => Json::Number(sign * number),
        None => Json::Text(text.to_owned()),
    }
}

/// A number without its sign. Underscores may stand between digits.
fn number(digits: &str) -> Option<f64> {
    if let Some(hexadecimal) = digits.strip_prefix("0x") {
        return u32::from_str_radix(hexadecimal, 16).ok().map(f64::from);
    }
    // `inf` and `nan` without a dot are words, and so is what begins with an underscore.
    if !digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return None;
    }
    if digits.contains('_') { digits.replace('_', "").parse().ok() } else { digits.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_are_what_pyyaml_reads() {
        for (text, number) in [
            ("1", 1.0),
            ("-1.5e-3", -1.5e-3),
            ("1.0e-05", 1e-5),
            ("1e-05", 1e-5),
            ("+.inf", f64::INFINITY),
            ("-.Inf", f64::NEG_INFINITY),
            (".5", 0.5),
            ("2.", 2.0),
            ("1_000", 1000.0),
            ("0x10", 16.0),
            ("0755", 755.0),
        ] {
            assert_eq!(plain(text), Json::Number(number), "{text}");
        }
        for text in ["nan", "inf", "12:30", "2026-11-01", "1.2.3", "_1", "0xg", ".", "-", "e5", "1e", "y", "n"] {
            assert_eq!(plain(text), Json::Text(text.to_owned()));
        }
        assert_eq!((plain("yes"), plain("Off")), (Json::Bool(true), Json::Bool(false)));
        assert_eq!(plain("12345678901234567890"), Json::BigInteger("12345678901234567890".to_owned()));
        assert!(plain(".nan").metric().is_some_and(f64::is_nan));
    }
}
