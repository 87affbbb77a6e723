//! Every metric of a run, in sections by prefix.

use crate::format::counted;
use std::collections::BTreeMap;

use crate::protocol::{MetricList, MetricRow, MetricSection};
use crate::run::{Column, FileFormat, Run};

/// Name of the section of keys without a prefix.
const NO_PREFIX: &str = "metrics";

/// Lists the metrics of a run; `number` is the engine's number for it.
pub fn list(number: u32, run: &Run) -> MetricList {
    let mut sections: BTreeMap<&str, Vec<MetricRow>> = BTreeMap::new();
    for (key, column) in &run.columns {
        let section = key.rsplit_once('/').map_or(NO_PREFIX, |(prefix, _)| prefix);
        sections.entry(section).or_default().push(row(key, column));
    }
    let sections = sections.into_iter().map(|(name, metrics)| MetricSection { name: name.to_owned(), metrics });
    MetricList { run: number, sections: sections.collect(), rest: rest(run) }
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
        points: column.len() as u64,
        nonfinite: nonfinite as u64,
        last,
        min,
        max,
        constant: nonfinite == 0 && min == max,
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
        let list = list(7, &run);
        let names: Vec<&str> = list.sections.iter().map(|section| section.name.as_str()).collect();
        assert_eq!(names, ["metrics", "train", "train/completions"]);
        let length = &list.sections[2].metrics[0];
        assert!(length.last.is_nan() && length.nonfinite == 1 && !length.constant);
        assert!(list.sections[0].metrics[0].constant);
    }
}
