//! What to log so that a skipped check can run.

use crate::signals::Signals;
use rundown_format::rich_text::{metric, number};
use rundown_format::{RichText, rich};
use rundown_vocabulary::Concept;

/// What would enable a skipped check.
#[derive(Debug, Clone, PartialEq)]
pub struct Need {
    /// The concepts of which at least one is missing.
    pub concepts: Vec<Concept>,
    /// One plain sentence that names the key to log, under the run's own framework where it is known.
    pub hint: RichText,
}

impl Signals<'_> {
    /// What to log so that `concepts` can be checked, in one sentence.
    pub fn need(&self, concepts: &[Concept]) -> Need {
        let missing: Vec<Concept> =
            concepts.iter().copied().filter(|concept| self.signal(*concept).is_none()).collect();
        let framework = self.bindings.framework;
        let key = |concept: &Concept| rich!("{} ({})", metric(concept.key_hint(framework)), concept.words());
        if missing.is_empty() {
            // All are there, but rounded to nothing.
            let keys = RichText::joined(concepts.iter().map(key), " and ", " and ");
            return Need { concepts: concepts.to_vec(), hint: rich!("Log {} with more digits.", keys) };
        }
        let hint = rich!("Log {}.", RichText::joined(missing.iter().map(key), " and ", " and "));
        Need { concepts: missing, hint }
    }

    /// What to log so that learning can be measured by an evaluation: one, or more of the one that is there. Where there are enough,
    /// they are of other tasks each time.
    pub(crate) fn need_evaluations(&self) -> Need {
        let mut need = self.need(&[Concept::Evaluation]);
        if let Some(evaluation) = self.evaluation() {
            let least = self.rulebook.learning_evaluations().value;
            let own = metric(evaluation.key());
            need.concepts = vec![Concept::Evaluation];
            need.hint = if (evaluation.len() as f64) < least || evaluation.repeats_tasks() {
                rich!("Log {} at least {} times.", own, number(least))
            } else {
                let key = metric(Concept::Evaluation.key_hint(self.bindings.framework));
                rich!("Log {} of the same tasks each time: {} is of the responses of each step.", key, own)
            };
        }
        need
    }
}
