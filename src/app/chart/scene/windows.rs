//! Arithmetic of windows: two fingers, and numbers short enough for an address.

use rundown_plot::Range;

/// Fingers closer than this in pixels only move the window: the factor of a pinch would jump.
const MIN_SPREAD: f64 = 24.0;

/// The window after two fingers moved.
///
/// `values` are what lay under the fingers when they came down, `pixels` where they are now, both in the same order;
/// `area` is the left edge and the width of the plotting area in pixels, and `now` the window as it is.
pub fn pinched(values: (f64, f64), pixels: (f64, f64), area: (f64, f64), now: Range) -> Option<(f64, f64)> {
    let (left, width) = area;
    let spread = pixels.1 - pixels.0;
    let apart = values.1 - values.0;
    let is_steady = spread.abs() < MIN_SPREAD || apart == 0.0 || (spread > 0.0) != (apart > 0.0);
    let per_pixel = if is_steady { now.span() / width } else { apart / spread };
    if !(width > 0.0 && per_pixel.is_finite() && per_pixel > 0.0) {
        return None;
    }
    // What lay between the fingers stays between them.
    let middle = values.0 / 2.0 + values.1 / 2.0;
    let low = middle - ((pixels.0 + pixels.1) / 2.0 - left) * per_pixel;
    let high = low + width * per_pixel;
    (low.is_finite() && high.is_finite()).then_some((low, high))
}

/// A window to five digits of its width: what lies beyond is less than a pixel.
pub fn rounded((low, high): (f64, f64)) -> (f64, f64) {
    let exponent = libm::floor(libm::log10(high - low)) - 4.0;
    if !exponent.is_finite() || exponent > 0.0 {
        return (low.round(), high.round());
    }
    let decimals = (-exponent).clamp(0.0, 15.0) as usize;
    let rounded = |value: f64| format!("{value:.decimals$}").parse().unwrap_or(value);
    (rounded(low), rounded(high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn now() -> Range {
        Range::new(0.0, 100.0).unwrap()
    }

    #[test]
    fn what_lies_under_the_fingers_stays_there() {
        // Fingers on 40 and 60 of 0 to 100 in 200 pixels move to the ends.
        assert_eq!(pinched((40.0, 60.0), (0.0, 200.0), (0.0, 200.0), now()), Some((40.0, 60.0)));
        // Both move 50 pixels to the right.
        assert_eq!(pinched((40.0, 60.0), (130.0, 170.0), (0.0, 200.0), now()), Some((-25.0, 75.0)));
        assert_eq!(pinched((60.0, 40.0), (170.0, 130.0), (0.0, 200.0), now()), Some((-25.0, 75.0)), "either order");
    }

    #[test]
    fn fingers_that_meet_only_move_the_window() {
        let (low, high) = pinched((40.0, 60.0), (100.0, 101.0), (0.0, 200.0), now()).unwrap();
        assert!((high - low - 100.0).abs() < 1e-9);
        assert_eq!(pinched((f64::NAN, 1.0), (0.0, 90.0), (0.0, 200.0), now()), None);
        assert_eq!(pinched((1.0, 2.0), (0.0, 90.0), (0.0, 0.0), now()), None);
    }

    #[test]
    fn addresses_have_short_numbers() {
        assert_eq!(rounded((12.345_678_901, 56.789_012_345)), (12.346, 56.789));
        assert_eq!(rounded((1.7e9 + 0.123_456, 1.7e9 + 3_600.654_321)), (1_700_000_000.1, 1_700_003_600.7));
        assert_eq!(rounded((0.000_012_345_678, 0.000_022_345_678)), (0.000_012_346, 0.000_022_346));
        assert_eq!(rounded((0.0, 1e12)), (0.0, 1e12));
    }

    proptest! {
        #[test]
        fn a_tidy_window_is_nearly_the_same(low in -1e9..1e9f64, span in 1e-3..1e9f64) {
            let (from, to) = rounded((low, low + span));
            prop_assert!((from - low).abs() <= span * 1e-3 && (to - low - span).abs() <= span * 1e-3);
            prop_assert!(from < to);
        }
    }
}
