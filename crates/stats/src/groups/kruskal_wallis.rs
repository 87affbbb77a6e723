//! The Kruskal-Wallis test: do groups of values differ at all, whatever their order? statrs has none.

use crate::correlation::ranks;
use crate::distributions::chi_square_sf;

/// Kruskal and Wallis' test of groups.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KruskalWallis {
    /// P of no difference by chi-square; good from about five values a group on, see [`super::rank_tests()`] for fewer.
    pub p: f64,
    /// Share of the ranks' variance that lies between the groups, less what chance gives: (H - k + 1)/(n - k), at
    /// least 0 (Tomczak and Tomczak 2014).
    pub share: f64,
}

/// Compares groups of values by rank (Kruskal and Wallis 1952, as scipy's `kruskal`). `groups` holds the group of each
/// value, numbered from 0; groups without a value do not count. O(n log n).
///
/// `None` for different lengths, fewer than two groups, three values, or values that are all equal.
pub fn kruskal_wallis(values: &[f64], groups: &[usize]) -> Option<KruskalWallis> {
    if values.len() != groups.len() || values.len() < 3 {
        return None;
    }
    of_ranks(&ranks(values), groups)
}

/// [`kruskal_wallis`] of ranks, three at least.
pub(super) fn of_ranks(shared: &[f64], groups: &[usize]) -> Option<KruskalWallis> {
    let n = shared.len();
    let sums = rank_sums(shared, groups);
    let used = sums.iter().filter(|(_, size)| *size > 0.0).count();
    let centre = (n + 1) as f64 / 2.0;
    let total: f64 = shared.iter().map(|rank| (rank - centre) * (rank - centre)).sum();
    if used < 2 || total.is_nan() || total <= 0.0 {
        return None;
    }
    let h = (n - 1) as f64 * between(&sums, centre) / total;
    let (n, degrees) = (n as f64, (used - 1) as f64);
    let rest = n - 1.0 - degrees;
    let share = if rest > 0.0 { ((h - degrees) / rest).clamp(0.0, 1.0) } else { 0.0 };
    Some(KruskalWallis { p: chi_square_sf(h, degrees), share })
}

/// Sum of the ranks and number of values of each group.
pub(super) fn rank_sums(ranks: &[f64], groups: &[usize]) -> Vec<(f64, f64)> {
    let mut sums = Vec::new();
    for (rank, group) in ranks.iter().zip(groups) {
        // More groups than values cannot be: a wild number must not take the memory.
        if *group >= sums.len() && *group < groups.len().max(64) {
            sums.resize(group + 1, (0.0, 0.0));
        }
        if let Some((sum, size)) = sums.get_mut(*group) {
            *sum += rank;
            *size += 1.0;
        }
    }
    sums
}

/// Sum of squares between groups around a centre.
pub(super) fn between(sums: &[(f64, f64)], centre: f64) -> f64 {
    let used = sums.iter().filter(|(_, size)| *size > 0.0);
    used.map(|(sum, size)| (sum - size * centre) * (sum - size * centre) / size).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::white;

    #[test]
    fn separate_groups_differ() {
        let found = kruskal_wallis(&[1.0, 2.0, 3.0, 11.0, 12.0, 13.0], &[0, 0, 0, 2, 2, 2]).unwrap();
        // H is 3.857, of one degree of freedom.
        assert!((found.p - 0.049_534_613_435_627).abs() < 1e-11 && found.share > 0.7, "{found:?}");
        assert_eq!(kruskal_wallis(&[1.0; 6], &[0, 0, 0, 1, 1, 1]), None);
        assert_eq!(kruskal_wallis(&[1.0, 2.0, 3.0], &[0; 3]), None);
        assert_eq!(kruskal_wallis(&[1.0, 2.0], &[0, 1]), None);
        assert_eq!(kruskal_wallis(&[1.0, 2.0, 3.0], &[0, usize::MAX, usize::MAX]), None);
    }

    #[test]
    fn chance_differs_in_a_twentieth() {
        let groups: Vec<usize> = (0..60).map(|place| place % 4).collect();
        let alarms = (0..400).filter(|seed| kruskal_wallis(&white(*seed, 60), &groups).unwrap().p < 0.05).count();
        assert!((6..=36).contains(&alarms), "{alarms}");
    }
}
