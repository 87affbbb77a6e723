//! Which number to compare runs by.
//!
//! A list of runs shows one number for all of them. It has to mean the same in each, so it is one metric key, and a
//! measure of the task is better than the reward that was trained on.

use std::collections::BTreeMap;

use super::Judged;
use crate::run::Run;
use crate::vocabulary::{Binding, Concept, Direction};

/// The metric that runs are compared by.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// Metric key, such as `eval/accuracy`.
    pub key: String,
    /// [`Concept::Evaluation`] or [`Concept::Reward`].
    pub concept: Concept,
    /// Which way is better; [`Direction::Neutral`] is ranked as [`Direction::Up`].
    pub direction: Direction,
    /// How many of the runs have it.
    pub runs: usize,
}

impl Measure {
    /// Last finite value of the measure in a run.
    pub fn value(&self, run: &Run) -> Option<f64> {
        run.series(&self.key)?.values.iter().rev().copied().find(|value| value.is_finite())
    }

    /// Best finite value of the measure in a run and its step, the first of equal ones.
    pub fn best(&self, run: &Run) -> Option<(f64, f64)> {
        let series = run.series(&self.key)?.finite();
        let points = series.values.iter().copied().zip(series.steps.iter().copied());
        points.reduce(|best, point| if self.is_better(point.0, best.0) { point } else { best })
    }

    /// True when `value` is strictly better than `other`.
    pub fn is_better(&self, value: f64, other: f64) -> bool {
        if self.direction == Direction::Down { value < other } else { value > other }
    }
}

/// The measure that most of the runs share.
///
/// An evaluation key that more than half of the runs have; else such a key of the reward; else whichever of them two
/// runs at least have in common (evaluation first). The key that more runs call their primary one wins a tie, then
/// the alphabet. For a single run, its own primary evaluation or reward. `None` when the runs share nothing.
pub fn shared_measure(runs: &[Judged<'_>]) -> Option<Measure> {
    let evaluation = most_shared(runs, Concept::Evaluation);
    let reward = most_shared(runs, Concept::Reward);
    let most = |measure: &&Measure| measure.runs * 2 > runs.len();
    let several = |measure: &&Measure| measure.runs >= 2;
    let pick = |wanted: &dyn Fn(&&Measure) -> bool| evaluation.iter().chain(&reward).find(wanted).cloned();
    pick(&most).or_else(|| pick(&several))
}

#[derive(Default)]
struct Votes<'a> {
    runs: usize,
    primary: usize,
    example: Option<&'a Binding>,
}

fn most_shared(runs: &[Judged<'_>], concept: Concept) -> Option<Measure> {
    let mut votes: BTreeMap<&str, Votes<'_>> = BTreeMap::new();
    for (_, diagnosis) in runs {
        for (rank, binding) in diagnosis.bindings.all(concept).iter().enumerate() {
            let vote = votes.entry(&binding.key).or_default();
            vote.runs += 1;
            vote.primary += usize::from(rank == 0);
            vote.example.get_or_insert(binding);
        }
    }
    // The first of equal ones: `max_by_key` would take the last.
    let (key, vote) = votes.into_iter().rev().max_by_key(|(_, vote)| (vote.runs, vote.primary))?;
    let direction = vote.example.map_or(Direction::Up, |binding| binding.direction);
    Some(Measure { key: key.to_owned(), concept, direction, runs: vote.runs })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::testing::Case;

    fn shared(cases: &[Case]) -> Option<(String, usize)> {
        let runs: Vec<Judged<'_>> = cases.iter().map(Case::judged).collect();
        shared_measure(&runs).map(|measure| (measure.key, measure.runs))
    }

    #[test]
    fn an_evaluation_of_most_beats_a_reward_of_all() {
        let with = |name: &str| Case::new(name).evaluation("eval/accuracy", &[0.5]).reward("train/reward", &[1.0]);
        let without = Case::new("c").reward("train/reward", &[1.0]);
        assert_eq!(shared(&[with("a"), with("b"), without]), Some(("eval/accuracy".to_owned(), 2)));
    }

    #[test]
    fn a_reward_of_most_beats_an_evaluation_of_few() {
        let reward = |name: &str| Case::new(name).reward("train/reward", &[1.0]);
        let cases = [reward("a").evaluation("eval/accuracy", &[0.5]), reward("b"), reward("c")];
        assert_eq!(shared(&cases), Some(("train/reward".to_owned(), 3)));
    }

    #[test]
    fn the_primary_key_of_more_runs_wins_a_tie() {
        let case = |name: &str| Case::new(name).evaluation("eval/z", &[0.5]).evaluation("eval/a", &[0.5]);
        assert_eq!(shared(&[case("a"), case("b")]), Some(("eval/z".to_owned(), 2)));
    }

    #[test]
    fn one_run_has_its_own_measure_and_strangers_have_none() {
        assert_eq!(shared(&[Case::new("a").reward("r", &[1.0])]), Some(("r".to_owned(), 1)));
        assert_eq!(shared(&[Case::new("a").reward("r", &[1.0]), Case::new("b").reward("s", &[1.0])]), None);
        assert_eq!(shared(&[]), None);
        assert_eq!(shared(&[Case::new("a")]), None);
    }

    #[test]
    fn values_skip_what_is_not_finite() {
        let case = Case::new("a").evaluation("eval/accuracy", &[0.5, 0.9, 0.7, f64::NAN]);
        let (run, diagnosis) = case.judged();
        let measure = shared_measure(&[(run, diagnosis)]).unwrap();
        assert_eq!(measure.value(run), Some(0.7));
        assert_eq!(measure.best(run), Some((0.9, 2.0)));
    }
}
