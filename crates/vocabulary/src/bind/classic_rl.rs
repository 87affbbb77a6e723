//! Names that loops without a language model give other meanings: Stable-Baselines3 logs the negative entropy as
//! `train/entropy_loss`, and a `kl` beside a critic's numbers is that of an update.

use super::{Binder, Meaning};
use crate::generic::{by_words, is_entropy_loss};
use crate::table::{Keys, normal, words};
use crate::{Concept, Scale};

/// What a critic logs.
const OF_CRITIC: [Concept; 2] = [Concept::ValueLoss, Concept::ExplainedVariance];
/// What only the log of a language model holds.
const OF_LANGUAGE: [Concept; 6] = [
    Concept::ResponseLength,
    Concept::ResponseLengthMax,
    Concept::PromptLength,
    Concept::TruncatedShare,
    Concept::ZeroVarianceGroups,
    Concept::Tokens,
];
/// Words of a setting or a metric that tell of a reference.
const OF_REFERENCE: [&str; 3] = ["kl", "ref", "reference"];

impl Binder<'_> {
    pub(super) fn classic_rl(&mut self, keys: &Keys<'_>) {
        self.entropy_loss(keys);
        self.kl_of_updates();
    }

    /// Binds a loss that is the negative entropy: one that is nowhere above zero. Others may hold a coefficient.
    fn entropy_loss(&mut self, keys: &Keys<'_>) {
        if self.bindings.first(Concept::Entropy).is_some() {
            return;
        }
        let is_negative = |key: &str| self.finite(key).all(|value| value <= 0.0) && self.lowest(key) < 0.0;
        let found =
            keys.iter().find(|(normal, key)| !self.keys.contains(**key) && is_entropy_loss(normal) && is_negative(key));
        if let Some((_, key)) = found {
            let meaning = Meaning::plain(Concept::Entropy, Concept::Entropy.unit(), None);
            let why = "A loss that rewards entropy, by its words and its sign.".to_owned();
            self.push(key, Meaning { scale: Scale::Negative, ..meaning }, why);
        }
    }

    /// A KL by its words alone is one between two updates where a critic is trained and nothing tells of a language model or a
    /// reference.
    fn kl_of_updates(&mut self) {
        let has = |concepts: &[Concept]| concepts.iter().any(|concept| self.bindings.first(*concept).is_some());
        let [kl] = self.bindings.all(Concept::KlToReference) else { return };
        let tells = |key: &str| words(key).iter().any(|word| OF_REFERENCE.contains(&word.as_str()));
        let has_reference = self.run.config.iter().any(|(key, _)| tells(key))
            || self.run.columns.keys().any(|key| *key != kl.key && tells(key));
        // A framework's own name says which KL it is.
        let is_plain = by_words(&normal(&kl.key)).is_some() && !tells_reference(&kl.key);
        if !is_plain || !has(&OF_CRITIC) || has(&OF_LANGUAGE) || has_reference {
            return;
        }
        let why = format!("{} Beside a critic, without a reference or a language model: that of an update.", kl.why);
        self.bindings.rebind_first(Concept::KlToReference, Concept::KlToSampler, why);
    }
}

fn tells_reference(key: &str) -> bool {
    words(key).iter().any(|word| word != "kl" && OF_REFERENCE.contains(&word.as_str()))
}
