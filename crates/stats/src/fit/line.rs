//! The straight line by least squares, with an interval that allows for autocorrelated residuals.

use super::super::autocorrelation::effective_size;
use super::super::describe::mean;
use super::super::distributions::student_quantile;
use super::FitError;

/// y = slope x + intercept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineFit {
    /// Change of y for one of x.
    pub slope: f64,
    /// y at x = 0.
    pub intercept: f64,
    /// Lower end of the 95 % interval of the slope, which allows for autocorrelated residuals: the standard error of
    /// independent ones is multiplied by sqrt(n / effective n), and Student's t has effective n - 2 degrees.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Share of the variance of y that the line explains, 0 to 1.
    pub r2: f64,
    /// Root mean square of the residuals.
    pub rmse: f64,
    /// Points used, after averaging in blocks.
    pub n: usize,
    /// Independent residuals that would carry as much evidence.
    pub effective: f64,
}

/// The sums of a straight line by least squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LeastSquares {
    /// Change of y for one of x.
    pub slope: f64,
    /// y at x = 0.
    pub intercept: f64,
    /// Sum of squared residuals.
    pub sse: f64,
    /// Sum of squares of x around its mean.
    pub xx: f64,
    /// Sum of squares of y around its mean.
    pub yy: f64,
    x_mean: f64,
    y_mean: f64,
}

/// The line alone, without errors. `None` for different lengths, without points, where x does not vary, or where sums
/// overflow.
pub fn least_squares(x: &[f64], y: &[f64]) -> Option<LeastSquares> {
    if x.len() != y.len() {
        return None;
    }
    let (x_mean, y_mean) = (mean(x)?, mean(y)?);
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        let (dx, dy) = (x - x_mean, y - y_mean);
        xx += dx * dx;
        xy += dx * dy;
        yy += dy * dy;
    }
    if xx <= 0.0 || !xx.is_finite() || !yy.is_finite() {
        return None;
    }
    let slope = xy / xx;
    let (intercept, sse) = (y_mean - slope * x_mean, (yy - slope * xy).max(0.0));
    Some(LeastSquares { slope, intercept, sse, xx, yy, x_mean, y_mean })
}

/// The line with its residuals, in the order of the points.
pub(super) fn of_points(x: &[f64], y: &[f64]) -> Result<(LineFit, Vec<f64>), FitError> {
    if x.is_empty() {
        return Err(FitError::TooFewPoints);
    }
    let squares = least_squares(x, y).filter(|squares| squares.yy > 0.0).ok_or(FitError::NoSpread)?;
    let LeastSquares { slope, intercept, x_mean, y_mean, xx, yy, .. } = squares;
    let residuals: Vec<f64> = x.iter().zip(y).map(|(x, y)| (y - y_mean) - slope * (x - x_mean)).collect();
    let sse: f64 = residuals.iter().map(|value| value * value).sum();
    let n = x.len() as f64;
    let slope_error = (sse / (n - 2.0).max(1.0) / xx).sqrt();
    let effective = effective_size(&residuals);
    let half_width = slope_error * (n / effective).sqrt() * student_quantile(0.05, (effective - 2.0).max(1.0));
    let line = LineFit {
        slope,
        intercept,
        low: slope - half_width,
        high: slope + half_width,
        r2: (1.0 - sse / yy).clamp(0.0, 1.0),
        rmse: (sse / n).sqrt(),
        n: x.len(),
        effective,
    };
    Ok((line, residuals))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::{close, golden, numbers};
    use crate::testing::{ar1, white};
    use proptest::prelude::*;

    fn x(n: u32) -> Vec<f64> {
        (0..n).map(f64::from).collect()
    }

    fn line_of(x: &[f64], y: &[f64]) -> LineFit {
        of_points(x, y).unwrap().0
    }

    #[test]
    fn it_agrees_with_statsmodels() {
        for expected in golden()["fits"]["lines"].as_array().unwrap() {
            let line = line_of(&numbers(&expected["x"]), &numbers(&expected["y"]));
            for (what, got) in [
                ("slope", line.slope),
                ("intercept", line.intercept),
                ("r2", line.r2),
                ("low", line.low),
                ("high", line.high),
            ] {
                close(what, got, &expected[what]);
            }
        }
    }

    #[test]
    fn an_exact_line() {
        let y: Vec<f64> = x(20).iter().map(|x| 3.0 - 0.5 * x).collect();
        let line = line_of(&x(20), &y);
        assert!((line.slope + 0.5).abs() < 1e-14 && (line.intercept - 3.0).abs() < 1e-13 && line.r2 > 1.0 - 1e-14);
        assert_eq!(of_points(&[], &[]), Err(FitError::TooFewPoints));
        assert_eq!(of_points(&[2.0; 20], &y), Err(FitError::NoSpread));
    }

    #[test]
    fn the_interval_allows_for_autocorrelation() {
        let covered = (0..100).filter(|seed| {
            let y: Vec<f64> = ar1(*seed, 200, 0.8).iter().zip(x(200)).map(|(noise, x)| noise + 0.01 * x).collect();
            let line = line_of(&x(200), &y);
            line.low <= 0.01 && 0.01 <= line.high
        });
        assert!(covered.count() >= 80);
        let line = line_of(&x(200), &white(1, 200));
        assert!(line.low < 0.0 && 0.0 < line.high && line.r2 < 0.05);
    }

    proptest! {
        #[test]
        fn never_panics(y in prop::collection::vec(prop::num::f64::ANY, 0..30)) {
            let _ = (of_points(&y, &y), of_points(&x(y.len() as u32), &y));
        }
    }
}
