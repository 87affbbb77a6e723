//! Correlation with what both sides share taken out: reward and length both rise with the step, but do they rise
//! together beyond that?

use super::association::{Association, effective_pairs, p_of_r};
use super::correlation::{pearson, ranks};
use super::describe::mean;

/// What is left of a column counts as nothing below this share of its variance.
const NOTHING_LEFT: f64 = 1e-10;

/// Partial Spearman correlation: all columns become ranks, a linear fit on the `controls` is taken out of `x` and `y`,
/// and what is left is correlated.
///
/// Its p is Student's t with [`effective_pairs`] of what is left, less two and one for each control. `None` for
/// different lengths, fewer pairs than controls plus four, a constant side, or one that the controls explain wholly. A
/// control that adds nothing to the others is left out.
pub fn partial_spearman(x: &[f64], y: &[f64], controls: &[&[f64]]) -> Option<Association> {
    let n = x.len();
    if y.len() != n || controls.iter().any(|control| control.len() != n) || n < controls.len() + 4 {
        return None;
    }
    let basis = orthogonal_basis(controls)?;
    let (x, y) = (rest(&ranks(x), &basis)?, rest(&ranks(y), &basis)?);
    let r = pearson(&x, &y)?;
    let effective = effective_pairs(&x, &y);
    Some(Association { r, n, effective, p: p_of_r(r, effective, basis.len() as f64) })
}

/// Unit columns that span the ranked controls, by Gram and Schmidt.
fn orthogonal_basis(controls: &[&[f64]]) -> Option<Vec<Vec<f64>>> {
    let mut basis: Vec<Vec<f64>> = Vec::with_capacity(controls.len());
    for control in controls {
        let Some(mut column) = rest(&ranks(control), &basis) else { continue };
        let length = column.iter().map(|value| value * value).sum::<f64>().sqrt();
        for value in &mut column {
            *value /= length;
        }
        basis.push(column);
    }
    Some(basis)
}

/// `column` without its mean and its part along the basis; `None` when nothing is left.
fn rest(column: &[f64], basis: &[Vec<f64>]) -> Option<Vec<f64>> {
    let centre = mean(column)?;
    let mut left: Vec<f64> = column.iter().map(|value| value - centre).collect();
    let before: f64 = left.iter().map(|value| value * value).sum();
    // Twice: the first pass leaves rounding errors along the basis.
    for direction in basis.iter().chain(basis) {
        let share: f64 = left.iter().zip(direction).map(|(value, unit)| value * unit).sum();
        for (value, unit) in left.iter_mut().zip(direction) {
            *value -= share * unit;
        }
    }
    let after: f64 = left.iter().map(|value| value * value).sum();
    if after > NOTHING_LEFT * before { Some(left) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::spearman;
    use crate::stats::testing::white;
    use proptest::prelude::*;

    #[test]
    fn what_both_share_is_taken_out() {
        let step: Vec<f64> = (0..400).map(f64::from).collect();
        let with = |noise: Vec<f64>| -> Vec<f64> {
            noise.iter().zip(&step).map(|(noise, step)| noise + 0.02 * step).collect()
        };
        let (x, y) = (with(white(1, 400)), with(white(2, 400)));
        assert!(spearman(&x, &y).unwrap() > 0.7);
        let left = partial_spearman(&x, &y, &[&step]).unwrap();
        assert!(left.r.abs() < 0.15 && left.p > 0.01, "{left:?}");
        // The same control twice changes nothing.
        assert!((partial_spearman(&x, &y, &[&step, &step]).unwrap().r - left.r).abs() < 1e-9);
    }

    #[test]
    fn without_controls_it_is_spearman() {
        let (x, y) = (white(3, 50), white(4, 50));
        let plain = partial_spearman(&x, &y, &[]).unwrap().r;
        assert!((plain - spearman(&x, &y).unwrap()).abs() < 1e-12);
    }

    #[test]
    fn nothing_left() {
        let x: Vec<f64> = (0..30).map(f64::from).collect();
        assert_eq!(partial_spearman(&x, &white(1, 30), &[&x]), None);
        assert_eq!(partial_spearman(&x, &[1.0; 30], &[]), None);
        assert_eq!(partial_spearman(&x[..3], &x[..3], &[]), None);
        assert_eq!(partial_spearman(&x, &x, &[&x[1..]]), None);
        // A constant control says nothing.
        assert_eq!(partial_spearman(&x, &x, &[&[1.0; 30]]).map(|found| found.r), Some(1.0));
    }

    proptest! {
        #[test]
        fn never_panics(x in prop::collection::vec(prop::num::f64::ANY, 0..30)) {
            let reversed: Vec<f64> = x.iter().rev().copied().collect();
            let _ = partial_spearman(&x, &reversed, &[&x, &reversed]);
            let _ = partial_spearman(&x, &reversed, &[]);
        }
    }
}
