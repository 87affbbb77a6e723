//! Autocorrelation, and the effective sample size that it leaves: a thousand logged points may carry the evidence of
//! ten. In the curves of reward, entropy and length of real runs the lag-1 correlation is 0.9 and more.

use super::correlation::pearson;
use super::describe::mean;

/// Longer series are averaged in blocks before their lags are summed, so that the work stays linear in the length.
const DIRECT_LIMIT: usize = 2048;

/// Pearson correlation of each value with the next.
///
/// Unlike the usual, biased estimator it is not pulled down by the ends of a short trending series. `None` with fewer
/// than four values or where one side is constant.
pub fn lag1(y: &[f64]) -> Option<f64> {
    if y.len() < 4 {
        return None;
    }
    let (_, head) = y.split_last()?;
    let (_, tail) = y.split_first()?;
    pearson(head, tail)
}

/// The number of independent values that would carry as much evidence: n / (1 + 2 sum r_k), from 1 to n.
///
/// The sum ends at the first lag whose r_k is below 1.96 / sqrt(n). A constant series counts as independent.
pub fn effective_size(y: &[f64]) -> f64 {
    let n = y.len() as f64;
    if y.len() < 3 {
        return n;
    }
    (n / variance_inflation(y, |_, _| 1.0)).clamp(1.0, n)
}

/// Factor by which autocorrelation widens the variance of a mean or of Mann-Kendall's S, at least 1:
/// 1 + 2 sum (1 - k/n) r_k over the lags before the first insignificant one (Yue and Wang 2004, truncated).
pub(super) fn yue_wang_factor(y: &[f64]) -> f64 {
    variance_inflation(y, |lag, n| 1.0 - lag / n)
}

/// How much the correlation at a lag counts, for a series of so many values.
type LagWeight = fn(lag: f64, n: f64) -> f64;

/// 1 + 2 sum weight(k, n) r_k, at least 1. Long series go through means of blocks (batch means): the variance of
/// their mean is that of the block means, inflated by the correlation between blocks.
fn variance_inflation(y: &[f64], weight: LagWeight) -> f64 {
    let Some(centred) = centre(y) else { return 1.0 };
    let variance = dot(&centred, &centred) / centred.len() as f64;
    if variance.is_nan() || variance <= 0.0 {
        return 1.0;
    }
    if centred.len() <= DIRECT_LIMIT {
        return (1.0 + 2.0 * significant_sum(&centred, weight)).max(1.0);
    }
    let block = centred.len().div_ceil(DIRECT_LIMIT);
    let means: Vec<f64> = centred.chunks_exact(block).filter_map(mean).collect();
    let Some(means) = centre(&means) else { return 1.0 };
    let between = dot(&means, &means) / means.len() as f64;
    let inflation = (1.0 + 2.0 * significant_sum(&means, weight)).max(1.0);
    (inflation * between * block as f64 / variance).max(1.0)
}

fn significant_sum(centred: &[f64], weight: LagWeight) -> f64 {
    let n = centred.len() as f64;
    let variance = dot(centred, centred);
    if variance.is_nan() || variance <= 0.0 {
        return 0.0;
    }
    let least = 1.96 / n.sqrt();
    (1..centred.len())
        .map(|lag| (lag, lagged_dot(centred, lag) / variance))
        .take_while(|(_, correlation)| *correlation >= least)
        .map(|(lag, correlation)| weight(lag as f64, n) * correlation)
        .sum()
}

fn centre(y: &[f64]) -> Option<Vec<f64>> {
    let middle = mean(y)?;
    Some(y.iter().map(|value| value - middle).collect())
}

fn lagged_dot(centred: &[f64], lag: usize) -> f64 {
    dot(centred, centred.get(lag..).unwrap_or_default())
}

/// Inner product over the common length, in four running sums so that it vectorises.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let length = a.len().min(b.len());
    let (a, b) = (a.get(..length).unwrap_or_default(), b.get(..length).unwrap_or_default());
    let (a_blocks, b_blocks) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a_blocks.remainder().iter().zip(b_blocks.remainder()).map(|(x, y)| x * y).sum();
    let mut sums = [0.0; 4];
    for (xs, ys) in a_blocks.zip(b_blocks) {
        for (sum, (x, y)) in sums.iter_mut().zip(xs.iter().zip(ys)) {
            *sum += x * y;
        }
    }
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ar1, white};

    #[test]
    fn a_line_is_fully_correlated_and_noise_is_not() {
        let line: Vec<f64> = (0..50).map(f64::from).collect();
        assert!((lag1(&line).unwrap() - 1.0).abs() < 1e-12);
        assert!(lag1(&white(1, 2000)).unwrap().abs() < 0.06);
        assert_eq!(lag1(&[1.0; 20]), None);
    }

    #[test]
    fn effective_size_of_an_ar1_process() {
        // Theory: n (1 - r) / (1 + r).
        for n in [1500, 20_000] {
            let expected = n as f64 / 9.0;
            let sizes: Vec<f64> = (0..20).map(|seed| effective_size(&ar1(seed, n, 0.8))).collect();
            let typical = mean(&sizes).unwrap();
            assert!((typical / expected - 1.0).abs() < 0.25, "{n}: {typical} against {expected}");
        }
        assert_eq!(effective_size(&[2.0; 40]), 40.0);
        assert_eq!(effective_size(&[]), 0.0);
    }

    #[test]
    fn non_finite_values_do_not_panic() {
        let odd = [f64::NAN, f64::INFINITY, 1.0, 2.0, f64::NEG_INFINITY];
        assert!(effective_size(&odd) >= 1.0);
        let _ = lag1(&odd);
    }
}
