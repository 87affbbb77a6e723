//! SwanLab's run files: the container of `.wandb` files with other records in it.
//!
//! Version 2 (`run-ID.swanlab`) holds protobuf (swanlab.record.v1), version 1 (`backup.swanlab` of 0.5 and 0.6) one
//! JSON object a record. The last records of a killed run are missing: the writer buffers them.

mod messages;

use prost::Message;

use messages::{FinishState, RecordMessage, ScalarMessage, StartMessage, TimestampMessage};

use super::console::Console;
use super::tensorboard::{EventItem, EventRunBuilder};
use super::wandb::blocks::LogBlocks;
use crate::budget::MemoryUse;
use crate::syntax::json::{Json, flatten_into, nonfinite_word};
use crate::{FileEnd, FileReader, Place, Problem, Weight, path};
use crate::{PartKind, PartialRun};
use rundown_run::{Ending, Run, RunState, Stream, iso_seconds};

/// `:SWL`, 0xE1D6 little endian, then the version.
const MAGIC: &[u8] = b":SWL\xd6\xe1";

/// The version of a SwanLab run file with these first bytes.
pub(crate) fn version(head: &[u8]) -> Option<u8> {
    head.strip_prefix(MAGIC)?.first().copied()
}

/// Reads a SwanLab run file.
pub(crate) struct SwanLabReader {
    path: String,
    is_json: bool,
    blocks: LogBlocks,
    records: SwanLabRecords,
}

/// Collects what records say.
#[derive(Default)]
struct SwanLabRecords {
    run: Run,
    rows: EventRunBuilder,
    console: Console,
    malformed: u64,
}

impl SwanLabReader {
    /// A reader for a file that begins with [`version`]'s bytes.
    pub(crate) fn new(path: &str, head: &[u8]) -> Self {
        let is_json = version(head) == Some(1);
        Self { path: path.to_owned(), is_json, blocks: LogBlocks::default(), records: SwanLabRecords::default() }
    }
}

impl FileReader for SwanLabReader {
    fn push(&mut self, bytes: &[u8]) {
        let (records, is_json) = (&mut self.records, self.is_json);
        self.blocks.push(bytes, &mut |record| records.add(record, is_json));
    }

    fn memory_use(&self) -> MemoryUse {
        self.records.rows.memory_use()
    }

    fn finish(self: Box<Self>, end: &mut FileEnd) -> (Vec<PartialRun>, Vec<Problem>) {
        let Self { path: file, is_json, blocks, mut records } = *self;
        let mut damage = blocks.finish(&mut |record| records.add(record, is_json));
        damage.torn_at = damage.torn_at.filter(|_| !end.is_stopped);
        let SwanLabRecords { mut run, rows, mut console, malformed } = records;
        console.finish(Stream::Out, &mut run.log);
        let history = rows.finish();
        let mut problems = Vec::new();
        let mut report = |place, weight, what: String, remedy: &str| {
            problems.push(Problem::here(place, weight, what, remedy));
        };
        if let Some(offset) = damage.bad.first {
            let what = format!(
                "{} parts of the file are damaged: the records in as many blocks of 32 KiB are lost.",
                damage.bad.count
            );
            report(Place::Byte(offset), Weight::Partial, what, "Copy the file again.");
        }
        if malformed > 0 {
            let what = format!("{malformed} records could not be understood and were skipped.");
            report(Place::File, Weight::Partial, what, "");
        }
        if let Some(offset) = damage.torn_at {
            let what = "The file ends within a record: what follows was never written, or not yet.".to_owned();
            report(Place::Byte(offset), Weight::Remark, what, "");
        }
        match history {
            Some(history) => {
                run.row_steps = history.row_steps;
                run.row_times = history.row_times;
                run.columns = history.columns;
            }
            None => report(
                Place::File,
                Weight::Partial,
                "The file holds no number: the run stopped before it logged one.".to_owned(),
                "",
            ),
        }
        if run.name.is_empty() {
            run.name = run_name(&file);
        }
        run.ending.expects_exit = true;
        (vec![PartialRun::of(run, PartKind::History)], problems)
    }
}

/// The name of the run's folder, or of the file.
fn run_name(file: &str) -> String {
    let folder = path::file_name(path::folder(file));
    let name = path::file_name(file);
    let stem = name.strip_suffix(".swanlab").unwrap_or(name);
    if stem == "backup" && !folder.is_empty() { folder.to_owned() } else { stem.to_owned() }
}

/// A record that is neither the protobuf nor the JSON of its version.
struct MalformedRecord;

impl SwanLabRecords {
    fn add(&mut self, record: &[u8], is_json: bool) {
        let read = if is_json { self.json(record) } else { self.protobuf(record) };
        self.malformed += u64::from(read.is_err());
    }

    fn protobuf(&mut self, record: &[u8]) -> Result<(), MalformedRecord> {
        let record = RecordMessage::decode(record).map_err(|_| MalformedRecord)?;
        if let Some(start) = record.start {
            self.start(start);
        }
        if let Some(finish) = record.finish {
            self.finish(finish.state());
        }
        if let Some(scalar) = record.scalar {
            self.scalar(scalar, record.timestamp);
        }
        for line in record.console.iter().flat_map(|console| &console.lines) {
            self.line(line);
        }
        Ok(())
    }

    fn start(&mut self, start: StartMessage) {
        let run = &mut self.run;
        run.project = start.project.or(run.project.take());
        run.entity = start.workspace.or(run.entity.take());
        run.notes = start.description.or(run.notes.take());
        run.group = start.group.or(run.group.take());
        run.tags.extend(start.tags);
        run.started_at = start.started_at.map(|time| time.unix_seconds()).or(run.started_at);
        if let Some(name) = start.name {
            run.name = name;
        }
        if let Some(id) = start.id {
            run.id = id;
        }
    }

    fn finish(&mut self, state: FinishState) {
        let (state, word) = match state {
            FinishState::Finished => (RunState::Finished, "finished"),
            FinishState::Crashed => (RunState::Crashed, "crashed"),
            FinishState::Aborted => (RunState::Killed, "aborted"),
            FinishState::Unspecified => return,
        };
        self.run.ending = Ending { state, evidence: vec![format!("the exit record says {word}")], ..Ending::default() };
    }

    fn scalar(&mut self, scalar: ScalarMessage, record_time: Option<TimestampMessage>) {
        let time = scalar.timestamp.or(record_time).map_or(f64::NAN, |time| time.unix_seconds());
        if let Some(value) = scalar.value
            && !scalar.key.is_empty()
        {
            self.rows.add(scalar.step, time, EventItem::Scalar(&scalar.key, value.number));
        }
    }

    fn line(&mut self, line: &[u8]) {
        self.console.push(line, Stream::Out, &mut self.run.log);
        if !line.ends_with(b"\n") {
            self.console.push(b"\n", Stream::Out, &mut self.run.log);
        }
    }

    /// A record of version 1: `{"model_type": "Scalar", "data": {…}}`.
    fn json(&mut self, record: &[u8]) -> Result<(), MalformedRecord> {
        let record = Json::parse(record).map_err(|_| MalformedRecord)?;
        // Some versions write the data as text.
        let parsed = record.text_at("data").map(|text| Json::parse(text.as_bytes()));
        let parsed = parsed.transpose().map_err(|_| MalformedRecord)?;
        let Some(data) = parsed.as_ref().or_else(|| record.get("data")) else { return Err(MalformedRecord) };
        let text = |key: &str| data.owned_text(key);
        match record.text_at("model_type") {
            Some("Project") => {
                self.run.project = text("name");
                self.run.entity = text("workspace");
            }
            Some("Experiment") => {
                self.run.name = text("name").unwrap_or_default();
                self.run.id = text("id").or_else(|| text("run_id")).unwrap_or_default();
                self.run.notes = text("description");
                self.run.group = text("group");
                self.run.tags.extend(data.texts("tags"));
            }
            Some("Runtime") => {
                if let Some(Json::Object(config)) = data.get("config") {
                    for (key, entry) in config {
                        let value = entry.get("value").unwrap_or(entry).clone();
                        flatten_into(&mut self.run.config, key, value);
                    }
                }
            }
            Some("Scalar") => {
                let metric = data.get("metric").unwrap_or(data);
                let value = metric.get("data").and_then(|value| match value {
                    Json::Text(word) => nonfinite_word(word).or_else(|| word.parse().ok()),
                    value => value.metric(),
                });
                let step = data.get("step").or_else(|| metric.get("index")).and_then(Json::metric);
                if let (Some(key), Some(step), Some(value)) = (text("key"), step, value) {
                    let time = metric.text_at("create_time").and_then(iso_seconds);
                    self.rows.add(step as i64, time.unwrap_or(f64::NAN), EventItem::Scalar(&key, value));
                }
            }
            Some("Log") => {
                if let Some(line) = text("message") {
                    self.line(line.as_bytes());
                }
            }
            Some("Footer") => {
                let is_good = data.metric_at("success") != Some(0.0);
                let (state, word) =
                    if is_good { (RunState::Finished, "finished") } else { (RunState::Crashed, "crashed") };
                let evidence = vec![format!("the exit record says {word}")];
                self.run.ending = Ending { state, evidence, ..Ending::default() };
            }
            _ => {}
        }
        Ok(())
    }
}
