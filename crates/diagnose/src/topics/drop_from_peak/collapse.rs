//! A level that was lost for a long stretch and recovered in part.
//!
//! The end of such a run says little: it lies between the best level and the lowest one, and the collapse itself is most of what
//! the differences of blocks take for noise. So the best level is compared with the lowest one behind it, in the noise of the
//! points around their own level.

use crate::measure::onset;
use crate::measure::series::MetricSeries;
use rundown_stats as stats;

/// Fewest points: levels have ten of them then.
const MIN_POINTS: usize = 100;
/// The run in levels: means of a tenth of the points.
const LEVELS: usize = 10;
/// Share of the points of the lowest level that lie below the middle between it and the end: a dip of some steps lowers it, too.
const MIN_SHARE_BELOW: f64 = 0.8;
/// Part of a level whose mean is a point without most of its noise.
const SMOOTHED: usize = 4;
/// The fall in standard errors of two levels, which are the extremes of all: more than twice what a sure change takes. Noise of 500
/// points with an autocorrelation of 0.8 never falls so far, of 0.9 in 1 of 40 runs.
const MIN_SIZE: f64 = 7.0;
/// Share of this fall that any other one before or after it has at most: noise falls as far again and again.
const LARGEST_OTHER: f64 = 0.5;
/// Share of the gain from the start that the fall took at least: a dip of a policy that goes on learning takes less.
const MIN_PART_OF_GAIN: f64 = 0.75;
/// Shares of the fall that were recovered: with less it ended low, with more nothing was lost.
const RECOVERED: std::ops::RangeInclusive<f64> = 0.25..=0.75;

/// A fall from the best level, and the return to a part of it. Levels are in the metric's own direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Collapse {
    /// Best level before the fall, and the step in its middle.
    pub peak: f64,
    pub peak_step: f64,
    /// Step at which the fall begins.
    pub onset: f64,
    /// Lowest level, and the step in its middle.
    pub low: f64,
    pub low_step: f64,
    /// Step from which on it is above the middle between the lowest level and that of the end.
    pub back_step: f64,
    /// Level at the end.
    pub last: f64,
    /// The fall in standard errors.
    pub size: f64,
}

/// The collapse of a signal that recovered in part; `None` where there was none, or it did not recover, or did wholly.
pub(crate) fn collapse(signal: &MetricSeries<'_>) -> Option<Collapse> {
    let sign = super::sign(signal)?;
    let count = signal.len();
    if count < MIN_POINTS {
        return None;
    }
    let half = count / LEVELS / 2;
    let levels: Vec<f64> = stats::running_mean(&signal.values, half).iter().map(|level| sign * level).collect();
    let (at, lowest, fall) = largest_fall(&levels)?;
    let (peak, low) = (*levels.get(at)?, *levels.get(lowest)?);
    let mean = |values: Option<&[f64]>| values.and_then(stats::mean).map(|mean| sign * mean);
    let first = mean(signal.values.get(..count / LEVELS))?;
    let last = mean(signal.values.get(count - count / LEVELS..))?;
    let size = fall / error_of_levels(&signal.values, half)?;
    let is_large = size >= MIN_SIZE && fall >= MIN_PART_OF_GAIN * (peak - first);
    if !is_large || !RECOVERED.contains(&((last - low) / fall)) {
        return None;
    }
    let returns = f64::midpoint(last, low);
    let back = levels.iter().skip(lowest).position(|level| *level >= returns)?;
    let others = [levels.get(..at), levels.get(lowest + back..)];
    let is_alone =
        others.into_iter().flatten().filter_map(largest_fall).all(|(_, _, other)| other <= LARGEST_OTHER * fall);
    (is_alone && lasts(&signal.map(|value| sign * value).values, lowest, half, returns)).then(|| Collapse {
        peak: sign * peak,
        peak_step: signal.step(at),
        onset: signal.step(onset::of_change(&signal.values, at, sign * peak, sign * low)),
        low: sign * low,
        low_step: signal.step(lowest),
        back_step: signal.step(lowest + back),
        last: sign * last,
        size,
    })
}

/// True where most points around a place lie below a line.
fn lasts(values: &[f64], place: usize, half: usize, line: f64) -> bool {
    let smooth = stats::running_mean(values, half / SMOOTHED);
    let around = smooth.get(place.saturating_sub(half)..(place + half + 1).min(smooth.len())).unwrap_or(&[]);
    let below = around.iter().filter(|value| **value < line).count();
    below as f64 >= MIN_SHARE_BELOW * around.len() as f64
}

/// Standard error of the difference of two levels, by the points around the running level, as far as these are independent.
fn error_of_levels(values: &[f64], half: usize) -> Option<f64> {
    let around = stats::running_residuals(values, half);
    let independent = stats::effective_size(&around) / around.len() as f64 * (2 * half + 1) as f64;
    Some(stats::std_dev(&around)? * (2.0 / independent.max(1.0)).sqrt()).filter(|error| *error > 0.0)
}

/// The places between which the levels fall most, and by how much.
fn largest_fall(levels: &[f64]) -> Option<(usize, usize, f64)> {
    let mut highest = (0, *levels.first()?);
    let mut largest: Option<(usize, usize, f64)> = None;
    for (place, level) in levels.iter().copied().enumerate() {
        // Of equal levels the later one: the fall begins behind it.
        if level >= highest.1 {
            highest = (place, level);
        } else if largest.is_none_or(|(.., fall)| highest.1 - level > fall) {
            largest = Some((highest.0, place, highest.1 - level));
        }
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::Series;
    use rundown_stats::testing::{ar1, white};
    use rundown_vocabulary::{Binding, Concept, Direction, Unit};

    fn of(values: Vec<f64>) -> Option<Collapse> {
        let binding = Binding::unscaled(Concept::Reward, "reward", Unit::Plain, Direction::Up);
        let steps = (0..values.len()).map(|step| step as f64).collect();
        collapse(&MetricSeries::new(&binding, Series::new(steps, values)))
    }

    fn noisy(level: impl Fn(f64) -> f64) -> Option<Collapse> {
        of(white(5, 500).iter().enumerate().map(|(at, noise)| level(at as f64) + 0.15 * noise).collect())
    }

    /// From 0.75 to 0.1 within 60 steps, and back by a share from step 330 on.
    fn fallen(back: f64) -> impl Fn(f64) -> f64 {
        move |at| {
            0.75 - 0.65 * ((at - 200.0) / 60.0).clamp(0.0, 1.0) + 0.65 * back * ((at - 330.0) / 60.0).clamp(0.0, 1.0)
        }
    }

    #[test]
    fn a_collapse_is_dated_with_its_return() {
        let found = noisy(fallen(0.6)).unwrap();
        assert!((0.65..0.9).contains(&found.peak) && (0.0..0.15).contains(&found.low), "{found:?}");
        assert!(found.peak_step < 215.0 && (250.0..345.0).contains(&found.low_step), "{found:?}");
        assert!((335.0..390.0).contains(&found.back_step), "{found:?}");
        assert!((0.43..0.55).contains(&found.last), "{found:?}");
    }

    #[test]
    fn what_recovers_stays_low_or_goes_on_rising_is_none() {
        assert!(noisy(fallen(1.0)).is_none() && noisy(fallen(0.1)).is_none());
        let short = |at: f64| if (200.0..215.0).contains(&at) { 0.0 } else { 0.8 - 0.2 * f64::from(at > 215.0) };
        assert!(noisy(short).is_none(), "15 of 500 steps");
        assert!(noisy(|at| 0.2 + 0.001 * at).is_none());
        assert!(of(vec![0.5; 500]).is_none() && of(vec![0.5; 20]).is_none());
    }

    #[test]
    fn correlated_noise_collapses_seldom() {
        for (correlation, most) in [(0.0, 0), (0.5, 0), (0.8, 0), (0.9, 5)] {
            let alarms = (0..200).filter(|seed| of(ar1(*seed, 500, correlation)).is_some()).count();
            assert!(alarms <= most, "{alarms} of 200 with {correlation}");
        }
    }
}
