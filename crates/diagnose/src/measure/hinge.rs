//! Where a slow change begins: level until some point, then a straight line.
//!
//! A single change of level puts the onset of a slow change in its middle. Here the curve is averaged in blocks, and
//! the bend is sought that leaves the least squared error.

use rundown_stats::{self as stats, block_means};

/// Blocks over which a bend is sought, and the fewest after it.
const BLOCKS: usize = 60;
const MIN_LINE_BLOCKS: usize = 10;

/// A level that turns into a line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hinge {
    /// Block means of the curve.
    pub levels: Vec<f64>,
    /// First block of the line.
    pub start: usize,
    /// Squared error that is left, over the blocks.
    pub sse: f64,
}

impl Hinge {
    /// Least-squares fit to a curve of 20 points or more.
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.len() < 2 * MIN_LINE_BLOCKS {
            return None;
        }
        let levels = block_means(values, BLOCKS);
        let (start, sse) = best_bend(&levels, 0, MIN_LINE_BLOCKS).filter(|(_, sse)| sse.is_finite())?;
        Some(Self { levels, start, sse })
    }

    /// The place of a block in a series of `points`.
    pub fn place(&self, block: usize, points: usize) -> usize {
        block * points / self.levels.len().max(1)
    }
}

/// The flat line with a slope from some index on that fits best: that index, `from` at the least, and the squared error
/// left. The slope has `fewest` points at the least. `None` for fewer than five values. O(n).
pub(crate) fn best_bend(values: &[f64], from: usize, fewest: usize) -> Option<(usize, f64)> {
    let count = values.len();
    if count < 5 {
        return None;
    }
    let centre = stats::mean(values)?;
    let n = count as f64;
    let total: f64 = values.iter().map(|value| (value - centre) * (value - centre)).sum();
    let mut best: Option<(usize, f64)> = None;
    // Sums over the points after the bend, added from the end: of y, and of y times its distance to the bend.
    let (mut sum, mut weighted) = (0.0, 0.0);
    for (index, value) in values.iter().enumerate().skip(from).rev() {
        weighted += sum;
        sum += value - centre;
        if count - index < fewest {
            continue;
        }
        let after = (count - index) as f64;
        let distances = after * (after - 1.0) / 2.0;
        let squares = (after - 1.0) * after * (2.0 * after - 1.0) / 6.0;
        let spread = squares - distances * distances / n;
        let error = total - weighted * weighted / spread;
        if best.is_none_or(|(_, least)| error < least) {
            best = Some((index, error));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_stats::testing::white;

    #[test]
    fn a_slow_change_is_found_where_it_begins() {
        let values: Vec<f64> = white(8, 600)
            .iter()
            .enumerate()
            .map(|(place, noise)| 0.05 * noise + (place.max(240) - 240) as f64 / 200.0)
            .collect();
        let fit = Hinge::of(&values).unwrap();
        let place = fit.place(fit.start, 600);
        assert!((220..=260).contains(&place), "{place}");
        assert!(Hinge::of(&values[..19]).is_none());
    }
}
