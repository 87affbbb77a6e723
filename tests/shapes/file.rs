//! A log as a file of the kind that users have, and the run that the readers make of it.

use std::fmt::Write as _;

use rundown_run::Run;

use crate::support::ingest;
use crate::wandb_file::{RunRecord, WandbFile};

/// What kind of file.
#[derive(Clone, Copy, PartialEq)]
pub enum Format {
    /// `metrics.jsonl`, one object a step.
    JsonLines,
    /// A table, one row a step.
    Csv,
    /// Lines of a terminal: `step:1 - key:value - …`.
    Console,
    /// Lines of a terminal, a dictionary of Python a step.
    Dictionaries,
    /// One JSON file a tag, as TensorBoard lets them be downloaded.
    TensorBoard,
    /// A run of W&B as its API gives it, with its config.
    WandbJson,
    /// The `.wandb` file of W&B, with its config and exit code.
    Wandb,
    /// The folder of an MLflow run.
    MLflow,
}

/// What was logged.
#[derive(Clone)]
pub struct Logged {
    pub format: Format,
    /// Key of the step in the formats that have one.
    pub step_key: &'static str,
    /// One row a step: its step, its second, its values.
    pub rows: Vec<Row>,
    /// Settings, their values as JSON.
    pub config: Vec<(&'static str, &'static str)>,
    /// Exit code; none: nothing says how the run ended.
    pub exit: Option<u64>,
    /// Lines of the console that stand before the metrics.
    pub text: &'static str,
}

/// One row.
#[derive(Clone)]
pub struct Row {
    pub step: usize,
    pub second: f64,
    pub values: Vec<(&'static str, f64)>,
}

impl Logged {
    /// The run that comes of the file.
    pub fn read(&self) -> Run {
        let files = self.files();
        let mut runs = ingest(files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()))).runs;
        assert_eq!(runs.len(), 1, "{}", files[0].0);
        runs.remove(0)
    }

    fn files(&self) -> Vec<(String, Vec<u8>)> {
        match self.format {
            Format::JsonLines => vec![("run/metrics.jsonl".to_owned(), self.json_lines().into_bytes())],
            Format::Csv => vec![("run/progress.csv".to_owned(), self.csv().into_bytes())],
            Format::Console => vec![("run/train.log".to_owned(), self.console().into_bytes())],
            Format::Dictionaries => vec![("run/train.log".to_owned(), self.dictionaries().into_bytes())],
            Format::TensorBoard => self.tags(),
            Format::WandbJson => vec![("run.json".to_owned(), self.wandb_json().into_bytes())],
            Format::Wandb => vec![("run-abc.wandb".to_owned(), self.wandb())],
            Format::MLflow => self.mlflow(),
        }
    }

    fn object(&self, row: &Row) -> String {
        let mut text = format!("{{\"{}\": {}", self.step_key, row.step);
        for (key, value) in &row.values {
            let value = if key.ends_with("_hist") { HISTOGRAM.to_owned() } else { json(*value) };
            let _ = write!(text, ", \"{key}\": {value}");
        }
        let _ = write!(text, ", \"_timestamp\": {}}}", row.second);
        text
    }

    fn json_lines(&self) -> String {
        self.rows.iter().map(|row| self.object(row) + "\n").collect()
    }

    /// Every key, in the order of its first value.
    fn keys(&self) -> Vec<&'static str> {
        let mut keys = Vec::new();
        for (key, _) in self.rows.iter().flat_map(|row| &row.values) {
            if !keys.contains(key) {
                keys.push(key);
            }
        }
        keys
    }

    fn csv(&self) -> String {
        let keys = self.keys();
        let mut text = format!("{},{}\n", self.step_key, keys.join(","));
        for row in &self.rows {
            let _ = write!(text, "{}", row.step);
            for key in &keys {
                let value = row.values.iter().find(|(name, _)| name == key);
                let _ = write!(text, ",{}", value.map_or(String::new(), |(_, value)| value.to_string()));
            }
            text.push('\n');
        }
        text
    }

    fn console(&self) -> String {
        let mut text = self.text.to_owned();
        for row in &self.rows {
            let values: String = row.values.iter().map(|(key, value)| format!(" - {key}:{value}")).collect();
            let _ = writeln!(text, "step:{}{values}", row.step);
        }
        text
    }

    fn dictionaries(&self) -> String {
        let mut text = self.text.to_owned();
        for row in &self.rows {
            let values: Vec<String> = row.values.iter().map(|(key, value)| format!("'{key}': {value}")).collect();
            let _ = writeln!(text, "{{'{}': {}, {}}}", self.step_key, row.step, values.join(", "));
        }
        text
    }

    fn tags(&self) -> Vec<(String, Vec<u8>)> {
        let tag = |key: &'static str| {
            let points = self.rows.iter().filter_map(|row| {
                let (_, value) = row.values.iter().find(|(name, _)| *name == key)?;
                Some(format!("[{}, {}, {}]", row.second, row.step, json(*value)))
            });
            let points: Vec<String> = points.collect();
            let name = format!("run-amber-tag-{}.json", key.replace('/', "_"));
            (name, format!("[{}]", points.join(", ")).into_bytes())
        };
        self.keys().into_iter().map(tag).collect()
    }

    fn wandb_json(&self) -> String {
        let config: Vec<String> = self.config.iter().map(|(key, value)| format!("\"{key}\": {value}")).collect();
        let state = match self.exit {
            Some(0) => "finished",
            Some(_) => "crashed",
            None => "running",
        };
        let rows: Vec<String> = self.rows.iter().map(|row| self.object(row)).collect();
        format!(
            "{{\"id\": \"abc\", \"name\": \"amber\", \"state\": \"{state}\", \"config\": {{{}}}, \
             \"summary\": {{}}, \"history\": [{}]}}",
            config.join(", "),
            rows.join(",\n")
        )
    }

    fn wandb(&self) -> Vec<u8> {
        let record = RunRecord { id: "abc", name: "amber", project: "shapes", config: &self.config };
        let mut file = WandbFile::of(&record);
        for row in &self.rows {
            file.row(row.step as u64, &row.values);
        }
        match self.exit {
            Some(code) => file.finish(code),
            None => file.unfinished(),
        }
    }

    fn mlflow(&self) -> Vec<(String, Vec<u8>)> {
        let folder = "mlruns/1/0123456789abcdef0123456789abcdef";
        let status = if self.exit == Some(0) { 3 } else { 4 };
        let meta = format!(
            "run_id: 0123456789abcdef0123456789abcdef\nrun_name: amber\nstatus: {status}\nstart_time: 1790000000000\n"
        );
        let mut files = vec![(format!("{folder}/meta.yaml"), meta.into_bytes())];
        for key in self.keys() {
            let mut text = String::new();
            for row in &self.rows {
                for (_, value) in row.values.iter().filter(|(name, _)| *name == key) {
                    let _ = writeln!(text, "{} {value} {}", (row.second * 1e3) as u64, row.step);
                }
            }
            files.push((format!("{folder}/metrics/{key}"), text.into_bytes()));
        }
        for (key, value) in &self.config {
            files.push((format!("{folder}/params/{key}"), value.as_bytes().to_vec()));
        }
        files
    }
}

/// A value of a key that ends in `_hist`.
const HISTOGRAM: &str = "{\"_type\": \"histogram\", \"values\": [4, 9, 3], \"bins\": [0, 0.4, 0.8, 1.2]}";

fn json(value: f64) -> String {
    if value.is_nan() { "NaN".to_owned() } else { value.to_string() }
}
