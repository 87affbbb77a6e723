//! Lines to draw: series made once, smoothed once, decimated for each width and window. Histograms are asked for in the
//! same way.

use std::collections::BTreeMap;

use super::heat::{self, HeatCells};
use crate::plot::{Decimated, decimate};
use crate::protocol::{ArrayIndex, HeatColumns, Line, LinesRequest, SmoothingKind, XAxis};
use crate::run::{Run, Series};
use crate::stats::time_weighted_ema;

/// Points kept for redrawing; beyond that everything is made anew. 16 bytes each.
const KEPT_POINTS: usize = 8_000_000;

/// The lines of a run that were looked at, so that zooming and panning only decimate.
#[derive(Default)]
pub struct LineCache {
    prepared: BTreeMap<(String, XAxis), Prepared>,
    points: usize,
}

struct Prepared {
    x: Vec<f64>,
    y: Vec<f64>,
    /// What is drawn instead of x and y for a metric that came in buckets: with their extremes.
    extremes: Option<(Vec<f64>, Vec<f64>)>,
    /// Made with `weight`; empty until asked for.
    smoothed: Vec<f64>,
    weight: f64,
}

impl LineCache {
    /// The line of one series; `None` where the run has nothing of it over this x.
    pub fn line(&mut self, run: &Run, key: &str, wanted: &LinesRequest, arrays: &mut Arrays) -> Option<DrawnLine> {
        let prepared = self.prepare(run, key, &wanted.x)?;
        let extent = (*prepared.x.first()?, *prepared.x.last()?);
        let (raw_x, raw_y) = match &prepared.extremes {
            Some((x, y)) => (x, y),
            None => (&prepared.x, &prepared.y),
        };
        let raw = decimate(raw_x, raw_y, wanted.window, wanted.width_px);
        let (y_range, points) = (raw.y_range, raw.points);
        let marks = [&raw.nan_x, &raw.positive_infinity_x, &raw.negative_infinity_x].map(|at| arrays.add(at.clone()));
        let [nan_x, positive_infinity_x, negative_infinity_x] = marks;
        let (x, y) = arrays.add_line(raw);
        let weight = wanted.smoothing.weight;
        let (smooth_x, smooth_y) = if wanted.smoothing.kind != SmoothingKind::None && weight > 0.0 {
            prepared.smooth(weight);
            arrays.add_line(decimate(&prepared.x, &prepared.smoothed, wanted.window, wanted.width_px))
        } else {
            (x, y)
        };
        let restarts = arrays.add(Vec::new());
        let marks = Line { nan_x, positive_infinity_x, negative_infinity_x, restarts, ..Line::default() };
        let line = Line { x, y, smooth_x, smooth_y, y_range, robust_range: y_range, points, ..marks };
        Some(DrawnLine { line, extent })
    }

    fn prepare(&mut self, run: &Run, key: &str, x: &XAxis) -> Option<&mut Prepared> {
        let name = (key.to_owned(), x.clone());
        if !self.prepared.contains_key(&name) {
            let series = run.series(key).or_else(|| run.system_series(key))?;
            if self.points + series.len() > KEPT_POINTS {
                self.prepared.clear();
                self.points = 0;
            }
            self.points += series.len();
            let extremes = run.series_with_extremes(key);
            self.prepared.insert(name.clone(), Prepared::new(run, series, extremes, x));
        }
        self.prepared.get_mut(&name)
    }
}

impl Prepared {
    fn new(run: &Run, series: Series, extremes: Option<Series>, axis: &XAxis) -> Self {
        let over = |series: Series| match axis {
            XAxis::Step => (series.steps, series.values),
            XAxis::RelativeTime => over_time(run, &series),
            XAxis::Tokens | XAxis::WallTime | XAxis::Metric(_) => (Vec::new(), Vec::new()),
        };
        let (x, y) = over(series);
        Self { x, y, extremes: extremes.map(over), smoothed: Vec::new(), weight: 0.0 }
    }

    fn smooth(&mut self, weight: f64) {
        if self.smoothed.len() != self.y.len() || self.weight != weight {
            self.smoothed = time_weighted_ema(&self.x, &self.y, weight);
            self.weight = weight;
        }
    }
}

/// x in seconds since the run's first row, ascending; points without a time are left out.
fn over_time(run: &Run, series: &Series) -> (Vec<f64>, Vec<f64>) {
    let start = heat::start(run);
    let mut points: Vec<(f64, f64)> = series
        .times
        .iter()
        .zip(&series.values)
        .filter(|(time, _)| time.is_finite())
        .map(|(time, value)| (time - start, *value))
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points.into_iter().unzip()
}

/// A line and the range of x that its run has.
pub struct DrawnLine {
    /// The line; its place among the series is the caller's.
    pub line: Line,
    /// First and last x of the whole series.
    pub extent: (f64, f64),
}

/// The arrays of one reply.
#[derive(Default)]
pub struct Arrays {
    /// In the order in which they were added.
    pub all: Vec<Vec<f64>>,
}

impl Arrays {
    fn add(&mut self, array: Vec<f64>) -> ArrayIndex {
        self.all.push(array);
        self.all.len() as ArrayIndex - 1
    }

    pub fn add_heat(&mut self, key: &str, heat: HeatCells) -> HeatColumns {
        HeatColumns {
            key: key.to_owned(),
            first: self.add(heat.first),
            last: self.add(heat.last),
            from: self.add(heat.from),
            to: self.add(heat.to),
            bins: self.add(heat.bins),
            shares: self.add(heat.shares),
            histograms: heat.histograms as u64,
            ..HeatColumns::default()
        }
    }

    fn add_line(&mut self, line: Decimated) -> (ArrayIndex, ArrayIndex) {
        (self.add(line.x), self.add(line.y))
    }
}
