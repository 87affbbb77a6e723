//! The fields of a run: facts, history in its four forms, files, console.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::graphql::{Project, argument, connection, scalar};
use super::query::{Arguments, Node, Object};
use super::{State, StoredRun};

pub struct RunObject<'s> {
    pub state: &'s State,
    pub run: &'s StoredRun,
}

type Row = BTreeMap<String, Value>;

impl RunObject<'_> {
    /// The rows that are there yet.
    fn rows(&self) -> &[Row] {
        let visible = self.state.switches().visible_rows.unwrap_or(usize::MAX);
        &self.run.rows[..visible.min(self.run.rows.len())]
    }

    fn history_keys(&self) -> Value {
        let mut counts: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
        for (key, value) in self.rows().iter().flatten() {
            *counts.entry(key).or_default().entry(kind(value)).or_default() += 1;
        }
        let keys: Map<String, Value> = counts
            .into_iter()
            .map(|(key, kinds)| {
                let kinds: Vec<Value> =
                    kinds.into_iter().map(|(kind, count)| json!({ "type": kind, "count": count })).collect();
                (key.to_owned(), json!({ "typeCounts": kinds, "monotonic": false, "previousValue": 0 }))
            })
            .collect();
        json!({ "sets": [], "keys": keys, "lastStep": self.rows().last().map_or(-1, step) })
    }

    fn sampled(&self, spec: &str) -> Value {
        let spec: Value = serde_json::from_str(spec).unwrap_or_default();
        let keys: Vec<&str> = spec["keys"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let (min, max) = (spec["minStep"].as_i64().unwrap_or(0), spec["maxStep"].as_i64().unwrap_or(i64::MAX));
        let samples = spec["samples"].as_u64().unwrap_or(500) as usize;
        let samples = samples.min(self.state.switches().most_samples.unwrap_or(usize::MAX));
        let rows = self.rows().iter().filter(|row| (min..=max).contains(&step(row)));
        let rows: Vec<&Row> = rows.filter(|row| keys.iter().all(|key| row.contains_key(*key))).collect();
        let narrow = |row: &&Row| {
            let kept: Map<String, Value> = keys.iter().map(|key| ((*key).to_owned(), row[*key].clone())).collect();
            Value::Object(kept)
        };
        thinned(&rows, samples).iter().map(narrow).collect()
    }

    fn bucketed(&self, spec: &str) -> Value {
        let spec: Value = serde_json::from_str(spec).unwrap_or_default();
        let key = spec["keys"][0].as_str().unwrap_or_default();
        let bins = spec["bins"].as_u64().unwrap_or(500).max(1) as usize;
        let rows: Vec<&Row> = self.rows().iter().filter(|row| row.get(key).is_some_and(Value::is_number)).collect();
        let bucket = |rows: &[&Row]| {
            let all = |key: &str| -> Vec<f64> { rows.iter().filter_map(|row| row.get(key)?.as_f64()).collect() };
            let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
            let values = all(key);
            let mut found = Map::new();
            found.insert("bucketSize".to_owned(), json!(rows.len()));
            found.insert("_stepAvg".to_owned(), json!(mean(&all("_step"))));
            found.insert("_timestampAvg".to_owned(), json!(mean(&all("_timestamp"))));
            found.insert(format!("{key}Avg"), json!(mean(&values)));
            found.insert(format!("{key}Min"), json!(values.iter().copied().fold(f64::INFINITY, f64::min)));
            found.insert(format!("{key}Max"), json!(values.iter().copied().fold(f64::NEG_INFINITY, f64::max)));
            Value::Object(found)
        };
        rows.chunks(rows.len().div_ceil(bins).max(1)).map(bucket).collect()
    }

    fn history(&self, arguments: &Arguments) -> Value {
        let number = |name: &str| arguments.get(name).and_then(Value::as_i64);
        let (min, max) = (number("minStep").unwrap_or(0), number("maxStep").unwrap_or(i64::MAX));
        let rows: Vec<&Row> = self.rows().iter().filter(|row| (min..max).contains(&step(row))).collect();
        let rows = thinned(&rows, number("samples").unwrap_or(500) as usize);
        rows.iter().map(|row| json!(serde_json::to_string(row).unwrap())).collect()
    }

    fn export(&self) -> Node<'_> {
        let (mut urls, mut live) = (Vec::new(), Vec::new());
        if self.state.switches().export {
            let bucket = self.state.base_url.replace("127.0.0.1", "localhost");
            // Not in their order.
            urls = [1, 0]
                .iter()
                .map(|part| format!("{bucket}/storage/export/{part}/{}?signature=5167", self.run.id))
                .collect();
            live =
                self.rows()[exported(self.rows().len())..].iter().map(|row| json!({ "_step": row["_step"] })).collect();
        }
        Node::Parts(
            "ParquetHistory",
            vec![("parquetUrls", Node::Scalar(json!(urls))), ("liveData", Node::Scalar(json!(live)))],
        )
    }

    fn files(&self, arguments: &Arguments) -> Node<'_> {
        let names: Vec<&str> = match arguments.get("names") {
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let pattern = argument(arguments, "pattern");
        let is_match =
            |name: &str| (names.is_empty() || names.contains(&name)) && (pattern.is_empty() || like(pattern, name));
        let place = format!("{}/{}/{}", self.state.entity, self.state.project, self.run.id);
        // Another host name, so that headers are not carried over.
        let bucket = self.state.base_url.replace("127.0.0.1", "localhost");
        let all: Vec<_> = self.run.files.iter().filter(|(name, _)| is_match(name)).collect();
        let first = arguments.get("first").and_then(Value::as_u64).unwrap_or(50) as usize;
        let start = argument(arguments, "after").parse().unwrap_or(0);
        let page: Vec<_> = all.iter().skip(start).take(first).collect();
        let has_next = start + page.len() < all.len();
        let node = |(name, path): &(String, std::path::PathBuf)| {
            let size = std::fs::metadata(path).map_or(0, |facts| facts.len());
            Node::Parts(
                "File",
                vec![
                    ("id", scalar(name)),
                    ("name", scalar(name)),
                    ("url", scalar(&format!("{}/files/{place}/{name}", self.state.base_url))),
                    ("directUrl", scalar(&format!("{bucket}/storage/{place}/{name}?signature=5167"))),
                    ("sizeBytes", Node::Scalar(json!(size.to_string()))),
                    ("mimetype", scalar("application/octet-stream")),
                    ("updatedAt", scalar("2026-11-21T00:00:00")),
                    ("md5", scalar("")),
                ],
            )
        };
        connection(page.into_iter().map(|file| node(file)).collect(), Some((start, has_next)))
    }

    fn artifacts(&self) -> Node<'_> {
        let number = |number: i64| Node::Scalar(json!(number));
        let null = || Node::Scalar(Value::Null);
        let sequence = || {
            let name = scalar(&format!("run-{}-history", self.run.id));
            let project = Node::Object(Box::new(Project { state: self.state }));
            Node::Parts("ArtifactSequence", vec![("name", name), ("project", project)])
        };
        let alias = vec![("id", scalar("QWxpYXM6MQ")), ("alias", scalar("latest")), ("artifactCollection", sequence())];
        let artifact = Node::Parts(
            "Artifact",
            vec![
                ("id", scalar("QXJ0aWZhY3Q6MQ")),
                ("artifactType", Node::Parts("ArtifactType", vec![("name", scalar("wandb-history"))])),
                ("artifactSequence", sequence()),
                ("versionIndex", number(0)),
                ("state", scalar("COMMITTED")),
                ("size", number(1_234)),
                ("digest", scalar("abc")),
                ("fileCount", number(1)),
                ("createdAt", scalar("2026-11-21T00:00:00")),
                ("updatedAt", null()),
                ("description", null()),
                ("metadata", null()),
                ("commitHash", null()),
                ("historyStep", null()),
                ("ttlDurationSeconds", number(-1)),
                ("ttlIsInherited", Node::Scalar(json!(true))),
                ("tags", Node::List(Vec::new())),
                ("aliases", Node::List(vec![Node::Parts("ArtifactAlias", alias)])),
            ],
        );
        connection(vec![artifact], None)
    }

    fn log_lines(&self, arguments: &Arguments) -> Node<'_> {
        let last = arguments.get("last").and_then(Value::as_u64).unwrap_or(100) as usize;
        let lines = &self.run.log[self.run.log.len().saturating_sub(last)..];
        let node = |(is_error, text): &(bool, String)| {
            Node::Parts(
                "LogLine",
                vec![
                    ("number", Node::Scalar(json!(0))),
                    ("timestamp", Node::Scalar(Value::Null)),
                    ("level", if *is_error { scalar("error") } else { Node::Scalar(Value::Null) }),
                    ("label", Node::Scalar(Value::Null)),
                    ("line", scalar(&format!("{text}\n"))),
                ],
            )
        };
        connection(lines.iter().map(node).collect(), None)
    }
}

impl Object for RunObject<'_> {
    fn type_name(&self) -> &'static str {
        "Run"
    }

    fn field(&self, name: &str, arguments: &Arguments) -> Option<Node<'_>> {
        if self.state.switches().missing_fields.iter().any(|missing| missing == name) {
            return None;
        }
        let run = self.run;
        let is_growing = self.state.switches().visible_rows.is_some_and(|visible| visible < run.rows.len());
        let specs = |answer: &dyn Fn(&str) -> Value| {
            let specs = arguments.get("specs").and_then(Value::as_array).cloned().unwrap_or_default();
            Node::Scalar(specs.iter().filter_map(Value::as_str).map(answer).collect())
        };
        Some(match name {
            "id" => scalar(&format!("UnVuOnYx{}", run.id)),
            "projectId" => scalar("1"),
            "name" => scalar(&run.id),
            "displayName" => scalar(&run.display_name),
            "state" => scalar(if is_growing { "running" } else { &run.state }),
            "group" => scalar(&run.group),
            "jobType" => scalar(&run.job_type),
            "sweepName" if run.sweep.is_empty() => Node::Scalar(Value::Null),
            "sweepName" => scalar(&run.sweep),
            "tags" => Node::Scalar(json!(run.tags)),
            "notes" | "description" => scalar(&run.notes),
            "commit" | "systemMetrics" => Node::Scalar(Value::Null),
            "readOnly" => Node::Scalar(json!(false)),
            "createdAt" => scalar(&run.created_at),
            "heartbeatAt" => scalar(&format!("2026-11-21T00:00:{:02}", self.rows().len() % 60)),
            "config" => Node::Scalar(json!(narrowed(&Value::Object(run.config.clone()), arguments).to_string())),
            "summaryMetrics" => Node::Scalar(json!(narrowed(&run.summary, arguments).to_string())),
            "historyLineCount" => Node::Scalar(json!(self.rows().len())),
            "historyKeys" => Node::Scalar(self.history_keys()),
            "user" => Node::Parts("User", vec![("name", scalar("tester")), ("username", scalar("tester"))]),
            "sampledHistory" => specs(&|spec| self.sampled(spec)),
            "bucketedHistory" => specs(&|spec| self.bucketed(spec)),
            "history" => Node::Scalar(self.history(arguments)),
            "parquetHistory" => self.export(),
            "events" => Node::Scalar(run.events.iter().map(|event| json!(event.to_string())).collect()),
            "fileCount" => Node::Scalar(json!(run.files.len())),
            "files" => self.files(arguments),
            "outputArtifacts" => self.artifacts(),
            "logLineCount" => Node::Scalar(json!(run.log.len())),
            "logLines" => self.log_lines(arguments),
            _ => return None,
        })
    }
}

/// Rows of an export.
fn exported(rows: usize) -> usize {
    rows.saturating_sub(100)
}

/// A part of a run's export: the first or the second half of its rows.
pub fn export_part(run: &StoredRun, part: &str) -> Vec<u8> {
    let (first, second) = run.rows[..exported(run.rows.len())].split_at(exported(run.rows.len()) / 2);
    let rows = if part == "0" { first } else { second };
    let lines: Vec<String> = rows.iter().map(|row| serde_json::to_string(row).unwrap()).collect();
    lines.join("\n").into_bytes()
}

fn step(row: &Row) -> i64 {
    row["_step"].as_f64().unwrap_or(0.0) as i64
}

/// So many of the rows, the first one among them, as if at random.
fn thinned<'r>(rows: &[&'r Row], samples: usize) -> Vec<&'r Row> {
    if rows.len() <= samples {
        return rows.to_vec();
    }
    (0..samples).map(|index| rows[index * rows.len() / samples]).collect()
}

fn kind(value: &Value) -> &str {
    match value {
        Value::Number(_) => "number",
        Value::Bool(_) => "bool",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Null => "nil",
        Value::Object(members) => members.get("_type").and_then(Value::as_str).unwrap_or("map"),
    }
}

/// Only the keys that `keys` names, where it is given.
fn narrowed(value: &Value, arguments: &Arguments) -> Value {
    let (Some(Value::Array(keys)), Value::Object(members)) = (arguments.get("keys"), value) else {
        return value.clone();
    };
    let kept = members.iter().filter(|(key, _)| keys.iter().any(|wanted| wanted == *key));
    Value::Object(kept.map(|(key, value)| (key.clone(), value.clone())).collect())
}

/// SQL's LIKE, with `%` alone.
fn like(pattern: &str, text: &str) -> bool {
    let parts: Vec<&str> = pattern.split('%').collect();
    let mut rest = text;
    for (index, part) in parts.iter().enumerate() {
        let found = if index == 0 { rest.starts_with(part).then_some(0) } else { rest.find(part) };
        let Some(place) = found else { return false };
        rest = &rest[place + part.len()..];
    }
    rest.is_empty() || parts.last() == Some(&"")
}
