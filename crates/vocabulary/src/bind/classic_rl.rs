//! Names that loops without a language model give other meanings: Stable-Baselines3 logs the negative entropy as
//! `train/entropy_loss`, and a `kl` or `ess` beside a critic's numbers is that of an update.

use super::{Binder, Meaning, why_by_words};
use crate::generic::{by_words, is_entropy_loss};
use crate::table::{Keys, has_any, normal, words};
use crate::{Concept, OF_LANGUAGE_MODELS, Scale};
use rundown_run::Run;

/// The bare name of an effective sample size, normalised.
pub(super) const SAMPLE_SIZE: &str = "ess";
/// What a critic logs.
const OF_CRITIC: [Concept; 2] = [Concept::ValueLoss, Concept::ExplainedVariance];
/// Beginnings of words that metrics of language models have. Two of them are enough to tell; one alone may be something else, such as
/// the tokens collected in a game.
const OF_TEXTS: [&str; 3] = ["lora", "prompt", "token"];
/// More of them, which are enough beside one of those: tasks of a scheduler have completions and responses too.
const ALSO_OF_TASKS: [&str; 2] = ["completion", "response"];
/// Words beside which they are of such tasks.
const OF_TASKS: [&str; 4] = ["rate", "rates", "time", "times"];
/// Words of a setting or a metric that tell of a reference.
const OF_REFERENCE: [&str; 2] = ["ref", "reference"];

impl Binder<'_> {
    #[inline(never)]
    pub(super) fn classic_rl(&mut self, keys: &Keys<'_>) {
        self.entropy_loss(keys);
        self.kl_of_updates();
        self.sample_size(keys);
    }

    /// True where a critic is trained and nothing tells of a language model.
    fn is_classic(&self) -> bool {
        let is_bound = |concept: &Concept| self.bindings.first(*concept).is_some();
        OF_CRITIC.iter().any(is_bound)
            && !OF_LANGUAGE_MODELS.iter().any(is_bound)
            && !has_language_model_names(self.run)
    }

    /// Binds a bare name of an effective sample size, but for that of an update, as TorchRL's PPO logs it in games too.
    fn sample_size(&mut self, keys: &Keys<'_>) {
        let bare = keys.get(SAMPLE_SIZE).copied().filter(|key| !self.keys.contains(*key) && self.is_share(key));
        let Some(key) = bare.filter(|_| !self.is_classic()) else { return };
        let concept = Concept::MismatchSampleSize;
        self.push(key, Meaning::plain(concept, concept.unit(), None), why_by_words(concept));
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
        let tells = |key: &str| {
            let words = words(key);
            has_any(&words, &["kl"]) || has_any(&words, &OF_REFERENCE)
        };
        let has_reference = self.run.config.iter().any(|(key, _)| tells(key))
            || self.run.columns.keys().any(|key| *key != kl.key && tells(key));
        // A framework's own name says which KL it is.
        let is_plain = by_words(&normal(&kl.key)).is_some() && !has_any(&words(&kl.key), &OF_REFERENCE);
        if !is_plain || !self.is_classic() || has_reference {
            return;
        }
        let why = format!(
            "{} With a critic and no sign of a reference or a language model, it is that of an update.",
            kl.why
        );
        self.bindings.rebind_first(Concept::KlToReference, Concept::KlToSampler, why);
    }
}

/// True where the names of metrics, those that stand for no concept among them, are of a language model.
pub fn has_language_model_names(run: &Run) -> bool {
    let names: Vec<Vec<String>> = run.columns.keys().map(|key| words(key)).collect();
    let is_there = |known: &str, beside: &[&str]| {
        names.iter().any(|words| words.iter().any(|word| word.starts_with(known)) && !has_any(words, beside))
    };
    let of_texts = OF_TEXTS.iter().filter(|known| is_there(known, &[])).count();
    of_texts > 1 || of_texts == 1 && ALSO_OF_TASKS.iter().any(|known| is_there(known, &OF_TASKS))
}

#[cfg(test)]
mod tests {
    use super::super::bind;
    use super::super::tests::{first, run};
    use crate::Concept;
    use rundown_run::Run;

    #[test]
    fn a_kl_beside_a_critic_is_that_to_the_reference_where_names_tell_of_a_language_model() {
        let loops = ["reward_mean", "KL", "value_loss"];
        let of_update =
            |more: &[&str]| first(&bind(&run(&[&loops[..], more].concat())), Concept::KlToSampler).is_some();
        assert!(!of_update(&["prompt_id_count", "tokens_shape"]));
        assert!(of_update(&["tokens_shape", "tokens_found"]) && of_update(&["old_logprob", "new_logprob"]));
        assert!(!of_update(&["tokens_shape", "response_count"]));
        assert!(of_update(&["avg_completion_time", "avg_response_delay"]), "of a scheduler");
        assert!(of_update(&["tokens_shape", "avg_completion_time"]));
    }

    #[test]
    fn a_bare_sample_size_beside_a_critic_is_that_of_an_update() {
        let is_bound = |keys: &[&str]| first(&bind(&run(keys)), Concept::MismatchSampleSize).is_some();
        assert!(!is_bound(&["reward_mean", "train/ESS", "value_loss"]));
        assert!(is_bound(&["reward_mean", "train/ESS"]) && is_bound(&["reward_mean", "policyness/ess", "value_loss"]));
        assert!(is_bound(&["train/ESS", "value_loss", "prompt_id_count", "tokens_shape"]));
    }

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
