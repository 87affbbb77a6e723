//! Objects whose members are all numbers, as most lines of a log are: read in one pass, without tokens.

use std::ops::Range;

use super::is_blank;
use super::number::leading_decimal;

/// A member: where its name stands, and its value.
pub(crate) type FlatMember = (Range<usize>, f64);

/// Reads the members of a line that is one object of numbers, true, false and null, whose names have no escapes. False for
/// anything else, valid or not, which the [`Scanner`](super::Scanner) reads; the members are then undefined. What is
/// null has no member.
pub(crate) fn flat_numbers(line: &[u8], members: &mut Vec<FlatMember>) -> bool {
    members.clear();
    let mut cursor = Cursor { bytes: line, at: 0 };
    cursor.object(members).is_some()
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn object(&mut self, members: &mut Vec<FlatMember>) -> Option<()> {
        self.consume(b'{')?;
        self.skip_blanks();
        if self.bytes.get(self.at) == Some(&b'}') {
            self.at += 1;
            return self.end();
        }
        loop {
            self.consume(b'"')?;
            let start = self.at;
            let rest = self.bytes.get(start..)?;
            let length = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
            self.at += length;
            let name = start..self.at;
            self.consume(b'"')?;
            self.consume(b':')?;
            if let Some(value) = self.value()? {
                members.push((name, value));
            }
            match self.next_byte()? {
                b',' => {}
                b'}' => break,
                _ => return None,
            }
        }
        self.end()
    }

    /// Nothing but blanks follows.
    fn end(&mut self) -> Option<()> {
        self.skip_blanks();
        (self.at == self.bytes.len()).then_some(())
    }

    /// A number, with true as 1 and false as 0; nothing for null. `None` where something else stands.
    fn value(&mut self) -> Option<Option<f64>> {
        self.skip_blanks();
        let rest = self.bytes.get(self.at..)?;
        if let Some((value, length)) = leading_decimal(rest) {
            self.at += length;
            return Some(Some(value));
        }
        let words: [(&[u8], Option<f64>); 5] = [
            (b"NaN", Some(f64::NAN)),
            (b"null", None),
            (b"true", Some(1.0)),
            (b"false", Some(0.0)),
            (b"Infinity", Some(f64::INFINITY)),
        ];
        let (word, value) = words.into_iter().find(|(word, _)| rest.starts_with(word))?;
        self.at += word.len();
        Some(value)
    }

    fn consume(&mut self, wanted: u8) -> Option<()> {
        (self.next_byte()? == wanted).then_some(())
    }

    /// The next byte that is no blank.
    fn next_byte(&mut self) -> Option<u8> {
        self.skip_blanks();
        let byte = self.bytes.get(self.at).copied()?;
        self.at += 1;
        Some(byte)
    }

    fn skip_blanks(&mut self) {
        while self.bytes.get(self.at).is_some_and(|byte| is_blank(*byte)) {
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Scanner, Token, number};
    use super::*;

    /// The members as the scanner reads them; `None` where they are not all numbers.
    fn scanned(line: &str) -> Option<Vec<(String, f64)>> {
        let mut scanner = Scanner::new(line.as_bytes());
        let mut members = Vec::new();
        if scanner.next() != Ok(Some(Token::ObjectStart)) {
            return None;
        }
        while let Some(Token::Key(key)) = scanner.next().ok()? {
            match scanner.next().ok()?? {
                Token::Number(text) => members.push((key.into_owned(), number(text))),
                Token::Bool(value) => members.push((key.into_owned(), f64::from(u8::from(value)))),
                Token::Null => {}
                _ => return None,
            }
        }
        scanner.rest().iter().all(|byte| is_blank(*byte)).then_some(members)
    }

    fn flat(line: &str) -> Option<Vec<(String, f64)>> {
        let mut members = Vec::new();
        let is_flat = flat_numbers(line.as_bytes(), &mut members);
        is_flat.then(|| members.into_iter().map(|(name, value)| (line.get(name).unwrap().to_owned(), value)).collect())
    }

    #[test]
    fn rows_of_numbers_are_read() {
        let members =
            flat(r#" {"step": 3, "a b":-0.5e-3 , "x":NaN,"on":true,"off": false, "no": null, "": Infinity} "#);
        let members = format!("{:?}", members.unwrap());
        let expected = r#"[("step", 3.0), ("a b", -0.0005), ("x", NaN), ("on", 1.0), ("off", 0.0), ("", inf)]"#;
        assert_eq!(members, expected);
        assert_eq!(flat(" { } "), Some(Vec::new()));
    }

    #[test]
    fn anything_else_is_left_to_the_scanner() {
        for line in [
            "",
            "[1]",
            "{\"a\": \"b\"}",
            "{\"a\": {}}",
            "{\"a\": 1} x",
            "{\"a\": 1,}",
            "{\"a\" 1}",
            "{\"a\": 1.2.3}",
            "{\"a\": e5}",
            "{\"a\\n\": 1}",
            "{\"a\": 1",
            "{\"a: 1}",
            "{\"a\": +1}",
            "{\"a\": nul}",
            "{\"a\": -Infinity}",
            "1",
        ] {
            assert_eq!(flat(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn the_scanner_reads_the_same(
            line in r#"[{ ]{0,2}("[a-z\\ ]{0,2}" ?: ?(-?[0-9.]{1,4}(e-?[0-9]{0,2})?|NaN|null|true|Infinit?y|"a"|\{\}),? ?){0,3}[} ]{0,2}"#
        ) {
            if let Some(members) = flat(&line) {
                prop_assert_eq!(format!("{members:?}"), format!("{:?}", scanned(&line).unwrap()), "{}", line);
            }
        }
    }
}
