//! How large a difference is, apart from whether it is significant: with a thousand points any difference is
//! significant, with ten a collapse may not be.

use super::correlation::ranks;
use super::describe::{MEAN_DEVIATION_TO_SIGMA, mad_in_place, mean, median, sigma_of_mad};
use super::distributions::normal_p;

/// By how many robust standard deviations the median of `after` lies above that of `before`.
///
/// The scale is 1.4826 times the median of all deviations, each from the median of its own side; where more than half
/// of them are 0, 1.2533 times their mean. It is Cohen's d for normal noise, and one spike does not move it. `None`
/// when a side is empty or both are constant.
pub fn median_shift(before: &[f64], after: &[f64]) -> Option<f64> {
    let (low, high) = (median(before)?, median(after)?);
    let mut deviations: Vec<f64> = before.iter().map(|value| (value - low).abs()).collect();
    deviations.extend(after.iter().map(|value| (value - high).abs()));
    let average = mean(&deviations)?;
    let raw = mad_in_place(&mut deviations, 0.0)?;
    let sigma = if raw > 0.0 { sigma_of_mad(raw) } else { MEAN_DEVIATION_TO_SIGMA * average };
    if sigma > 0.0 { Some((high - low) / sigma) } else { None }
}

/// How often one sample lies above another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dominance {
    /// P(after > before) + P(after = before) / 2, of a random pair: 0.5 for equal samples.
    pub superiority: f64,
    /// Cliff's delta, P(after > before) - P(after < before): -1 to 1. |delta| below 0.147 is negligible, from 0.474 on
    /// large (Romano et al. 2006).
    pub cliffs_delta: f64,
    /// Mann-Whitney's U in standard deviations, with the corrections for ties and continuity.
    pub z: f64,
    /// Two-sided p of `z`. It takes values as independent: for the halves of one curve use a block bootstrap.
    pub p: f64,
}

/// Compares two samples by rank (Mann and Whitney 1947, as scipy's `mannwhitneyu`). O(n log n).
///
/// `None` when a side is empty.
pub fn dominance(before: &[f64], after: &[f64]) -> Option<Dominance> {
    if before.is_empty() || after.is_empty() {
        return None;
    }
    let both = [before, after].concat();
    let shared = ranks(&both);
    let (n, m) = (before.len() as f64, after.len() as f64);
    let sum: f64 = shared.iter().skip(before.len()).sum();
    let wins = sum - m * (m + 1.0) / 2.0;
    let superiority = wins / (n * m);
    let variance = n * m / 12.0 * ((n + m + 1.0) - tie_excess(&both) / ((n + m) * (n + m - 1.0)));
    let excess = wins - n * m / 2.0;
    let z = if excess == 0.0 || variance.is_nan() || variance <= 0.0 {
        0.0
    } else {
        (excess - 0.5 * excess.signum()) / variance.sqrt()
    };
    Some(Dominance { superiority, cliffs_delta: 2.0 * superiority - 1.0, z, p: normal_p(z) })
}

/// Sum of t^3 - t over groups of t equal values.
fn tie_excess(values: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = values.iter().map(|value| value + 0.0).collect();
    sorted.sort_by(f64::total_cmp);
    sorted.chunk_by(|a, b| a == b).map(|ties| ties.len() as f64).map(|t| t * (t * t - 1.0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::testing::white;
    use proptest::prelude::*;

    #[test]
    fn a_shift_in_standard_deviations() {
        let before = white(1, 3000);
        let after: Vec<f64> = white(2, 3000).iter().map(|value| value + 2.0).collect();
        assert!((median_shift(&before, &after).unwrap() - 2.0).abs() < 0.15);
        assert_eq!(median_shift(&[1.0; 4], &[2.0; 4]), None);
        assert_eq!(median_shift(&[], &[2.0; 4]), None);
        assert!(median_shift(&[1.0, 1.0, 1.0, 1.1], &[2.0; 4]).unwrap() > 10.0);
    }

    #[test]
    fn one_above_the_other() {
        let all = dominance(&[1.0, 2.0, 3.0], &[4.0, 5.0]).unwrap();
        assert_eq!((all.superiority, all.cliffs_delta), (1.0, 1.0));
        let same = dominance(&[1.0, 1.0], &[1.0, 1.0, 1.0]).unwrap();
        assert_eq!((same.superiority, same.z, same.p), (0.5, 0.0, 1.0));
        assert_eq!(dominance(&[], &[1.0]), None);
        assert_eq!(dominance(&[1.0], &[2.0]).unwrap().superiority, 1.0);
    }

    proptest! {
        #[test]
        fn swapping_the_sides_turns_the_sign(a in prop::collection::vec(-5_i32..5, 1..30), b in prop::collection::vec(-5_i32..5, 1..30)) {
            let (a, b): (Vec<f64>, Vec<f64>) = (a.into_iter().map(f64::from).collect(), b.into_iter().map(f64::from).collect());
            let (there, back) = (dominance(&a, &b).unwrap(), dominance(&b, &a).unwrap());
            prop_assert!((there.cliffs_delta + back.cliffs_delta).abs() < 1e-12);
            prop_assert!((there.z + back.z).abs() < 1e-9);
        }

        #[test]
        fn never_panics(a in prop::collection::vec(prop::num::f64::ANY, 0..30), b in prop::collection::vec(prop::num::f64::ANY, 0..30)) {
            let _ = (dominance(&a, &b), median_shift(&a, &b));
        }
    }
}
