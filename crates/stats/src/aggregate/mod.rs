//! Scores of several runs as one number, and how sure it is: the interquartile mean and the probability of
//! improvement with stratified bootstrap intervals (Agarwal et al. 2021, arXiv 2108.13264, and its
//! library rliable).
//!
//! Scores come by task: one list of runs for each. Runs of a task are drawn anew for each replicate, task by task.

mod many_scores;
mod ordered_sample;

use super::compact_sort::CompactSort as _;
use super::describe::{ascending, mean, quantile};
use super::random::SplitMix64;

pub use many_scores::{MANY_SCORES, gain_of_many, improvement_of_many, iqm_of_many};
pub use ordered_sample::{OrderedSample, draw_counts};

/// Replicates are kept within these bounds.
const MIN_REPLICATES: usize = 200;
const MAX_REPLICATES: usize = 10_000;
/// Values drawn in all, so that many runs do not cost minutes.
const MAX_DRAWN: usize = 4_000_000;

/// An estimate with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntervalEstimate {
    /// The estimate from the data themselves.
    pub estimate: f64,
    /// Lower end; of a bootstrap the 2.5 % quantile of the replicates.
    pub low: f64,
    /// Upper end; of a bootstrap the 97.5 % quantile.
    pub high: f64,
}

/// Interquartile mean: the mean of what is left when a quarter of the scores, rounded down, is cut off at each end
/// (scipy's `trim_mean(scores, 0.25)`). `None` without scores.
pub fn iqm(scores: &[f64]) -> Option<f64> {
    iqm_of_ascending(&ascending(scores.iter().copied()))
}

fn iqm_of_ascending(scores: &[f64]) -> Option<f64> {
    let cut = scores.len() / 4;
    mean(scores.get(cut..scores.len() - cut)?)
}

/// The interquartile mean over all runs and tasks with the percentile interval of a stratified bootstrap. O(replicates * scores).
///
/// `None` with fewer than two runs of some task or a result that is not finite.
pub fn stratified_bootstrap(
    tasks: &[Vec<f64>],
    replicates: usize,
    random: &mut SplitMix64,
) -> Option<IntervalEstimate> {
    let all = tasks.concat();
    let estimate = iqm(&all)?;
    let count = replicate_count(replicates, all.len());
    let strata = Strata::new(tasks);
    let drawn: Option<Vec<f64>> = (0..count).map(|_| strata.ordered.iqm(&strata.draw(random))).collect();
    summary(estimate, tasks, &drawn?)
}

/// P(X > Y) + P(X = Y) / 2 of random runs of the two, averaged over the tasks that both have, with the percentile interval
/// of a stratified bootstrap of both sides. O(replicates * scores).
///
/// `None` with fewer than two runs of some task, and without a task that both have scores of.
pub fn bootstrap_improvement(
    x: &[Vec<f64>],
    y: &[Vec<f64>],
    replicates: usize,
    random: &mut SplitMix64,
) -> Option<IntervalEstimate> {
    let (x_strata, y_strata) = (Strata::new(x), Strata::new(y));
    let ranked: Vec<RankedTask> = x_strata.tasks.iter().zip(&y_strata.tasks).filter_map(RankedTask::new).collect();
    let improvement = |x: &[u32], y: &[u32]| {
        let tasks: Vec<f64> = ranked.iter().map(|task| task.superiority(x, y)).collect();
        mean(&tasks)
    };
    let estimate = improvement(&vec![1; x_strata.scores], &vec![1; y_strata.scores])?;
    // A tenth of those of a mean: when each replicate was ranked anew it cost ten times as much, and the intervals of
    // reports stay what they were.
    let count = replicate_count(replicates, (x_strata.scores + y_strata.scores) * 10);
    let drawn: Option<Vec<f64>> = (0..count)
        .map(|_| {
            let x = x_strata.draw(random);
            improvement(&x, &y_strata.draw(random))
        })
        .collect();
    let both: Vec<Vec<f64>> = [x, y].concat();
    summary(estimate, &both, &drawn?)
}

/// The interquartile mean of `x` minus that of `y` with the percentile interval of a stratified bootstrap of both sides.
pub fn bootstrap_gain(
    x: &[Vec<f64>],
    y: &[Vec<f64>],
    replicates: usize,
    random: &mut SplitMix64,
) -> Option<IntervalEstimate> {
    let estimate = iqm(&x.concat())? - iqm(&y.concat())?;
    let (x_strata, y_strata) = (Strata::new(x), Strata::new(y));
    let count = replicate_count(replicates, x_strata.scores + y_strata.scores);
    let drawn: Option<Vec<f64>> = (0..count)
        .map(|_| {
            let x = x_strata.ordered.iqm(&x_strata.draw(random))?;
            Some(x - y_strata.ordered.iqm(&y_strata.draw(random))?)
        })
        .collect();
    let both: Vec<Vec<f64>> = [x, y].concat();
    summary(estimate, &both, &drawn?)
}

/// Scores with their places.
type Scores = Vec<(usize, f64)>;

/// The scores of all tasks, from which replicates are drawn task by task.
struct Strata {
    /// How many there are.
    scores: usize,
    /// The scores of each task, with places that count through all tasks.
    tasks: Vec<Scores>,
    ordered: OrderedSample,
}

impl Strata {
    fn new(tasks: &[Vec<f64>]) -> Self {
        let mut places = 0..;
        let tasks: Vec<Scores> =
            tasks.iter().map(|scores| places.by_ref().zip(scores.iter().copied()).collect()).collect();
        let ordered = OrderedSample::new(tasks.iter().flatten().copied());
        Self { scores: tasks.iter().map(Vec::len).sum(), tasks, ordered }
    }

    /// As many runs of each task as there are, drawn with replacement.
    fn draw(&self, random: &mut SplitMix64) -> Vec<u32> {
        self.tasks.iter().flat_map(|task| draw_counts(task.len(), random)).collect()
    }
}

/// The scores of a task on both sides, ascending.
struct RankedTask(Vec<RankedScore>);

/// A score by its place on its side.
struct RankedScore {
    place: usize,
    is_x: bool,
    /// False where it equals the score before it.
    is_greater: bool,
}

impl RankedTask {
    /// `None` where a side has no scores.
    fn new((x, y): (&Scores, &Scores)) -> Option<Self> {
        if x.is_empty() || y.is_empty() {
            return None;
        }
        let x = x.iter().map(|(place, score)| (*score, *place, true));
        let y = y.iter().map(|(place, score)| (*score, *place, false));
        // Zeros of both signs are equal.
        let mut both: Vec<(f64, usize, bool)> =
            x.chain(y).map(|(score, place, is_x)| (score + 0.0, place, is_x)).collect();
        both.compact_sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
        let mut before = f64::NAN;
        let ranked = both.into_iter().map(|(score, place, is_x)| {
            let is_greater = std::mem::replace(&mut before, score) != score;
            RankedScore { place, is_x, is_greater }
        });
        Some(Self(ranked.collect()))
    }

    /// P(X > Y) + P(X = Y) / 2 of a random pair out of two samples that have each score so often:
    /// [`super::Dominance::superiority`].
    fn superiority(&self, x: &[u32], y: &[u32]) -> f64 {
        let (mut less_y, mut equal_x, mut equal_y) = (0_u64, 0_u64, 0_u64);
        let (mut all_x, mut wins) = (0_u64, 0.0);
        let won = |equal_x: u64, less_y: u64, equal_y: u64| equal_x as f64 * (less_y as f64 + equal_y as f64 / 2.0);
        for score in &self.0 {
            if score.is_greater {
                wins += won(equal_x, less_y, equal_y);
                (less_y, equal_x, equal_y) = (less_y + equal_y, 0, 0);
            }
            let counts = if score.is_x { x } else { y };
            let count = counts.get(score.place).map_or(0, |count| u64::from(*count));
            if score.is_x {
                (all_x, equal_x) = (all_x + count, equal_x + count);
            } else {
                equal_y += count;
            }
        }
        wins += won(equal_x, less_y, equal_y);
        wins / (all_x as f64 * (less_y + equal_y) as f64)
    }
}

fn replicate_count(wanted: usize, size: usize) -> usize {
    wanted.min(MAX_DRAWN / size.max(1)).clamp(MIN_REPLICATES, MAX_REPLICATES)
}

fn summary(estimate: f64, tasks: &[Vec<f64>], replicates: &[f64]) -> Option<IntervalEstimate> {
    let runs = tasks.iter().map(Vec::len).min()?;
    let (low, high) = (quantile(replicates, 0.025)?, quantile(replicates, 0.975)?);
    if runs < 2 || !(estimate.is_finite() && low.is_finite() && high.is_finite()) {
        return None;
    }
    Some(IntervalEstimate { estimate, low, high })
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;
    use crate::testing::white;
    use proptest::prelude::*;

    #[test]
    fn intervals_hold_the_truth_about_as_often_as_they_say() {
        let mut random = SplitMix64::new(5);
        let covered = (0..200).filter(|seed| {
            let runs = white(1000 + seed, 20);
            let found = stratified_bootstrap(&[runs], 400, &mut random).unwrap();
            (found.low..=found.high).contains(&0.0)
        });
        // A percentile interval of twenty values is a little narrow.
        let covered = covered.count();
        assert!((175..=197).contains(&covered), "{covered}");
    }

    #[test]
    fn directions_are_distinguished() {
        let mut random = SplitMix64::new(6);
        let (low, high) = (vec![white(1, 10)], vec![white(2, 10).iter().map(|value| value + 3.0).collect()]);
        let better = bootstrap_improvement(&high, &low, 500, &mut random).unwrap();
        assert!(better.estimate > 0.95 && better.low > 0.8 && better.high <= 1.0);
        let gain = bootstrap_gain(&high, &low, 500, &mut random).unwrap();
        assert!(gain.low > 1.0 && gain.low < gain.estimate && gain.estimate < gain.high);
    }

    #[test]
    fn edges() {
        let mut random = SplitMix64::new(7);
        assert_eq!(iqm(&[]), None);
        assert_eq!(iqm(&[3.0]), Some(3.0));
        assert_eq!(bootstrap_improvement(&[], &[], 200, &mut random), None);
        assert_eq!(stratified_bootstrap(&[], 200, &mut random), None);
        assert_eq!(stratified_bootstrap(&[vec![1.0]], 200, &mut random), None);
        assert_eq!(stratified_bootstrap(&[vec![1e308; 9]], 200, &mut random), None);
    }

    proptest! {
        #[test]
        fn an_improvement_is_that_of_the_samples_ranked(
            x in prop::collection::vec(-4_i32..5, 2..20), y in prop::collection::vec(-4_i32..5, 2..20)
        ) {
            let scores = |values: Vec<i32>| values.into_iter().map(f64::from).collect::<Vec<f64>>();
            let (x, y) = (scores(x), scores(y));
            let found = bootstrap_improvement(from_ref(&x), from_ref(&y), 200, &mut SplitMix64::new(1)).unwrap();
            prop_assert_eq!(found.estimate, crate::dominance(&y, &x).unwrap().superiority);
            let mut random = SplitMix64::new(1);
            let mut draw = |of: &[f64]| (0..of.len()).map(|_| of[random.below(of.len())]).collect::<Vec<f64>>();
            let replicates: Vec<f64> = (0..200)
                .map(|_| {
                    let drawn = draw(&x);
                    crate::dominance(&draw(&y), &drawn).unwrap().superiority
                })
                .collect();
            prop_assert_eq!(Some(found.low), quantile(&replicates, 0.025));
            prop_assert_eq!(Some(found.high), quantile(&replicates, 0.975));
        }

        #[test]
        fn never_panics(x in prop::collection::vec(prop::num::f64::ANY, 0..9), y in prop::collection::vec(prop::num::f64::ANY, 0..9)) {
            let mut random = SplitMix64::new(8);
            let (x, y) = (vec![x], vec![y]);
            let _ = stratified_bootstrap(&x, 0, &mut random);
            let _ = bootstrap_improvement(&x, &y, 0, &mut random);
            let _ = bootstrap_gain(&x, &y, 0, &mut random);
        }
    }
}
