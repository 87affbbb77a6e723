//! Independence test of two groupings of the same cases, by permutation: where they depend on each other, the effect of
//! one can't be told from that of the other.

use crate::random::{SplitMix64, shuffle};

/// Random orders; fewer for many values, so that the work is bounded.
const PERMUTATIONS: usize = 1000;
const MAX_WORK: usize = 200_000;
/// Groups beyond this are taken for the last one: the table must stay small.
const MAX_GROUPS: usize = 64;

/// P of no dependence of two groupings, numbered from 0, by random orders of the second: the chi-square statistic of
/// their table. `None` for different lengths, fewer than four cases, or a grouping with a single group.
pub fn groups_depend(one: &[usize], other: &[usize], random: &mut SplitMix64) -> Option<f64> {
    let n = one.len();
    if n != other.len() || n < 4 {
        return None;
    }
    let cut = |groups: &[usize]| groups.iter().map(|group| (*group).min(MAX_GROUPS - 1)).collect::<Vec<usize>>();
    let (one, mut other) = (cut(one), cut(other));
    let varies = |groups: &[usize]| groups.iter().any(|group| Some(group) != groups.first());
    if !varies(&one) || !varies(&other) {
        return None;
    }
    let width = other.iter().max().map_or(0, |most| most + 1);
    let sizes = |groups: &[usize]| {
        let mut sizes = vec![0.0; MAX_GROUPS];
        groups.iter().for_each(|group| sizes.get_mut(*group).into_iter().for_each(|size| *size += 1.0));
        sizes
    };
    let (rows, columns) = (sizes(&one), sizes(&other));
    let mut table = vec![0.0; MAX_GROUPS * width];
    // The statistic but for its constants: the sums of rows and columns stay as they are in every order.
    let mut statistic = |other: &[usize]| {
        table.iter_mut().for_each(|cell| *cell = 0.0);
        for (row, column) in one.iter().zip(other) {
            table.get_mut(row * width + column).into_iter().for_each(|cell| *cell += 1.0);
        }
        let by_row = table.chunks(width).zip(&rows).filter(|(_, size)| **size > 0.0);
        by_row
            .flat_map(|(cells, row)| cells.iter().zip(&columns).map(move |(cell, column)| (cell, row * column)))
            .filter(|(_, expected)| *expected > 0.0)
            .map(|(cell, expected)| cell * cell / expected)
            .sum::<f64>()
    };
    let given = statistic(&other) * (1.0 - 1e-9);
    let orders = (MAX_WORK / n).clamp(100, PERMUTATIONS);
    let mut as_far = 1;
    for _ in 0..orders {
        shuffle(&mut other, random);
        as_far += u32::from(statistic(&other) >= given);
    }
    Some(f64::from(as_far) / (orders + 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crossed_design_is_free_and_a_copied_one_is_not() {
        let mut random = SplitMix64::new(1);
        let one: Vec<usize> = (0..20).map(|row| row % 5).collect();
        let crossed: Vec<usize> = (0..20).map(|row| row / 5).collect();
        assert!(groups_depend(&one, &crossed, &mut random).unwrap() > 0.9);
        assert!(groups_depend(&one, &one, &mut random).unwrap() < 0.01);
        let nearly: Vec<usize> = one.iter().enumerate().map(|(row, group)| if row == 7 { 0 } else { *group }).collect();
        assert!(groups_depend(&one, &nearly, &mut random).unwrap() < 0.01);
        assert_eq!(groups_depend(&one, &[0; 20], &mut random), None);
        assert_eq!(groups_depend(&one, &[0, 1], &mut random), None);
        assert!(groups_depend(&[0, usize::MAX, 3, 0], &[usize::MAX, 1, 1, 2], &mut random).is_some());
    }
}
