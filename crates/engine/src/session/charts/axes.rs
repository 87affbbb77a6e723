//! Where a metric's points stand along each of the x axes.

use super::ChartRun;
use rundown_diagnose::tokens_so_far;
use rundown_plot::{IndexedLine, inside};
use rundown_protocol::XAxis;
use rundown_run::{Run, Series, sort_points};
use rundown_vocabulary::{Bindings, Concept};

/// A metric over an x axis.
pub struct Positioned {
    /// Positions and values.
    pub points: IndexedLine,
    /// What is drawn instead of a metric that came in buckets: positions and values with the extremes of each.
    pub extremes: Option<IndexedLine>,
}

/// A metric of a run over an axis; `None` where there is none, or nothing of it over that axis.
pub fn over(run: &Run, bindings: Option<&Bindings>, key: &str, axis: &XAxis) -> Option<Positioned> {
    let found = match axis {
        XAxis::Metric(other) => {
            let (x, y) = run.pairs(other, key)?;
            Positioned { points: IndexedLine::new(x, y), extremes: None }
        }
        _ => {
            let along = Along::of(run, bindings, axis)?;
            let series = run.series(key).or_else(|| run.system_series(key))?;
            let extremes = run.series_with_extremes(key);
            let line = |series| {
                let (x, y) = along.points(series);
                IndexedLine::new(x, y)
            };
            Positioned { points: line(series), extremes: extremes.map(line) }
        }
    };
    (!found.points.x().is_empty()).then_some(found)
}

/// Where the rows of a run stand along an axis; `None` where nothing can stand along it.
pub fn row_positions<'r>(
    run: &'r Run,
    bindings: Option<&Bindings>,
    axis: &XAxis,
) -> Option<Box<dyn Fn(u32) -> Option<f64> + 'r>> {
    if let XAxis::Metric(key) = axis {
        let column = run.columns.get(key)?;
        return Some(Box::new(|row| column.value_in(row)));
    }
    let along = Along::of(run, bindings, axis)?;
    Some(Box::new(move |row| {
        let step = run.axis.steps.get(row as usize).copied()?;
        let time = run.row_times.get(row as usize).copied().unwrap_or(f64::NAN);
        Some(along.x(step, time))
    }))
}

/// Where a run was restarted and took steps again, in a window; ascending. Over another metric it has no place.
pub fn restarts(chart: &ChartRun<'_>, axis: &XAxis, window: Option<(f64, f64)>) -> Vec<f64> {
    let mut replays = chart.run.axis.replays().peekable();
    if replays.peek().is_none() {
        return Vec::new();
    }
    let Some(along) = Along::of(chart.run, chart.bindings, axis) else { return Vec::new() };
    let time = |row: u32| chart.run.row_times.get(row as usize).copied().unwrap_or(f64::NAN);
    let mut found: Vec<f64> = replays.map(|restart| along.x(restart.resumed_at, time(restart.row))).collect();
    found.retain(|x| x.is_finite());
    found.sort_by(f64::total_cmp);
    found.dedup();
    let shown = inside(&found, window);
    found.get(shown).unwrap_or_default().to_vec()
}

/// An axis along which steps and times stand.
enum Along {
    Step,
    /// Seconds since this time, in Unix seconds.
    Since(f64),
    /// Steps and tokens up to each.
    Tokens(Vec<(f64, f64)>),
}

impl Along {
    fn of(run: &Run, bindings: Option<&Bindings>, axis: &XAxis) -> Option<Self> {
        match axis {
            XAxis::Step => Some(Self::Step),
            XAxis::RelativeTime => Some(Self::Since(start(run))),
            XAxis::WallTime => Some(Self::Since(0.0)),
            XAxis::Tokens => Some(Self::Tokens(tokens(run, bindings?)?)),
            XAxis::Metric(_) => None,
        }
    }

    fn x(&self, step: f64, time: f64) -> f64 {
        match self {
            Self::Step => step,
            Self::Since(start) => time - start,
            Self::Tokens(counted) => counted_at(counted, step),
        }
    }

    /// The points of a series in the order of x; those without a place are left out.
    fn points(&self, series: Series<'_>) -> (Vec<f64>, Vec<f64>) {
        if let Self::Step = self {
            return (series.steps.into_owned(), series.values.into_owned());
        }
        let places = series.steps.iter().zip(series.times.iter()).map(|(step, time)| self.x(*step, *time));
        let mut points: Vec<(f64, f64)> =
            places.zip(series.values.iter().copied()).filter(|(x, _)| x.is_finite()).collect();
        sort_points(&mut points);
        points.into_iter().unzip()
    }
}

/// Unix seconds of the run's first row, or of its machine's; 0 where nothing has a time.
fn start(run: &Run) -> f64 {
    let first = |times: &[f64]| times.iter().copied().filter(|time| time.is_finite()).reduce(f64::min);
    first(&run.row_times).or_else(|| first(&run.system_times)).unwrap_or(0.0)
}

/// Tokens up to each step at which they were counted.
fn tokens(run: &Run, bindings: &Bindings) -> Option<Vec<(f64, f64)>> {
    let binding = bindings.first(Concept::Tokens)?;
    let counted = run.series(&binding.key).or_else(|| run.system_series(&binding.key))?.finite();
    let values: Vec<f64> = counted.values.iter().map(|value| binding.scale.apply(*value)).collect();
    tokens_so_far(&counted.steps, &values)
}

/// Tokens at a step: evenly between two counts; before the first and after the last one those counts.
fn counted_at(counted: &[(f64, f64)], step: f64) -> f64 {
    let after = counted.partition_point(|(at, _)| *at <= step);
    let before = after.checked_sub(1).and_then(|place| counted.get(place));
    match (before, counted.get(after)) {
        (Some((from, low)), Some((to, high))) => low + (high - low) * ((step - from) / (to - from)),
        (Some((_, tokens)), None) | (None, Some((_, tokens))) => *tokens,
        (None, None) => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_vocabulary::{Binding, Direction, Framework, Unit};

    /// Rows at steps 0, 10, 20 and 30, a minute each, with a metric and a count of tokens.
    fn run(tokens: [f64; 4]) -> (Run, Bindings) {
        let mut run = Run::default();
        for (place, tokens) in tokens.into_iter().enumerate() {
            let step = place as f64 * 10.0;
            let row = run.push_row(step, 1_000.0 + step * 6.0);
            run.push_value("reward", row, step / 100.0);
            if tokens.is_finite() {
                run.push_value("num_tokens", row, tokens);
            }
        }
        run.choose_axis();
        let mut bindings = Bindings::new(Framework::Unknown);
        bindings.push(Binding::unscaled(Concept::Tokens, "num_tokens", Unit::Tokens, Direction::Neutral));
        (run, bindings)
    }

    fn x(run: &Run, bindings: &Bindings, axis: &XAxis) -> Vec<f64> {
        over(run, Some(bindings), "reward", axis).map(|found| found.points.x().to_vec()).unwrap_or_default()
    }

    #[test]
    fn each_axis_has_its_own_positions() {
        let (run, bindings) = run([100.0, 300.0, 600.0, 1_000.0]);
        assert_eq!(x(&run, &bindings, &XAxis::Step), [0.0, 10.0, 20.0, 30.0]);
        assert_eq!(x(&run, &bindings, &XAxis::RelativeTime), [0.0, 60.0, 120.0, 180.0]);
        assert_eq!(x(&run, &bindings, &XAxis::WallTime), [1_000.0, 1_060.0, 1_120.0, 1_180.0]);
        assert_eq!(x(&run, &bindings, &XAxis::Tokens), [100.0, 300.0, 600.0, 1_000.0], "a counter as it is");
        let over_tokens = XAxis::Metric("num_tokens".to_owned());
        assert_eq!(x(&run, &bindings, &over_tokens), [100.0, 300.0, 600.0, 1_000.0]);
        assert!(over(&run, None, "reward", &XAxis::Tokens).is_none(), "nothing says what counts tokens");
        assert!(over(&run, None, "reward", &XAxis::Metric("nowhere".to_owned())).is_none());
        assert!(over(&run, None, "nowhere", &XAxis::Step).is_none());
    }

    #[test]
    fn tokens_of_each_step_are_summed() {
        let (steady, bindings) = run([500.0, 400.0, 500.0, 400.0]);
        // The first row stands for one step, each further one for ten.
        assert_eq!(x(&steady, &bindings, &XAxis::Tokens), [500.0, 4_500.0, 9_500.0, 13_500.0]);
        let (sparse, bindings) = run([100.0, f64::NAN, 600.0, 1_000.0]);
        assert_eq!(x(&sparse, &bindings, &XAxis::Tokens), [100.0, 350.0, 600.0, 1_000.0], "evenly in between");
        let (few, bindings) = run([100.0, f64::NAN, f64::NAN, 1_000.0]);
        assert!(x(&few, &bindings, &XAxis::Tokens).is_empty());
    }

    #[test]
    fn restarts_stand_where_the_run_went_on() {
        let mut run = Run::default();
        for (row, step) in [0.0, 1.0, 2.0, 3.0, 2.0, 3.0, 4.0].into_iter().enumerate() {
            let row = run.push_row(step, 100.0 + row as f64);
            run.push_value("reward", row, 1.0);
        }
        run.choose_axis();
        let mut cache = super::super::LineCache::default();
        let chart = ChartRun { number: 1, run: &run, bindings: None, cache: &mut cache };
        assert_eq!(restarts(&chart, &XAxis::Step, None), [2.0]);
        assert_eq!(restarts(&chart, &XAxis::RelativeTime, None), [4.0]);
        assert_eq!(restarts(&chart, &XAxis::Step, Some((2.5, 9.0))), [0.0; 0]);
        assert_eq!(restarts(&chart, &XAxis::Metric("reward".to_owned()), None), [0.0; 0]);
    }
}
