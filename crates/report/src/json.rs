//! The report that programs read ([`rundown_schema`], outlined in the design under "Reports"), without secrets.
//!
//! Object keys stand in a fixed order, runs in the order of the leaderboard. Numbers are rounded to six significant
//! digits, integers kept whole, so that every platform writes the same bytes. `null` stands for a number that does
//! not exist or is not finite: JSON has no NaN.

mod compared;
mod comparison;
mod cost;
mod finding;
mod groups;
mod samples;
mod signals;

use std::collections::BTreeMap;

use super::run_set::RunSet;
use compared::{compared, reported_run};
use comparison::comparison;
use cost::cost_report;
pub(super) use finding::finding_report;
use finding::{clean, clean_name, clean_rich};
use rundown_compare::{DiagnosedRun, RankedRun, RunSummary};
use rundown_diagnose::{Diagnosis, Finding, Movement};
use rundown_run::{Artifact, Run};
use rundown_schema::finding::FindingReport;
use rundown_schema::report::{ArtifactReport, BindingReport, MovementReport, Report, RunReport, SkippedReport};
use rundown_schema::{self as schema, VERSION};
use rundown_stats::CompactSort as _;
use rundown_vocabulary::Bindings;
use samples::samples_report;

/// The report as JSON, two spaces deep, with a line break at its end. Runs stand in the order of the leaderboard.
pub(super) fn report(runs: &RunSet<'_>) -> String {
    let summaries = runs.refs();
    let selection = runs.selection(&summaries);
    let rows = selection.ranked(&summaries);
    let run = |row: &RankedRun| {
        let summary = summaries.get(row.index)?;
        Some(match runs.diagnosed(row.index) {
            Some((run, diagnosis)) => run_report(run, diagnosis, summary),
            None => reported_run(summary),
        })
    };
    schema::to_string(&Report {
        schema: VERSION,
        rundown: env!("CARGO_PKG_VERSION").to_owned(),
        rulebook: rulebooks((0..summaries.len()).filter_map(|place| runs.diagnosed(place))),
        runs: rows.iter().filter_map(run).collect(),
        comparison: comparison(&summaries, &selection, &rows),
    })
}

fn rulebooks<'a>(runs: impl Iterator<Item = DiagnosedRun<'a>>) -> String {
    let mut names: Vec<String> = runs.map(|(_, diagnosis)| diagnosis.rulebook.title()).collect();
    names.compact_sort_by(Ord::cmp);
    names.dedup();
    names.join(", ")
}

fn run_report(run: &Run, diagnosis: &Diagnosis, summary: &RunSummary) -> RunReport {
    let finding = |(index, finding): (usize, &Finding)| {
        let samples = diagnosis.samples.iter().find(|samples| samples.finding as usize == index);
        FindingReport { samples: samples.map(samples_report), ..finding_report(finding) }
    };
    let skipped = diagnosis
        .skipped
        .iter()
        .map(|skipped| SkippedReport { code: skipped.code.as_str().to_owned(), needs: clean_rich(&skipped.need.hint) });
    let steps = run.step_range();
    RunReport {
        files: Some(run.files.iter().map(|file| clean_name(&file.path, &run.id)).collect()),
        source: run.files.first().map(|file| clean(file.format.name())).unwrap_or_default(),
        artifacts: run.artifacts.iter().map(|artifact| artifact_report(artifact, &run.id)).collect(),
        first_step: steps.map(|(first, _)| first),
        last_step: steps.map(|(_, last)| last),
        findings: diagnosis.findings.iter().enumerate().map(finding).collect(),
        quiet: Some(diagnosis.quiet.iter().map(|quiet| quiet.code.as_str().to_owned()).collect()),
        skipped: Some(skipped.collect()),
        bindings: Some(binding_reports(&diagnosis.bindings)),
        unbound: Some(diagnosis.bindings.unbound(run).into_iter().map(clean).collect()),
        summary: Some(movement_reports(&diagnosis.movements)),
        cost: Some(cost_report(&diagnosis.cost)),
        ..compared(summary)
    }
}

fn artifact_report(artifact: &Artifact, run: &str) -> ArtifactReport {
    ArtifactReport { name: clean_name(&artifact.name, run), r#type: clean(&artifact.kind), size: artifact.bytes }
}

/// The primary binding of each concept.
fn binding_reports(bindings: &Bindings) -> BTreeMap<String, BindingReport> {
    let mut reports = BTreeMap::new();
    for binding in bindings.iter() {
        reports.entry(binding.concept.name().to_owned()).or_insert_with(|| BindingReport {
            key: clean(&binding.key),
            why: clean(&binding.why_and_origin(bindings)),
        });
    }
    reports
}

/// The primary metric of each concept.
fn movement_reports(movements: &[Movement]) -> BTreeMap<String, MovementReport> {
    let mut reports = BTreeMap::new();
    for movement in movements {
        reports.entry(movement.concept.name().to_owned()).or_insert_with(|| MovementReport {
            first: movement.first.into(),
            mid: movement.mid.into(),
            last: movement.last.into(),
            best: movement.best.into(),
            best_step: movement.best_step.into(),
            slope: movement.slope.into(),
        });
    }
    reports
}
