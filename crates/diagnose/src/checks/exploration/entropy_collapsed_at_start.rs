//! The policy was already sharp before training began.
//!
//! # What it checks
//! The mean entropy of the first five points, when the start of the run was logged: below 0.05 nats/token, as is that of
//! the first fifth of the run. A warning when the task does not improve, a note otherwise.
//!
//! # Why it matters
//! RL strengthens what the policy already tries. One that gives the same answer each time has nothing to choose
//! from: groups agree, advantages vanish, and no setting of the optimiser helps.
//!
//! # Evidence needed
//! Entropy per token from the start of the run, and a primary metric.
//!
//! # Threshold and where it comes from
//! 0.05 nats/token: Axolotl's guide calls 0.05 to 0.5 healthy, and public runs start at 0.12 to 0.75; a run from a
//! fine-tuned checkpoint that started at 0.04 wasted most of its steps.
//!
//! # Known false alarms
//! Very short answers, where one sure token is right. An entropy that is zero in every row was not computed, and is
//! not read here.
//!
//! # What to do
//! Start from an earlier checkpoint of the fine-tuning, or from the base model; sample at temperature 1 or above.
//!
//! # References
//! Axolotl docs/training_stability.qmd; arXiv 2505.22617 (entropy mechanism).

use crate::advice::{Advice, CLIP_HIGHER, FindingTexts, MORE_RESPONSES, TEMPERATURE_ONE};
use crate::context::Context;
use crate::measure::series::{Fifth, MetricSeries};
use crate::measure::start_to_end::begins_by;
use crate::settings::Hyperparameter;
use crate::{Check, Code, Evidence, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{number, step};
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_metric(Code::EntropyCollapsedAtStart, Concept::Entropy, run);

/// Points whose mean is the start.
const START: usize = 5;
/// A first point by this step is one of the start, whatever the logging interval.
const FIRST_STEPS: f64 = 10.0;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::Temperature, "A sampling temperature below 1 makes a peaked policy more peaked."),
        (Hyperparameter::Generations, "With few responses per prompt, those of a peaked policy are all alike."),
    ],
    actions: &[
        Advice::Do([
            "Start from an earlier checkpoint of the fine-tuning, or from the base model",
            "a policy that tries more than one answer",
            "the format of the responses has to be learned again",
            "entropy above 0.1 at the first steps",
        ]),
        Advice::Change(&TEMPERATURE_ONE, "share of zero-variance groups"),
        Advice::Change(&MORE_RESPONSES, "share of zero-variance groups"),
        Advice::Change(&CLIP_HIGHER, "entropy does not fall further"),
    ],
    alternative: "Answers are short and nearly always right: a sharp policy fits the task.",
    refute: "Several samples of one prompt at temperature 1 differ in their answers.",
    references: &["Axolotl docs/training_stability.qmd", "arXiv 2505.22617 (entropy mechanism)"],
};

fn run(context: &Context<'_>, entropy: &MetricSeries<'_>) -> Outcome {
    let line = context.rulebook.entropy_start();
    let start = entropy.start_level(START);
    let unit = context.policy_unit();
    let evidence = vec![
        Evidence::new("entropy of the first 5 points", start, unit.as_str()).below(line),
        Evidence::new("primary metric at the end", context.learning.last, ""),
    ];
    let first = entropy.step(0);
    // Steps of one prompt each differ so much that five may be low by chance.
    let stays_low = entropy.level(Fifth::First).abs() < line.value;
    if entropy.len() < START || !begins_by(entropy, FIRST_STEPS) || start.abs() >= line.value || !stays_low {
        return Outcome::Quiet(evidence);
    }
    // So sharp a start leaves little hope of a gain that has not shown by now.
    let long = context.counted_points() as f64 >= context.rulebook.conservative_points().value;
    let hopeless = context.suffers() || long && context.learning.room && !context.improved();
    let severity = if hopeless && !context.is_early() { Severity::Warning } else { Severity::Note };
    let title = rich!("Entropy is only {} {} at the start, step {}", number(start), unit.words(), step(first));
    let finding = context.finding(Code::EntropyCollapsedAtStart, severity, title, Some(first), &TEXTS);
    let detail = "The policy was nearly deterministic before training began, so it has little to choose from.";
    Outcome::Found(vec![finding.supported_by(detail, &[entropy], evidence, 0.75)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;

    #[test]
    fn a_sharp_start_is_found() {
        let sharp = || Synthetic::healthy(300).noisy("train/entropy", 0.003, |_| 0.03);
        let stuck = sharp().noisy("train/reward", 0.15, |_| 1.4).every("eval/accuracy", 10, |_| 0.5);
        let finding = stuck.finding(&CHECK);
        assert_eq!((finding.severity, finding.onset), (Severity::Warning, Some(1.0)));
        assert_eq!(sharp().finding(&CHECK).severity, Severity::Note, "it learns all the same");
    }

    #[test]
    fn a_usual_start_is_quiet() {
        assert!(Synthetic::healthy(300).quiet(&CHECK));
        let by_chance = |t: f64| if t < 0.017 { 0.03 } else { 0.09 };
        assert!(Synthetic::healthy(300).noisy("train/entropy", 0.01, by_chance).quiet(&CHECK));
        let spent = Synthetic::healthy(300).noisy("train/entropy", 0.005, |t| 0.4 * (1.0 - t));
        assert!(spent.quiet(&CHECK));
        let outcome = Synthetic::healthy(300).without("train/entropy").check(&CHECK);
        assert!(matches!(outcome, Outcome::Skipped(_)));
    }
}
