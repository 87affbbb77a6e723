//! Where a curve changed its level: abrupt events that a trend test can't see (a length that jumps at step 156 has
//! a Kendall tau near 0), and the step to name as an onset.

use super::describe::{MEAN_DEVIATION_TO_SIGMA, differences, mad_sigma, mean, median};

/// Longer series offer at most this many places for a change to PELT; each found place is then refined to a point.
/// Without it a long quiet series, where nothing can be pruned, would cost the square of its length.
const GRID: usize = 512;

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
    /// Sum of squared residuals around one mean.
    pub sse0: f64,
}

/// The split into two means that leaves the least squared error, each part at least `min_segment` points long.
///
/// It always finds one where there is room: whether it is real is for the caller to decide, from `sse` against
/// `sse0`. The first of equal splits wins. O(n). `None` with fewer than `2 * min_segment` points, or when no split
/// helps.
pub fn single_change(y: &[f64], min_segment: usize) -> Option<ChangePoint> {
    let min_segment = min_segment.max(1);
    if y.len() < min_segment.saturating_mul(2) {
        return None;
    }
    let prefix = Prefix::new(y);
    let index = prefix.best_split(0, y.len(), min_segment..y.len() - min_segment + 1)?;
    let (left, right) = y.split_at_checked(index)?;
    let (before, after) = (mean(left)?, mean(right)?);
    let sse = squared_error(left, before) + squared_error(right, after);
    Some(ChangePoint { index, before, after, sse, sse0: squared_error(y, mean(y)?) })
}

/// The segmentation that minimises squared error plus `penalty` for each change (PELT, Killick et al. 2012).
///
/// Returns the first index of every segment but the first, ascending. Exact up to 512 points; beyond, changes are
/// sought on a grid of 512 places and then refined to the point between their neighbours on it.
pub fn pelt(y: &[f64], penalty: f64, min_segment: usize) -> Vec<usize> {
    let min_segment = min_segment.max(1);
    if y.len() < min_segment.saturating_mul(2) || penalty.is_nan() {
        return Vec::new();
    }
    let prefix = Prefix::new(y);
    let spacing = y.len().div_ceil(GRID);
    let coarse = optimal_partition(&prefix, penalty.max(0.0), min_segment, spacing);
    if spacing == 1 { coarse } else { refine(&prefix, &coarse, penalty.max(0.0), min_segment, spacing) }
}

/// A penalty for [`pelt`] that white and AR(1) noise seldom passes: 2 s^2 ln n (BIC for a change of mean), where s^2
/// is the long-run variance of the noise.
///
/// Noise is measured on first differences d, which a change of level or a trend hardly moves: sigma^2 =
/// MAD-variance(d) / 2, and its lag-1 correlation r = 1 + 2 corr(d_t, d_{t+1}), exact for AR(1). The white-noise
/// penalty is inflated by (1 + r)/(1 - r), and by 1/(1 - r) because differences of correlated noise are too small.
/// 0 for a constant series or fewer than four values.
pub fn default_penalty(y: &[f64]) -> f64 {
    if y.len() < 4 {
        return 0.0;
    }
    let steps = differences(y);
    let Some(sigma) = noise_of_steps(&steps) else { return 0.0 };
    let variance = sigma * sigma / 2.0;
    let r = noise_correlation(&steps, sigma);
    2.0 * variance * libm::log(y.len() as f64) * (1.0 + r) / ((1.0 - r) * (1.0 - r))
}

/// Standard deviation of the steps; rounded data with mostly equal neighbours fall back on the mean deviation.
fn noise_of_steps(steps: &[f64]) -> Option<f64> {
    let sigma = mad_sigma(steps)?;
    if sigma > 0.0 {
        return Some(sigma);
    }
    let deviations: Vec<f64> = steps.iter().map(|step| step.abs()).collect();
    Some(MEAN_DEVIATION_TO_SIGMA * mean(&deviations)?)
}

/// Lag-1 correlation of AR(1) noise from its first differences, 0 to 0.95. Steps beyond three sigma are cut off: a
/// change of level is not noise.
fn noise_correlation(steps: &[f64], sigma: f64) -> f64 {
    let drift = median(steps).unwrap_or(0.0);
    let cut: Vec<f64> = steps.iter().map(|step| (step - drift).max(-3.0 * sigma).min(3.0 * sigma)).collect();
    let variance: f64 = cut.iter().map(|step| step * step).sum();
    let products: f64 = cut.iter().zip(cut.iter().skip(1)).map(|(a, b)| a * b).sum();
    let r = 1.0 + 2.0 * products / variance;
    if r.is_finite() { r.clamp(0.0, 0.95) } else { 0.0 }
}

fn squared_error(y: &[f64], centre: f64) -> f64 {
    y.iter().map(|value| (value - centre) * (value - centre)).sum()
}

/// Running sums, so that the squared error of any stretch costs two look-ups. Values are centred on their median
/// first: the difference of two large sums would lose the digits that matter.
struct Prefix {
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

impl Prefix {
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

    fn len(&self) -> usize {
        self.sums.len().saturating_sub(1)
    }

    /// The split of `start..end` among `places` with the least squared error, if any is below that of no split.
    fn best_split(&self, start: usize, end: usize, places: std::ops::Range<usize>) -> Option<usize> {
        let (first, last) = (self.at(start), self.at(end));
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

/// A place where the last segment may begin.
struct Candidate {
    start: usize,
    /// Best cost of everything before it, the penalty of this segment included.
    cost_before: f64,
    sums: Sums,
    /// Cost with this segment up to the place looked at last.
    cost: f64,
    /// Place from which on it can never win again.
    dead_from: usize,
}

/// PELT over the multiples of `spacing`.
fn optimal_partition(prefix: &Prefix, penalty: f64, min_segment: usize, spacing: usize) -> Vec<usize> {
    let n = prefix.len();
    let places: Vec<usize> = (0..n).step_by(spacing).chain([n]).collect();
    // For each place: the best cost of everything before it, and where the last segment of that begins.
    let mut best: Vec<(f64, usize)> = Vec::with_capacity(places.len());
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut waiting = places.iter().copied().enumerate().peekable();
    for &end in &places {
        // Only places far enough back can begin a segment that ends here.
        while let Some((rank, start)) = waiting.next_if(|(_, start)| start + min_segment <= end) {
            let cost = if start == 0 { Some(0.0) } else { best.get(rank).map(|(cost, _)| cost + penalty) };
            if let Some(cost_before) = cost.filter(|cost| cost.is_finite()) {
                let sums = prefix.at(start);
                candidates.push(Candidate { start, cost_before, sums, cost: f64::INFINITY, dead_from: usize::MAX });
            }
        }
        let sums = prefix.at(end);
        let (mut least, mut origin) = (f64::INFINITY, 0);
        for candidate in &mut candidates {
            candidate.cost = candidate.cost_before + candidate.sums.cost(sums);
            if candidate.cost < least {
                (least, origin) = (candidate.cost, candidate.start);
            }
        }
        best.push((least, origin));
        // One that loses by more than a penalty here loses wherever a new segment from here is long enough.
        candidates.retain_mut(|candidate| {
            if candidate.dead_from == usize::MAX && candidate.cost > least + penalty {
                candidate.dead_from = end.saturating_add(min_segment);
            }
            candidate.dead_from > end
        });
    }
    trace_back(&places, &best)
}

fn trace_back(places: &[usize], best: &[(f64, usize)]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut end = places.last().copied().unwrap_or(0);
    while let Ok(rank) = places.binary_search(&end) {
        let start = best.get(rank).map_or(0, |(_, start)| *start);
        if start == 0 || start >= end {
            break;
        }
        starts.push(start);
        end = start;
    }
    starts.reverse();
    starts
}

/// Moves each change to the best place less than `spacing` away, between its neighbours, and drops those that no
/// longer earn their penalty: on the grid, one change between two places may have taken both.
fn refine(prefix: &Prefix, coarse: &[usize], penalty: f64, min_segment: usize, spacing: usize) -> Vec<usize> {
    let mut refined = Vec::with_capacity(coarse.len());
    let mut start = 0;
    for (rank, &place) in coarse.iter().enumerate() {
        let end = coarse.get(rank + 1).copied().unwrap_or(prefix.len());
        let low = place.saturating_sub(spacing - 1).max(start + min_segment);
        let high = (place + spacing).min((end + 1).saturating_sub(min_segment));
        let Some(best) = prefix.best_split(start, end, low..high) else { continue };
        let (first, middle, last) = (prefix.at(start), prefix.at(best), prefix.at(end));
        if first.cost(last) - first.cost(middle) - middle.cost(last) > penalty {
            refined.push(best);
            start = best;
        }
    }
    refined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::testing::{ar1, white};
    use proptest::prelude::*;

    fn shifted(noise: &[f64], changes: &[(usize, f64)]) -> Vec<f64> {
        let level = |index| changes.iter().filter(|(start, _)| *start <= index).map(|(_, jump)| jump).sum::<f64>();
        noise.iter().enumerate().map(|(index, value)| value + level(index)).collect()
    }

    #[test]
    fn one_change() {
        let change = single_change(&[1.0, 1.0, 1.0, 5.0, 5.0, 5.0], 2).unwrap();
        assert_eq!(change, ChangePoint { index: 3, before: 1.0, after: 5.0, sse: 0.0, sse0: 24.0 });
        assert_eq!(single_change(&[1.0; 8], 2), None);
        assert_eq!(single_change(&[1.0, 2.0, 3.0], 2), None);
        assert_eq!(single_change(&[], 0), None);
    }

    #[test]
    fn changes_are_found_where_they_are() {
        let y = shifted(&white(1, 400), &[(120, 4.0), (300, -3.0)]);
        let found = pelt(&y, default_penalty(&y), 8);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].abs_diff(120) <= 2 && found[1].abs_diff(300) <= 2, "{found:?}");
    }

    #[test]
    fn noise_has_no_changes() {
        for r in [0.0, 0.5, 0.8] {
            let with_changes =
                (0..100).map(|seed| ar1(seed, 400, r)).filter(|y| !pelt(y, default_penalty(y), 8).is_empty()).count();
            assert!(with_changes <= 15, "r = {r}: {with_changes} of 100");
        }
    }

    #[test]
    fn a_long_series_is_refined_to_the_point() {
        let y = shifted(&white(2, 200_000), &[(70_123, 3.0), (150_001, 3.0)]);
        let found = pelt(&y, default_penalty(&y), 8);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].abs_diff(70_123) <= 3 && found[1].abs_diff(150_001) <= 3, "{found:?}");
    }

    #[test]
    fn rounded_data_has_a_penalty() {
        let mut y = vec![0.004; 100];
        y[40] = 0.005;
        y[41] = 0.003;
        assert!(default_penalty(&y) > 0.0);
        assert_eq!(default_penalty(&[0.1; 50]), 0.0);
        assert!(pelt(&[0.1; 50], 0.0, 5).is_empty());
    }

    /// Optimal partitioning without pruning.
    fn exhaustive(y: &[f64], penalty: f64, min_segment: usize) -> f64 {
        let prefix = Prefix::new(y);
        let mut best = vec![f64::INFINITY; y.len() + 1];
        best[0] = -penalty;
        for end in 1..=y.len() {
            for start in 0..end {
                if end - start >= min_segment {
                    let cost = best[start] + penalty + prefix.at(start).cost(prefix.at(end));
                    best[end] = best[end].min(cost);
                }
            }
        }
        best[y.len()]
    }

    proptest! {
        #[test]
        fn pelt_is_optimal(y in prop::collection::vec(-4_i32..4, 6..70), penalty in 0.5_f64..30.0, least in 1_usize..6) {
            let y: Vec<f64> = y.into_iter().map(f64::from).collect();
            let found = pelt(&y, penalty, least);
            let edges: Vec<usize> = [0].into_iter().chain(found.iter().copied()).chain([y.len()]).collect();
            let prefix = Prefix::new(&y);
            let cost: f64 = edges.windows(2).map(|edge| prefix.at(edge[0]).cost(prefix.at(edge[1]))).sum();
            prop_assert!(edges.windows(2).all(|edge| edge[1] - edge[0] >= least));
            let cost = cost + penalty * found.len() as f64;
            prop_assert!((cost - exhaustive(&y, penalty, least)).abs() < 1e-6);
        }

        #[test]
        fn never_panics(y in prop::collection::vec(prop::num::f64::ANY, 0..60), least in 0_usize..70) {
            let _ = single_change(&y, least);
            prop_assert!(pelt(&y, default_penalty(&y), least).is_sorted());
            prop_assert!(pelt(&y, f64::NEG_INFINITY, least).is_sorted());
        }
    }
}
