//! The peak of a schedule that was not logged at every step: the setting itself, where the largest logged value is a point
//! on the way down from it.
//!
//! Between two rows a warm-up ends and a decay begins: what was set lies between the largest logged value and the line of
//! the decay, drawn back to the row before. People set round numbers, and one that lies there is taken for it.

use crate::measure::series::MetricSeries;

/// Most significant digits of a number that people set.
const DIGITS: i32 = 2;
/// Relative error of a value that went through a few multiplications.
const ROUNDING: f64 = 1e-6;

/// The peak of a schedule: the largest value where that is round, or where no round one may have been between its row and
/// the row before.
pub(crate) fn schedule_peak(rate: &MetricSeries<'_>) -> f64 {
    let largest = rate.max();
    let round = || round_between(largest, highest(rate)?);
    round().unwrap_or(largest)
}

/// The highest that the schedule may have been just before its largest logged value, on the line of the decay after it.
fn highest(rate: &MetricSeries<'_>) -> Option<f64> {
    let largest = rate.max();
    let place = rate.values.iter().rposition(|value| *value == largest)?;
    let (here, next) = (rate.steps.get(place)?, rate.steps.get(place + 1)?);
    let before = place.checked_sub(1).and_then(|before| rate.steps.get(before)).copied().unwrap_or(0.0);
    let slope = (largest - rate.values.get(place + 1)?) / (next - here);
    Some(largest + slope.max(0.0) * (here - before).max(0.0)).filter(|highest| highest.is_finite())
}

/// The number of fewest digits between two; `None` where it needs more than a few.
fn round_between(low: f64, high: f64) -> Option<f64> {
    if low.is_nan() || low <= 0.0 {
        return None;
    }
    let magnitude = libm::floor(libm::log10(low));
    let rounded_up = |digits: i32| {
        let unit = libm::pow(10.0, magnitude + 1.0 - f64::from(digits));
        libm::ceil(low * (1.0 - ROUNDING) / unit) * unit
    };
    // A value that is round stays: a rounder one above it would be another setting.
    let own = rounded_up(DIGITS);
    if own <= low * (1.0 + ROUNDING) {
        return Some(low);
    }
    (1..=DIGITS).map(rounded_up).find(|round| *round <= high * (1.0 + ROUNDING))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::Series;
    use rundown_vocabulary::{Binding, Concept, Direction, Unit};

    fn peak(every: usize, rate: impl Fn(f64) -> f64) -> f64 {
        let binding = Binding::unscaled(Concept::LearningRate, "learning_rate", Unit::Plain, Direction::Neutral);
        let steps: Vec<f64> = (every..=200).step_by(every).map(|step| step as f64).collect();
        let values = steps.iter().map(|step| rate(*step)).collect();
        schedule_peak(&MetricSeries::new(&binding, Series::new(steps, values)))
    }

    #[test]
    fn a_round_peak_between_two_rows_is_found() {
        let warm = |step: f64| 1e-4 * if step < 6.0 { step / 6.0 } else { 1.0 - (step - 6.0) / 190.0 };
        assert!((peak(5, warm) - 1e-4).abs() < 1e-12, "{}", peak(5, warm));
        let falling = |step: f64| 3e-6 * (1.0 - step / 200.0);
        assert!((peak(1, falling) - 3e-6).abs() < 1e-14, "{}", peak(1, falling));
    }

    #[test]
    fn what_was_logged_or_is_not_round_stays() {
        assert_eq!(peak(1, |_| 2.5e-5), 2.5e-5);
        assert_eq!(peak(50, |step| if step < 60.0 { 2.5e-5 } else { 2.5e-5 - 1e-8 * step }), 2.5e-5);
        assert_eq!(peak(1, |_| 1.234e-5), 1.234e-5);
        let odd = |step: f64| 1.234_567e-5 * (1.0 - step / 1e6);
        assert_eq!(peak(1, odd), odd(1.0));
        assert!(peak(300, |_| 1.0).is_nan(), "no points");
    }
}
