//! Confidence intervals of correlation coefficients: with ten runs an r of 0.5 may as well be 0.

use crate::distributions::Z_95;

/// 95 % interval of Pearson's `r` from `n` pairs, by Fisher's z: tanh(atanh r +- 1.96 / sqrt(n - 3)), as scipy's
/// `pearsonr`.
///
/// `None` with fewer than four pairs or an `r` outside of -1 to 1.
pub fn pearson_interval(r: f64, n: usize) -> Option<(f64, f64)> {
    interval(r, n, 1.0)
}

/// 95 % interval of Spearman's `r` from `n` pairs: Fisher's z with the standard error sqrt((1 + r^2/2) / (n - 3)) of
/// Bonett and Wright (2000), since ranks scatter more than normal values.
///
/// `None` as for [`pearson_interval`].
pub fn spearman_interval(r: f64, n: usize) -> Option<(f64, f64)> {
    interval(r, n, (1.0 + r * r / 2.0).sqrt())
}

fn interval(r: f64, n: usize, factor: f64) -> Option<(f64, f64)> {
    if n < 4 || !(-1.0..=1.0).contains(&r) {
        return None;
    }
    if r.abs() == 1.0 {
        return Some((r, r));
    }
    let (z, half) = (libm::atanh(r), Z_95 * factor / ((n - 3) as f64).sqrt());
    Some((libm::tanh(z - half), libm::tanh(z + half)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_pairs_tell_little() {
        let (low, high) = pearson_interval(0.5, 10).unwrap();
        assert!(low < 0.0 && high > 0.8, "{low} {high}");
        let (wide_low, wide_high) = spearman_interval(0.5, 10).unwrap();
        assert!(wide_low < low && wide_high > high);
    }

    #[test]
    fn the_edges() {
        assert_eq!(pearson_interval(0.5, 3), None);
        assert_eq!(pearson_interval(f64::NAN, 30), None);
        assert_eq!(pearson_interval(-1.0, 30), Some((-1.0, -1.0)));
        assert_eq!(spearman_interval(1.5, 30), None);
    }
}
