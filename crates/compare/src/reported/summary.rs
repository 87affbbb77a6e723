//! Runs from the JSON reports that `report::json` writes, so that reports are compared as the runs themselves are.
//!
//! A report has numbers of six digits and no secrets; else its summaries are those of its runs. Fields that a newer
//! version added are passed over, and so are codes that this version does not know.

use serde::Deserialize;
use serde_json::Value;

use crate::trace::{curve_fingerprint, noise_of};
use crate::{FindingSummary, RunSummary, Sparkline, Trace};
use rundown_diagnose::{Code, Severity, Spent, Verdict};
use rundown_run::{Config, RunState};
use rundown_schema::finding::FindingReport;
use rundown_schema::report::{RunReport, SpentReport, TraceReport, setting_value};
use rundown_stats::CompactCollect as _;
use rundown_vocabulary::{Concept, Direction, Framework, Scale, Unit};

/// A run of a report as comparisons see it.
pub fn reported_summary(number: u32, run: &RunReport) -> RunSummary {
    let mut config = Config::default();
    for (key, value) in &run.config {
        config.insert(key, setting_value(value));
    }
    let traces: Vec<Trace> = run.traces.iter().filter_map(trace).collect();
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
        link: run.link.clone(),
        tags: run.tags.clone(),
        started_at: run.started_at,
        state: RunState::from_name(&run.state).unwrap_or_default(),
        framework: Framework::from_name(&run.framework).unwrap_or_default(),
        acts_in_environment: run.acts_in_environment,
        config,
        last: last.compact_collect(),
        verdict: Verdict::from_name(&run.verdict).unwrap_or_default(),
        headline: run.headline.clone(),
        findings: run.findings.iter().filter_map(finding_summary).collect(),
        conflict: None,
        curve_fingerprint: curve_fingerprint(&traces),
        traces,
        lower_is_better: run.lower_is_better.clone(),
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

fn finding_summary(finding: &FindingReport) -> Option<FindingSummary> {
    let is_explained = finding.details.as_ref().is_some_and(|details| !details.explained_by.is_empty());
    Some(FindingSummary {
        code: Code::from_name(&finding.code)?,
        severity: Severity::from_name(&finding.severity)?,
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
    let direction = Direction::from_name(&trace.direction)?;
    Some(Trace {
        concept: Concept::from_name(&trace.concept)?,
        unit: Unit::from_name(&trace.unit)?,
        scale: Scale::One,
        direction,
        key: trace.key.clone(),
        name: trace.name.clone(),
        last_step: trace.last_step.or_else(|| steps.last().copied())?,
        steps,
        noise: noise_of(&values),
        values,
        points: trace.points,
        last,
        best,
        best_step: trace.best_step.0,
        tail: trace.tail.finite().unwrap_or(last),
        tail_error: trace.tail_error.0,
        sparkline: Sparkline::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_or_new_does_no_harm() {
        let text = r#"{"id": "a", "name": "b", "verdict": "ugly", "state": "killed", "framework": "verl", "first_step": 1,
            "last_step": null, "new": {"x": []},
            "findings": [{"code": "kl_blow_up", "severity": "critical", "title": "KL rose", "onset": 3, "explained_by": ["reward_hacking"]},
                         {"code": "of_the_future", "severity": "warning", "onset": null, "explained_by": []}]}"#;
        let summary = reported_summary(0, &serde_json::from_str(text).unwrap());
        assert_eq!((summary.verdict, summary.state), (Verdict::Ugly, RunState::Killed));
        assert_eq!((summary.framework, summary.steps), (Framework::Verl, None));
        let found =
            FindingSummary { code: Code::KlBlowUp, severity: Severity::Critical, onset: Some(3.0), is_root: false };
        assert_eq!(summary.findings, [found]);
    }
}
