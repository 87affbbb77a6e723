//! Lines with the mean, the least and the greatest of one thing: `Batch reward stats - mean: 0.2, min: 0.1, max: 0.8`,
//! `Rewards: min=0.2, max=1.0, avg=0.5`. The mean is the value of the row, under the name of the thing.

use super::LabelledNumber;
use crate::rows::names::is_one_of;

/// Names of the statistics; lower case.
const MEANS: [&str; 3] = ["mean", "avg", "average"];
const LEAST: [&str; 2] = ["min", "minimum"];
const GREATEST: [&str; 2] = ["max", "maximum"];
const SPREADS: [&str; 3] = ["std", "stddev", "std_dev"];
/// Words for the reward, and what its mean and its spread are called.
const REWARDS: [&str; 2] = ["reward", "rewards"];
const REWARD: &str = "reward";
const REWARD_SPREAD: &str = "reward_std";
/// Words that only say that statistics follow.
const FILLERS: [&str; 4] = ["stats", "statistics", "stat", "summary"];
/// Most words of the name of a thing.
const MAX_WORDS: usize = 4;

/// True for the names that statistics of the reward get.
pub(in crate::formats::console) fn is_reward_statistic(name: &str) -> bool {
    [REWARD, REWARD_SPREAD].contains(&name)
}

/// Gives the mean the name of what it is of, and takes the other statistics away, where a line has all three of one thing.
pub(super) fn name_by_subject<'a>(line: &'a str, found: &mut Vec<LabelledNumber<'a>>) {
    let place = |words: &[&str]| {
        let mut places = (0..found.len()).filter(|place| is_named(found.get(*place), words));
        // Of two means it is not known which is the thing's.
        places.next().filter(|_| places.next().is_none())
    };
    let Some(mean) = place(&MEANS) else { return };
    let (least, greatest, spread) = (place(&LEAST), place(&GREATEST), place(&SPREADS));
    // What stands before the first of them names the thing.
    let first = [Some(mean), least, greatest].into_iter().flatten().min().and_then(|first| found.get(first));
    let before = text_before(line, first.map_or("", |number| last_word(number.name)));
    let Some(subject) = before.map(subject).filter(|subject| !subject.is_empty()) else { return };
    let is_reward = subject.split([' ', '_', '/']).any(|word| is_one_of(word, &REWARDS));
    // Of a reward one of the two is enough: the other may have been cut.
    if least.or(greatest).is_none() || (!is_reward && least.and(greatest).is_none()) {
        return;
    }
    if let Some(number) = found.get_mut(mean) {
        number.name = if is_reward { REWARD } else { subject };
    }
    if let Some(number) = spread.filter(|_| is_reward).and_then(|spread| found.get_mut(spread)) {
        number.name = REWARD_SPREAD;
    }
    let mut places = 0..;
    found.retain(|_| places.next().is_none_or(|place| Some(place) != least && Some(place) != greatest));
}

fn is_named(number: Option<&LabelledNumber<'_>>, words: &[&str]) -> bool {
    number.is_some_and(|number| is_one_of(last_word(number.name), words))
}

/// What stands before a part of a line.
fn text_before<'a>(line: &'a str, part: &str) -> Option<&'a str> {
    line.get(..(part.as_ptr() as usize).checked_sub(line.as_ptr() as usize)?)
}

fn last_word(name: &str) -> &str {
    name.rsplit([' ', ':']).next().unwrap_or(name)
}

/// The thing that a text before statistics names; empty where it names none.
fn subject(before: &str) -> &str {
    let text = before.trim_end_matches([' ', ':', '-', '=', '(', '[', '|', '–', '\t']);
    let text = text.rsplit(['|', ']', ')', ':', ',', ';']).next().unwrap_or(text).trim();
    let words: Vec<&str> = text.split_whitespace().collect();
    let filler = words.last().filter(|word| is_one_of(word, &FILLERS));
    let name = text.strip_suffix(filler.copied().unwrap_or_default()).unwrap_or(text).trim_end();
    let is_name = name.starts_with(char::is_alphabetic) && words.len() <= MAX_WORDS;
    if is_name { name } else { "" }
}

#[cfg(test)]
mod tests {
    use super::super::numbers;

    fn read(line: &str) -> Vec<(&str, f64)> {
        numbers(line).into_iter().map(|number| (number.name, number.value)).collect()
    }

    #[test]
    fn the_mean_of_a_thing_is_called_as_the_thing() {
        let stats = "[DEBUG][EM+Format] Batch reward stats - mean: 0.2070, min: 0.1000, max: 0.8000";
        assert_eq!(read(stats), [("reward", 0.207)]);
        let line =
            "2025-08-27 18:49:07,923 | grpo_training | DEBUG | Rewards: min=0.212, max=1.000, mean=0.508, std=0.381";
        assert_eq!(read(line), [("reward", 0.508), ("reward_std", 0.381)]);
        assert_eq!(
            read("[DEBUG] Batch reward stats - mean: 1.1828, min: -0.3000, max: 5.0000!`"),
            [("reward", 1.1828)]
        );
        assert_eq!(read("   Grammar   : min=100.0, max=100.0, avg=90.5"), [("Grammar", 90.5)]);
        assert_eq!(read("step: 5 | reward min: 0.1 max: 0.9 mean: 0.5"), [("step", 5.0), ("reward", 0.5)]);
    }

    #[test]
    fn other_lines_keep_their_names() {
        for line in [
            "mean: 0.5 min: 0.1 max: 0.9",
            "reward: 0.5 min: 0.1",
            "Grammar mean: 0.5, min: 0.1",
            "mean=1, min=2, max=3, reward=4",
        ] {
            assert!(read(line).iter().any(|(name, _)| *name == "min"), "{line} {:?}", read(line));
        }
    }
}
