//! Reports that are read back are compared as the runs themselves are: every entry of the corpus's reports is that of
//! its run, up to six significant digits.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

use rundown::compare::{Entry, is_report, primary_metric, ranking, read_report};
use rundown::diagnose::{Diagnosis, Rulebook, diagnose};
use rundown::report::{Format, write};
use rundown::run::Run;
use serde_json::{Value, json};

mod support;

use support::{corpus, ingest_folder};

/// Where two values differ by more than six digits; numbers that JSON lacks are null on both sides.
fn differences(path: &str, a: &Value, b: &Value, found: &mut Vec<String>) {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            let mut keys: Vec<&String> = a.keys().chain(b.keys()).collect();
            keys.sort();
            keys.dedup();
            for key in keys {
                let none = Value::Null;
                let (a, b) = (a.get(key).unwrap_or(&none), b.get(key).unwrap_or(&none));
                differences(&format!("{path}/{key}"), a, b, found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                differences(&format!("{path}[{index}]"), a, b, found);
            }
        }
        (Value::Number(x), Value::Number(y)) => {
            let (x, y) = (x.as_f64().unwrap(), y.as_f64().unwrap());
            // Times are whole seconds, and large steps whole steps.
            let room = if path.ends_with("started_at") || path.contains("steps[") { 0.5 } else { 0.0 };
            if (x - y).abs() > (5.1e-6 * x.abs()).max(room) {
                found.push(format!("{path}: {x} is read as {y}"));
            }
        }
        _ if a == b => {}
        _ => found.push(format!("{path}: {a} is read as {b}")),
    }
}

fn judged(runs: &[Run]) -> Vec<Diagnosis> {
    runs.iter().map(|run| diagnose(run, &Rulebook::default())).collect()
}

/// The entries of runs and of their report, both in the order of the report.
fn both(runs: &[Run]) -> (Vec<Entry>, Vec<Entry>, String) {
    let diagnoses = judged(runs);
    let pairs: Vec<(&Run, &Diagnosis)> = runs.iter().zip(&diagnoses).collect();
    let report = write(&pairs, Format::Json);
    assert!(is_report(report.as_bytes()));
    let read = read_report(report.as_bytes()).expect("a report can be read");
    assert_eq!(read.entries.len(), runs.len());
    let mut entries: Vec<Entry> = Vec::new();
    for reported in &read.entries {
        let index = (0..runs.len())
            .find(|index| runs.get(*index).is_some_and(|run| run.id == reported.id) && !entries.iter().any(|entry: &Entry| entry.number as usize == *index))
            .expect("every run is in the report");
        entries.push(Entry::of(index as u32, pairs.get(index).copied().expect("a pair")));
    }
    (entries, read.entries, report)
}

#[track_caller]
fn same(entries: &[Entry], reported: &[Entry]) {
    for (place, (entry, reported)) in entries.iter().zip(reported).enumerate() {
        let mut expected = json!(entry);
        *expected.pointer_mut("/number").expect("a number") = json!(place);
        let mut found = Vec::new();
        differences(&entry.name, &expected, &json!(reported), &mut found);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}

#[test]
fn the_corpus_is_compared_alike() {
    for folder in ["tiny-grpo", "systems"] {
        let Some(path) = corpus(folder) else { return };
        let runs = ingest_folder(&path).runs;
        assert!(runs.len() > 10);
        let (entries, reported, report) = both(&runs);
        same(&entries, &reported);
        let order = |entries: &[Entry]| {
            let entries: Vec<&Entry> = entries.iter().collect();
            let metric = primary_metric(&entries);
            let rows = ranking(&entries, metric.as_ref());
            (metric, rows.iter().map(|row| row.index).collect::<Vec<usize>>())
        };
        assert_eq!(order(&entries), order(&reported));
        eprintln!("{folder}: {} runs, {} bytes", runs.len(), report.len());
    }
}
