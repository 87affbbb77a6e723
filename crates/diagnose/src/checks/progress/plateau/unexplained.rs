//! What is said of a plateau without a known cause: a cause is excluded only where a metric that would show it was logged.

use crate::context::Context;
use rundown_format::{RichText, rich};
use rundown_vocabulary::{Concept, OF_LANGUAGE_MODELS};

/// The usual causes, each with what shows it. A spread of the reward over the batch does not exclude zero-variance groups.
const CAUSES: [(Concept, &str); 4] = [
    (Concept::ZeroVarianceGroups, "zero-variance groups"),
    (Concept::Entropy, "spent entropy"),
    (Concept::TruncatedShare, "cut-off responses"),
    (Concept::LearningRate, "a decayed learning rate"),
];

/// Which of the usual causes do not show, and which cannot, as nothing of them was logged.
pub(super) fn detail(context: &Context<'_>) -> RichText {
    let of_language = !context.acts_in_environment();
    let causes = |logged: bool| {
        let causes = CAUSES.iter().filter(|(shown_by, _)| {
            let is_usual = of_language || !OF_LANGUAGE_MODELS.contains(shown_by);
            is_usual && context.signal(*shown_by).is_some() == logged
        });
        causes.map(|(_, cause)| *cause).collect::<Vec<_>>().join(", ")
    };
    let (absent, unseen) = (causes(true), causes(false));
    if unseen.is_empty() {
        rich!("None of the usual causes shows: {}.", absent)
    } else if absent.is_empty() {
        rich!("No metric was logged that would show a usual cause: {}.", unseen)
    } else {
        rich!(
            "These usual causes do not show: {}. No metric was logged that would show the others: {}.",
            absent,
            unseen
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::progress::plateau::CHECK;
    use crate::checks::testing::Synthetic;

    #[test]
    fn a_cause_is_excluded_only_where_its_metric_was_logged() {
        let reward = || Synthetic::new(300).noisy("train/reward", 0.1, |t| 0.2 + 2.0 * t.min(0.4));
        let detail = |run: Synthetic| run.finding(&CHECK).detail.to_string();
        assert!(detail(reward()).starts_with("No metric was logged"), "{}", detail(reward()));
        let some = detail(reward().noisy("train/entropy", 0.03, |_| 0.5));
        assert!(some.starts_with("These usual causes do not show: spent entropy. No metric"), "{some}");
        let all = reward()
            .noisy("train/entropy", 0.03, |_| 0.5)
            .noisy("train/frac_reward_zero_std", 0.02, |_| 0.1)
            .noisy("train/completions/clipped_ratio", 0.001, |_| 0.01)
            .every("train/learning_rate", 1, |_| 1e-6);
        assert!(detail(all).starts_with("None of the usual causes shows: zero-variance groups, "));
    }
}
