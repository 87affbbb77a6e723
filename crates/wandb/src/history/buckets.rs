//! Buckets of a long metric, made into points that keep its spikes.
//!
//! A bucket says the least, the mean and the greatest of its values, and not where in the bucket they were. The mean
//! becomes the point, and the extremes its band, which charts draw: no spike is lost, and none is counted thrice.

use super::rows::Rows;
use rundown_ingest::json::Json;

/// Adds the buckets of `key` and gives their number and that of the rows in them.
pub(crate) fn add(rows: &mut Rows, key: &str, buckets: &[Json]) -> (u64, u64) {
    let (mut count, mut sizes) = (0, 0);
    let field = |bucket: &Json, name: &str| bucket.metric_at(name);
    for bucket in buckets {
        let (Some(step), Some(mean)) = (field(bucket, "_stepAvg"), field(bucket, &format!("{key}Avg"))) else {
            continue;
        };
        let time = field(bucket, "_timestampAvg");
        count += 1;
        sizes += field(bucket, "bucketSize").filter(|size| *size >= 1.0).map_or(1, |size| size as u64);
        rows.add_number(step, time, key, mean);
        let extremes = field(bucket, &format!("{key}Min")).zip(field(bucket, &format!("{key}Max")));
        if let Some((least, greatest)) = extremes.filter(|(least, greatest)| least != greatest) {
            rows.add_band(step, key, least, greatest);
        }
    }
    (count, sizes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::{RowNumbers, Run};

    #[test]
    fn a_spike_in_a_bucket_stays() {
        let text = r#"[{"bucketSize":3,"_stepAvg":3,"_timestampAvg":10,"klAvg":1,"klMin":0,"klMax":50},
            {"bucketSize":0,"_stepAvg":null,"klAvg":null,"klMin":null,"klMax":null},
            {"bucketSize":1,"_stepAvg":9,"klAvg":2,"klMin":2,"klMax":2}]"#;
        let Json::List(buckets) = Json::parse(text.as_bytes()).unwrap() else { panic!() };
        let mut rows = Rows::default();
        assert_eq!(add(&mut rows, "kl", &buckets), (2, 4));
        let mut run = Run::default();
        rows.fill(&mut run);
        assert_eq!(run.row_steps, [3.0, 9.0]);
        assert_eq!(run.columns["kl"].values(), [1.0, 2.0]);
        let band = &run.bands["kl"];
        assert_eq!(
            (band.low.values(), band.high.values(), band.high.rows()),
            (&[0.0][..], &[50.0][..], RowNumbers::List(&[0]))
        );
    }
}
