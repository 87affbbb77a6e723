//! Smoothing for charts: W&B's moving averages, running means and normal curves.
//!
//! A non-finite point comes out as it went in and takes no part in its neighbours: every smoother here behaves so.
//! Nothing that a check decides on is smoothed first.

mod kernels;
mod window;

use kernels::MAX_EMA_WEIGHT;
pub use kernels::{ema, ema_reach, gaussian, gaussian_reach};
pub(super) use window::{SortedWindow, middle_values, sorted_median};
pub use window::{running_medians, running_medians_beyond};

/// Width of the chart in W&B's own units. Their documentation gives the formula but not this constant; 1000 is the
/// value commonly assumed, so curves are "W&B-like".
const VIEWPORT_SCALE: f64 = 1000.0;

/// Values whose running mean is computed at once: the sums that it needs stay within the processor's caches.
const CHUNK: usize = 1 << 12;

/// W&B's time-weighted exponential moving average, the default of its line plots
/// (docs.wandb.ai, "Smooth line plots").
///
/// `weight` is the slider, from 0 (none) to below 1. Points that lie closer together in x weigh less each, so a curve
/// looks the same however densely it was logged. Returns one value for each of `y`; `x` ascends.
pub fn time_weighted_ema(x: &[f64], y: &[f64], weight: f64) -> Vec<f64> {
    if weight.is_nan() || weight <= 0.0 {
        return y.to_vec();
    }
    let usable = |x: f64, y: f64| x.is_finite() && y.is_finite();
    let range = x
        .iter()
        .zip(y)
        .filter(|(x, y)| usable(**x, **y))
        .map(|(x, _)| (*x, *x))
        .reduce(|(low, high), (x, _)| (low.min(x), high.max(x)))
        .map_or(0.0, |(low, high)| high - low);
    let mut average = TimeWeightedAverage::new(weight, range);
    let mut smoothed = y.to_vec();
    for (place, x) in smoothed.iter_mut().zip(x) {
        if usable(*x, *place) {
            *place = average.add(*x, *place, 1.0);
        }
    }
    smoothed
}

/// The average of [`time_weighted_ema`], value by value: its weights fall with the distance in x.
///
/// Of many points it can be made from sums of successive ones. Within such a group the weights are taken as equal, which
/// they nearly are where it is narrow beside a thousandth of the range.
pub struct TimeWeightedAverage {
    /// What is left of a weight after a thousandth of the range.
    weight: f64,
    range: f64,
    sum: f64,
    count: f64,
    /// The last position, and the last distance with its decay: points mostly lie at equal distances.
    last: Option<(f64, f64, f64)>,
}

impl TimeWeightedAverage {
    /// Of nothing yet; `weight` is the slider, `range` the distance between the first and the last position of the line.
    pub fn new(weight: f64, range: f64) -> Self {
        let weight = if weight > 0.0 { weight.sqrt().min(MAX_EMA_WEIGHT) } else { 0.0 };
        Self { weight, range, sum: 0.0, count: 0.0, last: None }
    }

    /// The distance in x after which less than `share` is left of a weight.
    pub fn reach(&self, share: f64) -> f64 {
        self.range / VIEWPORT_SCALE * libm::log(share) / libm::log(self.weight)
    }

    /// The average at a position with the points that are there: their sum and their number, both finite. Positions ascend.
    pub fn add(&mut self, x: f64, sum: f64, count: f64) -> f64 {
        let decay = match self.last {
            None => 1.0,
            Some((last, _, _)) if x <= last => 1.0,
            Some((last, distance, decay)) if x - last == distance => decay,
            Some((last, ..)) => libm::pow(self.weight, (x - last) / self.range * VIEWPORT_SCALE),
        };
        let distance = self.last.map_or(0.0, |(last, ..)| x - last);
        self.last = Some((x, distance, decay));
        self.sum = self.sum * decay + sum;
        self.count = self.count * decay + count;
        self.sum / self.count
    }
}

/// Mean of the points up to `half_width` places away on either side, the point itself included; windows are cut off
/// at the ends. O(n) whatever the width.
pub fn running_mean(y: &[f64], half_width: usize) -> Vec<f64> {
    let half_width = half_width.min(y.len());
    if y.iter().all(|value| value.is_finite()) { finite_mean(y, half_width) } else { counted_mean(y, half_width) }
}

/// What is left of each value without its [`running_mean`].
pub fn running_residuals(y: &[f64], half_width: usize) -> Vec<f64> {
    let mut residuals = running_mean(y, half_width);
    residuals.iter_mut().zip(y).for_each(|(mean, value)| *mean = value - *mean);
    residuals
}

/// The running mean of finite values, in a third of the time of [`counted_mean`] and with the same bits: windows of full
/// width need no count, and are sums of two lists. Each list is as long as the values, so they are made for a piece at a time.
fn finite_mean(y: &[f64], half_width: usize) -> Vec<f64> {
    let width = half_width * 2 + 1;
    let piece = CHUNK.next_multiple_of(width);
    let mut means = Vec::with_capacity(y.len());
    for start in (0..y.len()).step_by(piece) {
        // With a block on either side no window is cut off that was not.
        let from = start.saturating_sub(width);
        let around = y.get(from..(start + piece + width).min(y.len())).unwrap_or_default();
        let of_piece = mean_of_piece(around, half_width);
        let inside = of_piece.get(start - from..).unwrap_or_default();
        means.extend_from_slice(inside.get(..piece).unwrap_or(inside));
    }
    means
}

fn mean_of_piece(y: &[f64], half_width: usize) -> Vec<f64> {
    let width = half_width * 2 + 1;
    let (to_end, from_start) = block_sums(y, width);
    let last = y.len().saturating_sub(1);
    let cut_off = |index: usize| {
        let (start, end) = (index.saturating_sub(half_width), (index + half_width).min(last));
        let at = |sums: &[f64], place: usize| sums.get(place).copied().unwrap_or(0.0);
        let sum = if start % width == 0 {
            at(&from_start, end)
        } else if start / width == end / width {
            at(&to_end, start)
        } else {
            at(&to_end, start) + at(&from_start, end)
        };
        sum / (end - start + 1) as f64
    };
    let mut means = Vec::with_capacity(y.len());
    means.extend((0..half_width.min(y.len())).map(cut_off));
    let ends = from_start.get(width - 1..).unwrap_or_default();
    means.extend(to_end.iter().zip(ends).map(|(head, tail)| (head + tail) / width as f64));
    // Windows that are a block.
    for (mean, sum) in means.iter_mut().skip(half_width).zip(ends).step_by(width) {
        *mean = sum / width as f64;
    }
    means.extend((means.len()..y.len()).map(cut_off));
    means
}

/// For each value, the sum of those from it to the end of its block of `width` values, and from the block's start to it.
fn block_sums(y: &[f64], width: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut to_end, mut from_start) = (vec![0.0; y.len()], vec![0.0; y.len()]);
    let blocks = y.chunks(width).zip(to_end.chunks_mut(width)).zip(from_start.chunks_mut(width));
    for ((block, to_end), from_start) in blocks {
        let (mut backward, mut forward) = (0.0, 0.0);
        let backwards = block.iter().zip(to_end).rev();
        // Side by side: each sum waits for the one before it.
        for ((first, sum_to_it), (last, sum_from_it)) in block.iter().zip(from_start).zip(backwards) {
            forward += first;
            *sum_to_it = forward;
            backward += last;
            *sum_from_it = backward;
        }
    }
    (to_end, from_start)
}

fn counted_mean(y: &[f64], half_width: usize) -> Vec<f64> {
    let width = half_width * 2 + 1;
    // Sums from the start of each block of `width` points, and to its end: a window is the end of one block and the
    // start of the next. Nothing is ever subtracted, so one huge value can't spoil its surroundings.
    let to_end = sums_to_block_end(y, width);
    let mut tail = BlockSum { sum: 0.0, points: 0, width };
    let (mut entering, mut leaving) = (y.iter(), y.iter());
    // Finite values in the window, and the place of its first value in a block.
    let (mut count, mut place) = (0_u32, 0);
    for value in entering.by_ref().take(half_width) {
        count += tail.add(*value);
    }
    let last = y.len().saturating_sub(1);
    let mut means = Vec::with_capacity(y.len());
    for (index, value) in y.iter().enumerate() {
        if let Some(newest) = entering.next() {
            count += tail.add(*newest);
        }
        if index > half_width {
            count -= leaving.next().map_or(0, |oldest| u32::from(oldest.is_finite()));
            place = if place + 1 == width { 0 } else { place + 1 };
        }
        let (start, end) = (index.saturating_sub(half_width), (index + half_width).min(last));
        let head = to_end.get(start).copied().unwrap_or(0.0);
        let sum = if place == 0 {
            tail.sum
        } else if end - start >= width - place {
            head + tail.sum
        } else {
            head
        };
        means.push(if value.is_finite() { sum / f64::from(count.max(1)) } else { *value });
    }
    means
}

/// The sum of finite values since the last block of `width` points began.
struct BlockSum {
    sum: f64,
    points: usize,
    width: usize,
}

impl BlockSum {
    /// Takes the next value in; 1 when it counts, 0 when it is not finite.
    fn add(&mut self, value: f64) -> u32 {
        if self.points == self.width {
            (self.sum, self.points) = (0.0, 0);
        }
        self.points += 1;
        if value.is_finite() {
            self.sum += value;
        }
        u32::from(value.is_finite())
    }
}

/// For each value, the sum of the finite ones from it to the end of its block of `width` points.
fn sums_to_block_end(y: &[f64], width: usize) -> Vec<f64> {
    let mut sums = y.to_vec();
    for block in sums.chunks_mut(width) {
        let mut sum = 0.0;
        for value in block.iter_mut().rev() {
            if value.is_finite() {
                sum += *value;
            }
            *value = sum;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::white;
    use proptest::prelude::*;

    /// W&B's published code, line for line.
    fn published(x: &[f64], y: &[f64], smoothing: f64) -> Vec<f64> {
        let weight = smoothing.sqrt().min(0.999);
        let range = x.last().unwrap() - x.first().unwrap();
        let (mut last, mut debias) = (0.0, 0.0);
        (0..y.len())
            .map(|index| {
                let previous = if index > 0 { index - 1 } else { 0 };
                let change = (x[index] - x[previous]) / range * 1000.0;
                let adjusted = libm::pow(weight, change);
                last = last * adjusted + y[index];
                debias = debias * adjusted + 1.0;
                last / debias
            })
            .collect()
    }

    #[test]
    fn the_time_weighted_average_is_wandbs() {
        let y = white(5, 300);
        let x: Vec<f64> = (0..300).map(|index| f64::from(index) * 2.0 + f64::from(index % 3)).collect();
        for weight in [0.1, 0.6, 0.99, 1.0] {
            assert_eq!(time_weighted_ema(&x, &y, weight), published(&x, &y, weight));
        }
    }

    #[test]
    fn the_average_of_sums_is_that_of_the_points() {
        let y = white(6, 160_000);
        let x: Vec<f64> = (0..160_000).map(f64::from).collect();
        for weight in [0.0_f64, 0.3, 0.8, 0.99] {
            let exact = time_weighted_ema(&x, &y, weight.max(1e-9));
            let groups = |of: fn(&[f64]) -> f64, list: &[f64]| list.chunks(16).map(of).collect::<Vec<f64>>();
            let middles = groups(|x| (x[0] + x[15]) / 2.0, &x);
            let sums = groups(|y| y.iter().sum(), &y);
            let mut average = TimeWeightedAverage::new(weight, 159_999.0);
            let smoothed: Vec<f64> = middles.iter().zip(&sums).map(|(x, sum)| average.add(*x, *sum, 16.0)).collect();
            if weight == 0.0 {
                assert!(smoothed.iter().zip(&sums).all(|(value, sum)| (value - sum / 16.0).abs() < 1e-9));
                continue;
            }
            // Beside the deviation of what is left after smoothing, about a fifteenth at 0.8.
            let apart =
                smoothed.iter().enumerate().skip(500).map(|(group, value)| (value - exact[group * 16 + 15]).abs());
            let apart = apart.fold(0.0, f64::max);
            assert!(apart < 0.012, "{weight}: {apart}");
        }
    }

    #[test]
    fn beyond_its_reach_nothing_is_left_of_a_weight() {
        for weight in [0.3, 0.8, 0.99] {
            let mut average = TimeWeightedAverage::new(weight, 1_000.0);
            let reach = average.reach(0.001);
            average.add(0.0, 1.0, 1.0);
            let left = average.add(reach, 0.0, 1.0);
            assert!((left - 0.001 / 1.001).abs() < 1e-9, "{weight}: {left} after {reach}");
        }
        assert_eq!(TimeWeightedAverage::new(0.0, 1_000.0).reach(0.001), 0.0);
    }

    #[test]
    fn one_nan_stays_alone() {
        let x: Vec<f64> = (0..40).map(f64::from).collect();
        let mut y = vec![2.0; 40];
        y[7] = f64::NAN;
        y[9] = f64::INFINITY;
        for smoothed in [time_weighted_ema(&x, &y, 0.9), running_mean(&y, 3)] {
            assert!(smoothed[7].is_nan() && smoothed[9] == f64::INFINITY);
            let rest = smoothed.iter().filter(|value| value.is_finite());
            assert_eq!(rest.clone().count(), 38);
            assert!(rest.into_iter().all(|value| (value - 2.0).abs() < 1e-12));
        }
    }

    #[test]
    fn no_weight_means_no_smoothing() {
        let y = [1.0, 5.0, 2.0];
        assert_eq!(time_weighted_ema(&[0.0, 0.0, 1.0], &y, 0.0), y);
        assert_eq!(running_mean(&y, 0), y);
    }

    proptest! {
        #[test]
        fn a_running_mean_is_the_mean_of_its_window(
            y in prop::collection::vec(-100.0_f64..100.0, 0..90), half_width in 0_usize..120,
        ) {
            for (index, value) in running_mean(&y, half_width).iter().enumerate() {
                let window = &y[index.saturating_sub(half_width)..(index + half_width + 1).min(y.len())];
                let expected = window.iter().sum::<f64>() / window.len() as f64;
                prop_assert!((value - expected).abs() < 1e-9);
            }
        }

        #[test]
        fn finite_values_have_the_same_mean_in_both_ways(
            y in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::ZERO, 0..90), half_width in 0_usize..50,
        ) {
            let half_width = half_width.min(y.len());
            let bits = |means: Vec<f64>| means.into_iter().map(f64::to_bits).collect::<Vec<_>>();
            prop_assert_eq!(bits(finite_mean(&y, half_width)), bits(counted_mean(&y, half_width)));
        }

        #[test]
        fn smoothing_stays_within_the_data(
            y in prop::collection::vec(-100.0_f64..100.0, 1..90), weight in 0.0_f64..1.2,
        ) {
            let x: Vec<f64> = (0..y.len()).map(|index| (index / 2) as f64).collect();
            let low = y.iter().copied().fold(f64::INFINITY, f64::min) - 1e-9;
            let high = y.iter().copied().fold(f64::NEG_INFINITY, f64::max) + 1e-9;
            prop_assert!(time_weighted_ema(&x, &y, weight).iter().all(|value| (low..=high).contains(value)));
        }

        #[test]
        fn never_panics(y in prop::collection::vec(prop::num::f64::ANY, 0..60), weight in prop::num::f64::ANY) {
            let lengths = [time_weighted_ema(&y, &y, weight).len(), running_mean(&y, usize::MAX).len()];
            prop_assert_eq!(lengths, [y.len(); 2]);
        }
    }
}
