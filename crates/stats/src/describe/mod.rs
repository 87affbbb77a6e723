//! Location and spread. The robust ones (median, MAD) come first in every check, because one spike must not decide.

mod order;

pub use order::ascending;
use order::of_order_key;
pub(crate) use order::order_key;

/// Makes the median absolute deviation estimate the standard deviation of normal noise: 1 / Phi^-1(3/4).
const MAD_TO_SIGMA: f64 = 1.482_602_218_505_602;

/// Makes the mean absolute deviation estimate the standard deviation of normal noise: sqrt(pi / 2).
pub(super) const MEAN_DEVIATION_TO_SIGMA: f64 = 1.253_314_137_315_500_3;

/// Arithmetic mean. `None` when empty.
pub fn mean(y: &[f64]) -> Option<f64> {
    if y.is_empty() { None } else { Some(y.iter().sum::<f64>() / y.len() as f64) }
}

/// Standard deviation of a sample (divides by n - 1). `None` with fewer than two values.
pub fn std_dev(y: &[f64]) -> Option<f64> {
    variance(y).map(f64::sqrt)
}

/// Variance of a sample (divides by n - 1). `None` with fewer than two values.
pub(crate) fn variance(y: &[f64]) -> Option<f64> {
    if y.len() < 2 {
        return None;
    }
    // The mean of equal decimals may differ from them in its last digit.
    if y.windows(2).all(|pair| pair.first() == pair.last()) {
        return Some(0.0);
    }
    let centre = mean(y)?;
    let squares: f64 = y.iter().map(|value| (value - centre) * (value - centre)).sum();
    Some(squares / (y.len() - 1) as f64)
}

/// Median; the mean of the two middle values when there is an even number. `None` when empty.
pub fn median(y: &[f64]) -> Option<f64> {
    median_of(y.iter().copied())
}

/// True where the middle one of positive numbers lies as near to the middle of their range by its logarithm as by its size, or
/// nearer. Needs `least` below `greatest`.
pub fn is_middle_by_logarithm(least: f64, middle: f64, greatest: f64) -> bool {
    let by_size = (middle - least) / (greatest - least) - 0.5;
    let by_logarithm = libm::log(middle / least) / libm::log(greatest / least) - 0.5;
    by_logarithm.abs() <= by_size.abs()
}

/// Quantile `p` (0 to 1, clamped) with linear interpolation between order statistics, as numpy's default
/// (type 7 of Hyndman and Fan 1996). `None` when empty or when `p` is NaN.
pub fn quantile(y: &[f64], p: f64) -> Option<f64> {
    if y.is_empty() || p.is_nan() {
        return None;
    }
    let position = (y.len() - 1) as f64 * p.clamp(0.0, 1.0);
    let share = position - position.floor();
    let mut keys: Vec<u64> = y.iter().copied().map(order_key).collect();
    let (_, low, above) = keys.select_nth_unstable(position.floor() as usize);
    let low = of_order_key(*low);
    if share == 0.0 {
        return Some(low);
    }
    let high = above.iter().min().copied().map(of_order_key)?;
    Some(low + (high - low) * share)
}

/// Median absolute deviation from the median, raw. `None` when empty.
pub fn mad(y: &[f64]) -> Option<f64> {
    let centre = median(y)?;
    median_of(y.iter().map(|value| (value - centre).abs()))
}

/// Standard deviation of normal noise as the median absolute deviation gives it: 1.4826 MAD. `None` when empty.
pub fn mad_sigma(y: &[f64]) -> Option<f64> {
    Some(MAD_TO_SIGMA * mad(y)?)
}

/// Standard deviation of the noise around a moving level: 1.4826 MAD of the first differences over sqrt 2.
///
/// A trend or a change of level hardly moves it. White noise is assumed: autocorrelated noise gives less than its
/// standard deviation. `None` with fewer than three values.
pub fn difference_sigma(y: &[f64]) -> Option<f64> {
    if y.len() < 3 {
        return None;
    }
    Some(mad_sigma(&differences(y))? / std::f64::consts::SQRT_2)
}

/// `y[i + 1] - y[i]`, one fewer than `y`.
pub fn differences(y: &[f64]) -> Vec<f64> {
    y.iter().zip(y.iter().skip(1)).map(|(before, after)| after - before).collect()
}

/// [`median`] of the values of an iterator. O(n), eight bytes of memory a value.
pub fn median_of(values: impl Iterator<Item = f64>) -> Option<f64> {
    median_of_keys(values.map(order_key).collect())
}

/// The median of numbers that are given by their [`order_key`].
fn median_of_keys(mut keys: Vec<u64>) -> Option<f64> {
    let half = keys.len() / 2;
    if half >= keys.len() {
        return None;
    }
    let is_odd = keys.len() % 2 == 1;
    let (below, middle, _) = keys.select_nth_unstable(half);
    let high = of_order_key(*middle);
    if is_odd {
        return Some(high);
    }
    // Everything before the selected rank is at most `high`: its largest is the other middle value.
    let low = below.iter().copied().map(of_order_key).reduce(f64::max)?;
    Some(low + (high - low) / 2.0)
}

/// 1.4826 MAD from a raw MAD.
pub fn sigma_of_mad(raw: f64) -> f64 {
    MAD_TO_SIGMA * raw
}

/// The value of ascending rank `rank`; reorders its input. NaN sorts above everything.
pub(super) fn select(y: &mut [f64], rank: usize) -> Option<f64> {
    if rank >= y.len() {
        return None;
    }
    Some(*y.select_nth_unstable_by(rank, f64::total_cmp).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn middle_values() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0], 0.25), Some(1.75));
        assert_eq!(quantile(&[1.0, 2.0], 1.0), Some(2.0));
        assert_eq!(quantile(&[1.0, 2.0], 7.0), Some(2.0));
        assert_eq!(quantile(&[1.0], f64::NAN), None);
    }

    #[test]
    fn spread() {
        assert_eq!(std_dev(&[2.0]), None);
        assert_eq!(std_dev(&[1.0, 2.0, 3.0]), Some(1.0));
        assert_eq!(mad(&[1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0]), Some(1.0));
    }

    #[test]
    fn a_level_shift_hardly_moves_the_noise_of_differences() {
        let noise = |index: usize| if index.is_multiple_of(2) { 0.1 } else { -0.1 };
        let flat: Vec<f64> = (0..100).map(noise).collect();
        let shifted: Vec<f64> = (0..100).map(|index| noise(index) + if index < 50 { 0.0 } else { 40.0 }).collect();
        let (before, after) = (difference_sigma(&flat).unwrap(), difference_sigma(&shifted).unwrap());
        assert!((before - after).abs() < 1e-9, "{before} {after}");
    }

    #[test]
    fn non_finite_values_do_not_panic() {
        let odd = [f64::NAN, f64::INFINITY, 1.0, f64::NEG_INFINITY, f64::NAN];
        for result in [mean(&odd), std_dev(&odd), median(&odd), quantile(&odd, 0.3), mad(&odd), difference_sigma(&odd)]
        {
            assert!(result.is_some());
        }
    }
}
