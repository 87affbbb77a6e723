//! Names that are known but for one part of them, of which nobody knows what it says: the reward of a loop that puts its
//! environment or experiment before it (`MyTask-v1/reward`), and a framework's name with a part of the batch in the middle
//! (`actor/main_chain/entropy`). Such a part may change what a metric is, so they count only where nothing else does.

use super::{Binder, Meaning, is_meant_alike};
use crate::candidates::is_no_reward;
use crate::component::{RewardKind, reward_kind};
use crate::generic::by_words;
use crate::held_out::held_out;
use crate::table::{Keys, has_any, words};
use crate::table_index::{IndexedEntry, TableIndex};
use crate::{Concept, Unit};
use rundown_stats::CompactSort as _;

/// Words of another player or model, of a part of the reward, of some of the answers, or of the time that something takes.
const OF_OTHERS: [&str; 37] = [
    "aborted", "aux", "baseline", "best", "bonus", "buffer", "critic", "curiosity", "demo", "expert", "exploration",
    "failed", "gold", "imagined", "incorrect", "intrinsic", "judge", "old", "opponent", "peak", "penalty", "perf",
    "predicted", "random", "ref", "reward", "rewards", "rm", "sample", "shaping", "target", "teacher", "timing",
    "truncated", "value", "worst", "wrong",
];
/// Words of a reward. A `score` may be of anything, and `returns` are also what a critic is trained on.
const OF_REWARD: [&str; 4] = ["rew", "reward", "rewards", "return"];

/// Words of a part that holds all the others, or the one that counts.
const OF_ALL: [&str; 4] = ["all", "main", "overall", "total"];

impl Binder<'_> {
    /// Binds a framework's name with an extra part in the middle, for concepts without a metric, where only one such part occurs
    /// or one of them covers the others. Not times: each part takes its own.
    #[inline(never)]
    pub(super) fn inner_parts(&mut self, keys: &Keys<'_>) {
        let index = TableIndex::get();
        let mut found: Vec<(&IndexedEntry, &str, &str)> = Vec::new();
        for (normal, key) in keys.iter().filter(|(_, key)| !self.keys.contains(**key)) {
            let parts: Vec<&str> = normal.split('/').collect();
            let [head, part, tail] = parts.as_slice() else { continue };
            if held_out(normal).is_some() {
                continue;
            }
            let shorter = format!("{head}/{tail}");
            let is_known = |known: &&IndexedEntry| {
                let concept = known.entry.concept;
                known.entry.unit != Unit::Seconds
                    && !matches!(concept, Concept::Evaluation | Concept::RewardComponent)
                    && self.bindings.first(concept).is_none()
                    && is_meant_alike(&shorter, concept)
            };
            // What is named after a reward function covers only a part of the batch.
            if is_plain(&words(part)) && reward_kind(part) == RewardKind::Unknown {
                found.extend(index.entries(&shorter).iter().find(is_known).map(|known| (known, *part, *key)));
            }
        }
        found.compact_sort_by_key(|(known, ..)| known.place);
        for (IndexedEntry { family, entry, .. }, part, key) in &found {
            let mut rivals = found.iter().filter(|(known, ..)| known.entry.concept == entry.concept);
            let is_meant = has_any(&words(part), &OF_ALL) || rivals.all(|(_, other, _)| other == part);
            if is_meant && self.bindings.first(entry.concept).is_none() {
                let why = format!("As {} logs it without “{part}” in the name.", family.framework.as_str());
                let meaning = Meaning::plain(entry.concept, entry.unit, None);
                self.push(key, Meaning { scale: entry.scale, ..meaning }, why);
            }
        }
    }

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
            let why = "Taken for the reward as the only metric of that name; the words before it are unknown.";
            self.push(key, Meaning::plain(Concept::Reward, Unit::Plain, None), why.to_owned());
        }
    }
}

/// What stands before the last slash of a key that ends in the name of a reward.
fn prefix_of_reward(key: &str) -> Option<&str> {
    let (prefix, last) = key.strip_suffix("/mean").unwrap_or(key).rsplit_once('/')?;
    let is_reward = by_words(last).is_some_and(|found| found.concept == Concept::Reward);
    (is_reward && has_any(&words(last), &OF_REWARD) && is_plain(&words(prefix))).then_some(prefix)
}

/// True where none of these words is known to change what the metric beside them measures.
fn is_plain(words: &[String]) -> bool {
    !has_any(words, &OF_OTHERS) && !is_no_reward(words)
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
        let others = ["opponent/reward", "reward_model/reward", "test_x/reward", "format/reward", "toxicity/score"];
        for key in others.into_iter().chain(["best/reward", "intrinsic/reward", "wrong_answers/reward"]) {
            assert_eq!(reward(&[key]), None, "{key}");
        }
        assert_eq!(reward(&["agent_0/reward", "agent_1/reward"]), None);
        assert_eq!(reward(&["format/reward", "answer/reward"]), None);
        assert_eq!(reward(&["Task-v0/reward", "eval/accuracy"]), None, "the evaluation measures the policy");
    }

    #[test]
    fn a_part_in_the_middle_of_a_known_name_is_passed_over_where_nothing_else_is_meant() {
        let entropy = |keys: &[&str]| first(&bind(&run(keys)), Concept::Entropy).map(str::to_owned);
        let main = "actor/main_chain/entropy";
        assert_eq!(entropy(&[main]).as_deref(), Some(main));
        assert_eq!(entropy(&[main, "actor/branch/entropy"]).as_deref(), Some(main), "the main one of several");
        assert_eq!(entropy(&["actor/left/entropy", "actor/right/entropy"]), None, "either may be meant");
        assert_eq!(entropy(&[main, "actor/entropy"]).as_deref(), Some("actor/entropy"));
        let others = ["actor/ref/entropy", "actor/aux/entropy", "actor/max/entropy", "val/main/entropy"];
        for key in others.into_iter().chain(["actor/expert/entropy", "actor/correct/entropy", "actor/format/entropy"]) {
            assert_eq!(entropy(&[key]), None, "{key}");
        }
        let length = "response_length/main_chain/mean";
        assert_eq!(first(&bind(&run(&[length])), Concept::ResponseLength), Some(length));
    }
}
