//! Monotone trends: the Mann-Kendall test, corrected for autocorrelation, and the Theil-Sen line. Rank statistics,
//! because training curves have spikes and no normal noise. No crate has the corrected variance.

mod inversions;
mod pair_slopes;

use super::autocorrelation::yue_wang_factor;
use super::describe::{ascending, median};
use super::distributions::Z_95;
use inversions::sort_counting_inversions;
use pair_slopes::PairSlopes;

/// All pairs of points are used up to this many points; beyond, points are joined in at most this many blocks.
const ALL_PAIRS_LIMIT: usize = 500;
const MAX_BLOCKS: usize = 256;

/// The Mann-Kendall test for a monotone trend (Mann 1945, Kendall 1975; as pyMannKendall's `original_test`): pairs that
/// rise minus pairs that fall in standard deviations, corrected for ties and continuity; 0 for a constant series.
/// O(n log n).
///
/// It takes values as independent: on a training curve use [`mann_kendall_corrected`]. `None` with fewer than three
/// values.
pub fn mann_kendall(y: &[f64]) -> Option<f64> {
    test(y, 1.0)
}

/// Mann-Kendall test with the variance of Yue and Wang (2004): multiplied by 1 + 2 sum (1 - k/n) r_k, where r_k is the
/// autocorrelation of the series without its Sen slope.
///
/// The sum ends at the first lag below 1.96 / sqrt(n), and the factor is at least 1. `None` with fewer than three
/// values.
pub fn mann_kendall_corrected(y: &[f64]) -> Option<f64> {
    test(y, yue_wang_factor(&detrended(y)?))
}

/// The series without its Sen slope.
fn detrended(y: &[f64]) -> Option<Vec<f64>> {
    let places: Vec<f64> = (0..y.len()).map(|place| place as f64).collect();
    let slope = theil_sen(&places, y)?.slope;
    Some(places.iter().zip(y).map(|(place, value)| value - slope * place).collect())
}

fn test(y: &[f64], inflation: f64) -> Option<f64> {
    if y.len() < 3 {
        return None;
    }
    let n = y.len() as f64;
    let pairs = n * (n - 1.0) / 2.0;
    // Adding zero makes -0 and 0 the same value.
    let mut sorted: Vec<f64> = y.iter().map(|value| value + 0.0).collect();
    let falling = sort_counting_inversions(&mut sorted, &mut Vec::with_capacity(y.len())) as f64;
    let group_sizes = sorted.chunk_by(|a, b| a == b).map(|ties| ties.len() as f64);
    let tied_pairs: f64 = group_sizes.map(|t| t * (t - 1.0) / 2.0).sum();
    let s = pairs - tied_pairs - 2.0 * falling;
    let variance = inflation * ((n * (n - 1.0) * (2.0 * n + 5.0) - tie_variance(&sorted)) / 18.0).max(0.0);
    Some(if s == 0.0 || variance <= 0.0 { 0.0 } else { (s - s.signum()) / variance.sqrt() })
}

/// A robust line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TheilSen {
    /// Median slope of all pairs of points.
    pub slope: f64,
    /// median(y) - slope * median(x).
    pub intercept: f64,
    /// Lower end of the 95 % interval of the slope, for independent residuals.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Theil-Sen line with its interval (Sen 1968; as scipy's `theilslopes`).
///
/// Exact up to 500 points. Beyond, the medians of at most 256 blocks of neighbours stand for them, so that the work
/// stays linear; `x` should then ascend. `None` for different lengths, or when no two points differ in x.
pub fn theil_sen(x: &[f64], y: &[f64]) -> Option<TheilSen> {
    if x.len() != y.len() {
        return None;
    }
    if x.len() > ALL_PAIRS_LIMIT {
        let block = x.len().div_ceil(MAX_BLOCKS);
        return sen_line(&block_medians(x, block), &block_medians(y, block));
    }
    sen_line(x, y)
}

fn block_medians(y: &[f64], block: usize) -> Vec<f64> {
    y.chunks(block).filter_map(median).collect()
}

fn sen_line(x: &[f64], y: &[f64]) -> Option<TheilSen> {
    let slopes = PairSlopes::new(x, y);
    if slopes.count == 0 {
        return None;
    }
    let (middle_low, middle_high) = ((slopes.count - 1) / 2, slopes.count / 2);
    let count = slopes.count as f64;
    // Width of the interval in ranks (Sen 1968, eq. 2.6).
    let width = Z_95 * kendall_variance(x, y).sqrt();
    let low_rank = (((count - width) / 2.0).round_ties_even() - 1.0).max(0.0) as usize;
    let high_rank = ((count + width) / 2.0).round_ties_even().min(count - 1.0) as usize;
    let [low, below, above, high] = slopes.at_ranks([low_rank, middle_low, middle_high, high_rank])?;
    let slope = below + (above - below) / 2.0;
    Some(TheilSen { slope, intercept: median(y)? - slope * median(x)?, low, high })
}

/// Variance of Kendall's S with ties on both sides.
fn kendall_variance(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len() as f64;
    let tied = |values: &[f64]| {
        let sorted = ascending(values.iter().map(|value| value + 0.0));
        tie_variance(&sorted)
    };
    ((n * (n - 1.0) * (2.0 * n + 5.0) - tied(x) - tied(y)) / 18.0).max(0.0)
}

/// Sum of t (t - 1)(2t + 5) over groups of t equal values.
fn tie_variance(sorted: &[f64]) -> f64 {
    sorted.chunk_by(|a, b| a == b).map(|ties| ties.len() as f64).map(|t| t * (t - 1.0) * (2.0 * t + 5.0)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ar1, white};
    use proptest::prelude::*;

    #[test]
    fn a_rising_line() {
        let y: Vec<f64> = (0..10).map(f64::from).collect();
        // All 45 pairs rise; the variance is 125.
        assert_eq!(mann_kendall(&y), Some(44.0 / 125_f64.sqrt()));
        let line = theil_sen(&y, &y).unwrap();
        assert_eq!((line.slope, line.intercept, line.low, line.high), (1.0, 0.0, 1.0, 1.0));
    }

    #[test]
    fn a_constant_has_no_trend() {
        assert_eq!(mann_kendall_corrected(&[2.0; 12]), Some(0.0));
        assert_eq!(mann_kendall(&[1.0, 2.0]), None);
        assert_eq!(theil_sen(&[1.0, 1.0], &[1.0, 2.0]), None);
        assert_eq!(theil_sen(&[1.0], &[1.0, 2.0]), None);
    }

    /// Share of trendless AR(1) series that a test calls significant at 5 %.
    fn false_alarms(test: fn(&[f64]) -> Option<f64>) -> f64 {
        let alarms = (0..200).filter(|seed| test(&ar1(*seed, 300, 0.9)).unwrap().abs() > Z_95).count();
        alarms as f64 / 200.0
    }

    #[test]
    fn the_correction_keeps_false_alarms_down() {
        let (plain, corrected) = (false_alarms(mann_kendall), false_alarms(mann_kendall_corrected));
        assert!(plain > 0.5, "{plain}");
        assert!(corrected < 0.2, "{corrected}");
    }

    #[test]
    fn a_real_trend_survives_the_correction() {
        let y: Vec<f64> =
            ar1(7, 300, 0.5).iter().enumerate().map(|(place, noise)| noise + 0.02 * place as f64).collect();
        let z = mann_kendall_corrected(&y).unwrap();
        assert!(z > 3.0, "{z}");
    }

    #[test]
    fn a_long_series_goes_through_block_medians() {
        let n = 20_000;
        let x: Vec<f64> = (0..n).map(f64::from).collect();
        let y: Vec<f64> = white(9, n as usize).iter().zip(&x).map(|(noise, x)| noise + 1e-4 * x).collect();
        let line = theil_sen(&x, &y).unwrap();
        assert!((line.slope - 1e-4).abs() < 4e-6, "{line:?}");
        assert!(line.low < 1e-4 && 1e-4 < line.high && line.low > 0.9e-4 && line.high < 1.1e-4, "{line:?}");
    }

    proptest! {
        #[test]
        fn rank_tests_ignore_a_monotone_change_of_scale(y in prop::collection::vec(-9_i32..9, 3..60)) {
            let y: Vec<f64> = y.into_iter().map(f64::from).collect();
            let cubed: Vec<f64> = y.iter().map(|value| value * value * value).collect();
            prop_assert_eq!(mann_kendall(&y), mann_kendall(&cubed));
            let reversed: Vec<f64> = y.iter().rev().copied().collect();
            prop_assert_eq!(mann_kendall(&y).unwrap(), -mann_kendall(&reversed).unwrap());
        }

        #[test]
        fn the_interval_holds_the_slope(y in prop::collection::vec(-1e3_f64..1e3, 2..70)) {
            let x: Vec<f64> = (0..y.len()).map(|place| (place / 2 * 3) as f64).collect();
            if let Some(line) = theil_sen(&x, &y) {
                prop_assert!(line.low <= line.slope && line.slope <= line.high);
            }
        }

        #[test]
        fn never_panics(y in prop::collection::vec(prop::num::f64::ANY, 0..60)) {
            let _ = (mann_kendall(&y), mann_kendall_corrected(&y), theil_sen(&y, &y));
        }
    }
}
