//! What stands on one line of YAML: keys, quotes, numbers.

use crate::ingest::formats::console::literal;
use crate::ingest::syntax::json::Json;

/// The key of a line `key: value` or `key:`, and what follows the colon.
pub(super) fn split_key(text: &str) -> Option<(String, &str)> {
    if text.starts_with(['"', '\'']) {
        let end = closing(text, 1).ok()?;
        let rest = text.get(end + 1..)?.strip_prefix(':')?;
        return (rest.is_empty() || rest.starts_with(' ')).then(|| (unquoted(text.get(..=end).unwrap_or("")), rest));
    }
    if text.starts_with(['[', '{', '#', '|', '>', '*', '&', '!', '%', '@']) {
        return None;
    }
    let at = text.find(": ").or_else(|| text.ends_with(':').then(|| text.len() - 1))?;
    let (key, rest) = text.split_at_checked(at)?;
    Some((key.trim().to_owned(), rest.get(1..)?))
}

/// Where the quote that opens `text` is closed, or from where to look when more has come.
pub(super) fn closing(text: &str, from: usize) -> Result<usize, usize> {
    let bytes = text.as_bytes();
    let quote = bytes.first().copied().unwrap_or(b'"');
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' if quote == b'"' => at += 2,
            byte if *byte == quote && quote == b'\'' && bytes.get(at + 1) == Some(&quote) => at += 2,
            byte if *byte == quote => return Ok(at),
            _ => at += 1,
        }
    }
    Err(at)
}

/// The text within quotes.
pub(super) fn unquoted(quoted: &str) -> String {
    let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or("");
    if quoted.starts_with('\'') {
        return inner.replace("''", "'");
    }
    let mut text = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        match characters.next() {
            Some('x') => text.push(coded(&mut characters, 2)),
            Some('u') => text.push(coded(&mut characters, 4)),
            Some('U') => text.push(coded(&mut characters, 8)),
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('0') => text.push('\0'),
            // A line that ends in a backslash goes on without the blank.
            Some(' ') | None => {}
            Some(other) => text.push(other),
        }
    }
    text
}

/// A character by its number in `digits` hexadecimal digits.
fn coded(characters: &mut std::str::Chars<'_>, digits: usize) -> char {
    let hex: String = characters.take(digits).collect();
    u32::from_str_radix(&hex, 16).ok().and_then(char::from_u32).unwrap_or('\u{fffd}')
}

/// A text without the comment that follows it.
pub(super) fn without_comment(text: &str) -> &str {
    text.split_once(" #").map_or(text, |(text, _)| text).trim_end()
}

/// A text without quotes as what it stands for.
pub(super) fn scalar(text: &str) -> Json {
    match text {
        "null" | "Null" | "NULL" | "~" | "" => return Json::Null,
        "true" | "True" | "TRUE" => return Json::Bool(true),
        "false" | "False" | "FALSE" => return Json::Bool(false),
        ".inf" | ".Inf" | "+.inf" => return Json::Number(f64::INFINITY),
        "-.inf" | "-.Inf" => return Json::Number(f64::NEG_INFINITY),
        ".nan" | ".NaN" => return Json::Number(f64::NAN),
        _ => {}
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.len() > 15 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Json::BigInteger(text.to_owned());
    }
    // `nan` and `inf` without a dot are words.
    let is_number = digits.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    match literal::number(text).filter(|_| is_number) {
        Some(number) => Json::Number(number),
        None => Json::Text(text.to_owned()),
    }
}
