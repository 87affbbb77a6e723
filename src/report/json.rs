//! The report that programs read (schema 2, outlined in the design under "Reports").
//!
//! Object keys stand in a fixed order, runs in the order of the leaderboard. Numbers are rounded to six significant
//! digits, integers kept whole, so that every platform writes the same bytes. `null` stands for a number that does
//! not exist or is not finite: JSON has no NaN.

mod clean;
mod compared;
mod comparison;
mod cost;
mod format;
mod groups;
mod samples;
mod short;
mod signals;

use std::collections::BTreeMap;

use serde::Serialize;

use super::run_set::RunSet;
use crate::compare::{DiagnosedRun, RankedRun, RunSummary};
use crate::diagnose::{Code, Diagnosis, Finding, Movement};
use crate::run::{Artifact, Run};
use crate::vocabulary::Bindings;
pub(super) use clean::json_finding;
use clean::{JsonFinding, clean, clean_name, clean_rich};
use compared::{Compared, compared};
use comparison::{Comparison, comparison};
use cost::{CostReport, cost_report};
use samples::{SamplesReport, samples_report};
use short::{ShortReport, short_report};

/// Version of the schema. It grows when a field changes its meaning or goes; new fields may come without.
pub const SCHEMA: u32 = 2;

#[derive(Serialize)]
struct Report {
    schema: u32,
    rundown: &'static str,
    /// The rulebook of the runs that were diagnosed here, or all their names when they differ.
    rulebook: String,
    runs: Vec<AnyRun>,
    comparison: Comparison,
}

/// A run that was diagnosed here, or one that is known from its report.
#[derive(Serialize)]
#[serde(untagged)]
enum AnyRun {
    Whole(Box<RunReport>),
    Short(Box<ShortReport>),
}

#[derive(Serialize)]
struct RunReport {
    id: String,
    name: String,
    files: Vec<String>,
    source: String,
    /// What its server keeps beside the history; left out where nothing is known of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    artifacts: Vec<ArtifactReport>,
    framework: &'static str,
    state: &'static str,
    first_step: Option<f64>,
    last_step: Option<f64>,
    points: usize,
    verdict: &'static str,
    findings: Vec<FindingReport>,
    quiet: Vec<Code>,
    skipped: Vec<SkippedReport>,
    bindings: BTreeMap<&'static str, BindingReport>,
    /// Keys that stand for no concept, so that no check reads them.
    unbound: Vec<String>,
    summary: BTreeMap<&'static str, MovementReport>,
    cost: CostReport,
    #[serde(flatten)]
    compared: Compared,
}

#[derive(Serialize)]
struct ArtifactReport {
    name: String,
    /// `file` for a file that is no artifact.
    r#type: String,
    /// Bytes.
    size: Option<f64>,
}

/// A finding, when its alarm would first have been raised, where that was asked for, and what the policy wrote, where
/// that was logged.
#[derive(Serialize)]
struct FindingReport {
    #[serde(flatten)]
    finding: JsonFinding,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_alarm: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<SamplesReport>,
}

impl FindingReport {
    fn of(index: usize, finding: &Finding, diagnosis: &Diagnosis) -> Self {
        let samples = diagnosis.samples.iter().find(|samples| samples.finding as usize == index);
        Self { finding: json_finding(finding), first_alarm: finding.first_alarm, samples: samples.map(samples_report) }
    }
}

#[derive(Serialize)]
struct SkippedReport {
    code: Code,
    /// The key that would enable it, in a sentence.
    needs: String,
}

#[derive(Serialize)]
struct BindingReport {
    key: String,
    why: String,
}

#[derive(Serialize)]
struct MovementReport {
    first: f64,
    mid: f64,
    last: f64,
    best: f64,
    best_step: f64,
    slope: f64,
}

/// The report as JSON, two spaces deep, with a line break at its end. Runs stand in the order of the leaderboard.
pub(super) fn report(runs: &RunSet<'_>) -> String {
    let entries = runs.refs();
    let selection = runs.selection(&entries);
    let rows = selection.ranked(&entries);
    let told = |row: &RankedRun| {
        let entry = entries.get(row.index)?;
        Some(match runs.judged(row.index) {
            Some((run, diagnosis)) => AnyRun::Whole(Box::new(run_report(run, diagnosis, entry))),
            None => AnyRun::Short(Box::new(short_report(entry))),
        })
    };
    let report = Report {
        schema: SCHEMA,
        rundown: env!("CARGO_PKG_VERSION"),
        rulebook: rulebooks((0..entries.len()).filter_map(|place| runs.judged(place))),
        runs: rows.iter().filter_map(told).collect(),
        comparison: comparison(&entries, &selection, &rows),
    };
    format::to_string(&report)
}

fn rulebooks<'a>(runs: impl Iterator<Item = DiagnosedRun<'a>>) -> String {
    let mut names: Vec<&str> = runs.map(|(_, diagnosis)| diagnosis.rulebook.as_str()).collect();
    names.sort();
    names.dedup();
    names.join(", ")
}

fn run_report(run: &Run, diagnosis: &Diagnosis, entry: &RunSummary) -> RunReport {
    let steps = run.step_range();
    RunReport {
        id: clean_name(&run.id, &run.id),
        name: clean_name(&run.name, &run.id),
        files: run.files.iter().map(|file| clean_name(&file.path, &run.id)).collect(),
        source: run.files.first().map(|file| clean(file.format.name())).unwrap_or_default(),
        artifacts: run.artifacts.iter().map(|artifact| artifact_report(artifact, &run.id)).collect(),
        framework: diagnosis.bindings.framework.as_str(),
        state: run.ending.state.as_str(),
        first_step: steps.map(|(first, _)| first),
        last_step: steps.map(|(_, last)| last),
        points: diagnosis.points,
        verdict: diagnosis.verdict.as_str(),
        findings: diagnosis
            .findings
            .iter()
            .enumerate()
            .map(|(index, finding)| FindingReport::of(index, finding, diagnosis))
            .collect(),
        quiet: diagnosis.quiet.iter().map(|quiet| quiet.code).collect(),
        skipped: diagnosis
            .skipped
            .iter()
            .map(|skipped| SkippedReport { code: skipped.code, needs: clean_rich(&skipped.need.hint) })
            .collect(),
        bindings: binding_reports(&diagnosis.bindings),
        unbound: super::unbound(run, diagnosis).into_iter().map(clean).collect(),
        summary: movement_reports(&diagnosis.movements),
        cost: cost_report(&diagnosis.cost),
        compared: compared(entry),
    }
}

fn artifact_report(artifact: &Artifact, run: &str) -> ArtifactReport {
    ArtifactReport { name: clean_name(&artifact.name, run), r#type: clean(&artifact.kind), size: artifact.bytes }
}

/// The primary binding of each concept.
fn binding_reports(bindings: &Bindings) -> BTreeMap<&'static str, BindingReport> {
    let mut reports = BTreeMap::new();
    for binding in bindings.iter() {
        reports.entry(binding.concept.name()).or_insert_with(|| BindingReport {
            key: clean(&binding.key),
            why: clean(&binding.why_and_origin(bindings)),
        });
    }
    reports
}

/// The primary metric of each concept.
fn movement_reports(movements: &[Movement]) -> BTreeMap<&'static str, MovementReport> {
    let mut reports = BTreeMap::new();
    for (name, report) in movements.iter().map(movement_report) {
        reports.entry(name).or_insert(report);
    }
    reports
}

fn movement_report(movement: &Movement) -> (&'static str, MovementReport) {
    let report = MovementReport {
        first: movement.first,
        mid: movement.mid,
        last: movement.last,
        best: movement.best,
        best_step: movement.best_step,
        slope: movement.slope,
    };
    (movement.concept.name(), report)
}
