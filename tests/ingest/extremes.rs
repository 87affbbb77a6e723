//! Files as large and as odd as they come. Each is made here; the cost must be linear, which the suite's time shows.

use std::fmt::Write as _;

use rundown_ingest::Weight;
use rundown_run::{ConfigValue, Run};

use crate::made::{one, values};

/// The only run, read without a problem.
#[track_caller]
fn whole(path: &str, bytes: &[u8], slice: usize) -> Run {
    let mut ingested = one(path, bytes, slice);
    assert_eq!(ingested.problems, [], "{path}");
    assert_eq!(ingested.runs.len(), 1, "{path}");
    ingested.runs.remove(0)
}

#[test]
fn a_table_of_five_thousand_columns() {
    const COLUMNS: usize = 5_000;
    const ROWS: usize = 2_000;
    let mut text = String::with_capacity(COLUMNS * ROWS * 6);
    text.push_str("step");
    (0..COLUMNS).for_each(|column| write!(text, ",m/{column}").unwrap());
    for row in 0..ROWS {
        write!(text, "\n{row}").unwrap();
        for column in 0..COLUMNS {
            // A tenth of the cells is empty, one column is NaN.
            match (row + column) % 10 {
                0 => text.push(','),
                _ if column == 7 => text.push_str(",nan"),
                digit => write!(text, ",{digit}.5").unwrap(),
            }
        }
    }
    let run = whole("wide.csv", text.as_bytes(), 65_537);
    assert_eq!((run.columns.len(), run.row_steps.len()), (COLUMNS + 1, ROWS));
    assert_eq!((run.axis.key.as_str(), run.step_range()), ("step", Some((0.0, 1_999.0))));
    let points: usize = run.columns.values().map(|column| column.len()).sum();
    assert_eq!(points, ROWS + COLUMNS * ROWS / 10 * 9);
    assert_eq!(run.columns["m/7"].nonfinite(), ROWS / 10 * 9);
    assert_eq!(values(&run, "m/4999")[..3], [9.5, 1.5, 2.5]);
    assert_eq!(run.columns["m/4999"].rows().iter().take(3).collect::<Vec<_>>(), [0, 2, 3]);
}

#[test]
fn a_million_rows() {
    const ROWS: usize = 1_000_000;
    let mut text = String::with_capacity(ROWS * 48);
    for row in 0..ROWS {
        let loss = (row % 1_000) as f64 / 8.0;
        writeln!(text, "{{\"step\": {row}, \"loss\": {loss}, \"kl\": -{}e-3}}", row % 7).unwrap();
    }
    let run = whole("long.jsonl", text.as_bytes(), 1 << 20);
    assert_eq!((run.columns.len(), run.row_steps.len()), (3, ROWS));
    assert_eq!(run.step_range(), Some((0.0, 999_999.0)));
    assert!(run.axis.restarts.is_empty());
    let loss = run.series("loss").unwrap();
    assert_eq!((loss.len(), loss.superseded), (ROWS, 0));
    assert_eq!((loss.steps[123_457], loss.values[123_457]), (123_457.0, 457.0 / 8.0));
    assert_eq!(values(&run, "kl")[5], -0.005);
}

#[test]
fn a_key_twice_in_one_object() {
    let text = b"{\"step\": 1, \"loss\": 1, \"loss\": 2}\n{\"loss\": 3, \"step\": 9, \"step\": 2, \"loss\": 4}\n";
    for slice in [1, 7, 1_000] {
        let run = whole("twice.jsonl", text, slice);
        // As every reader of JSON has it: the last one counts.
        assert_eq!((values(&run, "loss"), values(&run, "step")), (&[2.0, 4.0][..], &[1.0, 2.0][..]));
    }
}

#[test]
fn a_column_twice_in_one_header() {
    let run = one("twice.csv", b"step,loss,loss\n1,1,2\n2,3,4\n", 5).runs.remove(0);
    // Either is right, but a row has one value, and all rows the same one.
    assert_eq!(values(&run, "step"), [1.0, 2.0]);
    assert!([&[1.0, 3.0][..], &[2.0, 4.0][..]].contains(&values(&run, "loss")), "{:?}", values(&run, "loss"));
}

#[test]
fn raw_control_characters_in_strings() {
    // Python's `json.dumps` escapes them; loggers that write by hand do not.
    let text = b"{\"step\": 1, \"loss\": 1, \"text\": \"a\tb\x01\x1b[31mc\"}\n{\"step\": 2, \"loss\": 2, \"text\": \"\x7f\"}\n";
    for slice in [1, 1_000] {
        assert_eq!(values(&whole("raw.jsonl", text, slice), "loss"), [1.0, 2.0]);
    }
    let nul = b"{\"step\": 1, \"loss\": 1, \"text\": \"a\x00b\"}\n{\"step\": 2, \"loss\": 2}\n";
    assert_eq!(values(&one("nul.jsonl", nul, 3).runs[0], "loss").last(), Some(&2.0));
}

#[test]
fn broken_strings_cost_their_line_alone() {
    let text = b"{\"step\": 1, \"loss\": 1}\n{\"step\": 2, \"loss\": \"\n\"}\n{\"a\": \"\\ud800\", \"step\": 3, \"loss\": 3}\n\
                 {\"step\": 4, \"loss\": 4, \"b\": \"\xff\xfe\"}\n{\"step\": 5, \"loss\": 5}\n";
    let ingested = one("broken.jsonl", text, 11);
    let run = &ingested.runs[0];
    assert!(values(run, "loss").starts_with(&[1.0]) && values(run, "loss").ends_with(&[5.0]), "{:?}", run.columns);
    assert!(ingested.problems.iter().any(|problem| problem.weight == Weight::Partial), "{:?}", ingested.problems);
}

#[test]
fn a_mark_at_the_start_and_line_breaks_of_windows() {
    let table = b"\xEF\xBB\xBFstep,loss\r\n1,0.5\r\n\r\n2,0.25\r\n";
    let lines = b"\xEF\xBB\xBF{\"step\": 1, \"loss\": 0.5}\r\n\r\n{\"step\": 2, \"loss\": 0.25}\r\n";
    let document =
        b"\xEF\xBB\xBF{\"log_history\": [\r\n{\"step\": 1, \"loss\": 0.5},\r\n{\"step\": 2, \"loss\": 0.25}\r\n]}\r\n";
    let log = b"\xEF\xBB\xBF{'loss': 0.5, 'epoch': 1}\r\n{'loss': 0.25, 'epoch': 2}\r\n";
    let files: [(&str, &[u8]); 4] =
        [("a.csv", table), ("a.jsonl", lines), ("trainer_state.json", document), ("a.log", log)];
    for (path, bytes) in files {
        for slice in [1, 2, 1_000] {
            let run = one(path, bytes, slice).runs.remove(0);
            assert_eq!(values(&run, "loss"), [0.5, 0.25], "{path} in {slice}: {:?}", run.columns.keys());
            assert_eq!(values(&run, "step"), [1.0, 2.0], "{path} in {slice}");
        }
    }
}

#[test]
fn a_table_in_utf_16() {
    let text = "step,loss,néw\r\n1,0.5,1\r\n2,0.25,\u{1F600}\r\n";
    let units: Vec<u16> = std::iter::once(0xFEFF).chain(text.encode_utf16()).collect();
    let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    for bytes in [little, big] {
        for slice in [1, 3, 1_000] {
            let run = one("excel.csv", &bytes, slice).runs.remove(0);
            assert_eq!((values(&run, "step"), values(&run, "loss")), (&[1.0, 2.0][..], &[0.5, 0.25][..]));
            assert_eq!(values(&run, "néw").first(), Some(&1.0));
        }
    }
}

#[test]
fn integers_beyond_what_a_number_holds() {
    const BIG: &str = "9007199254740993";
    let rows = format!("{{\"step\": 1, \"tokens\": {BIG}}}\n{{\"step\": 2, \"tokens\": 1{BIG}{BIG}}}\n");
    // A metric is an f64: the nearest one.
    assert_eq!(
        values(&whole("big.jsonl", rows.as_bytes(), 9), "tokens"),
        [9_007_199_254_740_992.0, 1.900_719_925_474_099_3e32]
    );
    let table = format!("step,tokens\n1,{BIG}\n2,-{BIG}\n");
    assert_eq!(
        values(&whole("big.csv", table.as_bytes(), 9), "tokens"),
        [9_007_199_254_740_992.0, -9_007_199_254_740_992.0]
    );
    // A setting is shown: it stays exact.
    let run = format!("{{\"config\": {{\"seed\": {BIG}}}, \"history\": [{{\"step\": 1, \"loss\": 2}}]}}");
    let run = whole("run.json", run.as_bytes(), 9);
    assert_eq!(run.config.get("seed"), Some(&ConfigValue::Text(BIG.to_owned())));
    // Steps as large are steps.
    let steps = whole("steps.csv", b"step,loss\n9007199254740990,1\n9007199254740991,2\n", 100);
    assert_eq!(steps.step_range(), Some((9_007_199_254_740_990.0, 9_007_199_254_740_991.0)));
}

#[test]
fn long_lines_of_brackets_and_quotes_end() {
    let mut hostile = vec![b'['; 300_000];
    hostile.extend_from_slice(b"\n{\"step\": 1, \"loss\": 1}\n");
    let deep = "{\"a\":".repeat(100_000);
    let marks = "x( pid=( pid=".repeat(50_000);
    for (path, bytes) in [("deep.json", deep.as_bytes()), ("deep.jsonl", &hostile[..]), ("marks.log", marks.as_bytes())]
    {
        let ingested = one(path, bytes, 4_096);
        assert!(ingested.runs.iter().all(|run| run.row_steps.len() <= 1), "{path}");
    }
}
