//! Sums over the samples of a row beside their number, as loops that print `total_reward` and `total_num`: the means are
//! what runs are compared by, since the number of samples may change.

use rundown_run::{Column, Run};

/// Names of the number of samples, behind the same prefix as the sums.
const SAMPLE_COUNTS: [&str; 5] = ["total_num", "total_count", "total_samples", "num_samples", "num_total"];
/// Beginning of the name of a sum.
const SUM_PREFIX: &str = "total_";
/// Beginning of the name of its mean.
const MEAN_PREFIX: &str = "mean_";

/// Adds `mean_reward` beside `total_reward` where `total_num` is logged in the same rows.
pub(crate) fn add_means(run: &mut Run) {
    let counts: Vec<(String, String)> =
        run.columns.keys().filter_map(|key| Some((key.clone(), prefix(key)?))).collect();
    for (count, prefix) in counts {
        let begin = format!("{prefix}{SUM_PREFIX}");
        let sums: Vec<String> = run
            .columns
            .range(begin.clone()..)
            .map(|(key, _)| key)
            .take_while(|key| key.starts_with(&begin))
            .cloned()
            .collect();
        for sum in sums.iter().filter(|sum| **sum != count) {
            let mean = format!("{prefix}{MEAN_PREFIX}{}", sum.get(begin.len()..).unwrap_or_default());
            let column = match (run.columns.get(sum), run.columns.get(&count)) {
                (Some(sum), Some(count)) if !run.columns.contains_key(&mean) => quotients(sum, count),
                _ => continue,
            };
            if !column.is_empty() {
                run.columns.insert(mean, column);
            }
        }
    }
}

/// What stands before the name of a number of samples.
fn prefix(key: &str) -> Option<String> {
    let begin = SAMPLE_COUNTS.iter().find_map(|count| key.strip_suffix(count))?;
    (begin.is_empty() || begin.ends_with(['/', '.', ' '])).then(|| begin.to_owned())
}

/// The sum over the number in each row that has both, where the number is above zero.
fn quotients(sum: &Column, count: &Column) -> Column {
    let mut column = Column::default();
    let mut counts = count.points().peekable();
    for (row, sum) in sum.points() {
        while counts.next_if(|(other, _)| *other < row).is_some() {}
        if let Some((_, count)) = counts.next_if(|(other, _)| *other == row)
            && count > 0.0
        {
            column.push(row, sum / count);
        }
    }
    column
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_stand_beside_their_sums() {
        let mut run = Run::default();
        for (sum, count) in [(144.0, 256.0), (16.0, 32.0), (3.0, 0.0)] {
            let row = run.push_row(0.0, f64::NAN);
            run.push_value("data.total_reward", row, sum);
            run.push_value("data.total_num", row, count);
            run.push_value("total_loss", row, 1.0);
        }
        add_means(&mut run);
        assert_eq!(run.columns["data.mean_reward"].values(), [0.5625, 0.5]);
        assert_eq!(run.columns.len(), 4, "a total without a number of samples is none of them");
    }
}
