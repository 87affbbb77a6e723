//! What a [`Smoothing`] makes of values.

use std::ops::Range;

use rundown_plot::{IndexedLine, Sums};
use rundown_protocol::{Smoothing, SmoothingKind};
use rundown_stats::{self as stats, TimeWeightedAverage};

/// Most memory of a smoother, in points.
const MAX_MEMORY: f64 = 1000.0;
/// A share of the weight of an average that no chart shows: less than a pixel in a thousand.
const FORGOTTEN: f64 = 0.001;

/// True where a smoothing changes anything.
pub fn is_smoothing(smoothing: &Smoothing) -> bool {
    smoothing.kind != SmoothingKind::None && smoothing.weight > 0.0
}

/// Values smoothed as [`Smoothing`] says; `x` ascends.
pub fn smoothed(smoothing: &Smoothing, x: &[f64], y: &[f64]) -> Vec<f64> {
    if !is_smoothing(smoothing) {
        return y.to_vec();
    }
    let weight = smoothing.weight;
    match smoothing.kind {
        SmoothingKind::None => y.to_vec(),
        SmoothingKind::TimeWeightedEma => stats::time_weighted_ema(x, y, weight),
        SmoothingKind::Ema => stats::ema(y, weight),
        SmoothingKind::Gaussian => stats::gaussian(y, sigma(smoothing)),
        SmoothingKind::RunningMean => stats::running_mean(y, half_width(smoothing)),
    }
}

/// Values of the points of a line at the places of a window, smoothed as of the whole line, so that zooming changes no value:
/// smoothing begins where what lies before has less than [`FORGOTTEN`] of the weight.
pub fn smoothed_window(smoothing: &Smoothing, line: &IndexedLine, window: Range<usize>) -> Vec<f64> {
    let values = |places: Range<usize>| line.y().get(places).unwrap_or_default();
    if !is_smoothing(smoothing) {
        return values(window).to_vec();
    }
    if smoothing.kind == SmoothingKind::TimeWeightedEma {
        let mut average = average_before(smoothing.weight, line, window.start);
        let xs = line.x().get(window.clone()).unwrap_or_default();
        let smooth = |(x, y): (&f64, &f64)| if y.is_finite() { average.add(*x, *y, 1.0) } else { *y };
        return xs.iter().zip(values(window)).map(smooth).collect();
    }
    let (before, after) = reach(smoothing);
    let from = window.start.saturating_sub(before);
    let smooth = smoothed(smoothing, &[], values(from..window.end.saturating_add(after).min(line.y().len())));
    smooth.into_iter().skip(window.start - from).take(window.len()).collect()
}

/// Positions and values of the smoothed line of a window of many points, from sums of successive ones; `None` for few points,
/// and for a smoothing that counts points and not positions, which would look another on sums.
pub fn smoothed_sums(smoothing: &Smoothing, line: &IndexedLine, window: Range<usize>) -> Option<(Vec<f64>, Vec<f64>)> {
    if smoothing.kind != SmoothingKind::TimeWeightedEma || !IndexedLine::is_dense(window.len()) {
        return None;
    }
    let mut average = average_before(smoothing.weight, line, window.start);
    let sums = line.sums(window);
    let smooth = add_sums(&mut average, &sums);
    Some((sums.x, smooth))
}

/// The time-weighted average of the points before a place that still have a weight there.
fn average_before(weight: f64, line: &IndexedLine, place: usize) -> TimeWeightedAverage {
    let x = line.x();
    let extent = x.first().zip(x.last()).map_or(0.0, |(first, last)| last - first);
    let mut average = TimeWeightedAverage::new(weight, extent);
    let from = x.get(place).map_or(place, |at| x.partition_point(|x| *x < at - average.reach(FORGOTTEN)));
    add_sums(&mut average, &line.sums(from..place));
    average
}

fn add_sums(average: &mut TimeWeightedAverage, sums: &Sums) -> Vec<f64> {
    let groups = sums.x.iter().zip(&sums.sums).zip(&sums.counts);
    groups.map(|((x, sum), count)| average.add(*x, *sum, *count)).collect()
}

/// How many points before and after one have a part in its value, of the kinds that count points.
fn reach(smoothing: &Smoothing) -> (usize, usize) {
    let around = |points: usize| (points, points);
    match smoothing.kind {
        SmoothingKind::None | SmoothingKind::TimeWeightedEma => (0, 0),
        SmoothingKind::Ema => (stats::ema_reach(smoothing.weight, FORGOTTEN), 0),
        SmoothingKind::Gaussian => around(stats::gaussian_reach(sigma(smoothing))),
        SmoothingKind::RunningMean => around(half_width(smoothing)),
    }
}

/// Standard deviation of the normal curve, in points: as much memory as a mean of so many points.
fn sigma(smoothing: &Smoothing) -> f64 {
    let memory = memory(smoothing);
    ((memory * memory - 1.0) / 12.0).sqrt()
}

/// Points of the running mean on either side.
fn half_width(smoothing: &Smoothing) -> usize {
    ((memory(smoothing) - 1.0) / 2.0).round() as usize
}

fn memory(smoothing: &Smoothing) -> f64 {
    (1.0 / (1.0 - smoothing.weight.min(1.0))).min(MAX_MEMORY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_weight_means_as_much_for_every_kind() {
        let y = stats::testing::white(9, 4_000);
        let x: Vec<f64> = (0..4_000).map(f64::from).collect();
        let of = |kind, weight| smoothed(&Smoothing { kind, weight }, &x, &y);
        let spread = |values: &[f64]| stats::std_dev(values.get(500..3_500).unwrap()).unwrap();
        let kinds = [SmoothingKind::Ema, SmoothingKind::Gaussian, SmoothingKind::RunningMean];
        for weight in [0.8, 0.95] {
            let left = kinds.map(|kind| spread(&of(kind, weight)) / spread(&y));
            // Of white noise a mean of m points leaves 1 / sqrt(m), as does a normal curve of the same deviation; an
            // exponential average looks back only, and leaves 1 / sqrt(2 m).
            let expected = (1.0 - weight).sqrt();
            assert!(left.iter().all(|left| *left > expected * 0.6 && *left < expected * 1.15), "{left:?} {expected}");
        }
        for kind in [SmoothingKind::None, SmoothingKind::Ema, SmoothingKind::Gaussian, SmoothingKind::RunningMean] {
            assert_eq!(of(kind, 0.0), y);
            assert_eq!(of(kind, f64::NAN), y);
            assert_eq!(of(kind, 1.5).len(), y.len());
        }
        // Five points: the one, and two on either side.
        assert_eq!(of(SmoothingKind::RunningMean, 0.8)[100], y[98..103].iter().sum::<f64>() / 5.0);
    }
}
