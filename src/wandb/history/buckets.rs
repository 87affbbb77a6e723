//! Buckets of a long metric, made into points that keep its spikes.
//!
//! A bucket says the least, the mean and the greatest of its values, and not where in the bucket they were. All three
//! become points, a third of a bucket apart, so that no check and no chart can overlook an extreme.

use super::rows::Rows;
use crate::ingest::json::Json;

/// Adds the buckets of `key` and gives their number and that of the rows in them.
pub(crate) fn add(rows: &mut Rows, key: &str, buckets: &[Json]) -> (u64, u64) {
    let (mut count, mut sizes) = (0, 0);
    let field = |bucket: &Json, name: &str| bucket.get(name).and_then(Json::metric);
    let steps: Vec<Option<f64>> = buckets.iter().map(|bucket| field(bucket, "_stepAvg")).collect();
    for (index, bucket) in buckets.iter().enumerate() {
        let (Some(step), Some(mean)) = (steps.get(index).copied().flatten(), field(bucket, &format!("{key}Avg")))
        else {
            continue;
        };
        let time = field(bucket, "_timestampAvg");
        count += 1;
        sizes += field(bucket, "bucketSize").filter(|size| *size >= 1.0).map_or(1, |size| size as u64);
        let extremes = field(bucket, &format!("{key}Min")).zip(field(bucket, &format!("{key}Max")));
        match extremes.filter(|(least, greatest)| least != greatest) {
            Some((least, greatest)) => {
                let third = width(&steps, index) / 3.0;
                rows.add_number(step - third, time, key, least);
                rows.add_number(step, time, key, mean);
                rows.add_number(step + third, time, key, greatest);
            }
            None => rows.add_number(step, time, key, mean),
        }
    }
    (count, sizes)
}

/// Distance to the next bucket that has a step, or from the one before.
fn width(steps: &[Option<f64>], index: usize) -> f64 {
    let here = steps.get(index).copied().flatten().unwrap_or(0.0);
    let after = steps.iter().skip(index + 1).flatten().next();
    let before = || steps.iter().take(index).rev().flatten().next();
    after.or_else(before).map_or(1.0, |other| (other - here).abs()).max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Run;

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
        assert_eq!(run.row_steps, [1.0, 3.0, 5.0, 9.0]);
        assert_eq!(run.columns["kl"].values(), [0.0, 1.0, 50.0, 2.0]);
    }
}
