//! Single values that stand out from their neighbours, and runs of them.

use std::ops::Range;

use super::describe::{MEAN_DEVIATION_TO_SIGMA, sigma_of_mad};
use super::smooth::{SortedWindow, middle_values, sorted_median};

/// Fewest values in a window that show what is normal.
const MIN_NEIGHBOURS: usize = 5;

/// Neighbours looked at on each side of a value.
pub const SPIKE_NEIGHBOURS: usize = 10;

/// A spike's distance from the median of its neighbours in robust standard deviations. Three, the textbook value, gives
/// far too many on training curves.
pub const SPIKE_SIGMAS: f64 = 6.0;

/// How many times the median of its neighbours a spike must reach or fall below: statistics alone call a flutter of 1 %
/// a spike where a curve is nearly flat.
pub const SPIKE_RATIO: f64 = 3.0;

/// Indices of spikes on the log scale (Hampel 1974), ascending: for gradient norms, KL and times, whose noise is
/// relative. Values that are not positive and finite are neither spikes nor neighbours.
pub fn hampel_log(y: &[f64]) -> Vec<usize> {
    spikes_beyond(y, SPIKE_RATIO)
}

fn spikes_beyond(y: &[f64], ratio: f64) -> Vec<usize> {
    let points: Vec<(usize, f64)> = y
        .iter()
        .enumerate()
        .filter(|(_, value)| **value > 0.0 && value.is_finite())
        .map(|(index, value)| (index, *value))
        .collect();
    outliers(&points, ratio)
}

/// Joins ascending indices that lie at most `gap` apart; each range ends one after its last index.
pub fn episodes(indices: &[usize], gap: usize) -> Vec<Range<usize>> {
    indices
        .chunk_by(|before, after| after.saturating_sub(*before) <= gap)
        .filter_map(|group| Some(*group.first()?..group.last()?.saturating_add(1)))
        .collect()
}

/// Most indices within a window of `width` points, and the first of those.
pub fn densest(at: &[usize], width: usize) -> (usize, usize) {
    let mut best = (0, 0);
    let mut start = 0;
    for (place, index) in at.iter().enumerate() {
        while at.get(start).is_some_and(|first| index - first >= width) {
            start += 1;
        }
        let count = place + 1 - start;
        if count > best.0 {
            best = (count, at.get(start).copied().unwrap_or(0));
        }
    }
    best
}

/// Places of the positive values that are at least `ratio` times the median of their neighbours, or as much below it, and
/// stand out from their spread, on the log scale.
fn outliers(points: &[(usize, f64)], ratio: f64) -> Vec<usize> {
    let least = libm::log(ratio);
    let (mut spikes, mut logs) = (Vec::new(), Vec::new());
    let mut window = SortedWindow::default();
    let mut entering = points.iter();
    for (_, value) in entering.by_ref().take(SPIKE_NEIGHBOURS) {
        window.insert(*value);
    }
    for (place, (index, value)) in points.iter().enumerate() {
        let oldest = place.checked_sub(SPIKE_NEIGHBOURS + 1).and_then(|gone| points.get(gone));
        match (oldest, entering.next()) {
            (Some((_, oldest)), Some((_, newest))) => window.replace(*oldest, *newest),
            (Some((_, oldest)), None) => window.remove(*oldest),
            (None, Some((_, newest))) => window.insert(*newest),
            (None, None) => {}
        }
        // Nearly all values are near: logarithms are needed for the others only.
        if window.sorted().len() < MIN_NEIGHBOURS || is_near(*value, window.sorted(), ratio) {
            continue;
        }
        logs.clear();
        logs.extend(window.sorted().iter().map(|value| libm::log(*value)));
        let Some(middle) = sorted_median(&logs) else { continue };
        let distance = (libm::log(*value) - middle).abs();
        if distance == 0.0 || distance.is_nan() || distance < least {
            continue;
        }
        if distance > SPIKE_SIGMAS * spread(&logs, middle) {
            spikes.push(*index);
        }
    }
    spikes
}

/// True when a value is within `ratio` times both middle values of a sorted window, and so of their geometric mean, by more
/// than logarithms are rounded.
fn is_near(value: f64, sorted: &[f64], ratio: f64) -> bool {
    const ROUNDING: f64 = 1e-9;
    let reach = ratio * (1.0 - ROUNDING);
    middle_values(sorted).is_some_and(|(low, high)| value < low * reach && value * reach > high)
}

/// Robust standard deviation around the median of a sorted window.
fn spread(sorted: &[f64], middle: f64) -> f64 {
    let raw = sorted_mad(sorted, middle);
    if raw > 0.0 {
        return sigma_of_mad(raw);
    }
    // More than half of the window is one value.
    let sum: f64 = sorted.iter().map(|value| (value - middle).abs()).sum();
    MEAN_DEVIATION_TO_SIGMA * sum / sorted.len().max(1) as f64
}

/// Raw MAD of a sorted window: deviations grow away from the median on both sides, so merging half of them is enough.
fn sorted_mad(sorted: &[f64], middle: f64) -> f64 {
    let (mut below, mut above) = sorted.split_at(sorted.partition_point(|value| *value < middle));
    let (mut previous, mut current) = (0.0, 0.0);
    for _ in 0..=sorted.len() / 2 {
        previous = current;
        current = match (below.split_last(), above.split_first()) {
            (Some((low, rest)), high) if high.is_none_or(|(high, _)| middle - low <= high - middle) => {
                below = rest;
                middle - low
            }
            (_, Some((high, rest))) => {
                above = rest;
                high - middle
            }
            _ => break,
        };
    }
    if sorted.len() % 2 == 1 { current } else { previous + (current - previous) / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::mad;
    use crate::golden::{golden, numbers};
    use crate::testing::white;
    use proptest::prelude::*;

    #[test]
    fn a_spike_is_found_and_noise_is_not() {
        let mut y: Vec<f64> = white(3, 400).iter().map(|noise| libm::exp(0.3 * noise)).collect();
        assert_eq!(hampel_log(&y), [0_usize; 0]);
        y[100] = 40.0;
        y[101] = 30.0;
        y[300] = 0.001;
        assert_eq!(hampel_log(&y), [100, 101, 300]);
    }

    #[test]
    fn densest_counts_within_the_window() {
        assert_eq!(densest(&[1, 5, 30, 31, 33, 49, 50], 20), (4, 30));
        assert_eq!(densest(&[], 20), (0, 0));
    }

    #[test]
    fn zeros_are_no_neighbours_on_the_log_scale() {
        let mut y = vec![1.0, 0.0, 1.1, -1.0, 0.9, 1.0, 1.05, f64::NAN, 0.95, 1.0];
        y[5] = 90.0;
        assert_eq!(hampel_log(&y), [5]);
    }

    #[test]
    fn near_spikes_are_one_episode() {
        assert_eq!(episodes(&[3, 5, 6, 20, 24], 3), [3..7, 20..21, 24..25]);
        assert!(episodes(&[], 3).is_empty());
    }

    /// As numpy finds them (`golden/make_stats.py`), whatever their ratio.
    #[test]
    fn spikes_agree_with_another_implementation() {
        for expected in golden()["curves"].as_object().unwrap().values().filter(|curve| !curve["hampel_log"].is_null())
        {
            let found: Vec<f64> =
                spikes_beyond(&numbers(&expected["y"]), 1.0).iter().map(|place| *place as f64).collect();
            assert_eq!(found, numbers(&expected["hampel_log"]));
        }
    }

    proptest! {
        #[test]
        fn the_merged_spread_is_the_mad(values in prop::collection::vec(-9_i32..9, 1..40)) {
            let mut sorted: Vec<f64> = values.into_iter().map(|value| f64::from(value) / 4.0).collect();
            sorted.sort_by(f64::total_cmp);
            let middle = crate::median(&sorted).unwrap();
            prop_assert_eq!(sorted_mad(&sorted, middle), mad(&sorted).unwrap());
        }

        #[test]
        fn the_test_without_logarithms_leaves_no_spike_out(
            y in prop::collection::vec(prop_oneof![6 => 0.9..1.1_f64, 2 => 0.3..3.3_f64, 1 => Just(3.0), 1 => Just(1.0)], 0..80)
        ) {
            let log = |place: usize| libm::log(y[place]);
            let window = |place: usize| place.saturating_sub(SPIKE_NEIGHBOURS)..(place + SPIKE_NEIGHBOURS + 1).min(y.len());
            let expected: Vec<usize> = (0..y.len())
                .filter(|place| {
                    let mut logs: Vec<f64> = window(*place).map(log).collect();
                    logs.sort_by(f64::total_cmp);
                    let distance = (log(*place) - crate::median(&logs).unwrap()).abs();
                    logs.len() >= MIN_NEIGHBOURS
                        && distance > 0.0
                        && distance >= libm::log(SPIKE_RATIO)
                        && distance > SPIKE_SIGMAS * spread(&logs, crate::median(&logs).unwrap())
                })
                .collect();
            prop_assert_eq!(hampel_log(&y), expected);
        }

        #[test]
        fn never_panics(y in prop::collection::vec(prop::num::f64::ANY, 0..80)) {
            prop_assert!(hampel_log(&y).is_sorted());
        }
    }
}
