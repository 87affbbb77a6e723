//! How the primary metric moved, in standard errors: rises, falls and trends that a lucky first evaluation does not
//! make, and the gain that the data leave possible.

use crate::Rulebook;
use crate::measure::Z_95;
use crate::measure::level::{self, LevelChange, change};
use crate::measure::noise::Noise;
use crate::measure::prefix_lengths;
use crate::measure::series::MetricSeries;
use crate::measure::start_to_end::{noise_floor, windows};
use crate::measure::task_count::{largest_deviate, least_error_of_change, sampling_error};
use crate::signals::Signals;
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Direction, Unit};

/// First points that do not all lie high or low by luck, and how much more than from them the change may be from fewer.
const FIRST_POINTS: usize = 3;
const LUCK: f64 = 1.0;
/// Standard deviations of a point above the second best of the first points from which on the best one is luck: where most
/// samples are 0, the noise does not show how far off rare successes lie.
const OUTLIER: f64 = 4.0;
/// A change of so many standard errors is no luck of the first points: a policy that learns the format does so before its
/// second evaluation. Twice what a sure change takes.
const BEYOND_LUCK: f64 = 6.0;

/// Share of the tasks that are still to be learned from which on a gain is held against its own size alone.
const AMPLE: f64 = 0.4;
/// How many points there are to each value of a metric that takes few.
const FEW_VALUES: usize = 10;
/// Part of its start that a reward between 0 and 1 gains, so that it matters however noisy its points are.
const PART_OF_START: f64 = 0.5;

/// The least change between the two levels that is sure by its standard error. NaN where noise does not decide: there is none, or
/// so small a change would not matter anyway.
pub(super) fn detectable(book: &Rulebook, change: &LevelChange, is_share: bool) -> f64 {
    let least_share = if is_share { book.learning_share().value } else { 0.0 };
    let that_matters = least_share.max(book.learning_effect().value * change.sigma);
    let sure = book.learning_z().value * change.error;
    if sure > 0.0 && sure >= that_matters { sure } else { f64::NAN }
}

/// How far the end lies above the start, in standard errors.
///
/// A start of one or two evaluations may be unlucky: those after it then lie where the end does, and count as well.
pub(super) fn gain_z(signal: &MetricSeries<'_>, change: &LevelChange, sign: f64) -> f64 {
    let gain = sign * change.z();
    let floor = noise_floor(signal);
    if let Some(apart) = start_apart(&signal.values, change, floor) {
        return gain.max(sign * apart);
    }
    let wider = wider_start(&signal.values, change, floor);
    wider.map_or(gain, |wider| gain.min(LUCK + sign * wider.z()))
}

/// How far the end lies below the start, as a normal deviate.
///
/// A start of one or two evaluations may be lucky: those after it then lie where the end does, and count as well.
pub(super) fn fall(values: &[f64], change: &LevelChange, sign: f64, floor: f64) -> f64 {
    let fall = -sign * change.deviate(change.delta());
    if let Some(apart) = start_apart(values, change, floor) {
        return fall.max(-sign * apart);
    }
    let wider = wider_start(values, change, floor);
    let fall = wider.map_or(fall, |wider| fall.min(LUCK - sign * wider.deviate(wider.delta())));
    without_lucky_point(values, change, sign).map_or(fall, |without| fall.min(without))
}

/// How far the end lies below the start without its best point, as a normal deviate, where that one stands apart from the second
/// best and is not the first: what falls at once was high from its first point on, and the last of a quick rise is not far from the
/// one before.
fn without_lucky_point(values: &[f64], change: &LevelChange, sign: f64) -> Option<f64> {
    let start = values.get(..change.points.0).filter(|start| start.len() >= FIRST_POINTS)?;
    let levels = stats::ascending(start.iter().map(|value| sign * value));
    let [.., second, best] = levels.as_slice() else { return None };
    let others = (levels.iter().sum::<f64>() - best) / (levels.len() - 1) as f64;
    let is_first = start.first().is_some_and(|first| sign * first >= *best);
    let is_lucky = !is_first && best - second > OUTLIER * change.sigma;
    is_lucky.then(|| change.deviate(others - sign * change.last))
}

/// How far all evaluations after the first level lie above it, as a normal deviate.
///
/// The policy of the first one has not been trained: of its noise only the sampling of its tasks remains, where their number
/// is known. 0 where there are no others.
pub(super) fn rest_above_start(evaluation: &MetricSeries<'_>, change: &LevelChange) -> f64 {
    let (head, _) = change.points;
    let others = evaluation.len().saturating_sub(head);
    let Some(rest) = level::change(&evaluation.values, head, others, noise_floor(evaluation)) else { return 0.0 };
    let first = sampling_error(evaluation).map_or(rest.sigma, |sampling| sampling.min(rest.sigma));
    let error = libm::hypot(first / (head as f64).sqrt(), rest.sigma / (others as f64).sqrt());
    let error = error.max(least_error_of_change(evaluation, rest.delta()));
    LevelChange { error, ..rest }.deviate(rest.delta())
}

/// The trend over the whole run as a normal deviate, upwards where the measure gets better.
pub(super) fn trend(signal: &MetricSeries<'_>, sign: f64) -> f64 {
    stats::mann_kendall_corrected(&signal.values).map_or(0.0, |z| sign * z)
}

/// The trend of the points after the first level, as a normal deviate: a lucky start makes the whole curve fall.
pub(super) fn trend_after_start(values: &[f64], change: &LevelChange, sign: f64) -> f64 {
    let (head, _) = change.points;
    let after = values.get(head..).unwrap_or(&[]);
    stats::mann_kendall_corrected(after).map_or(0.0, |z| sign * z)
}

/// True where a gain that shows in the plain curve is ruled out.
pub(crate) fn gain_is_ruled_out(signals: &Signals<'_>, signal: &MetricSeries<'_>, change: &LevelChange) -> bool {
    largest_gain(&signal.values, change, signal.binding.direction.sign()) < missed_gain(signals, signal, change)
}

/// The smallest gain that shows in the plain curve.
pub(super) fn missed_gain(signals: &Signals<'_>, signal: &MetricSeries<'_>, change: &LevelChange) -> f64 {
    let book = signals.rulebook;
    // An evaluation that always was between 0 and 1 has the scale of a share.
    let scored = signal.binding.concept == Concept::Evaluation && signal.is_between_zero_and_one();
    let missed = if signal.binding.unit == Unit::Share || scored {
        // Near the ceiling a smaller gain is most of what there is to gain.
        let room = if signal.binding.direction == Direction::Down { 1.0 } else { 1.0 - change.first };
        book.learning_missed_share().value * (room / AMPLE).min(1.0)
    } else {
        let shows = book.learning_missed().value * change.sigma;
        // Near its floor a reward may double within the noise of a point.
        let scored = signal.is_score();
        let of_start = (PART_OF_START * change.first).max(book.learning_share().value);
        if scored { shows.min(of_start) } else { shows }
    };
    missed.max(f64::MIN_POSITIVE)
}

/// The largest gain that the data leave possible, by levels or by the line through all points, whichever says less:
/// the first knows fast starts, the second has all points to go by.
pub(crate) fn largest_gain(values: &[f64], change: &LevelChange, sign: f64) -> f64 {
    let gain = sign * change.delta();
    let by_levels = gain + Z_95 * change.error;
    let places: Vec<f64> = (0..values.len()).map(|place| place as f64).collect();
    let Some((slope, margin)) = line(&places, values, sign) else { return by_levels };
    let residuals: Vec<f64> = places.iter().zip(values).map(|(place, value)| value - slope * place).collect();
    let span = places.last().copied().unwrap_or(0.0);
    let widened = (values.len() as f64 / stats::effective_size(&residuals).max(1.0)).max(1.0).sqrt();
    // A line misses a start that was fast and then level: what the levels show is possible.
    by_levels.min(gain.max(span * (sign * slope + widened * margin)))
}

/// The slope of the line through all points, and by how much it may be larger in the direction of `sign`.
///
/// By Theil and Sen; of points that take few values by least squares: most pairs of them are equal then, and the median
/// of all slopes is zero whatever their mean does.
fn line(places: &[f64], values: &[f64], sign: f64) -> Option<(f64, f64)> {
    let mut different = stats::ascending(values.iter().copied());
    different.dedup();
    if FEW_VALUES * different.len() <= values.len() {
        let line = stats::least_squares(places, values)?;
        let freedom = (values.len() as f64 - 2.0).max(1.0);
        return Some((line.slope, Z_95 * (line.sse / freedom / line.xx).sqrt()));
    }
    let line = stats::theil_sen(places, values)?;
    Some((line.slope, if sign > 0.0 { line.high - line.slope } else { line.slope - line.low }))
}

/// True when the measure had moved beyond doubt in the direction of `sign` at some time before: a decline is one until it is
/// back near its start, and a gain that is gone was one.
pub(super) fn had_moved(signals: &Signals<'_>, signal: &MetricSeries<'_>, sign: f64, least: usize) -> bool {
    // Of so many looks the furthest is this far off by chance.
    let looks = prefix_lengths::lengths(signal.len(), least).count();
    let sure = libm::hypot(signals.rulebook.learning_z().value, stats::excess_of_best(1.0, looks as f64));
    let evaluated = signal.repeats_tasks();
    let floor = noise_floor(signal);
    let moved = |length: usize| {
        let (head, tail) = windows(length, evaluated);
        let values = signal.values.get(..length)?;
        let change = change(values, head, tail, floor)?;
        Some(fall(values, &change, -sign, floor) >= sure && largest_deviate(signal, change.delta()) >= sure)
    };
    prefix_lengths::lengths(signal.len(), least).any(|length| moved(length) == Some(true))
}

/// True when the best level that lasted was well above the start, and most of that gain is gone at the end.
pub(super) fn lost_again(signal: &MetricSeries<'_>, change: &LevelChange, sign: f64, sure: f64, lost: f64) -> bool {
    let Some(peak) = best_level(signal, change, sign) else { return false };
    let (first, last) = (sign * change.first, sign * change.last);
    let gain = peak - first;
    let fall = peak - last;
    // The peak was picked from many levels, so it has to stand out by more than one that was not.
    gain > 0.0
        && fall >= lost * gain
        && change.deviate(gain) >= sure
        && change.deviate(fall) >= sure + 1.0
        && largest_deviate(signal, gain.min(fall)) >= sure
}

/// True where the last level is below the best one by more than their noise: what had been gained is gone. The best of
/// equal levels is better by luck, which is taken off: by the error of one level, where that of the change is of two.
pub(super) fn ends_below_best(signal: &MetricSeries<'_>, change: &LevelChange, sign: f64) -> bool {
    let looks = signal.len() as f64 / change.points.1.max(1) as f64;
    let luck = stats::excess_of_best(change.error, looks) / std::f64::consts::SQRT_2;
    best_level(signal, change, sign).is_some_and(|best| best - sign * change.last >= luck + change.error)
}

/// The best level, upwards where the measure gets better.
fn best_level(signal: &MetricSeries<'_>, change: &LevelChange, sign: f64) -> Option<f64> {
    let (_, tail) = change.points;
    let levels = stats::running_mean(&signal.values, tail.div_ceil(2).max(2));
    levels.iter().map(|value| sign * value).reduce(f64::max)
}

/// The change from the first few points where the start is fewer.
fn wider_start(values: &[f64], change: &LevelChange, floor: f64) -> Option<LevelChange> {
    let (head, tail) = change.points;
    (head < FIRST_POINTS).then(|| level::change(values, FIRST_POINTS, tail, floor)).flatten()
}

/// The change as a normal deviate, where it is far beyond the noise of the points after a start that is few points: the
/// jump from the start is no part of that noise. `None` where the noise is estimated from these few points alone.
fn start_apart(values: &[f64], change: &LevelChange, floor: f64) -> Option<f64> {
    let (head, _) = change.points;
    let after = values.get(head..).filter(|_| head < FIRST_POINTS && floor > 0.0)?;
    let apart = Noise::of(after).change((change.first, change.last), change.points, floor);
    let deviate = apart.deviate(apart.delta());
    (deviate.abs() >= BEYOND_LUCK).then_some(deviate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_a_quick_rise_is_no_lucky_point() {
        let is_lucky = |start: [f64; 4]| {
            let values: Vec<f64> = start.into_iter().chain([0.1; 16]).collect();
            let change = LevelChange { sigma: 0.02, ..change(&values, 4, 4, 0.02).unwrap() };
            without_lucky_point(&values, &change, 1.0).is_some()
        };
        assert!(is_lucky([0.1, 0.12, 0.45, 0.1]));
        assert!(!is_lucky([0.45, 0.1, 0.12, 0.1]), "what falls at once was high from its first point on");
        assert!(!is_lucky([0.1, 0.17, 0.24, 0.31]), "a rise");
    }
}
