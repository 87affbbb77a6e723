//! What a step had to do: its tokens and its longest response, beside the time that it took.
//!
//! A batch lasts as long as its longest response, and the update as long as its tokens. A step with many of them is slow
//! on a sound machine, which only steps with as much work can show.

use crate::context::Context;
use crate::measure::matched::matched;
use crate::measure::series::MetricSeries;
use rundown_stats as stats;
use rundown_stats::CompactSort as _;
use rundown_vocabulary::Concept;

/// What the work of a step is counted in.
const KINDS: [Concept; 4] =
    [Concept::Tokens, Concept::GlobalSequenceLength, Concept::ResponseLengthMax, Concept::ResponseLength];
/// Fewest steps that show how the time follows the work.
const MIN_STEPS: usize = 20;
/// Rank correlation from which the time of a step follows its work.
const FOLLOWS: f64 = 0.5;
/// Steps with about as much work that show how long it takes.
const ALIKE: usize = 8;

/// How long a kind of work takes in this run.
pub(crate) struct StepWork {
    /// Each step with its work and its time, by work.
    steps: Vec<(f64, f64, f64)>,
    /// Median of the work.
    usual: f64,
}

impl StepWork {
    /// Every kind of work that the time of the steps follows.
    pub fn all(context: &Context<'_>, times: &MetricSeries<'_>) -> Vec<Self> {
        let signals = KINDS.into_iter().filter_map(|kind| context.signal(kind));
        signals.filter_map(|signal| Self::of(signal, times)).collect()
    }

    fn of(signal: &MetricSeries<'_>, times: &MetricSeries<'_>) -> Option<Self> {
        let [steps, taken, works] = matched(times, signal);
        let all = steps.iter().zip(works.iter()).zip(taken.iter()).map(|((step, work), time)| (*step, *work, *time));
        let mut steps: Vec<(f64, f64, f64)> = all.filter(|(_, work, _)| *work > 0.0).collect();
        let (works, taken): (Vec<f64>, Vec<f64>) = steps.iter().map(|(_, work, time)| (*work, *time)).unzip();
        let follows = steps.len() >= MIN_STEPS && stats::spearman(&works, &taken).is_some_and(|rank| rank >= FOLLOWS);
        steps.compact_sort_by(|a, b| a.1.total_cmp(&b.1));
        Some(Self { steps, usual: stats::median(&works)? }).filter(|_| follows)
    }

    /// Seconds that the work of a step should take: those of the steps with about as much, in proportion where they
    /// had less. `None` for a step with no more work than usual: that cannot make it slow.
    pub fn seconds(&self, step: f64) -> Option<f64> {
        let at = self.steps.iter().position(|known| known.0 == step)?;
        let (_, work, _) = self.steps.get(at).filter(|step| step.1 > self.usual)?;
        let first = at.saturating_sub(ALIKE / 2).min(self.steps.len().saturating_sub(ALIKE + 1));
        let alike = self.steps.iter().skip(first).take(ALIKE + 1).filter(|known| known.0 != step);
        stats::median_of(alike.map(|(_, other, time)| time * (work / other).max(1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::Series;
    use rundown_vocabulary::{Binding, Direction, Unit};

    fn work(works: &[f64], times: &[f64]) -> Option<StepWork> {
        let binding = |concept, unit| Binding::unscaled(concept, "key", unit, Direction::Neutral);
        let steps: Vec<f64> = (0..times.len()).map(|step| step as f64).collect();
        let [tokens, seconds] = [(Concept::Tokens, Unit::Tokens), (Concept::StepTime, Unit::Seconds)]
            .map(|(concept, unit)| binding(concept, unit));
        StepWork::of(
            &MetricSeries::new(&tokens, Series::new(steps.clone(), works.to_vec())),
            &MetricSeries::new(&seconds, Series::new(steps, times.to_vec())),
        )
    }

    #[test]
    fn much_work_takes_its_time_and_a_stall_does_not_count() {
        let works: Vec<f64> = (0..60).map(|step| if step % 7 == 3 { 900.0 } else { 100.0 } + f64::from(step)).collect();
        let mut times: Vec<f64> = works.iter().map(|work| 10.0 + 0.1 * work).collect();
        times[31] = 5_000.0;
        let work = work(&works, &times).unwrap();
        assert!((95.0..115.0).contains(&work.seconds(31.0).unwrap()), "{:?}", work.seconds(31.0));
        assert!((95.0..115.0).contains(&work.seconds(59.0).unwrap()), "{:?}", work.seconds(59.0));
        assert_eq!(work.seconds(0.0), None, "less work than usual");
    }

    #[test]
    fn time_that_does_not_follow_the_work_is_not_explained_by_it() {
        let works: Vec<f64> = (0..60).map(|step| 100.0 + f64::from(step * 37 % 60)).collect();
        assert!(work(&works, &vec![10.0; 60]).is_none());
        let against: Vec<f64> = works.iter().map(|work| 500.0 - work).collect();
        assert!(work(&works, &against).is_none());
        assert!(work(&works[..10], &works[..10]).is_none(), "too few steps");
    }
}
