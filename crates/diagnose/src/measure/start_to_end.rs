//! The change of a metric from its start to its end: which points make the two levels, and how precise a point can be.

use crate::measure::level::{LevelChange, change_of};
use crate::measure::series::MetricSeries;
use crate::measure::task_count::{least_error_of_change, sampling_error};
use crate::measure::window_noise::{are_alike, error_of_levels};
use rundown_vocabulary::Unit;

/// Evaluations whose scatter is known to a fifth.
const ENOUGH_EVALUATIONS: usize = 20;
/// A log that begins by this step, or within so many logging intervals, begins with the run.
pub(crate) const FIRST_STEPS: f64 = 5.0;
pub(crate) const FIRST_INTERVALS: f64 = 2.0;
/// Coarsest resolution of a share: of an evaluation with 25 tasks.
const COARSEST: f64 = 0.04;

/// Points at the start and the end that make a level.
///
/// A policy learns fastest at the start, so the first level is short: the first evaluation is that of the model as
/// it was, and 2 % of many. Rewards of a batch are noisier and more numerous: 10 %.
pub(crate) fn windows(points: usize, evaluated: bool) -> (usize, usize) {
    match (points, evaluated) {
        (0..=1, _) => (0, 0),
        (2..=4, _) => (1, 1),
        (5..=9, _) => (1, 2),
        (_, true) => ((points / 50).max(1), (points / 5).max(2)),
        (_, false) => ((points / 10).max(3), (points / 5).max(3)),
    }
}

/// True where the first point is of the first steps of the run, as far as the interval of the log tells.
pub(crate) fn begins_with_run(signal: &MetricSeries<'_>) -> bool {
    begins_by(signal, FIRST_STEPS)
}

/// True where the first point is at this step or before, or within two logging intervals of the start. Of counted rows that begin
/// in the middle of the training the first is not.
pub(crate) fn begins_by(signal: &MetricSeries<'_>, steps: f64) -> bool {
    begins_within(signal, steps, FIRST_INTERVALS)
}

/// The same for another number of logging intervals.
pub(crate) fn begins_within(signal: &MetricSeries<'_>, steps: f64, intervals: f64) -> bool {
    let first = signal.step(0);
    !signal.begins_late() && first <= steps.max(intervals * (signal.step(1) - first))
}

/// The change of a signal from its start to its end, with its noise.
///
/// Where many values are alike, its error is no less than what the scatter within the two levels says. A policy that hardly moves
/// answers the same tasks in the same way: its evaluations scatter little, and their tasks are still only a sample.
pub(crate) fn signal_change(signal: &MetricSeries<'_>) -> Option<LevelChange> {
    let (head, tail) = windows(signal.len(), signal.repeats_tasks());
    let change = change_of(signal, head, tail, noise_floor(signal))?;
    let values = signal.without_extremes().unwrap_or(&signal.values);
    // Of so few points the scatter within a level is known roughly: where values differ, their neighbours tell more.
    let within = error_of_levels(values, head, tail).filter(|within| *within > change.error && are_alike(values));
    let change = LevelChange { error: within.unwrap_or(change.error), ..change };
    let least = least_error_of_change(signal, change.delta());
    let is_known = least > change.error;
    Some(if is_known { LevelChange { error: least, noise_points: f64::INFINITY, ..change } } else { change })
}

/// Least standard deviation that a point of a signal can have: of sampling its tasks, or of printing it.
pub(crate) fn noise_floor(signal: &MetricSeries<'_>) -> f64 {
    let evaluated = signal.repeats_tasks();
    // With many evaluations their own scatter is known well enough; the same tasks are asked each time, so the
    // binomial error is the larger of the two and would hide real change.
    let sampled = evaluated && signal.len() < ENOUGH_EVALUATIONS;
    let sampling = if sampled { sampling_error(signal).unwrap_or(0.0) } else { 0.0 };
    // A value that was printed with few digits is known to half a digit: the deviation of a uniform error. Of a share
    // that takes few values the gap between two of them is no resolution.
    let quantum = match (signal.printed_quantum, signal.binding.unit) {
        (None, Unit::Share) => signal.quantum().min(COARSEST),
        _ => signal.quantum(),
    };
    sampling.max(quantum / 12.0_f64.sqrt())
}
