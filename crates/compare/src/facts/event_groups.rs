//! How the inference engine and its outcomes differ by adapter, phase, horizon and group, from an event log.

use serde::{Deserialize, Serialize};

use super::Z_95;
use super::curve::MetricPoints;
use super::nullable;
use rundown_format::named_enum;
use rundown_run::{EventLabel, LabelMean, Run};
use rundown_stats as stats;
use rundown_stats::CompactSort as _;

const INPUT: [&str; 1] = ["axiom/inference/input_tokens_per_second"];
/// The engine's figure for output tokens goes before one that may count input as well.
const OUTPUT: [&str; 2] = ["axiom/inference/output_tokens_per_second", "axiom/inference/tokens_per_second"];
const BATCH: [&str; 1] = ["axiom/inference/batch_size"];
const SECONDS: [&str; 1] = ["axiom/inference/total_time_s"];
const MILLISECONDS: [&str; 1] = ["axiom/inference/duration_ms"];
/// Names of a label whose engine figures are kept, those with most requests, and groups whose extraction is, the lowest.
const NAMES: usize = 12;
/// Rates that are kept, the worst of each kind.
const RATES: usize = 8;
/// Fewest events that make a rate worth naming.
const EVENTS: u64 = 20;

/// What the inference engine did: means over its requests.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EngineUse {
    /// Label and name of the requests; `None` for all of them.
    pub of: Option<(EventLabel, String)>,
    /// Requests.
    pub requests: u64,
    /// Input tokens per second of a request.
    pub input_rate: Option<f64>,
    /// Output tokens per second of a request.
    pub output_rate: Option<f64>,
    /// Requests or sequences in a batch.
    pub batch: Option<f64>,
    /// Seconds of a request.
    pub latency_s: Option<f64>,
}

named_enum! {
    serde as_str
    /// What a rate of failures counts.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum FailureKind {
        /// Responses without all of their outputs.
        Extraction = "extraction",
        /// Rollouts that failed.
        Rollouts = "rollouts",
        /// Error events of all events.
        Events = "events",
    }
}

/// A rate of failures of one group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GroupFailures {
    /// What failed.
    pub kind: FailureKind,
    /// Which label.
    pub label: EventLabel,
    /// Its value.
    pub name: String,
    /// Share that failed, 0 to 1.
    #[serde(deserialize_with = "nullable::read")]
    pub share: f64,
    /// 95 % interval (Wilson).
    #[serde(deserialize_with = "nullable::read")]
    pub interval: Option<(f64, f64)>,
    /// Number of events.
    pub count: u64,
}

/// How the responses of one group were extracted, as shares of all of its responses, 0 to 1.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GroupExtraction {
    /// Name of the group.
    pub name: String,
    /// With all outputs.
    pub extracted: f64,
    /// Without any output.
    pub empty: f64,
    /// With a part of the outputs.
    pub partial: f64,
    /// Responses.
    pub count: u64,
}

/// Extraction by group, the lowest share first; empty where no event names a group.
pub(super) fn extraction(run: &Run) -> Vec<GroupExtraction> {
    let mean = |name: &str, key: &str| {
        let own = |mean: &&LabelMean| mean.label == EventLabel::Group && mean.name == name && mean.key == key;
        run.events.means.iter().find(own)
    };
    let of_group = |name: &str| {
        let whole = mean(name, "axiom/extraction/success")?;
        let share = |key| mean(name, key).map_or(0.0, |found| found.mean);
        Some(GroupExtraction {
            name: name.to_owned(),
            extracted: whole.mean,
            empty: share("axiom/extraction/empty"),
            partial: share("axiom/extraction/partial"),
            count: whole.count,
        })
    };
    let mut found: Vec<GroupExtraction> = names(run, EventLabel::Group).into_iter().filter_map(of_group).collect();
    found.compact_sort_by(|a, b| a.extracted.total_cmp(&b.extracted).then_with(|| a.name.cmp(&b.name)));
    found.truncate(NAMES);
    found
}

/// The engine over all requests, then by label; empty where no event measures it.
pub(super) fn engine(run: &Run) -> Vec<EngineUse> {
    let points = |keys: &[&str]| keys.iter().find_map(|key| MetricPoints::by_key(run, key));
    let mean = |keys: &[&str]| points(keys).and_then(|points| stats::mean(&points.values));
    let all = [&INPUT[..], &OUTPUT, &BATCH, &SECONDS, &MILLISECONDS];
    let requests = all.iter().filter_map(|keys| points(keys)).map(|points| points.values.len() as u64).max();
    let Some(requests) = requests else { return Vec::new() };
    let mut found = vec![EngineUse::of_means(None, requests, mean)];
    for label in EventLabel::ALL {
        let mut groups: Vec<EngineUse> =
            names(run, *label).into_iter().filter_map(|name| of_name(run, *label, name)).collect();
        groups.compact_sort_by(|a, b| b.requests.cmp(&a.requests).then_with(|| a.of.cmp(&b.of)));
        groups.truncate(NAMES);
        found.extend(groups);
    }
    found
}

/// The highest rates of failures of each kind over all labels, the worst first; rates of 0 are left out.
pub(super) fn failures(run: &Run) -> Vec<GroupFailures> {
    let mut found = Vec::new();
    for kind in FailureKind::ALL {
        let (key, is_success) = match kind {
            FailureKind::Extraction => ("axiom/extraction/success", true),
            FailureKind::Rollouts => ("axiom/rollout/success", true),
            FailureKind::Events => ("axiom/error/event", false),
        };
        let counted = run.events.means.iter().filter(|mean| mean.key == key && mean.count >= EVENTS);
        let mut rates: Vec<GroupFailures> = counted
            .map(|mean| {
                let share = if is_success { 1.0 - mean.mean } else { mean.mean };
                let count = mean.count as f64;
                let interval = stats::wilson((share * count).clamp(0.0, count), count, Z_95);
                let name = mean.name.clone();
                GroupFailures { kind: *kind, label: mean.label, name, share, interval, count: mean.count }
            })
            .filter(|rate| rate.share > 0.0)
            .collect();
        rates.compact_sort_by(|a, b| {
            b.share.total_cmp(&a.share).then_with(|| (a.label, &a.name).cmp(&(b.label, &b.name)))
        });
        rates.truncate(RATES);
        found.extend(rates);
    }
    found
}

fn names(run: &Run, label: EventLabel) -> Vec<&str> {
    let mut names: Vec<&str> =
        run.events.means.iter().filter(|mean| mean.label == label).map(|mean| mean.name.as_str()).collect();
    names.compact_sort_by_key(|name| *name);
    names.dedup();
    names
}

/// The engine's figures for one name; `None` where none of its events is a request.
fn of_name(run: &Run, label: EventLabel, name: &str) -> Option<EngineUse> {
    let of = |keys: &[&str]| -> Option<&LabelMean> {
        let own = || run.events.means.iter().filter(|mean| mean.label == label && mean.name == name);
        keys.iter().find_map(|key| own().find(|mean| mean.key == *key))
    };
    let all = [&INPUT[..], &OUTPUT, &BATCH, &SECONDS, &MILLISECONDS];
    let requests = all.iter().filter_map(|keys| of(keys)).map(|mean| mean.count).max()?;
    Some(EngineUse::of_means(Some((label, name.to_owned())), requests, |keys| of(keys).map(|mean| mean.mean)))
}

impl EngineUse {
    fn of_means(of: Option<(EventLabel, String)>, requests: u64, mean: impl Fn(&[&str]) -> Option<f64>) -> Self {
        Self {
            of,
            requests,
            input_rate: mean(&INPUT),
            output_rate: mean(&OUTPUT),
            batch: mean(&BATCH),
            latency_s: mean(&SECONDS).or_else(|| mean(&MILLISECONDS).map(|milliseconds| milliseconds / 1000.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(label: EventLabel, name: &str, key: &str, count: u64, mean: f64) -> LabelMean {
        LabelMean { label, name: name.to_owned(), key: key.to_owned(), count, mean }
    }

    #[test]
    fn the_engine_is_counted_in_all_and_by_adapter() {
        let mut run = Run::default();
        for (speed, ms) in [(40.0, 1000.0), (80.0, 3000.0)] {
            let row = run.push_row(0.0, f64::NAN);
            run.push_value("axiom/inference/tokens_per_second", row, speed);
            run.push_value("axiom/inference/duration_ms", row, ms);
        }
        run.choose_axis();
        let output = "axiom/inference/tokens_per_second";
        run.events.means = vec![
            mean(EventLabel::Adapter, "v1", output, 3, 80.0),
            mean(EventLabel::Adapter, "v2", output, 7, 40.0),
            mean(EventLabel::Phase, "spring", "axiom/rollout/success", 9, 1.0),
        ];
        let found = engine(&run);
        assert_eq!((found[0].requests, found[0].output_rate, found[0].latency_s), (2, Some(60.0), Some(2.0)));
        let names: Vec<_> = found.iter().filter_map(|engine| Some(engine.of.as_ref()?.1.as_str())).collect();
        assert_eq!(names, ["v2", "v1"], "most requests first, and no phase without a request");
        assert_eq!(engine(&Run::default()), []);
    }

    #[test]
    fn extraction_is_counted_by_group() {
        let mut run = Run::default();
        run.events.means = vec![
            mean(EventLabel::Group, "russia", "axiom/extraction/success", 200, 1.0),
            mean(EventLabel::Group, "france", "axiom/extraction/success", 200, 0.8),
            mean(EventLabel::Group, "france", "axiom/extraction/partial", 200, 0.2),
            mean(EventLabel::Phase, "fall", "axiom/extraction/success", 100, 0.5),
        ];
        let found: Vec<_> = extraction(&run).into_iter().map(|of| (of.name, of.extracted, of.partial)).collect();
        assert_eq!(found, [("france".to_owned(), 0.8, 0.2), ("russia".to_owned(), 1.0, 0.0)]);
    }

    #[test]
    fn the_worst_groups_lead_and_few_events_are_no_rate() {
        let key = "axiom/extraction/success";
        let mut run = Run::default();
        run.events.means = vec![
            mean(EventLabel::Group, "france", key, 200, 0.8),
            mean(EventLabel::Group, "russia", key, 200, 1.0),
            mean(EventLabel::Phase, "fall", key, 100, 0.5),
            mean(EventLabel::Phase, "winter", key, 3, 0.0),
        ];
        let names: Vec<(String, f64)> =
            failures(&run).into_iter().map(|rate| (rate.name, (100.0 * rate.share).round())).collect();
        assert_eq!(names, [("fall".to_owned(), 50.0), ("france".to_owned(), 20.0)]);
    }
}
