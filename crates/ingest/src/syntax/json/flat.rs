//! Objects whose members are all numbers, as most rows of a log are: read in one pass, without tokens.
//!
//! Rows of one file mostly name the same metrics in the same order: at each member the name that followed the one before in
//! an earlier row is compared first, which spares the search for its end and the search for its column.

use rustc_hash::FxHashMap;

use super::is_blank;
use super::number::leading_decimal;

/// Most bytes of names that are kept: objects with names beyond are left to the [`Scanner`](super::Scanner).
const NAME_BYTES: usize = 4 << 20;

/// Number of a name, in the order in which the names first came.
pub(crate) type NameNumber = usize;

/// Reads objects of numbers, and numbers their names.
#[derive(Debug, Default)]
pub(crate) struct FlatObjects {
    names: Vec<FlatName>,
    by_text: FxHashMap<String, NameNumber>,
    name_bytes: usize,
    /// The name of the last object's first member.
    first: NameNumber,
    members: Vec<(NameNumber, f64)>,
}

#[derive(Debug)]
struct FlatName {
    text: String,
    /// The name that followed this one last.
    next: NameNumber,
}

impl FlatObjects {
    /// Reads the object of numbers, true, false and null that `bytes` begin with, whose names have no escapes, and gives its
    /// length. `None` for anything else, valid or not.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Option<usize> {
        self.members.clear();
        let mut cursor = Cursor { bytes, at: 0 };
        cursor.expect(b'{')?;
        cursor.skip_blanks();
        if cursor.bytes.get(cursor.at) == Some(&b'}') {
            return Some(cursor.at + 1);
        }
        let mut last = None;
        loop {
            cursor.expect(b'"')?;
            let name = self.read_name(&mut cursor, last)?;
            last = Some(name);
            cursor.expect(b':')?;
            if let Some(value) = cursor.value()? {
                self.members.push((name, value));
            }
            match cursor.next()? {
                b',' => {}
                b'}' => return Some(cursor.at),
                _ => return None,
            }
        }
    }

    /// Name and value of each member of the object that was read last. What is null has none.
    pub(crate) fn members(&self) -> &[(NameNumber, f64)] {
        &self.members
    }

    /// A name by its number.
    pub(crate) fn name(&self, number: NameNumber) -> &str {
        self.names.get(number).map_or("", |name| &name.text)
    }

    /// The names that are numbered from `from` on.
    pub(crate) fn names_from(&self, from: NameNumber) -> impl Iterator<Item = &str> {
        self.names.get(from..).unwrap_or_default().iter().map(|name| name.text.as_str())
    }

    /// Reads a name and its closing quote. `last` is the name of the member before.
    #[inline]
    fn read_name(&mut self, cursor: &mut Cursor<'_>, last: Option<NameNumber>) -> Option<NameNumber> {
        let expected = last.map_or(Some(self.first), |last| self.names.get(last).map(|name| name.next))?;
        if let Some(name) = self.names.get(expected)
            && let Some(after) = cursor.bytes.get(cursor.at..)?.strip_prefix(name.text.as_bytes())
            && after.first() == Some(&b'"')
        {
            cursor.at += name.text.len() + 1;
            return Some(expected);
        }
        let name = self.read_other_name(cursor)?;
        match last.and_then(|last| self.names.get_mut(last)) {
            Some(last) => last.next = name,
            None => self.first = name,
        }
        Some(name)
    }

    /// Reads a name that was not expected.
    fn read_other_name(&mut self, cursor: &mut Cursor<'_>) -> Option<NameNumber> {
        let rest = cursor.bytes.get(cursor.at..)?;
        let length = memchr::memchr2(b'"', b'\\', rest)?;
        let (text, after) = rest.split_at_checked(length)?;
        if after.first() != Some(&b'"') {
            return None;
        }
        cursor.at += length + 1;
        let text = str::from_utf8(text).ok()?;
        if let Some(number) = self.by_text.get(text) {
            return Some(*number);
        }
        if self.name_bytes + text.len() > NAME_BYTES {
            return None;
        }
        self.name_bytes += text.len();
        let number = self.names.len();
        self.names.push(FlatName { text: text.to_owned(), next: number + 1 });
        self.by_text.insert(text.to_owned(), number);
        Some(number)
    }
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    /// A number, with true as 1 and false as 0; nothing for null. `None` where something else stands.
    #[inline]
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

    fn expect(&mut self, wanted: u8) -> Option<()> {
        (self.next()? == wanted).then_some(())
    }

    /// The next byte that is no blank.
    fn next(&mut self) -> Option<u8> {
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

    /// The members of a line that is one flat object, read after others by `objects`.
    fn read_after(objects: &mut FlatObjects, line: &str) -> Option<Vec<(String, f64)>> {
        let length = objects.read(line.as_bytes())?;
        let names: Vec<&str> = objects.names_from(0).collect();
        let members = objects.members().iter().map(|(name, value)| (names[*name].to_owned(), *value)).collect();
        line.get(length..).unwrap().bytes().all(is_blank).then_some(members)
    }

    fn flat(line: &str) -> Option<Vec<(String, f64)>> {
        read_after(&mut FlatObjects::default(), line)
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
            "", "[1]", "{\"a\": \"b\"}", "{\"a\": {}}", "{\"a\": 1} x", "{\"a\": 1,}", "{\"a\" 1}", "{\"a\": 1.2.3}",
            "{\"a\": e5}", "{\"a\\n\": 1}", "{\"a\": 1", "{\"a: 1}", "{\"a\": +1}", "{\"a\": nul}",
            "{\"a\": -Infinity}", "1",
        ] {
            assert_eq!(flat(line), None, "{line}");
        }
    }

    #[test]
    fn names_that_come_in_another_order_are_found() {
        let mut objects = FlatObjects::default();
        for line in [r#"{"a": 1, "b": 2, "bc": 3}"#, r#"{"b": 1, "bc": 2}"#, r#"{"bc": 1, "b": 2, "d": 3, "a": 4}"#] {
            assert_eq!(read_after(&mut objects, line), scanned(line));
        }
        assert_eq!(objects.names_from(2).collect::<Vec<_>>(), ["bc", "d"]);
    }

    #[test]
    fn what_follows_an_object_is_left() {
        assert_eq!(FlatObjects::default().read(br#" {"a": 1} , {"a": 2}"#), Some(9));
    }

    #[test]
    fn names_without_end_are_left_to_the_scanner() {
        let mut objects = FlatObjects::default();
        let long = format!("{{\"{}\": 1}}", "x".repeat(NAME_BYTES));
        assert!(objects.read(long.as_bytes()).is_some());
        assert!(objects.read(br#"{"a": 1}"#).is_none());
        assert!(objects.read(long.as_bytes()).is_some());
    }

    proptest! {
        #[test]
        fn the_scanner_reads_the_same(
            lines in prop::collection::vec(r#"[{ ]{0,2}("[a-z\\ ]{0,2}" ?: ?(-?[0-9.]{1,4}(e-?[0-9]{0,2})?|NaN|null|true|Infinit?y|"a"|\{\}),? ?){0,3}[} ]{0,2}"#, 1..4)
        ) {
            let mut objects = FlatObjects::default();
            for line in lines {
                if let Some(members) = read_after(&mut objects, &line) {
                    prop_assert_eq!(format!("{members:?}"), format!("{:?}", scanned(&line).unwrap()), "{}", line);
                }
            }
        }
    }
}
