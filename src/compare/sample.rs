//! Which runs count when parameters are compared by an outcome, and which do not and why.
//!
//! A run that broke before its outcome was logged is a result too: to leave it out would make the setting that broke it
//! look harmless. A run that merely crashed says nothing of its settings.

use super::Entry;
use crate::diagnose::{Code, Severity, Verdict};
use crate::run::RunState;
use crate::vocabulary::Direction;

/// What runs are compared by.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// Its name or metric key, such as `eval/accuracy`.
    pub key: &'a str,
    /// Which way is better; [`Direction::Neutral`] counts as [`Direction::Up`].
    pub direction: Direction,
    /// The outcome of each run, in the order of the entries.
    pub values: &'a [Option<f64>],
}

impl Target<'_> {
    /// True when the first of two values is strictly better.
    pub fn is_better(&self, value: f64, other: f64) -> bool {
        if self.direction == Direction::Down { value < other } else { value > other }
    }

    /// 1 where more is better, else -1.
    pub fn sign(&self) -> f64 {
        if self.direction == Direction::Down { -1.0 } else { 1.0 }
    }
}

/// Runs that do not count, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// How many.
    pub runs: usize,
    /// Why, such as `still running`.
    pub why: &'static str,
}

/// The runs that count.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sample {
    /// Places of the runs among the entries, ascending.
    pub runs: Vec<usize>,
    /// Their outcomes; of a run that broke before it had one, the worst of the others.
    pub values: Vec<f64>,
    /// Their outcomes for ranking: a run that broke lies beyond the worst.
    pub ranking: Vec<f64>,
    /// How many of them broke before they had an outcome, and count as the worst.
    pub broken: usize,
    /// How many of them are ugly.
    pub ugly: usize,
    /// Runs that do not count.
    pub left_out: Vec<LeftOut>,
}

const RUNNING: &str = "still running";
const CRASHED: &str = "crashed before the outcome was logged, with nothing else wrong";
const UNLOGGED: &str = "without this outcome";

/// True when a run went wrong by itself: something critical beside a crash or a stall.
pub(super) fn is_broken(entry: &Entry) -> bool {
    entry
        .findings
        .iter()
        .any(|found| found.severity == Severity::Critical && !matches!(found.code, Code::RunCrashed | Code::Stalled))
}

/// Chooses the runs that count.
pub fn sample(entries: &[&Entry], target: &Target<'_>) -> Sample {
    let mut found = Sample::default();
    let mut left_out = [(RUNNING, 0), (CRASHED, 0), (UNLOGGED, 0)];
    let mut worst: Option<f64> = None;
    let mut broken = Vec::new();
    for (run, entry) in entries.iter().enumerate() {
        let value = target.values.get(run).copied().flatten().filter(|value| value.is_finite());
        let why = match value {
            _ if entry.state == RunState::Running => RUNNING,
            None if is_broken(entry) => {
                broken.push(run);
                continue;
            }
            None if matches!(entry.state, RunState::Crashed | RunState::Failed) => CRASHED,
            None => UNLOGGED,
            Some(value) => {
                if worst.is_none_or(|worst| target.is_better(worst, value)) {
                    worst = Some(value);
                }
                found.runs.push(run);
                continue;
            }
        };
        left_out.iter_mut().filter(|(known, _)| *known == why).for_each(|(_, runs)| *runs += 1);
    }
    if let Some(worst) = worst {
        found.broken = broken.len();
        found.runs.extend(broken);
        found.runs.sort_unstable();
        for run in &found.runs {
            let value = target.values.get(*run).copied().flatten().filter(|value| value.is_finite());
            found.values.push(value.unwrap_or(worst));
            found.ranking.push(value.unwrap_or(f64::NEG_INFINITY * target.sign()));
        }
        let ugly = |run: &&usize| entries.get(**run).is_some_and(|entry| entry.verdict == Verdict::Ugly);
        found.ugly = found.runs.iter().filter(ugly).count();
    } else if !broken.is_empty() {
        left_out[2].1 += broken.len();
    }
    found.left_out =
        left_out.into_iter().filter(|(_, runs)| *runs > 0).map(|(why, runs)| LeftOut { runs, why }).collect();
    found
}

impl Sample {
    /// The runs with their outcomes, best first; equal ones in their order.
    pub(super) fn ranked(&self, target: &Target<'_>) -> Vec<(usize, f64)> {
        use crate::order::Arrange;
        let mut ranked: Vec<(usize, f64, f64)> =
            self.runs.iter().zip(&self.values).zip(&self.ranking).map(|((run, v), rank)| (*run, *v, *rank)).collect();
        ranked.arrange_by(|a, b| (target.sign() * b.2).total_cmp(&(target.sign() * a.2)));
        ranked.into_iter().map(|(run, value, _)| (run, value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::testing::refs;
    use crate::compare::testing::{critical, entry};

    #[test]
    fn a_run_that_broke_counts_as_the_worst() {
        let mut entries: Vec<Entry> = (0..6).map(|_| entry(&[])).collect();
        entries[1].findings = vec![critical(Code::KlBlowUp)];
        entries[1].verdict = Verdict::Ugly;
        entries[2].findings = vec![critical(Code::RunCrashed)];
        entries[2].state = RunState::Crashed;
        entries[3].state = RunState::Running;
        let values = [Some(0.5), None, None, Some(0.9), None, Some(0.2)];
        let target = Target { key: "a", direction: Direction::Up, values: &values };
        let found = sample(&refs(&entries), &target);
        assert_eq!(found.runs, [0, 1, 5]);
        assert_eq!(found.values, [0.5, 0.2, 0.2]);
        assert_eq!(found.ranking, [0.5, f64::NEG_INFINITY, 0.2]);
        assert_eq!((found.broken, found.ugly), (1, 1));
        let left: Vec<(usize, &str)> = found.left_out.iter().map(|left| (left.runs, left.why)).collect();
        assert_eq!(left, [(1, RUNNING), (1, CRASHED), (1, UNLOGGED)]);
        let down = Target { direction: Direction::Down, ..target };
        assert_eq!(sample(&refs(&entries), &down).values, [0.5, 0.5, 0.2]);
        assert_eq!(sample(&[], &target), Sample::default());
    }
}
