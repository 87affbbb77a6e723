//! What one event says: numbers, histograms, settings, or that a session began.
//!
//! Field numbers: tensorflow/core/util/event.proto, summary.proto, histogram.proto and the hparams plugin's
//! plugin_data.proto. Only the first event of a tag carries the tag's metadata.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::tensor::Tensor;
use crate::ingest::syntax::protobuf::{Fields, Malformed, Payload};
use crate::run::ConfigValue;

/// Most buckets of a histogram that is kept.
const MAX_BUCKETS: usize = 4096;

/// What an event brings.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum EventItem<'a> {
    /// A session begins at this event's step: what a killed one logged from there on counts no more.
    Start,
    Scalar(&'a str, f64),
    /// Edges and counts.
    Histogram(&'a str, Vec<f64>, Vec<f64>),
    /// Text, as the user wrote it.
    Text(&'a str, &'a [u8]),
    /// A hyperparameter.
    Setting(String, ConfigValue),
}

/// Edges and counts.
type EventBins = (Vec<f64>, Vec<f64>);

/// Plugins of the tags seen so far.
pub(super) type Plugins = FxHashMap<String, Plugin>;

/// Who reads a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plugin {
    Scalars,
    Histograms,
    Text,
    Other,
}

/// Reads an event and shows each thing in it, with the event's step and its time in Unix seconds.
pub(super) fn visit<'a>(
    message: &'a [u8],
    plugins: &mut Plugins,
    sink: &mut dyn FnMut(i64, f64, EventItem<'a>),
) -> Result<(), Malformed> {
    let (mut time, mut step) = (f64::NAN, 0);
    let mut summaries = Vec::new();
    let mut starts = false;
    let mut fields = Fields::of(message);
    while let Some(field) = fields.next()? {
        match field {
            (1, Payload::Fixed64(bits)) => time = f64::from_bits(bits),
            (2, Payload::Varint(value)) => step = value as i64,
            (5, Payload::Bytes(summary)) => summaries.push(summary),
            (7, Payload::Bytes(session)) => starts |= Fields::of(session).next()? == Some((1, Payload::Varint(1))),
            _ => {}
        }
    }
    if starts {
        sink(step, time, EventItem::Start);
    }
    for summary in summaries {
        let mut fields = Fields::of(summary);
        while let Some(field) = fields.next()? {
            if let (1, Payload::Bytes(value)) = field {
                self::value(value, plugins, &mut |item| sink(step, time, item))?;
            }
        }
    }
    Ok(())
}

/// Reads one value of a summary.
fn value<'a>(message: &'a [u8], plugins: &mut Plugins, sink: &mut dyn FnMut(EventItem<'a>)) -> Result<(), Malformed> {
    let mut tag = "";
    let mut simple = None;
    let (mut histogram, mut tensor, mut metadata) = (None, None, None);
    let mut fields = Fields::of(message);
    while let Some(field) = fields.next()? {
        match field {
            (1, Payload::Bytes(name)) => tag = std::str::from_utf8(name).map_err(|_| Malformed)?,
            (2, Payload::Fixed32(bits)) => simple = Some(f64::from(f32::from_bits(bits))),
            (5, Payload::Bytes(message)) => histogram = Some(message),
            (8, Payload::Bytes(message)) => tensor = Some(message),
            (9, Payload::Bytes(message)) => metadata = Some(message),
            _ => {}
        }
    }
    if let Some((name, content)) = metadata.map(plugin).transpose()? {
        if name == b"hparams" {
            return settings(content, sink);
        }
        let plugin = match name {
            b"scalars" => Plugin::Scalars,
            b"histograms" => Plugin::Histograms,
            b"text" => Plugin::Text,
            b"" => return simple_or(tag, simple, histogram, sink),
            _ => Plugin::Other,
        };
        plugins.entry(tag.to_owned()).or_insert(plugin);
    }
    simple_or(tag, simple, histogram, sink)?;
    let Some(tensor) = tensor.map(Tensor::read).transpose()? else { return Ok(()) };
    match plugins.get(tag) {
        Some(Plugin::Scalars) | None if tensor.is_scalar() => {
            if let Some(value) = tensor.numbers().and_then(|numbers| numbers.first().copied()) {
                sink(EventItem::Scalar(tag, value));
            }
        }
        Some(Plugin::Histograms) => {
            if let Some((edges, counts)) = tensor.numbers().as_deref().and_then(triples) {
                sink(EventItem::Histogram(tag, edges, counts));
            }
        }
        Some(Plugin::Text) => tensor.texts.iter().for_each(|text| sink(EventItem::Text(tag, text))),
        _ => {}
    }
    Ok(())
}

fn simple_or<'a>(
    tag: &'a str,
    simple: Option<f64>,
    histogram: Option<&[u8]>,
    sink: &mut dyn FnMut(EventItem<'a>),
) -> Result<(), Malformed> {
    if let Some(value) = simple {
        sink(EventItem::Scalar(tag, value));
    }
    if let Some((edges, counts)) = histogram.map(buckets).transpose()?.flatten() {
        sink(EventItem::Histogram(tag, edges, counts));
    }
    Ok(())
}

/// Name of the plugin and what it keeps.
fn plugin(metadata: &[u8]) -> Result<(&[u8], &[u8]), Malformed> {
    let (mut name, mut content): (&[u8], &[u8]) = (b"", b"");
    let mut fields = Fields::of(metadata);
    while let Some(field) = fields.next()? {
        let (1, Payload::Bytes(data)) = field else { continue };
        let mut members = Fields::of(data);
        while let Some(member) = members.next()? {
            match member {
                (1, Payload::Bytes(text)) => name = text,
                (2, Payload::Bytes(bytes)) => content = bytes,
                _ => {}
            }
        }
    }
    Ok((name, content))
}

/// The old histogram: right edges and counts, the least and the greatest value.
fn buckets(message: &[u8]) -> Result<Option<EventBins>, Malformed> {
    // What is zero is not written.
    let (mut least, mut greatest) = (0.0, 0.0);
    let (mut limits, mut counts) = (Vec::new(), Vec::new());
    let mut fields = Fields::of(message);
    while let Some((field, payload)) = fields.next()? {
        match (field, payload) {
            (1, Payload::Fixed64(bits)) => least = f64::from_bits(bits),
            (2, Payload::Fixed64(bits)) => greatest = f64::from_bits(bits),
            (6, payload) => doubles(payload, &mut limits),
            (7, payload) => doubles(payload, &mut counts),
            _ => {}
        }
    }
    let Some(first) = limits.first().copied() else { return Ok(None) };
    // The outermost buckets are open: the least and the greatest value close them.
    let mut edges = vec![if least <= first { least } else { first }];
    edges.append(&mut limits);
    let inner = edges.len().checked_sub(2).and_then(|place| edges.get(place)).copied().unwrap_or(first);
    if let Some(last) = edges.last_mut()
        && *last > greatest
        && greatest >= inner
    {
        *last = greatest;
    }
    Ok(sound(edges, counts))
}

fn doubles(payload: Payload<'_>, into: &mut Vec<f64>) {
    match payload {
        Payload::Fixed64(bits) => into.push(f64::from_bits(bits)),
        Payload::Bytes(packed) => {
            into.extend(packed.as_chunks().0.iter().take(MAX_BUCKETS + 1).map(|bytes| f64::from_le_bytes(*bytes)));
        }
        _ => {}
    }
}

/// The new histogram: left edge, right edge and count of each bucket.
fn triples(numbers: &[f64]) -> Option<EventBins> {
    let buckets = numbers.as_chunks::<3>().0;
    let mut edges: Vec<f64> = buckets.iter().map(|[left, _, _]| *left).collect();
    edges.extend(buckets.last().map(|[_, right, _]| *right));
    sound(edges, buckets.iter().map(|[_, _, count]| *count).collect())
}

fn sound(edges: Vec<f64>, counts: Vec<f64>) -> Option<EventBins> {
    let is_sound = !counts.is_empty()
        && counts.len() <= MAX_BUCKETS
        && edges.len() == counts.len() + 1
        && edges.iter().chain(&counts).all(|value| value.is_finite())
        && edges.is_sorted();
    is_sound.then_some((edges, counts))
}

/// The hyperparameters with which a session began.
fn settings<'a>(content: &[u8], sink: &mut dyn FnMut(EventItem<'a>)) -> Result<(), Malformed> {
    let mut found = BTreeMap::new();
    let mut fields = Fields::of(content);
    while let Some(field) = fields.next()? {
        let (3, Payload::Bytes(start)) = field else { continue };
        let mut members = Fields::of(start);
        while let Some(member) = members.next()? {
            let (1, Payload::Bytes(entry)) = member else { continue };
            let (mut key, mut value) = (String::new(), None);
            let mut parts = Fields::of(entry);
            while let Some(part) = parts.next()? {
                match part {
                    (1, Payload::Bytes(name)) => key = String::from_utf8_lossy(name).into_owned(),
                    (2, Payload::Bytes(message)) => value = setting(message)?,
                    _ => {}
                }
            }
            if let Some(value) = value {
                found.insert(key, value);
            }
        }
    }
    found.into_iter().for_each(|(key, value)| sink(EventItem::Setting(key, value)));
    Ok(())
}

/// A `google.protobuf.Value`.
fn setting(message: &[u8]) -> Result<Option<ConfigValue>, Malformed> {
    Ok(Fields::of(message).next()?.and_then(|field| match field {
        (1, _) => Some(ConfigValue::Null),
        (2, Payload::Fixed64(bits)) => Some(ConfigValue::Number(f64::from_bits(bits))),
        (3, Payload::Bytes(text)) => Some(ConfigValue::Text(String::from_utf8_lossy(text).into_owned())),
        (4, Payload::Varint(value)) => Some(ConfigValue::Bool(value != 0)),
        _ => None,
    }))
}
