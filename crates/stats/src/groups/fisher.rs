//! Fisher's exact test of a table of two by two: do the marked items come more often in one of two groups?

use super::super::distributions::hypergeometric_pmf;

/// One-sided p of Fisher's exact test (1922): the chance that at least `hits` of `drawn` items are marked, where `marked` of
/// `total` items are and these are drawn without replacement. NaN for numbers that no such draw has.
pub fn fisher_p(hits: u64, drawn: u64, marked: u64, total: u64) -> f64 {
    let most = drawn.min(marked);
    if drawn.max(marked) > total || hits > most {
        return f64::NAN;
    }
    if hits <= (drawn + marked).saturating_sub(total) {
        return 1.0;
    }
    // Below the mean the first term may be too small for a number, and the rest is nearly all.
    if u128::from(hits) * u128::from(total) <= u128::from(drawn) * u128::from(marked) {
        return 1.0 - fisher_p(drawn - hits + 1, drawn, total - marked, total);
    }
    // Each term from the one before: the terms beyond the mean fall fast, and a term by itself takes nine logarithms.
    let (mut term, mut sum) = (hypergeometric_pmf(hits, drawn, marked, total), 0.0);
    for count in hits..=most {
        sum += term;
        if term <= sum * f64::EPSILON {
            break;
        }
        let unmarked = (total + count + 1) - drawn - marked;
        term *= (marked - count) as f64 * (drawn - count) as f64 / ((count + 1) as f64 * unmarked as f64);
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_counted_by_hand() {
        // 1 of the C(21, 5) = 20,349 ways to choose five.
        assert!((fisher_p(5, 5, 5, 21) * 20_349.0 - 1.0).abs() < 1e-9);
        // Fisher's tea: 17 of the C(8, 4) = 70 ways have three cups or more right.
        assert!((fisher_p(3, 4, 4, 8) - 17.0 / 70.0).abs() < 1e-12);
        assert_eq!((fisher_p(0, 3, 2, 9), fisher_p(2, 5, 5, 8)), (1.0, 1.0));
        assert!(fisher_p(4, 3, 5, 9).is_nan() && fisher_p(1, 3, 10, 9).is_nan());
    }

    #[test]
    fn the_tails_add_up() {
        // At least k marked items within the group, or at least the rest outside of it.
        for hits in 1..=12 {
            let (inside, outside) = (fisher_p(hits, 40, 12, 100), fisher_p(12 - (hits - 1), 60, 12, 100));
            assert!((inside + outside - 1.0).abs() < 1e-9, "{hits}: {inside} + {outside}");
        }
        assert!(fisher_p(2_000, 4_000, 2_500, 10_000) < 1e-100);
        assert_eq!(fisher_p(2, 600, 601, 1_200), 1.0, "far below the mean");
    }
}
