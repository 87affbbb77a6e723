//! Logs as people keep them, read in place: none of the labels that held is lost.
//!
//! `real_logs.txt` lists, log by log, which parts of its label hold. A part that held and holds no more fails;
//! a part that newly holds is printed, and added to the list with `INSTA_UPDATE=always`, which never removes one.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use rundown_diagnose::{Diagnosis, Severity};
use rundown_ingest::RunAssembler;
use rundown_run::{Column, Run};
use serde_json::Value;

use super::labels::{Label, count, diagnosis_of, has, labels, line};
use super::support::{read, real_logs};

const BASELINE: &str = "tests/labels/real_logs.txt";
/// Verdicts that may be right are four; a label with so many of them tests reading only.
const UNDECIDABLE: usize = 3;

#[test]
fn real_logs_are_diagnosed_no_worse_than_before() {
    let Some(folder) = real_logs() else { return };
    let text = std::fs::read_to_string(folder.join("labels.json")).expect("labels.json is there");
    let understood: Value = serde_json::from_str(&text).expect("labels.json is JSON");
    let mut holds = BTreeSet::new();
    for (name, label) in labels(&folder) {
        let runs = runs_of(&folder.join(&name));
        // A file may hold several starts.
        let Some(run) = runs.iter().max_by_key(|run| run.row_steps.len()) else {
            eprintln!("{name:60} no run");
            continue;
        };
        let diagnosis = diagnosis_of(run);
        eprintln!("{}", line(&name, &diagnosis));
        let parts = diagnosed(&label, &diagnosis).into_iter().chain(read_as(&understood[&name]["understand"], &runs));
        for (part, is_held) in parts {
            if is_held {
                holds.insert(format!("{name}: {part}"));
            } else {
                eprintln!("    does not hold: {part}");
            }
        }
    }
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join(BASELINE);
    let before: BTreeSet<String> =
        std::fs::read_to_string(&place).unwrap_or_default().lines().map(str::to_owned).collect();
    let lost: Vec<&String> = before.difference(&holds).collect();
    let gained: Vec<&String> = holds.difference(&before).collect();
    eprintln!("{} parts of labels hold, {} of them newly: {gained:#?}", holds.len(), gained.len());
    if std::env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
        let mut text = String::new();
        before.union(&holds).for_each(|part| writeln!(text, "{part}").expect("memory takes every byte"));
        std::fs::write(&place, text).expect("the list can be written");
    }
    assert!(!before.is_empty(), "{BASELINE} is empty");
    assert!(lost.is_empty(), "held before, and no more: {lost:#?}");
}

/// The runs of a file, in the order of their names.
fn runs_of(path: &Path) -> Vec<Run> {
    let mut assembler = RunAssembler::default();
    let bytes = std::fs::read(path).expect("a log can be read");
    assembler.add(read(&path.file_name().expect("a file").to_string_lossy(), &bytes, 1 << 20));
    assembler.assemble(Vec::new()).runs
}

/// The parts of a label that are about the diagnosis, and whether they hold.
fn diagnosed(label: &Label, diagnosis: &Diagnosis) -> Vec<(String, bool)> {
    let mut parts = Vec::new();
    if label.verdicts.len() < UNDECIDABLE {
        let is_allowed = label.verdicts.iter().any(|verdict| verdict == diagnosis.verdict.as_str());
        parts.push((format!("verdict {}", label.verdicts.join(" or ")), is_allowed));
    }
    parts.extend(label.must.iter().map(|code| (code.clone(), has(diagnosis, code))));
    parts
        .extend(label.must_any.iter().map(|codes| (codes.join(" or "), codes.iter().any(|code| has(diagnosis, code)))));
    parts.extend(label.must_not.iter().map(|code| {
        let is_there = if code == "critical" { count(diagnosis, Severity::Critical) > 0 } else { has(diagnosis, code) };
        (format!("not {code}"), !is_there)
    }));
    parts
}

/// The parts of a label that are about reading: steps, and the main metrics against an independent parser, which takes
/// all rows of a file for one series: the starts of a training, and rows of training and evaluation.
fn read_as(expected: &Value, runs: &[Run]) -> Vec<(String, bool)> {
    let steps = runs.iter().filter_map(Run::step_range).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    let mut parts = vec![
        ("first step".to_owned(), steps.map(|(first, _)| first) == expected["step_first"].as_f64()),
        ("last step".to_owned(), steps.map(|(_, last)| last) == expected["step_last"].as_f64()),
    ];
    for (key, golden) in expected["golden"].as_object().into_iter().flatten() {
        let of_one = runs.iter().filter_map(|run| run.columns.get(key)).any(|column| is_same(golden, column));
        parts.push((format!("values of {key}"), of_one || is_same(golden, &all_rows(runs, key))));
    }
    parts
}

fn all_rows(runs: &[Run], key: &str) -> Column {
    let mut all = Column::default();
    let mut rows = 0;
    for run in runs {
        let parts = [key.to_owned(), format!("eval/{key}")];
        let columns = parts.iter().filter_map(|part| run.columns.get(part));
        let mut points: Vec<(u32, f64)> = columns.flat_map(Column::points).collect();
        points.sort_by_key(|(row, _)| *row);
        points.into_iter().for_each(|(row, value)| all.push(rows + row, value));
        rows += run.row_steps.len() as u32;
    }
    all
}

fn is_same(golden: &Value, column: &Column) -> bool {
    let values: Vec<f64> = column.values().iter().copied().filter(|value| value.is_finite()).collect();
    let counts = [("n", column.len()), ("nonfinite", column.len() - values.len())];
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let ends = [("first", values.first()), ("last", values.last()), ("min", Some(&least)), ("max", Some(&largest))];
    let is_close = |(key, value): (&str, Option<&f64>)| match (golden[key].as_f64(), value) {
        (Some(expected), Some(value)) => (expected - value).abs() <= 1e-9 * expected.abs().max(1e-9),
        (expected, value) => expected.is_none() && value.is_none_or(|value| !value.is_finite()),
    };
    counts.into_iter().all(|(key, count)| golden[key].as_u64() == Some(count as u64)) && ends.into_iter().all(is_close)
}
