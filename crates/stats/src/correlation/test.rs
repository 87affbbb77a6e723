//! Significance of Spearman's correlation of two columns of independent values, such as settings and scores of runs.
//! Two series of one run are not independent: with a trend they always correlate.

use super::coefficients::{pearson, ranks};
use crate::distributions::student_p;

/// With fewer pairs all orders are tried instead of the t approximation: at most 9! = 362,880.
const ALL_ORDERS_BELOW: usize = 10;

/// A correlation and how surely it is one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Association {
    /// The coefficient, -1 to 1.
    pub r: f64,
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
    let p = if n < ALL_ORDERS_BELOW { permutation_p(&x, y) } else { p_of_r(r, n) };
    Some(Association { r, p })
}

/// Two-sided p of a correlation of independent pairs: Student's t with two degrees of freedom fewer; 1 with fewer than
/// three pairs.
pub(crate) fn p_of_r(r: f64, pairs: usize) -> f64 {
    if pairs < 3 {
        return 1.0;
    }
    let degrees = (pairs - 2) as f64;
    let rest = (1.0 - r) * (1.0 + r);
    if rest <= 0.0 { 0.0 } else { student_p(r * (degrees / rest).sqrt(), degrees) }
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
    use crate::golden::{close, golden, numbers};
    use proptest::prelude::*;

    #[test]
    fn it_agrees_with_scipy() {
        let golden = golden();
        for curve in golden["curves"].as_object().unwrap().values() {
            let found = spearman_test(&numbers(&curve["y"]), &numbers(&curve["partner"])).unwrap();
            close("p", found.p, &curve["spearman_p"]);
        }
        for expected in golden["exact_spearman"].as_array().unwrap() {
            let found = spearman_test(&numbers(&expected["x"]), &numbers(&expected["y"])).unwrap();
            close("r", found.r, &expected["r"]);
            close("p", found.p, &expected["p"]);
        }
    }

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
    }

    proptest! {
        #[test]
        fn never_panics(x in prop::collection::vec(prop::num::f64::ANY, 0..8), y in prop::collection::vec(prop::num::f64::ANY, 0..8)) {
            let y = &y[..y.len().min(x.len())];
            let x = &x[..y.len()];
            let _ = spearman_test(x, y);
        }
    }
}
