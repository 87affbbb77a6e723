//! Reports that are read back are compared as the runs themselves are: every entry of the corpus's reports is that of
//! its run, up to six significant digits.

use rundown_compare::{
    Grouping, Metric, RunSummary, config_diff, contrasts, group_by, group_levels, primary_metric, ranking,
    setting_columns,
};
use rundown_diagnose::Diagnosis;
use rundown_format::redact::REDACTED;
use rundown_query::{CompletionIndex, Query, complete};
use rundown_report::{Format, RunSet, write, write_set};
use rundown_run::Run;
use rundown_stats::SplitMix64;
use serde_json::Value;

use crate::every_report::{diagnosed, read_report};
use crate::support::{corpus, ingest_folder};

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
        // What looks like a secret stays out of reports.
        (Value::String(_), Value::String(shown)) if shown.contains(REDACTED) => {}
        _ => found.push(format!("{path}: {a} is read as {b}")),
    }
}

/// The entries of runs and of their report, both in the order of the report.
fn both(runs: &[Run]) -> (Vec<RunSummary>, Vec<RunSummary>, String) {
    let diagnoses = diagnosed(runs);
    let pairs: Vec<(&Run, &Diagnosis)> = runs.iter().zip(&diagnoses).collect();
    let report = write(&pairs, Format::Json);
    let read = read_report(&report);
    assert_eq!(read.len(), runs.len());
    let mut entries: Vec<RunSummary> = Vec::new();
    for reported in &read {
        let index = (0..runs.len())
            .find(|index| {
                runs.get(*index).is_some_and(|run| run.id == reported.id)
                    && !entries.iter().any(|entry: &RunSummary| entry.number as usize == *index)
            })
            .expect("every run is in the report");
        entries.push(RunSummary::of(index as u32, pairs.get(index).copied().expect("a pair")));
    }
    (entries, read, report)
}

/// A summary as a report on many runs has it.
fn written(summary: &RunSummary) -> Value {
    let report = write_set(&RunSet::new(&[], vec![summary.clone()]), Format::Json);
    let report: Value = serde_json::from_str(&report).expect("JSON");
    report.pointer("/runs/0").cloned().expect("a run")
}

#[track_caller]
fn same(entries: &[RunSummary], reported: &[RunSummary]) {
    for (entry, reported) in entries.iter().zip(reported) {
        let mut found = Vec::new();
        differences(&entry.name, &written(entry), &written(reported), &mut found);
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
        let order = |entries: &[RunSummary]| {
            let entries: Vec<&RunSummary> = entries.iter().collect();
            let metric = primary_metric(&entries);
            let rows = ranking(&entries, metric.as_ref());
            (metric, rows.iter().map(|row| row.index).collect::<Vec<usize>>())
        };
        assert_eq!(order(&entries), order(&reported));
        eprintln!("{folder}: {} runs, {} bytes", runs.len(), report.len());
    }
}

/// A thousand runs with fifty settings and forty metrics each; run with `--nocapture` to see what each part takes.
#[test]
fn a_thousand_reported_runs_are_compared() {
    let run = |index: usize| {
        let settings: String = (0..50).map(|key| format!(", \"key{key}\": {}", index * key % 7)).collect();
        let last: String = (0..40).map(|key| format!(", \"metric/{key}\": 0.{index}")).collect();
        format!(
            "{{\"id\": \"id{index}\", \"name\": \"run-{index}\", \"verdict\": \"good\", \"config\": {{\"seed\": {index}{settings}}}, \"last\": {{\"eval/acc\": 0.5{last}}}}}"
        )
    };
    let runs: Vec<String> = (0..1000).map(run).collect();
    let report = format!("{{\"schema\": 1, \"rundown\": \"0\", \"rulebook\": \"\", \"runs\": [{}]}}", runs.join(","));
    let clock = std::time::Instant::now();
    let read = read_report(&report);
    eprintln!("read: {:?}", clock.elapsed());
    let entries: Vec<&RunSummary> = read.iter().collect();
    let took = |what: &str, since: std::time::Instant| eprintln!("{what}: {:?}", since.elapsed());
    let clock = std::time::Instant::now();
    let query = Query::parse("config.key3 > 2 and (tags contains x or summary.eval/acc == 0.5) and not key99 == 3")
        .expect("a query");
    assert_eq!(entries.iter().filter(|entry| query.matches(**entry)).count(), 571);
    took("query", clock);
    let clock = std::time::Instant::now();
    let metric = Metric::chosen(&entries, "eval/acc", None);
    assert_eq!(ranking(&entries, Some(&metric)).len(), 1000);
    took("ranking", clock);
    let clock = std::time::Instant::now();
    let diff = config_diff(&entries, &setting_columns(&entries));
    // key0 and key7, 14, … are always 0.
    assert_eq!((diff.rows.len(), diff.constant), (43, 8));
    took("config", clock);
    let clock = std::time::Instant::now();
    let groups = group_by(&entries, &setting_columns(&entries), &Grouping::Repeats);
    assert_eq!((groups.len(), groups.first().map(|group| group.seeds)), (7, Some(143)));
    let mut random = SplitMix64::new(1);
    let levels = group_levels(&entries, &groups, &metric, &mut random);
    assert_eq!(contrasts(&entries, &groups, &levels, &metric, &mut random).len(), 21);
    took("groups", clock);
    let clock = std::time::Instant::now();
    let index = CompletionIndex::new(entries.iter().copied());
    assert!(!complete("key1", 4, &index).is_empty());
    took("completion index", clock);
}
