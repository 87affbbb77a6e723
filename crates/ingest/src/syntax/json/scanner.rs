//! Pulls one token after another out of a complete piece of JSON.

use std::borrow::Cow;

use super::number::{is_number_byte, is_plain_number};

/// What is wrong with a text that ends within a string; the error points at its beginning.
pub(crate) const UNFINISHED_STRING: &str = "a string that never ends";

/// Deeper nesting than any tracker writes; beyond it a value is refused, so that hostile input costs no memory.
pub(super) const MAX_DEPTH: usize = 128;

/// Why a piece of JSON was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {at}")]
pub struct JsonError {
    /// Offset within the piece.
    pub at: usize,
    /// What is wrong, in a few words.
    pub what: &'static str,
}

/// One step through a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token<'a> {
    ObjectStart,
    ObjectEnd,
    ArrayStart,
    ArrayEnd,
    Key(Cow<'a, str>),
    Text(Cow<'a, str>),
    /// The number as written, or one of `NaN`, `Infinity`, `-Infinity`: see [`number`].
    Number(&'a str),
    Bool(bool),
    Null,
}

pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// What follows the blanks that `bytes` begin with.
pub(crate) fn skip_blanks(bytes: &[u8]) -> &[u8] {
    let blanks = bytes.iter().take_while(|byte| is_blank(**byte)).count();
    bytes.get(blanks..).unwrap_or_default()
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Expect {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    CommaOrEnd,
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Inside {
    Object,
    Array,
}

/// Reads one value from the start of a slice; what follows it is left alone.
pub(crate) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    inside: Vec<Inside>,
    expect: Expect,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, inside: Vec::new(), expect: Expect::Value }
    }

    /// The bytes not yet read.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// The next token, or `None` when the value is complete.
    pub(crate) fn next(&mut self) -> Result<Option<Token<'a>>, JsonError> {
        loop {
            if self.expect == Expect::Nothing {
                return Ok(None);
            }
            self.skip_blanks();
            let byte = self.peek().ok_or(self.error("the value ends early"))?;
            match (self.expect, byte) {
                (Expect::CommaOrEnd, b',') => {
                    self.at += 1;
                    self.expect = match self.inside.last() {
                        Some(Inside::Object) => Expect::Key,
                        _ => Expect::Value,
                    };
                }
                (Expect::CommaOrEnd | Expect::KeyOrEnd, b'}') if self.inside.last() == Some(&Inside::Object) => {
                    return Ok(Some(self.close(Token::ObjectEnd)));
                }
                (Expect::CommaOrEnd | Expect::ValueOrEnd, b']') if self.inside.last() == Some(&Inside::Array) => {
                    return Ok(Some(self.close(Token::ArrayEnd)));
                }
                (Expect::Key | Expect::KeyOrEnd, b'"') => {
                    let key = self.string()?;
                    self.skip_blanks();
                    if self.peek() != Some(b':') {
                        return Err(self.error("a key without a colon"));
                    }
                    self.at += 1;
                    self.expect = Expect::Value;
                    return Ok(Some(Token::Key(key)));
                }
                (Expect::Value | Expect::ValueOrEnd, _) => return self.value(byte).map(Some),
                _ => return Err(self.error("an unexpected character")),
            }
        }
    }

    /// Reads over what is left of the object or list whose start was the last token.
    pub(crate) fn skip_rest(&mut self) -> Result<(), JsonError> {
        let outside = self.inside.len().saturating_sub(1);
        while self.inside.len() > outside {
            self.next()?;
        }
        Ok(())
    }

    /// Reads over what is left of the value.
    pub(crate) fn read_all(&mut self) -> Result<(), JsonError> {
        while self.next()?.is_some() {}
        Ok(())
    }

    fn value(&mut self, byte: u8) -> Result<Token<'a>, JsonError> {
        match byte {
            b'{' => self.open(Inside::Object, Expect::KeyOrEnd, Token::ObjectStart),
            b'[' => self.open(Inside::Array, Expect::ValueOrEnd, Token::ArrayStart),
            b'"' => {
                let text = self.string()?;
                self.after_value();
                Ok(Token::Text(text))
            }
            b'0'..=b'9' | b'-' | b'N' | b'I' => self.number_token(),
            b't' => self.word("true", Token::Bool(true)),
            b'f' => self.word("false", Token::Bool(false)),
            b'n' => self.word("null", Token::Null),
            _ => Err(self.error("an unexpected character")),
        }
    }

    fn number_token(&mut self) -> Result<Token<'a>, JsonError> {
        for word in ["NaN", "Infinity", "-Infinity"] {
            if self.rest().starts_with(word.as_bytes()) {
                return self.word(word, Token::Number(word));
            }
        }
        let rest = self.rest();
        let length = rest.iter().position(|byte| !is_number_byte(*byte)).unwrap_or(rest.len());
        let token = rest.get(..length).unwrap_or_default();
        let text = std::str::from_utf8(token).ok().filter(|_| is_plain_number(token));
        let text = text.ok_or(self.error("a malformed number"))?;
        self.at += length;
        self.after_value();
        Ok(Token::Number(text))
    }

    fn word(&mut self, word: &str, token: Token<'a>) -> Result<Token<'a>, JsonError> {
        if !self.rest().starts_with(word.as_bytes()) {
            return Err(self.error("an unexpected word"));
        }
        self.at += word.len();
        self.after_value();
        Ok(token)
    }

    fn open(&mut self, inside: Inside, expect: Expect, token: Token<'a>) -> Result<Token<'a>, JsonError> {
        if self.inside.len() >= MAX_DEPTH {
            return Err(self.error("nesting deeper than 128 levels"));
        }
        self.inside.push(inside);
        self.expect = expect;
        self.at += 1;
        Ok(token)
    }

    fn close(&mut self, token: Token<'a>) -> Token<'a> {
        self.inside.pop();
        self.at += 1;
        self.after_value();
        token
    }

    fn after_value(&mut self) {
        self.expect = if self.inside.is_empty() { Expect::Nothing } else { Expect::CommaOrEnd };
    }

    /// Reads a string that starts at the quote under the cursor.
    fn string(&mut self) -> Result<Cow<'a, str>, JsonError> {
        self.at += 1;
        let start = self.at;
        let plain = self.until_quote_or_escape()?;
        if self.peek() == Some(b'"') {
            self.at += 1;
            return Ok(String::from_utf8_lossy(plain));
        }
        let mut text = self.bytes.get(start..self.at).unwrap_or_default().to_vec();
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Cow::Owned(lossy(text)));
                }
                Some(b'\\') => {
                    self.at += 1;
                    let character = self.escape()?;
                    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                _ => text.extend_from_slice(self.until_quote_or_escape()?),
            }
        }
    }

    fn until_quote_or_escape(&mut self) -> Result<&'a [u8], JsonError> {
        let rest = self.rest();
        let length = memchr::memchr2(b'"', b'\\', rest).ok_or(self.error(UNFINISHED_STRING))?;
        self.at += length;
        Ok(rest.get(..length).unwrap_or_default())
    }

    /// The character of an escape whose backslash has been read.
    fn escape(&mut self) -> Result<char, JsonError> {
        let byte = self.peek().ok_or(self.error(UNFINISHED_STRING))?;
        self.at += 1;
        Ok(match byte {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => self.unicode_escape()?,
            b'"' | b'\\' | b'/' => char::from(byte),
            _ => return Err(self.error("an unknown escape")),
        })
    }

    /// A `\uXXXX` whose `\u` has been read; a lone surrogate becomes U+FFFD.
    fn unicode_escape(&mut self) -> Result<char, JsonError> {
        let high = self.hex4()?;
        if (0xD800..0xDC00).contains(&high) && self.rest().starts_with(b"\\u") {
            let back = self.at;
            self.at += 2;
            let low = self.hex4()?;
            if (0xDC00..0xE000).contains(&low) {
                let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = back;
        }
        Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex4(&mut self) -> Result<u32, JsonError> {
        let digits = self.bytes.get(self.at..self.at + 4);
        let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let code = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let code = code.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = code.ok_or(self.error("a malformed \\u escape"))?;
        self.at += 4;
        Ok(code)
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(is_blank) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn error(&self, what: &'static str) -> JsonError {
        JsonError { at: self.at, what }
    }
}

fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::super::number::plain_number;
    use super::*;

    fn tokens(text: &str) -> Result<Vec<String>, JsonError> {
        let mut scanner = Scanner::new(text.as_bytes());
        let mut seen = Vec::new();
        while let Some(token) = scanner.next()? {
            seen.push(format!("{token:?}"));
        }
        Ok(seen)
    }

    fn text(json: &str) -> String {
        match Scanner::new(json.as_bytes()).next() {
            Ok(Some(Token::Text(text))) => text.into_owned(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_nested_value_comes_token_by_token() {
        let seen = tokens(r#" {"a": [1, -2.5e3, NaN, -Infinity], "b": {}, "c": null} x"#).unwrap();
        let expected = [
            "ObjectStart", "Key(\"a\")", "ArrayStart", "Number(\"1\")", "Number(\"-2.5e3\")", "Number(\"NaN\")",
            "Number(\"-Infinity\")", "ArrayEnd", "Key(\"b\")", "ObjectStart", "ObjectEnd", "Key(\"c\")", "Null",
            "ObjectEnd",
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn strings_are_read_as_python_writes_and_reads_them() {
        assert_eq!(text(r#""a\n\u00e9\ud83d\ude00\/""#), "a\né😀/");
        assert_eq!(text("\"raw\u{1}\ncontrol\""), "raw\u{1}\ncontrol");
        assert_eq!(text(r#""lone \ud83d surrogate""#), "lone \u{fffd} surrogate");
        assert_eq!(text(r#""\ud83d\u0041""#), "\u{fffd}A");
    }

    #[test]
    fn damage_is_an_error_with_its_place() {
        for broken in ["", "{", "{\"a\"}", "[1,]", "[1 2]", "{1:2}", "\"open", "nul", "1.2.3", "-", "\"\\u12", "]"] {
            assert!(tokens(broken).is_err(), "{broken}");
        }
        assert_eq!(tokens("[1, x]").unwrap_err().at, 4);
    }

    #[test]
    fn depth_is_limited() {
        assert!(tokens(&"[".repeat(1_000_000)).is_err());
        assert!(tokens(&("[".repeat(100) + "]".repeat(100).as_str())).is_ok());
    }

    #[test]
    fn a_value_is_skipped_whole() {
        let mut scanner = Scanner::new(br#"{"a": {"b": [1, {"c": 2}]}, "d": 3}"#);
        for _ in 0..3 {
            scanner.next().unwrap();
        }
        scanner.skip_rest().unwrap();
        assert_eq!(scanner.next().unwrap(), Some(Token::Key("d".into())));
        scanner.skip_rest().unwrap();
        assert_eq!(scanner.next(), Ok(None));
    }

    #[test]
    fn a_number_is_told_as_it_is_read() {
        let signs = ["", "-", "--", "-+"];
        for sign in signs {
            for whole in ["", "0", "12", "007"] {
                for fraction in ["", ".", ".5", "..", ".5.", ".5-"] {
                    for exponent in ["", "e", "e5", "E-05", "e+", "e+7", "e--1", "e5e5", "e1.0"] {
                        let text = format!("{sign}{whole}{fraction}{exponent}");
                        let is_read = plain_number(text.as_bytes()).is_some();
                        // A token never begins with a point or an exponent.
                        let can_start = text.starts_with(|first: char| first.is_ascii_digit() || first == '-');
                        assert_eq!(is_plain_number(text.as_bytes()) && can_start, is_read, "{text}");
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_are_those_of_json_and_of_python() {
        assert_eq!(plain_number(b"9007199254740993"), Some(9_007_199_254_740_992.0));
        assert_eq!(plain_number(b"1e-300"), Some(1e-300));
        assert_eq!(plain_number(b"1e999"), Some(f64::INFINITY));
        assert!(plain_number(b"NaN").unwrap().is_nan());
        for other in ["", "nan", "inf", "infinity", "+1", "0x10", "1_000", "1 ", "--1", "e5"] {
            assert_eq!(plain_number(other.as_bytes()), None, "{other}");
        }
    }
}
