//! Onset of a lasting increase: the point of a jump, or the bend from which a curve climbs.
//!
//! The first point beyond a threshold comes late for a slow change: a straight climb to five times the threshold
//! crosses it a fifth of its way up. So the curve up to its top is fitted by one step and by one bend, and the better
//! fit gives the onset.
//!
//! `onset` is another question: there both levels are known, and what comes before is flat. A rise may be the bend of
//! a slow climb, which a flat line would put at the first point; a level that is left seldom has such a climb before.

use rundown_stats as stats;
use rundown_stats::block_means;

/// Longer series are joined to so many blocks first: trying every bend takes the square of their number.
const BLOCKS: usize = 256;
/// Fewest points on either side of a step.
const MIN_SEGMENT: usize = 3;
/// Share of the way up at which the increase counts as done; what follows would pull the bend away.
const TOP: f64 = 0.9;
/// Points after the top that show that it lasts.
const POINTS_AFTER_TOP: usize = 6;
/// A bend must leave less than this share of the squared error of a straight line; else the onset is the
/// first point.
const GAIN: f64 = 0.88;

/// Index of the point at which the largest lasting increase begins; 0 when it climbs from the first point on.
///
/// For a fall, pass the negated values; for a metric of relative noise, its logarithms.
pub(crate) fn increase_onset(values: &[f64]) -> usize {
    let blocks = block_means(values, BLOCKS);
    let smooth = stats::running_medians(&blocks, (blocks.len() / 40).max(1));
    let Some(top) = highest(&smooth) else { return 0 };
    let low = smooth.get(..=top).unwrap_or(&[]).iter().copied().reduce(f64::min).unwrap_or(f64::NAN);
    let high = smooth.get(top).copied().unwrap_or(f64::NAN);
    let line = low + TOP * (high - low);
    let reached = smooth.iter().position(|value| *value >= line).unwrap_or(top);
    let until = (reached + POINTS_AFTER_TOP).min(blocks.len());
    let block = blocks.get(..until).map_or(0, begins);
    block * values.len() / blocks.len().max(1)
}

fn highest(values: &[f64]) -> Option<usize> {
    (0..values.len()).reduce(|best, index| if values.get(index) > values.get(best) { index } else { best })
}

/// Of a step, a bend upwards, a straight climb and one that levels off: where the one that fits best begins.
fn begins(values: &[f64]) -> usize {
    let step = stats::single_change(values, MIN_SEGMENT).filter(|change| change.after > change.before);
    let Some(bends) = Bends::new(values) else { return step.map_or(0, |step| step.index) };
    // What climbs straight, or levels off, climbs from the first point on.
    let mut best = (bends.line.min(bends.downwards), 0);
    if let Some((at, error)) = bends.upwards.filter(|(_, error)| *error < GAIN * bends.line && *error < best.0) {
        best = (error, at);
    }
    if let Some(step) = step.filter(|step| step.sse < best.0) {
        best = (step.sse, step.index);
    }
    best.1
}

/// Sums of squared residuals around a line with one bend, for the best place of it.
struct Bends {
    /// The best bend to a steeper slope: its index and the squared error.
    upwards: Option<(usize, f64)>,
    /// Squared error with the best bend to a flatter slope; infinite without one.
    downwards: f64,
    /// Squared error of a straight line.
    line: f64,
}

impl Bends {
    /// Least squares over a line and one hinge `max(0, t - at)`, for every `at`.
    ///
    /// Both are taken orthogonal to the straight line, so that each hinge costs one pass.
    fn new(values: &[f64]) -> Option<Self> {
        let count = values.len();
        let points = count as f64;
        let middle = (points - 1.0) / 2.0;
        let level = stats::mean(values)?;
        let width = points * (points * points - 1.0) / 12.0;
        if width <= 0.0 {
            return None;
        }
        let lever = |index: usize| index as f64 - middle;
        let slope = values.iter().enumerate().map(|(index, value)| lever(index) * value).sum::<f64>() / width;
        let residuals: Vec<f64> =
            values.iter().enumerate().map(|(index, value)| value - level - slope * lever(index)).collect();
        let line: f64 = residuals.iter().map(|residual| residual * residual).sum();
        let mut bends = Self { upwards: None, downwards: f64::INFINITY, line };
        for at in 1..count.saturating_sub(MIN_SEGMENT - 1) {
            let (mut along, mut sum, mut tilt, mut square) = (0.0, 0.0, 0.0, 0.0);
            for (index, residual) in residuals.iter().enumerate().skip(at + 1) {
                let height = (index - at) as f64;
                along += residual * height;
                sum += height;
                tilt += lever(index) * height;
                square += height * height;
            }
            let own = square - sum * sum / points - tilt * tilt / width;
            // A hinge at the very end is a line, up to rounding.
            if own <= 1e-9 * square {
                continue;
            }
            let error = line - along * along / own;
            if along <= 0.0 {
                bends.downwards = bends.downwards.min(error);
            } else if bends.upwards.is_none_or(|(_, best)| error < best) {
                bends.upwards = Some((at, error));
            }
        }
        Some(bends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_stats::testing::{ar1, white};

    fn noisy(count: usize, noise: f64, level: impl Fn(f64) -> f64) -> Vec<f64> {
        let draws = white(11, count);
        (0..count).zip(draws).map(|(index, draw)| level(index as f64 / count as f64) + noise * draw).collect()
    }

    fn near(found: usize, expected: usize, count: usize) {
        assert!(found.abs_diff(expected) <= count * 3 / 100, "{found} instead of {expected}");
    }

    #[test]
    fn jumps_and_bends_are_found_where_they_begin() {
        for count in [120, 300, 4_000] {
            near(increase_onset(&noisy(count, 0.05, |t| if t < 0.6 { 0.1 } else { 1.0 })), count * 3 / 5, count);
            near(increase_onset(&noisy(count, 0.02, |t| (t - 0.4).max(0.0))), count * 2 / 5, count);
            // A straight climb to a level that lasts.
            near(increase_onset(&noisy(count, 0.01, |t| (t - 0.3).clamp(0.0, 0.3))), count * 3 / 10, count);
            // Fast at first, as every KL, and then a drift.
            let drift = |t: f64| 0.1 - 0.1 * libm::exp(-10.0 * t) + (t - 0.5).max(0.0);
            near(increase_onset(&noisy(count, 0.01, drift)), count / 2, count);
        }
    }

    #[test]
    fn what_climbs_all_along_begins_at_the_first_point() {
        near(increase_onset(&noisy(300, 0.05, |t| t)), 0, 300);
        near(increase_onset(&noisy(300, 0.02, |t| 1.0 - libm::exp(-6.0 * t))), 0, 300);
    }

    #[test]
    fn short_constant_and_huge_series_are_survived() {
        assert_eq!(increase_onset(&[]), 0);
        assert_eq!(increase_onset(&[1.0, 2.0]), 0);
        assert_eq!(increase_onset(&[0.5; 50]), 0);
        increase_onset(&[1e308, -1e308, 1e308, 1e308, 1e308, -1e308, 1e308, 1e308]);
        increase_onset(&ar1(3, 100_000, 0.99));
    }
}
