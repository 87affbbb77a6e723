//! The points of a line by the pixel columns in which they stand.
//!
//! A column's points are mostly thousands. An [`IndexedLine`](super::IndexedLine) knows the extremes of each block of
//! successive points, and a block that stands in one column is looked at as a whole.

use std::ops::Range;

use super::blocks::{Extremes, Points, whole};

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
        let block = whole(points, at, range.end).filter(|block| is_in_column(block.last));
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
