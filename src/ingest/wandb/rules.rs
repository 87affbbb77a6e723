//! `define_metric` rules as the SDK keeps them among a run's settings: the API and exports have them there.

use crate::ingest::json::Json;
use crate::run::MetricRule;

/// The rules in `_wandb`, under `m`. Their members are the field numbers of the SDK's MetricRecord: 1 name, 2 pattern,
/// 4 step metric, 5 its place in this list (from 1), 6 flags (2 is hidden), 8 goal.
pub(crate) fn metric_rules(internal: &Json) -> Vec<MetricRule> {
    let Some(Json::List(list)) = internal.get("m") else { return Vec::new() };
    let name_of = |rule: &Json| ["1", "2"].iter().find_map(|key| rule.get(key)?.text().map(str::to_owned));
    list.iter()
        .filter_map(|rule| {
            let by_place = || {
                let place = rule.get("5")?.metric()?;
                name_of(list.get((place as usize).checked_sub(1)?)?)
            };
            let step_metric = rule.get("4").and_then(Json::text).map(str::to_owned).or_else(by_place);
            let maximise = match rule.get("8").and_then(Json::metric) {
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
    fn a_step_metric_is_named_or_given_by_its_place() {
        let rules = |text: &str| metric_rules(&Json::parse(text.as_bytes()).unwrap());
        let read =
            rules(r#"{"m": [{"1": "s", "6": [3]}, {"2": "*", "5": 1}, {"1": "r", "4": "s", "8": 2}, {"5": 0}, 3]}"#);
        let seen: Vec<_> = read.iter().map(|r| (r.name.as_str(), r.step_metric.as_deref(), r.maximise)).collect();
        assert_eq!(seen, [("s", None, None), ("*", Some("s"), None), ("r", Some("s"), Some(true))]);
        assert_eq!(rules(r#"{"m": {}}"#), []);
    }
}
