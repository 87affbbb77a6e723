//! Smoothing by place: each point counts the same, wherever it lies in x.

use super::running_mean;

/// A normal curve is cut at so many standard deviations; four running means after each other reach no farther.
const CUT_SIGMAS: f64 = 4.0;
/// Most weight of an exponential moving average, so that it still follows its values.
pub(super) const MAX_EMA_WEIGHT: f64 = 0.999;
/// From this standard deviation on, running means stand for the curve.
const RUNNING_MEANS_FROM: f64 = 16.0;

/// Exponential moving average: every value counts `weight` times the one after it. Divided by the sum of these weights,
/// so that the start is not drawn to zero. `weight` is from 0 (none) to below 1.
pub fn ema(y: &[f64], weight: f64) -> Vec<f64> {
    let mut smoothed = y.to_vec();
    if weight.is_nan() || weight <= 0.0 {
        return smoothed;
    }
    let weight = weight.min(MAX_EMA_WEIGHT);
    let (mut last, mut debias) = (0.0, 0.0);
    for place in smoothed.iter_mut().filter(|place| place.is_finite()) {
        last = last * weight + *place;
        debias = debias * weight + 1.0;
        *place = last / debias;
    }
    smoothed
}

/// How many points before one have more than `share` of a newest value's weight in its [`ema`].
pub fn ema_reach(weight: f64, share: f64) -> usize {
    (libm::log(share) / libm::log(weight.min(MAX_EMA_WEIGHT))).ceil() as usize
}

/// Mean of all values, weighted by a normal curve of standard deviation `sigma` places around each; cut off at the ends.
///
/// For a wide curve four running means after each other stand: their weights differ from the curve by 4 % of its height
/// at most, and the time does not grow with the width.
pub fn gaussian(y: &[f64], sigma: f64) -> Vec<f64> {
    if sigma.is_nan() || sigma <= 0.0 {
        return y.to_vec();
    }
    if sigma >= RUNNING_MEANS_FROM {
        // The variance of a running mean over h places to either side is h (h + 1) / 3.
        let half_width = (((1.0 + 3.0 * sigma * sigma).sqrt() - 1.0) / 2.0).round() as usize;
        return (0..4).fold(y.to_vec(), |smoothed, _| running_mean(&smoothed, half_width));
    }
    let reach = gaussian_reach(sigma);
    let weights: Vec<f64> = (0..=2 * reach)
        .map(|place| (place as f64 - reach as f64) / sigma)
        .map(|distance| libm::exp(-distance * distance / 2.0))
        .collect();
    let mean = |(index, value): (usize, &f64)| {
        if !value.is_finite() {
            return *value;
        }
        let window = y.iter().skip(index.saturating_sub(reach));
        let within = weights.iter().skip(reach.saturating_sub(index));
        let (mut sum, mut total) = (0.0, 0.0);
        for (value, weight) in window.zip(within).filter(|(value, _)| value.is_finite()) {
            sum += value * weight;
            total += weight;
        }
        sum / total
    };
    y.iter().enumerate().map(mean).collect()
}

/// How many points on either side have a part in a point's [`gaussian`].
pub fn gaussian_reach(sigma: f64) -> usize {
    (CUT_SIGMAS * sigma).ceil() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::white;
    use proptest::prelude::*;

    #[test]
    fn an_exponential_average_by_hand() {
        // 4; (4 / 2 + 2) / 1.5; ((4 / 2 + 2) / 2 + 8) / 1.75.
        let expected = [4.0, 4.0 / 1.5, 10.0 / 1.75];
        for (got, expected) in ema(&[4.0, 2.0, 8.0], 0.5).iter().zip(expected) {
            assert!((got - expected).abs() < 1e-12, "{got} {expected}");
        }
        assert_eq!(ema(&[4.0, 2.0], 0.0), [4.0, 2.0]);
        let broken = ema(&[1.0, f64::NAN, 1.0, f64::INFINITY], 0.9);
        assert!(broken[1].is_nan() && broken[3] == f64::INFINITY && (broken[2] - 1.0).abs() < 1e-12);
    }

    /// Every value against every other one.
    fn weighted_means(y: &[f64], sigma: f64) -> Vec<f64> {
        let of = |index: usize| {
            let distance = |place: usize| (place as f64 - index as f64) / sigma;
            let weight = |place: usize| libm::exp(-distance(place) * distance(place) / 2.0);
            let total: f64 = (0..y.len()).map(weight).sum();
            y.iter().enumerate().map(|(place, value)| value * weight(place)).sum::<f64>() / total
        };
        (0..y.len()).map(of).collect()
    }

    #[test]
    fn a_narrow_curve_is_exact_and_a_wide_one_nearly() {
        let y = white(3, 900);
        for sigma in [0.3, 1.0, 5.0, 15.9] {
            let expected = weighted_means(&y, sigma);
            assert!(gaussian(&y, sigma).iter().zip(&expected).all(|(got, expected)| (got - expected).abs() < 1e-3));
        }
        // A single value of 1 spreads over the curve: its height is 1 / (sigma sqrt(2 pi)).
        let mut single = vec![0.0; 901];
        single[450] = 1.0;
        for sigma in [16.0, 40.0] {
            let height = 1.0 / (sigma * (2.0 * std::f64::consts::PI).sqrt());
            let expected = weighted_means(&single, sigma);
            for (got, expected) in gaussian(&single, sigma).iter().zip(&expected) {
                assert!((got - expected).abs() < 0.04 * height, "{sigma}: {got} {expected} of {height}");
            }
        }
    }

    #[test]
    fn a_gap_stays_a_gap() {
        let smoothed = gaussian(&[2.0, f64::NAN, 2.0, f64::NEG_INFINITY], 1.0);
        assert!(smoothed[1].is_nan() && smoothed[3] == f64::NEG_INFINITY);
        assert!((smoothed[0] - 2.0).abs() < 1e-12 && (smoothed[2] - 2.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn never_panics(
            y in prop::collection::vec(prop::num::f64::ANY, 0..60), weight in prop::num::f64::ANY,
        ) {
            let lengths = [ema(&y, weight).len(), gaussian(&y, weight).len(), gaussian(&y, 20.0).len()];
            prop_assert_eq!(lengths, [y.len(); 3]);
        }
    }
}
