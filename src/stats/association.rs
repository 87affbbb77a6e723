//! Whether two columns move together more than chance would have it: correlations with their p.
//!
//! Two series with a trend always correlate: within a run use [`correlation_of_changes`]. Across runs, whose values are
//! independent, use [`spearman_test`], or [`kendall`] where many values are equal.

use super::autocorrelation::lag1;
use super::correlation::{coarse_ranks, pearson, ranks};
use super::describe::differences;
use super::distributions::{normal_p, student_p};
use super::inversions::sort_counting_inversions;

/// With fewer pairs all orders are tried instead of the t approximation: at most 9! = 362,880.
const ALL_ORDERS_BELOW: usize = 10;

/// A correlation and how surely it is one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Association {
    /// The coefficient, -1 to 1.
    pub r: f64,
    /// Pairs of values.
    pub n: usize,
    /// Independent pairs that would carry as much evidence; `n` where the pairs are taken as independent.
    pub effective: f64,
    /// Two-sided p of no association.
    pub p: f64,
}

/// Spearman's correlation of independent pairs, with the p of Student's t (r sqrt((n-2)/(1-r^2)), n - 2 degrees), or
/// with fewer than ten pairs the share of all orders that give at least as large an |r|.
///
/// `None` for different lengths, fewer than three pairs, or a constant side.
pub fn spearman_test(x: &[f64], y: &[f64]) -> Option<Association> {
    if x.len() != y.len() {
        return None;
    }
    let (n, x, y) = (x.len(), ranks(x), ranks(y));
    let r = pearson(&x, &y)?;
    let p = if n < ALL_ORDERS_BELOW { permutation_p(&x, y) } else { p_of_r(r, n as f64, 0.0) };
    Some(Association { r, n, effective: n as f64, p })
}

/// Spearman's correlation of the first differences of two series logged at the same steps: do they move at the same
/// time? A common trend does not count.
///
/// Its p is that of [`effective_pairs`] independent pairs. `None` for different lengths, fewer than four points, or a
/// side that never moves.
pub fn correlation_of_changes(x: &[f64], y: &[f64]) -> Option<Association> {
    if x.len() != y.len() {
        return None;
    }
    let (x, y) = (coarse_ranks(&differences(x)), coarse_ranks(&differences(y)));
    let r = pearson(&x, &y)?;
    let effective = effective_pairs(&x, &y);
    Some(Association { r, n: x.len(), effective, p: p_of_r(r, effective, 0.0) })
}

/// Independent pairs that two autocorrelated series are worth: n (1 - r_x r_y)/(1 + r_x r_y) with their lag-1
/// correlations (Bartlett 1935), from 2 to n.
pub fn effective_pairs(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len().min(y.len()) as f64;
    let product = lag1(x).unwrap_or(0.0) * lag1(y).unwrap_or(0.0);
    let effective = n * (1.0 - product) / (1.0 + product);
    if effective.is_finite() { effective.min(n).max(n.min(2.0)) } else { n }
}

/// Kendall's tau-b of independent pairs, which allows for equal values on both sides, with its normal approximation
/// (Kendall 1970, as scipy's asymptotic `kendalltau`; good from about ten pairs on). O(n log n).
///
/// `None` for different lengths, fewer than three pairs, or a constant side.
pub fn kendall(x: &[f64], y: &[f64]) -> Option<Association> {
    if x.len() != y.len() || x.len() < 3 {
        return None;
    }
    let mut pairs: Vec<(f64, f64)> = x.iter().zip(y).map(|(x, y)| (x + 0.0, y + 0.0)).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut x_ties = Ties::default();
    let mut tied_in_both = 0.0;
    for same in pairs.chunk_by(|a, b| a.0 == b.0) {
        x_ties.add(same.len());
        tied_in_both += same.chunk_by(|a, b| a.1 == b.1).map(|both| pairs_of(both.len() as f64)).sum::<f64>();
    }
    let mut y_values: Vec<f64> = pairs.iter().map(|(_, y)| *y).collect();
    let discordant = sort_counting_inversions(&mut y_values, &mut Vec::with_capacity(y.len())) as f64;
    let mut y_ties = Ties::default();
    for same in y_values.chunk_by(|a, b| a == b) {
        y_ties.add(same.len());
    }
    let n = x.len() as f64;
    let all = pairs_of(n);
    let scale = (all - x_ties.pairs).sqrt() * (all - y_ties.pairs).sqrt();
    if scale.is_nan() || scale <= 0.0 {
        return None;
    }
    let s = all - x_ties.pairs - y_ties.pairs + tied_in_both - 2.0 * discordant;
    let variance = (2.0 * all * (2.0 * n + 5.0) - x_ties.variance - y_ties.variance) / 18.0
        + x_ties.pairs * y_ties.pairs / all
        + x_ties.triples * y_ties.triples / (18.0 * all * (n - 2.0));
    let p = if variance > 0.0 { normal_p(s / variance.sqrt()) } else { 1.0 };
    Some(Association { r: (s / scale).clamp(-1.0, 1.0), n: x.len(), effective: n, p })
}

/// Two-sided p of a correlation from `effective` pairs, of which `controls` more were spent: Student's t.
pub(super) fn p_of_r(r: f64, effective: f64, controls: f64) -> f64 {
    let degrees = effective - 2.0 - controls;
    if degrees <= 0.0 {
        return 1.0;
    }
    let rest = (1.0 - r) * (1.0 + r);
    if rest <= 0.0 { 0.0 } else { student_p(r * (degrees / rest).sqrt(), degrees) }
}

/// Sums over groups of equal values.
#[derive(Default)]
struct Ties {
    pairs: f64,
    triples: f64,
    variance: f64,
}

impl Ties {
    fn add(&mut self, size: usize) {
        let t = size as f64;
        self.pairs += pairs_of(t);
        self.triples += t * (t - 1.0) * (t - 2.0);
        self.variance += t * (t - 1.0) * (2.0 * t + 5.0);
    }
}

fn pairs_of(n: f64) -> f64 {
    n * (n - 1.0) / 2.0
}

/// Share of the orders of `y` whose sum of products with `x` lies at least as far from the mean as that given. Each
/// order follows from the one before by one swap (Heap 1963).
fn permutation_p(x: &[f64], mut y: Vec<f64>) -> f64 {
    let n = y.len();
    let expected = x.iter().sum::<f64>() * y.iter().sum::<f64>() / n.max(1) as f64;
    // Ranks are multiples of a half: sums are exact but for the expectation.
    let product = |y: &[f64]| (x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>() - expected).abs();
    let given = product(&y) - 1e-9;
    let (mut extreme, mut all) = (1_u32, 1_u32);
    let mut counters = vec![0_usize; n];
    let mut level = 1;
    while level < n {
        let Some(counter) = counters.get_mut(level) else { break };
        if *counter >= level {
            *counter = 0;
            level += 1;
            continue;
        }
        let other = if level % 2 == 0 { 0 } else { *counter };
        *counter += 1;
        y.swap(level, other);
        level = 1;
        all += 1;
        extreme += u32::from(product(&y) >= given);
    }
    f64::from(extreme) / f64::from(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::testing::{ar1, white};
    use proptest::prelude::*;

    #[test]
    fn a_few_pairs_are_counted_exactly() {
        let x = [1.0, 2.0, 3.0, 4.0, 5.0];
        // Of 120 orders only the two monotone ones have |r| = 1.
        assert!((spearman_test(&x, &x).unwrap().p - 2.0 / 120.0).abs() < 1e-12);
        assert!((spearman_test(&x, &[5.0, 4.0, 3.0, 2.0, 1.0]).unwrap().p - 2.0 / 120.0).abs() < 1e-12);
        assert_eq!(spearman_test(&x[..2], &x[..2]), None);
        assert_eq!(spearman_test(&x, &[1.0; 5]), None);
    }

    #[test]
    fn a_perfect_relation_is_certain() {
        let x: Vec<f64> = (0..30).map(f64::from).collect();
        assert_eq!(spearman_test(&x, &x).unwrap().p, 0.0);
        let tau = kendall(&x, &x).unwrap();
        assert!(tau.r == 1.0 && tau.p < 1e-10);
        assert_eq!(kendall(&x, &[2.0; 30]), None);
        assert_eq!(kendall(&[], &[]), None);
        assert_eq!(kendall(&x, &x[1..]), None);
    }

    #[test]
    fn a_common_trend_is_no_association() {
        let trend = |seed| -> Vec<f64> {
            ar1(seed, 300, 0.5).iter().enumerate().map(|(place, noise)| noise + 0.05 * place as f64).collect()
        };
        let alarms = (0..100)
            .filter(|seed| correlation_of_changes(&trend(*seed), &trend(seed + 1000)).unwrap().p < 0.05)
            .count();
        assert!(alarms <= 12, "{alarms}");
        assert!(spearman_test(&trend(1), &trend(2)).unwrap().p < 1e-6);
        let (x, noise) = (trend(3), white(7, 300));
        let y: Vec<f64> = x.iter().zip(&noise).map(|(x, noise)| x + 0.5 * noise).collect();
        let found = correlation_of_changes(&x, &y).unwrap();
        assert!(found.r > 0.4 && found.p < 1e-6, "{found:?}");
    }

    #[test]
    fn effective_pairs_shrink_with_correlation() {
        let (x, y) = (ar1(1, 2000, 0.9), ar1(2, 2000, 0.9));
        let expected = 2000.0 * (1.0 - 0.81) / (1.0 + 0.81);
        assert!((effective_pairs(&x, &y) / expected - 1.0).abs() < 0.3);
        assert_eq!((effective_pairs(&[], &[]), effective_pairs(&[1.0; 9], &[1.0; 9])), (0.0, 9.0));
    }

    #[test]
    fn a_long_column_takes_n_log_n() {
        let x = white(1, 200_000);
        let tau = kendall(&x, &white(2, 200_000)).unwrap();
        assert!(tau.r.abs() < 0.01 && tau.p > 1e-4, "{tau:?}");
    }

    proptest! {
        #[test]
        fn tau_counts_pairs(pairs in prop::collection::vec((-4_i32..4, -4_i32..4), 3..40)) {
            let (x, y): (Vec<f64>, Vec<f64>) = pairs.iter().map(|(x, y)| (f64::from(*x), f64::from(*y))).unzip();
            let (mut s, mut in_x, mut in_y) = (0, 0, 0);
            for (place, a) in pairs.iter().enumerate() {
                for b in &pairs[..place] {
                    s += (a.0 - b.0).signum() * (a.1 - b.1).signum();
                    in_x += i32::from(a.0 != b.0);
                    in_y += i32::from(a.1 != b.1);
                }
            }
            match kendall(&x, &y) {
                None => prop_assert!(in_x == 0 || in_y == 0),
                Some(tau) => {
                    let expected = f64::from(s) / (f64::from(in_x) * f64::from(in_y)).sqrt();
                    prop_assert!((tau.r - expected).abs() < 1e-12);
                }
            }
        }

        #[test]
        fn never_panics(x in prop::collection::vec(prop::num::f64::ANY, 0..8), y in prop::collection::vec(prop::num::f64::ANY, 0..8)) {
            let y = &y[..y.len().min(x.len())];
            let x = &x[..y.len()];
            let _ = (spearman_test(x, y), kendall(x, y), correlation_of_changes(x, y));
        }
    }
}
