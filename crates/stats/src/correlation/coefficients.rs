//! How far two columns move together.
//!
//! Two series with a trend always correlate: within a run, correlate first differences or residuals.

use crate::describe::{mean, order_key};

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
    let order = sorted_places(x);
    let value = |place: &u64| x.get(*place as usize).map_or(f64::NAN, |value| value + 0.0);
    let mut ranks = vec![0.0; x.len()];
    let mut below = 0;
    for ties in order.chunk_by(|a, b| value(a).total_cmp(&value(b)).is_eq()) {
        let shared = below as f64 + (ties.len() + 1) as f64 / 2.0;
        for place in ties {
            if let Some(rank) = ranks.get_mut(*place as usize) {
                *rank = shared;
            }
        }
        below += ties.len();
    }
    ranks
}

/// [`ranks`] of items of which only their level counts, from 0 on, below `count`: nothing has to be sorted. O(n + count).
pub fn level_ranks(levels: &[usize], count: usize) -> Vec<f64> {
    let mut sizes = vec![0_usize; count];
    for level in levels {
        sizes.get_mut(*level).into_iter().for_each(|size| *size += 1);
    }
    let mut below = 0;
    let rank = |size: usize| {
        let shared = below as f64 + (size + 1) as f64 / 2.0;
        below += size;
        shared
    };
    let shared: Vec<f64> = sizes.into_iter().map(rank).collect();
    levels.iter().map(|level| shared.get(*level).copied().unwrap_or(f64::NAN)).collect()
}

/// The places of the values, ascending as `total_cmp` has it; 0 for -0.
fn sorted_places(x: &[f64]) -> Vec<u64> {
    // The leading bits of a value with its place behind them are one number: sorting numbers is several times as fast
    // as sorting pairs, and takes half the memory. Values whose leading bits are equal are then sorted by the others.
    let bits = u64::BITS - (x.len() as u64).leading_zeros();
    let places = (1_u64 << bits) - 1;
    let mut packed: Vec<u64> =
        x.iter().zip(0..).map(|(value, place)| (order_key(value + 0.0) & !places) | place).collect();
    packed.sort_unstable();
    let value = |place: u64| x.get(place as usize).map_or(f64::NAN, |value| value + 0.0);
    for group in packed.chunk_by_mut(|a, b| a & !places == b & !places).filter(|group| group.len() > 1) {
        for one in group.iter_mut() {
            let place = *one & places;
            *one = ((order_key(value(place)) & places) << bits) | place;
        }
        group.sort_unstable();
    }
    packed.iter_mut().for_each(|one| *one &= places);
    packed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_sorted_values() {
        let close = |place: u32| 1.0 + f64::from(place * 7 % 31) * f64::EPSILON - f64::from(place % 3);
        let mut x: Vec<f64> = (0..100).map(close).collect();
        x.extend([f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1e308, 0.0, -0.0, 5e-324]);
        let rank = |value: &f64| {
            let order = |other: &&f64| (**other + 0.0).total_cmp(&(value + 0.0));
            let below = x.iter().filter(|other| order(other).is_lt()).count() as f64;
            below + (x.iter().filter(|other| order(other).is_eq()).count() + 1) as f64 / 2.0
        };
        assert_eq!(ranks(&x), x.iter().map(rank).collect::<Vec<f64>>());
        assert_eq!((ranks(&[]), ranks(&[2.0])), (vec![], vec![1.0]));
    }

    #[test]
    fn levels_are_ranked_as_values_are() {
        let levels: Vec<usize> = (0..200_usize).map(|place| place * 7919 % 23).collect();
        let values: Vec<f64> = levels.iter().map(|level| *level as f64).collect();
        assert_eq!(level_ranks(&levels, 30), ranks(&values));
        assert!(level_ranks(&[], 0).is_empty());
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
