//! What it took to reach a target, in steps.

use super::{Metric, RunSummary, comparable, outcome};
use rundown_diagnose::Verdict;
use rundown_stats as stats;

/// Points of the curve that must hold the target on average, the first of them included.
const HELD_POINTS: usize = 4;
/// Fewest of them at the end of the curve.
const MIN_HELD_POINTS: usize = 2;

/// What a run took to reach a target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepsToTarget {
    /// The step of the first lasting crossing.
    pub step: f64,
    /// Steps from the first one on.
    pub steps: f64,
}

/// When a run reached `target` for good: the first point of its curve that is as good, with as good a mean of it and
/// the three points after it. `None` when it never did, when its very last point is the first, or without a curve.
fn reach(summary: &RunSummary, metric: &Metric, target: f64) -> Option<StepsToTarget> {
    let trace = metric.trace_in(summary)?;
    let holds = |value: f64| !metric.is_better(target, value);
    let at = (0..trace.values.len()).find(|at| {
        let next = trace.values.get(*at..).unwrap_or_default();
        let next = next.get(..HELD_POINTS).unwrap_or(next);
        next.len() >= MIN_HELD_POINTS
            && next.first().is_some_and(|value| holds(*value))
            && stats::mean(next).is_some_and(holds)
    })?;
    let step = *trace.steps.get(at)?;
    let (first, _) = summary.steps?;
    Some(StepsToTarget { step, steps: step - first })
}

/// A level of a metric, and what the runs took to reach it.
#[derive(Debug, Clone, PartialEq)]
pub struct CommonTarget {
    /// The level.
    pub level: f64,
    /// What each run took; `None` of one that did not reach it, or is not [`comparable`].
    pub reached: Vec<Option<StepsToTarget>>,
}

/// A target that half of the [`comparable`] runs reach: the median of their levels at the end, of those that are not ugly where
/// two are not. `None` when no such run has the metric.
pub fn common_target(summaries: &[&RunSummary], metric: &Metric) -> Option<CommonTarget> {
    let is_comparable = comparable(summaries, metric);
    let runs = || summaries.iter().zip(&is_comparable);
    let levels = |counts: &dyn Fn(&RunSummary) -> bool| -> Vec<f64> {
        let counted = runs().filter(|(summary, is_comparable)| **is_comparable && counts(summary));
        counted.filter_map(|(summary, _)| Some(outcome(summary, metric)?.level)).collect()
    };
    let sane = levels(&|summary| summary.verdict != Verdict::Ugly);
    // The level of a single run is reached at its end, if at all.
    let level = stats::median(&if sane.len() >= 2 { sane } else { levels(&|_| true) })?;
    let reached = runs().map(|(summary, is_comparable)| is_comparable.then(|| reach(summary, metric, level)).flatten());
    Some(CommonTarget { level, reached: reached.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primary_metric;
    use crate::testing::TestRun;
    use rundown_vocabulary::Direction;

    fn reached(values: &[f64], target: f64, direction: Direction) -> Option<StepsToTarget> {
        let test_run = TestRun::new("a").reward("reward", values).direction(direction);
        let summary = RunSummary::of(0, test_run.diagnosed());
        reach(&summary, &primary_metric(&[&summary])?, target)
    }

    #[test]
    fn a_spike_is_no_crossing() {
        let values = [0.0, 0.9, 0.0, 0.1, 0.2, 0.6, 0.5, 0.7, 0.8, 0.8, 0.8];
        let found = reached(&values, 0.5, Direction::Up).unwrap();
        assert_eq!((found.step, found.steps), (6.0, 5.0));
        assert_eq!(reached(&values, 0.95, Direction::Up), None);
    }

    #[test]
    fn the_last_point_alone_does_not_last() {
        assert_eq!(reached(&[0.0, 0.1, 0.2, 0.9], 0.5, Direction::Up), None);
        assert_eq!(reached(&[0.0, 0.1, 0.8, 0.9], 0.5, Direction::Up).map(|found| found.step), Some(3.0));
        assert_eq!(reached(&[3.0, 2.0, 1.0, 1.0], 1.5, Direction::Down).map(|found| found.step), Some(3.0));
        assert_eq!(reached(&[0.9, 0.9, 0.9], 0.5, Direction::Up).map(|found| found.steps), Some(0.0));
    }

    #[test]
    fn ugly_runs_set_no_target() {
        let summary = |level: f64, verdict| {
            let test_run = TestRun::new("a").evaluation("eval/acc", &[level; 8]).verdict(verdict);
            RunSummary::of(0, test_run.diagnosed())
        };
        let (good, ugly) = (|| summary(0.6, Verdict::Good), || summary(0.0, Verdict::Ugly));
        let summaries = [good(), good(), ugly(), ugly(), ugly()];
        let summaries: Vec<&RunSummary> = summaries.iter().collect();
        let metric = primary_metric(&summaries).unwrap();
        let level = |summaries: &[&RunSummary]| common_target(summaries, &metric).map(|target| target.level);
        assert_eq!((level(&summaries), level(&summaries[2..])), (Some(0.6), Some(0.0)));
    }

    #[test]
    fn half_of_the_runs_reach_the_common_target() {
        let test_runs = [0.1, 0.5, 0.9].map(|value| TestRun::new("a").reward("reward", &[value; 6]));
        let summaries: Vec<RunSummary> =
            test_runs.iter().map(|test_run| RunSummary::of(0, test_run.diagnosed())).collect();
        let summaries: Vec<&RunSummary> = summaries.iter().collect();
        let metric = primary_metric(&summaries).unwrap();
        let target = common_target(&summaries, &metric).unwrap();
        assert_eq!((target.level, target.reached.iter().flatten().count()), (0.5, 2));
        assert_eq!(common_target(&[], &metric), None);
    }
}
