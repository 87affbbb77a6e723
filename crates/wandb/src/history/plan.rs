//! Which requests bring a run's history: the cheapest ones that lose nothing.
//!
//! W&B's own `history()` gives 500 rows at random, and only rows that hold all keys. Therefore one metric a spec, with
//! room for every row that `historyKeys` counts: the server samples only when there are more rows than asked for, so
//! that an answer with fewer is whole. Long metrics are cut into ranges of steps. Only where that would be too much
//! comes what is not exact: buckets with least, mean and greatest value, in which a spike still shows.

use std::collections::{BTreeSet, VecDeque};

use super::super::decode::{HistoryKeys, KeyInfo, RunFacts, ValueKind};

/// Specs of one request. Servers limit the time in their database, and the web app sends about as many.
const MAX_SPECS: usize = 20;
/// Rows that one spec may bring. Above it the metric is cut into ranges.
pub(crate) const SPEC_ROWS: u64 = 5_000;
/// Rows that one request may bring, so that no answer is larger than a few megabytes.
const REQUEST_ROWS: u64 = 20_000;
/// Room for rows that a running run adds meanwhile.
const SLACK: u64 = 64;
/// Points of a run up to which every metric is fetched exactly: twenty full requests.
const EXACT_POINTS: u64 = 400_000;
/// In a larger run, points of a metric above which it comes in buckets.
const LONG_METRIC: u64 = 10_000;
/// What a histogram weighs in rows: 64 counts and as many edges.
const HISTOGRAM_WEIGHT: u64 = 40;
/// Buckets of a long metric.
pub(crate) const BUCKETS: u64 = 2_000;
/// Steps of a page of whole rows.
pub(crate) const PAGE_STEPS: i64 = 1_000;

/// The end of a range that has none: the largest integer that JSON readers keep, as the web app sends it.
pub(crate) const OPEN_END: i64 = (1 << 53) - 1;

/// The key of the row times: its spec brings every row, also those without any metric that is wanted.
pub(crate) const TIME_KEY: &str = "_timestamp";

/// Rows that a page asks for: one more than it can have, so that fewer mean all.
pub(crate) fn page_samples(steps: i64) -> i64 {
    steps.min(10 * PAGE_STEPS) + 1
}

/// One request, or the one after which the next is known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum HistoryRequest {
    /// Metrics, one a spec.
    Sampled(Vec<Spec>),
    /// Long metrics in buckets.
    Bucketed(Vec<String>),
    /// All keys of the rows from a step on.
    Page { from: i64, steps: i64 },
    /// The addresses of the Parquet files.
    ParquetList,
    /// One of them.
    ParquetFile(String),
    /// Metrics of the machine.
    System,
    /// Console lines.
    Console(u32),
}

/// One metric over a range of steps, both ends included.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spec {
    pub(crate) key: String,
    pub(crate) range: Option<(i64, i64)>,
    pub(crate) samples: u64,
    /// Rows expected, for splitting.
    pub(crate) weight: u64,
}

impl Spec {
    /// As the server reads it.
    pub(crate) fn to_json(&self) -> String {
        let mut spec = serde_json::json!({ "keys": ["_step", self.key], "samples": self.samples });
        if let (Some((min, max)), serde_json::Value::Object(members)) = (self.range, &mut spec) {
            members.insert("minStep".to_owned(), min.into());
            members.insert("maxStep".to_owned(), max.into());
        }
        spec.to_string()
    }

    /// The two halves of a range of which not every row came.
    pub(crate) fn halves(&self, last_step: i64) -> Option<[Spec; 2]> {
        let (min, max) = self.range.unwrap_or((0, last_step));
        if min >= max {
            return None;
        }
        let middle = min + (max - min) / 2;
        let half = |range| Spec { range: Some(range), weight: self.weight.div_ceil(2), ..self.clone() };
        Some([half((min, middle)), half((middle + 1, max))])
    }
}

/// How the history of a run comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Every row of each wanted metric.
    Exact,
    /// Long metrics in buckets, the others exactly.
    Buckets,
    /// From the server's Parquet export.
    Parquet,
    /// Page by page with all keys, for servers that do not count keys.
    Pages,
}

/// Metrics of the machine are asked for with this many samples.
pub(crate) const SYSTEM_SAMPLES: u64 = 2_000;

/// Chooses the strategy and lists the requests for the keys that `is_wanted` names.
pub(crate) fn plan(
    facts: &RunFacts,
    is_wanted: &dyn Fn(&str) -> bool,
    can_parquet: bool,
) -> (Strategy, VecDeque<HistoryRequest>) {
    let Some(keys) = &facts.keys else {
        return (Strategy::Pages, VecDeque::from([HistoryRequest::Page { from: 0, steps: PAGE_STEPS }]));
    };
    let wanted = wanted(keys, is_wanted);
    let points: u64 = wanted.iter().map(|(_, info)| info.count).sum();
    if points <= EXACT_POINTS {
        return (Strategy::Exact, batches(specs(&wanted, facts, None)));
    }
    if can_parquet {
        return (Strategy::Parquet, VecDeque::from([HistoryRequest::ParquetList]));
    }
    let (long, short): (Vec<_>, Vec<_>) =
        wanted.into_iter().partition(|(_, info)| info.count > LONG_METRIC && info.kind == ValueKind::Value);
    let mut work = batches(specs(&short, facts, None));
    let long: Vec<String> = long.into_iter().map(|(key, _)| key).filter(|key| key != TIME_KEY).collect();
    work.extend(long.chunks(MAX_SPECS / 2).map(|keys| HistoryRequest::Bucketed(keys.to_vec())));
    (Strategy::Buckets, work)
}

/// Exact requests for some keys, from a step on where one is given.
pub(crate) fn exact(facts: &RunFacts, is_wanted: &dyn Fn(&str) -> bool, from: Option<i64>) -> VecDeque<HistoryRequest> {
    let Some(keys) = &facts.keys else {
        return VecDeque::from([HistoryRequest::Page { from: from.unwrap_or(0), steps: PAGE_STEPS }]);
    };
    batches(specs(&wanted(keys, is_wanted), facts, from))
}

/// Number of metrics that `is_wanted` leaves out.
pub(crate) fn left_out(keys: &HistoryKeys, is_wanted: &dyn Fn(&str) -> bool) -> u64 {
    (wanted(keys, &|_| true).len() - wanted(keys, is_wanted).len()) as u64
}

/// Number of metrics that requests would bring; of a page or a file, which holds any number, one.
pub(crate) fn metrics_in(queue: &VecDeque<HistoryRequest>) -> u64 {
    let mut keys: BTreeSet<&str> = BTreeSet::new();
    let mut others = 0;
    for work in queue {
        match work {
            HistoryRequest::Sampled(specs) => keys.extend(specs.iter().map(|spec| spec.key.as_str())),
            HistoryRequest::Bucketed(list) => keys.extend(list.iter().map(String::as_str)),
            _ => others += 1,
        }
    }
    others + keys.len() as u64
}

/// The requests without those for the times of rows, for a run that has them.
pub(crate) fn without_times(work: VecDeque<HistoryRequest>) -> impl Iterator<Item = HistoryRequest> {
    work.into_iter().filter_map(|work| match work {
        HistoryRequest::Sampled(mut specs) => {
            specs.retain(|spec| spec.key != TIME_KEY);
            (!specs.is_empty()).then_some(HistoryRequest::Sampled(specs))
        }
        other => Some(other),
    })
}

fn wanted(keys: &HistoryKeys, is_wanted: &dyn Fn(&str) -> bool) -> Vec<(String, KeyInfo)> {
    let is_internal = |key: &str| matches!(key, "_step" | "_runtime" | "_timestamp") || key.starts_with("_wandb");
    let rows = keys.keys.values().map(|info| info.count).max().unwrap_or(0);
    let count = keys.keys.get(TIME_KEY).map_or(rows, |info| info.count);
    let time = (TIME_KEY.to_owned(), KeyInfo { count, kind: ValueKind::Value });
    let metrics = keys.keys.iter().filter(|(key, info)| !is_internal(key) && info.count > 0 && is_wanted(key));
    let metrics = metrics.filter(|(_, info)| info.kind != ValueKind::Passed).map(|(key, info)| (key.clone(), *info));
    std::iter::once(time).filter(|(_, info)| info.count > 0).chain(metrics).collect()
}

fn specs(wanted: &[(String, KeyInfo)], facts: &RunFacts, from: Option<i64>) -> Vec<Spec> {
    let last = facts.last_step.filter(|step| *step >= 0.0).map_or(OPEN_END, |step| step as i64);
    let mut specs = Vec::new();
    for (key, info) in wanted {
        let per_row = if info.kind == ValueKind::Histogram { HISTOGRAM_WEIGHT } else { 1 };
        let parts = (info.count * per_row).div_ceil(SPEC_ROWS - SLACK).max(1);
        let weight = (info.count * per_row).div_ceil(parts);
        if let Some(from) = from {
            // How many rows are new is not known: a full spec, which is split when it is not enough.
            specs.push(Spec { key: key.clone(), range: Some((from, OPEN_END)), samples: SPEC_ROWS, weight: 500 });
            continue;
        }
        if parts == 1 || last >= OPEN_END {
            specs.push(Spec { key: key.clone(), range: None, samples: info.count + SLACK, weight });
            continue;
        }
        let width = (last + 1) / parts as i64 + 1;
        for part in 0..parts as i64 {
            // The last range is open: a running run goes on meanwhile.
            let end = if part + 1 == parts as i64 { OPEN_END } else { (part + 1) * width - 1 };
            specs.push(Spec { key: key.clone(), range: Some((part * width, end)), samples: SPEC_ROWS, weight });
        }
    }
    specs
}

/// Puts specs together to requests, in their order.
pub(crate) fn batches(specs: Vec<Spec>) -> VecDeque<HistoryRequest> {
    let mut work = VecDeque::new();
    let mut batch: Vec<Spec> = Vec::new();
    let mut rows = 0;
    for spec in specs {
        if !batch.is_empty() && (batch.len() >= MAX_SPECS || rows + spec.weight > REQUEST_ROWS) {
            work.push_back(HistoryRequest::Sampled(std::mem::take(&mut batch)));
            rows = 0;
        }
        rows += spec.weight;
        batch.push(spec);
    }
    if !batch.is_empty() {
        work.push_back(HistoryRequest::Sampled(batch));
    }
    work
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(keys: &[(&str, u64, ValueKind)], last_step: f64) -> RunFacts {
        let keys = keys.iter().map(|(key, count, kind)| ((*key).to_owned(), KeyInfo { count: *count, kind: *kind }));
        let keys = HistoryKeys { keys: keys.collect(), last_step: Some(last_step) };
        RunFacts { keys: Some(keys), last_step: Some(last_step), ..RunFacts::default() }
    }

    fn all_specs(work: VecDeque<HistoryRequest>) -> Vec<Spec> {
        let specs = work.into_iter().flat_map(|work| match work {
            HistoryRequest::Sampled(specs) => specs,
            _ => Vec::new(),
        });
        specs.collect()
    }

    #[test]
    fn each_metric_has_a_spec_with_room_for_all_its_rows() {
        let facts = facts(
            &[
                ("_step", 100, ValueKind::Value),
                ("_timestamp", 100, ValueKind::Value),
                ("img", 5, ValueKind::Passed),
                ("kl", 50, ValueKind::Value),
                ("unwanted", 9, ValueKind::Value),
            ],
            99.0,
        );
        let (strategy, work) = plan(&facts, &|key| key != "unwanted", false);
        let specs = all_specs(work);
        assert_eq!(strategy, Strategy::Exact);
        let keys: Vec<_> = specs.iter().map(|spec| (spec.key.as_str(), spec.samples > 50)).collect();
        assert_eq!(keys, [("_timestamp", true), ("kl", true)]);
        assert_eq!(specs[1].to_json(), r#"{"keys":["_step","kl"],"samples":114}"#);
    }

    #[test]
    fn long_metrics_are_cut_into_ranges_without_a_gap() {
        let (_, work) = plan(&facts(&[("loss", 30_000, ValueKind::Value)], 299_999.0), &|_| true, false);
        assert!(work.len() >= 2);
        let specs = all_specs(work);
        let mut next = 0;
        for spec in specs.iter().filter(|spec| spec.key == "loss") {
            let (min, max) = spec.range.unwrap();
            assert_eq!(min, next);
            next = max + 1;
        }
        assert!(next > 299_999);
    }

    #[test]
    fn requests_are_bounded() {
        let keys: Vec<String> = (0..500).map(|index| format!("k{index}")).collect();
        let keys: Vec<_> = keys.iter().map(|key| (key.as_str(), 600, ValueKind::Value)).collect();
        let (_, work) = plan(&facts(&keys, 600.0), &|_| true, false);
        for work in &work {
            let HistoryRequest::Sampled(specs) = work else { panic!() };
            let rows: u64 = specs.iter().map(|spec| spec.weight).sum();
            assert!(specs.len() <= MAX_SPECS && rows <= REQUEST_ROWS);
        }
        assert_eq!(all_specs(work).len(), 501);
    }

    #[test]
    fn very_long_runs_come_as_buckets_or_parquet() {
        let facts = facts(&[("loss", 900_000, ValueKind::Value), ("eval", 90, ValueKind::Value)], 1e6);
        let (strategy, work) = plan(&facts, &|_| true, false);
        assert_eq!(strategy, Strategy::Buckets);
        assert_eq!(work.back(), Some(&HistoryRequest::Bucketed(vec!["loss".to_owned()])));
        assert_eq!(all_specs(work)[0].key, "eval");
        assert_eq!(plan(&facts, &|_| true, true), (Strategy::Parquet, VecDeque::from([HistoryRequest::ParquetList])));
    }

    #[test]
    fn halves_meet_and_end() {
        let spec = Spec { key: "k".into(), range: Some((0, 9)), samples: 5, weight: 10 };
        let [left, right] = spec.halves(9).unwrap();
        assert_eq!((left.range, right.range), (Some((0, 4)), Some((5, 9))));
        assert!(Spec { range: Some((3, 3)), ..spec }.halves(9).is_none());
    }
}
