//! Names that loops without a language model give other meanings: Stable-Baselines3 logs the negative entropy as
//! `train/entropy_loss`, and a `kl` beside a critic's numbers is that of an update.

use super::{Binder, Meaning};
use crate::generic::{by_words, is_entropy_loss};
use crate::table::{Keys, has_any, normal, words};
use crate::{Concept, OF_LANGUAGE_MODELS, Scale};

/// What a critic logs.
const OF_CRITIC: [Concept; 2] = [Concept::ValueLoss, Concept::ExplainedVariance];
/// Words of a setting or a metric that tell of a reference.
const OF_REFERENCE: [&str; 2] = ["ref", "reference"];

impl Binder<'_> {
    #[inline(never)]
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
        let [kl] = self.bindings.all(Concept::KlToReference) else { return };
        let is_bound = |concept: &Concept| self.bindings.first(*concept).is_some();
        let tells = |key: &str| {
            let words = words(key);
            has_any(&words, &["kl"]) || has_any(&words, &OF_REFERENCE)
        };
        let has_reference = self.run.config.iter().any(|(key, _)| tells(key))
            || self.run.columns.keys().any(|key| *key != kl.key && tells(key));
        // A framework's own name says which KL it is.
        let is_plain = by_words(&normal(&kl.key)).is_some() && !has_any(&words(&kl.key), &OF_REFERENCE);
        let has_critic = OF_CRITIC.iter().any(is_bound);
        if !is_plain || !has_critic || OF_LANGUAGE_MODELS.iter().any(is_bound) || has_reference {
            return;
        }
        let why = format!(
            "{} With a critic and no sign of a reference or a language model, it is that of an update.",
            kl.why
        );
        self.bindings.rebind_first(Concept::KlToReference, Concept::KlToSampler, why);
    }
}

#[cfg(test)]
mod tests {
    use super::super::bind;
    use crate::Concept;
    use rundown_run::Run;

    #[test]
    fn an_entropy_below_zero_is_not_one_over_tokens() {
        let why = |values: [f64; 3]| {
            let mut run = Run::default();
            for (step, value) in values.into_iter().enumerate() {
                let row = run.push_row(step as f64, f64::NAN);
                run.push_value("entropy", row, value);
            }
            run.choose_axis();
            bind(&run).first(Concept::Entropy).map(|found| found.why.clone()).unwrap()
        };
        assert!(why([-7.4, -20.0, -35.6]).contains("negative"));
        assert!(!why([0.3, 0.1, -0.01]).contains("negative"), "by rounding");
    }
}
