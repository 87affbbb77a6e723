//! From bytes to reports and back.

use std::collections::BTreeSet;

use rundown_compare::{RunSummary, reported_summary};
use rundown_diagnose::{Diagnosis, Rulebook, diagnose};
use rundown_ingest::{Ingested, RunAssembler};
use rundown_report::{Format, RunSet, Secrets, run_export, write_set};
use rundown_run::Run;

use super::files;

/// A file is read, its runs are diagnosed and reported, and what was written is read back.
pub fn whole(input: &[u8]) {
    let Some((last, content)) = input.split_last() else { return };
    let ingested = assembled(files::name_of(*last), content);
    let diagnosed: Vec<(&Run, Diagnosis)> =
        ingested.runs.iter().map(|run| (run, diagnose(run, &Rulebook::default()))).collect();
    for (run, diagnosis) in &diagnosed {
        let export = run_export(run, &diagnosis.findings, Secrets::Keep).expect("a run has a JSON form");
        let back = assembled("export.json", export.as_bytes());
        assert_eq!(back.problems, [], "an export has problems");
        let again = back.runs.first().map(|run| (run.row_steps.len(), run.columns.len()));
        assert_eq!(again, Some((run.row_steps.len(), run.columns.len())), "an export reads back with other data");
        run_export(run, &diagnosis.findings, Secrets::Redact).expect("a run has a JSON form");
    }
    let pairs: Vec<(&Run, &Diagnosis)> = diagnosed.iter().map(|(run, diagnosis)| (*run, diagnosis)).collect();
    let reported =
        ingested.reported.iter().enumerate().map(|(at, run)| reported_summary(at as u32, &run.report)).collect();
    written(&RunSet::new(&pairs, reported));
}

/// A JSON report that may be damaged is read, compared and written again.
pub fn reports(input: &[u8]) {
    let ingested = assembled("report.json", input);
    let reported: Vec<RunSummary> =
        ingested.reported.iter().enumerate().map(|(at, run)| reported_summary(at as u32, &run.report)).collect();
    written(&RunSet::new(&[], reported));
}

/// Writes all formats, and reads the JSON back: every run comes back, without a problem. Runs that are written alike come
/// back as one, as copies of a report do.
fn written(set: &RunSet<'_>) {
    if set.summaries().is_empty() {
        return;
    }
    write_set(set, Format::Markdown);
    write_set(set, Format::Html);
    let json = write_set(set, Format::Json);
    let report: serde_json::Value = serde_json::from_str(&json).expect("a report is JSON");
    let runs = report["runs"].as_array().expect("a report has runs");
    assert_eq!(runs.len(), set.summaries().len(), "a report has other runs");
    let different: BTreeSet<String> = runs.iter().map(ToString::to_string).collect();
    let back = assembled("report.json", json.as_bytes());
    assert_eq!(back.reported.len(), different.len(), "a report reads back with other runs: {:?}", back.problems);
    assert_eq!(back.problems, [], "a report has problems");
}

fn assembled(name: &str, content: &[u8]) -> Ingested {
    let mut assembler = RunAssembler::default();
    assembler.add(files::read(name, content, 4096));
    assembler.assemble(Vec::new())
}
