//! The cells of a column, with its title, its unit and the kind of axis that fits.

use super::metric_values::{MetricFacts, is_as_logged, value};
use super::setting_values::setting_cells;
use super::{FilledColumn, TableRun, TableRuns};
use rundown_compare::{Metric, RankedRun, common_target};
use rundown_content::Cell;
use rundown_format::rich_text::tabular;
use rundown_format::{hundredths, number, redact, rich};
use rundown_protocol::{Aggregate, ColumnId, RunTableColumn};
use rundown_stats::{ascending, is_middle_by_logarithm, median};
use rundown_vocabulary::Direction;

/// From this ratio of the greatest to the least number on a logarithmic axis may fit.
const LOG_FROM: f64 = 30.0;
/// And from this one for a setting: 1e-6, 3e-6 and 1e-5 were chosen by their logarithm.
const LOG_SETTING_FROM: f64 = 8.0;
/// Durations are told in the first of these units that the longest one reaches so many seconds for: seconds of one, name.
const DURATIONS: [(f64, f64, &str); 3] = [(7_200.0, 3_600.0, "h"), (120.0, 60.0, "min"), (0.0, 1.0, "s")];

/// A column with its cells.
pub fn filled(runs: &TableRuns<'_>, column: &ColumnId) -> FilledColumn {
    match column {
        ColumnId::Name => words(runs, column, |row| Cell::run(row.loaded.number, name(row))),
        ColumnId::State => words(runs, column, |row| Cell::text(row.summary.state.as_str())),
        ColumnId::Verdict => words(runs, column, |row| Cell {
            value: Some(f64::from(row.summary.verdict as u8)),
            ..Cell::text(row.summary.verdict.as_str())
        }),
        ColumnId::Rank => {
            let places = runs.facts.ranked.iter().map(|(place, _)| *place as f64).collect();
            with(numbers(column, places, Cell::tabular), "", Some(false))
        }
        ColumnId::BestStep => {
            let best = |run: &RankedRun| run.outcome.as_ref()?.best.map(|best| best.step);
            numbers(
                column,
                runs.facts.ranked.iter().map(|(_, run)| best(run).unwrap_or(f64::NAN)).collect(),
                Cell::tabular,
            )
        }
        ColumnId::StepsToTarget => steps_to_target(runs, column),
        ColumnId::Findings => {
            let phrases = |run: &RankedRun| run.worst.iter().map(|code| code.phrase()).collect::<Vec<_>>().join(", ");
            let cells = runs.facts.ranked.iter().map(|(_, run)| Cell::text(phrases(run))).collect();
            FilledColumn::of(words_of(column), cells)
        }
        ColumnId::LastStep => {
            let last = |row: &TableRun<'_>| row.summary.steps.map_or(f64::NAN, |(_, last)| last);
            numbers(column, runs.rows.iter().map(last).collect(), Cell::tabular)
        }
        ColumnId::Duration => durations(runs, column),
        // Replaced before by the columns that they stand for.
        ColumnId::Deciding | ColumnId::Differing | ColumnId::Axes => words(runs, column, |_| Cell::default()),
        ColumnId::Setting(key) => {
            let (cells, values) = setting_cells(runs, key);
            let is_numeric = !values.is_empty();
            FilledColumn::of(RunTableColumn { is_numeric, ..described(column, &values) }, cells)
        }
        ColumnId::Metric { key, aggregate } => {
            let (facts, metric) = (MetricFacts::of(runs, key), runs.metric(key));
            let outcome = runs.facts.outcome.as_ref().filter(|metric| metric.key == *key);
            let filled = if outcome.is_some() && *aggregate == Aggregate::Mean {
                levels(runs, column, &metric, facts.direction)
            } else {
                let of = |row: &TableRun<'_>| value(row, metric.key_in(row.summary), *aggregate, facts.direction);
                numbers(column, runs.rows.iter().map(of).collect(), Cell::tabular)
            };
            let direction = outcome.map_or(facts.direction, |metric| Some(metric.direction != Direction::Down));
            FilledColumn { own_keys: own_keys(runs, &metric), ..with(filled, facts.unit, direction) }
        }
        ColumnId::ToBaseline { key, aggregate } => {
            let (facts, metric) = (MetricFacts::of(runs, key), runs.metric(key));
            let of = |row: &TableRun<'_>| value(row, metric.key_in(row.summary), *aggregate, facts.direction);
            let base = runs.baseline.as_ref().map_or(f64::NAN, of);
            let values = runs.rows.iter().map(|row| of(row) - base).collect();
            let mut filled = with(numbers(column, values, signed), facts.unit, facts.direction);
            filled.column.is_log = false;
            if let Some(baseline) = &runs.baseline {
                filled.column.title = format!("Δ {} vs {}", metric_title(key, *aggregate), name(baseline));
            }
            filled
        }
    }
}

/// A column without its cells: `values` are its numbers, none for words.
pub fn described(column: &ColumnId, values: &[f64]) -> RunTableColumn {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let least = finite().fold(f64::INFINITY, f64::min);
    let greatest = finite().fold(f64::NEG_INFINITY, f64::max);
    let from = if matches!(column, ColumnId::Setting(_)) { LOG_SETTING_FROM } else { LOG_FROM };
    RunTableColumn {
        column: column.clone(),
        title: title(column),
        is_numeric: true,
        unit: String::new(),
        direction: None,
        is_log: least > 0.0 && greatest / least >= from && is_by_logarithm(finite()),
        is_axis: false,
    }
}

/// True for positive values that lie more evenly by their logarithm: a hundred numbers between 0 and 10 span two decades
/// too. Of two values their ratio alone tells.
fn is_by_logarithm(values: impl Iterator<Item = f64>) -> bool {
    let mut values = ascending(values);
    values.dedup();
    match (values.as_slice(), median(&values)) {
        ([least, greatest], _) => greatest / least >= LOG_FROM,
        ([least, .., greatest], Some(middle)) => is_middle_by_logarithm(*least, middle, *greatest),
        _ => false,
    }
}

fn title(column: &ColumnId) -> String {
    match column {
        ColumnId::Name => "Run".to_owned(),
        ColumnId::State => "State".to_owned(),
        ColumnId::Verdict => "Verdict".to_owned(),
        ColumnId::Rank => "Rank".to_owned(),
        ColumnId::LastStep => "Last step".to_owned(),
        ColumnId::Duration => "Duration".to_owned(),
        ColumnId::BestStep => "Best step".to_owned(),
        ColumnId::StepsToTarget => "Step when the target is reached".to_owned(),
        ColumnId::Findings => "Main findings".to_owned(),
        ColumnId::Deciding | ColumnId::Differing | ColumnId::Axes => String::new(),
        ColumnId::Setting(key) => redact(key).into_owned(),
        ColumnId::Metric { key, aggregate } => metric_title(key, *aggregate),
        ColumnId::ToBaseline { key, aggregate } => {
            format!("Δ {} vs baseline", metric_title(key, *aggregate))
        }
    }
}

fn metric_title(key: &str, aggregate: Aggregate) -> String {
    let words = match aggregate {
        Aggregate::Last => "",
        Aggregate::Best => ", best",
        Aggregate::Mean => ", mean at the end",
        Aggregate::First => ", first",
        Aggregate::Min => ", min",
        Aggregate::Max => ", max",
    };
    format!("{}{words}", redact(key))
}

fn words(runs: &TableRuns<'_>, column: &ColumnId, cell: impl Fn(&TableRun<'_>) -> Cell) -> FilledColumn {
    FilledColumn::of(words_of(column), runs.rows.iter().map(cell).collect())
}

fn words_of(column: &ColumnId) -> RunTableColumn {
    RunTableColumn { is_numeric: false, ..described(column, &[]) }
}

/// The level of each run at the end, with its uncertainty where a curve tells it.
fn levels(runs: &TableRuns<'_>, column: &ColumnId, metric: &Metric, direction: Option<bool>) -> FilledColumn {
    let level = |(row, (_, ranked)): (&TableRun<'_>, &(usize, RankedRun))| {
        let key = metric.key_in(row.summary);
        // An outcome without a curve is a last value; that of a scaled one has another unit.
        let has_curve = row.summary.trace(key).is_some() && is_as_logged(row, key);
        let Some(outcome) = ranked.outcome.as_ref().filter(|_| has_curve) else {
            return (value(row, key, Aggregate::Mean, direction), f64::NAN);
        };
        (outcome.level, outcome.half())
    };
    let (levels, halves): (Vec<f64>, Vec<f64>) = runs.rows.iter().zip(&runs.facts.ranked).map(level).unzip();
    let cell = |(level, half): (&f64, f64)| {
        if level.is_finite() { Cell::plus_minus(*level, half) } else { Cell::default() }
    };
    let cells = levels.iter().zip(halves).map(cell).collect();
    FilledColumn::of(described(column, &levels), cells)
}

/// The keys of runs that log the metric under another one.
fn own_keys(runs: &TableRuns<'_>, metric: &Metric) -> Vec<(usize, String)> {
    let keys = runs.rows.iter().map(|row| metric.key_in(row.summary)).enumerate();
    keys.filter(|(_, key)| *key != metric.key).map(|(place, key)| (place, redact(key).into_owned())).collect()
}

fn steps_to_target(runs: &TableRuns<'_>, column: &ColumnId) -> FilledColumn {
    let metric = runs.facts.outcome.as_ref();
    let target = metric.and_then(|metric| Some((metric, common_target(&runs.summaries(), metric)?)));
    let reached = |place: usize| *target.as_ref()?.1.reached.get(place)?;
    let values = (0..runs.rows.len()).map(|place| reached(place).map_or(f64::NAN, |reached| reached.step)).collect();
    let mut filled = with(numbers(column, values, Cell::tabular), "", Some(false));
    if let Some((metric, target)) = target {
        filled.column.title = format!("Step when {} reaches {}", redact(&metric.key), number(target.level));
    }
    filled
}

fn numbers(column: &ColumnId, values: Vec<f64>, written: fn(f64) -> Cell) -> FilledColumn {
    let column = described(column, &values);
    let cell = |value: f64| if value.is_finite() { written(value) } else { Cell::default() };
    FilledColumn::of(column, values.into_iter().map(cell).collect())
}

fn with(mut filled: FilledColumn, unit: &str, direction: Option<bool>) -> FilledColumn {
    filled.column.unit = unit.to_owned();
    filled.column.direction = direction;
    filled
}

/// A difference with its sign.
fn signed(value: f64) -> Cell {
    if value > 0.0 { Cell::number(rich!("+{}", tabular(value)), value) } else { Cell::tabular(value) }
}

/// Name of a run without secrets; its id where it has none.
fn name(row: &TableRun<'_>) -> String {
    redact(row.summary.name_or_id()).into_owned()
}

fn durations(runs: &TableRuns<'_>, column: &ColumnId) -> FilledColumn {
    let seconds: Vec<f64> = runs.rows.iter().map(duration).collect();
    let longest = seconds.iter().copied().filter(|seconds| seconds.is_finite()).fold(0.0, f64::max);
    let unit = DURATIONS.iter().find(|(from, _, _)| longest >= *from);
    let (one, name) = unit.map_or((1.0, ""), |(_, one, name)| (*one, *name));
    let filled = numbers(column, seconds.iter().map(|seconds| hundredths(seconds / one)).collect(), Cell::tabular);
    with(filled, name, None)
}

/// Seconds from the first to the last row; what a report says of it where there are no rows.
fn duration(row: &TableRun<'_>) -> f64 {
    let times = || row.loaded.run.run().row_times.iter().copied().filter(|time| time.is_finite());
    let rows = times().reduce(f64::max).zip(times().reduce(f64::min)).map(|(last, first)| last - first);
    let known = || row.summary.spent.hours.map(|hours| hours * 3_600.0);
    rows.filter(|seconds| *seconds > 0.0).or_else(known).unwrap_or(f64::NAN)
}
