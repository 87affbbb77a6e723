//! What a report says of one run, as a diagnosis: so that it is shown as one that was made here.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::RunSummary;
use super::from_report::{SEVERITIES, named, read_reported_run};
use crate::diagnose::{
    Action, ActionKind, Cause, Code, Cost, Diagnosis, Evidence, Finding, Learning, Limit, Movement, Need, Quiet,
    SettingName, Severity, Skipped, Trend,
};
use crate::format::RichText;
use crate::run::ReportedRun;
use crate::vocabulary::{Binding, Bindings, Concept, Scale};

/// Why a key stands for what it does, where the report does not say it.
const WHY: &str = "So the report says.";

/// The parts of a report that no entry holds.
#[derive(Deserialize)]
struct ReportedDiagnosis {
    #[serde(default)]
    findings: Vec<Value>,
    #[serde(default)]
    quiet: Vec<String>,
    #[serde(default)]
    skipped: Vec<ReportedSkipped>,
    #[serde(default)]
    bindings: BTreeMap<String, ReportedBinding>,
    #[serde(default)]
    summary: BTreeMap<String, ReportedMovement>,
}

#[derive(Deserialize)]
struct ReportedSkipped {
    code: String,
    #[serde(default)]
    needs: String,
}

#[derive(Deserialize)]
struct ReportedBinding {
    key: String,
    #[serde(default)]
    why: String,
}

#[derive(Deserialize)]
struct ReportedMovement {
    first: Option<f64>,
    mid: Option<f64>,
    last: Option<f64>,
    best: Option<f64>,
    best_step: Option<f64>,
    slope: Option<f64>,
}

/// What the report says of a run of which nothing else is there; `None` where that cannot be read.
///
/// What was found with all of its numbers is not found again in the thinned ones of a report.
pub fn reported_analysis(number: u32, run: &ReportedRun) -> Option<(RunSummary, Diagnosis)> {
    let text = &run.report;
    let entry = read_reported_run(text)?;
    let diagnosis = reported_diagnosis(text, &entry)?;
    Some((RunSummary { number, ..entry }, diagnosis))
}

fn reported_diagnosis(text: &str, entry: &RunSummary) -> Option<Diagnosis> {
    let told: ReportedDiagnosis = serde_json::from_str(text).ok()?;
    let code = |name: &str| named(Code::ALL, name, Code::as_str);
    let quiet = told.quiet.iter().filter_map(|name| Some(Quiet { code: code(name)?, evidence: Vec::new() }));
    let skipped = told.skipped.into_iter().filter_map(|skipped| {
        Some(Skipped { code: code(&skipped.code)?, need: Need { concepts: Vec::new(), hint: skipped.needs.into() } })
    });
    let movements = told.summary.iter().filter_map(|(name, movement)| {
        let concept = Concept::from_name(name)?;
        let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
        Some(Movement {
            concept,
            key: told.bindings.get(name).map(|binding| binding.key.clone()).unwrap_or_default(),
            first: number(movement.first),
            mid: number(movement.mid),
            last: number(movement.last),
            best: number(movement.best),
            best_step: number(movement.best_step),
            slope: number(movement.slope),
        })
    });
    let bindings = bindings(entry, &told.bindings);
    let measure = bindings.first(Concept::Evaluation).or_else(|| bindings.first(Concept::Reward)).cloned();
    Some(Diagnosis {
        verdict: entry.verdict,
        headline: entry.headline.as_str().into(),
        summary: RichText::default(),
        learning: Learning { measure, ..Learning::default() },
        findings: told.findings.into_iter().filter_map(finding).collect(),
        samples: Vec::new(),
        quiet: quiet.collect(),
        skipped: skipped.collect(),
        movements: movements.collect(),
        bindings,
        cost: Cost { total: entry.spent, ..Cost::default() },
        points: entry.points,
        nonfinite: 0,
        rulebook: "that of the report".to_owned(),
    })
}

/// The keys of the curves, in the unit in which the report has them.
fn bindings(entry: &RunSummary, told: &BTreeMap<String, ReportedBinding>) -> Bindings {
    let mut bindings = Bindings::new(entry.framework);
    for trace in &entry.traces {
        let why = told.get(trace.concept.name()).filter(|binding| binding.key == trace.key).map(|binding| &binding.why);
        bindings.push(Binding {
            concept: trace.concept,
            key: trace.key.clone(),
            unit: trace.unit,
            scale: Scale::One,
            direction: trace.direction,
            name: trace.name.clone(),
            why: why.map_or_else(|| WHY.to_owned(), String::clone),
        });
    }
    bindings
}

/// A finding as the report has it; in short where the report has it in short only.
fn finding(value: Value) -> Option<Finding> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let number = |key: &str| value.get(key).and_then(Value::as_f64);
    let code = named(Code::ALL, text("code")?, Code::as_str)?;
    let severity: Severity = named(&SEVERITIES, text("severity")?, Severity::as_str)?;
    let mut finding = Finding::new(code, severity, text("title").unwrap_or(code.words()));
    finding.detail = text("detail").unwrap_or("The evidence stands in the run's own report.").into();
    (finding.onset, finding.end) = (number("onset"), number("end"));
    finding.metrics = list(&value, "metrics", |key| key.as_str().map(str::to_owned));
    finding.evidence = list(&value, "evidence", evidence);
    finding.trend = list(&value, "trend", |trend| Trend::deserialize(trend).ok());
    finding.causes = list(&value, "causes", cause);
    finding.actions = list(&value, "actions", action);
    finding.alternative = text("alternative").unwrap_or_default().into();
    finding.refute = text("refute").unwrap_or_default().into();
    finding.explained_by = list(&value, "explained_by", |cause| named(Code::ALL, cause.as_str()?, Code::as_str));
    finding.references = list(&value, "references", |reference| reference.as_str().map(str::to_owned));
    finding.confidence = number("confidence").unwrap_or(finding.confidence);
    Some(finding)
}

/// The readable items of a list; none where there is no list.
fn list<T>(value: &Value, key: &str, read: impl FnMut(&Value) -> Option<T>) -> Vec<T> {
    value.get(key).and_then(Value::as_array).map_or_else(Vec::new, |items| items.iter().filter_map(read).collect())
}

/// Schema 2 has a limit, schema 1 a text such as `> 0.2 (a source)`, which says no more than the finding does.
fn evidence(value: &Value) -> Option<Evidence> {
    let name = value.get("name")?.as_str()?;
    let number = value.get("value").and_then(Value::as_f64).unwrap_or(f64::NAN);
    let unit = value.get("unit").and_then(Value::as_str).unwrap_or_default();
    let limit = value.get("limit").and_then(|limit| Limit::deserialize(limit).ok());
    Some(Evidence { limit, ..Evidence::new(name, number, unit.to_owned()) })
}

fn cause(value: &Value) -> Option<Cause> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    Some(Cause {
        config: text("config")?.to_owned(),
        value: text("value").unwrap_or_default().to_owned(),
        why: text("why").unwrap_or_default().into(),
    })
}

fn action(value: &Value) -> Option<Action> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
    let change = value.get("change")?.as_str()?;
    let kind = match text("to") {
        "" => ActionKind::Do(change.into()),
        to => ActionKind::Set {
            setting: SettingName::Key(change.to_owned()),
            from: Some(text("from").to_owned()).filter(|from| !from.is_empty()),
            to: to.to_owned(),
        },
    };
    let [effect, risk, watch] = ["effect", "risk", "watch"].map(|key| text(key).to_owned());
    Some(Action { kind, effect, risk, watch })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::Verdict;

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
        let reported = |text: &str| ReportedRun { report: text.to_owned(), ..ReportedRun::default() };
        let (entry, found) = reported_analysis(7, &reported(RUN)).unwrap();
        assert_eq!((entry.number, entry.name.as_str()), (7, "amber"));
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
        assert_eq!(reported_analysis(1, &reported("{}")), None);
        assert_eq!(reported_analysis(1, &reported("no JSON")), None);
        assert_eq!(reported_analysis(1, &ReportedRun::default()), None);
    }
}
