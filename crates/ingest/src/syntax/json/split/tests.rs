//! Documents cut at any place, and damaged ones.

use super::*;
use proptest::prelude::*;

fn split(text: &str, slice: usize) -> (Vec<String>, SplitOutcome) {
    let mut splitter = Splitter::default();
    let mut pieces = Vec::new();
    let mut sink = |piece: Piece<'_>| {
        pieces.push(match piece {
            Piece::Member { key, value } => format!("{key}={}", String::from_utf8_lossy(value).trim()),
            Piece::Element { key, value } => format!("{key}[]{}", String::from_utf8_lossy(value).trim()),
        });
        true
    };
    text.as_bytes().chunks(slice).for_each(|part| splitter.push(part, &mut sink));
    let outcome = splitter.finish(&mut sink);
    (pieces, outcome)
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
        let text = ["[{", &parts.concat()].concat();
        prop_assert_eq!(split(&text, slice), split(&text, 1));
        prop_assert_eq!(split(&text, 10_000), split(&text, 1));
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
