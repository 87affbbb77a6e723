//! Cuts a line down to what its width can show. Drawing cost then depends on pixels, not on points.
//!
//! The method is M4 (Jugel and others, "M4: A Visualization-Oriented Time Series Data Aggregation", VLDB 2014): of
//! each pixel column the first, lowest, highest and last point. What is drawn is the same to the pixel, and unlike
//! sampling it can't lose a spike. Non-finite points are never aggregated away: they break the line and their
//! positions come back apart, to be marked.

use std::borrow::Cow;
use std::ops::Range;

use super::blocks::{Extremes, Points};
use super::stretches::{Columns, Stretch, stretches};
use rundown_run::sort_points;

/// What a chart of a given width shows of one line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decimated {
    /// Ascending positions, including one neighbour beyond each edge of the window.
    pub x: Vec<f64>,
    /// Values; NaN breaks the line.
    pub y: Vec<f64>,
    /// Positions of NaN in the window, at most one for each pixel column.
    pub nan_x: Vec<f64>,
    /// Positions of +∞ in the window, at most one for each pixel column.
    pub positive_infinity_x: Vec<f64>,
    /// Positions of −∞ in the window, at most one for each pixel column.
    pub negative_infinity_x: Vec<f64>,
    /// Smallest and largest finite value in the window, neighbours excluded.
    pub y_range: Option<(f64, f64)>,
    /// Points in the window, non-finite ones included.
    pub points: u64,
}

/// Points and breaks of `(x, y)` that a chart of `width_px` pixel columns shows of `window` (everything when
/// `None`).
///
/// `x` ascends; where it does not, or holds non-finite positions, a sorted copy without them is used. Extra
/// elements of the longer slice are ignored. Up to four points a pixel column come back, plus one NaN for each
/// column that follows a break, plus one neighbour beyond each edge of the window so that the line runs out of the
/// picture. With no more points than that the line comes back as it is, its infinities turned into breaks.
pub fn decimate(x: &[f64], y: &[f64], window: Option<(f64, f64)>, width_px: u32) -> Decimated {
    let len = x.len().min(y.len());
    let (Some(x), Some(y)) = (x.get(..len), y.get(..len)) else { return Decimated::default() };
    let (x, y) = ascending(x, y);
    decimated(Points { x: &x, y: &y, blocks: &[] }, window, width_px)
}

/// What [`decimate`] gives of points whose positions ascend and are finite.
pub(super) fn decimated(points: Points<'_>, window: Option<(f64, f64)>, width_px: u32) -> Decimated {
    let Points { x, y, .. } = points;
    let Range { start, end } = inside(x, window);
    let inside_x = x.get(start..end).unwrap_or(&[]);
    let inside_y = y.get(start..end).unwrap_or(&[]);
    let columns = Columns::of(inside_x, window, width_px);

    let mut out = Decimated { points: inside_x.len() as u64, ..Decimated::default() };
    let capacity = inside_x.len().min(columns.count.saturating_mul(5)).saturating_add(2);
    out.x.reserve(capacity);
    out.y.reserve(capacity);

    let before = start.checked_sub(1);
    if let Some((&position, &value)) = before.and_then(|index| x.get(index).zip(y.get(index))) {
        out.push(position, value);
    }
    if inside_x.len() <= columns.count.saturating_mul(4) {
        out.copy(inside_x, inside_y, &columns);
    } else {
        out.aggregate(points, start..end, &columns);
    }
    if let Some((&position, &value)) = x.get(end).zip(y.get(end)) {
        out.push(position, value);
    }
    out
}

/// Places of the positions that lie in a window, its ends included; of all when it is `None` or an end is NaN. `x` ascends.
pub fn inside(x: &[f64], window: Option<(f64, f64)>) -> Range<usize> {
    let (from, to) = match window {
        Some((a, b)) if a <= b => (a, b),
        Some((a, b)) if a > b => (b, a),
        _ => (f64::NEG_INFINITY, f64::INFINITY),
    };
    let start = x.partition_point(|position| *position < from);
    start..x.partition_point(|position| *position <= to).max(start)
}

/// The points in ascending order of finite positions; borrowed when they are so already.
pub(super) fn ascending<'a>(x: &'a [f64], y: &'a [f64]) -> (Cow<'a, [f64]>, Cow<'a, [f64]>) {
    // Ascending, so only the first and the last could be infinite, and `is_sorted` is false with any NaN.
    let ends_are_finite =
        x.first().is_none_or(|first| first.is_finite()) && x.last().is_none_or(|last| last.is_finite());
    if ends_are_finite && x.is_sorted() {
        return (Cow::Borrowed(x), Cow::Borrowed(y));
    }
    let mut points: Vec<(f64, f64)> =
        x.iter().copied().zip(y.iter().copied()).filter(|(position, _)| position.is_finite()).collect();
    sort_points(&mut points);
    let (x, y): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
    (Cow::Owned(x), Cow::Owned(y))
}

impl Decimated {
    fn push(&mut self, x: f64, y: f64) {
        self.x.push(x);
        self.y.push(if y.is_finite() { y } else { f64::NAN });
    }

    fn widen(&mut self, low: f64, high: f64) {
        self.y_range = Some(self.y_range.map_or((low, high), |(lowest, highest)| (lowest.min(low), highest.max(high))));
    }

    /// Records a non-finite value; `marked` holds for each kind the column that has its mark already.
    fn mark(&mut self, x: f64, y: f64, column: usize, marked: &mut [Option<usize>; 3]) {
        let [nan, positive, negative] = marked;
        let (list, seen) = if y.is_nan() {
            (&mut self.nan_x, nan)
        } else if y > 0.0 {
            (&mut self.positive_infinity_x, positive)
        } else {
            (&mut self.negative_infinity_x, negative)
        };
        if *seen != Some(column) {
            *seen = Some(column);
            list.push(x);
        }
    }

    /// Every point as it is.
    fn copy(&mut self, x: &[f64], y: &[f64], columns: &Columns) {
        let mut marked = [None; 3];
        for (&position, &value) in x.iter().zip(y) {
            self.push(position, value);
            if value.is_finite() {
                self.widen(value, value);
            } else {
                self.mark(position, value, columns.at(position), &mut marked);
            }
        }
    }

    /// First, lowest, highest and last point of each column.
    fn aggregate(&mut self, points: Points<'_>, range: Range<usize>, columns: &Columns) {
        let Points { x, y, .. } = points;
        let mut marked = [None; 3];
        stretches(points, range, columns, |stretch| match stretch {
            Stretch::Column(extremes) => self.flush(x, y, extremes),
            Stretch::Break(position) => self.push(position, f64::NAN),
            Stretch::NonFinite(index, column) => {
                if let Some((&position, &value)) = x.get(index).zip(y.get(index)) {
                    self.mark(position, value, column, &mut marked);
                }
            }
        });
    }

    fn flush(&mut self, x: &[f64], y: &[f64], extremes: Extremes) {
        self.widen(extremes.low_value, extremes.high_value);
        let (early, late) = (extremes.low.min(extremes.high), extremes.low.max(extremes.high));
        let mut previous = None;
        for index in [extremes.first, early, late, extremes.last] {
            if previous == Some(index) {
                continue;
            }
            previous = Some(index);
            if let Some((&position, &value)) = x.get(index).zip(y.get(index)) {
                self.push(position, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn steps(count: usize) -> Vec<f64> {
        (0..count).map(|step| step as f64).collect()
    }

    #[test]
    fn few_points_come_back_as_they_are() {
        let x = steps(8);
        let y = [1.0, f64::NAN, 3.0, f64::INFINITY, 5.0, f64::NEG_INFINITY, 7.0, 8.0];
        let out = decimate(&x, &y, None, 2);
        assert_eq!(out.x, x);
        assert_eq!(out.y.iter().map(|y| y.is_nan()).collect::<Vec<_>>(), y.map(|y| !y.is_finite()));
        assert_eq!((out.nan_x, out.positive_infinity_x, out.negative_infinity_x), (vec![1.0], vec![3.0], vec![5.0]));
        assert_eq!(out.y_range, Some((1.0, 8.0)));
        assert_eq!(out.points, 8);
    }

    #[test]
    fn a_window_takes_one_neighbour_at_each_side() {
        let x = steps(100);
        let out = decimate(&x, &x, Some((10.5, 20.5)), 600);
        assert_eq!(out.x.first(), Some(&10.0));
        assert_eq!(out.x.last(), Some(&21.0));
        assert_eq!(out.points, 10);
        assert_eq!(out.y_range, Some((11.0, 20.0)));
    }

    #[test]
    fn a_window_between_two_points_holds_both_neighbours() {
        let out = decimate(&[0.0, 10.0], &[1.0, 2.0], Some((4.0, 5.0)), 600);
        assert_eq!((out.x.as_slice(), out.points, out.y_range), (&[0.0, 10.0][..], 0, None));
    }

    #[test]
    fn one_spike_in_a_million_survives() {
        let x = steps(1_000_000);
        let mut y = vec![0.0; x.len()];
        y[777_777] = 9.0;
        y[123_456] = f64::NAN;
        let out = decimate(&x, &y, None, 600);
        assert!(out.x.len() <= 5 * 600 + 2, "{}", out.x.len());
        assert!(out.x.iter().zip(&out.y).any(|(x, y)| (*x, *y) == (777_777.0, 9.0)));
        assert_eq!(out.nan_x, [123_456.0]);
        assert_eq!(out.points, 1_000_000);
    }

    #[test]
    fn a_gap_wider_than_a_pixel_stays_a_gap() {
        let x = steps(10_000);
        let y: Vec<f64> = x.iter().map(|x| if (3_000.0..4_000.0).contains(x) { f64::NAN } else { *x }).collect();
        let out = decimate(&x, &y, None, 100);
        let breaks: Vec<f64> = out.x.iter().zip(&out.y).filter(|(_, y)| y.is_nan()).map(|(x, _)| *x).collect();
        assert_eq!(breaks, [3_000.0]);
        assert!(out.nan_x.len() <= 12, "one mark for each of ten or eleven columns: {}", out.nan_x.len());
    }

    #[test]
    fn positions_out_of_order_are_sorted_and_lost_ones_dropped() {
        let out = decimate(&[3.0, f64::NAN, 1.0, f64::INFINITY, 2.0], &[30.0, 0.0, 10.0, 0.0, 20.0], None, 100);
        assert_eq!((out.x, out.y), (vec![1.0, 2.0, 3.0], vec![10.0, 20.0, 30.0]));
    }

    #[test]
    fn nothing_gives_nothing() {
        assert_eq!(decimate(&[], &[], None, 0), Decimated::default());
        assert_eq!(decimate(&[], &[], Some((f64::NAN, 1.0)), 600), Decimated::default());
        assert_eq!(decimate(&[1.0, 1.0, 1.0], &[1.0, 5.0, 2.0], None, 0).y, [1.0, 5.0, 2.0]);
    }

    fn value() -> impl Strategy<Value = f64> {
        prop_oneof![
            20 => -1e3..1e3f64,
            1 => Just(f64::NAN),
            1 => Just(f64::INFINITY),
            1 => Just(f64::NEG_INFINITY),
            1 => Just(1.7e308),
            1 => Just(-1.7e308),
        ]
    }

    proptest! {
        #[test]
        fn extremes_and_bounds_hold(
            y in prop::collection::vec(value(), 0..3000),
            gaps in prop::collection::vec(0_u8..4, 3000),
            window in prop::option::of((-50.0..5e3f64, -50.0..5e3f64)),
            width in 1_u32..80,
        ) {
            let x: Vec<f64> = gaps.iter().scan(0.0, |at, gap| { *at += f64::from(*gap); Some(*at) }).collect();
            let x = &x[..y.len()];
            let out = decimate(x, &y, window, width);
            let (from, to) = window.map_or((f64::NEG_INFINITY, f64::INFINITY), |(a, b)| (a.min(b), a.max(b)));
            let within: Vec<(f64, f64)> =
                x.iter().copied().zip(y.iter().copied()).filter(|(x, _)| *x >= from && *x <= to).collect();

            prop_assert_eq!(out.points as usize, within.len());
            prop_assert_eq!(out.x.len(), out.y.len());
            prop_assert!(out.x.is_sorted());
            let finite = out.y.iter().filter(|y| y.is_finite()).count();
            prop_assert!(finite <= 4 * width as usize + 2);
            prop_assert!(out.x.len() <= 5 * width as usize + 3);

            let low = within.iter().map(|p| p.1).filter(|y| y.is_finite()).reduce(f64::min);
            let high = within.iter().map(|p| p.1).filter(|y| y.is_finite()).reduce(f64::max);
            prop_assert_eq!(out.y_range, low.zip(high));
            for extreme in [low, high].into_iter().flatten() {
                prop_assert!(out.y.contains(&extreme));
            }
            // Every point that comes back was logged.
            for (px, py) in out.x.iter().zip(&out.y) {
                let known = x.iter().zip(&y).any(|(x, y)| x == px && (y == py || (!y.is_finite() && py.is_nan())));
                prop_assert!(known, "{} {}", px, py);
            }
            let marks = out.nan_x.len() + out.positive_infinity_x.len() + out.negative_infinity_x.len();
            prop_assert_eq!(marks == 0, within.iter().all(|p| p.1.is_finite()));
            prop_assert!(marks <= 3 * width as usize);
        }

        #[test]
        fn any_numbers_are_survived(
            points in prop::collection::vec((any::<f64>(), any::<f64>()), 0..200),
            window: Option<(f64, f64)>,
            width: u32,
        ) {
            let (x, y): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
            let out = decimate(&x, &y, window, width);
            prop_assert!(out.x.len() <= x.len());
            prop_assert!(out.x.iter().all(|x| x.is_finite()) && out.y.iter().all(|y| y.is_finite() || y.is_nan()));
        }
    }
}
