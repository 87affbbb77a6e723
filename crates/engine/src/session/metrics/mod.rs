//! Every metric of some runs, in sections by prefix.

mod equivalents;
mod order;
mod prefixes;
mod row;

use equivalents::equivalents;
use order::ConceptPlaces;
use prefixes::Prefixes;
pub use row::logged_unit;
use rundown_format::counted;
use rundown_protocol::{MetricKind, MetricList, MetricRow, MetricSection};
use rundown_run::{Column, FileFormat, Run, STEP_KEYS};
use rundown_stats::CompactSort as _;
use rundown_vocabulary::Bindings;

/// Name of the section of keys without a prefix.
const NO_PREFIX: &str = "metrics";
/// Name of the last section: what the tracker measured of the machine.
const SYSTEM: &str = "system";
/// Prefix of events of the pipeline, which stand by the clock beside the metrics of the machine.
const EVENTS: &str = "axiom/";

/// Lists the metrics of some runs, each with what its metrics stand for where that is known. Step counters are left out:
/// lines are drawn over them. Runs go by the number, as the page knows them.
pub fn list(runs: &[(u32, &Run, Option<&Bindings>)]) -> MetricList {
    let mut rows: Vec<(&str, MetricRow)> = Vec::new();
    for (_, run, bindings) in runs {
        let before = rows.len();
        let logged = run.columns.iter().filter(|(key, _)| !is_step(run, key));
        rows.extend(logged.map(|(key, column)| (prefix(key), row::numbers(key, column))));
        for (key, column) in clocked(run) {
            let section = if key.starts_with(EVENTS) { prefix(key) } else { SYSTEM };
            rows.push((section, row::numbers(key, column)));
        }
        let histograms = run.histograms.iter();
        rows.extend(histograms.filter_map(|(key, logged)| Some((prefix(key), row::histograms(key, logged)?))));
        rows.iter_mut().skip(before).for_each(|(_, row)| row::explain(row, *bindings));
    }
    let prefixes = Prefixes::of(rows.iter().map(|(prefix, row)| (*prefix, row.key.as_str())));
    rows.iter_mut().for_each(|row| row.0 = prefixes.section(row.0));
    // Numbers by key, then histograms; those of one key in the order of the runs.
    rows.compact_sort_by(|(a_section, a), (b_section, b)| {
        let is_histogram = |row: &MetricRow| row.kind == MetricKind::Histograms;
        (a_section, is_histogram(a), &a.key).cmp(&(b_section, is_histogram(b), &b.key))
    });
    let mut sections: Vec<MetricSection> = Vec::new();
    for (name, row) in rows {
        if sections.last().is_none_or(|section| section.name != name) {
            sections.push(MetricSection { name: name.to_owned(), metrics: Vec::new() });
        }
        let Some(section) = sections.last_mut() else { continue };
        match section.metrics.last_mut().filter(|known| (known.kind, &known.key) == (row.kind, &row.key)) {
            Some(known) => row::join(known, row),
            None => section.metrics.push(row),
        }
    }
    let places = ConceptPlaces::of(runs.iter().filter_map(|(_, _, bindings)| *bindings));
    sections.iter_mut().for_each(|section| places.put_in_order(&mut section.metrics));
    let sections = order::in_order(sections);
    let first = places.first(&sections, runs.len());
    let rest = runs.first().map(|(_, run, _)| rest(run)).unwrap_or_default();
    let equivalents = equivalents(&first, runs);
    MetricList { sections, first, equivalents, rest }
}

fn prefix(key: &str) -> &str {
    key.rsplit_once('/').map_or(NO_PREFIX, |(prefix, _)| prefix)
}

/// True for a counter of steps: the run's axis, a trainer's own counter, or what a `define_metric` rule names.
fn is_step(run: &Run, key: &str) -> bool {
    let is_ruled = || run.metric_rules.iter().any(|rule| rule.step_metric.as_deref() == Some(key));
    key == run.axis.key || key == "_step" || STEP_KEYS.contains(&key) || is_ruled()
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

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::{Histogram, MetricRule};
    use rundown_vocabulary::{Binding, Concept, Direction, Framework, Scale, Unit};

    #[test]
    fn what_a_server_has_besides_is_said_in_words() {
        use rundown_run::{SourceFile, TableFile};
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
        let list = list(&[(0, &run, None)]);
        let names: Vec<&str> = list.sections.iter().map(|section| section.name.as_str()).collect();
        assert_eq!(names, ["train", "metrics"]);
        let length = &list.sections[0].metrics[0];
        assert!(length.last.is_none() && !length.constant);
        assert!(list.sections[1].metrics[0].constant);
    }

    #[test]
    fn histograms_stand_beside_the_numbers_of_their_prefix() {
        let mut run = Run::default();
        let row = run.push_row(0.0, f64::NAN);
        run.push_value("rewards/a_mean", row, 1.0);
        let histogram = |count: f64| Histogram { row, edges: vec![0.0, 1.0], counts: vec![count] };
        run.histograms.insert("rewards/a_hist".to_owned(), vec![histogram(1.0), histogram(0.0)]);
        run.histograms.insert("rewards/empty_hist".to_owned(), vec![histogram(0.0)]);
        let sections = list(&[(0, &run, None)]).sections;
        let rows: Vec<_> = sections[0].metrics.iter().map(|row| (row.key.as_str(), row.kind)).collect();
        assert_eq!(rows, [("rewards/a_mean", MetricKind::Numbers), ("rewards/a_hist", MetricKind::Histograms)]);
    }

    #[test]
    fn the_machine_comes_last_and_its_devices_keep_their_names() {
        let mut run = Run::default();
        for step in 0..3_u32 {
            let row = run.push_row(f64::from(step), 100.0 + f64::from(step));
            run.push_value("train/reward", row, f64::from(step));
            run.push_value("cpu", row, f64::from(step));
        }
        run.system_times = vec![100.0, 101.0];
        for key in ["gpu.0.gpu", "disk./.usageGB", "cpu", "axiom/rollout/duration_s"] {
            let mut column = Column::default();
            (0..2_u32).for_each(|row| column.push(row, f64::from(row)));
            run.system.insert(key.to_owned(), column);
        }
        let of = |run: &Run| -> Vec<(String, Vec<String>)> {
            let keys = |section: &MetricSection| section.metrics.iter().map(|row| row.key.clone()).collect();
            list(&[(0, run, None)]).sections.iter().map(|section| (section.name.clone(), keys(section))).collect()
        };
        let expected = [
            ("train", vec!["train/reward"]),
            ("axiom/rollout", vec!["axiom/rollout/duration_s"]),
            ("metrics", vec!["cpu"]),
            ("system", vec!["disk./.usageGB", "gpu.0.gpu"]),
        ];
        let owned = |(name, keys): (&str, Vec<&str>)| {
            (name.to_owned(), keys.into_iter().map(str::to_owned).collect::<Vec<String>>())
        };
        assert_eq!(of(&run), expected.map(owned));
        run.row_times = vec![f64::NAN; 3];
        assert_eq!(of(&run).len(), 2, "without the times of its rows nothing has a step");
    }

    #[test]
    fn metrics_of_several_runs_are_joined() {
        let run = |keys: &[(&str, [f64; 2])]| {
            let mut run = Run::default();
            for place in 0..2 {
                let row = run.push_row(place as f64, f64::NAN);
                keys.iter().for_each(|(key, values)| run.push_value(key, row, values[place]));
            }
            run
        };
        let first = run(&[("train/kl", [1.0, f64::NAN]), ("train/lr", [0.5, 0.5]), ("train/epoch", [2.0, 2.0])]);
        let second =
            [("train/kl", [9.0, 3.0]), ("train/lr", [0.1, 0.1]), ("train/epoch", [2.0, 2.0]), ("odd", [1.0, 2.0])];
        let second = run(&second);
        let sections = list(&[(0, &first, None), (1, &second, None)]).sections;
        let rows: Vec<&MetricRow> = sections.iter().flat_map(|section| &section.metrics).collect();
        let of = |key: &str| *rows.iter().find(|row| row.key == key).unwrap();
        let kl = of("train/kl");
        assert_eq!((kl.runs, kl.last), (2, Some(1.0)));
        assert_eq!((of("odd").runs, rows.len()), (1, 4));
        assert!(of("train/epoch").constant && !kl.constant);
        assert!(!of("train/lr").constant, "the runs differ in it");
        assert_eq!(list(&[]), MetricList::default());
    }

    #[test]
    fn a_metric_says_what_it_is_and_in_which_unit() {
        let mut run = Run::default();
        let row = run.push_row(0.0, f64::NAN);
        for key in ["kl", "times/step_ms", "plain"] {
            run.push_value(key, row, 1.0);
        }
        let mut bindings = Bindings::new(Framework::Unknown);
        let kl = Binding::unscaled(Concept::KlToReference, "kl", Unit::NatsPerToken, Direction::Neutral);
        let time = Binding::unscaled(Concept::StepTime, "times/step_ms", Unit::Seconds, Direction::Down);
        bindings.push(kl);
        bindings.push(Binding { scale: Scale::Milliseconds, ..time });
        let sections = list(&[(0, &run, Some(&bindings))]).sections;
        let rows = sections.iter().flat_map(|section| &section.metrics);
        let expected: Vec<(&str, &str, &str)> =
            rows.map(|row| (row.key.as_str(), row.unit.as_str(), row.about.as_str())).collect();
        assert_eq!(
            expected,
            [("kl", "nats/token", "KL to the reference"), ("plain", "", ""), ("times/step_ms", "ms", "step time"),]
        );
    }

    #[test]
    fn a_metric_is_never_listed_to_be_drawn_against_itself() {
        let mut run = Run::default();
        for step in 0..3 {
            let row = run.push_row(f64::from(step), f64::NAN);
            for key in ["train/global_step", "rollout/step", "step", "reward"] {
                run.push_value(key, row, f64::from(step));
            }
        }
        let rule = MetricRule { name: "rollout/*".into(), step_metric: Some("rollout/step".into()), maximise: None };
        run.metric_rules.push(rule);
        run.choose_axis();
        let sections = list(&[(0, &run, None)]).sections;
        assert_eq!((sections.len(), sections[0].metrics.len()), (1, 1));
        assert_eq!(sections[0].metrics[0].key, "reward");
    }
}
