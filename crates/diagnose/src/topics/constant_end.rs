//! A reward that is constant from some step to the end, and was higher before: a policy that was destroyed, or a
//! reward that is no longer computed. Its fall need not be abrupt, nor large against the scatter before it, and few points
//! show it: no noise gives the same number again and again.

use crate::Evidence;
use crate::measure::series::MetricSeries;

/// Fewest points at the end that are equal.
const MIN_EQUAL: usize = 5;
/// Fewest points before them.
const MIN_BEFORE: usize = 3;
/// Largest probability that equal points stand together at the end by chance.
const MAX_PROBABILITY: f64 = 0.01;

/// The constant end of a series, lower than what came before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ConstantEnd {
    /// First point of it.
    pub(crate) index: usize,
    /// Its value, the lowest of the series.
    pub(crate) value: f64,
    /// Mean of the points before it.
    pub(crate) before: f64,
    /// Its points.
    pub(crate) points: usize,
    /// Probability of so many equal points at the end, were the points in random order.
    probability: f64,
}

impl ConstantEnd {
    /// The numbers that it was judged by.
    pub(crate) fn evidence(&self) -> Vec<Evidence> {
        vec![
            Evidence::new("mean reward before", self.before, ""),
            Evidence::new("reward in every step since", self.value, ""),
            Evidence::new("equal points at the end", self.points as f64, "points"),
            Evidence::new("probability of so many equal points by chance", self.probability, ""),
        ]
    }
}

/// The constant end of a reward; `None` where it moves to the end, never was higher, or where equal points are so many
/// before as well that these may stand at the end by chance.
pub(crate) fn constant_end(reward: &MetricSeries<'_>) -> Option<ConstantEnd> {
    let value = *reward.values.last()?;
    let points = reward.values.iter().rev().take_while(|other| **other == value).count();
    let index = reward.len() - points;
    let earlier = reward.values.get(..index)?;
    if points < MIN_EQUAL || index < MIN_BEFORE || earlier.iter().any(|other| *other < value) {
        return None;
    }
    let equal_before = earlier.iter().filter(|other| **other == value).count();
    // Hypergeometric: all of the last points are drawn from the equal ones.
    let chance = |drawn: usize| (equal_before + points - drawn) as f64 / (reward.len() - drawn) as f64;
    let probability = (0..points).map(chance).product();
    let before = earlier.iter().sum::<f64>() / index as f64;
    (probability <= MAX_PROBABILITY).then_some(ConstantEnd { index, value, before, points, probability })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, within};
    use rundown_vocabulary::Concept;

    fn end_of(values: &[f64]) -> Option<(usize, f64, usize)> {
        let run = Synthetic::new(values.len())
            .every("train/reward", 1, |t| values[(values.len() as f64 * t).round() as usize]);
        let end = within(&run.build(), |context| constant_end(context.signal(Concept::Reward)?))?;
        Some((end.index, end.value, end.points))
    }

    #[test]
    fn a_reward_that_is_zero_to_the_end_is_found_in_few_points() {
        let fallen = [1.2, 2.5, 2.9, 0.3, 2.4, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        assert_eq!(end_of(&fallen), Some((5, 0.0, 7)));
        assert_eq!(end_of(&fallen.map(|value| value - 1.0)), Some((5, -1.0, 7)));
    }

    #[test]
    fn sparse_rewards_ceilings_and_short_ends_are_none() {
        assert_eq!(end_of(&[0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0, 0.0, 0.0]), None, "sparse");
        assert_eq!(end_of(&[0.2, 0.5, 0.7, 0.9, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]), None, "a ceiling");
        assert_eq!(end_of(&[0.2, 0.5, 0.7, 0.9, 0.8, 0.6, 0.7, 0.5, 0.0, 0.0, 0.0, 0.0]), None, "four points");
        assert_eq!(end_of(&[0.0; 12]), None, "always");
    }
}
