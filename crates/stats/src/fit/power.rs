//! The saturating power law y = a + b x^-c: the other common shape of a learning curve, to set beside the sigmoid.
//! Where both fit and their forecasts differ, neither is to be believed alone.

use super::line::of_points;
use super::marquardt::FitProblem;
use super::{Crossing, FitError, ParameterErrors, Points, aicc, is_narrow, points, usual_range};

/// Fewest points to fit and to forecast.
const MIN_POINTS: usize = 10;
const MIN_POINTS_TO_FORECAST: usize = 30;

/// Bounds of the exponent c: ours, wide enough for the published curves.
const EXPONENT_BOUNDS: (f64, f64) = (0.05, 3.0);

/// The asymptote of a fitted saturating power law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SaturatingPower {
    /// a, the level that the curve approaches.
    pub asymptote: f64,
    /// Lower end of its 95 % interval, which allows for autocorrelated residuals.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Corrected Akaike criterion, to compare with other curves of the same points.
    pub aicc: f64,
    /// Points used, after averaging in blocks.
    pub n: usize,
    /// Whether a parameter ended on its bound: the data then do not determine the curve.
    pub at_bound: bool,
    range: f64,
    /// Asymptote, gap at the first x, exponent; how well they are known; logarithm of the first x.
    parameters: [f64; 3],
    errors: ParameterErrors,
    ln_first: f64,
}

impl SaturatingPower {
    /// The asymptote, where it can be estimated: from 30 points on, with an interval narrower than a fifth of the range and
    /// no parameter on its bound.
    pub fn forecast(&self) -> Option<f64> {
        let determined =
            !self.at_bound && self.n >= MIN_POINTS_TO_FORECAST && is_narrow(self.low, self.high, self.range);
        if determined { Some(self.asymptote) } else { None }
    }

    /// The x at which the curve has this value; `None` unless it lies between the first value and the asymptote.
    pub fn crossing(&self, value: f64) -> Option<Crossing> {
        let [asymptote, gap, exponent] = self.parameters;
        let left = (value - asymptote) / gap;
        if !(left > 0.0 && left <= 1.0) {
            return None;
        }
        let distance = -libm::log(left) / exponent;
        let gradient = [1.0 / (exponent * (value - asymptote)), 1.0 / (exponent * gap), -distance / exponent];
        Crossing::of_logarithm(self.ln_first + distance, self.errors.half_width(gradient))
    }
}

/// Fits the law: for each exponent of a grid a and b follow by linear regression; from the best of them, Levenberg and
/// Marquardt.
///
/// `x` is compute, tokens or steps, in the order of time; points with x <= 0 are left out. At least ten points; beyond
/// 256 they are averaged in blocks.
///
/// # Errors
/// Different lengths, values that are not finite, too few points, or a side that does not vary.
pub fn fit_saturating_power(x: &[f64], y: &[f64]) -> Result<SaturatingPower, FitError> {
    let Points { x, y, .. } = points(x, y, true, MIN_POINTS)?;
    // From the first point on: powers of large numbers would lose their digits.
    let first = x.iter().copied().fold(f64::INFINITY, f64::min);
    let distance: Vec<f64> = x.iter().map(|x| libm::log(*x / first)).collect();
    let guess = best_of_grid(&distance, &y).ok_or(FitError::NoSpread)?;
    let (least, most) = y.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(*y), high.max(*y)));
    let range = most - least;
    let problem = FitProblem {
        curve: approach,
        x: &distance,
        y: &y,
        low: [least - 10.0 * range, -20.0 * range, EXPONENT_BOUNDS.0],
        high: [most + 10.0 * range, 20.0 * range, EXPONENT_BOUNDS.1],
    };
    let found = problem.solve(guess);
    let [asymptote, ..] = found.parameters;
    let residuals: Vec<f64> = distance.iter().zip(&y).map(|(x, y)| y - approach(found.parameters, *x).0).collect();
    let errors = ParameterErrors::new(found.inverse, &residuals);
    let margin = errors.half_width([1.0, 0.0, 0.0]);
    Ok(SaturatingPower {
        asymptote,
        low: asymptote - margin,
        high: asymptote + margin,
        aicc: aicc(found.sse, y.len(), 3),
        n: y.len(),
        at_bound: found.at_bound.contains(&true),
        range: usual_range(&y),
        parameters: found.parameters,
        errors,
        ln_first: libm::log(first),
    })
}

/// asymptote + gap exp(-c x) and its derivatives, where x is the logarithm of x over the first.
fn approach([asymptote, gap, exponent]: [f64; 3], x: f64) -> (f64, [f64; 3]) {
    let left = libm::exp(-exponent * x);
    (asymptote + gap * left, [1.0, left, -gap * x * left])
}

fn best_of_grid(distance: &[f64], y: &[f64]) -> Option<[f64; 3]> {
    let mut best: Option<(f64, [f64; 3])> = None;
    for exponent in [0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.4, 2.0, 3.0] {
        let left: Vec<f64> = distance.iter().map(|x| libm::exp(-exponent * x)).collect();
        let Ok((line, _)) = of_points(&left, y) else { continue };
        if best.is_none_or(|(least, _)| line.rmse < least) {
            best = Some((line.rmse, [line.intercept, line.slope, exponent]));
        }
    }
    best.map(|(_, guess)| guess)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::white;
    use proptest::prelude::*;

    fn steps(n: u32) -> Vec<f64> {
        (1..=n).map(f64::from).collect()
    }

    #[test]
    fn an_exact_law_is_recovered() {
        for scale in [1.0, 1e9] {
            let x: Vec<f64> = steps(200).iter().map(|x| x * scale).collect();
            let y: Vec<f64> = x.iter().map(|x| 0.9 - 0.7 * libm::pow(x / scale, -0.6)).collect();
            let fit = fit_saturating_power(&x, &y).unwrap();
            assert!((fit.asymptote - 0.9).abs() < 1e-6 && fit.forecast().is_some(), "{fit:?}");
        }
    }

    #[test]
    fn the_place_of_a_value_is_found_and_its_interval_covers_it() {
        let at = |x: f64| 0.9 - 0.7 * libm::pow(x, -0.6);
        let y: Vec<f64> = steps(200).into_iter().map(at).collect();
        let crossing = fit_saturating_power(&steps(200), &y).unwrap().crossing(at(900.0)).unwrap();
        assert!((crossing.x / 900.0 - 1.0).abs() < 1e-5, "{crossing:?}");
        let noisy: Vec<f64> = y.iter().zip(white(4, 200)).map(|(y, noise)| y + 0.005 * noise).collect();
        let fit = fit_saturating_power(&steps(200), &noisy).unwrap();
        let crossing = fit.crossing(at(400.0)).unwrap();
        assert!(crossing.low < 400.0 && 400.0 < crossing.high && crossing.high < 800.0, "{crossing:?}");
        assert_eq!((fit.crossing(0.95), fit.crossing(0.0)), (None, None));
    }

    #[test]
    fn a_straight_line_forecasts_nothing() {
        let y: Vec<f64> = steps(200).iter().zip(white(1, 200)).map(|(x, e)| 0.001 * x + 0.01 * e).collect();
        assert_eq!(fit_saturating_power(&steps(200), &y).unwrap().forecast(), None);
        assert_eq!(fit_saturating_power(&steps(200), &white(2, 200)).unwrap().forecast(), None);
    }

    #[test]
    fn refused() {
        let x = steps(40);
        assert_eq!(fit_saturating_power(&x[..9], &x[..9]), Err(FitError::TooFewPoints));
        assert_eq!(fit_saturating_power(&x, &[1.0; 40]), Err(FitError::NoSpread));
        assert_eq!(fit_saturating_power(&[f64::INFINITY; 40], &x), Err(FitError::BadValues));
    }

    proptest! {
        #[test]
        fn never_panics(y in prop::collection::vec(prop::num::f64::ANY, 0..50)) {
            let _ = (fit_saturating_power(&y, &y), fit_saturating_power(&steps(y.len() as u32), &y));
        }
    }
}
