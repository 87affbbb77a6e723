//! Curves fitted to a run, with the guards that keep them from promising what the data do not hold.
//!
//! A fit is refused with a reason when the data can't carry it; a fit that was made gives its forecast only where its
//! own uncertainty allows. Residuals of training curves are autocorrelated: intervals count effective values.

mod line;
mod log_log;
mod marquardt;
mod offset;
mod power;
mod sigmoid;

pub use line::{LeastSquares, least_squares};
pub use log_log::{PowerLaw, fit_power_law};
pub use offset::{OffsetPower, fit_offset_power};
pub use power::{SaturatingPower, fit_saturating_power};
pub use sigmoid::{Sigmoid, fit_sigmoid};

use super::autocorrelation::effective_size;
use super::describe::{mean, quantile};
use super::distributions::student_quantile;

/// Longer series are averaged in at most this many blocks of neighbours before a curve is fitted.
const MAX_POINTS: usize = 256;

/// Why a curve was not fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FitError {
    /// The two columns have different lengths, or a value is not finite or too large to square.
    BadValues,
    /// Too few points where both values can be used.
    TooFewPoints,
    /// A side does not vary, or the x values span too little.
    NoSpread,
    /// The curve does not rise from where it starts.
    NotRising,
    /// Too many values have no logarithm.
    NotPositive,
}

impl FitError {
    /// The reason in words, for "skipped because …".
    pub fn reason(self) -> &'static str {
        match self {
            Self::BadValues => "values that cannot be used",
            Self::TooFewPoints => "too few points",
            Self::NoSpread => "too little variation",
            Self::NotRising => "no rise to fit",
            Self::NotPositive => "values that are zero or negative, which have no logarithm",
        }
    }
}

/// Akaike's criterion with the small-sample correction (Hurvich and Tsai 1989), up to a constant that is the same for
/// all models of the same data: n ln(sse / n) + 2k + 2k(k + 1)/(n - k - 1).
///
/// `parameters` counts the curve's own; k is one more, for the noise. The lower is the better; a difference below 2
/// decides nothing. Infinite where n is at most k + 1.
pub fn aicc(sse: f64, n: usize, parameters: usize) -> f64 {
    let (n, k) = (n as f64, parameters as f64 + 1.0);
    if n <= k + 1.0 {
        return f64::INFINITY;
    }
    n * libm::log(sse / n) + 2.0 * k + 2.0 * k * (k + 1.0) / (n - k - 1.0)
}

/// The points to fit: those with x > 0 where asked for, averaged in at most 256 blocks.
struct Points {
    x: Vec<f64>,
    y: Vec<f64>,
    /// How many of each stand for one: 1 for a short series.
    block: usize,
}

fn points(x: &[f64], y: &[f64], positive_x: bool, fewest: usize) -> Result<Points, FitError> {
    if x.len() != y.len() {
        return Err(FitError::BadValues);
    }
    let (x, y): (Vec<f64>, Vec<f64>) = x.iter().zip(y).filter(|(x, _)| !positive_x || **x > 0.0).unzip();
    // Sums of squares of a million values must stay finite.
    if x.iter().chain(&y).any(|value| value.is_nan() || value.abs() > 1e145) {
        return Err(FitError::BadValues);
    }
    if x.len() < fewest {
        return Err(FitError::TooFewPoints);
    }
    if !varies(&x) || !varies(&y) {
        return Err(FitError::NoSpread);
    }
    let block = x.len().div_ceil(MAX_POINTS);
    if block == 1 {
        return Ok(Points { x, y, block });
    }
    let join = |values: &[f64]| values.chunks(block).filter_map(mean).collect();
    Ok(Points { x: join(&x), y: join(&y), block })
}

fn varies(values: &[f64]) -> bool {
    values.iter().zip(values.iter().skip(1)).any(|(a, b)| a != b)
}

/// Width that holds most of the values: from the 2.5 % to the 97.5 % quantile.
fn usual_range(y: &[f64]) -> f64 {
    match (quantile(y, 0.025), quantile(y, 0.975)) {
        (Some(low), Some(high)) => high - low,
        _ => 0.0,
    }
}

/// How well the parameters of a three-parameter curve are known: their covariance from the residuals and the inverse
/// normal matrix, widened by n / effective n.
#[derive(Debug, Clone, Copy, PartialEq)]
struct ParameterErrors {
    /// `None` where the data do not bound it.
    covariance: Option<[[f64; 3]; 3]>,
    /// Standard errors in half of a 95 % interval.
    quantile: f64,
}

impl ParameterErrors {
    fn new(inverse: Option<[[f64; 3]; 3]>, residuals: &[f64]) -> Self {
        let (n, effective) = (residuals.len() as f64, effective_size(residuals));
        let sse: f64 = residuals.iter().map(|value| value * value).sum();
        let variance = sse / (n - 3.0) * n / effective.max(1.0);
        let covariance = inverse.filter(|_| n > 3.0).map(|rows| rows.map(|row| row.map(|value| value * variance)));
        Self { covariance, quantile: student_quantile(0.05, (effective - 3.0).max(1.0)) }
    }

    /// Half of the 95 % interval of a quantity with this gradient for the parameters (the delta method). Infinite where
    /// the data do not tell.
    fn half_width(&self, gradient: [f64; 3]) -> f64 {
        let Some(rows) = self.covariance else { return f64::INFINITY };
        let along = |row: [f64; 3]| row.iter().zip(gradient).map(|(value, slope)| value * slope).sum::<f64>();
        let variance: f64 = rows.into_iter().zip(gradient).map(|(row, slope)| slope * along(row)).sum();
        variance.max(0.0).sqrt() * self.quantile
    }
}

/// The x at which a fitted curve has some value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// The x.
    pub x: f64,
    /// Lower end of its 95 % interval, by the delta method on ln x.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Crossing {
    /// From ln x and half of its interval; `None` where either is not finite, or x is too large for a number.
    fn of_logarithm(ln_x: f64, half: f64) -> Option<Self> {
        let crossing = Self { x: libm::exp(ln_x), low: libm::exp(ln_x - half), high: libm::exp(ln_x + half) };
        (half.is_finite() && crossing.x > 0.0 && crossing.x.is_finite()).then_some(crossing)
    }
}

/// Whether an asymptote is shown: its interval is at most a fifth of the range of the values (ours).
fn is_narrow(low: f64, high: f64, range: f64) -> bool {
    high - low < 0.2 * range
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_criterion_prefers_the_simpler_of_equal_curves() {
        assert!(aicc(1.0, 30, 2) < aicc(1.0, 30, 3));
        assert!(aicc(0.1, 30, 3) < aicc(1.0, 30, 2));
        assert_eq!(aicc(1.0, 4, 2), f64::INFINITY);
    }

    #[test]
    fn points_that_cannot_be_used() {
        let x = [1.0, 2.0, 3.0];
        let reason = |x: &[f64], y: &[f64]| points(x, y, true, 3).err();
        assert_eq!(reason(&x, &x[1..]), Some(FitError::BadValues));
        assert_eq!(reason(&x, &[1.0, 1e308, 2.0]), Some(FitError::BadValues));
        assert_eq!(reason(&[0.0, 1.0, 2.0], &x), Some(FitError::TooFewPoints));
        assert_eq!(reason(&x, &[1.0; 3]), Some(FitError::NoSpread));
        assert_eq!(reason(&x, &x), None);
        let long: Vec<f64> = (1..=1000).map(f64::from).collect();
        let joined = points(&long, &long, true, 3).ok().unwrap();
        assert_eq!((joined.x.len(), joined.block, joined.x[0]), (250, 4, 2.5));
        assert_eq!(FitError::NotRising.reason(), "no rise to fit");
    }
}
