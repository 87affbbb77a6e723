//! How many tasks an evaluation has, and how uncertain that makes it.
//!
//! Few runs log it, but the values show it: 0.484375 and 0.5625 are multiples of 1/64.

use crate::measure::series::MetricSeries;
use rundown_stats::{self as stats, common_denominator};
use rundown_vocabulary::Unit;

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
    use rundown_vocabulary::{Binding, Concept, Direction};

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
