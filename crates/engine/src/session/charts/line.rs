//! One line of a chart: decimated, smoothed, with its band and its ranges.

use super::arrays::Arrays;
use super::cache::Prepared;
use super::smoothing::is_smoothing;
use rundown_plot::{Decimated, inside};
use rundown_protocol::{ArrayIndex, Line, LineBand, LinesRequest};
use rundown_stats as stats;

/// Outliers: what lies beyond these shares of the values, by more than this part of the span between them.
const OUTLIERS: (f64, f64, f64) = (0.01, 0.99, 0.5);
/// A range is worth cutting where it is so many times as wide as without outliers.
const WORTH: f64 = 3.0;
/// Most values that the range without outliers is taken of, evenly chosen.
const SAMPLED: usize = 1 << 12;

/// The line of a series. Which series it is the caller says.
pub fn line(prepared: &mut Prepared, restarts: Vec<f64>, wanted: &LinesRequest, arrays: &mut Arrays) -> Line {
    let drawn = prepared.drawn();
    let raw = drawn.decimate(wanted.window, wanted.width_px);
    let values = drawn.y().get(inside(drawn.x(), wanted.window)).unwrap_or_default();
    let band = wanted.band.then(|| drawn.column_band(wanted.window, wanted.width_px)).flatten();
    let band =
        band.map(|band| LineBand { x: arrays.add(band.x), low: arrays.add(band.low), high: arrays.add(band.high) });
    let robust_range = raw.y_range.map(|range| robust_range(values, range));
    let is_smooth = is_smoothing(&wanted.smoothing);
    let line = Line { band, robust_range, restarts: arrays.add(restarts), ..raw_line(raw, arrays) };
    if !is_smooth {
        return line;
    }
    let smooth = prepared.smoothed_line(&wanted.smoothing, wanted.window, wanted.width_px);
    let (smooth_x, smooth_y) = arrays.line(smooth);
    Line { smooth_x, smooth_y, ..line }
}

/// The parts of a line that its decimated points say; the smoothed line is the raw one.
pub fn raw_line(raw: Decimated, arrays: &mut Arrays) -> Line {
    let (x, y): (ArrayIndex, ArrayIndex) = (arrays.add(raw.x), arrays.add(raw.y));
    Line {
        x,
        y,
        smooth_x: x,
        smooth_y: y,
        nan_x: arrays.add(raw.nan_x),
        positive_infinity_x: arrays.add(raw.positive_infinity_x),
        negative_infinity_x: arrays.add(raw.negative_infinity_x),
        points: raw.points,
        ..Line::default()
    }
}

/// The range that a few outliers do not flatten, as [`Line::robust_range`] says; `y_range` is that of the finite values.
pub fn robust_range(values: &[f64], y_range: (f64, f64)) -> (f64, f64) {
    let pace = values.len().div_ceil(SAMPLED).max(1);
    let sample: Vec<f64> = values.iter().copied().step_by(pace).filter(|value| value.is_finite()).collect();
    let (below, above, room) = OUTLIERS;
    let ends = stats::quantile(&sample, below).zip(stats::quantile(&sample, above));
    let Some((low, high)) = ends else { return y_range };
    let room = (high - low) * room;
    let (low, high) = ((low - room).max(y_range.0), (high + room).min(y_range.1));
    if y_range.1 - y_range.0 < WORTH * (high - low) { y_range } else { (low, high) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_are_cut_where_they_flatten_the_rest() {
        // 0 to 0.99 a hundred times over: the 1st percentile is 0.0099, the 99th 0.9801.
        let mut values: Vec<f64> = (0..10_000).map(|place| f64::from(place % 100) / 100.0).collect();
        assert_eq!(robust_range(&values, (0.0, 0.99)), (0.0, 0.99));
        values[77] = 50.0;
        values[99] = f64::NAN;
        let (low, high) = robust_range(&values, (0.0, 50.0));
        assert!(low == 0.0 && (high - 1.46).abs() < 0.01, "{low} {high}");
        assert_eq!(robust_range(&values, (0.0, 3.0)), (0.0, 3.0), "hardly wider");
        let mut flat = vec![2.0; 500];
        flat[7] = 9.0;
        assert_eq!(robust_range(&flat, (2.0, 9.0)), (2.0, 2.0), "all but one value are the same");
        assert_eq!(robust_range(&[], (1.0, 2.0)), (1.0, 2.0));
    }
}
