//! The uncertainty of a mean, or of a difference of means, from an autocorrelated series: resampling single points
//! would call everything certain, so whole blocks are drawn.

use super::autocorrelation::effective_size;
use super::describe::{mean, quantile, std_dev};
use super::random::SplitMix64;

/// Longer series go through means of blocks, so that the work is bounded: a replicate never sums more values.
const LONGEST: usize = 2048;

/// Replicates are kept within these bounds.
const FEWEST_REPLICATES: usize = 100;
const MOST_REPLICATES: usize = 10_000;

/// An estimate with the 95 % interval that resampling gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resampled {
    /// The estimate from the data themselves.
    pub estimate: f64,
    /// 2.5 % quantile of the replicates.
    pub low: f64,
    /// 97.5 % quantile.
    pub high: f64,
    /// Standard deviation of the replicates.
    pub standard_error: f64,
    /// How many blocks fit into the (shorter) series: below about ten the interval is too narrow to trust.
    pub blocks: usize,
}

/// Length of the blocks to draw from `y`: ceil(2 tau), where tau = 1 + 2 sum r_k is the integrated autocorrelation
/// time, at most a quarter of the series and at least 1.
pub fn block_length(y: &[f64]) -> usize {
    let time = y.len() as f64 / effective_size(y).max(1.0);
    ((2.0 * time).ceil() as usize).min(y.len() / 4).max(1)
}

/// The mean of `y` by the moving-block bootstrap (Kuensch 1989): percentile interval of `replicates` means of randomly
/// chosen blocks of [`block_length`], recentred on the mean of `y`, because inner points lie in more blocks than outer
/// ones.
///
/// O(n + replicates * blocks); series above 2,048 points are averaged in blocks first, `replicates` is clamped to 100
/// to 10,000. `None` with fewer than eight values or a mean that is not finite.
pub fn bootstrap_mean(y: &[f64], replicates: usize, random: &mut SplitMix64) -> Option<Resampled> {
    let blocks = Blocks::new(y)?;
    let means: Vec<f64> = (0..replicate_count(replicates)).map(|_| blocks.draw(random)).collect();
    summary(blocks.mean, blocks.count, &means)
}

/// The mean of `after` minus that of `before`, each resampled by itself as in [`bootstrap_mean`]. `None` when either
/// side has fewer than eight values.
pub fn bootstrap_difference(
    before: &[f64],
    after: &[f64],
    replicates: usize,
    random: &mut SplitMix64,
) -> Option<Resampled> {
    let (before, after) = (Blocks::new(before)?, Blocks::new(after)?);
    let differences: Vec<f64> =
        (0..replicate_count(replicates)).map(|_| after.draw(random) - before.draw(random)).collect();
    summary(after.mean - before.mean, before.count.min(after.count), &differences)
}

fn replicate_count(wanted: usize) -> usize {
    wanted.clamp(FEWEST_REPLICATES, MOST_REPLICATES)
}

fn summary(estimate: f64, blocks: usize, replicates: &[f64]) -> Option<Resampled> {
    let (low, high) = (quantile(replicates, 0.025)?, quantile(replicates, 0.975)?);
    if !(estimate.is_finite() && low.is_finite() && high.is_finite()) {
        return None;
    }
    Some(Resampled { estimate, low, high, standard_error: std_dev(replicates)?, blocks })
}

/// The sums of all blocks of neighbours, ready to be drawn from.
struct Blocks {
    mean: f64,
    /// Mean of the block that starts at each place, minus the mean of all of these.
    centred: Vec<f64>,
    /// Blocks that make one replicate.
    count: usize,
}

impl Blocks {
    fn new(y: &[f64]) -> Option<Self> {
        if y.len() < 8 {
            return None;
        }
        let joined = y.len().div_ceil(LONGEST);
        let short: Vec<f64> = y.chunks_exact(joined).filter_map(mean).collect();
        let middle = mean(y)?;
        let length = block_length(&short);
        let mut means: Vec<f64> = short.windows(length).filter_map(|block| Some(mean(block)? - middle)).collect();
        let drift = mean(&means)?;
        for value in &mut means {
            *value -= drift;
        }
        Some(Self { mean: middle, centred: means, count: (short.len() / length).max(1) })
    }

    /// Mean of as many random blocks as fill the series.
    fn draw(&self, random: &mut SplitMix64) -> f64 {
        let sum: f64 = (0..self.count).filter_map(|_| self.centred.get(random.below(self.centred.len()))).sum();
        self.mean + sum / self.count as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::testing::{ar1, white};
    use proptest::prelude::*;

    /// Share of intervals that hold the true mean, 0.
    fn coverage(make: fn(u64) -> Vec<f64>) -> f64 {
        let mut random = SplitMix64::new(9);
        let held = (0..200).filter(|seed| {
            let interval = bootstrap_mean(&make(*seed), 300, &mut random).unwrap();
            interval.low <= 0.0 && 0.0 <= interval.high
        });
        held.count() as f64 / 200.0
    }

    #[test]
    fn intervals_hold_the_mean() {
        let independent = coverage(|seed| white(seed, 100));
        assert!(independent > 0.88, "{independent}");
        let dependent = coverage(|seed| ar1(seed, 600, 0.9));
        assert!(dependent > 0.8, "{dependent}");
    }

    #[test]
    fn the_error_of_white_noise_is_sigma_over_root_n() {
        let mut random = SplitMix64::new(1);
        for n in [400, 50_000] {
            let got = bootstrap_mean(&white(3, n), 1000, &mut random).unwrap().standard_error;
            let expected = 1.0 / (n as f64).sqrt();
            assert!((got / expected - 1.0).abs() < 0.2, "{n}: {got} against {expected}");
        }
    }

    #[test]
    fn a_difference_has_both_errors() {
        let mut random = SplitMix64::new(2);
        let after: Vec<f64> = white(5, 300).iter().map(|value| value + 1.0).collect();
        let found = bootstrap_difference(&white(4, 300), &after, 500, &mut random).unwrap();
        assert!(found.low < 1.0 && 1.0 < found.high && found.low > 0.7 && found.high < 1.3, "{found:?}");
        let again = bootstrap_difference(&white(4, 300), &after, 500, &mut SplitMix64::new(2)).unwrap();
        let first = bootstrap_difference(&white(4, 300), &after, 500, &mut SplitMix64::new(2)).unwrap();
        assert_eq!(again, first);
    }

    #[test]
    fn the_edges() {
        let mut random = SplitMix64::new(3);
        assert_eq!(bootstrap_mean(&[1.0; 7], 200, &mut random), None);
        assert_eq!(bootstrap_mean(&[1e308; 40], 200, &mut random), None);
        let constant = bootstrap_mean(&[0.25; 40], 0, &mut random).unwrap();
        assert_eq!((constant.estimate, constant.low, constant.high, constant.standard_error), (0.25, 0.25, 0.25, 0.0));
        assert_eq!((block_length(&[]), block_length(&[1.0; 3]), block_length(&[1.0; 40])), (1, 1, 2));
    }

    proptest! {
        #[test]
        fn never_panics(y in prop::collection::vec(prop::num::f64::ANY, 0..40)) {
            let _ = bootstrap_mean(&y, 100, &mut SplitMix64::new(4));
        }
    }
}
