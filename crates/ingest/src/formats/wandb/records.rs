//! Records of a `.wandb` file, decoded and shown to a visitor.
//!
//! The visitor borrows everything. What makes a run of the records ([`super::build`]) and what prints them for
//! comparison with another reader are both visitors, so that they cannot differ in what they read.

use super::protobuf::{Fields, Malformed, Payload, timestamp};
use crate::syntax::json::Json;
use rundown_run::Stream;

/// Takes the records in the order of the file.
pub trait Visitor {
    /// `Record.run`, which may come again with changes.
    fn run(&mut self, _record: &RunRecord<'_>) {}
    /// One call of `log`.
    fn history(&mut self, _record: &HistoryRecord<'_>) {}
    /// A change of the summary.
    fn summary(&mut self, _change: &SettingChange<'_>) {}
    /// A change of the config.
    fn config(&mut self, _change: &SettingChange<'_>) {}
    /// System metrics at one moment.
    fn stats(&mut self, _record: &StatsRecord<'_>) {}
    /// A piece of console output: part of a line, or several lines.
    fn output(&mut self, _stream: Stream, _piece: &[u8]) {}
    /// A `define_metric` rule.
    fn metric(&mut self, _record: &MetricRecord) {}
    /// An artifact that the run published.
    fn artifact(&mut self, _record: &ArtifactRecord) {}
    /// The run ended with this exit code.
    fn exit(&mut self, _code: i32) {}
    /// A record, or part of one, that could not be understood.
    fn malformed(&mut self) {}
}

/// A key with its value, as history, summary, config and stats hold them.
#[derive(Debug, Clone, Copy)]
pub struct Item<'a> {
    /// The fields that name the key, as they stand in the record: equal bytes mean equal paths.
    pub(crate) encoded_path: &'a [u8],
    /// JSON text.
    pub(crate) value: &'a [u8],
}

impl<'a> Item<'a> {
    fn read(message: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::of(message);
        let mut before = message;
        while let Some(field) = fields.next()? {
            if let (16, Payload::Bytes(value)) = field {
                let head = message.len() - before.len();
                let encoded_path = match message.get(..head) {
                    Some(path) if !path.is_empty() => path,
                    // Writers keep the order of the field numbers; one that does not puts the key behind.
                    _ => fields.rest(),
                };
                return Ok(Self { encoded_path, value });
            }
            before = fields.rest();
        }
        Ok(Self { encoded_path: message, value: b"" })
    }

    /// The key as a path: one element, or more for a value nested in dictionaries. A dot within an element is
    /// part of the user's key.
    pub fn path(&self) -> Vec<String> {
        let mut fields = Fields::of(self.encoded_path);
        let (mut key, mut nested) = (String::new(), Vec::new());
        while let Ok(Some((field, payload))) = fields.next() {
            match (field, payload) {
                (1, Payload::Bytes(bytes)) => key = text(bytes),
                (2, Payload::Bytes(bytes)) => nested.push(text(bytes)),
                _ => {}
            }
        }
        if nested.is_empty() { vec![key] } else { nested }
    }

    /// The value, `None` when it is no JSON.
    pub fn json(&self) -> Option<Json> {
        Json::parse(self.value).ok()
    }
}

/// An update or a removal of one key.
#[derive(Debug, Clone, Copy)]
pub enum SettingChange<'a> {
    /// Sets the key.
    Update(Item<'a>),
    /// Removes the key; the item has no value.
    Remove(Item<'a>),
}

/// One call of `log`.
#[derive(Debug, Clone)]
pub struct HistoryRecord<'a> {
    /// Keys and values in the order of the record, which means nothing: the SDK writes them from a hash map.
    pub items: Vec<Item<'a>>,
    /// The record's own step, where it has one.
    pub step: Option<i64>,
}

/// System metrics at one moment.
#[derive(Debug, Clone)]
pub struct StatsRecord<'a> {
    /// Unix seconds, NaN where missing.
    pub time: f64,
    /// Metrics.
    pub items: Vec<Item<'a>>,
}

/// A `define_metric` rule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MetricRecord {
    /// Name, or a pattern that ends in `*`.
    pub name: String,
    /// The metric that gives its steps.
    pub step_metric: Option<String>,
    /// `Some(true)` when more is better.
    pub maximise: Option<bool>,
}

/// An artifact that the run published. Its version is the server's to give.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArtifactRecord {
    /// Name without a version, such as `model-x`.
    pub name: String,
    /// Type, such as `model`.
    pub kind: String,
    /// Other names of this version, such as `latest`.
    pub aliases: Vec<String>,
    /// Bytes of its files; `None` where the record does not list them.
    pub bytes: Option<u64>,
}

/// What the run says of itself. Empty where it does not.
#[derive(Debug, Clone, Default)]
pub struct RunRecord<'a> {
    /// Run id.
    pub id: String,
    /// User or team.
    pub entity: String,
    /// Project.
    pub project: String,
    /// Group.
    pub group: String,
    /// Job type.
    pub job_type: String,
    /// Name to show.
    pub display_name: String,
    /// Notes.
    pub notes: String,
    /// Tags.
    pub tags: Vec<String>,
    /// Sweep id.
    pub sweep: String,
    /// Host.
    pub host: String,
    /// Unix seconds.
    pub started_at: Option<f64>,
    /// The config that the run started with.
    pub config: Vec<SettingChange<'a>>,
}

/// Reads one record and tells the visitor. Record types that say nothing about a run are passed over.
pub(crate) fn visit(record: &[u8], visitor: &mut impl Visitor) -> Result<(), Malformed> {
    let mut fields = Fields::of(record);
    while let Some((field, payload)) = fields.next()? {
        let Payload::Bytes(message) = payload else { continue };
        match field {
            2 => history(message, visitor)?,
            3 => changes(message, &mut |change| visitor.summary(&change))?,
            4 | 13 => output(message, visitor)?,
            5 => changes(message, &mut |change| visitor.config(&change))?,
            7 => stats(message, visitor)?,
            8 => visitor.artifact(&artifact(message)?),
            12 => visitor.metric(&metric(message)?),
            17 => visitor.run(&run(message)?),
            18 => visitor.exit(exit_code(message)?),
            _ => {}
        }
    }
    Ok(())
}

fn history(message: &[u8], visitor: &mut impl Visitor) -> Result<(), Malformed> {
    let mut row = HistoryRecord { items: Vec::with_capacity(16), step: None };
    let mut fields = Fields::of(message);
    while let Some(field) = fields.next()? {
        match field {
            (1, Payload::Bytes(item)) => match Item::read(item) {
                Ok(item) => row.items.push(item),
                Err(Malformed) => visitor.malformed(),
            },
            (2, Payload::Bytes(step)) => row.step = Some(first_varint(step)? as i64),
            _ => {}
        }
    }
    visitor.history(&row);
    Ok(())
}

fn changes<'a>(message: &'a [u8], each: &mut impl FnMut(SettingChange<'a>)) -> Result<(), Malformed> {
    let mut fields = Fields::of(message);
    while let Some(field) = fields.next()? {
        match field {
            (1, Payload::Bytes(item)) => each(SettingChange::Update(Item::read(item)?)),
            (2, Payload::Bytes(item)) => each(SettingChange::Remove(Item::read(item)?)),
            _ => {}
        }
    }
    Ok(())
}

fn stats(message: &[u8], visitor: &mut impl Visitor) -> Result<(), Malformed> {
    let mut record = StatsRecord { time: f64::NAN, items: Vec::with_capacity(16) };
    let mut fields = Fields::of(message);
    while let Some(field) = fields.next()? {
        match field {
            (2, Payload::Bytes(time)) => record.time = timestamp(time)?,
            (3, Payload::Bytes(item)) => record.items.push(Item::read(item)?),
            _ => {}
        }
    }
    visitor.stats(&record);
    Ok(())
}

fn output(message: &[u8], visitor: &mut impl Visitor) -> Result<(), Malformed> {
    let mut fields = Fields::of(message);
    let (mut stream, mut line): (_, &[u8]) = (Stream::Error, b"");
    while let Some(field) = fields.next()? {
        match field {
            (1, Payload::Varint(1)) => stream = Stream::Out,
            (3, Payload::Bytes(bytes)) => line = bytes,
            _ => {}
        }
    }
    visitor.output(stream, line);
    Ok(())
}

fn metric(message: &[u8]) -> Result<MetricRecord, Malformed> {
    let mut record = MetricRecord::default();
    let mut fields = Fields::of(message);
    while let Some(field) = fields.next()? {
        match field {
            (1 | 2, Payload::Bytes(name)) if !name.is_empty() => record.name = text(name),
            (4, Payload::Bytes(name)) if !name.is_empty() => record.step_metric = Some(text(name)),
            (8, Payload::Varint(1)) => record.maximise = Some(false),
            (8, Payload::Varint(2)) => record.maximise = Some(true),
            _ => {}
        }
    }
    Ok(record)
}

fn artifact(message: &[u8]) -> Result<ArtifactRecord, Malformed> {
    let mut record = ArtifactRecord::default();
    let mut fields = Fields::of(message);
    while let Some((field, payload)) = fields.next()? {
        let Payload::Bytes(bytes) = payload else { continue };
        match field {
            4 => record.kind = text(bytes),
            5 => record.name = text(bytes),
            11 => record.aliases.push(text(bytes)),
            12 => record.bytes = manifest_bytes(bytes)?,
            _ => {}
        }
    }
    Ok(record)
}

/// Bytes of the files that a manifest lists; `None` where it lists none, because a long list is in a file of its own.
fn manifest_bytes(message: &[u8]) -> Result<Option<u64>, Malformed> {
    let mut fields = Fields::of(message);
    let mut total = None;
    while let Some(field) = fields.next()? {
        if let (4, Payload::Bytes(entry)) = field {
            total = Some(u64::saturating_add(total.unwrap_or(0), varint(entry, 4)?));
        }
    }
    Ok(total)
}

fn run(message: &[u8]) -> Result<RunRecord<'_>, Malformed> {
    let mut record = RunRecord::default();
    let mut fields = Fields::of(message);
    while let Some((field, payload)) = fields.next()? {
        let Payload::Bytes(bytes) = payload else { continue };
        match field {
            1 => record.id = text(bytes),
            2 => record.entity = text(bytes),
            3 => record.project = text(bytes),
            4 => changes(bytes, &mut |change| record.config.push(change))?,
            6 => record.group = text(bytes),
            7 => record.job_type = text(bytes),
            8 => record.display_name = text(bytes),
            9 => record.notes = text(bytes),
            10 => record.tags.push(text(bytes)),
            12 => record.sweep = text(bytes),
            13 => record.host = text(bytes),
            17 => record.started_at = Some(timestamp(bytes)?),
            _ => {}
        }
    }
    Ok(record)
}

fn exit_code(message: &[u8]) -> Result<i32, Malformed> {
    // An int32 that is negative is written as its 64-bit two's complement.
    Ok(first_varint(message)? as i32)
}

/// Field 1 of a message as an integer.
fn first_varint(message: &[u8]) -> Result<u64, Malformed> {
    varint(message, 1)
}

/// A field of a message as an integer: 0 where it is absent, which is how protobuf writes a 0.
fn varint(message: &[u8], wanted: u32) -> Result<u64, Malformed> {
    let mut fields = Fields::of(message);
    let mut found = 0;
    while let Some((field, payload)) = fields.next()? {
        if let Payload::Varint(value) = payload
            && field == wanted
        {
            found = value;
        }
    }
    Ok(found)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_items_path_is_nested_or_plain() {
        let plain = Item::read(b"\x0a\x04loss\x82\x01\x030.5").unwrap();
        assert_eq!((plain.path(), plain.json()), (vec!["loss".to_owned()], Some(Json::Number(0.5))));
        let nested = Item::read(b"\x12\x01a\x12\x03b.c\x82\x01\x04true").unwrap();
        assert_eq!((nested.path(), nested.json()), (vec!["a".into(), "b.c".into()], Some(Json::Bool(true))));
        let reversed = Item::read(b"\x82\x01\x011\x12\x01a").unwrap();
        assert_eq!(reversed.path(), ["a"]);
        let removed = Item::read(b"\x12\x01a").unwrap();
        assert_eq!((removed.path(), removed.json()), (vec!["a".to_owned()], None));
    }

    #[test]
    fn a_zero_exit_code_is_not_written() {
        assert_eq!(exit_code(b"\x10\x24"), Ok(0));
        assert_eq!(exit_code(b"\x08\x01"), Ok(1));
        assert_eq!(exit_code(b"\x08\xf7\xff\xff\xff\xff\xff\xff\xff\xff\x01"), Ok(-9));
    }

    #[test]
    fn an_artifact_has_the_size_of_its_files() {
        // Two files, of 300 and 5 bytes.
        let files = b"\x62\x0c\x22\x06\x0a\x01a\x20\xac\x02\x22\x02\x20\x05";
        let record = [&b"\x22\x05model\x2a\x01m\x5a\x06latest\x5a\x02v9"[..], files].concat();
        let artifact = artifact(&record).unwrap();
        assert_eq!((artifact.name.as_str(), artifact.kind.as_str(), artifact.bytes), ("m", "model", Some(305)));
        assert_eq!(artifact.aliases, ["latest", "v9"]);
        assert_eq!(super::artifact(b"\x2a\x01m").unwrap().bytes, None);
    }

    #[test]
    fn metric_rules_name_their_step() {
        let rule = metric(b"\x12\x07train/*\x22\x04step\x40\x02").unwrap();
        assert_eq!(
            (rule.name.as_str(), rule.step_metric.as_deref(), rule.maximise),
            ("train/*", Some("step"), Some(true))
        );
    }
}
