//! Every `.wandb` file of the corpus, read by this crate and by an independent reader in Python: the same rows,
//! keys, values, config, summary, console text, exit code, and the same series in the finished run.
//!
//! Skips, with a notice, where the corpus or Python is missing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rundown_ingest::json::Json;
use rundown_ingest::wandb::{self, HistoryRecord, MetricRecord, RunRecord, SettingChange, StatsRecord, Visitor};
use rundown_ingest::{RunAssembler, open};
use rundown_run::{Config, ConfigValue, Run, Stream};

use crate::support::{corpus, files_below};

#[test]
fn our_reader_agrees_with_an_independent_one() {
    let Some(corpus) = corpus("") else { return };
    let mut files = files_below(&corpus);
    files.retain(|file| file.extension().is_some_and(|extension| extension == "wandb"));
    // Two readers at a time, because Python's is slow.
    let (left, right) = files.split_at(files.len() / 2);
    let expected = std::thread::scope(|scope| {
        let left = scope.spawn(|| oracle(left));
        let right = scope.spawn(|| oracle(right));
        [left.join().unwrap(), right.join().unwrap()]
    });
    let [Some(left), Some(right)] = expected else {
        eprintln!("skipped: python3 does not run here");
        return;
    };
    let expected: BTreeMap<String, Vec<String>> = left.into_iter().chain(right).collect();
    assert_eq!(expected.len(), files.len());
    for file in &files {
        let ours = dump(file);
        let theirs = &expected[&file.display().to_string()];
        let differing = theirs.iter().zip(&ours).find(|(theirs, ours)| theirs != ours);
        assert_eq!(differing, None, "{}: first difference (theirs, ours)", file.display());
        assert_eq!(theirs.len(), ours.len(), "{}: number of facts", file.display());
    }
    eprintln!("compared {} files", files.len());
}

/// Lines of the independent reader by file; `None` when it cannot be started.
fn oracle(files: &[PathBuf]) -> Option<BTreeMap<String, Vec<String>>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle/dump_wandb.py");
    let output = Command::new("python3").arg(script).args(files).output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut by_file: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut current = String::new();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        match line.strip_prefix("file ") {
            Some(file) => {
                current = file.to_owned();
                by_file.insert(current.clone(), Vec::new());
            }
            None => by_file.get_mut(&current).unwrap().push(line.to_owned()),
        }
    }
    Some(by_file)
}

fn dump(file: &Path) -> Vec<String> {
    let bytes = std::fs::read(file).unwrap();
    let mut dump = Dump::default();
    wandb::visit(&bytes, &mut dump);
    let mut lines = std::mem::take(&mut dump.lines);
    lines.push(format!("about {}", checksum(canonical(&dump.about).as_bytes())));
    lines.push(format!("config {}", checksum(canonical(&dump.config).as_bytes())));
    lines.push(format!("summary {}", checksum(canonical(&dump.summary).as_bytes())));
    let run = read(&file.display().to_string(), &bytes);
    lines.push(flat("config", &run.config));
    lines.push(flat("summary", &run.summary));
    lines.push(format!("output 0 {}", checksum(&dump.error)));
    lines.push(format!("output 1 {}", checksum(&dump.out)));
    for (name, (step, goal)) in &dump.rules {
        lines.push(format!("rule {name} {step} {goal}"));
    }
    lines.push(format!("exit {}", dump.exit.map_or("None".to_owned(), |code| code.to_string())));
    for (key, column) in &run.columns {
        let mut points = String::new();
        for (row, value) in column.points() {
            write!(points, "{row}:{}", canonical(&Json::Number(value))).unwrap();
        }
        lines.push(format!("series {key} {} {}", column.len(), checksum(points.as_bytes())));
    }
    lines
}

/// The numbers of a flat config or summary.
fn flat(name: &str, config: &Config) -> String {
    let mut text = String::new();
    let mut count = 0;
    for (key, value) in config.iter() {
        let number = match value {
            ConfigValue::Number(number) if !number.is_finite() || number.abs() <= 9_007_199_254_740_992.0 => *number,
            ConfigValue::Bool(value) => f64::from(u8::from(*value)),
            _ => continue,
        };
        write!(text, "{key}={}", canonical(&Json::Number(number))).unwrap();
        count += 1;
    }
    format!("flat {name} {count} {}", checksum(text.as_bytes()))
}

/// The run as the page would get it: in slices, by way of the assembler.
fn read(path: &str, bytes: &[u8]) -> Run {
    let mut file = open(path, bytes.len() as u64);
    for slice in bytes.chunks(100_003) {
        file.push(slice);
    }
    let mut assembler = RunAssembler::default();
    assembler.add(file.finish());
    assembler.assemble(Vec::new()).runs.pop().unwrap()
}

struct Dump {
    lines: Vec<String>,
    rows: usize,
    stats: usize,
    about: Json,
    config: Json,
    summary: Json,
    out: Vec<u8>,
    error: Vec<u8>,
    rules: BTreeMap<String, (String, u8)>,
    exit: Option<i32>,
}

impl Default for Dump {
    fn default() -> Self {
        let empty = || Json::Object(BTreeMap::new());
        Self {
            lines: Vec::new(),
            rows: 0,
            stats: 0,
            about: empty(),
            config: empty(),
            summary: empty(),
            out: Vec::new(),
            error: Vec::new(),
            rules: BTreeMap::new(),
            exit: None,
        }
    }
}

impl Visitor for Dump {
    fn run(&mut self, record: &RunRecord<'_>) {
        for (name, value) in [
            ("id", &record.id),
            ("entity", &record.entity),
            ("project", &record.project),
            ("group", &record.group),
            ("job_type", &record.job_type),
            ("name", &record.display_name),
            ("notes", &record.notes),
            ("sweep", &record.sweep),
            ("host", &record.host),
        ] {
            if !value.is_empty() {
                self.about.set(&[name.to_owned()], Json::Text(value.clone()));
            }
        }
        if !record.tags.is_empty() {
            let tags = record.tags.iter().cloned().map(Json::Text).collect();
            self.about.set(&["tags".to_owned()], Json::List(tags));
        }
        for item in &record.config {
            change(&mut self.config, item);
        }
    }

    fn history(&mut self, record: &HistoryRecord<'_>) {
        let mut row = Json::Object(BTreeMap::new());
        for item in &record.items {
            row.set(&item.path(), item.json().unwrap());
        }
        if let (None, Some(step)) = (row.get("_step"), record.step) {
            row.set(&["_step".to_owned()], Json::Number(step as f64));
        }
        self.lines.push(format!("row {} {}", self.rows, checksum(canonical(&row).as_bytes())));
        self.rows += 1;
    }

    fn summary(&mut self, item: &SettingChange<'_>) {
        change(&mut self.summary, item);
    }

    fn config(&mut self, item: &SettingChange<'_>) {
        change(&mut self.config, item);
    }

    fn stats(&mut self, record: &StatsRecord<'_>) {
        let mut row = Json::Object(BTreeMap::new());
        for item in &record.items {
            row.set(&item.path(), item.json().unwrap());
        }
        let time = canonical(&Json::Number(record.time));
        self.lines.push(format!("stats {} {time} {}", self.stats, checksum(canonical(&row).as_bytes())));
        self.stats += 1;
    }

    fn output(&mut self, stream: Stream, piece: &[u8]) {
        if stream == Stream::Out { &mut self.out } else { &mut self.error }.extend_from_slice(piece);
    }

    fn metric(&mut self, record: &MetricRecord) {
        let goal = match record.maximise {
            None => 0,
            Some(false) => 1,
            Some(true) => 2,
        };
        self.rules.insert(record.name.clone(), (record.step_metric.clone().unwrap_or_default(), goal));
    }

    fn exit(&mut self, code: i32) {
        self.exit = Some(code);
    }

    fn malformed(&mut self) {
        self.lines.push("malformed".to_owned());
    }
}

fn change(tree: &mut Json, change: &SettingChange<'_>) {
    match change {
        SettingChange::Update(item) => _ = tree.set(&item.path(), item.json().unwrap()),
        SettingChange::Remove(item) => tree.remove(&item.path()),
    }
}

fn canonical(value: &Json) -> String {
    let mut text = String::new();
    write_canonical(value, &mut text);
    text
}

fn write_canonical(value: &Json, out: &mut String) {
    match value {
        Json::Null => out.push('n'),
        Json::Bool(true) => out.push('t'),
        Json::Bool(false) => out.push('f'),
        Json::BigInteger(text) => write!(out, "i{text};").unwrap(),
        Json::Number(number) if number.is_nan() => out.push_str("dnan;"),
        // Adding zero makes -0 to 0, as in the script: JSON's `-0` is an integer there.
        Json::Number(number) => write!(out, "d{:016x};", (number + 0.0).to_bits()).unwrap(),
        Json::Text(text) => write!(out, "s{}:{text}", text.len()).unwrap(),
        Json::List(values) => {
            out.push('[');
            values.iter().for_each(|value| write_canonical(value, out));
            out.push(']');
        }
        Json::Object(object) => {
            out.push('{');
            for (key, value) in object {
                write!(out, "s{}:{key}", key.len()).unwrap();
                write_canonical(value, out);
            }
            out.push('}');
        }
    }
}

fn checksum(bytes: &[u8]) -> String {
    format!("{:08x}", crc32fast::hash(bytes))
}
