//! Findings without secrets. Checks quote config values and log lines, so every text of a finding is looked at.

use serde::Serialize;

use crate::diagnose::{Action, ActionKind, Cause, Code, Evidence, Finding, Limit, SettingName, Severity, Trend};
use crate::format::{RichText, redact, redact_around_id, redact_setting};

pub(super) fn clean(text: &str) -> String {
    redact(text).into_owned()
}

/// As [`clean`], for what may hold the id of its run.
pub(super) fn clean_name(text: &str, id: &str) -> String {
    redact_around_id(text, id).into_owned()
}

fn clean_all(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| clean(text)).collect()
}

/// A finding as programs read it: its sentences are plain text.
#[derive(Serialize)]
pub(in crate::report) struct JsonFinding {
    code: Code,
    severity: Severity,
    title: String,
    detail: String,
    metrics: Vec<String>,
    onset: Option<f64>,
    end: Option<f64>,
    evidence: Vec<JsonEvidence>,
    trend: Vec<Trend>,
    causes: Vec<JsonCause>,
    actions: Vec<JsonAction>,
    alternative: String,
    refute: String,
    explained_by: Vec<Code>,
    references: Vec<String>,
    confidence: f64,
}

#[derive(Serialize)]
pub(in crate::report) struct JsonEvidence {
    name: String,
    value: f64,
    unit: String,
    limit: Option<Limit>,
}

#[derive(Serialize)]
struct JsonCause {
    config: String,
    value: String,
    why: String,
}

#[derive(Serialize)]
struct JsonAction {
    change: String,
    from: String,
    to: String,
    effect: String,
    risk: String,
    watch: String,
}

// Fields are listed in full, so that a new one can't be forgotten here.
pub(in crate::report) fn json_finding(finding: &Finding) -> JsonFinding {
    JsonFinding {
        code: finding.code,
        severity: finding.severity,
        title: clean_rich(&finding.title),
        detail: clean_rich(&finding.detail),
        metrics: clean_all(&finding.metrics),
        onset: finding.onset,
        end: finding.end,
        evidence: json_evidence(&finding.evidence),
        trend: finding.trend.iter().map(|trend| Trend { metric: clean(&trend.metric), ..trend.clone() }).collect(),
        causes: finding.causes.iter().map(json_cause).collect(),
        actions: finding.actions.iter().map(json_action).collect(),
        alternative: clean_rich(&finding.alternative),
        refute: clean_rich(&finding.refute),
        explained_by: finding.explained_by.clone(),
        references: clean_all(&finding.references),
        confidence: finding.confidence,
    }
}

pub(in crate::report) fn json_evidence(evidence: &[Evidence]) -> Vec<JsonEvidence> {
    let json = |evidence: &Evidence| JsonEvidence {
        name: clean_rich(&evidence.name),
        value: evidence.value,
        unit: clean(&evidence.unit),
        limit: evidence.limit.clone(),
    };
    evidence.iter().map(json).collect()
}

pub(super) fn clean_rich(text: &RichText) -> String {
    clean(&text.to_string())
}

fn json_cause(cause: &Cause) -> JsonCause {
    JsonCause {
        config: clean(&cause.config),
        value: redact_setting(&cause.config, &cause.value),
        why: clean_rich(&cause.why),
    }
}

fn json_action(action: &Action) -> JsonAction {
    let (change, from, to) = match &action.kind {
        ActionKind::Do(change) => (clean_rich(change), String::new(), String::new()),
        ActionKind::Set { setting: SettingName::Words(words), from, to } => {
            (clean(words), from.clone().unwrap_or_default(), to.clone())
        }
        ActionKind::Set { setting: SettingName::Key(key), from, to } => {
            let value = |value: &String| redact_setting(key, value);
            (clean(key), from.as_ref().map(value).unwrap_or_default(), value(to))
        }
    };
    JsonAction {
        change,
        from,
        to,
        effect: clean(&action.effect),
        risk: clean(&action.risk),
        watch: clean(&action.watch),
    }
}
