//! Which runs of a project: what the server filters, what is filtered here, and a sentence that says which.

use serde_json::{Value, json};

use super::listing::RunInfo;
use crate::order::Arrange;
use crate::run::{Config, ConfigValue};

/// A choice among the runs of a project. Everything that is set must hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Selection {
    /// At most so many.
    pub latest: Option<usize>,
    /// States in W&B's words, such as `finished`; any of them.
    pub states: Vec<String>,
    /// Tags; all of them.
    pub tags: Vec<String>,
    /// Run ids or names; any of them.
    pub ids_or_names: Vec<String>,
    /// Group.
    pub group: Option<String>,
    /// Sweep id.
    pub sweep: Option<String>,
    /// How the name begins.
    pub name_prefix: Option<String>,
    /// Settings that must be equal, by dotted key: `lora_rank` `16`.
    pub config: Vec<(String, String)>,
    /// Which come first.
    pub order: Order,
}

/// Which runs come first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Order {
    /// The newest.
    #[default]
    Newest,
    /// Those with the highest final value of a metric.
    Highest(String),
    /// Those with the lowest.
    Lowest(String),
}

/// A selection, shared out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The `filters` argument: JSON in a string.
    pub filters: String,
    /// The `order` argument.
    pub order: String,
    /// Settings that must be fetched to filter here.
    pub config_keys: Vec<String>,
    /// One plain sentence.
    pub sentence: String,
}

impl Selection {
    /// Reads `key=value` as one types it.
    pub fn with_setting(mut self, typed: &str) -> Self {
        if let Some((key, value)) = typed.split_once('=') {
            let key = key.trim().trim_start_matches("config.").to_owned();
            self.config.push((key, value.trim_start_matches('=').trim().to_owned()));
        }
        self
    }

    /// Shares the selection out between the server and here.
    pub fn split(&self) -> Split {
        let mut parts: Vec<Value> = Vec::new();
        let mut by_server: Vec<String> = Vec::new();
        let mut here: Vec<String> = Vec::new();
        let mut add = |part: Value, name: &str| {
            parts.push(part);
            by_server.push(name.to_owned());
        };
        if !self.states.is_empty() {
            add(json!({ "state": { "$in": self.states } }), "state");
        }
        if !self.ids_or_names.is_empty() {
            let any = json!({ "$in": self.ids_or_names });
            add(json!({ "$or": [{ "name": any }, { "display_name": any }] }), "id or name");
        }
        for tag in &self.tags {
            add(json!({ "tags": { "$in": [tag] } }), &format!("tag {tag}"));
        }
        if let Some(group) = &self.group {
            add(json!({ "group": group }), "group");
        }
        if let Some(sweep) = &self.sweep {
            add(json!({ "sweep": sweep }), "sweep");
        }
        if let Some(prefix) = self.name_prefix.as_ref().filter(|prefix| !prefix.is_empty()) {
            add(json!({ "display_name": { "$regex": format!("^{}", escaped(prefix)) } }), "beginning of the name");
        }
        let mut config_keys = Vec::new();
        for (key, value) in &self.config {
            if is_for_server(key, value) {
                let name = format!("config.{key}.value");
                let part = match value.parse::<f64>() {
                    // 16 may have been logged as a number or as a text.
                    Ok(number) => json!({ "$or": [{ &name: number_of(value, number) }, { &name: value }] }),
                    Err(_) => json!({ name: value }),
                };
                add(part, &format!("config {key}"));
            } else {
                here.push(format!("config {key}"));
                let top = key.split('.').next().unwrap_or(key).to_owned();
                config_keys.extend([key.clone(), top]);
            }
        }
        config_keys.arrange();
        config_keys.dedup();
        let filters = match parts.len() {
            0 => json!({}),
            _ => json!({ "$and": parts }),
        };
        let order = match &self.order {
            Order::Newest => "-created_at".to_owned(),
            Order::Highest(metric) => format!("-summary_metrics.{metric}"),
            Order::Lowest(metric) => format!("+summary_metrics.{metric}"),
        };
        let sentence = match (by_server.is_empty(), here.is_empty()) {
            (true, true) => "All runs of the project are listed.".to_owned(),
            (false, true) => format!("The server filters by {}.", by_server.join(", ")),
            (true, false) => {
                format!("This page filters by {}, and reads every run of the project for it.", here.join(", "))
            }
            (false, false) => {
                format!(
                    "The server filters by {}; this page filters what is left by {}.",
                    by_server.join(", "),
                    here.join(", ")
                )
            }
        };
        Split { filters: filters.to_string(), order, config_keys, sentence }
    }

    /// True when a run passes what is filtered here.
    pub fn keeps(&self, run: &RunInfo) -> bool {
        let here = self.config.iter().filter(|(key, value)| !is_for_server(key, value));
        here.into_iter().all(|(key, value)| holds(&run.config, key, value))
    }
}

/// Nested settings, and values that are neither number nor plain text to the server, are compared here: where a dot
/// belongs, to the name or to the nesting, only the whole config tells.
fn is_for_server(key: &str, value: &str) -> bool {
    let is_word = matches!(value, "true" | "false" | "True" | "False" | "null" | "None" | "");
    let is_plain = !key.is_empty() && !key.contains(['.', '$']) && !value.starts_with(['[', '{']);
    is_plain && !is_word
}

fn holds(config: &Config, key: &str, wanted: &str) -> bool {
    let lower = wanted.to_ascii_lowercase();
    match config.get(key) {
        None => false,
        Some(ConfigValue::Null) => matches!(lower.as_str(), "null" | "none" | ""),
        Some(ConfigValue::Bool(value)) => lower == if *value { "true" } else { "false" },
        Some(ConfigValue::Number(value)) => wanted.parse::<f64>().is_ok_and(|wanted| wanted == *value),
        Some(other) => {
            let strip = |text: &str| text.replace([' ', '"', '\''], "");
            strip(&other.to_string()) == strip(wanted)
        }
    }
}

/// An integer stays one in JSON.
fn number_of(text: &str, number: f64) -> Value {
    text.parse::<i64>().map_or_else(|_| json!(number), Value::from)
}

/// A text in which no character means anything to RE2.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if r"\.+*?()|[]{}^$".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_gets_what_it_can_filter() {
        let selection = Selection {
            states: vec!["finished".into()],
            tags: vec!["a\"b".into()],
            name_prefix: Some("v1.(x)".into()),
            ..Selection::default()
        };
        let split = selection.with_setting("lora_rank=16").with_setting("config.opt.lr == 1e-5").split();
        let filters: Value = serde_json::from_str(&split.filters).unwrap();
        assert_eq!(
            filters,
            json!({"$and": [
                {"state": {"$in": ["finished"]}},
                {"tags": {"$in": ["a\"b"]}},
                {"display_name": {"$regex": "^v1\\.\\(x\\)"}},
                {"$or": [{"config.lora_rank.value": 16}, {"config.lora_rank.value": "16"}]}
            ]})
        );
        assert_eq!(split.config_keys, ["opt", "opt.lr"]);
        assert_eq!(
            split.sentence,
            "The server filters by state, tag a\"b, beginning of the name, config lora_rank; this page filters what is left by config opt.lr."
        );
        assert_eq!(Selection::default().split().filters, "{}");
    }

    #[test]
    fn what_is_left_is_filtered_here() {
        let mut config = Config::default();
        config.insert("opt.lr", ConfigValue::Number(1e-5));
        config.insert("kl", ConfigValue::Bool(false));
        config.insert("list", ConfigValue::List(vec![ConfigValue::Text("a".into()), ConfigValue::Number(1.0)]));
        let run = RunInfo { config, ..RunInfo::default() };
        let keeps = |typed: &str| Selection::default().with_setting(typed).keeps(&run);
        for typed in ["opt.lr=0.00001", "kl=False", "list=[\"a\", 1]", "other=1"] {
            assert!(keeps(typed), "{typed}");
        }
        for typed in ["opt.lr=2", "kl=true", "list=[]", "a.b=1"] {
            assert!(!keeps(typed), "{typed}");
        }
    }

    #[test]
    fn orders_are_the_servers() {
        let order = |order| Selection { order, ..Selection::default() }.split().order;
        assert_eq!(order(Order::Newest), "-created_at");
        assert_eq!(order(Order::Highest("eval/acc".into())), "-summary_metrics.eval/acc");
        assert_eq!(order(Order::Lowest("loss".into())), "+summary_metrics.loss");
    }
}
