//! Nothing is lost without a word: what is not read of a file is a problem that says what and how much.

use rundown_ingest::{FileOutcome, Place, Weight};

use crate::support::archives::{gzip, tar, zip};
use crate::support::read;

const TABLE: &[u8] = b"step,loss\n1,2\n2,1\n";

fn fixture(name: &str) -> FileOutcome {
    let path = format!("{}/tests/fixtures/parquet-testing/{name}.parquet", env!("CARGO_MANIFEST_DIR"));
    let bytes = std::fs::read(path).unwrap();
    let outcome = read("a.parquet", &bytes, 97);
    assert_eq!(format!("{outcome:?}"), format!("{:?}", read("a.parquet", &bytes, bytes.len())));
    outcome
}

/// The only problem, as its weight and text.
fn only(outcome: &FileOutcome) -> (Weight, &str) {
    assert_eq!(outcome.problems.len(), 1, "{:#?}", outcome.problems);
    (outcome.problems[0].weight, outcome.problems[0].what.as_str())
}

#[test]
fn decimals_that_are_stored_as_bytes_are_numbers() {
    let outcome = fixture("byte_array_decimal");
    assert_eq!(outcome.problems, []);
    let expected: Vec<f64> = (1..=24).map(f64::from).collect();
    assert_eq!(outcome.parts[0].run.columns["value"].values(), expected);
}

#[test]
fn columns_of_parquet_that_are_not_read_are_named() {
    let brotli = fixture("brotli_compressed");
    let (weight, what) = only(&brotli);
    assert_eq!(weight, Weight::Partial);
    assert!(what.contains("3 columns") && what.contains("c0") && what.contains("Brotli"), "{what}");
    assert!(brotli.problems[0].remedy.contains("snappy"));
    assert_eq!(brotli.parts[0].run.columns["step"].len(), 4);
    let lists = fixture("ARROW-GH-45185");
    let (weight, what) = only(&lists);
    assert_eq!(weight, Weight::Remark);
    assert!(what.contains("column x"), "{what}");
    let encrypted = read("a.parquet", b"PAR1........\x04\0\0\0PARE", 7);
    assert!(only(&encrypted).1.contains("encrypted") && !encrypted.problems[0].remedy.contains("Copy"));
}

#[test]
fn damaged_json_says_at_which_byte() {
    for (text, at) in [
        ("[1,]", 3),
        ("[,1]", 1),
        ("[1,,2]", 3),
        ("[1]]", 3),
        ("[\"a\" \"b\"]", 1),
        ("[1 true]", 1),
        ("[nul]", 1),
        ("[tru]", 1),
        ("[.5]", 1),
        ("[+1]", 1),
        ("{\"a\":true,}", 10),
        ("{\"a\" \"b\"}", 5),
        ("{\"a\":\"b\"}#", 9),
        ("{\"a\":1}{\"b\":2}", 7),
        ("{1:1}", 1),
        ("{\"a\":[1,]}", 8),
        ("{\"a\":nope}", 5),
    ] {
        for slice in [1, 100] {
            let outcome = read("a.json", text.as_bytes(), slice);
            let (weight, what) = only(&outcome);
            assert_eq!(weight, Weight::Lost, "{text}: {what}");
            assert!(what.contains(&format!("damaged at byte {at}")), "{text}: {what}");
            assert_eq!(outcome.problems[0].place, Place::Byte(at), "{text}");
        }
    }
    for text in ["[", "{\"a\":", "[\"a", "[[[["] {
        assert!(only(&read("a.json", text.as_bytes(), 3)).1.contains("ends early"), "{text}");
    }
    let followed = read("a.json", b"{\"log_history\": [{\"step\": 1, \"loss\": 2}]} {\"log_history\": []}", 9);
    assert_eq!((only(&followed).0, followed.parts.len()), (Weight::Partial, 1));
}

#[test]
fn lines_and_cells_that_are_too_long_are_counted() {
    let mut table = b"step,loss,note\n1,2,\"".to_vec();
    table.resize(table.len() + (5 << 20), b'x');
    table.extend(b"\"\n2,1,\n");
    let outcome = read("a.csv", &table, 1 << 20);
    assert!(only(&outcome).1.contains("1 cells are longer than 4 MB"), "{:?}", outcome.problems);
    assert_eq!(outcome.parts[0].run.columns["loss"].values(), [2.0, 1.0]);
}

#[test]
fn archives_behind_a_program_are_read() {
    let archive = zip(&[("x/a.csv", TABLE)]);
    for program in [b"MZ\x90 PK\x03\x04 is how members begin".as_slice(), b"#!/bin/sh\nexit\n", b"\x7fELF"] {
        let file = [program, &[7; 70_000], &archive].concat();
        for (path, slice) in [("a.zip", 1009), ("a.exe", file.len())] {
            let outcome = read(path, &file, slice);
            assert_eq!((outcome.parts.len(), &outcome.problems[..]), (1, &[][..]), "{path}");
        }
    }
    let damaged = [b"??".as_slice(), &archive[2..], &archive].concat();
    let outcome = read("a.zip", &damaged, 100);
    assert!(only(&outcome).1.contains("are not part of an archive"), "{:?}", outcome.problems);
    assert_eq!(outcome.parts.len(), 1);
    let other = read("a.zip", b"<html>not found</html>", 5);
    let (weight, what) = only(&other);
    assert!(weight != Weight::Remark && what.contains("No member"), "{what}");
}

#[test]
fn files_that_are_not_what_their_names_say_are_lost() {
    for path in ["a.gz", "a.tgz", "a.tar", "a.parquet", "a.swanlab", "a.json", "a.jsonl", "a.ipynb"] {
        let outcome = read(path, b"\x00\x01<html>not found</html>", 5);
        assert_eq!(only(&outcome).0, Weight::Lost, "{path}");
    }
}

/// A tar archive of which one member has another kind; the sum of its header is made right.
fn with_kind(kind: u8, extended: bool) -> Vec<u8> {
    let mut archive = tar(&[("x/a.csv", TABLE), ("x/b.csv", TABLE)], false);
    // The folder, then the header of the first file.
    let header = &mut archive[512..1024];
    header[156] = kind;
    header[482] = u8::from(extended);
    header[148..156].copy_from_slice(b"        ");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    if extended {
        archive.splice(1024..1024, [0; 512]);
    }
    archive
}

#[test]
fn members_of_tar_that_are_not_read_are_named() {
    for (kind, extended, word) in [(b'S', false, "sparse"), (b'S', true, "sparse"), (b'M', false, "type")] {
        for (path, bytes) in [("a.tar", with_kind(kind, extended)), ("a.tar.gz", gzip(&with_kind(kind, extended)))] {
            let outcome = read(path, &bytes, 333);
            let (weight, what) = only(&outcome);
            assert!(weight == Weight::Lost && what.contains(word), "{what}");
            assert!(outcome.problems[0].file.ends_with("x/a.csv"), "{}", outcome.problems[0]);
            assert_eq!(outcome.parts.len(), 1, "the next member is read");
        }
    }
}
