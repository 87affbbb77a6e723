//! What a media dictionary of W&B says: histograms and tables. Images, videos and the rest are passed over.

use crate::syntax::json::Json;
use rundown_run::{Histogram, Run, TableFile};

/// More bins than any histogram has that a person looks at (wandb's own limit is 512).
const MAX_BINS: f64 = 4096.0;

/// Adds the media that `value` (an object with a `_type`) describes to the run.
pub fn add(run: &mut Run, key: &str, row: u32, value: &Json) {
    match value.text_at("_type") {
        Some("histogram") => {
            if let Some(histogram) = histogram(value, row) {
                run.histograms.entry(key.to_owned()).or_default().push(histogram);
            }
        }
        Some("table-file") => {
            if let Some(path) = value.text_at("path") {
                let rows = value.metric_at("nrows").filter(|rows| *rows >= 0.0).map(|rows| rows as u64);
                run.tables.push(TableFile { key: key.to_owned(), row, path: path.to_owned(), rows, content: None });
            }
        }
        _ => {}
    }
}

/// A histogram, whose edges are written as `bins` or, by newer clients, as `packedBins`.
fn histogram(value: &Json, row: u32) -> Option<Histogram> {
    let counts = numbers(value.get("values")?)?;
    let edges = match (value.get("bins"), value.get("packedBins")) {
        (Some(bins), _) => numbers(bins)?,
        (None, Some(packed)) => {
            packed_edges(packed.metric_at("min")?, packed.metric_at("size")?, packed.metric_at("count")?)?
        }
        (None, None) => return None,
    };
    Histogram::checked(row, edges, counts)
}

/// The edges of `count` bins of one size.
pub(crate) fn packed_edges(min: f64, size: f64, count: f64) -> Option<Vec<f64>> {
    (0.0..=MAX_BINS).contains(&count).then(|| (0..=count as u32).map(|index| min + f64::from(index) * size).collect())
}

fn numbers(list: &Json) -> Option<Vec<f64>> {
    match list {
        Json::List(values) => values.iter().map(Json::metric).collect(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Run {
        let mut run = Run::default();
        add(&mut run, "h", 3, &Json::parse(text.as_bytes()).unwrap());
        run
    }

    #[test]
    fn bins_are_plain_or_packed() {
        let plain = read(r#"{"_type":"histogram","values":[1,2],"bins":[0,0.5,1]}"#);
        let packed = read(r#"{"_type":"histogram","values":[1,2],"packedBins":{"min":0,"size":0.5,"count":2}}"#);
        assert_eq!(plain.histograms, packed.histograms);
        let [histogram] = &plain.histograms["h"][..] else { panic!() };
        assert_eq!((histogram.row, &histogram.edges[..]), (3, &[0.0, 0.5, 1.0][..]));
    }

    #[test]
    fn what_does_not_fit_together_is_no_histogram() {
        for broken in [
            r#"{"_type":"histogram","values":[1,2],"bins":[0,1]}"#,
            r#"{"_type":"histogram","values":[1],"bins":[1,0]}"#,
            r#"{"_type":"histogram","values":[1],"packedBins":{"min":0,"size":1,"count":1e300}}"#,
            r#"{"_type":"histogram","values":[]}"#,
            r#"{"_type":"image-file","path":"x.png"}"#,
        ] {
            assert_eq!(read(broken), Run::default(), "{broken}");
        }
    }

    #[test]
    fn a_table_names_its_file() {
        let run = read(r#"{"_type":"table-file","path":"media/table/t.table.json","nrows":3,"ncols":2}"#);
        let table = TableFile {
            key: "h".into(),
            row: 3,
            path: "media/table/t.table.json".into(),
            rows: Some(3),
            content: None,
        };
        assert_eq!(run.tables, [table]);
    }
}
