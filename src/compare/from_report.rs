//! Runs from the JSON reports that `report::json` writes, so that reports are compared as the runs themselves are.
//!
//! A report has numbers of six digits and no secrets; else its entries are those of its runs. Fields that a newer
//! version added are passed over, and so are codes that this version does not know.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::{FindingSummary, RunSummary, Trace};
use crate::diagnose::{Code, Severity, Spent, Verdict};
use crate::run::{Config, ConfigValue, RunState};
use crate::vocabulary::{Concept, Direction, Framework, Unit};

/// The versions of the schema that are understood.
const SCHEMAS: [f64; 2] = [1.0, 2.0];
/// Bytes in which a report as it was written says what it is.
const HEAD: usize = 200;

/// The runs of a report.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReportedRuns {
    /// Its runs, numbered from 0.
    pub entries: Vec<RunSummary>,
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

/// Reads a JSON report.
pub fn read_report(bytes: &[u8]) -> Result<ReportedRuns, ReportError> {
    let report = serde_json::from_slice::<ReportFile>(bytes);
    let schema = match &report {
        Ok(report) => report.schema.clone(),
        Err(_) => {
            serde_json::from_slice::<ReportHead>(bytes).ok().filter(ReportHead::is_report).and_then(|head| head.schema)
        }
    };
    match (report, schema) {
        (_, Some(schema)) if !schema.as_f64().is_some_and(|version| SCHEMAS.contains(&version)) => {
            Err(ReportError::OtherSchema(schema.to_string()))
        }
        (Ok(report), Some(_)) => Ok(entries(report)),
        (Ok(_), None) => Err(ReportError::NotAReport),
        (Err(_), None) if !is_report(bytes) => Err(ReportError::NotAReport),
        (Err(error), _) => Err(ReportError::Broken(error.to_string())),
    }
}

/// Reads one run of a report, as `ReportedRun::report` holds it.
pub fn read_reported_run(text: &str) -> Option<RunSummary> {
    serde_json::from_str::<ReportedRun>(text).ok().map(|run| entry(0, run))
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

#[derive(Deserialize)]
struct ReportFile {
    schema: Option<Value>,
    #[serde(rename = "rundown")]
    _rundown: IgnoredAny,
    #[serde(rename = "rulebook")]
    _rulebook: IgnoredAny,
    runs: Vec<ReportedRun>,
}

/// A run of a report. `null` stands for a number that is not finite.
#[derive(Deserialize)]
struct ReportedRun {
    id: String,
    name: String,
    project: Option<String>,
    group: Option<String>,
    job_type: Option<String>,
    sweep: Option<String>,
    notes: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    started_at: Option<f64>,
    #[serde(default)]
    framework: String,
    #[serde(default)]
    state: String,
    first_step: Option<f64>,
    last_step: Option<f64>,
    #[serde(default)]
    points: usize,
    verdict: String,
    #[serde(default)]
    headline: String,
    #[serde(default)]
    findings: Vec<ReportedFinding>,
    cost: Option<ReportedCost>,
    tasks: Option<u32>,
    #[serde(default)]
    config: BTreeMap<String, Value>,
    #[serde(default)]
    last: BTreeMap<String, Option<f64>>,
    #[serde(default)]
    traces: Vec<ReportedTrace>,
    league: Option<Value>,
    scaling: Option<Value>,
    pipeline: Option<Value>,
    rubric: Option<Value>,
}

#[derive(Deserialize)]
struct ReportedFinding {
    code: String,
    severity: String,
    onset: Option<f64>,
    #[serde(default)]
    explained_by: Vec<IgnoredAny>,
    /// In a report on reports, which does not repeat what explains what.
    is_root: Option<bool>,
}

#[derive(Deserialize)]
struct ReportedCost {
    total: ReportedSpent,
}

#[derive(Deserialize)]
struct ReportedSpent {
    steps: Option<f64>,
    hours: Option<f64>,
    tokens: Option<f64>,
    gpu_hours: Option<f64>,
    money: Option<f64>,
}

#[derive(Deserialize)]
struct ReportedTrace {
    key: String,
    concept: String,
    name: Option<String>,
    unit: String,
    direction: String,
    steps: Vec<Option<f64>>,
    values: Vec<Option<f64>>,
    points: usize,
    last: Option<f64>,
    best: Option<f64>,
    best_step: Option<f64>,
    tail: Option<f64>,
    tail_error: Option<f64>,
}

fn entries(report: ReportFile) -> ReportedRuns {
    let mut runs = ReportedRuns::default();
    for (number, run) in report.runs.into_iter().enumerate() {
        runs.bare += usize::from(run.config.is_empty() && run.traces.is_empty());
        runs.entries.push(entry(number as u32, run));
    }
    runs
}

fn entry(number: u32, run: ReportedRun) -> RunSummary {
    let mut config = Config::default();
    for (key, value) in run.config {
        config.insert(key, setting(value));
    }
    RunSummary {
        number,
        id: run.id,
        name: run.name,
        project: run.project,
        group: run.group,
        job_type: run.job_type,
        sweep: run.sweep,
        notes: run.notes,
        tags: run.tags,
        started_at: run.started_at,
        state: named(&STATES, &run.state, RunState::as_str).unwrap_or_default(),
        framework: named(Framework::ALL, &run.framework, Framework::as_str).unwrap_or_default(),
        config,
        last: run.last.into_iter().filter_map(|(key, value)| Some((key, value?))).collect(),
        verdict: named(&VERDICTS, &run.verdict, Verdict::as_str).unwrap_or_default(),
        headline: run.headline,
        findings: run.findings.into_iter().filter_map(found).collect(),
        traces: run.traces.into_iter().filter_map(trace).collect(),
        steps: run.first_step.zip(run.last_step),
        points: run.points,
        spent: run.cost.map(|cost| spent(cost.total)).unwrap_or_default(),
        tasks: run.tasks,
        league: fact(run.league),
        scaling: fact(run.scaling),
        pipeline: fact(run.pipeline),
        rubric: fact(run.rubric),
    }
}

/// What a run has beyond curves; `None` where it has none, or another version wrote it in another form.
fn fact<T: for<'de> Deserialize<'de>>(value: Option<Value>) -> Option<T> {
    serde_json::from_value(value?).ok()
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

fn found(finding: ReportedFinding) -> Option<FindingSummary> {
    Some(FindingSummary {
        code: named(Code::ALL, &finding.code, Code::as_str)?,
        severity: named(&SEVERITIES, &finding.severity, Severity::as_str)?,
        onset: finding.onset,
        is_root: finding.is_root.unwrap_or(finding.explained_by.is_empty()),
    })
}

fn spent(spent: ReportedSpent) -> Spent {
    Spent {
        steps: spent.steps.unwrap_or_default(),
        hours: spent.hours,
        tokens: spent.tokens,
        gpu_hours: spent.gpu_hours,
        money: spent.money,
    }
}

/// `None` for a trace that this version cannot place.
fn trace(trace: ReportedTrace) -> Option<Trace> {
    let (steps, values): (Option<Vec<f64>>, Option<Vec<f64>>) =
        (trace.steps.into_iter().collect(), trace.values.into_iter().collect());
    let (steps, values) = (steps?, values?);
    if steps.len() != values.len() || !steps.is_sorted() {
        return None;
    }
    let (last, best) = (trace.last?, trace.best?);
    let (_, direction) = DIRECTIONS.iter().find(|(name, _)| *name == trace.direction)?;
    Some(Trace {
        concept: Concept::from_name(&trace.concept)?,
        unit: Unit::from_name(&trace.unit)?,
        direction: *direction,
        key: trace.key,
        name: trace.name,
        steps,
        values,
        points: trace.points,
        last,
        best,
        best_step: trace.best_step.unwrap_or(f64::NAN),
        tail: trace.tail.unwrap_or(last),
        tail_error: trace.tail_error.unwrap_or(f64::NAN),
    })
}

/// A setting; numbers that JSON cannot write stand there as words.
fn setting(value: Value) -> ConfigValue {
    match value {
        Value::Null => ConfigValue::Null,
        Value::Bool(truth) => ConfigValue::Bool(truth),
        Value::Number(number) => number.as_f64().map_or(ConfigValue::Null, ConfigValue::Number),
        Value::String(text) => match text.as_str() {
            "NaN" => ConfigValue::Number(f64::NAN),
            "Infinity" => ConfigValue::Number(f64::INFINITY),
            "-Infinity" => ConfigValue::Number(f64::NEG_INFINITY),
            _ => ConfigValue::Text(text),
        },
        Value::Array(items) => ConfigValue::List(items.into_iter().map(setting).collect()),
        // No report has one.
        Value::Object(_) => ConfigValue::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LEAST: &str = r#"{"schema": 1, "rundown": "0.1.0", "rulebook": "default 1", "runs": [
        {"id": "a", "name": "b", "verdict": "ugly", "state": "killed", "framework": "verl", "first_step": 1, "last_step": null,
         "findings": [{"code": "kl_blow_up", "severity": "critical", "onset": 3, "explained_by": ["reward_hacking"]},
                      {"code": "of_the_future", "severity": "warning", "onset": null, "explained_by": []}],
         "new": {"x": []}}], "comparison": {}}"#;

    #[test]
    fn what_is_missing_or_new_does_no_harm() {
        let runs = read_report(LEAST.as_bytes()).unwrap();
        let entry = &runs.entries[0];
        assert_eq!((runs.bare, entry.verdict, entry.state), (1, Verdict::Ugly, RunState::Killed));
        assert_eq!((entry.framework, entry.steps), (Framework::Verl, None));
        let found =
            FindingSummary { code: Code::KlBlowUp, severity: Severity::Critical, onset: Some(3.0), is_root: false };
        assert_eq!(entry.findings, [found]);
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
        assert!(is_report(turned.as_bytes()) && read_report(turned.as_bytes()).unwrap().entries.is_empty());
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
