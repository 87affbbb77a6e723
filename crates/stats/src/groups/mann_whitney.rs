//! The Mann-Whitney test of two samples with its effect size: with a thousand points any difference is significant,
//! with ten a collapse may not be.
//!
//! statrs' `mannwhitneyu` compares all pairs to order them, O(n^2), and gives no effect size; the bootstrap of a
//! comparison calls this thousands of times.

use crate::correlation::ranks;
use crate::describe::ascending;
use crate::distributions::normal_p;

/// How often one sample lies above another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dominance {
    /// P(after > before) + P(after = before) / 2, of a random pair: 0.5 for equal samples.
    pub superiority: f64,
    /// Two-sided p of Mann-Whitney's U, corrected for ties and continuity. It takes values as independent: for the
    /// halves of one curve use a block bootstrap.
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
    Some(Dominance { superiority, p: normal_p(z) })
}

/// Sum of t^3 - t over groups of t equal values.
fn tie_excess(values: &[f64]) -> f64 {
    let sorted = ascending(values.iter().map(|value| value + 0.0));
    sorted.chunk_by(|a, b| a == b).map(|ties| ties.len() as f64).map(|t| t * (t * t - 1.0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_above_the_other() {
        assert_eq!(dominance(&[1.0, 2.0, 3.0], &[4.0, 5.0]).unwrap().superiority, 1.0);
        let same = dominance(&[1.0, 1.0], &[1.0, 1.0, 1.0]).unwrap();
        assert_eq!((same.superiority, same.p), (0.5, 1.0));
        assert_eq!(dominance(&[], &[1.0]), None);
        assert_eq!(dominance(&[1.0], &[2.0]).unwrap().superiority, 1.0);
    }

    proptest! {
        #[test]
        fn swapping_the_sides_turns_the_share(a in prop::collection::vec(-5_i32..5, 1..30), b in prop::collection::vec(-5_i32..5, 1..30)) {
            let (a, b): (Vec<f64>, Vec<f64>) = (a.into_iter().map(f64::from).collect(), b.into_iter().map(f64::from).collect());
            let (there, back) = (dominance(&a, &b).unwrap(), dominance(&b, &a).unwrap());
            prop_assert!((there.superiority + back.superiority - 1.0).abs() < 1e-12);
            prop_assert!((there.p - back.p).abs() < 1e-9);
        }

        #[test]
        fn never_panics(a in prop::collection::vec(prop::num::f64::ANY, 0..30), b in prop::collection::vec(prop::num::f64::ANY, 0..30)) {
            let _ = dominance(&a, &b);
        }
    }
}
