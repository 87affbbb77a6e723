//! Which keys a framework has for a concept: the one to log so that it can be checked, and all of them.

use super::tables::FAMILIES;
use super::{Concept, Framework, FrameworkKey};

/// Every key of every framework, by framework, each framework's in the order of its table.
pub fn framework_keys() -> impl Iterator<Item = (Framework, &'static FrameworkKey)> {
    FAMILIES.iter().flat_map(|family| family.entries().map(|entry| (family.framework, entry)))
}

impl Concept {
    /// The key to log for this concept, as the framework names it; a plain name where it has none.
    pub fn key_hint(self, framework: Framework) -> &'static str {
        let Some(family) = FAMILIES.iter().find(|family| family.framework == framework) else {
            return self.plain_key();
        };
        if self == Concept::Evaluation {
            return family.evaluation;
        }
        let own = family.tables.first().and_then(|table| table.iter().find(|entry| entry.concept == self));
        match (own, family.parent) {
            (Some(entry), _) => entry.key,
            (None, Some(parent)) if parent != framework => self.key_hint(parent),
            _ => self.plain_key(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_is_the_frameworks_own_key() {
        let cases = [
            (Concept::KlToReference, Framework::Trl, "train/kl"),
            (Concept::KlToReference, Framework::Verl, "actor/kl_loss"),
            (Concept::KlToReference, Framework::MsSwift, "train/kl"),
            (Concept::Entropy, Framework::MsSwift, "train/entropy/mean"),
            (Concept::ResponseLength, Framework::Tunix, "completions/train/mean_length"),
            (Concept::Evaluation, Framework::Verl, "val-core/{data}/acc/mean@1"),
            // GRPO in TRL logs none: PPO's name would not help.
            (Concept::KlToSampler, Framework::Trl, "approx_kl"),
            (Concept::ErrorRate, Framework::Verl, "errors/rate"),
            (Concept::Reward, Framework::Unknown, "reward/mean"),
        ];
        for (concept, framework, key) in cases {
            assert_eq!(concept.key_hint(framework), key);
        }
    }

    #[test]
    fn a_key_that_is_proposed_is_understood_when_it_is_logged() {
        for (framework, known) in framework_keys() {
            let hint = known.concept.key_hint(framework).replace("{data}", "gsm8k").replace(['{', '}'], "");
            assert!(super::super::is_bindable(&hint), "{hint}");
        }
    }
}
