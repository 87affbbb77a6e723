//! Findings without secrets. Checks quote config values and log lines, so every text of a finding is looked at.

use crate::diagnose::{Action, Cause, Evidence, Finding, Trend};
use crate::format::{redact, redact_around_id, redact_setting};

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

fn clean_value(config: &str, value: &str) -> String {
    redact_setting(config, value)
}

// Fields are listed in full, so that a new one can't be forgotten here.
pub(in crate::report) fn clean_finding(finding: &Finding) -> Finding {
    Finding {
        code: finding.code,
        severity: finding.severity,
        title: clean(&finding.title),
        detail: clean(&finding.detail),
        metrics: clean_all(&finding.metrics),
        onset: finding.onset,
        end: finding.end,
        first_alarm: finding.first_alarm,
        evidence: finding.evidence.iter().map(clean_evidence).collect(),
        trend: finding.trend.iter().map(|trend| Trend { metric: clean(&trend.metric), ..trend.clone() }).collect(),
        causes: finding.causes.iter().map(clean_cause).collect(),
        actions: finding.actions.iter().map(clean_action).collect(),
        alternative: clean(&finding.alternative),
        refute: clean(&finding.refute),
        explained_by: finding.explained_by.clone(),
        references: clean_all(&finding.references),
        confidence: finding.confidence,
    }
}

fn clean_evidence(evidence: &Evidence) -> Evidence {
    Evidence {
        name: clean(&evidence.name),
        value: evidence.value,
        unit: clean(&evidence.unit),
        threshold: clean(&evidence.threshold),
    }
}

fn clean_cause(cause: &Cause) -> Cause {
    Cause { config: clean(&cause.config), value: clean_value(&cause.config, &cause.value), why: clean(&cause.why) }
}

fn clean_action(action: &Action) -> Action {
    Action {
        change: clean(&action.change),
        from: clean_value(&action.change, &action.from),
        to: clean_value(&action.change, &action.to),
        effect: clean(&action.effect),
        risk: clean(&action.risk),
        watch: clean(&action.watch),
    }
}
