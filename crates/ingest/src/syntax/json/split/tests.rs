//! Documents cut at any place, and damaged ones.

use super::*;
use proptest::prelude::*;

/// The pieces, as text.
#[derive(Default)]
struct Pieces {
    texts: Vec<String>,
    /// Elements such as `{12}` are read without a search for their end.
    reads_ahead: bool,
    /// The member whose own members come one by one.
    opens: &'static str,
}

impl PieceSink for Pieces {
    fn add(&mut self, piece: Piece<'_>) -> bool {
        self.texts.push(match piece {
            Piece::Member { key, value } => format!("{key}={}", String::from_utf8_lossy(value).trim()),
            Piece::Inner { object, key, value } => format!("{object}.{key}={}", String::from_utf8_lossy(value).trim()),
            Piece::Element { key, value } => format!("{key}[]{}", String::from_utf8_lossy(value).trim()),
        });
        true
    }

    fn opens(&self, key: &str) -> bool {
        !self.opens.is_empty() && key == self.opens
    }

    fn add_element(&mut self, key: &str, bytes: &[u8]) -> Option<usize> {
        let digits = bytes.strip_prefix(b"{").filter(|_| self.reads_ahead)?;
        let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let rest = digits.get(length..)?.strip_prefix(b"}")?;
        if !matches!(skip_blanks(rest).first()?, b',' | b']') {
            return None;
        }
        self.add(Piece::Element { key, value: bytes.get(..length + 2)? });
        Some(length + 2)
    }
}

fn split_by(mut pieces: Pieces, text: &str, slice: usize) -> (Vec<String>, SplitOutcome) {
    let mut splitter = Splitter::default();
    text.as_bytes().chunks(slice).for_each(|part| splitter.push(part, &mut pieces));
    let outcome = splitter.finish(&mut pieces);
    (pieces.texts, outcome)
}

fn split(text: &str, slice: usize) -> (Vec<String>, SplitOutcome) {
    split_by(Pieces::default(), text, slice)
}

#[test]
fn members_and_elements_come_apart() {
    let text = r#"{"a": 1, "s": "x,]}\"", "log": [ {"k": [1, 2]}, {"k": "}"} , NaN], "o": {"b": []}, "e": []}"#;
    let expected =
        ["a=1", r#"s="x,]}\"""#, r#"log[]{"k": [1, 2]}"#, r#"log[]{"k": "}"}"#, "log[]NaN", r#"o={"b": []}"#];
    for slice in [1, 3, 1000] {
        assert_eq!(split(text, slice), (expected.map(str::to_owned).to_vec(), SplitOutcome::default()));
    }
}

#[test]
fn the_members_of_an_object_come_one_by_one_where_they_are_wanted() {
    let text = r#"{"a": 1, "o": {"b": [1, {"o": 2}], "o": {"c": []}, "d": 3}, "p": {"b": 1}, "o": [4], "o": {}}"#;
    let expected = ["a=1", r#"o.b=[1, {"o": 2}]"#, r#"o.o={"c": []}"#, "o.d=3", r#"p={"b": 1}"#, "o[]4"];
    for slice in [1, 3, 1000] {
        let split = split_by(Pieces { opens: "o", ..Pieces::default() }, text, slice);
        assert_eq!(split, (expected.map(str::to_owned).to_vec(), SplitOutcome::default()));
    }
    let split = |text| split_by(Pieces { opens: "o", ..Pieces::default() }, text, 2);
    let (pieces, outcome) = split(r#"{"o": {"a": 1, "b": {"c": "#);
    assert_eq!((pieces, outcome.is_cut), (vec!["o.a=1".to_owned()], true));
    for (text, broken_at, first_bad) in [
        (r#"{"o": {"a": 1]"#, Some(13), None),
        (r#"{"o": {"a": 1,}}"#, None, Some(14)),
        (r#"{"o": {} 1}"#, Some(9), None),
    ] {
        let (_, outcome) = split(text);
        assert_eq!((outcome.broken_at, outcome.first_bad), (broken_at, first_bad), "{text}");
    }
}

proptest! {
    #[test]
    fn slices_do_not_matter(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "{", "}", "[", "]", "\"", "\\", ",", ":", "|", "1.5", " ", "\"loss\": 0.25, ", "\"a } b\"", "long words here",
            ]),
            0..80,
        ),
        slice in 1_usize..60,
    ) {
        for start in ["[{", "{\"o\":{\"a\":"] {
            let text = [start, &parts.concat()].concat();
            let split = |slice| split_by(Pieces { opens: "o", ..Pieces::default() }, &text, slice);
            prop_assert_eq!(split(slice), split(1));
            prop_assert_eq!(split(10_000), split(1));
        }
    }
}

proptest! {
    #[test]
    fn elements_that_are_read_ahead_are_the_same(
        parts in prop::collection::vec(
            prop::sample::select(vec!["{", "}", "[", "]", "\"", ",", ", ", ":", "{1}", "{23}", "\n", "x", "{1},{2},", "\"a\":["]),
            0..30,
        ),
        start in prop::sample::select(vec!["[", "{\"log\":[", "{"]),
        slice in 1_usize..60,
    ) {
        let text = [start, &parts.concat()].concat();
        let ahead = || Pieces { reads_ahead: true, ..Pieces::default() };
        prop_assert_eq!(split_by(ahead(), &text, slice), split(&text, slice), "{}", text);
    }
}

#[test]
fn a_list_of_rows_is_a_document() {
    assert_eq!(split("\u{feff} [{\"a\":1},{\"a\":2}]", 5).0, ["[]{\"a\":1}", "[]{\"a\":2}"]);
}

#[test]
fn a_cut_document_gives_what_came_before() {
    let (pieces, outcome) = split(r#"{"log": [{"a": 1}, {"a": "#, 7);
    assert_eq!(pieces, [r#"log[]{"a": 1}"#]);
    assert!(outcome.is_cut);
    // A number may be cut, an object that is closed is whole.
    assert_eq!(split("[{\"a\": 1}, {\"a\": 2}\n", 7).0, ["[]{\"a\": 1}", "[]{\"a\": 2}"]);
    assert_eq!(split("[1, 2", 7).0, ["[]1"]);
}

#[test]
fn what_json_does_not_allow_is_noted_though_it_costs_nothing() {
    for (text, at) in [
        ("[1,]", 3),
        ("[,1]", 1),
        ("[1,,2]", 3),
        ("{\"a\":1,}", 7),
        ("{,}", 1),
        ("[1]]", 3),
        ("{}}", 2),
        ("{\"a\":[1],}", 9),
        ("{\"a\":[1,],\"b\":2}", 8),
    ] {
        for slice in [1, 100] {
            assert_eq!(split(text, slice).1.first_bad, Some(at), "{text}");
        }
    }
    for text in ["[]", "{}", "[1, 2]\n", "{\"a\": [], \"b\": {}, \"c\": [1, 2]}", "[{}, [], \"x\"]"] {
        assert_eq!(split(text, 3).1, SplitOutcome::default(), "{text}");
    }
}

#[test]
fn damage_is_named_by_its_offset() {
    assert_eq!(split(r#"{"a" 1}"#, 3).1.broken_at, Some(5));
    assert_eq!(split(r#"{"a": 1]"#, 3).1.broken_at, Some(7));
    assert_eq!(split("x", 3).1.broken_at, Some(0));
}
