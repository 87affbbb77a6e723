//! From the API's own encodings to a run: wrapped settings, summaries, counts of logged keys, states.

use std::collections::BTreeMap;

use super::reference::RunRef;
use rundown_ingest::json::{Json, JsonError, flatten_into};
use rundown_ingest::wandb::{metric_rules, unwrapped};
use rundown_run::{Config, Ending, MetricRule, Run, RunState, iso_seconds};

/// What the server says of a run besides its history.
#[derive(Debug, Clone, Default)]
pub(crate) struct RunFacts {
    /// The run without rows.
    pub(crate) run: Run,
    /// What was logged; none on servers that do not say.
    pub(crate) keys: Option<HistoryKeys>,
    /// Rows in the history, as the server counts them.
    pub(crate) lines: u64,
    /// The last `_step`, where known.
    pub(crate) last_step: Option<f64>,
}

/// Every key of a run's history.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct HistoryKeys {
    pub(crate) keys: BTreeMap<String, KeyInfo>,
    pub(crate) last_step: Option<f64>,
}

/// One key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeyInfo {
    /// Rows that hold it: exact.
    pub(crate) count: u64,
    pub(crate) kind: ValueKind,
}

/// What a key's values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// Numbers, or what may stand for one: a NaN is a string to the server.
    Value,
    /// Histograms.
    Histogram,
    /// Tables in files of their own.
    Table,
    /// Images and the like: not read.
    Passed,
}

/// Reads the node of a run.
///
/// # Errors
/// A config, summary or list of keys that is a string and no JSON.
pub(crate) fn facts(node: &Json, place: &RunRef) -> Result<RunFacts, JsonError> {
    let text = |key: &str| node.text_at(key).filter(|text| !text.is_empty()).map(str::to_owned);
    let (config, metric_rules) = config(node.get("config"))?;
    let summary_json = json_in(node.get("summaryMetrics"))?;
    let keys = history_keys(&json_in(node.get("historyKeys"))?);
    let summary_step = summary_json.metric_at("_step");
    let state = text("state").unwrap_or_default();
    let mut run = Run {
        id: text("name").unwrap_or_else(|| place.id.clone()),
        name: text("displayName").unwrap_or_else(|| place.id.clone()),
        entity: Some(place.entity.clone()),
        project: Some(place.project.clone()),
        group: text("group"),
        job_type: text("jobType"),
        sweep: text("sweepName"),
        notes: text("notes"),
        tags: node.texts("tags"),
        started_at: node.text_at("createdAt").and_then(iso_seconds),
        ending: ending(&state, node.text_at("heartbeatAt")),
        config,
        metric_rules,
        ..Run::default()
    };
    run.summary = summary(summary_json);
    let last_step = keys.as_ref().and_then(|keys| keys.last_step).or(summary_step).filter(|step| step.is_finite());
    let lines = node.metric_at("historyLineCount").filter(|n| *n >= 0.0).map_or(0, |n| n as u64);
    Ok(RunFacts { run, keys, lines, last_step })
}

/// The state of a run, in the server's words.
pub(crate) fn ending(state: &str, heartbeat: Option<&str>) -> Ending {
    let known = match state {
        "finished" => RunState::Finished,
        "running" => RunState::Running,
        "crashed" => RunState::Crashed,
        "failed" => RunState::Failed,
        "killed" => RunState::Killed,
        _ => RunState::Unknown,
    };
    let state = if state.is_empty() { "nothing" } else { state };
    let mut evidence = vec![match known {
        RunState::Crashed => "W&B state crashed: the heartbeats stopped and no exit was recorded".to_owned(),
        _ => format!("W&B says {state}"),
    }];
    if let Some(time) = heartbeat.filter(|_| known != RunState::Finished) {
        evidence.push(format!("last heartbeat at {time}"));
    }
    Ending { state: known, evidence, ..Ending::default() }
}

/// Settings, and the `define_metric` rules that the SDK keeps among them.
///
/// # Errors
/// A string that is no JSON.
pub(crate) fn config(json: Option<&Json>) -> Result<(Config, Vec<MetricRule>), JsonError> {
    let mut config = Config::default();
    let mut rules = Vec::new();
    if let Json::Object(members) = json_in(json)? {
        for (key, value) in members {
            match key.as_str() {
                "_wandb" => rules = metric_rules(&unwrapped(value)),
                "wandb_version" => {}
                _ => flatten_into(&mut config, &key, unwrapped(value)),
            }
        }
    }
    Ok((config, rules))
}

/// Final values, without the SDK's own.
pub(crate) fn summary(mut json: Json) -> Config {
    let mut summary = Config::default();
    json.remove(&["_wandb".to_owned()]);
    flatten_into(&mut summary, "", json);
    summary
}

/// JSON that comes as a string, or as itself; null where it is missing or empty.
///
/// # Errors
/// A string that is no JSON.
pub(crate) fn json_in(json: Option<&Json>) -> Result<Json, JsonError> {
    match json {
        Some(Json::Text(text)) if text.trim().is_empty() => Ok(Json::Null),
        Some(Json::Text(text)) => Json::parse(text.as_bytes()),
        Some(other) => Ok(other.clone()),
        None => Ok(Json::Null),
    }
}

fn history_keys(json: &Json) -> Option<HistoryKeys> {
    let Some(Json::Object(members)) = json.get("keys") else { return None };
    let keys = members.iter().map(|(key, info)| (key.clone(), key_info(info))).collect();
    Some(HistoryKeys { keys, last_step: json.metric_at("lastStep") })
}

fn key_info(info: &Json) -> KeyInfo {
    let counts = info.items("typeCounts");
    let count_of = |entry: &Json| entry.metric_at("count").filter(|n| *n >= 0.0).map_or(0, |n| n as u64);
    let kinds = counts.iter().filter_map(|entry| entry.get("type")?.text()).map(kind);
    // Of a key with values of several kinds, the one that holds most.
    let kind = kinds.min_by_key(|kind| *kind as u8).unwrap_or(ValueKind::Value);
    KeyInfo { count: counts.iter().map(count_of).sum(), kind }
}

fn kind(name: &str) -> ValueKind {
    match name {
        "histogram" => ValueKind::Histogram,
        "table-file" => ValueKind::Table,
        name if name.ends_with("-file") || name.starts_with("images/") || name.ends_with("/separated") => {
            ValueKind::Passed
        }
        _ => ValueKind::Value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts_of(text: &str) -> RunFacts {
        let place = RunRef { entity: "e".into(), project: "p".into(), id: "r".into() };
        facts(&Json::parse(text.as_bytes()).unwrap(), &place).unwrap()
    }

    #[test]
    fn settings_are_unwrapped_and_the_sdks_own_left_out() {
        let facts = facts_of(
            r#"{"config": "{\"lr\":{\"value\":1e-4,\"desc\":null},\"old\":7,\"n\":{\"value\":{\"a\":{\"value\":2}}},\"d\":{\"value\":1,\"x\":2},\"_wandb\":{\"value\":{\"m\":[{\"1\":\"train/global_step\",\"6\":[3]},{\"2\":\"*\",\"5\":1},{\"1\":\"r\",\"8\":2}]}},\"wandb_version\":1}"}"#,
        );
        let flat: Vec<_> = facts.run.config.iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(flat, ["d.value=1", "d.x=2", "lr=1e-4", "n.a.value=2", "old=7"]);
        let rules: Vec<_> =
            facts.run.metric_rules.iter().map(|r| (r.name.as_str(), r.step_metric.as_deref())).collect();
        assert_eq!(rules, [("train/global_step", None), ("*", Some("train/global_step")), ("r", None)]);
        assert_eq!(facts.run.metric_rules[2].maximise, Some(true));
    }

    #[test]
    fn keys_are_counted_and_told_apart() {
        let facts = facts_of(
            r#"{"historyKeys": {"sets":[],"keys":{"loss":{"typeCounts":[{"type":"number","count":49},{"type":"string","count":2}]},"t":{"typeCounts":[{"type":"table-file","count":5}]},"h":{"typeCounts":[{"type":"histogram","count":3}]},"i":{"typeCounts":[{"type":"images/separated","count":1}]}},"lastStep":1908}}"#,
        );
        let keys = facts.keys.unwrap();
        assert_eq!(keys.keys["loss"], KeyInfo { count: 51, kind: ValueKind::Value });
        assert_eq!(
            (keys.keys["t"].kind, keys.keys["h"].kind, keys.keys["i"].kind),
            (ValueKind::Table, ValueKind::Histogram, ValueKind::Passed)
        );
        assert_eq!(facts.last_step, Some(1908.0));
    }

    #[test]
    fn a_summary_may_hold_raw_control_characters_and_words_for_numbers() {
        let facts = facts_of(
            "{\"state\":\"crashed\",\"heartbeatAt\":\"2026-11-21T00:00:00\",\"summaryMetrics\":\"{\\\"a\\\":\\\"NaN\\\",\\\"t\\\":\\\"x\ty\\\",\\\"_step\\\":9,\\\"_wandb\\\":{\\\"runtime\\\":3}}\"}",
        );
        assert!(facts.run.summary.number(&["a"]).unwrap().1.is_nan());
        assert_eq!((facts.last_step, facts.run.summary.len()), (Some(9.0), 3));
        assert_eq!((facts.run.ending.state, facts.run.ending.evidence.len()), (RunState::Crashed, 2));
        assert!(facts_of("{}").keys.is_none());
    }
}
