//! Parts of a reward under names of their own: `answer_reward`, or the shares of answers that are right and that have the
//! form asked for.
//!
//! They count only beside a total, and only where no part has a key of the usual form (`rewards/{f}/mean`): those that
//! the reward is made of are then known.

use std::collections::BTreeSet;

use super::component::{plain_component, without_mean};
use super::evaluation::{form_share, plain_accuracy, task_share};
use super::held_out::is_held_out;
use super::table::Keys;

/// What a key stands for as a part of the reward.
pub(super) struct PlainPart<'k> {
    /// Name of the reward function, or of the share.
    pub name: &'k str,
    /// True where its values have to lie between 0 and 1.
    pub is_share: bool,
    /// Why it was taken for one.
    pub why: &'static str,
}

/// The part of the reward that a key (in normal form) names; `None` for a held-out one, and for a win rate: against a
/// policy that learns as well it stands still by design.
pub(super) fn plain_part(key: &str) -> Option<PlainPart<'_>> {
    if is_held_out(key) {
        return None;
    }
    if let Some(name) = plain_component(key) {
        return Some(PlainPart { name, is_share: false, why: "The mean of a reward function, by its words." });
    }
    let solved = task_share(key) && !plain_accuracy(key) && !key.contains("win");
    let why = "A share of the answers, by its words: what a reward is made of.";
    (solved || form_share(key)).then_some(PlainPart { name: key, is_share: true, why })
}

/// What some keys (in normal form) hold the means of.
pub(super) fn logged_as_means<'k>(keys: &'k Keys<'_>) -> BTreeSet<&'k str> {
    let names = keys.keys().map(|key| (key.as_str(), without_mean(key)));
    names.filter(|(key, name)| key != name).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_answers_and_plain_reward_functions_are_parts() {
        let shares = ["answer_rate", "format_rate", "solved_frac"];
        for key in shares {
            assert!(plain_part(key).is_some_and(|part| part.is_share), "{key}");
        }
        assert!(plain_part("format_reward").is_some_and(|part| !part.is_share));
        for key in ["win_rate", "correct_rate", "eval_answer_rate", "no_answer_rate", "error_rate", "movement_reward"] {
            assert!(plain_part(key).is_none(), "{key}");
        }
    }
}
