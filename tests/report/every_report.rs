//! Every report of some runs, for tests that look for what must not be in any of them.

use rundown_compare::{RunSummary, reported_summary};
use rundown_diagnose::{Diagnosis, Rulebook, diagnose};
use rundown_ingest::{RunAssembler, open};
use rundown_report::{Format, RunSet, write, write_set};
use rundown_run::Run;

/// The formats of a report.
pub const FORMATS: [Format; 3] = [Format::Markdown, Format::Json, Format::Html];

/// What the default rulebook says of them.
pub fn diagnosed(runs: &[Run]) -> Vec<Diagnosis> {
    runs.iter().map(|run| diagnose(run, &Rulebook::default())).collect()
}

/// The reports of some runs in a format: of the runs, and of their reports.
#[track_caller]
pub fn reports(runs: &[Run], format: Format) -> [String; 2] {
    let diagnoses = diagnosed(runs);
    let pairs: Vec<(&Run, &Diagnosis)> = runs.iter().zip(&diagnoses).collect();
    let read = read_report(&write(&pairs, Format::Json));
    assert_eq!(read.len(), runs.len());
    [write(&pairs, format), write_set(&RunSet::new(&[], read), format)]
}

/// The runs of a JSON report.
pub fn read_report(text: &str) -> Vec<RunSummary> {
    let mut file = open("report.json", text.len() as u64);
    file.push(text.as_bytes());
    let mut assembler = RunAssembler::default();
    assembler.add(file.finish());
    assembler.assemble(Vec::new()).reported.iter().map(|run| reported_summary(0, &run.report)).collect()
}
