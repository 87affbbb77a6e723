//! Cuts lines to the plotting area before their coordinates become integers.
//!
//! A backend knows no clip region, and its coordinates are `i32`: a point far outside would draw over the labels,
//! or overflow. Clamping such a point would bend its line, so segments are cut where they cross the edge.

/// A rectangle in pixels, y downwards, left below right and top below bottom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rect {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Rect {
    /// Whether a point lies in it, its edges included; false for NaN.
    pub fn contains(&self, (x, y): (f64, f64)) -> bool {
        x >= self.left && x <= self.right && y >= self.top && y <= self.bottom
    }
}

/// `value`, or the bound that it is beyond; NaN stays. Unlike `f64::clamp` this can't panic: of crossed bounds the
/// first that applies counts. (The text of that panic prints floats, which costs the page 13 kB.)
pub fn clamped(value: f64, low: f64, high: f64) -> f64 {
    match value {
        value if value < low => low,
        value if value > high => high,
        value => value,
    }
}

/// Coordinates beyond this are pulled in first: products of two stay finite, and at any zoom the slope within the
/// area changes by less than a pixel.
const FAR: f64 = 1e9;

/// The part of the segment from `a` to `b` that lies in `rect`, ends included (Liang and Barsky, 1984). `None` when
/// none does or a coordinate is NaN.
pub(super) fn clip_segment(a: (f64, f64), b: (f64, f64), rect: &Rect) -> Option<((f64, f64), (f64, f64))> {
    // Most are, and need no division.
    if rect.contains(a) && rect.contains(b) {
        return Some((a, b));
    }
    if a.0.is_nan() || a.1.is_nan() || b.0.is_nan() || b.1.is_nan() {
        return None;
    }
    let (a, b) = (pull_in(a), pull_in(b));
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let edges = [(-dx, a.0 - rect.left), (dx, rect.right - a.0), (-dy, a.1 - rect.top), (dy, rect.bottom - a.1)];
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for (direction, distance) in edges {
        if direction == 0.0 {
            if distance < 0.0 {
                return None;
            }
            continue;
        }
        let crossing = distance / direction;
        if direction < 0.0 {
            from = from.max(crossing);
        } else {
            to = to.min(crossing);
        }
    }
    if from > to {
        return None;
    }
    // Rounding may leave a cut end a hair outside.
    let at =
        |part: f64| (clamped(a.0 + dx * part, rect.left, rect.right), clamped(a.1 + dy * part, rect.top, rect.bottom));
    Some((if from == 0.0 { a } else { at(from) }, if to == 1.0 { b } else { at(to) }))
}

fn pull_in(point: (f64, f64)) -> (f64, f64) {
    (point.0.clamp(-FAR, FAR), point.1.clamp(-FAR, FAR))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RECT: Rect = Rect { left: 10.0, top: 20.0, right: 110.0, bottom: 70.0 };

    #[test]
    fn a_segment_is_cut_where_it_crosses_the_edge() {
        let cut = clip_segment((0.0, 45.0), (200.0, 45.0), &RECT);
        assert_eq!(cut, Some(((10.0, 45.0), (110.0, 45.0))));
        assert_eq!(clip_segment((20.0, 30.0), (30.0, 40.0), &RECT), Some(((20.0, 30.0), (30.0, 40.0))));
        assert_eq!(clip_segment((0.0, 0.0), (5.0, 100.0), &RECT), None);
        assert_eq!(clip_segment((50.0, f64::NAN), (60.0, 40.0), &RECT), None);
        assert_eq!(clip_segment((50.0, 40.0), (50.0, 40.0), &RECT), Some(((50.0, 40.0), (50.0, 40.0))));
    }

    proptest! {
        #[test]
        fn nothing_is_drawn_outside(x0: f64, y0: f64, x1: f64, y1: f64) {
            if let Some((a, b)) = clip_segment((x0, y0), (x1, y1), &RECT) {
                for (x, y) in [a, b] {
                    prop_assert!((10.0..=110.0).contains(&x) && (20.0..=70.0).contains(&y), "{x} {y}");
                }
            }
        }
    }
}
