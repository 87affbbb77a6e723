//! Findings without secrets. Checks quote config values and log lines, so every text of a finding is looked at.

use rundown_diagnose::{Action, ActionKind, Cause, Evidence, Finding, Limit, SettingName, SettingValue, Trend};
use rundown_format::{RichText, redact, redact_around_id, redact_setting};
use rundown_schema::finding::{
    ActionReport, CauseReport, EvidenceReport, FindingDetails, FindingReport, LimitReport, TrendReport,
};

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

pub(super) fn clean_rich(text: &RichText) -> String {
    clean(&text.to_string())
}

pub(crate) fn finding_report(finding: &Finding) -> FindingReport {
    let details = FindingDetails {
        title: clean_rich(&finding.title),
        detail: clean_rich(&finding.detail),
        metrics: clean_all(&finding.metrics),
        end: finding.end,
        evidence: finding.evidence.iter().map(evidence_report).collect(),
        trend: finding.trend.iter().map(trend_report).collect(),
        causes: finding.causes.iter().map(cause_report).collect(),
        actions: finding.actions.iter().map(action_report).collect(),
        alternative: clean_rich(&finding.alternative),
        refute: clean_rich(&finding.refute),
        explained_by: finding.explained_by.iter().map(|code| code.as_str().to_owned()).collect(),
        references: clean_all(&finding.references),
        confidence: finding.confidence.into(),
    };
    FindingReport {
        code: finding.code.as_str().to_owned(),
        severity: finding.severity.as_str().to_owned(),
        onset: finding.onset,
        first_alarm: finding.first_alarm,
        is_root: None,
        details: Some(details),
        samples: None,
    }
}

fn evidence_report(evidence: &Evidence) -> EvidenceReport {
    let limit = |limit: &Limit| LimitReport {
        relation: limit.relation.as_str().to_owned(),
        value: limit.value.into(),
        source: limit.source.clone().into_owned(),
    };
    EvidenceReport {
        name: clean_rich(&evidence.name),
        value: evidence.value.into(),
        unit: clean(&evidence.unit),
        limit: evidence.limit.as_ref().map(limit),
    }
}

fn trend_report(trend: &Trend) -> TrendReport {
    TrendReport {
        metric: clean(&trend.metric),
        first: trend.first.into(),
        mid: trend.mid.into(),
        last: trend.last.into(),
        slope: trend.slope.into(),
    }
}

fn cause_report(cause: &Cause) -> CauseReport {
    CauseReport {
        config: clean(&cause.config),
        value: redact_setting(&cause.config, &cause.value),
        why: clean_rich(&cause.why),
    }
}

fn action_report(action: &Action) -> ActionReport {
    let (change, from, to) = match &action.kind {
        ActionKind::Do(change) => (clean_rich(change), String::new(), String::new()),
        ActionKind::Set { setting: SettingName::Words(words), from, to } => {
            (clean(words), from.as_ref().map_or_else(String::new, |from| from.text.clone()), to.text.clone())
        }
        ActionKind::Set { setting: SettingName::Key(key), from, to } => {
            let value = |value: &SettingValue| redact_setting(key, &value.text);
            (clean(key), from.as_ref().map(value).unwrap_or_default(), value(to))
        }
    };
    ActionReport {
        change,
        from,
        to,
        effect: clean(&action.effect),
        risk: clean(&action.risk),
        watch: clean(&action.watch),
    }
}
