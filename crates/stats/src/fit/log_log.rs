//! The power law y = A x^b as a straight line on logarithms, with the checks of whether it is one.

use super::super::autocorrelation::lag1;
use super::super::correlation::pearson;
use super::super::distributions::student_p;
use super::line::of_points;
use super::{FitError, points};

/// Fewest points, and the least ratio of the largest to the smallest x: on less than half a decade every smooth curve
/// looks like a power law.
const MIN_POINTS: usize = 8;
const MIN_SPAN: f64 = 3.0;
/// Largest share of values without a logarithm that may be left out (ours): a law of the rest alone would be one of those
/// values that happened to be high.
const MAX_NOT_POSITIVE: f64 = 0.05;

/// p of the curvature below which the points bend.
const CURVATURE_P: f64 = 0.01;

/// A fitted power law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerLaw {
    /// The power b of x.
    pub exponent: f64,
    /// Lower end of its 95 % interval, which allows for autocorrelated residuals.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// y at x = 1.
    pub factor: f64,
    /// Share of the variance of ln y explained.
    pub r2: f64,
    /// Root mean square of the residuals of ln y: 0.1 is about 10 %.
    pub rmse: f64,
    /// Points used.
    pub n: usize,
    /// Decades that x spans: below 1 an exponent is no forecast of what lies beyond.
    pub decades: f64,
    /// p of a bend: of the quadratic term in ln x.
    pub curvature_p: f64,
    /// Lag-1 correlation of the residuals in the order of the points: near 1 where the points swing around the line.
    pub residual_lag1: f64,
}

impl PowerLaw {
    /// Whether the points show no bend (p of curvature at least 0.01).
    pub fn is_straight(&self) -> bool {
        self.curvature_p >= CURVATURE_P
    }
}

/// Least squares of ln y on ln x over the points where both are positive, in the order of time. At least eight points
/// that span a factor of three; beyond 256 they are averaged in blocks. y may begin at or below zero.
///
/// # Errors
/// Different lengths, values that are not finite, too few positive points, too little span, or more than a few values of y at
/// or below zero after the first positive one.
pub fn fit_power_law(x: &[f64], y: &[f64]) -> Result<PowerLaw, FitError> {
    if x.len() != y.len() || x.iter().chain(y).any(|value| !value.is_finite()) {
        return Err(FitError::BadValues);
    }
    let usable = || x.iter().zip(y).filter(|(x, _)| **x > 0.0).skip_while(|(_, y)| **y <= 0.0);
    let positive = usable().filter(|(_, y)| **y > 0.0);
    let (ln_x, ln_y): (Vec<f64>, Vec<f64>) = positive.map(|(x, y)| (libm::log(*x), libm::log(*y))).unzip();
    if (ln_x.len() as f64) < (1.0 - MAX_NOT_POSITIVE) * usable().count() as f64 {
        return Err(FitError::NotPositive);
    }
    let points = points(&ln_x, &ln_y, false, MIN_POINTS)?;
    let (least, most) = extremes(&points.x);
    if most - least < libm::log(MIN_SPAN) {
        return Err(FitError::NoSpread);
    }
    let (line, residuals) = of_points(&points.x, &points.y)?;
    Ok(PowerLaw {
        exponent: line.slope,
        low: line.low,
        high: line.high,
        factor: libm::exp(line.intercept),
        r2: line.r2,
        rmse: line.rmse,
        n: line.n,
        decades: (most - least) / std::f64::consts::LN_10,
        curvature_p: curvature_p(&points.x, &residuals, line.effective),
        residual_lag1: lag1(&residuals).unwrap_or(0.0),
    })
}

fn extremes(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(*value), high.max(*value)))
}

/// p of the quadratic term that would be added: the correlation of the residuals with what is new in the square.
fn curvature_p(x: &[f64], residuals: &[f64], effective: f64) -> f64 {
    let middle = super::mean(x).unwrap_or(0.0);
    let squares: Vec<f64> = x.iter().map(|x| (x - middle) * (x - middle)).collect();
    let Ok((_, bend)) = of_points(x, &squares) else { return 1.0 };
    let Some(r) = pearson(&bend, residuals) else { return 1.0 };
    let degrees = (x.len() as f64).min(effective.max(MIN_POINTS as f64)) - 3.0;
    let rest = (1.0 - r) * (1.0 + r);
    if rest <= 0.0 { 0.0 } else { student_p(r * (degrees / rest).sqrt(), degrees) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::white;
    use proptest::prelude::*;

    fn sizes() -> Vec<f64> {
        (1..=40).map(|place| 100.0 * libm::exp(0.12 * f64::from(place))).collect()
    }

    fn noisy(seed: u64, make: fn(f64) -> f64, noise: f64) -> Vec<f64> {
        sizes().iter().zip(white(seed, 40)).map(|(x, e)| make(*x) * libm::exp(noise * e)).collect()
    }

    #[test]
    fn a_power_law_is_found() {
        let (mut covered, mut straight) = (0, 0);
        for seed in 0..60 {
            let fit = fit_power_law(&sizes(), &noisy(seed, |x| 2.0 * libm::pow(x, 0.35), 0.05)).unwrap();
            covered += u32::from(fit.low < 0.35 && 0.35 < fit.high);
            straight += u32::from(fit.is_straight());
            assert!(fit.high - fit.low < 0.06 && fit.decades > 2.0 && fit.r2 > 0.97, "{fit:?}");
            assert!((fit.factor * libm::pow(1000.0, fit.exponent) / 22.4 - 1.0).abs() < 0.1, "{fit:?}");
        }
        assert!(covered >= 51 && straight >= 56, "{covered} {straight}");
    }

    #[test]
    fn a_curve_that_saturates_is_not_straight() {
        let fit = fit_power_law(&sizes(), &noisy(1, |x| 1.0 / (1.0 + 500.0 / x), 0.02)).unwrap();
        assert!(!fit.is_straight(), "{fit:?}");
    }

    #[test]
    fn values_without_a_logarithm_are_left_out_where_they_are_few_or_the_first() {
        let law = |is_lost: fn(usize) -> bool| {
            let y = noisy(1, |x| 2.0 * libm::pow(x, 0.35), 0.05).into_iter().enumerate();
            let y: Vec<f64> = y.map(|(place, y)| if is_lost(place) { -y } else { y }).collect();
            fit_power_law(&sizes(), &y).map(|law| law.n)
        };
        assert_eq!(law(|place| place < 10), Ok(30), "a start below zero");
        assert_eq!(law(|place| place == 7), Ok(39));
        assert_eq!(law(|place| place % 3 != 0), Err(FitError::NotPositive), "those that happened to be high");
        assert_eq!(law(|place| place > 25), Err(FitError::NotPositive), "a collapse");
    }

    #[test]
    fn refused() {
        let y = noisy(1, |x| x, 0.1);
        assert_eq!(fit_power_law(&sizes()[..7], &y[..7]), Err(FitError::TooFewPoints));
        assert_eq!(fit_power_law(&sizes()[..9], &y[..9]), Err(FitError::NoSpread));
        assert_eq!(fit_power_law(&[-1.0; 40], &y), Err(FitError::TooFewPoints));
        assert_eq!(fit_power_law(&sizes(), &[3.0; 40]), Err(FitError::NoSpread));
        assert_eq!(fit_power_law(&sizes(), &[f64::NAN; 40]), Err(FitError::BadValues), "no number is not below zero");
    }

    proptest! {
        #[test]
        fn never_panics(y in prop::collection::vec(prop::num::f64::ANY, 0..50)) {
            let x: Vec<f64> = (0..y.len()).map(|place| place as f64).collect();
            let _ = (fit_power_law(&y, &y), fit_power_law(&x, &y));
        }
    }
}
