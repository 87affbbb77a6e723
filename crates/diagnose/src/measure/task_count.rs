//! How many tasks an evaluation has, and how uncertain that makes it.
//!
//! Few runs log it (`eval/num_examples`), but the values show it: 0.484375 and 0.5625 are multiples of 1/64.

use crate::measure::series::MetricSeries;
use rundown_run::Run;
use rundown_stats::{self as stats, common_denominator};
use rundown_vocabulary::Unit;

/// What the number of tasks is called beside an evaluation. `num_samples` is also how often each task is answered.
const COUNTS: [&str; 10] = [
    "num_examples", "n_examples", "num_tasks", "n_tasks", "num_problems", "n_problems", "num_questions", "n_questions",
    "num_scored", "n_scored",
];
/// More tasks than any evaluation has: such a number counts something else.
const MAX_TASKS: f64 = 1e6;

/// The number of tasks that a run logs beside an evaluation, under the same prefix: `eval/num_examples` beside `eval/accuracy`. One
/// that changes counts what was done so far.
pub(crate) fn logged_tasks(run: &Run, key: &str) -> Option<u32> {
    let (prefix, separator) = match (key.rsplit_once('/'), key.split_once('_')) {
        (Some((prefix, _)), _) => (prefix, '/'),
        (None, Some((prefix, _))) => (prefix, '_'),
        (None, None) => return None,
    };
    let counts = COUNTS.iter().filter_map(|name| Some(run.series(&format!("{prefix}{separator}{name}"))?.finite()));
    let constant = counts.filter_map(|series| {
        let first = series.values.first().copied()?;
        series.values.iter().all(|value| *value == first).then_some(first)
    });
    let mut whole = constant.filter(|count| count.fract() == 0.0 && (2.0..=MAX_TASKS).contains(count));
    whole.next().map(|count| count as u32)
}

/// `known` tasks, or a hundred or a thousand where all values are multiples of that share. They may also be printed with so
/// few digits; that they are that uncertain is the more careful reading.
fn sampled_tasks(values: &[f64], known: Option<u32>) -> Option<u32> {
    let fits = |count: &u32| {
        let whole = |value: &f64| (value * f64::from(*count) - (value * f64::from(*count)).round()).abs() < 1e-6;
        values.iter().all(whole)
    };
    known.or_else(|| [100, 1000].into_iter().find(fits))
}

/// Standard error of one evaluation by its tasks, in its own unit: of a share, or of a mean of scores of -1 and 1.
/// `None` for other measures, and where the values do not show the number of tasks.
pub(crate) fn sampling_error(signal: &MetricSeries<'_>) -> Option<f64> {
    let of = |shares: &[f64], known| Some(binomial_error(stats::mean(shares)?, sampled_tasks(shares, known)?));
    if signal.binding.unit == Unit::Share {
        return of(&signal.values, signal.tasks());
    }
    if signal.min() < -1.0 || signal.min() >= 0.0 || signal.max() > 1.0 {
        return None;
    }
    let shares: Vec<f64> = signal.values.iter().map(|value| f64::midpoint(*value, 1.0)).collect();
    of(&shares, common_denominator(&shares)).map(|error| 2.0 * error)
}

/// Least standard error of a change of an evaluation that scatters by less than other tasks each time would make it: the tasks are the
/// same then, and as many responses changed as the two levels differ by, all in one direction (McNemar 1947).
///
/// 0 for an evaluation that scatters by more, for other measures, and where the values do not show the number of tasks.
pub(crate) fn least_error_of_change(signal: &MetricSeries<'_>, change: f64) -> f64 {
    let is_evaluation = signal.repeats_tasks() && signal.binding.unit == Unit::Share;
    let tasks = sampled_tasks(&signal.values, signal.tasks()).filter(|_| is_evaluation);
    let (Some(tasks), Some(sampling)) = (tasks, sampling_error(signal)) else { return 0.0 };
    if signal.noise().point >= sampling {
        return 0.0;
    }
    let changed = change.abs();
    (changed * (1.0 - changed) / f64::from(tasks.max(1))).max(0.0).sqrt()
}

/// The largest normal deviate that a change by so many tasks can have; infinite where [`least_error_of_change`] is 0.
pub(crate) fn largest_deviate(signal: &MetricSeries<'_>, change: f64) -> f64 {
    let least = least_error_of_change(signal, change);
    if least > 0.0 { change.abs() / least } else { f64::INFINITY }
}

/// Standard error of a share measured on `tasks` independent tasks (Wilson centre, so never 0).
fn binomial_error(share: f64, tasks: u32) -> f64 {
    let n = f64::from(tasks.max(1));
    let centre = (share * n + 2.0) / (n + 4.0);
    (centre * (1.0 - centre) / n).max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::Series;
    use rundown_vocabulary::Concept;
    use rundown_vocabulary::{Binding, Direction};

    #[test]
    fn tasks_that_changed_in_one_direction_are_the_least_error_of_a_change() {
        let binding = Binding::unscaled(Concept::Evaluation, "eval/accuracy", Unit::Share, Direction::Up);
        let values = [31.0, 32.0, 35.0, 37.0].map(|right| right / 64.0).to_vec();
        let signal = MetricSeries::new(&binding, Series::new(vec![1.0, 2.0, 3.0, 4.0], values));
        // Five of 64 tasks: 5 / sqrt(5) standard errors, but for the tasks that did not change.
        let error = least_error_of_change(&signal, 5.0 / 64.0);
        assert!((5.0 / 64.0 / error - 5.0_f64.sqrt()).abs() < 0.1, "{error}");
        assert_eq!(least_error_of_change(&signal, 0.0), 0.0);
        assert!(largest_deviate(&signal, 5.0 / 64.0) < 2.4 && largest_deviate(&signal, 0.0).is_infinite());
    }

    #[test]
    fn scores_of_minus_one_and_one_have_twice_the_error_of_their_share() {
        let error = |unit: Unit, values: [f64; 4]| {
            let binding = Binding::unscaled(Concept::Evaluation, "val/reward", unit, Direction::Up);
            sampling_error(&MetricSeries::new(&binding, Series::new(vec![1.0, 2.0, 3.0, 4.0], values.to_vec())))
        };
        let share = error(Unit::Share, [0.25, 0.5, 0.375, 0.625]).unwrap();
        let score = error(Unit::Plain, [-0.5, 0.0, -0.25, 0.25]).unwrap();
        assert!((score - 2.0 * share).abs() < 1e-12 && share > 0.1, "{share} {score}");
        assert_eq!(error(Unit::Plain, [0.25, 3.0, 1.5, 2.0]), None);
    }
}
