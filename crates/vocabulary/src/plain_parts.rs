//! Parts of a reward under names of their own: `answer_reward`, or the shares of answers that are right and that have the
//! form asked for.
//!
//! They count only beside a total, and only where no part has a key of the usual form (`rewards/{f}/mean`): those that
//! the reward is made of are then known.

use std::collections::BTreeSet;

use super::component::{RewardKind, plain_component, reward_kind, without_mean};
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

/// Last words of names that are no rewards: numbers of something, shares and times.
const MEASURES: [&str; 5] = ["count", "num", "total", "rate", "time"];

/// Named reward functions beside which another one may lack the word.
const SIBLINGS: usize = 2;

/// The part of the reward in a mean that is logged with its spread as those of named reward functions beside it are, and whose
/// name begins with the same word: `r1_count_xml_mean` beside `r1_int_reward_func_mean`. Lengths may be logged in the same way.
pub(super) fn sibling_part<'k>(key: &'k str, keys: &Keys<'_>) -> Option<PlainPart<'k>> {
    let name = with_spread(key, keys)?;
    let (first, _) = name.split_once('_')?;
    let is_length = ["len", "token"].iter().any(|word| name.contains(word));
    let is_measure = name.rsplit('_').next().is_some_and(|word| MEASURES.contains(&word));
    let has_prefix = |other: &str| other.strip_prefix(first).is_some_and(|rest| rest.starts_with('_'));
    let is_sibling =
        |other: &&String| has_prefix(other) && plain_component(other).is_some() && with_spread(other, keys).is_some();
    let is_known = !is_length && !is_measure && reward_kind(name) != RewardKind::Unknown;
    let is_part = is_known && keys.keys().filter(is_sibling).count() >= SIBLINGS;
    let why = "The mean of a reward function, by the others that are logged like it.";
    is_part.then_some(PlainPart { name, is_share: false, why })
}

/// What a key is the mean of, where its spread is logged as well.
fn with_spread<'k>(key: &'k str, keys: &Keys<'_>) -> Option<&'k str> {
    key.strip_suffix("_mean").filter(|name| keys.contains_key(&format!("{name}_std")))
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

    #[test]
    fn a_reward_function_without_the_word_is_known_by_the_others() {
        let part = |names: &[&str], key: &str| {
            let logged: Vec<String> =
                names.iter().flat_map(|name| [format!("{name}_mean"), format!("{name}_std")]).collect();
            let keys: Keys<'_> = logged.iter().map(|key| (key.clone(), key.as_str())).collect();
            sibling_part(key, &keys).map(|part| part.name.to_owned())
        };
        let named = ["r1_int_reward_func", "r1_accuracy_reward_func"];
        let with = |name: &'static str| [&named[..], &[name]].concat();
        assert_eq!(part(&with("r1_count_xml"), "r1_count_xml_mean").as_deref(), Some("r1_count_xml"));
        assert_eq!(part(&with("count_xml"), "count_xml_mean"), None, "of another group");
        assert_eq!(part(&with("r1_length"), "r1_length_mean"), None);
        for name in ["r1_format_count", "r1_correct_num", "r1_answer_rate", "r1_format_time"] {
            assert_eq!(part(&with(name), &format!("{name}_mean")), None, "{name}");
        }
        assert_eq!(part(&with("r1_ratio"), "r1_ratio_mean"), None, "it may be anything");
        assert_eq!(part(&[named[0], "r1_count_xml"], "r1_count_xml_mean"), None, "one is too few");
    }
}
