//! Which of two curves moves first: a mismatch that grows ten steps before the gradient does explains it, one that
//! grows after does not.

use super::correlation::coarse_ranks;
use super::describe::{differences, mean};
use super::distributions::normal_p;

/// Lags are looked at up to this many points, and up to a fifth of the series.
const LONGEST_LAG: usize = 50;

/// Highest order of the model that takes the past out of a series.
const HIGHEST_ORDER: usize = 10;

/// Fewest points that can say anything.
const FEWEST_POINTS: usize = 30;

/// The correlation of two series at one lag.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LagCorrelation {
    /// Points by which `x` comes before `y`; negative where `y` comes first.
    pub lag: isize,
    /// Correlation of the ranks of what is new in each series.
    pub r: f64,
    /// Two-sided p of this lag alone.
    pub p: f64,
}

/// How two series follow each other.
#[derive(Debug, Clone, PartialEq)]
pub struct LeadLag {
    /// All lags from -K to K.
    pub lags: Vec<LagCorrelation>,
    /// |r| that a single lag seldom passes by chance: 1.96 / sqrt(n).
    pub band: f64,
    /// The lag with the smallest p, whose p here is corrected by Holm's method for all that were looked at.
    pub best: LagCorrelation,
}

/// Cross-correlation of two series logged at the same steps, for lags up to min(50, n / 5) (Box and Jenkins 1970).
///
/// Curves that wander always seem to follow each other. So both are differenced; an autoregression of the changes of
/// `x` (Yule-Walker, its order up to 10 by AIC) filters both, which leaves what is new in `x`; and ranks are correlated,
/// so that one shared spike does not decide. Without association each r then has the variance 1/n. Time is linear,
/// about a hundred passes. `None` for different lengths, fewer than 30 points, or a side that never moves.
pub fn lead_lag(x: &[f64], y: &[f64]) -> Option<LeadLag> {
    if x.len() != y.len() || x.len() < FEWEST_POINTS {
        return None;
    }
    let (x, y) = (centred(differences(x))?, centred(differences(y))?);
    let filter = autoregression(&x)?;
    let (x, y) = (centred(coarse_ranks(&filtered(&x, &filter)))?, centred(coarse_ranks(&filtered(&y, &filter)))?);
    let scale = squares(&x).sqrt() * squares(&y).sqrt();
    if scale.is_nan() || scale <= 0.0 {
        return None;
    }
    let n = x.len();
    let longest = LONGEST_LAG.min(n / 5);
    let mut lags = Vec::with_capacity(2 * longest + 1);
    for place in 0..=2 * longest {
        let ahead = place.saturating_sub(longest);
        let behind = longest.saturating_sub(place);
        let pairs = x.iter().skip(behind).zip(y.iter().skip(ahead));
        let r = (pairs.map(|(x, y)| x * y).sum::<f64>() / scale).clamp(-1.0, 1.0);
        let overlap = (n - ahead - behind) as f64;
        lags.push(LagCorrelation {
            lag: ahead as isize - behind as isize,
            r,
            p: normal_p(r * n as f64 / overlap.sqrt()),
        });
    }
    let mut best = *lags.first()?;
    for lag in &lags {
        if lag.p < best.p {
            best = *lag;
        }
    }
    best.p = (best.p * lags.len() as f64).min(1.0);
    Some(LeadLag { lags, band: 1.96 / (n as f64).sqrt(), best })
}

fn centred(values: Vec<f64>) -> Option<Vec<f64>> {
    let centre = mean(&values)?;
    Some(values.into_iter().map(|value| value - centre).collect())
}

fn squares(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum()
}

/// Coefficients of the autoregression of a centred series with the least AIC, by Levinson's recursion on the biased
/// autocovariances. `None` for a constant series.
fn autoregression(y: &[f64]) -> Option<Vec<f64>> {
    let covariance = |lag: usize| y.iter().zip(y.iter().skip(lag)).map(|(a, b)| a * b).sum::<f64>();
    let covariances: Vec<f64> = (0..=HIGHEST_ORDER).map(covariance).collect();
    let mut error = *covariances.first()?;
    if error.is_nan() || error <= 0.0 || error.is_infinite() {
        return None;
    }
    let n = y.len() as f64;
    let mut coefficients: Vec<f64> = Vec::new();
    let mut best = (n * libm::log(error), Vec::new());
    for order in 1..=HIGHEST_ORDER {
        let past = covariances.get(1..order)?.iter().rev();
        let explained: f64 = coefficients.iter().zip(past).map(|(coefficient, past)| coefficient * past).sum();
        let reflection = (covariances.get(order)? - explained) / error;
        let mirrored: Vec<f64> = coefficients.iter().rev().copied().collect();
        for (coefficient, mirror) in coefficients.iter_mut().zip(&mirrored) {
            *coefficient -= reflection * mirror;
        }
        coefficients.push(reflection);
        error *= 1.0 - reflection * reflection;
        if error.is_nan() || error <= 0.0 {
            break;
        }
        let aic = n * libm::log(error) + 2.0 * order as f64;
        if aic < best.0 {
            best = (aic, coefficients.clone());
        }
    }
    Some(best.1)
}

/// What the past does not predict: y_t - sum a_k y_{t-k}, from the first value with enough past on.
fn filtered(y: &[f64], coefficients: &[f64]) -> Vec<f64> {
    y.windows(coefficients.len() + 1)
        .filter_map(|window| {
            let (last, past) = window.split_last()?;
            Some(last - coefficients.iter().zip(past.iter().rev()).map(|(a, y)| a * y).sum::<f64>())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::testing::{ar1, white};
    use proptest::prelude::*;

    fn delayed(x: &[f64], delay: usize, noise: u64) -> Vec<f64> {
        let noise = white(noise, x.len());
        (0..x.len()).map(|place| x[place.saturating_sub(delay)] + 0.3 * noise[place]).collect()
    }

    #[test]
    fn the_leader_is_found() {
        for delay in [0, 3, 12] {
            let x = ar1(1, 400, 0.8);
            let y = delayed(&x, delay, 50);
            let found = lead_lag(&x, &y).unwrap();
            assert_eq!(found.best.lag, isize::try_from(delay).unwrap());
            assert!(found.best.r > 0.3 && found.best.p < 1e-4, "{:?}", found.best);
            assert_eq!(lead_lag(&y, &x).unwrap().best.lag, -isize::try_from(delay).unwrap());
        }
    }

    #[test]
    fn wandering_curves_do_not_follow_each_other() {
        let walk = |seed| -> Vec<f64> {
            let mut level = 0.0;
            let step = |noise: &f64| {
                level += noise;
                level
            };
            ar1(seed, 300, 0.6).iter().map(step).collect()
        };
        let alarms = (0..100).filter(|seed| lead_lag(&walk(*seed), &walk(seed + 500)).unwrap().best.p < 0.05).count();
        assert!(alarms <= 12, "{alarms}");
    }

    #[test]
    fn one_shared_spike_is_no_association() {
        let (mut x, mut y) = (white(1, 200), white(2, 200));
        (x[100], y[105]) = (1e6, 1e6);
        assert!(lead_lag(&x, &y).unwrap().best.p > 0.01);
    }

    #[test]
    fn the_edges() {
        let x = white(1, 40);
        let found = lead_lag(&x, &x).unwrap();
        assert_eq!((found.lags.len(), found.lags[0].lag, found.best.lag), (15, -7, 0));
        assert_eq!(lead_lag(&x[..29], &x[..29]), None);
        assert_eq!(lead_lag(&[1.0; 40], &x), None);
        assert_eq!(lead_lag(&x, &[1.0; 40]), None);
        assert_eq!(lead_lag(&x, &x[1..]), None);
        let line: Vec<f64> = (0..40).map(f64::from).collect();
        assert_eq!(lead_lag(&line, &x), None);
        assert_eq!(lead_lag(&[1e308, -1e308].repeat(20), &x), None);
    }

    proptest! {
        #[test]
        fn never_panics(x in prop::collection::vec(prop::num::f64::ANY, 30..60)) {
            let reversed: Vec<f64> = x.iter().rev().copied().collect();
            let _ = lead_lag(&x, &reversed);
        }
    }
}
