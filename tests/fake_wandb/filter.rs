//! The `filters` argument: MongoDB's rules, as W&B's documents have them. An operator that is not known here hides
//! every run, so that a test notices.

use std::cmp::Ordering;

use regex_lite::Regex;
use rundown_run::iso_seconds;
use serde_json::{Value, json};

use super::StoredRun;

/// True for a run that a filter lets through.
pub fn passes(run: &StoredRun, filter: &Value) -> bool {
    let Value::Object(members) = filter else { return false };
    members.iter().all(|(key, wanted)| match (key.as_str(), wanted) {
        ("$and", Value::Array(all)) => all.iter().all(|filter| passes(run, filter)),
        ("$or", Value::Array(any)) => any.iter().any(|filter| passes(run, filter)),
        (field, Value::Object(rules)) => {
            let value = field_of(run, field);
            rules.iter().all(|(rule, wanted)| holds(value.as_ref(), rule, wanted))
        }
        (field, wanted) => holds(field_of(run, field).as_ref(), "$eq", wanted),
    })
}

fn field_of(run: &StoredRun, field: &str) -> Option<Value> {
    let text = |text: &String| (!text.is_empty()).then(|| json!(text));
    match field {
        "name" => text(&run.id),
        "display_name" | "displayName" => text(&run.display_name),
        "state" => text(&run.state),
        "group" => text(&run.group),
        "jobType" => text(&run.job_type),
        "sweep" => text(&run.sweep),
        "tags" => Some(json!(run.tags)),
        "createdAt" => text(&run.created_at),
        _ => match field.strip_prefix("summary_metrics.") {
            Some(key) => run.summary.get(key).cloned(),
            None => {
                let key = field.strip_prefix("config.")?.strip_suffix(".value")?;
                Some(run.config.get(key)?["value"].clone())
            }
        },
    }
}

fn holds(value: Option<&Value>, rule: &str, wanted: &Value) -> bool {
    if rule == "$exists" {
        return json!(value.is_some()) == *wanted;
    }
    let Some(value) = value else { return false };
    if let (Value::Array(items), false) = (value, wanted.is_array() && rule != "$in") {
        return items.iter().any(|item| holds(Some(item), rule, wanted));
    }
    let order = || compared(value, wanted);
    match (rule, wanted) {
        ("$eq", wanted) => wanted == value || order() == Some(Ordering::Equal),
        ("$in", Value::Array(any)) => any.iter().any(|wanted| holds(Some(value), "$eq", wanted)),
        ("$lt", _) => order().is_some_and(Ordering::is_lt),
        ("$lte", _) => order().is_some_and(Ordering::is_le),
        ("$gt", _) => order().is_some_and(Ordering::is_gt),
        ("$gte", _) => order().is_some_and(Ordering::is_ge),
        ("$regex", Value::String(pattern)) => {
            let pattern = Regex::new(pattern);
            value.as_str().is_some_and(|value| pattern.is_ok_and(|pattern| pattern.is_match(value)))
        }
        _ => false,
    }
}

/// Numbers and texts each among themselves; times as times.
fn compared(value: &Value, wanted: &Value) -> Option<Ordering> {
    match (value, wanted) {
        (Value::Number(_), Value::Number(_)) => value.as_f64()?.partial_cmp(&wanted.as_f64()?),
        (Value::String(value), Value::String(wanted)) => match (iso_seconds(value), iso_seconds(wanted)) {
            (Some(value), Some(wanted)) => value.partial_cmp(&wanted),
            _ => Some(value.cmp(wanted)),
        },
        _ => None,
    }
}
