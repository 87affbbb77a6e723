//! Proportions: Wilson's interval, the z test of two, and the excess that the best of several looks has by chance. Is
//! an accuracy of 0.303 on 1,000 tasks really above one of 0.261?

/// Wilson's score interval (Wilson 1927) for `successes` out of `n`, at `z` standard deviations (1.96 for 95 %).
///
/// `None` unless n > 0, 0 <= successes <= n and z >= 0.
pub fn wilson(successes: f64, n: f64, z: f64) -> Option<(f64, f64)> {
    let sensible = n > 0.0 && n.is_finite() && (0.0..=n).contains(&successes) && z >= 0.0 && z.is_finite();
    if !sensible {
        return None;
    }
    let share = successes / n;
    let widening = z * z / n;
    let centre = share + widening / 2.0;
    let half_width = z * (share * (1.0 - share) / n + widening / (4.0 * n)).max(0.0).sqrt();
    let scale = 1.0 + widening;
    Some((((centre - half_width) / scale).max(0.0), ((centre + half_width) / scale).min(1.0)))
}

/// z of the difference of two shares, s2/n2 - s1/n1, with the pooled variance: positive when the second is higher.
///
/// `None` unless both are shares of something; 0 when the pooled share is 0 or 1.
pub fn two_proportion_z(s1: f64, n1: f64, s2: f64, n2: f64) -> Option<f64> {
    let sensible = |s: f64, n: f64| n > 0.0 && n.is_finite() && (0.0..=n).contains(&s);
    if !sensible(s1, n1) || !sensible(s2, n2) {
        return None;
    }
    let pooled = (s1 + s2) / (n1 + n2);
    let variance = pooled * (1.0 - pooled) * (1.0 / n1 + 1.0 / n2);
    if variance > 0.0 { Some((s2 / n2 - s1 / n1) / variance.sqrt()) } else { Some(0.0) }
}

/// By how much the best of `looks` equally good, independently measured values exceeds their common mean:
/// `error` sqrt(2 ln looks), where `error` is the standard error of one look (the expected maximum of normal values).
///
/// It is the bound that the expected maximum of normal values approaches from below: a peak that is higher than a
/// later value by less than this shows nothing. Looks that share points may count as a fraction; 0 for one look or less.
pub fn excess_of_best(error: f64, looks: f64) -> f64 {
    error * (2.0 * libm::log(looks.max(1.0))).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal_sf;
    use proptest::prelude::*;

    #[test]
    fn the_best_of_many_looks() {
        assert_eq!(excess_of_best(0.01, 1.0), 0.0);
        assert!((excess_of_best(0.01, 7.0) - 0.0197).abs() < 1e-4);
    }

    #[test]
    fn nonsense_gives_nothing() {
        assert_eq!(wilson(3.0, 2.0, 1.96), None);
        assert_eq!(wilson(0.0, 0.0, 1.96), None);
        assert_eq!(wilson(f64::NAN, 2.0, 1.96), None);
        assert_eq!(two_proportion_z(0.0, 10.0, 0.0, 10.0), Some(0.0));
        assert_eq!(two_proportion_z(1.0, 0.0, 0.0, 10.0), None);
    }

    #[test]
    fn a_peak_of_few_looks_is_not_significant() {
        // Search-R1: 261 of 1,000 against 303 of 1,000 looks significant alone, but is the best of seven looks.
        let z = two_proportion_z(261.0, 1000.0, 303.0, 1000.0).unwrap();
        assert!(z > 1.96 && 7.0 * 2.0 * normal_sf(z) > 0.05, "{z}");
    }

    proptest! {
        #[test]
        fn wilson_holds_the_share(n in 1_u32..5000, share in 0.0_f64..=1.0, z in 0.0_f64..5.0) {
            let n = f64::from(n);
            let successes = (share * n).floor();
            let (low, high) = wilson(successes, n, z).unwrap();
            prop_assert!(low <= successes / n + 1e-12 && successes / n <= high + 1e-12);
            prop_assert!((0.0..=1.0).contains(&low) && (0.0..=1.0).contains(&high));
        }
    }
}
