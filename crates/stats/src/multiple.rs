//! Corrections for multiple tests: the smallest of fifty p is small by chance. Adjusted p are compared with the level
//! of a single test.

use super::compact_sort::CompactSort as _;

/// Holm's adjusted p (Holm 1979), in the order given: below alpha, the chance of even one false claim is below alpha,
/// whatever the tests' dependence. NaN counts as 1.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let count = p.len() as f64;
    let mut adjusted = vec![1.0; p.len()];
    let mut largest: f64 = 0.0;
    for (rank, (value, index)) in ascending(p).into_iter().enumerate() {
        largest = largest.max((count - rank as f64) * value).min(1.0);
        put(&mut adjusted, index, largest);
    }
    adjusted
}

/// Benjamini and Hochberg's adjusted p (1995), in the order given: among those below q, the expected share of false
/// ones is below q, for tests that are independent or depend positively. NaN counts as 1.
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let count = p.len() as f64;
    let mut adjusted = vec![1.0; p.len()];
    let mut least: f64 = 1.0;
    for (rank, (value, index)) in ascending(p).into_iter().enumerate().rev() {
        least = least.min(value * count / (rank + 1) as f64);
        put(&mut adjusted, index, least);
    }
    adjusted
}

/// The values with their places, smallest first.
fn ascending(p: &[f64]) -> Vec<(f64, usize)> {
    let mut order: Vec<(f64, usize)> =
        p.iter().enumerate().map(|(index, value)| (if value.is_nan() { 1.0 } else { *value }, index)).collect();
    order.compact_sort_by(|a, b| a.0.total_cmp(&b.0));
    order
}

fn put(adjusted: &mut [f64], index: usize, value: f64) {
    if let Some(place) = adjusted.get_mut(index) {
        *place = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let p = [0.04, 0.01, 0.03];
        assert_eq!(holm(&p), [0.06, 0.03, 0.06]);
        assert_eq!(benjamini_hochberg(&p), [0.04, 0.03, 0.04]);
    }

    #[test]
    fn nothing_and_nonsense() {
        assert!(holm(&[]).is_empty() && benjamini_hochberg(&[]).is_empty());
        assert_eq!(holm(&[f64::NAN, 0.01]), [1.0, 0.02]);
    }

    #[test]
    fn a_false_claim_is_rare() {
        // The best of twenty uniform p is below 5 % in 64 % of all families.
        let mut random = crate::SplitMix64::new(5);
        let mut claims = (0, 0);
        for _ in 0..1000 {
            let family: Vec<f64> = (0..20).map(|_| random.uniform()).collect();
            claims.0 += usize::from(family.iter().any(|p| *p < 0.05));
            claims.1 += usize::from(holm(&family).iter().any(|p| *p < 0.05));
        }
        assert!(claims.0 > 550 && claims.1 < 80, "{claims:?}");
    }
}
