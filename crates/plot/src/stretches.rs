//! The points of a line by the pixel columns in which they stand.
//!
//! A column's points are mostly thousands. An [`IndexedLine`](super::IndexedLine) knows the extremes of each block of
//! successive points, and a block that stands in one column is looked at as a whole.

use std::ops::Range;

use super::blocks::{self, Block};

/// Points whose positions ascend, with their blocks where these are known.
#[derive(Clone, Copy)]
pub(super) struct Points<'a> {
    pub x: &'a [f64],
    pub y: &'a [f64],
    /// From the first point on; empty where they are not known.
    pub blocks: &'a [Block],
}

/// Pixel columns over a stretch of x.
pub(super) struct Columns {
    /// How many.
    pub count: usize,
    origin: f64,
    per_x: f64,
}

impl Columns {
    /// Columns over a window, or over ascending positions where it has no finite ends.
    pub fn of(x: &[f64], window: Option<(f64, f64)>, width_px: u32) -> Self {
        let ends = match (window, x.first(), x.last()) {
            (Some((a, b)), _, _) if a.is_finite() && b.is_finite() => (a.min(b), a.max(b)),
            (_, Some(&first), Some(&last)) => (first, last),
            _ => (0.0, 0.0),
        };
        let count = width_px.clamp(1, 65_536);
        // Halves, so that the span of the largest numbers stays finite.
        let half_span = ends.1 / 2.0 - ends.0 / 2.0;
        let per_x = if half_span > 0.0 { f64::from(count) / 2.0 / half_span } else { 0.0 };
        let per_x = if per_x.is_finite() { per_x } else { 0.0 };
        Self { count: count as usize, origin: ends.0, per_x }
    }

    /// Column of a position; positions right of the last column belong to it. `as` saturates, and NaN gives 0.
    pub fn at(&self, x: f64) -> usize {
        (((x - self.origin) * self.per_x) as usize).min(self.count - 1)
    }
}

/// Places and values of the extremes of successive finite points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Extremes {
    pub first: usize,
    pub low: usize,
    pub high: usize,
    pub last: usize,
    pub low_value: f64,
    pub high_value: f64,
}

impl Extremes {
    /// Those of a single point.
    pub fn at(index: usize, value: f64) -> Self {
        Self { first: index, low: index, high: index, last: index, low_value: value, high_value: value }
    }

    /// Adds those of the points behind these.
    #[inline]
    pub fn extend(&mut self, next: &Self) {
        self.last = next.last;
        if next.low_value < self.low_value {
            (self.low, self.low_value) = (next.low, next.low_value);
        }
        if next.high_value > self.high_value {
            (self.high, self.high_value) = (next.high, next.high_value);
        }
    }
}

/// What stands next along a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Stretch {
    /// The finite points of a pixel column.
    Column(Extremes),
    /// A break of the line at this position, before the column that comes next. One between two points of a column is
    /// narrower than a pixel, and left out.
    Break(f64),
    /// A point that is not finite, by its place and its column.
    NonFinite(usize, usize),
}

/// Gives what stands in a range of places.
pub(super) fn stretches(points: Points<'_>, range: Range<usize>, columns: &Columns, mut each: impl FnMut(Stretch)) {
    let mut current: Option<(usize, Extremes)> = None;
    let mut broken_at: Option<f64> = None;
    let mut at = range.start;
    while at < range.end {
        let (Some(&position), Some(&value)) = (points.x.get(at), points.y.get(at)) else { break };
        let column = columns.at(position);
        if !value.is_finite() {
            each(Stretch::NonFinite(at, column));
            broken_at = broken_at.or(Some(position));
            at += 1;
            continue;
        }
        let is_in_column = |last: usize| points.x.get(last).is_some_and(|x| columns.at(*x) == column);
        let block = blocks::whole(points, at, range.end).filter(|block| is_in_column(block.last));
        let found = block.unwrap_or_else(|| Extremes::at(at, value));
        at = found.last + 1;
        if let Some((open, extremes)) = &mut current
            && *open == column
        {
            extremes.extend(&found);
            broken_at = None;
            continue;
        }
        if let Some((_, extremes)) = current.replace((column, found)) {
            each(Stretch::Column(extremes));
        }
        if let Some(position) = broken_at.take() {
            each(Stretch::Break(position));
        }
    }
    if let Some((_, extremes)) = current {
        each(Stretch::Column(extremes));
    }
    if let Some(position) = broken_at {
        each(Stretch::Break(position));
    }
}
