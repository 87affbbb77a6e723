//! The reward of a loop that puts the name of its environment or experiment before it: `MyTask-v1/reward`. Words before
//! the last slash may change what a metric is, so it counts only where nothing else is a reward or an evaluation.

use super::{Binder, Meaning};
use crate::candidates::{has_any, is_no_reward};
use crate::component::{RewardKind, reward_kind};
use crate::generic::by_words;
use crate::table::{Keys, words};
use crate::{Concept, Unit};

/// Words of the reward of another player or model, of its parts, of a single answer, or of the time that it takes.
const OF_OTHERS: [&str; 16] = [
    "baseline", "buffer", "critic", "gold", "judge", "opponent", "perf", "random", "ref", "reward", "rewards", "rm",
    "sample", "teacher", "timing", "value",
];
/// Words of a reward. A `score` may be of anything, and `returns` are also what a critic is trained on.
const OF_REWARD: [&str; 4] = ["rew", "reward", "rewards", "return"];

impl Binder<'_> {
    /// Binds the only key whose last part is a reward by its words, whatever stands before it.
    #[inline(never)]
    pub(super) fn prefixed_reward(&mut self, keys: &Keys<'_>) {
        let is_bound = |concept| self.bindings.first(concept).is_some();
        if is_bound(Concept::Reward) || is_bound(Concept::Evaluation) {
            return;
        }
        let mut found = keys.values().filter_map(|key| Some((prefix_of_reward(key)?, *key)));
        let (Some((prefix, key)), None) = (found.next(), found.next()) else { return };
        if reward_kind(prefix) != RewardKind::Form && !self.keys.contains(key) {
            let why = "Taken for the reward because no other metric is named so: the words before it are not known.";
            self.push(key, Meaning::plain(Concept::Reward, Unit::Plain, None), why.to_owned());
        }
    }
}

/// What stands before the last slash of a key that ends in the name of a reward.
fn prefix_of_reward(key: &str) -> Option<&str> {
    let (prefix, last) = key.strip_suffix("/mean").unwrap_or(key).rsplit_once('/')?;
    let before = words(prefix);
    let is_reward = by_words(last).is_some_and(|found| found.concept == Concept::Reward);
    (is_reward && has_any(&words(last), &OF_REWARD) && !has_any(&before, &OF_OTHERS) && !is_no_reward(&before))
        .then_some(prefix)
}

#[cfg(test)]
mod tests {
    use super::super::bind;
    use super::super::tests::{first, run};
    use crate::Concept;

    fn reward(keys: &[&str]) -> Option<String> {
        first(&bind(&run(keys)), Concept::Reward).map(str::to_owned)
    }

    #[test]
    fn the_only_metric_that_ends_in_a_reward_is_it_whatever_stands_before() {
        let key = "Default-Conf-v1/reward";
        assert_eq!(reward(&[key, "Default-Conf-v1/kills", "losses/entropy"]).as_deref(), Some(key));
        assert_eq!(reward(&[key, "timing_x/reward", "opponent/reward"]).as_deref(), Some(key), "those are others");
        assert_eq!(reward(&["Task-v0/episode_reward/mean"]).as_deref(), Some("Task-v0/episode_reward/mean"));
        assert_eq!(reward(&["Task-v0/reward", "reward"]).as_deref(), Some("reward"), "a plain name goes first");
    }

    #[test]
    fn a_reward_of_something_else_and_one_of_several_is_none() {
        for key in ["opponent/reward", "reward_model/reward", "test_x/reward", "format/reward", "toxicity/score"] {
            assert_eq!(reward(&[key]), None, "{key}");
        }
        assert_eq!(reward(&["agent_0/reward", "agent_1/reward"]), None);
        assert_eq!(reward(&["format/reward", "answer/reward"]), None);
        assert_eq!(reward(&["Task-v0/reward", "eval/accuracy"]), None, "the evaluation measures the policy");
    }
}
