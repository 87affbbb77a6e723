//! Series that were put over an x axis, kept so that zooming and panning only cut them down.

use std::ops::Range;

use super::axes::{Positioned, over};
use super::smoothing::{smoothed_sums, smoothed_window};
use rundown_plot::{Decimated, IndexedLine, decimate, inside};
use rundown_protocol::{Smoothing, XAxis};
use rundown_run::Run;
use rundown_vocabulary::Bindings;

/// Points kept for redrawing; beyond that everything is made anew. 16 bytes each.
const KEPT_POINTS: usize = 8_000_000;

/// The series of a run that were looked at.
#[derive(Default)]
pub struct LineCache {
    prepared: Vec<Prepared>,
    points: usize,
}

impl LineCache {
    /// A metric over an axis; `None` where the run has nothing of it there.
    pub fn prepare(
        &mut self,
        run: &Run,
        bindings: Option<&Bindings>,
        key: &str,
        axis: &XAxis,
    ) -> Option<&mut Prepared> {
        let known = self.prepared.iter().position(|known| known.key == key && known.axis == *axis);
        let place = match known {
            Some(place) => place,
            None => {
                let points = over(run, bindings, key, axis)?;
                let size = points.points.x().len() + points.extremes.as_ref().map_or(0, |line| line.x().len());
                if self.points + size > KEPT_POINTS {
                    self.prepared.clear();
                    self.points = 0;
                }
                self.points += size;
                self.prepared.push(Prepared { key: key.to_owned(), axis: axis.clone(), points, smooth: None });
                self.prepared.len() - 1
            }
        };
        self.prepared.get_mut(place)
    }
}

/// A series over an axis, and its smoothed values for the window that was drawn last.
pub struct Prepared {
    key: String,
    axis: XAxis,
    points: Positioned,
    smooth: Option<(Range<usize>, Smoothing, Vec<f64>)>,
}

impl Prepared {
    /// Positions and values.
    pub fn points(&self) -> (&[f64], &[f64]) {
        (self.points.points.x(), self.points.points.y())
    }

    /// The line as it is drawn: of a metric that came in buckets with the extremes of each.
    pub fn drawn(&self) -> &IndexedLine {
        self.points.extremes.as_ref().unwrap_or(&self.points.points)
    }

    /// First and last position.
    pub fn extent(&self) -> Option<(f64, f64)> {
        let (x, _) = self.points();
        Some((*x.first()?, *x.last()?))
    }

    /// The smoothed line of a window, cut down to a width.
    pub fn smoothed_line(&mut self, smoothing: &Smoothing, window: Option<(f64, f64)>, width_px: u32) -> Decimated {
        let line = &self.points.points;
        if let Some((x, y)) = smoothed_sums(smoothing, line, inside(line.x(), window)) {
            return decimate(&x, &y, window, width_px);
        }
        let (x, y) = self.smoothed(smoothing, window);
        decimate(x, y, window, width_px)
    }

    /// Positions and smoothed values of the points in a window.
    pub fn smoothed(&mut self, smoothing: &Smoothing, window: Option<(f64, f64)>) -> (&[f64], &[f64]) {
        let line = &self.points.points;
        let range = inside(line.x(), window);
        let is_known = |(known, by, _): &(Range<usize>, Smoothing, Vec<f64>)| *known == range && by == smoothing;
        if !self.smooth.as_ref().is_some_and(is_known) {
            self.smooth = Some((range.clone(), *smoothing, smoothed_window(smoothing, line, range.clone())));
        }
        let values = self.smooth.as_ref().map_or(&[][..], |(_, _, values)| values);
        (line.x().get(range).unwrap_or_default(), values)
    }
}
