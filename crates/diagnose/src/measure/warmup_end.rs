//! Where the warm-up of a learning rate ends.

use crate::measure::series::MetricSeries;

/// Part of the rates after it that a rate must have to be no lower than they are.
const NEARLY: f64 = 0.99;

/// Step from which the learning rate rises no further for `lasting` points, or from which it is near its largest value where it
/// always does. A rate that rises again much later, by a restart or another setting, is no warm-up.
pub(crate) fn warmup_end(rate: &MetricSeries<'_>, lasting: usize) -> Option<f64> {
    let peak = rate.max();
    let ends_at = |index: usize, value: f64| {
        let next = rate.values.get(index + 1..=index + lasting);
        let is_lasting = next.is_some_and(|next| next.iter().all(|next| value >= NEARLY * next));
        value > 0.0 && (value >= NEARLY * peak || is_lasting)
    };
    let index = rate.values.iter().enumerate().position(|(index, value)| ends_at(index, *value))?;
    Some(rate.step(index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::Series;
    use rundown_vocabulary::{Binding, Concept, Direction, Unit};

    fn end(rate: impl Fn(u32) -> f64) -> Option<f64> {
        let binding = Binding::unscaled(Concept::LearningRate, "learning_rate", Unit::Plain, Direction::Neutral);
        let steps: Vec<u32> = (0..500).collect();
        let values = steps.iter().map(|step| rate(*step)).collect();
        let steps = steps.into_iter().map(f64::from).collect();
        warmup_end(&MetricSeries::new(&binding, Series::new(steps, values)), 20)
    }

    #[test]
    fn it_ends_where_the_rate_first_stops_rising() {
        assert_eq!(end(|step| f64::from(step.min(50)) * 1e-7), Some(50.0));
        assert_eq!(end(|step| 1e-5 - 1e-8 * f64::from(step)), Some(0.0), "it falls from the start");
        assert_eq!(end(|step| f64::from(step) * 1e-7), Some(495.0), "it rises to the end");
        assert_eq!(end(|_| 0.0), None);
        assert_eq!(end(|step| if step < 30 { 0.0 } else { 1e-6 }), Some(30.0), "the policy waits for its critic");
        assert_eq!(end(|step| f64::from((step / 10).min(8)) * 1e-6), Some(80.0), "it rises every tenth step");
    }

    #[test]
    fn a_rate_that_rises_again_later_is_no_warm_up() {
        assert_eq!(end(|step| if step < 485 { 1e-6 } else { 1.5e-6 }), Some(0.0));
        let restarts = |step: u32| (1e-6 + 1e-8 * f64::from(step)) * (1.0 - f64::from(step % 100) / 100.0);
        assert_eq!(end(restarts), Some(0.0));
    }
}
