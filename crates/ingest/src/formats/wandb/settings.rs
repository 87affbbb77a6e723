//! Settings as W&B keeps them, wrapped one by one, with the rules of `define_metric` among them: in its API, in exports
//! and in files beside a run.

use crate::syntax::json::Json;
use rundown_run::MetricRule;

/// True for `{"value": 1, "desc": null}`; SwanLab has also a `sort`.
pub fn is_wrapped(value: &Json) -> bool {
    match value {
        Json::Object(object) => {
            object.contains_key("value") && object.keys().all(|key| matches!(key.as_str(), "value" | "desc" | "sort"))
        }
        _ => false,
    }
}

/// `{"value": 1, "desc": null}` is 1; old runs have 1 itself.
pub fn unwrapped(value: Json) -> Json {
    let is_wrapped = is_wrapped(&value);
    match value {
        Json::Object(mut object) if is_wrapped => object.remove("value").unwrap_or_default(),
        other => other,
    }
}

/// The rules in `_wandb`, under `m`. Their members are the field numbers of the SDK's MetricRecord: 1 name, 2 pattern,
/// 4 step metric, 5 its place in this list (from 1), 6 flags (2 is hidden), 8 goal.
pub fn metric_rules(internal: &Json) -> Vec<MetricRule> {
    let list = internal.items("m");
    let name_of = |rule: &Json| ["1", "2"].iter().find_map(|key| rule.get(key)?.text().map(str::to_owned));
    list.iter()
        .filter_map(|rule| {
            let by_place = || {
                let place = rule.get("5")?.metric()?;
                name_of(list.get((place as usize).checked_sub(1)?)?)
            };
            let step_metric = rule.owned_text("4").or_else(by_place);
            let maximise = match rule.metric_at("8") {
                Some(1.0) => Some(false),
                Some(2.0) => Some(true),
                _ => None,
            };
            Some(MetricRule { name: name_of(rule)?, step_metric, maximise })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_settings_are_known_by_all_their_members() {
        let of = |text: &str| unwrapped(Json::parse(text.as_bytes()).unwrap());
        assert_eq!(of(r#"{"value": 1, "desc": null}"#), Json::Number(1.0));
        assert_eq!(of(r#"{"desc": "", "sort": 3, "value": 1}"#), Json::Number(1.0));
        for plain in [r#"{"value": 1, "x": 2}"#, r#"{"desc": 1}"#, "1", "{}"] {
            assert_eq!(of(plain), Json::parse(plain.as_bytes()).unwrap());
        }
    }

    #[test]
    fn a_step_metric_is_named_or_given_by_its_place() {
        let rules = |text: &str| metric_rules(&Json::parse(text.as_bytes()).unwrap());
        let read =
            rules(r#"{"m": [{"1": "s", "6": [3]}, {"2": "*", "5": 1}, {"1": "r", "4": "s", "8": 2}, {"5": 0}, 3]}"#);
        let seen: Vec<_> = read.iter().map(|r| (r.name.as_str(), r.step_metric.as_deref(), r.maximise)).collect();
        assert_eq!(seen, [("s", None, None), ("*", Some("s"), None), ("r", Some("s"), Some(true))]);
        assert_eq!(rules(r#"{"m": {}}"#), []);
    }
}
