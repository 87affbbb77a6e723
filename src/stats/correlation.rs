//! How far two columns move together.
//!
//! Two series with a trend always correlate: within a run, correlate first differences or residuals.

use super::describe::mean;
use crate::order::Arrange;

/// Pearson's correlation. `None` for different lengths, fewer than three pairs, or a constant side.
pub fn pearson(x: &[f64], y: &[f64]) -> Option<f64> {
    if x.len() != y.len() || x.len() < 3 {
        return None;
    }
    let (x_mean, y_mean) = (mean(x)?, mean(y)?);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x_value, y_value) in x.iter().zip(y) {
        let (dx, dy) = (x_value - x_mean, y_value - y_mean);
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    let scale = xx.sqrt() * yy.sqrt();
    if scale > 0.0 { Some((xy / scale).clamp(-1.0, 1.0)) } else { None }
}

/// Spearman's correlation: Pearson's on average ranks. `None` as for [`pearson`].
pub fn spearman(x: &[f64], y: &[f64]) -> Option<f64> {
    if x.len() != y.len() {
        return None;
    }
    pearson(&ranks(x), &ranks(y))
}

/// Ranks from 1, ties share their average rank. NaN ranks above everything.
pub fn ranks(x: &[f64]) -> Vec<f64> {
    let mut order: Vec<(f64, usize)> = x.iter().enumerate().map(|(index, value)| (value + 0.0, index)).collect();
    order.arrange_by(|a, b| a.0.total_cmp(&b.0));
    let mut ranks = vec![0.0; x.len()];
    let mut below = 0;
    for ties in order.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        let shared = below as f64 + (ties.len() + 1) as f64 / 2.0;
        for (_, index) in ties {
            if let Some(rank) = ranks.get_mut(*index) {
                *rank = shared;
            }
        }
        below += ties.len();
    }
    ranks
}

/// [`ranks`] in which values are tied that differ by less than 2^-40 of the largest: differences of rounded values, such
/// as 0.3 - 0.2 and 0.2 - 0.1, are equal but for their last bits.
pub(super) fn coarse_ranks(x: &[f64]) -> Vec<f64> {
    let largest = x.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let quantum = largest / (1_u64 << 40) as f64;
    if quantum > 0.0 && quantum.is_finite() {
        let steps: Vec<f64> = x.iter().map(|value| (value / quantum + 0.5).floor()).collect();
        return ranks(&steps);
    }
    ranks(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_bits_of_differences_do_not_count() {
        let differences = [0.3 - 0.2, 0.2 - 0.1, 0.2 - 0.3];
        assert_ne!(differences[0], differences[1]);
        assert_eq!(coarse_ranks(&differences), [2.5, 2.5, 1.0]);
        assert_eq!(coarse_ranks(&[0.0; 3]), [2.0; 3]);
        assert_eq!(coarse_ranks(&[]), [0.0; 0]);
        assert_eq!(coarse_ranks(&[f64::INFINITY, 1.0]), [2.0, 1.0]);
    }

    #[test]
    fn ties_share_a_rank() {
        assert_eq!(ranks(&[10.0, 30.0, 20.0, 20.0]), [1.0, 4.0, 2.5, 2.5]);
        assert_eq!(ranks(&[0.0, -0.0]), [1.5, 1.5]);
    }

    #[test]
    fn a_monotone_relation_has_spearman_one() {
        let x: Vec<f64> = (1..20).map(f64::from).collect();
        let y: Vec<f64> = x.iter().map(|value| value * value * value).collect();
        assert!((spearman(&x, &y).unwrap() - 1.0).abs() < 1e-12);
        assert!(pearson(&x, &y).unwrap() < 0.95);
    }

    #[test]
    fn nothing_to_correlate() {
        assert_eq!(pearson(&[1.0, 2.0], &[1.0, 2.0]), None);
        assert_eq!(pearson(&[1.0, 1.0, 1.0], &[1.0, 2.0, 3.0]), None);
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[1.0, 2.0]), None);
        let _ = spearman(&[f64::NAN, 1.0, f64::INFINITY], &[1.0, f64::NAN, 2.0]);
    }
}
