//! One p for whether an outcome depends on a parameter: Spearman's test for a monotone effect, Kruskal and Wallis' for
//! differences between values, Friedman's for differences where all else is equal, corrected for being three.

use super::kruskal_wallis::{between, of_ranks, rank_sums};
use crate::compact_sort::CompactSort as _;
use crate::correlation::{p_of_r, pearson, ranks};
use crate::random::{SplitMix64, shuffle};

/// From so many values on, with five in each group, the approximations by t and chi-square hold.
const LARGE_SAMPLE: usize = 30;
const LARGE_GROUP: f64 = 5.0;
/// Above so many values the approximation is as good as permutations, and faster.
const MAX_PERMUTED: usize = 400;
/// Random orders, at most; the smallest p is one in so many. Larger samples get fewer, so that the work is bounded.
const MAX_PERMUTATIONS: usize = 4000;
const MIN_PERMUTATIONS: usize = 500;
const MAX_WORK: usize = 200_000;

/// Tests the ranks of `y` against a parameter: `x` the ranks of its values where these have an order, `groups` its groups from 0
/// on, `blocks` the set of otherwise equal cases that each value belongs to (`None` for none). Gives the smallest p times how many
/// tests there are (Bonferroni), at most 1; 1 where nothing could be tested.
///
/// Small samples are tested by random orders, 4,000 up to 50 values, larger ones by the usual approximations. All slices have the length
/// of `y`, else nothing is tested.
pub fn rank_tests(
    y: &[f64],
    x: Option<&[f64]>,
    groups: &[usize],
    blocks: &[Option<usize>],
    random: &mut SplitMix64,
) -> f64 {
    let x = x.filter(|x| x.len() == y.len());
    let large = y.len() > MAX_PERMUTED
        || y.len() >= LARGE_SAMPLE && rank_sums(y, groups).iter().all(|(_, size)| *size == 0.0 || *size >= LARGE_GROUP);
    let (monotone, differing) = if groups.len() != y.len() || y.len() < 3 {
        (None, None)
    } else if large {
        let r = x.and_then(|x| pearson(x, y));
        (r.map(|r| p_of_r(r, y.len())), of_ranks(y, groups).map(|test| test.p))
    } else {
        permuted(y, x, groups, random)
    };
    // Of two groups in an order, and of groups of one value each, it asks nothing that the order has not asked.
    let filled = rank_sums(y, groups).iter().filter(|(_, size)| *size > 0.0).count();
    let differing = differing.filter(|_| x.is_none() || (3..y.len()).contains(&filled));
    let blocked = if y.len() > MAX_PERMUTED { None } else { within_blocks(y, groups, blocks, random) };
    let tests = [monotone, differing, blocked];
    let count = tests.iter().flatten().count() as f64;
    let least = tests.iter().flatten().copied().fold(1.0, f64::min);
    (least * count.max(1.0)).min(1.0)
}

fn permuted(
    shared: &[f64],
    x: Option<&[f64]>,
    groups: &[usize],
    random: &mut SplitMix64,
) -> (Option<f64>, Option<f64>) {
    let centre = (shared.len() + 1) as f64 / 2.0;
    let slope =
        |y: &[f64]| x.map_or(0.0, |x| x.iter().zip(y).map(|(x, y)| (x - centre) * (y - centre)).sum::<f64>().abs());
    let mut sums = rank_sums(shared, groups);
    let mut differ = |y: &[f64]| {
        sums.iter_mut().for_each(|(sum, _)| *sum = 0.0);
        for (rank, group) in y.iter().zip(groups) {
            if let Some((sum, _)) = sums.get_mut(*group) {
                *sum += rank;
            }
        }
        between(&sums, centre)
    };
    // A hair below: sums in another order differ in their last bits.
    let (given_slope, given_between) = (slope(shared) * (1.0 - 1e-9), differ(shared) * (1.0 - 1e-9));
    let mut order = shared.to_vec();
    let (mut steeper, mut wider) = (1, 1);
    let orders = orders(shared.len());
    for _ in 0..orders {
        shuffle(&mut order, random);
        steeper += u32::from(slope(&order) >= given_slope);
        wider += u32::from(differ(&order) >= given_between);
    }
    let p = |count: u32| f64::from(count) / (orders + 1) as f64;
    let varies = |values: &[f64]| values.iter().any(|value| Some(value) != values.first());
    let groups_vary = groups.iter().any(|group| Some(group) != groups.first());
    let y_varies = varies(shared);
    (x.filter(|x| y_varies && varies(x)).map(|_| p(steeper)), (y_varies && groups_vary).then(|| p(wider)))
}

/// The least p that a test of ranks can have for groups of these sizes: that of values which the groups separate perfectly, among all
/// ways to share them out. An order may be the reverse one; groups without an order may change places with those of the same size. A
/// test that cannot be significant says nothing of its groups, and is no part of a correction for the number of tests (Tarone
/// 1990, Biometrics 46:515).
pub fn least_p(sizes: &[usize], is_ordered: bool) -> f64 {
    let (mut ways, mut total) = (1.0_f64, 0.0_f64);
    for size in sizes {
        for place in 1..=*size {
            total += 1.0;
            ways *= total / place as f64;
        }
    }
    // Of n groups of one size n! orders are as far apart.
    let exchanges = sizes.iter().enumerate().map(|(place, size)| {
        let before = sizes.iter().take(place).filter(|other| *other == size).count();
        (before + 1) as f64
    });
    let as_far = if is_ordered { 2.0 } else { exchanges.product::<f64>().max(2.0) };
    (as_far / ways).min(1.0)
}

/// P of no difference between groups within blocks, by random orders within each; `None` where fewer than two blocks
/// hold different groups. All slices have the length of `y`.
///
/// Ranks are divided by the size of their block and one (van Elteren 1960, Bull. Inst. Int. Stat. 37:351): else a block counts by the
/// square of its size, and a large one without a difference hides that of several small ones.
pub fn within_blocks(y: &[f64], groups: &[usize], blocks: &[Option<usize>], random: &mut SplitMix64) -> Option<f64> {
    let mut rows: Vec<(usize, f64, usize)> = Vec::new();
    for ((value, group), block) in y.iter().zip(groups).zip(blocks) {
        if let Some(block) = block {
            rows.push((*block, *value, *group));
        }
    }
    rows.compact_sort_by_key(|(block, _, _)| *block);
    let (mut values, mut members, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    for block in rows.chunk_by(|a, b| a.0 == b.0) {
        let first = block.first().map(|(_, _, group)| *group);
        if block.iter().all(|(_, _, group)| Some(*group) == first) {
            continue;
        }
        let inner: Vec<f64> = block.iter().map(|(_, value, _)| *value).collect();
        let centre = (inner.len() + 1) as f64 / 2.0;
        let weight = 1.0 / (inner.len() + 1) as f64;
        values.extend(ranks(&inner).iter().map(|rank| weight * (rank - centre)));
        members.extend(block.iter().map(|(_, _, group)| *group));
        ends.push(values.len());
    }
    if ends.len() < 2 || values.iter().all(|value| *value == 0.0) {
        return None;
    }
    let given = between(&rank_sums(&values, &members), 0.0) * (1.0 - 1e-9);
    let mut wider = 1;
    let orders = orders(values.len());
    for _ in 0..orders {
        let mut start = 0;
        for end in &ends {
            if let Some(block) = values.get_mut(start..*end) {
                shuffle(block, random);
            }
            start = *end;
        }
        wider += u32::from(between(&rank_sums(&values, &members), 0.0) >= given);
    }
    Some(f64::from(wider) / (orders + 1) as f64)
}

fn orders(n: usize) -> usize {
    (MAX_WORK / n.max(1)).clamp(MIN_PERMUTATIONS, MAX_PERMUTATIONS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::white;

    /// The tests of values, by their ranks.
    fn tested(
        y: &[f64],
        x: Option<&[f64]>,
        groups: &[usize],
        blocks: &[Option<usize>],
        random: &mut SplitMix64,
    ) -> f64 {
        rank_tests(&ranks(y), x.map(ranks).as_deref(), groups, blocks, random)
    }

    #[test]
    fn separate_groups_of_three_have_the_exact_p() {
        let y = [4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1.0, 2.0, 3.0];
        let groups = [0, 0, 0, 1, 1, 1, 2, 2, 2];
        let x: Vec<f64> = groups.iter().map(|group| *group as f64).collect();
        let p = |x: Option<&[f64]>| tested(&y, x, &groups, &[None; 9], &mut SplitMix64::new(1));
        // 6 of 1,680 ways to share out the ranks. They are not monotone: a second test only halves the level.
        assert!((p(None) - 6.0 / 1680.0).abs() < 0.002 && p(Some(&x)) < 0.012, "{}", p(None));
        assert_eq!(p(Some(&x)), 2.0 * p(None));
    }

    #[test]
    fn blocks_take_out_what_else_differs() {
        // Six blocks far apart; within each the second group is a little better.
        let (mut y, mut groups, mut blocks) = (Vec::new(), Vec::new(), Vec::new());
        for block in 0..6_usize {
            for group in 0..3_usize {
                y.push(10.0 * block as f64 + if group == 1 { 1.0 } else { 0.1 * group as f64 });
                groups.push(group);
                blocks.push(Some(block));
            }
        }
        let p = |blocks: &[Option<usize>]| tested(&y, None, &groups, blocks, &mut SplitMix64::new(2));
        assert!(p(&blocks) < 0.01 && p(&[None; 18]) > 0.3, "{} {}", p(&blocks), p(&[None; 18]));
    }

    #[test]
    fn a_large_block_does_not_hide_what_the_small_ones_show() {
        // Forty values of noise in one block; in each of six blocks of four the second group is better.
        let mut y = white(5, 40);
        let mut groups: Vec<usize> = (0..40).map(|place| place % 2).collect();
        let mut blocks = vec![Some(0); 40];
        for block in 1..=6_usize {
            for place in 0..4_usize {
                y.push(10.0 * (place % 2) as f64 + 0.1 * place as f64);
                groups.push(place % 2);
                blocks.push(Some(block));
            }
        }
        let p = |from: usize| within_blocks(&y[from..], &groups[from..], &blocks[from..], &mut SplitMix64::new(6));
        assert!(p(40).is_some_and(|p| p < 0.001) && p(0).is_some_and(|p| p < 0.05), "{:?} {:?}", p(40), p(0));
    }

    #[test]
    fn chance_is_rarely_called() {
        let groups: Vec<usize> = (0..12).map(|place| place % 3).collect();
        let blocks: Vec<Option<usize>> = (0..12).map(|place| Some(place / 3)).collect();
        let x: Vec<f64> = groups.iter().map(|group| *group as f64).collect();
        let called = |n: u64| {
            (0..n).filter(|seed| tested(&white(*seed, 12), Some(&x), &groups, &blocks, &mut SplitMix64::new(3)) < 0.05)
        };
        assert!(called(100).count() <= 9);
    }

    #[test]
    fn groups_that_no_order_can_separate_from_chance_have_a_large_least_p() {
        let least = |sizes: &[usize]| least_p(sizes, true);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(close(least(&[1; 5]), 2.0 / 120.0) && close(least(&[1; 4]), 2.0 / 24.0));
        assert!(close(least(&[3, 3]), 0.1) && close(least(&[4, 4]), 2.0 / 70.0) && close(least(&[1, 11]), 2.0 / 12.0));
        assert_eq!((least(&[]), least(&[6]), least(&[2000, 2000])), (1.0, 1.0, 0.0));
        assert!(close(least_p(&[2, 2, 2], false), 6.0 / 90.0) && close(least_p(&[4, 4], false), 2.0 / 70.0));
        let (y, groups) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], [0, 0, 0, 0, 1, 1, 1, 1]);
        let x: Vec<f64> = groups.iter().map(|group| *group as f64).collect();
        let p = tested(&y, Some(&x), &groups, &[None; 8], &mut SplitMix64::new(1));
        assert!((p - least(&[4, 4])).abs() < 0.01, "{p}: two groups in an order are one test");
    }

    #[test]
    fn the_edges() {
        let mut random = SplitMix64::new(4);
        assert_eq!(tested(&[], None, &[], &[], &mut random), 1.0);
        assert_eq!(tested(&[1.0; 5], Some(&[1.0, 2.0, 3.0, 4.0, 5.0]), &[0; 5], &[None; 5], &mut random), 1.0);
        assert_eq!(tested(&[1.0, 2.0, 3.0], None, &[0, 1], &[], &mut random), 1.0);
    }
}
