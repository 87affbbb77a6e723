//! Order statistics of the slopes between all pairs of points, without keeping them all.
//!
//! Selecting among the 125,000 slopes of 500 points would cost more than the rest of a diagnosis together. A
//! thousand of them show nearly where the wanted ranks lie; one pass then counts what is below and keeps only what is
//! near. The result is exact: when a wanted rank was not near after all, everything is kept.

use crate::describe::{ascending, select};

/// Slopes drawn to guess where the wanted ranks lie, and the fewest pairs for which that is worth while.
const SAMPLED_SLOPES: usize = 1024;
const WORTH_DRAWING: usize = 8 * SAMPLED_SLOPES;

/// Safety on each side of the guess, in standard deviations of a drawn quantile.
const MARGIN_SIGMAS: f64 = 3.5;

/// The slopes between all pairs of points that differ in x.
pub(super) struct PairSlopes<'a> {
    x: &'a [f64],
    y: &'a [f64],
    /// How many there are.
    pub(super) count: usize,
}

impl<'a> PairSlopes<'a> {
    pub(super) fn new(x: &'a [f64], y: &'a [f64]) -> Self {
        let sorted = ascending(x.iter().map(|x| x + 0.0));
        let pairs = |n: usize| n * n.saturating_sub(1) / 2;
        let tied: usize = sorted.chunk_by(|a, b| a == b).map(|ties| pairs(ties.len())).sum();
        Self { x, y, count: pairs(x.len()) - tied }
    }

    /// The slopes of the given ranks, ascending and counted from 0. `None` when a rank is not below `count`.
    pub(super) fn at_ranks(&self, ranks: [usize; 4]) -> Option<[f64; 4]> {
        let everything = (f64::NEG_INFINITY, f64::INFINITY);
        let guess = if self.count < WORTH_DRAWING { None } else { self.guess(ranks) };
        guess.and_then(|bounds| self.between(bounds, ranks)).or_else(|| self.between(everything, ranks))
    }

    /// Bounds between which the ranks probably lie.
    fn guess(&self, [first, .., last]: [usize; 4]) -> Option<(f64, f64)> {
        let mut drawn = self.draw();
        let size = drawn.len() as f64;
        let margin = MARGIN_SIGMAS * 0.5 * size.sqrt();
        let low_rank = size * first as f64 / self.count as f64 - margin;
        let high_rank = size * last as f64 / self.count as f64 + margin;
        let high = select(&mut drawn, high_rank.ceil() as usize).unwrap_or(f64::INFINITY);
        let low = if low_rank < 0.0 { f64::NEG_INFINITY } else { select(&mut drawn, low_rank as usize)? };
        Some((low, high))
    }

    /// Slopes of pairs spread over all points and all distances: the second point takes each place in turn, the
    /// first jumps by the golden section. The same points always give the same ones.
    fn draw(&self) -> Vec<f64> {
        let n = self.x.len();
        let jump = ((n as f64 * 0.618_033_988_749_895) as usize).max(1);
        let mut first = 0;
        let mut drawn = Vec::with_capacity(SAMPLED_SLOPES);
        for round in 0..SAMPLED_SLOPES {
            first = (first + jump + round / n) % n;
            let points = (self.x.get(first), self.y.get(first), self.x.get(round % n), self.y.get(round % n));
            if let (Some(x_a), Some(y_a), Some(x_b), Some(y_b)) = points
                && x_a != x_b
            {
                drawn.push((y_b - y_a) / (x_b - x_a));
            }
        }
        drawn
    }

    /// The ranks, if all of them lie within the bounds.
    fn between(&self, (low, high): (f64, f64), ranks: [usize; 4]) -> Option<[f64; 4]> {
        let mut below = 0;
        let mut near = Vec::with_capacity(if low.is_finite() { self.count / 4 } else { self.count });
        // The slopes of one point to all later ones: a loop each for dividing and counting, so that they vectorise.
        let mut row = Vec::with_capacity(self.x.len());
        for (index, (x_first, y_first)) in self.x.iter().zip(self.y).enumerate() {
            let later = self.x.iter().zip(self.y).skip(index + 1);
            row.clear();
            row.extend(later.map(|(x, y)| {
                let dx = x - x_first;
                if dx == 0.0 { f64::NAN } else { (y - y_first) / dx }
            }));
            below += row.iter().filter(|slope| **slope < low).count();
            near.extend(row.iter().filter(|slope| **slope >= low && **slope <= high));
        }
        let mut found = [0.0; 4];
        let mut kept = near.as_mut_slice();
        // From the highest rank down: each selection leaves the lower ones before it.
        for (place, rank) in found.iter_mut().zip(ranks).rev() {
            let rank = rank.checked_sub(below)?;
            *place = select(kept, rank)?;
            kept = kept.get_mut(..=rank)?;
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ar1, white};

    fn sorted_slopes(x: &[f64], y: &[f64]) -> Vec<f64> {
        let mut slopes = Vec::new();
        for a in 0..x.len() {
            for b in a + 1..x.len() {
                if x[a] != x[b] {
                    slopes.push((y[b] - y[a]) / (x[b] - x[a]));
                }
            }
        }
        slopes.sort_by(f64::total_cmp);
        slopes
    }

    #[test]
    fn agrees_with_sorting_them_all() {
        for seed in 0..12 {
            let n = 140 + 30 * seed as usize;
            let x: Vec<f64> = (0..n).map(|place| (place - place / 9) as f64).collect();
            let trend = |noise: Vec<f64>| -> Vec<f64> { noise.iter().zip(&x).map(|(y, x)| y + 0.01 * x).collect() };
            let rounded = |y: Vec<f64>| -> Vec<f64> { y.iter().map(|y| y.round()).collect() };
            for y in [trend(white(seed, n)), ar1(seed, n, 0.98), rounded(white(seed, n)), vec![1.0; n]] {
                let expected = sorted_slopes(&x, &y);
                let slopes = PairSlopes::new(&x, &y);
                assert_eq!(slopes.count, expected.len());
                let ranks = [slopes.count * 9 / 20, slopes.count / 2, slopes.count / 2 + 1, slopes.count * 11 / 20];
                assert_eq!(slopes.at_ranks(ranks), Some(ranks.map(|rank| expected[rank])));
            }
        }
    }

    #[test]
    fn the_guess_is_usually_right() {
        let right = (0..50).filter(|seed| {
            let y = ar1(*seed, 400, 0.9);
            let x: Vec<f64> = (0..400).map(f64::from).collect();
            let slopes = PairSlopes::new(&x, &y);
            let middle = slopes.count / 2;
            let ranks = [middle - 1000, middle, middle, middle + 1000];
            slopes.guess(ranks).and_then(|bounds| slopes.between(bounds, ranks)).is_some()
        });
        assert!(right.count() >= 45);
    }
}
