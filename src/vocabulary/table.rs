//! The shape of a framework's table of keys, and the form in which keys are compared.

use super::{Concept, Unit};

/// One key of a framework.
pub(super) struct Entry {
    pub concept: Concept,
    /// The key in [`normal`] form.
    pub key: &'static str,
    pub unit: Unit,
    /// What the framework logs under it; ends the sentence "TRL logs it as …".
    pub note: &'static str,
}

pub(super) const fn entry(concept: Concept, key: &'static str, unit: Unit, note: &'static str) -> Entry {
    Entry { concept, key, unit, note }
}

/// The form in which keys are compared: lower case, spaces around slashes gone, without a leading `train/`.
///
/// The Hugging Face Trainer writes bare keys to its state and the console, `train/…` to W&B, and notebooks put
/// spaces around slashes.
pub(super) fn normal(key: &str) -> String {
    let lower = key.trim().to_lowercase().replace(" / ", "/").replace(' ', "_");
    match lower.strip_prefix("train/") {
        Some(bare) if !bare.is_empty() => bare.to_owned(),
        _ => lower,
    }
}

/// The words of a key, lower case: `train/avg_gen_tokens` gives `train avg gen tokens`.
pub(super) fn words(key: &str) -> Vec<String> {
    key.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
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
    }

    #[test]
    fn words_are_split_at_every_separator() {
        assert_eq!(words("val-core/openai/gsm8k.acc_mean@1"), ["val", "core", "openai", "gsm8k", "acc", "mean", "1"]);
    }
}
