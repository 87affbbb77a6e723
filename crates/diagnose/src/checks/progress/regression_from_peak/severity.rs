//! How bad it is that a metric fell from its best level: what was lost, and whether anything is left.

use super::is_short;
use crate::context::Context;
use crate::measure::noise::noise;
use crate::measure::series::MetricSeries;
use crate::measure::start_to_end::noise_floor;
use crate::measure::task_count::sampling_error;
use crate::topics::drop_from_peak::DropFromPeak;
use crate::{LearningState, Rulebook, Severity};
use rundown_vocabulary::Unit;

/// Part of its start below which a share is as good as gone, and the lowest start of which that is a loss: from 0.1 it is less than two
/// in a thousand. Ours.
const GONE: f64 = 0.02;
const LEAST_START: f64 = 0.1;
/// One in so many of the points, the last ones, has to be gone, and the fewest of them.
const GONE_PARTS: usize = 3;
const GONE_POINTS: usize = 5;
/// Evaluations in a row up to the end that make a score of 0 no accident. Ours.
const ZEROS: usize = 5;
/// Part of the start below which most of what the initial model could do is lost, and by how many standard errors of an evaluation
/// it must be. Ours: far beyond what other tasks, or another seed, make of the same policy.
const RUINED: f64 = 0.5;
const RUINED_ERRORS: f64 = 10.0;
/// Part of the best level below which the last evaluations solve hardly any task, and their distance from that level in standard
/// errors, less what luck added to the best. Ours: what the initial model solved may have been too little to lose.
const COLLAPSED: f64 = 0.1;
const COLLAPSED_ERRORS: f64 = 5.0;
/// Points before the last two that tell how much a point scatters. Ours.
const POINTS_OF_NOISE: usize = 8;
/// Part of the best level that the first of two last points must have lost, too, for a fall that goes on. Ours: of a score that always
/// was 1, any other value is far beyond its noise.
const PART_LOST: f64 = 0.25;
/// Its distance from the best level in standard deviations of a point. Ours.
const FAR_DEVIATIONS: f64 = 10.0;

/// `None` for a fall that is no finding.
pub(super) fn severity(context: &Context<'_>, signal: &MetricSeries<'_>, fall: &DropFromPeak) -> Option<Severity> {
    let book = context.rulebook;
    let is_score = signal.is_score();
    let is_nearly_nothing_left = || is_score && (has_collapsed(signal, fall, book) || is_collapsing(signal, fall));
    if context.learning.state == LearningState::Declined {
        let is_lost = is_nearly_nothing_left() || is_score && (is_gone(signal, fall) || is_ruined(signal, fall));
        return Some(if is_lost { Severity::Critical } else { Severity::Warning });
    }
    let small = signal.binding.unit == Unit::Share && fall.lost() < book.learning_share().value;
    if is_short(context, signal) || small || !fall.is_sure(signal, book) {
        return None;
    }
    let matters = fall.share_of_gain() >= book.regression_lost().value;
    let severity = if is_nearly_nothing_left() { Severity::Critical } else { Severity::Warning };
    Some(if matters { severity } else { Severity::Note })
}

/// True for a score that is still falling as the run ends, and already to where hardly anything is left of it. One that is lost from
/// one point to the next may be a failure of the evaluation.
fn is_collapsing(signal: &MetricSeries<'_>, fall: &DropFromPeak) -> bool {
    let Some((before, &[next, last])) = signal.values.split_last_chunk::<2>() else { return false };
    let is_far = |value: f64| {
        let lost = fall.peak - value;
        lost >= PART_LOST * fall.peak && lost >= FAR_DEVIATIONS * noise(before).max(noise_floor(signal))
    };
    before.len() >= POINTS_OF_NOISE && last < next && last < COLLAPSED * fall.peak && is_far(next)
}

/// True for held-out tasks that the policy solved at its best and hardly solves any more.
fn has_collapsed(signal: &MetricSeries<'_>, fall: &DropFromPeak, book: &Rulebook) -> bool {
    let hardly_solves = signal.repeats_tasks() && ends_with(signal, ZEROS, |value| value < COLLAPSED * fall.peak);
    hardly_solves && fall.deviate(signal, book) >= COLLAPSED_ERRORS
}

/// True for a score of a policy that solves hardly anything any more: held-out tasks score 0 to the end, or less than half of what
/// the initial model scored, where the number of tasks is known.
fn is_ruined(signal: &MetricSeries<'_>, fall: &DropFromPeak) -> bool {
    let is_zero = ends_with(signal, ZEROS, |value| value == 0.0);
    let is_far = |error: f64| fall.first - fall.last >= RUINED_ERRORS * error;
    signal.repeats_tasks() && (is_zero || fall.last < RUINED * fall.first && sampling_error(signal).is_some_and(is_far))
}

/// True for a score of which nothing is left at the end.
fn is_gone(signal: &MetricSeries<'_>, fall: &DropFromPeak) -> bool {
    let count = (signal.len() / GONE_PARTS).max(GONE_POINTS);
    fall.first >= LEAST_START && ends_with(signal, count, |value| value < GONE * fall.first)
}

/// True where so many points at the end of a signal are all such; false where it has fewer.
fn ends_with(signal: &MetricSeries<'_>, count: usize, is_such: impl Fn(f64) -> bool) -> bool {
    let last = signal.len().checked_sub(count).and_then(|from| signal.values.get(from..));
    last.is_some_and(|last| last.iter().all(|value| is_such(*value)))
}

#[cfg(test)]
mod tests {
    use super::super::CHECK;
    use super::*;
    use crate::checks::testing::Synthetic;
    use crate::topics::drop_from_peak::drop_from_peak;
    use rundown_run::Series;
    use rundown_vocabulary::{Binding, Concept, Direction};

    #[test]
    fn a_share_of_which_nothing_is_left_is_critical_however_short_the_run() {
        let fallen = |low: f64| {
            let values = [0.56, 0.55, 0.5, 0.45, 0.46, 0.33, 0.14, 0.09, 0.04, 0.02];
            let level = move |t: f64| values.get((15.0 * t).round() as usize).copied().unwrap_or(low);
            Synthetic::new(15).every("train/reward", 1, level).finding(&CHECK).severity
        };
        assert_eq!((fallen(0.0), fallen(0.03)), (Severity::Critical, Severity::Warning));
    }

    #[test]
    fn a_policy_that_solves_hardly_anything_any_more_is_lost() {
        let severity = |end: u32| {
            // Numbers of which 1,000 is the only common denominator.
            let right = move |t: f64| if t < 0.5 { 401.0 + 397.0 * t } else { f64::from(end) };
            Synthetic::healthy(400)
                .every("eval/accuracy", 10, move |t| right(t).round() / 1000.0)
                .finding(&CHECK)
                .severity
        };
        assert_eq!([0, 100, 300].map(severity), [Severity::Critical, Severity::Critical, Severity::Warning]);
    }

    #[test]
    fn tasks_that_were_solved_at_the_best_and_no_more_are_lost_whatever_the_first_evaluation_was() {
        let severity = |end: f64| {
            let right = [15.0, 12.0, 22.0, 46.0, 44.0, 51.0, 37.0, 44.0, 51.0, 30.0, 10.0, 2.0];
            let level = move |t: f64| right.get((t * 20.1).round() as usize).copied().unwrap_or(end) / 960.0;
            Synthetic::healthy(201).every("eval/accuracy", 10, level).finding(&CHECK).severity
        };
        assert_eq!([0.0, 1.0, 8.0].map(severity), [Severity::Critical, Severity::Critical, Severity::Warning]);
    }

    #[test]
    fn a_score_that_is_still_falling_to_nothing_at_the_end_is_lost() {
        let severity = |end: [f64; 2]| {
            let scores =
                [0.90, 0.88, 0.92, 0.99, 0.99, 0.93, 0.97, 0.96, 0.95, 0.92, 0.98, 0.94, 0.98, 0.98, 1.0, 0.95];
            let scores = [&scores[..], &end].concat();
            let run = Synthetic::new(18).every("acc", 1, move |t| scores[(t * 18.0).round() as usize]);
            run.finding(&CHECK).severity
        };
        assert_eq!(severity([0.57, 0.0]), Severity::Critical);
        assert_eq!(severity([0.57, 0.2]), Severity::Warning);
    }

    #[test]
    fn a_score_that_never_scattered_is_not_falling_for_one_point_hardly_below_the_others() {
        let binding = Binding::unscaled(Concept::Evaluation, "acc", Unit::Share, Direction::Up);
        let is_falling = |end: [f64; 2]| {
            let values = [&[1.0; 16][..], &end].concat();
            let steps = (0..values.len()).map(|step| step as f64).collect();
            let signal = MetricSeries::new(&binding, Series::new(steps, values));
            is_collapsing(&signal, &drop_from_peak(&signal).unwrap())
        };
        assert_eq!([[0.99, 0.0], [0.57, 0.0]].map(is_falling), [false, true]);
    }
}
