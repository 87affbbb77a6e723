//! ScaleRL's sigmoid (arXiv 2510.13786, eq. 1): where a bounded metric is heading, and how much compute half of the way
//! takes. Steadier than a power law for rewards and accuracies.

use super::super::describe::mean;
use super::marquardt::FitProblem;
use super::{Crossing, FitError, ParameterErrors, Points, aicc, is_narrow, points, usual_range};

/// Fewest points to fit, and fewest beyond the half-way point to forecast (ours): before it, every asymptote
/// fits.
const MIN_POINTS: usize = 20;
const MIN_POINTS_PAST_MIDDLE: usize = 30;

/// Bounds of the exponent B: ours, around the fits of public runs, which lie between 1.5 and 5.
const EXPONENT_BOUNDS: (f64, f64) = (0.1, 20.0);

/// A fitted sigmoid: R = R_0 + (A - R_0) / (1 + (C_mid / C)^B), where C_mid is the compute of half the gain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sigmoid {
    /// R_0, the level at the start: mean of the first 5 % of the points, not fitted.
    pub start: f64,
    /// A, the level that the curve approaches.
    pub asymptote: f64,
    /// Lower end of its 95 % interval, which allows for autocorrelated residuals but takes R_0 as known: where the curve
    /// rises from the first points on, R_0 is too high and the interval holds the truth in three cases of four only.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Corrected Akaike criterion, to compare with other curves of the same points.
    pub aicc: f64,
    /// Points (as given) beyond C_mid.
    pub past_middle: usize,
    /// Whether a parameter ended on its bound: the data then do not determine the curve.
    pub at_bound: bool,
    /// From the 2.5 % to the 97.5 % quantile of the points.
    range: f64,
    /// Gain from the start to the asymptote, logarithm of C_mid, logarithm of B; how well they are known.
    parameters: [f64; 3],
    errors: ParameterErrors,
}

impl Sigmoid {
    /// The asymptote, where it can be estimated: 30 points and more lie beyond the half-way point, its interval is narrower
    /// than a fifth of the range, and no parameter ended on a bound. A run that lifted off late shows why: from its flat
    /// half, 0.41 was forecast, and it reached 1.44.
    pub fn forecast(&self) -> Option<f64> {
        let determined =
            !self.at_bound && self.past_middle >= MIN_POINTS_PAST_MIDDLE && is_narrow(self.low, self.high, self.range);
        if determined { Some(self.asymptote) } else { None }
    }

    /// The x at which the curve has this value; `None` unless it lies between the start and the asymptote.
    pub fn crossing(&self, value: f64) -> Option<Crossing> {
        let [gain, middle, sharpness] = self.parameters;
        let risen = value - self.start;
        if !(risen > 0.0 && risen < gain) {
            return None;
        }
        let width = libm::exp(-sharpness);
        let beyond = -width * libm::log((gain - risen) / risen);
        let gradient = [-width / (gain - risen), 1.0, -beyond];
        Crossing::of_logarithm(middle + beyond, self.errors.half_width(gradient))
    }
}

/// Fits the sigmoid to a rising curve: a grid over C_mid and B, for which A follows by linear regression, then
/// Levenberg and Marquardt.
///
/// `x` is compute, in the order of time; points with x <= 0 are left out. `ceiling` is the largest possible value, such
/// as 1 for a rate; without one A stays within ten times the rise seen. At least 20 points; beyond 256 they are averaged
/// in blocks.
///
/// # Errors
/// Different lengths, values that are not finite, too few points, a side that does not vary, or no rise.
pub fn fit_sigmoid(x: &[f64], y: &[f64], ceiling: Option<f64>) -> Result<Sigmoid, FitError> {
    let Points { x, y, block } = points(x, y, true, MIN_POINTS)?;
    let first = y.len().div_ceil(20);
    let start = y.get(..first).and_then(mean).ok_or(FitError::TooFewPoints)?;
    let ln_x: Vec<f64> = x.iter().map(|x| libm::log(*x)).collect();
    let rises: Vec<f64> = y.iter().map(|value| value - start).collect();
    let most = rises.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let highest = ceiling.map_or(10.0 * most, |ceiling| ceiling - start);
    if !(most > 0.0 && highest > 0.0) {
        return Err(FitError::NotRising);
    }
    let earliest = ln_x.iter().copied().fold(f64::INFINITY, f64::min);
    let latest = ln_x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let problem = FitProblem {
        curve: sigmoid,
        x: &ln_x,
        y: &rises,
        low: [0.0, earliest - 1.0, libm::log(EXPONENT_BOUNDS.0)],
        high: [highest, latest + std::f64::consts::LN_10, libm::log(EXPONENT_BOUNDS.1)],
    };
    let guess = best_of_grid(&problem, earliest, latest).ok_or(FitError::NotRising)?;
    let found = problem.solve(guess);
    let [gain, middle, _] = found.parameters;
    let residuals: Vec<f64> = ln_x.iter().zip(&rises).map(|(x, y)| y - sigmoid(found.parameters, *x).0).collect();
    let errors = ParameterErrors::new(found.inverse, &residuals);
    let margin = errors.half_width([1.0, 0.0, 0.0]);
    let asymptote = start + gain;
    Ok(Sigmoid {
        start,
        asymptote,
        low: asymptote - margin,
        high: asymptote + margin,
        aicc: aicc(found.sse, y.len(), 3),
        past_middle: ln_x.iter().filter(|x| **x > middle).count() * block,
        at_bound: found.at_bound.contains(&true),
        range: usual_range(&y),
        parameters: found.parameters,
        errors,
    })
}

/// gain / (1 + exp(-B (x - middle))) and its derivatives, where B = exp(sharpness) and x is a logarithm.
fn sigmoid([gain, middle, sharpness]: [f64; 3], x: f64) -> (f64, [f64; 3]) {
    let exponent = libm::exp(sharpness);
    let share = 1.0 / (1.0 + libm::exp(-exponent * (x - middle)));
    let bend = gain * share * (1.0 - share) * exponent;
    (gain * share, [share, -bend, bend * (x - middle)])
}

/// The best of 13 places for the middle and six exponents. `None` when no curve of the grid rises.
fn best_of_grid(problem: &FitProblem<'_>, earliest: f64, latest: f64) -> Option<[f64; 3]> {
    let stride = problem.x.len().div_ceil(64);
    let [_, _, most] = problem.high;
    let [highest, ..] = problem.high;
    let mut best: Option<(f64, [f64; 3])> = None;
    for place in 0..13 {
        let middle = earliest + (latest - earliest) * f64::from(place) / 11.0;
        for sharpness in [-0.7, 0.0, 0.7, 1.4, 2.1, 2.8] {
            let sharpness = f64::min(sharpness, most);
            let (mut own, mut shared, mut total) = (0.0, 0.0, 0.0);
            for (x, y) in problem.x.iter().zip(problem.y).step_by(stride) {
                let (share, _) = sigmoid([1.0, middle, sharpness], *x);
                own += share * share;
                shared += share * y;
                total += y * y;
            }
            if own <= 0.0 || shared <= 0.0 {
                continue;
            }
            let gain = (shared / own).min(highest);
            let error = total - 2.0 * gain * shared + gain * gain * own;
            if best.is_none_or(|(least, _)| error < least) {
                best = Some((error, [gain, middle, sharpness]));
            }
        }
    }
    best.map(|(_, guess)| guess)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ar1, white};
    use proptest::prelude::*;

    fn steps(n: u32) -> Vec<f64> {
        (1..=n).map(f64::from).collect()
    }

    fn curve(n: u32, middle: f64, noise: &[f64]) -> Vec<f64> {
        let value = |x: f64| 0.2 + 0.6 / (1.0 + libm::pow(middle / x, 2.0));
        steps(n).iter().zip(noise).map(|(x, e)| value(*x) + 0.03 * e).collect()
    }

    #[test]
    fn an_exact_curve_is_recovered() {
        let x: Vec<f64> = steps(300);
        let y: Vec<f64> = x.iter().map(|x| 0.6 / (1.0 + libm::pow(60.0 / x, 2.0))).collect();
        let fit = fit_sigmoid(&x, &y, None).unwrap();
        assert!((fit.asymptote - 0.6).abs() < 0.02 && fit.past_middle.abs_diff(240) <= 3, "{fit:?}");
        assert!(fit.forecast().is_some());
    }

    #[test]
    fn a_forecast_is_near_what_comes() {
        let (mut covered, mut shown) = (0, 0);
        for seed in 0..40 {
            let y = curve(300, 40.0, &ar1(seed, 300, 0.6));
            let fit = fit_sigmoid(&steps(300), &y, Some(1.0)).unwrap();
            covered += u32::from(fit.low <= 0.8 && 0.8 <= fit.high);
            if let Some(forecast) = fit.forecast() {
                shown += 1;
                assert!((forecast - 0.8).abs() < 0.07, "{fit:?}");
            }
        }
        assert!(covered >= 26 && shown >= 20, "{covered} {shown}");
        let fit = fit_sigmoid(&steps(300), &curve(300, 40.0, &white(1, 300)), Some(1.0)).unwrap();
        assert!((fit.forecast().unwrap() - 0.8).abs() < 0.05, "{fit:?}");
    }

    #[test]
    fn the_place_of_a_value_is_found() {
        let y = curve(300, 40.0, &white(1, 300));
        let fit = fit_sigmoid(&steps(300), &y, None).unwrap();
        // 0.2 + 0.6 * 0.8 at twice the middle.
        let crossing = fit.crossing(0.68).unwrap();
        assert!(crossing.low < 80.0 && 80.0 < crossing.high && crossing.high < 100.0, "{crossing:?}");
        assert_eq!((fit.crossing(0.9), fit.crossing(0.0)), (None, None));
    }

    #[test]
    fn a_flat_first_half_forecasts_nothing() {
        let forecasts = (0..40).filter(|seed| {
            let y = curve(600, 400.0, &white(*seed, 600));
            fit_sigmoid(&steps(120), &y[..120], Some(1.0)).is_ok_and(|fit| fit.forecast().is_some())
        });
        assert!(forecasts.count() <= 2);
        let noise = (0..40).filter(|seed| {
            fit_sigmoid(&steps(200), &white(*seed, 200), None).is_ok_and(|fit| fit.forecast().is_some())
        });
        assert!(noise.count() <= 1);
    }

    #[test]
    fn refused() {
        let x = steps(40);
        let falling: Vec<f64> = x.iter().map(|x| -x).collect();
        assert_eq!(fit_sigmoid(&x, &falling, None), Err(FitError::NotRising));
        assert_eq!(fit_sigmoid(&x, &x, Some(0.5)), Err(FitError::NotRising));
        assert_eq!(fit_sigmoid(&x[..19], &x[..19], None), Err(FitError::TooFewPoints));
        assert_eq!(fit_sigmoid(&x, &[1.0; 40], None), Err(FitError::NoSpread));
        assert_eq!(fit_sigmoid(&falling, &x, None), Err(FitError::TooFewPoints));
    }

    #[test]
    fn a_long_series_is_averaged() {
        let y = curve(100_000, 9000.0, &white(2, 100_000));
        let fit = fit_sigmoid(&steps(100_000), &y, Some(1.0)).unwrap();
        assert!(fit.past_middle > 80_000 && (fit.asymptote - 0.8).abs() < 0.02, "{fit:?}");
    }

    proptest! {
        #[test]
        fn never_panics(y in prop::collection::vec(prop::num::f64::ANY, 0..50), ceiling in prop::num::f64::ANY) {
            let _ = (fit_sigmoid(&y, &y, Some(ceiling)), fit_sigmoid(&steps(y.len() as u32), &y, None));
        }

        #[test]
        fn scaling_the_values_scales_the_fit(factor in 1e-6_f64..1e6) {
            let y = curve(100, 20.0, &white(3, 100));
            let scaled: Vec<f64> = y.iter().map(|y| y * factor).collect();
            let (fit, other) = (fit_sigmoid(&steps(100), &y, None).unwrap(), fit_sigmoid(&steps(100), &scaled, None).unwrap());
            prop_assert!((fit.asymptote * factor / other.asymptote - 1.0).abs() < 1e-4);
        }
    }
}
