//! Every metric of a run, in sections by prefix.

use crate::format::counted;
use std::collections::BTreeMap;

use crate::protocol::{MetricKind, MetricList, MetricRow, MetricSection};
use crate::run::{Column, FileFormat, Histogram, Run};

/// Name of the section of keys without a prefix.
const NO_PREFIX: &str = "metrics";
/// Name of the last section: what the tracker measured of the machine.
const SYSTEM: &str = "system";
/// Prefix of events of the pipeline, which stand by the clock beside the metrics of the machine.
const EVENTS: &str = "axiom/";

/// Lists the metrics of a run. Those of the machine come last.
pub fn list(run: &Run) -> MetricList {
    let mut sections: BTreeMap<&str, Vec<MetricRow>> = BTreeMap::new();
    for (key, column) in &run.columns {
        sections.entry(prefix(key)).or_default().push(row(key, column));
    }
    for (key, column) in clocked(run) {
        let section = if key.starts_with(EVENTS) { prefix(key) } else { SYSTEM };
        sections.entry(section).or_default().push(row(key, column));
    }
    for (key, histograms) in &run.histograms {
        sections.entry(prefix(key)).or_default().extend(histogram_row(key, histograms));
    }
    let system = sections.remove_entry(SYSTEM);
    let sections = sections.into_iter().chain(system);
    let sections = sections.map(|(name, metrics)| MetricSection { name: name.to_owned(), metrics });
    MetricList { sections: sections.collect(), rest: rest(run) }
}

fn prefix(key: &str) -> &str {
    key.rsplit_once('/').map_or(NO_PREFIX, |(prefix, _)| prefix)
}

/// Metrics by the clock that have a place on the step axis: none in a run whose rows have no times. A key that names a
/// metric of the history as well is that one.
fn clocked(run: &Run) -> impl Iterator<Item = (&String, &Column)> {
    let has_times = run.row_times.iter().any(|time| time.is_finite());
    run.system.iter().filter(move |(key, _)| has_times && !run.columns.contains_key(*key))
}

/// What the run's server has besides.
fn rest(run: &Run) -> String {
    if !run.files.iter().any(|file| file.format == FileFormat::WandbApi) {
        return String::new();
    }
    let metrics = (run.unfetched > 0).then(|| counted(run.unfetched as usize, "more metric"));
    let tables = run.tables.iter().filter(|table| table.content.is_none()).count();
    let tables = (run.unlisted && tables > 0).then(|| counted(tables, "table"));
    let list = run.unlisted.then(|| "the list of files".to_owned());
    let parts: Vec<String> = [metrics, tables, list].into_iter().flatten().collect();
    parts.join(", ")
}

/// `None` where no histogram can be drawn.
fn histogram_row(key: &str, histograms: &[Histogram]) -> Option<MetricRow> {
    let points = histograms.iter().filter(|histogram| histogram.extent().is_some()).count() as u64;
    (points > 0).then(|| MetricRow {
        key: key.to_owned(),
        kind: MetricKind::Histograms,
        points,
        nonfinite: 0,
        last: f64::NAN,
        min: f64::NAN,
        max: f64::NAN,
        constant: false,
        runs: 1,
        ..MetricRow::default()
    })
}

fn row(key: &str, column: &Column) -> MetricRow {
    let mut finite = column.values().iter().copied().filter(|value| value.is_finite());
    let first = finite.next();
    let (mut min, mut max, mut last) =
        (first.unwrap_or(f64::NAN), first.unwrap_or(f64::NAN), first.unwrap_or(f64::NAN));
    for value in finite {
        min = min.min(value);
        max = max.max(value);
        last = value;
    }
    let nonfinite = column.nonfinite();
    MetricRow {
        key: key.to_owned(),
        kind: MetricKind::Numbers,
        points: column.len() as u64,
        nonfinite: nonfinite as u64,
        last,
        min,
        max,
        constant: nonfinite == 0 && min == max,
        runs: 1,
        ..MetricRow::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_has_besides_is_said_in_words() {
        use crate::run::{SourceFile, TableFile};
        let mut run = Run { unfetched: 7, unlisted: true, ..Run::default() };
        assert_eq!(rest(&run), "");
        let format = FileFormat::WandbApi;
        run.files.push(SourceFile { path: "e/p/runs/r".into(), format, bytes: 0, crc32: 0 });
        assert_eq!(rest(&run), "7 more metrics, the list of files");
        run.tables.push(TableFile { key: "t".into(), row: 0, path: "p".into(), rows: None, content: None });
        assert_eq!(rest(&run), "7 more metrics, 1 table, the list of files");
        run.unlisted = false;
        assert_eq!(rest(&run), "7 more metrics");
        run.unfetched = 0;
        assert_eq!(rest(&run), "");
    }

    #[test]
    fn keys_are_sorted_into_sections_by_their_prefix() {
        let mut run = Run::default();
        for (key, value) in [("train/reward", 1.0), ("loss", 2.0), ("train/completions/mean_length", f64::NAN)] {
            let row = run.push_row(0.0, f64::NAN);
            run.push_value(key, row, value);
        }
        let list = list(&run);
        let names: Vec<&str> = list.sections.iter().map(|section| section.name.as_str()).collect();
        assert_eq!(names, ["metrics", "train", "train/completions"]);
        let length = &list.sections[2].metrics[0];
        assert!(length.last.is_nan() && length.nonfinite == 1 && !length.constant);
        assert!(list.sections[0].metrics[0].constant);
    }

    #[test]
    fn histograms_stand_beside_the_numbers_of_their_prefix() {
        let mut run = Run::default();
        let row = run.push_row(0.0, f64::NAN);
        run.push_value("rewards/a_mean", row, 1.0);
        let histogram = |count: f64| Histogram { row, edges: vec![0.0, 1.0], counts: vec![count] };
        run.histograms.insert("rewards/a_hist".to_owned(), vec![histogram(1.0), histogram(0.0)]);
        run.histograms.insert("rewards/empty_hist".to_owned(), vec![histogram(0.0)]);
        let sections = list(&run).sections;
        let rows: Vec<_> = sections[0].metrics.iter().map(|row| (row.key.as_str(), row.kind, row.points)).collect();
        assert_eq!(rows, [("rewards/a_mean", MetricKind::Numbers, 1), ("rewards/a_hist", MetricKind::Histograms, 1)]);
    }

    #[test]
    fn the_machine_comes_last_and_its_devices_keep_their_names() {
        let mut run = Run::default();
        for step in 0..3_u32 {
            let row = run.push_row(f64::from(step), 100.0 + f64::from(step));
            run.push_value("train/reward", row, 1.0);
            run.push_value("cpu", row, 1.0);
        }
        run.system_times = vec![100.0, 101.0];
        for key in ["gpu.0.gpu", "disk./.usageGB", "cpu", "axiom/rollout/duration_s"] {
            let mut column = Column::default();
            (0..2_u32).for_each(|row| column.push(row, f64::from(row)));
            run.system.insert(key.to_owned(), column);
        }
        let of = |run: &Run| -> Vec<(String, Vec<String>)> {
            let keys = |section: &MetricSection| section.metrics.iter().map(|row| row.key.clone()).collect();
            list(run).sections.iter().map(|section| (section.name.clone(), keys(section))).collect()
        };
        let expected = [
            ("axiom/rollout", vec!["axiom/rollout/duration_s"]),
            ("metrics", vec!["cpu"]),
            ("train", vec!["train/reward"]),
            ("system", vec!["disk./.usageGB", "gpu.0.gpu"]),
        ];
        let owned = |(name, keys): (&str, Vec<&str>)| {
            (name.to_owned(), keys.into_iter().map(str::to_owned).collect::<Vec<String>>())
        };
        assert_eq!(of(&run), expected.map(owned));
        run.row_times = vec![f64::NAN; 3];
        assert_eq!(of(&run).len(), 2, "without the times of its rows nothing has a step");
    }
}
