//! What ten to thirty points can show: a change far beyond their noise, or a level that all of them have.
//!
//! A trainer that logs every tenth step has 25 points after 250 steps, each of them the mean of many batches. Trends of so few
//! points are mostly noise, but a level that has changed by many times the noise is no trend, and neither is one that no point misses.

use crate::measure::growth::logs;
use crate::measure::level;
use crate::measure::series::MetricSeries;
use crate::measure::start_to_end::windows;
use rundown_vocabulary::Direction;

/// Fewest points that can show a change.
pub(crate) const MIN_POINTS: usize = 10;
/// By how many standard errors more than in many points a change of few must stand out.
pub(crate) const MARGIN: f64 = 0.5;

/// True where the last points differ from the first ones by more than `sure` standard errors and the margin of few points, of the
/// logarithms where all values are positive.
pub(crate) fn show_change(signal: &MetricSeries<'_>, sure: f64) -> bool {
    if signal.len() < MIN_POINTS {
        return false;
    }
    let (head, tail) = windows(signal.len(), false);
    let change = match logs(&signal.values) {
        Some(logs) => level::change(&logs, head, tail, 0.0),
        None => level::change(&signal.values, head, tail, signal.quantum() / 12.0_f64.sqrt()),
    };
    change.is_some_and(|change| change.deviate(change.delta()).abs() >= sure + MARGIN)
}

/// True where each of the points is at `line` or beyond it.
pub(crate) fn are_beyond(signal: &MetricSeries<'_>, wrong: Direction, line: f64) -> bool {
    let all = match wrong {
        Direction::Up => signal.min() >= line,
        _ => signal.max() <= line,
    };
    signal.len() >= MIN_POINTS && all
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::Series;
    use rundown_stats::testing::white;
    use rundown_vocabulary::{Binding, Concept, Unit};

    fn shows(values: Vec<f64>) -> bool {
        let binding = Binding::unscaled(Concept::Entropy, "entropy", Unit::Plain, Direction::Neutral);
        let steps = (0..values.len()).map(|step| step as f64).collect();
        show_change(&MetricSeries::new(&binding, Series::new(steps, values)), 3.0)
    }

    #[test]
    fn a_change_beyond_the_noise_shows_in_ten_points_and_noise_does_not() {
        let falling = |points: usize| (0..points).map(|step| libm::exp(-4.0 * step as f64 / points as f64)).collect();
        assert!(shows(falling(10)) && shows(falling(25)));
        assert!(!shows(falling(9)));
        let late =
            |draws: Vec<f64>| draws.iter().enumerate().map(|(at, draw)| f64::from(at > 11) + 0.1 * draw).collect();
        assert!(shows(late(white(5, 20))));
        let by_chance = (0..200).filter(|seed| shows(white(*seed, 15))).count();
        assert!(by_chance <= 2, "{by_chance} of 200");
    }
}
