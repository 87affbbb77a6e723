//! What one event says: numbers, histograms, settings, or that a session began.
//!
//! Only the first event of a tag carries the tag's metadata, so the plugin of each tag is remembered.

use prost::{DecodeError, Message};
use rustc_hash::FxHashMap;

use super::messages::{
    EventMessage, HistogramMessage, HyperparametersMessage, SessionStatus, SummaryValueMessage, ValueKind,
};
use rundown_run::{ConfigValue, Histogram};

/// Most buckets of a histogram that is kept.
const MAX_BUCKETS: usize = 4096;

/// What an event brings.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum EventItem<'a> {
    /// A session begins at this event's step: what a killed one logged from there on counts no more.
    Start,
    Scalar(&'a str, f64),
    /// Its row is not known yet.
    Histogram(&'a str, Histogram),
    /// Text, as the user wrote it.
    Text(&'a str, &'a [u8]),
    /// A hyperparameter.
    Setting(String, ConfigValue),
}

/// Plugins of the tags seen so far.
pub(super) type Plugins = FxHashMap<String, Plugin>;

/// The TensorBoard plugin that shows a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plugin {
    Scalars,
    Histograms,
    Text,
    Other,
}

/// Reads a record and passes each thing in it to `sink`, with the event's step and its time in Unix seconds.
///
/// # Errors
/// Where the record, or the message of a plugin in it, is no valid protobuf message.
pub(super) fn visit(
    record: &[u8],
    plugins: &mut Plugins,
    sink: &mut dyn FnMut(i64, f64, EventItem<'_>),
) -> Result<(), DecodeError> {
    let EventMessage { wall_time, step, summary, session_log } = EventMessage::decode(record)?;
    let time = wall_time.unwrap_or(f64::NAN);
    if session_log.is_some_and(|log| log.status() == SessionStatus::Start) {
        sink(step, time, EventItem::Start);
    }
    for value in summary.into_iter().flat_map(|summary| summary.values) {
        visit_value(value, plugins, &mut |item| sink(step, time, item))?;
    }
    Ok(())
}

fn visit_value(
    value: SummaryValueMessage,
    plugins: &mut Plugins,
    sink: &mut dyn FnMut(EventItem<'_>),
) -> Result<(), DecodeError> {
    let SummaryValueMessage { tag, simple_value, histogram, tensor, metadata } = value;
    if let Some(data) = metadata.and_then(|metadata| metadata.plugin_data) {
        let plugin = match data.plugin_name.as_str() {
            "hparams" => return hyperparameters(&data.content, sink),
            "scalars" => Some(Plugin::Scalars),
            "histograms" => Some(Plugin::Histograms),
            "text" => Some(Plugin::Text),
            "" => None,
            _ => Some(Plugin::Other),
        };
        if let Some(plugin) = plugin {
            plugins.entry(tag.clone()).or_insert(plugin);
        }
    }
    if let Some(value) = simple_value {
        sink(EventItem::Scalar(&tag, f64::from(value)));
    }
    if let Some(histogram) = histogram.and_then(buckets) {
        sink(EventItem::Histogram(&tag, histogram));
    }
    let Some(tensor) = tensor else { return Ok(()) };
    match plugins.get(&tag) {
        Some(Plugin::Scalars) | None if tensor.is_scalar() => {
            if let Some(value) = tensor.numbers().and_then(|numbers| numbers.first().copied()) {
                sink(EventItem::Scalar(&tag, value));
            }
        }
        Some(Plugin::Histograms) => {
            if let Some(histogram) = tensor.numbers().as_deref().and_then(triples) {
                sink(EventItem::Histogram(&tag, histogram));
            }
        }
        Some(Plugin::Text) => tensor.string_values.iter().for_each(|text| sink(EventItem::Text(&tag, text))),
        _ => {}
    }
    Ok(())
}

/// A histogram that holds right edges and counts, the least and the greatest value.
fn buckets(histogram: HistogramMessage) -> Option<Histogram> {
    let HistogramMessage { min, max, bucket_limits, buckets } = histogram;
    let first = bucket_limits.first().copied()?;
    // The outermost buckets are open: the least and the greatest value close them.
    let mut edges = vec![if min <= first { min } else { first }];
    edges.extend(bucket_limits);
    if let [.., inner, last] = edges.as_mut_slice()
        && *last > max
        && max >= *inner
    {
        *last = max;
    }
    valid(edges, buckets)
}

/// A histogram as a tensor: left edge, right edge and count of each bucket.
fn triples(numbers: &[f64]) -> Option<Histogram> {
    let buckets = numbers.as_chunks::<3>().0;
    let mut edges: Vec<f64> = buckets.iter().map(|[left, _, _]| *left).collect();
    edges.extend(buckets.last().map(|[_, right, _]| *right));
    valid(edges, buckets.iter().map(|[_, _, count]| *count).collect())
}

fn valid(edges: Vec<f64>, counts: Vec<f64>) -> Option<Histogram> {
    if counts.len() > MAX_BUCKETS { None } else { Histogram::checked(0, edges, counts) }
}

/// The hyperparameters with which a session began.
fn hyperparameters(content: &[u8], sink: &mut dyn FnMut(EventItem<'_>)) -> Result<(), DecodeError> {
    let start = HyperparametersMessage::decode(content)?.session_start;
    for (key, value) in start.into_iter().flat_map(|start| start.hyperparameters) {
        let value = match value.kind {
            Some(ValueKind::Null(_)) => ConfigValue::Null,
            Some(ValueKind::Number(number)) => ConfigValue::Number(number),
            Some(ValueKind::Text(text)) => ConfigValue::Text(text),
            Some(ValueKind::Bool(value)) => ConfigValue::Bool(value),
            None => continue,
        };
        sink(EventItem::Setting(key, value));
    }
    Ok(())
}
