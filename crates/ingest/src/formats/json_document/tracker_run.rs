//! A run as scripts export it from a tracker: `config`, `summary`, and what identifies it.

use std::collections::BTreeMap;

use super::frame::JsonFrame;
use crate::formats::wandb;
use crate::rows::frame_gaps::remove_gaps;
use crate::rows::metric_rows::MetricRows;
use crate::rows::names::is_step_name;
use crate::rows::points::{PointCollector, PointPart};
use crate::rows::run_fields::{identify, setting};
use crate::setting_names::is_setting_name;
use crate::syntax::json::{Json, flatten_into};
use rundown_run::{ConfigValue, Run};
use rundown_stats::CompactCollect as _;

/// Names of the summary.
const SUMMARY_MEMBERS: [&str; 4] = ["summary", "summary_metrics", "summaryMetrics", "final_metrics"];
/// Names under which a point of a metric may keep its step and its value.
const STEP_MEMBERS: [&str; 4] = ["_step", "step", "x", "global_step"];

/// True when the object's members are those of a run: settings or last values, and an id or a name.
pub(crate) fn is_run(members: &[(String, Json)]) -> bool {
    let has =
        |wanted: &[&str]| members.iter().any(|(key, value)| wanted.contains(&key.as_str()) && *value != Json::Null);
    let is_named = has(&["id", "run_id", "name", "run_name", "display_name", "displayName", "state", "status"]);
    (has(&["config"]) || has(&SUMMARY_MEMBERS)) && is_named || (has(&["config"]) && has(&SUMMARY_MEMBERS))
}

/// What names a run in a list of them.
const LISTED_NAMES: [&str; 7] = ["name", "run_name", "tag", "label", "experiment", "experiment_id", "experiment_name"];
/// Settings in an object that is a run: one may stand in a row of anything.
const SETTINGS: usize = 2;

/// An object of a list whose history are lists beside its settings, as in
/// `{"tag": "a", "lr": 1e-5, "seed": 1, "reward_trace": […]}`. With `is_run` the list is one of
/// runs by its name, and settings are not needed.
pub(super) fn of_lists(bytes: &[u8], is_run: bool) -> Option<Run> {
    // Rows of numbers hold no list.
    memchr::memchr(b'[', bytes)?;
    let mut table = JsonFrame::default();
    table.members(bytes).ok()?;
    if !table.has_metric_lists() {
        return None;
    }
    let json = Json::parse(bytes).ok()?;
    // In such a list an experiment is one run, and no project of many.
    let key = LISTED_NAMES.into_iter().find(|key| json.get(key).and_then(Json::text).is_some());
    let name = key.and_then(|key| json.owned_text(key));
    let Json::Object(mut members) = json else { return None };
    members.retain(|member, _| !LISTED_NAMES.contains(&member.as_str()));
    if !is_run && members.keys().filter(|key| is_setting_name(key)).count() < SETTINGS {
        return None;
    }
    let mut run = table.into_run();
    remove_gaps(&mut run);
    run = with_step_rows(run, &members);
    describe(&mut run, members.into_iter().compact_collect());
    run.name = name.unwrap_or(run.name);
    Some(run)
}

/// The history that stands as a list of rows beside lists as long as it, `"step_log": [{"step": 1, "reward": 0.5, "loss": 0.1}, …]`,
/// with those lists that are none of its metrics; the lists alone where there is no such list of rows.
fn with_step_rows(lists: Run, members: &BTreeMap<String, Json>) -> Run {
    let has_step = |cells: &BTreeMap<String, Json>| {
        cells.iter().any(|(key, value)| is_step_name(key) && matches!(value, Json::Number(_)))
    };
    let is_row = |row: &Json| matches!(row, Json::Object(cells) if has_step(cells));
    let are_rows = |rows: &[Json]| rows.len() == lists.row_steps.len() && rows.iter().all(is_row);
    let is_history = |list: &&Json| matches!(list, Json::List(rows) if are_rows(rows));
    let Some(Json::List(rows)) = members.values().find(is_history) else { return lists };
    let mut history = MetricRows::default();
    for row in rows {
        if let Json::Object(cells) = row {
            let numbers = cells.iter().filter_map(|(key, value)| Some((key, value.metric()?)));
            numbers.for_each(|(key, number)| history.number(key, number));
        }
        history.end_row();
    }
    let mut run = history.finish();
    if run.row_steps.len() != lists.row_steps.len() {
        return lists;
    }
    for (key, column) in lists.columns {
        if run.columns.values().all(|known| known.values() != column.values()) {
            run.columns.entry(key).or_insert(column);
        }
    }
    run
}

/// Adds everything but the history to a run.
pub(super) fn describe(run: &mut Run, members: Vec<(String, Json)>) {
    let has_config = members.iter().any(|(key, _)| key == "config");
    // Of a run that keeps no settings apart, those that are known as such are settings, and all else are last values.
    let is_setting = |name: &str| !has_config && is_setting_name(name);
    for (key, value) in members {
        match (key.as_str(), value) {
            ("config", value) => {
                let config = unwrapped(parsed(value));
                run.metric_rules = config.get("_wandb").map(wandb::metric_rules).unwrap_or_default();
                flatten_into(&mut run.config, "", config);
            }
            (name, value) if SUMMARY_MEMBERS.contains(&name) => flatten_into(&mut run.summary, "", parsed(value)),
            ("metrics" | "history" | "artifacts" | "x_axis" | "data_points", _) => {}
            (_, Json::Null | Json::List(_) | Json::Object(_)) => {}
            (name, value) if is_setting(name) => run.config.insert(name, value.into_config_value()),
            (name, Json::Text(text)) => {
                if !identify(run, name, &text) {
                    run.summary.insert(name, setting(&text));
                }
            }
            (name, value) => {
                let text = value.metric().map(|number| number.to_string()).unwrap_or_default();
                if !identify(run, name, &text) {
                    run.summary.insert(name, value.into_config_value());
                }
            }
        }
    }
    name_by_address(run);
    for internal in ["_wandb", "wandb_version"] {
        run.config.remove(internal);
        run.summary.remove(internal);
    }
}

/// The address of a run's page at W&B, `https://host/entity/project/runs/id`, names what nothing else does.
fn name_by_address(run: &mut Run) {
    let Some(ConfigValue::Text(address)) = run.summary.get("url") else { return };
    let place = address.split_once("://").map_or("", |(_, place)| place);
    let place = place.split(['?', '#']).next().unwrap_or_default();
    if let [_, entity, project, "runs", id] = place.split('/').collect::<Vec<_>>()[..]
        && [entity, project, id].iter().all(|part| !part.is_empty())
    {
        let named = [(&mut run.entity, entity), (&mut run.project, project)].map(|(to, name)| (to, name.to_owned()));
        named.into_iter().for_each(|(to, name)| _ = to.get_or_insert(name));
        if run.id.is_empty() {
            run.id = id.to_owned();
        }
    }
}

/// History in the form `{metric: {"values": [{"_step": x, "value": y}]}}`. `None` when `metrics` is anything else.
pub(super) fn history_of_metrics(metrics: &Json) -> Option<Run> {
    let Json::Object(metrics) = metrics else { return None };
    let mut points = PointCollector::default();
    for (key, metric) in metrics {
        for point in metric.items("values") {
            let step = STEP_MEMBERS.iter().find_map(|name| point.get(name)).and_then(Json::metric);
            if let (Some(step), Some(value)) = (step, point.metric_at("value")) {
                points.push(key, PointPart::Value, step, f64::NAN, value);
            }
        }
    }
    (points.len() > 0).then(|| points.into_run())
}

/// W&B's API answers config and summary as text that is JSON.
fn parsed(value: Json) -> Json {
    match &value {
        Json::Text(text) if text.trim_start().starts_with('{') => Json::parse(text.as_bytes()).unwrap_or(value),
        _ => value,
    }
}

/// `{"lr": {"value": 1e-5, "desc": null}}`, as W&B keeps it, is `{"lr": 1e-5}`.
fn unwrapped(config: Json) -> Json {
    let Json::Object(members) = config else { return config };
    Json::Object(members.into_iter().map(|(key, value)| (key, wandb::unwrapped(value))).compact_collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_their_steps_are_the_history_beside_a_trace_of_one_metric() {
        let row = |step: u32| format!(r#"{{"step": {step}, "reward": 0.{step}5, "loss": -2.{step}, "zvf": 0.5}}"#);
        let list = |of: &dyn Fn(u32) -> String| (1..=8).map(of).collect::<Vec<_>>().join(", ");
        let trace = list(&|step| format!("0.{step}5"));
        let run = |rows: &str| {
            let text =
                format!(r#"{{"tag": "a", "lr": 1e-5, "seed": 1, "reward_trace": [{trace}], "step_log": [{rows}]}}"#);
            of_lists(text.as_bytes(), false).unwrap()
        };
        let whole = run(&list(&row));
        assert_eq!(whole.columns.keys().collect::<Vec<_>>(), ["loss", "reward", "step", "zvf"]);
        assert_eq!(whole.columns["step"].values(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        assert_eq!((whole.name.as_str(), whole.config.number(&["seed"])), ("a", Some(("seed", 1.0))));
        let without_steps = run(&list(&|step| format!(r#"{{"zvf": 0.{step}}}"#)));
        assert!(without_steps.columns.contains_key("reward_trace") && !without_steps.columns.contains_key("zvf"));
    }
}
