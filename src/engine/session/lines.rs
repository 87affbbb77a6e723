//! Lines to draw: series made once, smoothed once, decimated for each width and window. Histograms are asked for in the
//! same way.

use std::collections::BTreeMap;

use super::heat::{self, Heat};
use crate::plot::{Decimated, decimate};
use crate::protocol::{ArrayIndex, HeatColumns, Line, Lines, LinesRequest, MetricKind, XAxis};
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
    /// The lines of a request and the arrays that they name. Keys that the run lacks are left out.
    pub fn lines(&mut self, run: &Run, wanted: &LinesRequest) -> (Lines, Vec<Vec<f64>>) {
        let mut arrays = Arrays::default();
        let mut lines = Lines { run: wanted.run, ..Lines::default() };
        if wanted.kind == MetricKind::Histograms {
            let key = wanted.keys.first().map_or("", String::as_str);
            let logged = heat::logged(run, key, wanted.x);
            lines.x_extent = logged.first().zip(logged.last()).map(|(first, last)| (first.x, last.x));
            let heat = heat::heat(&logged, wanted.window, wanted.width_px);
            lines.heat = heat.map(|heat| arrays.add_heat(key, heat));
            return (lines, arrays.all);
        }
        for key in &wanted.keys {
            let Some(prepared) = self.prepare(run, key, wanted.x) else { continue };
            if let (Some(&first), Some(&last)) = (prepared.x.first(), prepared.x.last()) {
                lines.x_extent = Some(match lines.x_extent {
                    Some((low, high)) => (low.min(first), high.max(last)),
                    None => (first, last),
                });
            }
            let (raw_x, raw_y) = match &prepared.extremes {
                Some((x, y)) => (x, y),
                None => (&prepared.x, &prepared.y),
            };
            let raw = decimate(raw_x, raw_y, wanted.window, wanted.width_px);
            let (y_range, points) = (raw.y_range, raw.points);
            let marks =
                [&raw.nan_x, &raw.positive_infinity_x, &raw.negative_infinity_x].map(|at| arrays.add(at.clone()));
            let [nan_x, positive_infinity_x, negative_infinity_x] = marks;
            let (x, y) = arrays.add_line(raw);
            let (smooth_x, smooth_y) = if wanted.smoothing > 0.0 {
                prepared.smooth(wanted.smoothing);
                arrays.add_line(decimate(&prepared.x, &prepared.smoothed, wanted.window, wanted.width_px))
            } else {
                (x, y)
            };
            lines.lines.push(Line {
                key: key.clone(),
                x,
                y,
                smooth_x,
                smooth_y,
                nan_x,
                positive_infinity_x,
                negative_infinity_x,
                y_range,
                points,
            });
        }
        (lines, arrays.all)
    }

    fn prepare(&mut self, run: &Run, key: &str, x: XAxis) -> Option<&mut Prepared> {
        let name = (key.to_owned(), x);
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
    fn new(run: &Run, series: Series, extremes: Option<Series>, axis: XAxis) -> Self {
        let over = |series: Series| match axis {
            XAxis::Step => (series.steps, series.values),
            XAxis::RelativeTime => over_time(run, &series),
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

/// The arrays of one reply.
#[derive(Default)]
struct Arrays {
    all: Vec<Vec<f64>>,
}

impl Arrays {
    fn add(&mut self, array: Vec<f64>) -> ArrayIndex {
        self.all.push(array);
        self.all.len() as ArrayIndex - 1
    }

    fn add_heat(&mut self, key: &str, heat: Heat) -> HeatColumns {
        HeatColumns {
            key: key.to_owned(),
            first: self.add(heat.first),
            last: self.add(heat.last),
            from: self.add(heat.from),
            to: self.add(heat.to),
            bins: self.add(heat.bins),
            shares: self.add(heat.shares),
            histograms: heat.histograms as u64,
        }
    }

    fn add_line(&mut self, line: Decimated) -> (ArrayIndex, ArrayIndex) {
        (self.add(line.x), self.add(line.y))
    }
}
