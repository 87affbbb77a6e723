//! What comparing runs needs of one: a report read back (`compare::read_report`) is compared as its run would be.

use crate::format::{redact, rounded};
use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Number, Value};

use super::clean::{clean, clean_name};
use crate::compare::{RunSummary, Trace, direction_name};
use crate::present::config::redact_config_value;
use crate::run::{Config, ConfigValue};

/// From here on a step is written as a whole number: six digits would make neighbours equal.
const LARGE_STEP: f64 = 1e5;

#[derive(Serialize)]
pub(super) struct Compared {
    headline: String,
    project: Option<String>,
    group: Option<String>,
    job_type: Option<String>,
    sweep: Option<String>,
    notes: Option<String>,
    tags: Vec<String>,
    /// Unix seconds, whole ones.
    started_at: Option<f64>,
    /// Tasks of the primary evaluation, where its values betray them.
    tasks: Option<u32>,
    /// Settings by key. Numbers that are not finite are words.
    config: BTreeMap<String, Value>,
    /// Last finite value of every metric.
    last: BTreeMap<String, f64>,
    traces: Vec<TraceReport>,
    /// What the run has beyond curves; left out where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    league: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scaling: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pipeline: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rubric: Option<Value>,
}

/// A thinned curve.
#[derive(Serialize)]
struct TraceReport {
    key: String,
    concept: &'static str,
    name: Option<String>,
    unit: &'static str,
    direction: &'static str,
    /// Logged points behind it.
    points: usize,
    last: f64,
    best: f64,
    best_step: f64,
    /// Mean of the last tenth, and its standard error.
    tail: f64,
    tail_error: f64,
    steps: Vec<f64>,
    values: Vec<f64>,
}

pub(super) fn compared(entry: &RunSummary) -> Compared {
    let named = |text: &str| clean_name(text, &entry.id);
    let known = |text: &Option<String>| text.as_deref().map(named);
    Compared {
        headline: clean(&entry.headline),
        project: known(&entry.project),
        group: known(&entry.group),
        job_type: known(&entry.job_type),
        sweep: known(&entry.sweep),
        notes: known(&entry.notes),
        tags: entry.tags.iter().map(|tag| named(tag)).collect(),
        started_at: entry.started_at.map(f64::round),
        tasks: entry.tasks,
        config: settings(&entry.config),
        last: entry.last.iter().map(|(key, value)| (clean(key), *value)).collect(),
        traces: entry.traces.iter().map(trace_report).collect(),
        league: fact(entry.league.as_ref()),
        scaling: fact(entry.scaling.as_ref()),
        pipeline: fact(entry.pipeline.as_ref()),
        rubric: fact(entry.rubric.as_ref()),
    }
}

/// A fact as it is, each of its texts without secrets.
fn fact(fact: Option<&impl Serialize>) -> Option<Value> {
    serde_json::to_value(fact?).ok().map(clean_value)
}

fn clean_value(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(clean(&text)),
        Value::Array(items) => Value::Array(items.into_iter().map(clean_value).collect()),
        // Sorted here: whether a map of serde_json keeps the order of insertion depends on who else is compiled along.
        Value::Object(members) => {
            let sorted: BTreeMap<String, Value> =
                members.into_iter().map(|(key, value)| (key, clean_value(value))).collect();
            Value::Object(sorted.into_iter().collect())
        }
        value => value,
    }
}

fn trace_report(trace: &Trace) -> TraceReport {
    let step = |step: &f64| if step.abs() >= LARGE_STEP { step.round() } else { *step };
    TraceReport {
        key: clean(&trace.key),
        concept: trace.concept.name(),
        name: trace.name.as_deref().map(clean),
        unit: trace.unit.name(),
        direction: direction_name(trace.direction),
        points: trace.points,
        last: trace.last,
        best: trace.best,
        best_step: trace.best_step,
        tail: trace.tail,
        tail_error: trace.tail_error,
        steps: trace.steps.iter().map(step).collect(),
        values: trace.values.clone(),
    }
}

fn settings(config: &Config) -> BTreeMap<String, Value> {
    config.iter().map(|(key, value)| (clean(key), setting(key, value))).collect()
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
        ConfigValue::Number(number) => Number::from_f64(rounded(*number))
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
    fn secrets_of_settings_stay_behind() {
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
