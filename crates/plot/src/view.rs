//! Zooming and panning along x, as arithmetic.

use super::{Range, clamped};

/// The narrowest window, as a fraction of everything. Below it f64 steps would show as stairs.
const NARROWEST: f64 = 1e-7;
/// A window this close to everything is everything.
const NEARLY_ALL: f64 = 0.999;

/// What part of x is looked at. Windows stay within the extent and never become empty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct XWindow {
    extent: Range,
    window: Option<Range>,
}

impl XWindow {
    /// A view of `window` (low, high) within `extent`; of everything when `None` or unusable.
    pub fn new(extent: Range, window: Option<(f64, f64)>) -> Self {
        let whole = Self { extent, window: None };
        match window {
            Some((from, to)) => whole.selected(from, to),
            None => whole,
        }
    }

    /// The visible part.
    pub fn range(self) -> Range {
        self.window.unwrap_or(self.extent)
    }

    /// Ends of the window, `None` while everything is visible.
    pub fn window(self) -> Option<(f64, f64)> {
        self.window.map(Range::ends)
    }

    /// Shows the stretch between two values, in either order. A stretch outside the extent shows everything.
    pub fn selected(self, a: f64, b: f64) -> Self {
        let whole = Self { extent: self.extent, window: None };
        if a.is_nan() || b.is_nan() {
            return whole;
        }
        let (low, high) = self.extent.ends();
        let (a, b) = (a.min(b), a.max(b));
        let is_outside = (a < low && b <= low) || (b > high && a >= high);
        if is_outside {
            return whole;
        }
        let (from, to) = (clamped(a, low, high), clamped(b, low, high));
        let least = self.extent.span() * NARROWEST;
        let (from, to) = if to - from >= least {
            (from, to)
        } else {
            // Widen around the middle, shifted to stay within.
            let from = clamped((from + to) / 2.0 - least / 2.0, low, high - least);
            (from, from + least)
        };
        if to - from >= self.extent.span() * NEARLY_ALL {
            return whole;
        }
        match Range::new(from, to) {
            Some(window) if window.low() >= low && window.high() <= high => {
                Self { extent: self.extent, window: Some(window) }
            }
            _ => whole,
        }
    }

    /// Makes the window `factor` times as wide and keeps the value `at` in its place on the screen.
    pub fn zoomed(self, at: f64, factor: f64) -> Self {
        if !(at.is_finite() && factor.is_finite() && factor > 0.0) {
            return self;
        }
        let range = self.range();
        let at = clamped(at, range.low(), range.high());
        let from = at - (at - range.low()) * factor;
        let to = at + (range.high() - at) * factor;
        self.selected(from, to)
    }

    /// Moves the window by a fraction of its width, positive to later values, without leaving the extent.
    pub fn panned(self, fraction: f64) -> Self {
        let Some(window) = self.window else { return self };
        if !fraction.is_finite() {
            return self;
        }
        let (low, high) = self.extent.ends();
        let from = clamped(window.low() + window.span() * fraction, low, (high - window.span()).max(low));
        self.selected(from, from + window.span())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn view() -> XWindow {
        XWindow::new(Range::new(0.0, 100.0).unwrap(), None)
    }

    #[test]
    fn zooming_keeps_the_value_under_the_pointer() {
        let zoomed = view().zoomed(25.0, 0.5);
        assert_eq!(zoomed.window(), Some((12.5, 62.5)));
        assert!((zoomed.range().fraction(25.0) - 0.25).abs() < 1e-12);
        assert_eq!(zoomed.zoomed(25.0, 2.0).window(), None, "zooming out again shows everything");
    }

    #[test]
    fn panning_stops_at_the_ends() {
        let part = view().selected(40.0, 20.0);
        assert_eq!(part.panned(0.5).window(), Some((30.0, 50.0)));
        assert_eq!(part.panned(-9.0).window(), Some((0.0, 20.0)));
        assert_eq!(part.panned(9.0).window(), Some((80.0, 100.0)));
        assert_eq!(view().panned(1.0), view());
    }

    #[test]
    fn a_click_without_width_still_gives_a_window() {
        let (from, to) = view().selected(50.0, 50.0).window().unwrap();
        assert!(from < to && to - from < 1e-4);
        assert_eq!(XWindow::new(Range::unit(), Some((f64::NAN, 1.0))).window(), None);
    }

    #[test]
    fn a_stretch_outside_the_extent_shows_everything() {
        for window in [(500.0, 1_000.0), (100.0, 200.0), (-9.0, -1.0), (-9.0, 0.0)] {
            assert_eq!(XWindow::new(view().extent, Some(window)), view(), "{window:?}");
        }
        assert_eq!(view().selected(90.0, 1_000.0).window(), Some((90.0, 100.0)));
        assert!(view().zoomed(100.0, 1e-300).window().is_some(), "zoomed in at the end");
    }

    proptest! {
        #[test]
        fn no_gesture_leaves_the_extent(
            ends: (f64, f64), first: (f64, f64), gestures in prop::collection::vec((0_u8..3, any::<f64>(), any::<f64>()), 0..20),
        ) {
            let Some(extent) = Range::new(ends.0, ends.1) else { return Ok(()) };
            let mut view = XWindow::new(extent, Some(first));
            for (kind, a, b) in gestures {
                view = match kind {
                    0 => view.selected(a, b),
                    1 => view.zoomed(a, b),
                    _ => view.panned(a),
                };
                let range = view.range();
                prop_assert!(range.low() >= extent.low() && range.high() <= extent.high());
                prop_assert!(range.span() > 0.0);
            }
        }
    }
}
