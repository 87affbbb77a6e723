//! Where a slow change begins: level until some point, then a straight line.
//!
//! A single change of level puts the onset of a slow change in its middle. Here the curve is averaged in blocks, and
//! the bend is sought that leaves the least squared error.

use rundown_stats::{block_means, least_squares};

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
        let mut best: Option<(usize, f64)> = None;
        for start in 0..=levels.len() - MIN_LINE_BLOCKS {
            let x: Vec<f64> = (0..levels.len()).map(|place| place.saturating_sub(start) as f64).collect();
            let sse = least_squares(&x, &levels)?.sse;
            if best.is_none_or(|(_, least)| sse < least) {
                best = Some((start, sse));
            }
        }
        best.map(|(start, sse)| Self { levels, start, sse })
    }

    /// The place of a block in a series of `points`.
    pub fn place(&self, block: usize, points: usize) -> usize {
        block * points / self.levels.len().max(1)
    }
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
