//! Every report of some runs, for tests that look for what must not be in any of them.

use rundown::compare::read_report;
use rundown::diagnose::{Diagnosis, Rulebook, diagnose};
use rundown::report::{Format, RunSet, write, write_set};
use rundown::run::Run;

/// The formats of a report.
pub const FORMATS: [Format; 3] = [Format::Markdown, Format::Json, Format::Html];

/// What the default rulebook says of them.
pub fn judged(runs: &[Run]) -> Vec<Diagnosis> {
    runs.iter().map(|run| diagnose(run, &Rulebook::default())).collect()
}

/// The reports of some runs in a format: of the runs, and of their reports.
#[track_caller]
pub fn reports(runs: &[Run], format: Format) -> [String; 2] {
    let diagnoses = judged(runs);
    let pairs: Vec<(&Run, &Diagnosis)> = runs.iter().zip(&diagnoses).collect();
    let read = read_report(write(&pairs, Format::Json).as_bytes()).expect("a report can be read");
    assert_eq!(read.summaries.len(), runs.len());
    [write(&pairs, format), write_set(&RunSet::new(&[], read.summaries), format)]
}
