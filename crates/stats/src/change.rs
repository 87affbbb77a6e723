//! Change point detection: the split of a curve into two levels. Abrupt events that a trend test can't see (a length
//! that jumps at step 156 has a Kendall tau near 0), and the step to name as an onset.

use super::describe::{mean, median};

/// One change of level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// First index after the change.
    pub index: usize,
    /// Mean before.
    pub before: f64,
    /// Mean after.
    pub after: f64,
    /// Sum of squared residuals around the two means.
    pub sse: f64,
}

/// The split into two means that leaves the least squared error, each part at least `min_segment` points long.
///
/// It always finds one where there is room: whether it is real is for the caller to decide. The first of equal splits wins. O(n). `None` with fewer than `2 * min_segment` points, or when no split
/// helps.
pub fn single_change(y: &[f64], min_segment: usize) -> Option<ChangePoint> {
    let min_segment = min_segment.max(1);
    if y.len() < min_segment.saturating_mul(2) {
        return None;
    }
    let prefix = PrefixSums::new(y);
    let index = prefix.best_split(min_segment..y.len() - min_segment + 1)?;
    let (left, right) = y.split_at_checked(index)?;
    let (before, after) = (mean(left)?, mean(right)?);
    let sse = squared_error(left, before) + squared_error(right, after);
    Some(ChangePoint { index, before, after, sse })
}

fn squared_error(y: &[f64], centre: f64) -> f64 {
    y.iter().map(|value| (value - centre) * (value - centre)).sum()
}

/// Running sums, so that the squared error of any stretch costs two look-ups. Values are centred on their median
/// first: the difference of two large sums would lose the digits that matter.
struct PrefixSums {
    sums: Vec<Sums>,
}

#[derive(Clone, Copy, Default)]
struct Sums {
    count: f64,
    sum: f64,
    square: f64,
}

impl Sums {
    /// Squared error around the mean of what came after `self` up to `end`.
    fn cost(self, end: Sums) -> f64 {
        let sum = end.sum - self.sum;
        ((end.square - self.square) - sum * sum / (end.count - self.count)).max(0.0)
    }
}

impl PrefixSums {
    fn new(y: &[f64]) -> Self {
        let centre = median(y).unwrap_or(0.0);
        let mut running = Sums::default();
        let mut sums = Vec::with_capacity(y.len() + 1);
        sums.push(running);
        sums.extend(y.iter().map(|value| {
            let value = value - centre;
            running =
                Sums { count: running.count + 1.0, sum: running.sum + value, square: running.square + value * value };
            running
        }));
        Self { sums }
    }

    fn at(&self, index: usize) -> Sums {
        self.sums.get(index).copied().unwrap_or_default()
    }

    /// The split among `places` with the least squared error, if any is below that of no split.
    fn best_split(&self, places: std::ops::Range<usize>) -> Option<usize> {
        let (first, last) = (self.at(0), self.at(self.sums.len() - 1));
        let mut least = first.cost(last);
        let mut best = None;
        for place in places {
            let middle = self.at(place);
            let cost = first.cost(middle) + middle.cost(last);
            if cost < least {
                least = cost;
                best = Some(place);
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_change() {
        let change = single_change(&[1.0, 1.0, 1.0, 5.0, 5.0, 5.0], 2).unwrap();
        assert_eq!(change, ChangePoint { index: 3, before: 1.0, after: 5.0, sse: 0.0 });
        assert_eq!(single_change(&[1.0; 8], 2), None);
        assert_eq!(single_change(&[1.0, 2.0, 3.0], 2), None);
        assert_eq!(single_change(&[], 0), None);
    }

    proptest! {
        #[test]
        fn never_panics(y in prop::collection::vec(prop::num::f64::ANY, 0..60), least in 0_usize..70) {
            let _ = single_change(&y, least);
        }
    }
}
