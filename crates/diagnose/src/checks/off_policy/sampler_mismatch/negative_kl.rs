//! A KL to the reference below zero: averaged over responses of the policy it cannot be, so they were sampled from another one.

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::kl::SHORT_RESPONSE;
use crate::settings::Hyperparameter;
use crate::topics::threshold_rule::stretch;
use crate::{Code, Evidence, Finding, Relation, Severity};
use rundown_format::rich;
use rundown_format::rich_text::number;
use rundown_vocabulary::{Concept, Direction, Unit};

/// Standard error of a median, in those of the mean of as many points with normal noise.
const ERROR_OF_MEDIAN: f64 = 1.25;
/// By how many standard errors more the stretch must stand out, as it is the lowest of the run. Ours.
const ERRORS_OF_CHOICE: f64 = 1.0;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[(Hyperparameter::Temperature, "Log-probabilities must be taken at the temperature of the sampling.")],
    actions: &[
        Advice::Do([
            "Sample from the whole distribution: top_k off, top_p 1, no minimum length, and the temperature of the log-probabilities",
            "responses are those of the policy",
            "none",
            "KL to the reference above 0",
        ]),
        Advice::GoBack,
    ],
    alternative: "The KL is logged with the opposite sign, or over responses that another policy sampled on purpose.",
    refute: "Both log-probabilities of a fixed batch, both computed by the trainer, give a KL above 0.",
    references: &["TRL 0.11, ppo_trainer.py (warning below -1)"],
};

/// The finding, where the KL is negative for long.
pub(super) fn finding(context: &Context<'_>) -> Option<Finding> {
    let kl = context.signal(Concept::KlToReference).filter(|kl| context.has_enough_points(kl))?;
    let limit = context.rulebook.negative_kl();
    let is_sum = kl.binding.unit == Unit::NatsPerSequence;
    let line = if is_sum { limit.value } else { limit.value / SHORT_RESPONSE };
    let found = stretch(kl, 0, Direction::Down, line)?;
    // A signed estimate over few responses scatters around 0, and stays below it for some points by chance.
    let points = kl.steps.iter().filter(|step| (found.from..=found.to).contains(*step)).count();
    let error = ERROR_OF_MEDIAN * kl.noise().point / (points as f64).sqrt();
    if -found.level < (context.rulebook.learning_z().value + ERRORS_OF_CHOICE) * error {
        return None;
    }
    // A hand-written loop may log the mean over tokens with the opposite sign.
    let harmful = is_sum && !context.improved() && !found.is_over_without_harm(context, kl);
    let severity = if harmful { Severity::Warning } else { Severity::Note };
    let title = rich!("The KL to the reference is negative {}: {}", found.period(), number(found.level));
    let mut finding = context.finding(Code::SamplerMismatch, severity, title, Some(found.from), &TEXTS);
    finding.end = found.end();
    let level = Evidence::new("median while negative", found.level, kl.binding.unit.as_str());
    let level = if is_sum {
        level.compared(Relation::Below, limit)
    } else {
        level.limited(Relation::Below, line, "the limit of a sequence, over 100 tokens")
    };
    let detail = "Averaged over its own responses, the KL of a policy to its reference cannot be negative: these were sampled from another distribution than the one that is trained.";
    Some(finding.supported_by(
        detail,
        &[kl],
        vec![level, Evidence::new("share of the points below", found.share, "")],
        0.7,
    ))
}

#[cfg(test)]
mod tests {
    use super::super::CHECK;
    use crate::checks::testing::Synthetic;
    use crate::{Outcome, Severity};

    #[test]
    fn a_negative_sum_over_responses_is_found() {
        let flat = || Synthetic::new(300).noisy("objective/scores", 0.1, |_| 0.4);
        let finding = flat().noisy("objective/kl", 0.5, |t| -8.0 * t).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((20.0..=80.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        let learning = Synthetic::new(300).noisy("objective/scores", 0.1, |t| t).noisy("objective/kl", 0.5, |_| -4.0);
        assert_eq!(learning.finding(&CHECK).severity, Severity::Note);
    }

    #[test]
    fn one_that_became_positive_is_a_note_with_its_end() {
        let run = Synthetic::new(300).noisy("objective/scores", 0.1, |_| 0.4);
        let finding = run.noisy("objective/kl", 0.2, |t| if t < 0.3 { -4.0 } else { 3.0 }).finding(&CHECK);
        assert_eq!((finding.severity, finding.end), (Severity::Note, Some(90.0)));
    }

    #[test]
    fn an_estimate_that_scatters_is_quiet_though_some_points_in_a_row_are_low() {
        let low = [-6.0, -2.0, 4.0, -7.0, -3.0, -5.0, 3.0, -4.0, -6.0];
        let run = Synthetic::new(40).noisy("objective/scores", 0.1, |_| 0.4).every("objective/kl", 1, |t| {
            let place = (40.0 * t).round() as usize;
            let usual = if place.is_multiple_of(2) { 5.0 } else { -5.0 };
            place.checked_sub(15).and_then(|place| low.get(place)).copied().unwrap_or(usual)
        });
        assert!(matches!(run.check(&CHECK), Outcome::Skipped(_)));
    }

    #[test]
    fn an_estimate_around_zero_is_quiet() {
        let run = Synthetic::new(300).noisy("objective/scores", 0.1, |_| 0.4).noisy("objective/kl", 0.5, |_| -0.1);
        assert!(matches!(run.check(&CHECK), Outcome::Skipped(_)), "nothing else of a mismatch is logged");
    }
}
