//! Runs from the JSON reports that `report::json` writes, so that reports are compared as the runs themselves are.
//!
//! A report has numbers of six digits and no secrets; else its summaries are those of its runs. Fields that a newer
//! version added are passed over, and so are codes that this version does not know.

use std::fmt;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::compare::{FindingSummary, RunSummary, Trace};
use crate::diagnose::{Code, Severity, Spent, Verdict};
use crate::run::{Config, RunState};
use crate::schema;
use crate::schema::finding::FindingReport;
use crate::schema::report::{Report, RunReport, SpentReport, TraceReport, setting_value};
use crate::vocabulary::{Concept, Direction, Framework, Unit};

/// Bytes in which a report as it was written says what it is.
const HEAD: usize = 200;

/// The runs of a report.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReportedRuns {
    /// Its runs, numbered from 0.
    pub summaries: Vec<RunSummary>,
    /// Runs of which the report has neither settings nor curves, as those of Rundown's first version: they have a
    /// verdict and findings, and little to compare.
    pub bare: usize,
}

/// Why a report could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportError {
    /// It is no report of Rundown.
    NotAReport,
    /// A report of another version of the schema; its number as it stands there.
    OtherSchema(String),
    /// It is cut or damaged; what the reader of JSON says.
    Broken(String),
}

impl fmt::Display for ReportError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReportError::NotAReport => out.write_str("This is no report of Rundown."),
            ReportError::OtherSchema(version) => {
                write!(
                    out,
                    "This report has version {version} of the schema, and versions 1 and 2 are understood. Write it again with this version of Rundown."
                )
            }
            ReportError::Broken(what) => write!(out, "This report is cut or damaged: {what}."),
        }
    }
}

impl std::error::Error for ReportError {}

/// True for the bytes of a JSON report of Rundown, of whatever version of the schema. The first few hundred bytes are
/// enough for a report as it was written; where its keys were put in another order, all of it is needed.
pub fn is_report(bytes: &[u8]) -> bool {
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    let has = |bytes: &[u8], word: &str| memchr::memmem::find(bytes, word.as_bytes()).is_some();
    if head.trim_ascii_start().first() != Some(&b'{') {
        return false;
    }
    if has(head, "\"schema\"") && has(head, "\"rundown\"") && has(head, "\"rulebook\"") {
        return true;
    }
    has(bytes, "\"rundown\"") && serde_json::from_slice::<ReportHead>(bytes).is_ok_and(|head| head.is_report())
}

/// Reads a JSON report. Its comparison is not read.
///
/// # Errors
/// Says whether it is no report, one of another version, or damaged.
pub fn read_report(bytes: &[u8]) -> Result<ReportedRuns, ReportError> {
    let head = serde_json::from_slice::<ReportHead>(bytes).ok().filter(ReportHead::is_report);
    if let Some(version) = head.and_then(|head| head.schema) {
        let is_read =
            version.as_u64().is_some_and(|version| schema::READ.iter().any(|read| u64::from(*read) == version));
        if !is_read {
            return Err(ReportError::OtherSchema(version.to_string()));
        }
    }
    match serde_json::from_slice::<Report<IgnoredAny>>(bytes) {
        Ok(report) => Ok(reported_runs(&report)),
        Err(_) if !is_report(bytes) => Err(ReportError::NotAReport),
        Err(error) => Err(ReportError::Broken(error.to_string())),
    }
}

#[derive(Deserialize)]
struct ReportHead {
    schema: Option<Value>,
    rundown: Option<IgnoredAny>,
    rulebook: Option<IgnoredAny>,
    runs: Option<IgnoredAny>,
}

impl ReportHead {
    fn is_report(&self) -> bool {
        self.schema.is_some() && self.rundown.is_some() && self.rulebook.is_some() && self.runs.is_some()
    }
}

fn reported_runs(report: &Report<IgnoredAny>) -> ReportedRuns {
    let mut runs = ReportedRuns::default();
    for (number, run) in report.runs.iter().enumerate() {
        runs.bare += usize::from(run.config.is_empty() && run.traces.is_empty());
        runs.summaries.push(reported_summary(number as u32, run));
    }
    runs
}

/// A run of a report as comparisons see it.
pub fn reported_summary(number: u32, run: &RunReport) -> RunSummary {
    let mut config = Config::default();
    for (key, value) in &run.config {
        config.insert(key, setting_value(value));
    }
    let last = run.last.iter().filter_map(|(key, value)| Some((key.clone(), value.finite()?)));
    RunSummary {
        number,
        id: run.id.clone(),
        name: run.name.clone(),
        project: run.project.clone(),
        group: run.group.clone(),
        job_type: run.job_type.clone(),
        sweep: run.sweep.clone(),
        notes: run.notes.clone(),
        tags: run.tags.clone(),
        started_at: run.started_at,
        state: named(&STATES, &run.state, RunState::as_str).unwrap_or_default(),
        framework: named(Framework::ALL, &run.framework, Framework::as_str).unwrap_or_default(),
        config,
        last: last.collect(),
        verdict: named(&VERDICTS, &run.verdict, Verdict::as_str).unwrap_or_default(),
        headline: run.headline.clone(),
        findings: run.findings.iter().filter_map(finding_summary).collect(),
        traces: run.traces.iter().filter_map(trace).collect(),
        steps: run.first_step.zip(run.last_step),
        points: run.points,
        spent: run.cost.as_ref().map(|cost| spent(&cost.total)).unwrap_or_default(),
        tasks: run.tasks,
        league: fact(run.league.as_ref()),
        scaling: fact(run.scaling.as_ref()),
        pipeline: fact(run.pipeline.as_ref()),
        rubric: fact(run.rubric.as_ref()),
    }
}

/// What a run has beyond curves; `None` where it has none, or another version wrote it in another form.
fn fact<T: for<'de> Deserialize<'de>>(value: Option<&Value>) -> Option<T> {
    T::deserialize(value?).ok()
}

const STATES: [RunState; 6] =
    [RunState::Finished, RunState::Running, RunState::Crashed, RunState::Failed, RunState::Killed, RunState::Unknown];
const VERDICTS: [Verdict; 4] = [Verdict::Good, Verdict::Undecided, Verdict::Bad, Verdict::Ugly];
pub(super) const SEVERITIES: [Severity; 3] = [Severity::Note, Severity::Warning, Severity::Critical];
/// Directions by their names in a report.
const DIRECTIONS: [(&str, Direction); 3] =
    [("up", Direction::Up), ("down", Direction::Down), ("neutral", Direction::Neutral)];

/// The name of a direction in a report.
pub fn direction_name(direction: Direction) -> &'static str {
    DIRECTIONS.iter().find(|(_, known)| *known == direction).map_or("neutral", |(name, _)| name)
}

pub(super) fn named<T: Copy>(all: &[T], name: &str, name_of: fn(T) -> &'static str) -> Option<T> {
    all.iter().copied().find(|one| name_of(*one) == name)
}

fn finding_summary(finding: &FindingReport) -> Option<FindingSummary> {
    let is_explained = finding.details.as_ref().is_some_and(|details| !details.explained_by.is_empty());
    Some(FindingSummary {
        code: named(Code::ALL, &finding.code, Code::as_str)?,
        severity: named(&SEVERITIES, &finding.severity, Severity::as_str)?,
        onset: finding.onset,
        is_root: finding.is_root.unwrap_or(!is_explained),
    })
}

fn spent(spent: &SpentReport) -> Spent {
    Spent {
        steps: spent.steps.finite().unwrap_or_default(),
        hours: spent.hours,
        tokens: spent.tokens,
        gpu_hours: spent.gpu_hours,
        money: spent.money,
    }
}

/// `None` for a trace that this version cannot place.
fn trace(trace: &TraceReport) -> Option<Trace> {
    let steps: Vec<f64> = trace.steps.iter().map(|step| step.finite()).collect::<Option<_>>()?;
    let values: Vec<f64> = trace.values.iter().map(|value| value.finite()).collect::<Option<_>>()?;
    if steps.len() != values.len() || !steps.is_sorted() {
        return None;
    }
    let (last, best) = (trace.last.finite()?, trace.best.finite()?);
    let (_, direction) = DIRECTIONS.iter().find(|(name, _)| *name == trace.direction)?;
    Some(Trace {
        concept: Concept::from_name(&trace.concept)?,
        unit: Unit::from_name(&trace.unit)?,
        direction: *direction,
        key: trace.key.clone(),
        name: trace.name.clone(),
        steps,
        values,
        points: trace.points,
        last,
        best,
        best_step: trace.best_step.0,
        tail: trace.tail.finite().unwrap_or(last),
        tail_error: trace.tail_error.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LEAST: &str = r#"{"schema": 1, "rundown": "0.1.0", "rulebook": "default 1", "runs": [
        {"id": "a", "name": "b", "verdict": "ugly", "state": "killed", "framework": "verl", "first_step": 1, "last_step": null,
         "findings": [{"code": "kl_blow_up", "severity": "critical", "title": "KL rose", "onset": 3, "explained_by": ["reward_hacking"]},
                      {"code": "of_the_future", "severity": "warning", "onset": null, "explained_by": []}],
         "new": {"x": []}}], "comparison": {}}"#;

    #[test]
    fn what_is_missing_or_new_does_no_harm() {
        let runs = read_report(LEAST.as_bytes()).unwrap();
        let summary = &runs.summaries[0];
        assert_eq!((runs.bare, summary.verdict, summary.state), (1, Verdict::Ugly, RunState::Killed));
        assert_eq!((summary.framework, summary.steps), (Framework::Verl, None));
        let found =
            FindingSummary { code: Code::KlBlowUp, severity: Severity::Critical, onset: Some(3.0), is_root: false };
        assert_eq!(summary.findings, [found]);
    }

    #[test]
    fn other_files_and_versions_are_rejected() {
        let other = LEAST.replace("\"schema\": 1", "\"schema\": 99").replace("\"runs\": [", "\"runs\": [3, ");
        assert_eq!(read_report(other.as_bytes()), Err(ReportError::OtherSchema("99".into())));
        assert_eq!(read_report(b"{\"runs\": []}"), Err(ReportError::NotAReport));
        assert_eq!(read_report(b"\xff\x00"), Err(ReportError::NotAReport));
        let cut = &LEAST.as_bytes()[..LEAST.len() / 2];
        assert!(matches!(read_report(cut), Err(ReportError::Broken(_))) && is_report(cut));
        let turned = r#"{"comparison": {"a": "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"},
            "rulebook": "", "rundown": "0.1.0", "runs": [], "schema": 1}"#;
        assert!(is_report(turned.as_bytes()) && read_report(turned.as_bytes()).unwrap().summaries.is_empty());
        for text in
            ["", "[]", "{}", "{\"rundown\": 1}", "\"schema\" \"rundown\" \"rulebook\"", "{\"schema\": 1, \"runs\": []}"]
        {
            assert!(!is_report(text.as_bytes()), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(cut in 0..LEAST.len(), place in 0..LEAST.len(), byte: u8) {
            let mut bytes = LEAST.as_bytes()[..cut].to_vec();
            if let Some(at) = bytes.get_mut(place) {
                *at = byte;
            }
            let _ = (is_report(&bytes), read_report(&bytes));
        }
    }
}
