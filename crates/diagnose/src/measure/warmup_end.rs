//! Where the warm-up of a learning rate ends.

use crate::measure::series::MetricSeries;

/// Part of the rates after it that a rate must have to be no lower than they are.
const NEARLY: f64 = 0.99;

/// A level that lasts for less than one part in so many of the log may be a tread of a staircase, as where a row is logged for each
/// micro-batch of an optimiser step. Ours.
const PARTS: usize = 10;

/// Step from which the learning rate rises no further for long: `lasting` points, a part of the log, and as many as led up to it. Or
/// from which it is near its largest value, where it always rises. A rate that rises again much later, by a restart or another
/// setting, is no warm-up.
pub(crate) fn warmup_end(rate: &MetricSeries<'_>, lasting: usize) -> Option<f64> {
    let peak = rate.max();
    let least = lasting.max(rate.len() / PARTS);
    let stays = |index: usize, value: f64| {
        let next = rate.values.get(index + 1..=index + least.max(index));
        // From the last one back: of a rate that rises it is the highest, and one look is enough.
        next.is_some_and(|next| next.iter().rev().all(|next| value >= NEARLY * next))
    };
    let ends_at = |index: usize, value: f64| value > 0.0 && (value >= NEARLY * peak || stays(index, value));
    let index = rate.values.iter().enumerate().position(|(index, value)| ends_at(index, *value))?;
    Some(rate.step(index))
}

/// True where the rate rises to the end of the log, so that nothing tells whether the warm-up that seems to end at a step is over.
pub(crate) fn still_rises(rate: &MetricSeries<'_>, end: f64) -> bool {
    let since = rate.values.get(rate.steps.partition_point(|step| *step < end)..).unwrap_or(&[]);
    let middle = since.get(since.len().saturating_sub(1) / 2);
    since.len() == 1 || middle.zip(since.last()).is_some_and(|(middle, last)| last > middle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::Series;
    use rundown_vocabulary::{Binding, Concept, Direction, Unit};

    /// Where the warm-up ends of a log of so many rows, and whether it still rises.
    fn end_of(rows: u32, rate: impl Fn(u32) -> f64) -> (Option<f64>, bool) {
        let binding = Binding::unscaled(Concept::LearningRate, "learning_rate", Unit::Plain, Direction::Neutral);
        let steps: Vec<u32> = (0..rows).collect();
        let values = steps.iter().map(|step| rate(*step)).collect();
        let steps = steps.into_iter().map(f64::from).collect();
        let rate = MetricSeries::new(&binding, Series::new(steps, values));
        let end = warmup_end(&rate, 20);
        (end, end.is_some_and(|end| still_rises(&rate, end)))
    }

    fn end(rate: impl Fn(u32) -> f64) -> Option<f64> {
        end_of(500, rate).0
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
    fn a_long_warm_up_does_not_end_on_its_way() {
        assert_eq!(end(|row| f64::from((1 + row / 32).min(10)) * 1e-6), Some(288.0), "32 micro-batches a step");
        let linear = |row: u32| f64::from(row.min(5050)) * 1e-9;
        assert_eq!(end_of(6000, linear), (Some(5000.0), false));
        assert_eq!(end_of(3000, linear), (Some(2970.0), true), "its rows differ by less than a hundredth");
        assert!(end_of(150, linear).1, "two rows are near the largest");
    }

    #[test]
    fn a_rate_that_rises_again_later_is_no_warm_up() {
        assert_eq!(end(|step| if step < 485 { 1e-6 } else { 1.5e-6 }), Some(0.0));
        let restarts = |step: u32| (1e-6 + 1e-8 * f64::from(step)) * (1.0 - f64::from(step % 100) / 100.0);
        assert_eq!(end(restarts), Some(0.0));
    }
}
