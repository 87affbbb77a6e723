//! Runs of `.wandb` files as a server would keep them: rows of JSON, config, summary, system rows, files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rundown_format::rfc3339;
use rundown_ingest::json::Json;
use rundown_ingest::wandb::{self, HistoryRecord, Item, MetricRecord, RunRecord, SettingChange, StatsRecord, Visitor};
use rundown_run::Stream;
use serde_json::{Map, Value, json};

use crate::support::files_below;

/// A run.
#[derive(Debug, Clone, Default)]
pub struct StoredRun {
    pub id: String,
    pub display_name: String,
    pub group: String,
    pub job_type: String,
    pub sweep: String,
    pub notes: String,
    pub tags: Vec<String>,
    pub started_at: f64,
    pub created_at: String,
    pub state: String,
    pub config: Map<String, Value>,
    pub summary: Value,
    /// Rows by step, keys dotted, media whole.
    pub rows: Vec<BTreeMap<String, Value>>,
    pub events: Vec<Value>,
    pub log: Vec<(bool, String)>,
    /// Path below `files`, and where it lies.
    pub files: Vec<(String, PathBuf)>,
}

/// Every run below a folder.
pub fn load(folder: &Path) -> Vec<StoredRun> {
    let files = files_below(folder);
    let wandb = files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "wandb"));
    wandb.map(|file| load_run(file, &files)).collect()
}

fn load_run(file: &Path, all: &[PathBuf]) -> StoredRun {
    let mut reader = Reader::default();
    wandb::visit(&std::fs::read(file).unwrap(), &mut reader);
    let mut run = reader.finish();
    let folder = file.parent().unwrap().join("files");
    for other in all {
        if let Ok(name) = other.strip_prefix(&folder) {
            run.files.push((name.display().to_string(), other.clone()));
        }
    }
    run
}

#[derive(Default)]
struct Reader {
    run: StoredRun,
    config: Json,
    summary: Json,
    rules: Vec<Value>,
    rule_names: Vec<String>,
    exit: Option<i32>,
    out: [String; 2],
}

impl Reader {
    fn finish(mut self) -> StoredRun {
        let rules = self.rules.clone();
        if let Value::Object(config) = value(&self.config) {
            for (key, setting) in config {
                let setting = if key == "_wandb" { setting } else { json!({ "value": setting, "desc": null }) };
                self.run.config.insert(key, setting);
            }
        }
        self.run.config.insert("_wandb".to_owned(), json!({ "value": { "m": rules, "cli_version": "0.31.0" } }));
        self.run.summary = value(&self.summary);
        if self.run.summary.is_null() {
            self.run.summary = json!({});
        }
        self.run.state = match self.exit {
            Some(0) => "finished",
            Some(_) => "failed",
            None => "crashed",
        }
        .to_owned();
        self.run.created_at = rfc3339(self.run.started_at);
        self.run
            .rows
            .sort_by(|left, right| left["_step"].as_f64().unwrap().total_cmp(&right["_step"].as_f64().unwrap()));
        for (is_error, text) in [(false, &self.out[0]), (true, &self.out[1])] {
            self.run.log.extend(text.lines().map(|line| (is_error, line.to_owned())));
        }
        self.run
    }
}

impl Visitor for Reader {
    fn run(&mut self, record: &RunRecord<'_>) {
        let run = &mut self.run;
        let texts = [
            (&mut run.id, &record.id),
            (&mut run.display_name, &record.display_name),
            (&mut run.group, &record.group),
            (&mut run.job_type, &record.job_type),
            (&mut run.sweep, &record.sweep),
            (&mut run.notes, &record.notes),
        ];
        for (to, from) in texts {
            if !from.is_empty() {
                to.clone_from(from);
            }
        }
        if !record.tags.is_empty() {
            run.tags.clone_from(&record.tags);
        }
        run.started_at = record.started_at.unwrap_or(run.started_at);
        record.config.iter().for_each(|change| apply(&mut self.config, change));
    }

    fn history(&mut self, record: &HistoryRecord<'_>) {
        let mut tree = Json::default();
        for item in &record.items {
            tree.set(&item.path(), parsed(item));
        }
        let mut row = BTreeMap::new();
        if let Json::Object(members) = &tree {
            members.iter().for_each(|(key, value)| flatten(&mut row, key, value));
        }
        let next = self.run.rows.last().map_or(0.0, |row| row["_step"].as_f64().unwrap() + 1.0);
        let step = record.step.map_or(next, |step| step as f64);
        row.entry("_step".to_owned()).or_insert_with(|| json!(step as i64));
        self.run.rows.push(row);
    }

    fn summary(&mut self, change: &SettingChange<'_>) {
        apply(&mut self.summary, change);
    }

    fn config(&mut self, change: &SettingChange<'_>) {
        apply(&mut self.config, change);
    }

    fn stats(&mut self, record: &StatsRecord<'_>) {
        let mut row = Map::new();
        for item in &record.items {
            row.insert(format!("system.{}", item.path().join(".")), value(&parsed(item)));
        }
        row.insert("_timestamp".to_owned(), json!(record.time));
        row.insert("_wandb".to_owned(), json!(true));
        self.run.events.push(Value::Object(row));
    }

    fn output(&mut self, stream: Stream, piece: &[u8]) {
        self.out[usize::from(stream != Stream::Out)].push_str(&String::from_utf8_lossy(piece));
    }

    fn metric(&mut self, record: &MetricRecord) {
        let name = if record.name.contains('*') { "2" } else { "1" };
        let mut rule = Map::new();
        rule.insert(name.to_owned(), json!(record.name));
        if let Some(step) = &record.step_metric {
            match self.rule_names.iter().position(|known| known == step) {
                Some(place) => rule.insert("5".to_owned(), json!(place + 1)),
                None => rule.insert("4".to_owned(), json!(step)),
            };
        }
        if let Some(maximise) = record.maximise {
            rule.insert("8".to_owned(), json!(if maximise { 2 } else { 1 }));
        }
        self.rules.push(Value::Object(rule));
        self.rule_names.push(record.name.clone());
    }

    fn exit(&mut self, code: i32) {
        self.exit = Some(code);
    }
}

fn apply(to: &mut Json, change: &SettingChange<'_>) {
    match change {
        SettingChange::Update(item) => _ = to.set(&item.path(), parsed(item)),
        SettingChange::Remove(item) => to.remove(&item.path()),
    }
}

fn parsed(item: &Item<'_>) -> Json {
    item.json().unwrap_or_default()
}

/// Nested dictionaries get dotted names; media stay whole.
fn flatten(row: &mut BTreeMap<String, Value>, key: &str, json: &Json) {
    match json {
        Json::Object(members) if !members.contains_key("_type") && !members.is_empty() => {
            members.iter().for_each(|(inner, json)| flatten(row, &format!("{key}.{inner}"), json));
        }
        other => _ = row.insert(key.to_owned(), value(other)),
    }
}

/// As the server writes it: numbers that JSON cannot hold are words.
pub fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => json!(flag),
        Json::Number(number) if number.is_nan() => json!("NaN"),
        Json::Number(number) if number.is_infinite() => json!(if *number > 0.0 { "Infinity" } else { "-Infinity" }),
        Json::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => json!(*number as i64),
        Json::Number(number) => json!(number),
        Json::BigInteger(text) => serde_json::from_str(text).unwrap_or(Value::Null),
        Json::Text(text) => json!(text),
        Json::List(list) => Value::Array(list.iter().map(value).collect()),
        Json::Object(members) => Value::Object(members.iter().map(|(key, json)| (key.clone(), value(json))).collect()),
    }
}
