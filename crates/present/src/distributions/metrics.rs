//! How logged numbers are spread: each metric over the run, rewards at first and at last.

use std::borrow::Cow;

use super::cells::{listed, name, value};
use rundown_content::ColumnName::{Numbers, Words};
use rundown_content::{Block, Cell, Table, TableColumn};
use rundown_diagnose::Diagnosis;
use rundown_format::rich_text::metric;
use rundown_format::{number, rich};
use rundown_run::Run;
use rundown_stats as stats;
use rundown_vocabulary::Concept;

/// Rows of a table; the others are counted.
const MAX_ROWS: usize = 80;
/// Values that make a distribution.
const MIN_VALUES: usize = 2;
/// Points of a level at the start or the end: one in so many of all, and the fewest.
const LEVEL_WINDOW: (usize, usize) = (20, 5);
/// The sum of the reward functions' means (metrics guide), and the share of it below which a difference is rounding.
const TOTAL_REWARD_KEY: &str = "rewards/total_mean";
const SUM_TOLERANCE: f64 = 1e-3;

/// Every metric with its spread over the run, those that were recognised first.
pub(super) fn over_the_run(run: &Run, diagnosis: &Diagnosis) -> Vec<Block> {
    let reported: Vec<&str> = diagnosis.bindings.iter().map(|binding| binding.key.as_str()).collect();
    let is_other = |key: &&str| !reported.contains(key) && *key != run.axis.key;
    let others = run.columns.keys().map(String::as_str).filter(is_other);
    let is_spread = |key: &&str| {
        let column = run.columns.get(*key).or_else(|| run.system.get(*key));
        column.is_some_and(|column| column.len() - column.nonfinite() >= MIN_VALUES)
    };
    let keys: Vec<&str> = reported.iter().copied().chain(others).filter(is_spread).collect();
    let columns = [
        Words("Metric"),
        Numbers("Values"),
        Numbers("Lowest"),
        Numbers("5 %"),
        Numbers("Mean"),
        Numbers("95 %"),
        Numbers("Highest"),
        Numbers("Standard deviation"),
    ];
    let mut table = Table::new("Values over the run, as they were logged", &columns);
    table.rows = keys.iter().take(MAX_ROWS).map(|key| spread(run, key)).collect();
    listed(table, keys.len().saturating_sub(MAX_ROWS))
}

fn spread(run: &Run, key: &str) -> Vec<Cell> {
    let values = finite(run, key);
    // The extremes of a metric that came in buckets are beside its means.
    let extremes = run.series_with_extremes(key).map(|series| series.finite().values);
    let ends = || extremes.as_ref().unwrap_or(&values).iter().copied();
    vec![
        name(key),
        Cell::number(values.len().to_string(), values.len() as f64),
        value(ends().reduce(f64::min)),
        value(stats::quantile(&values, 0.05)),
        value(stats::mean(&values)),
        value(stats::quantile(&values, 0.95)),
        value(ends().reduce(f64::max)),
        value(stats::std_dev(&values)),
    ]
}

/// Rewards of which the lowest, the highest or a recent mean is logged beside the mean (`rewards/{name}_min`,
/// `critic/score/max`), one row each.
pub(super) fn rewards(run: &Run, diagnosis: &Diagnosis) -> Vec<Block> {
    let columns = [
        Words("Reward"),
        Numbers("Lowest at start"),
        Numbers("Mean at start"),
        Numbers("Highest at start"),
        Numbers("Lowest at end"),
        Numbers("Mean at end"),
        Numbers("Highest at end"),
    ];
    let mut table = Table::new("Rewards at the start and the end: means of 5 % of the steps (at least five)", &columns);
    let mut recent = Vec::new();
    let reported = [Concept::Reward, Concept::RewardComponent];
    for binding in reported.iter().flat_map(|concept| diagnosis.bindings.all(*concept)) {
        let Some(stem) = binding.key.strip_suffix("mean").filter(|stem| !stem.ends_with("recent_")) else { continue };
        let of = |part: &str| levels(&finite(run, &format!("{stem}{part}")));
        let (lowest, mean, highest) = (of("min"), of("mean"), of("max"));
        let own = finite(run, &format!("{stem}recent_mean")).last().copied();
        if lowest.or(highest).is_none() && own.is_none() {
            continue;
        }
        let at = |place: fn((f64, f64)) -> f64| [lowest, mean, highest].map(|levels| value(levels.map(place)));
        let numbers = at(|levels| levels.0).into_iter().chain(at(|levels| levels.1));
        table.rows.push([name(&binding.key)].into_iter().chain(numbers).collect());
        recent.push(own);
    }
    if recent.iter().any(Option::is_some) {
        table.columns.push(TableColumn::numbers("Recent mean, last value"));
        table.rows.iter_mut().zip(recent).for_each(|(row, recent)| row.push(value(recent)));
    }
    let left_out = table.rows.len().saturating_sub(MAX_ROWS);
    table.rows.truncate(MAX_ROWS);
    let mut blocks = listed(table, left_out);
    blocks.extend(total(run));
    blocks
}

/// The total of the rewards beside the sum of their means, by the keys of the metrics guide. That total is a mean over
/// several steps, and so differs from the sum at one of them.
fn total(run: &Run) -> Option<Block> {
    let last = |key: &str| finite(run, key).last().copied();
    let total = last(TOTAL_REWARD_KEY)?;
    let is_part = |key: &&String| {
        let part = key.strip_prefix("rewards/").and_then(|rest| rest.strip_suffix("_mean"));
        part.is_some_and(|part| part != "total" && !part.ends_with("recent") && !part.contains('/'))
    };
    let parts: Vec<f64> = run.columns.keys().filter(is_part).filter_map(|key| last(key)).collect();
    let sum: f64 = parts.iter().sum();
    let why = match (total - sum).abs() > SUM_TOLERANCE * total.abs().max(sum.abs()) {
        true => " They differ where the total is a mean over several steps, or a part was not scored at each of them.",
        false => "",
    };
    (parts.len() > 1).then(|| {
        let (total, sum) = (number(total), number(sum));
        Block::text(rich!(
            "{} ends at {}; the last means of its {} parts add up to {}.{}",
            metric(TOTAL_REWARD_KEY),
            total,
            parts.len(),
            sum,
            why
        ))
    })
}

/// Finite values of a metric over the steps.
fn finite<'r>(run: &'r Run, key: &str) -> Cow<'r, [f64]> {
    let series = run.series(key).or_else(|| run.system_series(key));
    series.map(|series| series.finite().values).unwrap_or_default()
}

/// The mean at the start and at the end; `None` without a value.
fn levels(values: &[f64]) -> Option<(f64, f64)> {
    let count = (values.len() / LEVEL_WINDOW.0).max(LEVEL_WINDOW.1).min(values.len());
    let (first, last) = (values.get(..count)?, values.get(values.len() - count..)?);
    stats::mean(first).zip(stats::mean(last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_diagnose::{Rulebook, diagnose};

    /// A key and its value at a step.
    type Curve<'a> = (&'a str, fn(f64) -> f64);

    fn logged(keys: &[Curve<'_>]) -> Run {
        let mut run = Run::default();
        for step in 0..100_u32 {
            let row = run.push_row(f64::from(step), f64::NAN);
            keys.iter().for_each(|(key, of)| run.push_value(key, row, of(f64::from(step))));
        }
        run.choose_axis();
        run
    }

    fn tables(run: &Run) -> Vec<Table> {
        let diagnosis = diagnose(run, &Rulebook::default());
        let blocks = [over_the_run(run, &diagnosis), rewards(run, &diagnosis)].concat();
        let table = |block| if let Block::Table(table) = block { Some(table) } else { None };
        blocks.into_iter().filter_map(table).collect()
    }

    fn numbers(row: &[Cell]) -> Vec<Option<f64>> {
        row.iter().skip(1).map(|cell| cell.value).collect()
    }

    #[test]
    fn recognised_metrics_come_first_with_their_spread() {
        let run = logged(&[("aaa", |_| 1.0), ("train/reward", |step| step), ("train/once", |_| f64::NAN)]);
        let table = &tables(&run)[0];
        assert_eq!(table.rows.iter().map(|row| &row[0]).collect::<Vec<_>>(), [&name("train/reward"), &name("aaa")]);
        let found: Vec<f64> = numbers(&table.rows[0]).into_iter().flatten().collect();
        let expected = [100.0, 0.0, 4.95, 49.5, 94.05, 99.0, 29.011];
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.001), "{found:?}");
    }

    #[test]
    fn the_number_of_metrics_left_out_is_shown() {
        let mut run = logged(&[("train/reward", |step| step)]);
        for other in 0..100 {
            for row in 0..2 {
                run.push_value(&format!("other_{other}"), row, 1.0);
            }
        }
        let blocks = over_the_run(&run, &diagnose(&run, &Rulebook::default()));
        assert_eq!(tables(&run)[0].rows.len(), MAX_ROWS);
        assert_eq!(blocks.last(), Some(&Block::text("Left out: 21 metrics.")));
    }

    #[test]
    fn a_reward_has_one_row_with_its_range_at_first_and_at_last() {
        let run = logged(&[
            ("rewards/total_mean", |step| step / 100.0),
            ("rewards/a_mean", |step| step),
            ("rewards/a_min", |_| -1.0),
            ("rewards/a_max", |step| step + 10.0),
            ("rewards/a_recent_mean", |step| step - 2.0),
            ("rewards/rubric_mean", |_| 0.5),
            ("rewards/rubric_max", |_| 1.0),
        ]);
        let table = tables(&run).into_iter().find(|table| table.columns[0] == TableColumn::words("Reward")).unwrap();
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()));
        let row = |key: &str| numbers(table.rows.iter().find(|row| row[0] == name(key)).unwrap());
        let a = [-1.0, 2.0, 12.0, -1.0, 97.0, 107.0, 97.0];
        assert_eq!(row("rewards/a_mean"), a.map(Some));
        let rubric = [None, Some(0.5), Some(1.0), None, Some(0.5), Some(1.0), None];
        assert_eq!(row("rewards/rubric_mean"), rubric);
        assert_eq!(table.rows.len(), 2, "a mean alone has no range");
    }

    #[test]
    fn a_total_is_shown_with_the_sum_of_its_parts() {
        let shown = |keys: &[Curve<'_>]| total(&logged(keys)).map(|block| format!("{block:?}"));
        let parts: [Curve<'_>; 3] =
            [("rewards/a_mean", |step| step), ("rewards/b_mean", |_| 1.0), ("rewards/a_recent_mean", |_| 7.0)];
        let of = |total: fn(f64) -> f64| shown(&[&parts[..], &[("rewards/total_mean", total)]].concat());
        let lagging = of(|step| step - 4.0).unwrap();
        assert!(lagging.contains("95") && lagging.contains("100") && lagging.contains("differ"), "{lagging}");
        assert!(!of(|step| step + 1.0).unwrap().contains("differ"));
        assert_eq!((shown(&parts), shown(&[("rewards/total_mean", |step| step)])), (None, None));
    }
}
