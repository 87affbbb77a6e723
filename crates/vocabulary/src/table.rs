//! The shape of a framework's table of keys, and the form in which keys are compared.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Bound;

use super::{Concept, Scale, Unit};

/// One key of a framework.
pub struct FrameworkKey {
    /// What it stands for.
    pub concept: Concept,
    /// The key as W&B has it. A name in braces stands for any one part without a slash; there is at most one.
    pub key: &'static str,
    /// Unit of its values, once they are scaled.
    pub unit: Unit,
    /// What turns the logged values into that unit.
    pub scale: Scale,
    /// What the framework logs under it, where the key does not say it; stands behind "TRL logs it under this name".
    pub note: &'static str,
    /// True for a key that few others use, so that it tells whose names a run has.
    pub is_mark: bool,
}

/// A key in the unit in which its concept is usually logged.
pub(super) const fn entry(concept: Concept, key: &'static str, note: &'static str) -> FrameworkKey {
    FrameworkKey { concept, key, unit: concept.unit(), scale: Scale::One, note, is_mark: false }
}

/// The same for a key that marks a run as the framework's own.
pub(super) const fn mark(concept: Concept, key: &'static str, note: &'static str) -> FrameworkKey {
    FrameworkKey { is_mark: true, ..entry(concept, key, note) }
}

/// Logged keys by their [`normal`] form.
pub(super) type Keys<'r> = BTreeMap<String, &'r str>;

impl FrameworkKey {
    pub(super) const fn in_unit(self, unit: Unit) -> Self {
        Self { unit, ..self }
    }

    pub(super) const fn scaled(self, scale: Scale) -> Self {
        Self { scale, ..self }
    }

    /// The logged keys that it stands for, in their order, each with the name in the place of the braces.
    pub(super) fn matches<'r>(&self, keys: &Keys<'r>) -> Vec<(&'r str, Option<String>)> {
        let own = normal(self.key);
        let Some(pattern) = KeyPattern::of(&own) else {
            return keys.get(own.as_ref()).map(|key| (*key, None)).into_iter().collect();
        };
        below(keys, pattern.head)
            .filter_map(|(normal, key)| Some((key, Some(pattern.name(normal)?.to_owned()))))
            .collect()
    }

    /// True when a key (in normal form) is this one.
    pub(super) fn is(&self, key: &str) -> bool {
        let own = normal(self.key);
        match KeyPattern::of(&own) {
            Some(pattern) => pattern.name(key).is_some(),
            None => own == key,
        }
    }
}

/// What stands before and behind the braces of a key.
struct KeyPattern<'k> {
    head: &'k str,
    tail: &'k str,
}

impl<'k> KeyPattern<'k> {
    /// `None` for a key without braces.
    fn of(key: &'k str) -> Option<Self> {
        let (head, rest) = key.split_once('{')?;
        Some(Self { head, tail: rest.split_once('}')?.1 })
    }

    fn name<'n>(&self, key: &'n str) -> Option<&'n str> {
        let name = key.strip_prefix(self.head)?.strip_suffix(self.tail)?;
        (!name.is_empty() && !name.contains('/')).then_some(name)
    }
}

/// Logged keys whose normal form begins with `head`.
pub(super) fn below<'k, 'r>(keys: &'k Keys<'r>, head: &'k str) -> impl Iterator<Item = (&'k str, &'r str)> {
    let from = (Bound::Included(head), Bound::Unbounded);
    let behind = keys.range::<str, _>(from).map(|(normal, key)| (normal.as_str(), *key));
    behind.take_while(move |(normal, _)| normal.starts_with(head))
}

/// The form in which keys are compared: lower case, spaces around slashes gone, without a leading `train/`.
///
/// The Hugging Face Trainer writes bare keys to its state and the console, `train/…` to W&B, and notebooks put
/// spaces around slashes.
pub(super) fn normal(key: &str) -> Cow<'_, str> {
    if key.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase() && !byte.is_ascii_whitespace()) {
        return Cow::Borrowed(without_train(key));
    }
    let lower = key.trim().to_lowercase().replace(" / ", "/").replace(' ', "_");
    Cow::Owned(without_train(&lower).to_owned())
}

fn without_train(key: &str) -> &str {
    key.strip_prefix("train/").filter(|bare| !bare.is_empty()).unwrap_or(key)
}

/// The words of a key, lower case: `train/avg_gen_tokens` gives `train avg gen tokens`.
pub(super) fn words(key: &str) -> Vec<String> {
    key.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// True where one of these words is there.
pub(super) fn has_any(words: &[String], of: &[&str]) -> bool {
    words.iter().any(|word| of.contains(&word.as_str()))
}

/// A key with a separator before each capital behind a small letter; `None` without any.
pub(super) fn parted(key: &str) -> Option<String> {
    let mut parted = String::with_capacity(key.len() + 2);
    let mut was_small = false;
    for letter in key.chars() {
        if was_small && letter.is_uppercase() {
            parted.push('_');
        }
        was_small = letter.is_lowercase();
        parted.push(letter);
    }
    (parted.len() > key.len()).then_some(parted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_compared_without_prefix_and_spaces() {
        assert_eq!(normal("train/reward"), "reward");
        assert_eq!(normal("rewards / int_reward_func"), "rewards/int_reward_func");
        assert_eq!(normal("Training Loss"), "training_loss");
        assert_eq!(normal("train/"), "train/");
        assert_eq!(normal("train/Größe"), "größe");
    }

    #[test]
    fn words_are_split_at_every_separator() {
        assert_eq!(words("val-core/openai/gsm8k.acc_mean@1"), ["val", "core", "openai", "gsm8k", "acc", "mean", "1"]);
    }

    #[test]
    fn capitals_part_words() {
        assert_eq!(parted("train/meanReward").as_deref(), Some("train/mean_Reward"));
        assert_eq!([parted("mean_reward"), parted("KL"), parted("GRPO")], [None, None, None]);
    }

    #[test]
    fn a_name_in_braces_is_one_part_of_the_key() {
        let logged =
            ["train/agg/all/solver/reward/mean", "train/agg/all/a/b/reward/mean", "train/agg/all//reward/mean"];
        let keys: Keys<'_> = logged.iter().map(|key| (normal(key).into_owned(), *key)).collect();
        let entry = entry(Concept::Reward, "train/agg/all/{agent}/reward/mean", "");
        assert_eq!(entry.matches(&keys), [(logged[0], Some("solver".to_owned()))]);
        assert!(entry.is("agg/all/solver/reward/mean") && !entry.is("agg/all/reward/mean"));
    }
}
