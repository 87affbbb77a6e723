//! What comparing runs needs of one: a report read back (`compare::reported_summary`) is compared as its run would be.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::cost::spent;
use super::finding::{clean, clean_name};
use rundown_compare::facts::PipelineHealth;
use rundown_compare::{RunSummary, Trace};
use rundown_format::{redact, rounded};
use rundown_present::config::redact_config_value;
use rundown_run::{Config, ConfigValue, FileFormat};
use rundown_schema::Number;
use rundown_schema::comparison::RunName;
use rundown_schema::finding::FindingReport;
use rundown_schema::report::{CostReport, RunReport, TraceReport};
use rundown_stats::CompactCollect as _;

/// From here on a step is written as a whole number: six digits would make neighbours equal.
const LARGE_STEP: f64 = 1e5;

/// What a run summary holds, without details of findings.
pub(super) fn compared(summary: &RunSummary) -> RunReport {
    let named = |text: &str| clean_name(text, &summary.id);
    let redacted = |text: &Option<String>| text.as_deref().map(named);
    RunReport {
        id: named(&summary.id),
        name: named(&summary.name),
        framework: summary.framework.as_str().to_owned(),
        acts_in_environment: summary.acts_in_environment,
        state: summary.state.as_str().to_owned(),
        first_step: summary.steps.map(|(first, _)| first),
        last_step: summary.steps.map(|(_, last)| last),
        points: summary.points,
        verdict: summary.verdict.as_str().to_owned(),
        headline: clean(&summary.headline),
        project: redacted(&summary.project),
        group: redacted(&summary.group),
        job_type: redacted(&summary.job_type),
        sweep: redacted(&summary.sweep),
        notes: redacted(&summary.notes),
        link: redacted(&summary.link),
        tags: summary.tags.iter().map(|tag| named(tag)).collect(),
        started_at: summary.started_at.map(f64::round),
        tasks: summary.tasks,
        config: settings(&summary.config),
        last: summary.last.iter().map(|(key, value)| (clean(key), Number(*value))).compact_collect(),
        lower_is_better: summary.lower_is_better.iter().map(|key| clean(key)).collect(),
        traces: summary.traces.iter().map(trace_report).collect(),
        league: fact(summary.league.as_ref()),
        scaling: fact(summary.scaling.as_ref()),
        pipeline: pipeline(summary),
        rubric: fact(summary.rubric.as_ref()),
        ..RunReport::default()
    }
}

/// A run that is known from its own report alone, in a report on many: what comparisons need, and its findings in short.
pub(super) fn reported_run(summary: &RunSummary) -> RunReport {
    let findings = summary.findings.iter().map(|found| FindingReport {
        code: found.code.as_str().to_owned(),
        severity: found.severity.as_str().to_owned(),
        onset: found.onset,
        first_alarm: None,
        is_root: Some(found.is_root),
        details: None,
        samples: None,
    });
    RunReport {
        source: FileFormat::RundownReport.name().to_owned(),
        findings: findings.collect(),
        cost: Some(CostReport { total: spent(&summary.spent), ..CostReport::default() }),
        ..compared(summary)
    }
}

/// A run by its id and name.
pub(super) fn run_name(summary: &RunSummary) -> RunName {
    RunName { id: clean_name(&summary.id, &summary.id), name: clean_name(&summary.name, &summary.id) }
}

/// A fact as it is, each of its texts without secrets.
fn fact(fact: Option<&impl Serialize>) -> Option<Value> {
    serde_json::to_value(fact?).ok().map(clean_value)
}

/// The pipeline with the word for its health.
fn pipeline(summary: &RunSummary) -> Option<Value> {
    let mut value = fact(summary.pipeline.as_ref())?;
    if let (Some(health), Value::Object(members)) =
        (summary.pipeline_health().filter(PipelineHealth::is_known), &mut value)
    {
        members.insert("health".to_owned(), Value::String(health.level.as_str().to_owned()));
    }
    // Sorted again: the new member stands in its place.
    Some(clean_value(value))
}

fn clean_value(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(clean(&text)),
        Value::Array(items) => Value::Array(items.into_iter().map(clean_value).collect()),
        // Sorted here: whether a map of serde_json keeps the order of insertion depends on who else is compiled along.
        Value::Object(members) => {
            let sorted: BTreeMap<String, Value> =
                members.into_iter().map(|(key, value)| (key, clean_value(value))).compact_collect();
            Value::Object(sorted.into_iter().compact_collect())
        }
        value => value,
    }
}

fn trace_report(trace: &Trace) -> TraceReport {
    let step = |step: &f64| Number(if step.abs() >= LARGE_STEP { step.round() } else { *step });
    TraceReport {
        key: clean(&trace.key),
        concept: trace.concept.name().to_owned(),
        name: trace.name.as_deref().map(clean),
        unit: trace.unit.name().to_owned(),
        direction: trace.direction.name().to_owned(),
        points: trace.points,
        last_step: Some(trace.last_step).filter(|last| trace.steps.last() != Some(last)),
        last: trace.last.into(),
        best: trace.best.into(),
        best_step: trace.best_step.into(),
        tail: trace.tail.into(),
        tail_error: trace.tail_error.into(),
        steps: trace.steps.iter().map(step).collect(),
        values: trace.values.iter().copied().map(Number).collect(),
    }
}

fn settings(config: &Config) -> BTreeMap<String, Value> {
    config.iter().map(|(key, value)| (clean(key), setting(key, value))).compact_collect()
}

/// A setting as JSON; one that holds a secret is a text without it.
fn setting(key: &str, value: &ConfigValue) -> Value {
    let plain = value.to_string();
    let shown = redact_config_value(key, value);
    // The text of a list is looked at as a whole, and item by item below: a secret may be seen in either.
    if shown != plain { Value::String(shown) } else { json(value) }
}

fn json(value: &ConfigValue) -> Value {
    match value {
        ConfigValue::Null => Value::Null,
        ConfigValue::Bool(truth) => Value::Bool(*truth),
        ConfigValue::Number(number) => serde_json::Number::from_f64(rounded(*number))
            .map_or_else(|| Value::String(unwritable(*number).to_owned()), Value::Number),
        ConfigValue::Text(text) => Value::String(redact(text).into_owned()),
        ConfigValue::List(items) => Value::Array(items.iter().map(json).collect()),
    }
}

fn unwritable(number: f64) -> &'static str {
    if number.is_nan() {
        "NaN"
    } else if number > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_settings_are_left_out() {
        let secret = "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH";
        let text = |text: &str| ConfigValue::Text(text.to_owned());
        let mut config = Config::default();
        config.insert("hub_token", text("short"));
        config.insert("command", ConfigValue::List(vec![text("train"), text(secret)]));
        config.insert("note", text(&format!("uses {secret}")));
        config.insert("lr", ConfigValue::Number(1e-5));
        config.insert("limit", ConfigValue::Number(f64::INFINITY));
        let written = serde_json::to_string(&settings(&config)).unwrap();
        assert!(!written.contains(secret) && !written.contains("short"), "{written}");
        assert!(written.contains("\"limit\":\"Infinity\"") && written.contains("\"lr\":0.00001"), "{written}");
    }
}
