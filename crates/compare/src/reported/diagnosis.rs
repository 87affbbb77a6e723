//! The diagnosis of one run as a report holds it, in the form of one that was made here.

use super::summary::reported_summary;
use crate::{ConflictSummary, RunSummary};
use rundown_diagnose::{
    Action, ActionKind, Cause, Code, Cost, Diagnosis, Evidence, Finding, Learning, Limit, Movement, Need, Quiet,
    Relation, Rulebook, SettingName, Severity, Skipped, Trend,
};
use rundown_schema::finding::{
    ActionReport, CauseReport, EvidenceReport, FindingDetails, FindingReport, LimitReport, TrendReport,
};
use rundown_schema::report::RunReport;
use rundown_vocabulary::{Binding, Bindings, Concept, Scale};

/// The reason of a binding, where the report has none.
const BOUND_BY_REPORT: &str = "According to the report.";

/// A run that is known from its report alone: what comparisons need of it, and its diagnosis.
///
/// What was found with all of its numbers is not found again in the thinned ones of a report.
pub fn reported_analysis(number: u32, report: &RunReport) -> (RunSummary, Diagnosis) {
    let mut summary = reported_summary(number, report);
    let diagnosis = diagnosis(report, &summary);
    summary.conflict = ConflictSummary::of(&diagnosis.findings);
    (summary, diagnosis)
}

fn diagnosis(report: &RunReport, summary: &RunSummary) -> Diagnosis {
    let quiet = report.quiet.iter().flatten();
    let quiet = quiet.filter_map(|name| Some(Quiet::new(Code::from_name(name)?, Vec::new(), None)));
    let skipped = report.skipped.iter().flatten().filter_map(|skipped| {
        let need = Need { concepts: Vec::new(), hint: skipped.needs.as_str().into() };
        Some(Skipped { code: Code::from_name(&skipped.code)?, need })
    });
    let key_of = |concept: &str| Some(report.bindings.as_ref()?.get(concept)?.key.clone());
    let movements = report.summary.iter().flatten().filter_map(|(name, movement)| {
        Some(Movement {
            concept: Concept::from_name(name)?,
            key: key_of(name).unwrap_or_default(),
            first: movement.first.0,
            // A report does not hold the noise.
            starts_near_zero: false,
            mid: movement.mid.0,
            last: movement.last.0,
            best: movement.best.0,
            best_step: movement.best_step.0,
            slope: movement.slope.0,
        })
    });
    let bindings = bindings(summary, report);
    let measure = bindings.first(Concept::Evaluation).or_else(|| bindings.first(Concept::Reward)).cloned();
    Diagnosis {
        verdict: summary.verdict,
        headline: summary.headline.as_str().into(),
        learning: Learning { measure, ..Learning::default() },
        acts_in_environment: summary.acts_in_environment,
        findings: report.findings.iter().filter_map(finding).collect(),
        quiet: quiet.collect(),
        skipped: skipped.collect(),
        movements: movements.collect(),
        bindings,
        cost: Cost { total: summary.spent, ..Cost::default() },
        points: summary.points,
        rulebook: Rulebook::named("that of the report"),
        ..Diagnosis::default()
    }
}

/// The keys of the curves, in the unit in which the report has them.
fn bindings(summary: &RunSummary, report: &RunReport) -> Bindings {
    let mut bindings = Bindings::new(summary.framework);
    for trace in &summary.traces {
        let reported = report.bindings.as_ref().and_then(|bindings| bindings.get(trace.concept.name()));
        let why = reported.filter(|binding| binding.key == trace.key).map(|binding| binding.why.clone());
        bindings.push(Binding {
            concept: trace.concept,
            key: trace.key.clone(),
            unit: trace.unit,
            scale: Scale::One,
            direction: trace.direction,
            name: trace.name.clone(),
            why: why.unwrap_or_else(|| BOUND_BY_REPORT.to_owned()),
        });
    }
    bindings
}

/// A finding as the report has it; in short where the report has it in short only.
fn finding(report: &FindingReport) -> Option<Finding> {
    let code = Code::from_name(&report.code)?;
    let severity = Severity::from_name(&report.severity)?;
    let mut finding = match &report.details {
        Some(details) => detailed(code, severity, details),
        None => Finding {
            detail: "See the run's own report for the evidence.".into(),
            ..Finding::new(code, severity, code.words())
        },
    };
    finding.onset = report.onset;
    Some(finding)
}

fn detailed(code: Code, severity: Severity, details: &FindingDetails) -> Finding {
    let trend = |trend: &TrendReport| Trend {
        metric: trend.metric.clone(),
        first: trend.first.0,
        mid: trend.mid.0,
        last: trend.last.0,
        slope: trend.slope.0,
    };
    let cause = |cause: &CauseReport| Cause {
        config: cause.config.clone(),
        value: cause.value.clone(),
        why: cause.why.as_str().into(),
    };
    let new = Finding::new(code, severity, details.title.as_str());
    Finding {
        detail: details.detail.as_str().into(),
        metrics: details.metrics.clone(),
        end: details.end,
        evidence: details.evidence.iter().map(evidence).collect(),
        trend: details.trend.iter().map(trend).collect(),
        causes: details.causes.iter().map(cause).collect(),
        actions: details.actions.iter().map(action).collect(),
        alternative: details.alternative.as_str().into(),
        refute: details.refute.as_str().into(),
        explained_by: details.explained_by.iter().filter_map(|cause| Code::from_name(cause)).collect(),
        references: details.references.clone(),
        confidence: details.confidence.finite().unwrap_or(new.confidence),
        ..new
    }
}

/// Schema 2 has a limit, schema 1 a text such as `> 0.2 (a source)`, which says no more than the finding does.
fn evidence(report: &EvidenceReport) -> Evidence {
    let limit = |limit: &LimitReport| {
        let relation = Relation::from_name(&limit.relation)?;
        Some(Limit { relation, value: limit.value.0, source: limit.source.clone().into() })
    };
    let evidence = Evidence::new(report.name.as_str(), report.value.0, report.unit.clone());
    Evidence { limit: report.limit.as_ref().and_then(limit), ..evidence }
}

fn action(report: &ActionReport) -> Action {
    let kind = match report.to.as_str() {
        "" => ActionKind::Do(report.change.as_str().into()),
        to => ActionKind::Set {
            setting: SettingName::Key(report.change.clone()),
            from: Some(report.from.as_str()).filter(|from| !from.is_empty()).map(Into::into),
            to: to.into(),
        },
    };
    let ActionReport { effect, risk, watch, .. } = report.clone();
    Action { kind, effect, risk, watch }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_diagnose::Verdict;

    const RUN: &str = r#"{"id": "a", "name": "amber", "state": "crashed", "verdict": "ugly", "headline": "KL exploded",
        "points": 40, "findings": [
            {"code": "kl_blow_up", "severity": "critical", "title": "KL rose", "detail": "d", "metrics": ["kl"], "onset": 3,
             "end": null, "evidence": [{"name": "KL", "value": 5, "unit": "", "threshold": "> 1"}], "trend": [], "causes": [],
             "actions": [], "alternative": "", "refute": "", "explained_by": [], "references": [], "confidence": 0.9},
            {"code": "truncation", "severity": "warning", "title": "Cut", "onset": null, "evidence": [{"name": "x", "value": null}],
             "explained_by": ["kl_blow_up"]},
            {"code": "of_the_future", "severity": "warning"}],
        "quiet": ["reward_hacking"], "skipped": [{"code": "entropy_collapse", "needs": "Log entropy."}],
        "bindings": {"reward": {"key": "train/reward", "why": "It says so."}},
        "summary": {"reward": {"first": 1, "mid": 2, "last": null, "best": 3, "best_step": 4, "slope": 5}},
        "traces": [{"key": "train/reward", "concept": "reward", "unit": "plain", "direction": "up", "steps": [1, 2],
                    "values": [1, 3], "points": 2, "last": 3, "best": 3}], "config": {"lr": 1}}"#;

    #[test]
    fn a_report_is_shown_as_a_diagnosis() {
        let (summary, found) = reported_analysis(7, &serde_json::from_str(RUN).unwrap());
        assert_eq!((summary.number, summary.name.as_str()), (7, "amber"));
        assert_eq!(
            (found.verdict, found.headline.to_string(), found.points),
            (Verdict::Ugly, "KL exploded".to_owned(), 40)
        );
        let codes: Vec<Code> = found.findings.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, [Code::KlBlowUp, Code::Truncation]);
        assert_eq!((found.findings[0].evidence[0].value, found.findings[0].confidence), (5.0, 0.9));
        assert_eq!(found.findings[1].explained_by, [Code::KlBlowUp]);
        assert_eq!((found.quiet.len(), found.skipped.len()), (1, 1));
        let binding = found.bindings.first(Concept::Reward).unwrap();
        assert_eq!((binding.key.as_str(), binding.why.as_str()), ("train/reward", "It says so."));
        assert!(found.movements[0].last.is_nan() && found.movements[0].key == "train/reward");
        assert!(serde_json::from_str::<RunReport>("{}").is_err());
    }
}
