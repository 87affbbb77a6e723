//! One number of a metric over a run.

use super::{TableRun, TableRuns};
use crate::session::metrics::logged_unit;
use rundown_compare::tail_points;
use rundown_protocol::Aggregate;
use rundown_stats::mean;
use rundown_vocabulary::{Direction, Scale};

/// Runs that are asked what a metric stands for.
const ASKED: usize = 50;

/// What holds for a metric in all runs.
pub struct MetricFacts {
    /// Unit of the logged values; empty where the runs do not agree on one.
    pub unit: &'static str,
    /// Whether higher is better; `None` where neither is, or nothing says it.
    pub direction: Option<bool>,
}

impl MetricFacts {
    /// By what the key stands for in the runs, or in the first ones of many.
    pub fn of(runs: &TableRuns<'_>, key: &str) -> Self {
        let asked = || runs.rows.iter().take(ASKED);
        let bindings = asked().filter_map(|row| row.loaded.bindings());
        let mut found = bindings.filter_map(|bindings| bindings.iter().find(|binding| binding.key == key));
        let Some(first) = found.next() else {
            // A run that is known from a report has curves instead.
            let trace = asked().find_map(|row| row.summary.trace(key));
            let unit = trace.map_or("", |trace| trace.unit.as_str());
            return Self { unit, direction: trace.and_then(|trace| is_higher_better(trace.direction)) };
        };
        let unit = logged_unit(first);
        let is_shared = found.all(|binding| logged_unit(binding) == unit);
        Self { unit: if is_shared { unit } else { "" }, direction: is_higher_better(first.direction) }
    }
}

fn is_higher_better(direction: Direction) -> Option<bool> {
    match direction {
        Direction::Up => Some(true),
        Direction::Down => Some(false),
        Direction::Neutral => None,
    }
}

/// False where the curve of a metric in a run's summary has another unit than what was logged: a share that was logged in
/// percent. A run of a report has nothing but its curves.
pub fn is_as_logged(row: &TableRun<'_>, key: &str) -> bool {
    let bound = row.loaded.bindings().and_then(|bindings| bindings.iter().find(|binding| binding.key == key));
    bound.is_none_or(|binding| binding.scale == Scale::One) || !row.loaded.run.is_measured()
}

/// A number of a metric of a run, of its finite values; NaN where there is none.
pub fn value(row: &TableRun<'_>, key: &str, aggregate: Aggregate, direction: Option<bool>) -> f64 {
    let last = row.summary.last.get(key).copied();
    if let (Aggregate::Last, Some(last)) = (aggregate, last) {
        return last;
    }
    // Curves are thinned, but for what they say of the best and the end.
    if let Some(trace) = row.summary.trace(key).filter(|_| is_as_logged(row, key)) {
        match aggregate {
            Aggregate::Last => return trace.last,
            Aggregate::Best => return trace.best,
            Aggregate::Mean => return trace.tail,
            Aggregate::First | Aggregate::Min | Aggregate::Max => {}
        }
    }
    let run = row.loaded.run.run();
    let series = run.series(key).or_else(|| run.system_series(key)).map(|series| series.finite().values);
    let values = series.filter(|values| !values.is_empty()).unwrap_or_else(|| last.into_iter().collect());
    let found = match aggregate {
        Aggregate::Last => values.last().copied(),
        Aggregate::First => values.first().copied(),
        Aggregate::Mean => {
            values.len().checked_sub(tail_points(values.len())).and_then(|from| mean(values.get(from..)?))
        }
        Aggregate::Best if direction == Some(false) => values.iter().copied().reduce(f64::min),
        Aggregate::Min => values.iter().copied().reduce(f64::min),
        Aggregate::Best | Aggregate::Max => values.iter().copied().reduce(f64::max),
    };
    found.unwrap_or(f64::NAN)
}
