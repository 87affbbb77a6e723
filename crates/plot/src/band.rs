//! The outline of a band, cut to the plotting area.

use plotters_backend::BackendCoord;

use super::clamped;
use super::clip::Rect;
use super::ink::coordinate;

/// One column of a band in pixels: x, and where its upper and its lower edge lie.
pub(super) type Column = (f64, f64, f64);

/// The outlines of the unbroken stretches of a band: columns with a NaN break it.
pub(super) fn outlines(columns: impl Iterator<Item = Column>, rect: &Rect) -> Vec<Vec<BackendCoord>> {
    let mut out = Vec::new();
    let mut stretch: Vec<Column> = Vec::new();
    let mut before: Option<Column> = None;
    for column in columns {
        if column.0.is_nan() || column.1.is_nan() || column.2.is_nan() {
            close(&mut stretch, rect, &mut out);
            before = None;
            continue;
        }
        if let Some(before) = before
            && column.0 >= rect.left
            && before.0 < rect.right
        {
            if stretch.is_empty() {
                stretch.push(cut(before, column, rect.left.max(before.0)));
            }
            stretch.push(cut(before, column, rect.right.min(column.0)));
        }
        before = Some(column);
    }
    close(&mut stretch, rect, &mut out);
    out
}

/// The band at a position between two of its columns.
fn cut(from: Column, to: Column, x: f64) -> Column {
    let part = if to.0 > from.0 { clamped((x - from.0) / (to.0 - from.0), 0.0, 1.0) } else { 0.0 };
    // The ends as they are: a value times zero may be NaN.
    let between = |a: f64, b: f64| match part {
        0.0 => a,
        1.0 => b,
        part => a + (b - a) * part,
    };
    (x, between(from.1, to.1), between(from.2, to.2))
}

fn close(stretch: &mut Vec<Column>, rect: &Rect, out: &mut Vec<Vec<BackendCoord>>) {
    if stretch.len() > 1 {
        let at = |x: f64, y: f64| coordinate((x, clamped(y, rect.top, rect.bottom)));
        let upper = stretch.iter().map(|(x, top, _)| at(*x, *top));
        let lower = stretch.iter().rev().map(|(x, _, bottom)| at(*x, *bottom));
        out.push(upper.chain(lower).collect());
    }
    stretch.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECT: Rect = Rect { left: 10.0, top: 0.0, right: 20.0, bottom: 100.0 };

    #[test]
    fn a_band_is_cut_to_the_area() {
        let columns = [(0.0, 0.0, 100.0), (20.0, 40.0, 60.0), (40.0, 50.0, 50.0)];
        assert_eq!(outlines(columns.into_iter(), &RECT), [[(10, 20), (20, 40), (20, 60), (10, 80)]]);
        let above = [(10.0, -50.0, 200.0), (20.0, f64::NEG_INFINITY, f64::INFINITY)];
        assert_eq!(outlines(above.into_iter(), &RECT), [[(10, 0), (20, 0), (20, 100), (10, 100)]]);
    }

    #[test]
    fn a_gap_breaks_it() {
        let columns = [(10.0, 1.0, 2.0), (12.0, 1.0, 2.0), (13.0, f64::NAN, 2.0), (14.0, 1.0, 2.0), (16.0, 1.0, 2.0)];
        assert_eq!(outlines(columns.into_iter(), &RECT).len(), 2);
        assert!(outlines([(10.0, 1.0, 2.0)].into_iter(), &RECT).is_empty());
    }
}
