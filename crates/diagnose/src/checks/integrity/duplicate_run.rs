//! Two metrics of the run that should differ are identical.
//!
//! # What it checks
//! Two metrics of different quantities (entropy and KL, length and gradient norm, the training reward and a score on
//! held-out tasks) agree to the last digit in every point: 20 points at least, with ten different values.
//!
//! # Why it matters
//! One of the two is a copy. Whatever is read from it is wrong; an evaluation that repeats the training reward says
//! nothing about held-out tasks.
//!
//! # Evidence needed
//! Two metrics of 20 points or more.
//!
//! # Threshold and where it comes from
//! 20 points: two measured series never agree to the last digit for so long.
//!
//! # Known false alarms
//! Metrics that may rightly agree are not compared: the reward and its only function, lengths when nothing is cut off,
//! two names of one evaluation, an accuracy that does not say that it was measured on held-out tasks.
//!
//! # What to do
//! Look at the line of code that logs each of the two.
//!
//! # References
//! Public notebooks that hold the table of another run.

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::{Check, Code, Evidence, Finding, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::metric;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::DuplicateRun, run);

/// Fewest different values among them: a saturated reward agrees with every other one.
const DIFFERENT: usize = 10;

fn run(context: &Context<'_>) -> Outcome {
    let mut compared: Vec<&MetricSeries<'_>> = Vec::new();
    let mut found = Vec::new();
    let fewest = context.rulebook.duplicate_points().value;
    let signals = Concept::ALL.iter().flat_map(|concept| context.signals(*concept));
    for signal in signals.filter(|signal| is_compared(signal) && is_telling(&signal.values, fewest)) {
        let is_twin =
            |seen: &&&MetricSeries<'_>| seen.binding.concept != signal.binding.concept && is_same(seen, signal);
        match compared.iter().find(is_twin) {
            Some(seen) => found.push(finding(context, seen, signal)),
            None => compared.push(signal),
        }
    }
    if found.is_empty() {
        return Outcome::Quiet(vec![Evidence::new("metrics compared", compared.len() as f64, "")]);
    }
    Outcome::Found(found)
}

/// True for a metric that no metric of another concept can agree with.
fn is_compared(signal: &MetricSeries<'_>) -> bool {
    match signal.binding.concept {
        Concept::Entropy
        | Concept::KlToReference
        | Concept::KlToSampler
        | Concept::GradientNorm
        | Concept::ResponseLength
        | Concept::Reward => true,
        Concept::Evaluation => names_held_out_tasks(signal.key()),
        _ => false,
    }
}

/// True for a series of `fewest` points or more that is varied enough to be known again.
fn is_telling(values: &[f64], fewest: f64) -> bool {
    let mut different: Vec<f64> = Vec::with_capacity(DIFFERENT);
    for value in values {
        if different.len() == DIFFERENT {
            break;
        }
        if !different.contains(value) {
            different.push(*value);
        }
    }
    values.len() as f64 >= fewest && different.len() == DIFFERENT
}

/// True for a key whose words say that it was measured on other tasks than those of the training.
fn names_held_out_tasks(key: &str) -> bool {
    let held_out = ["eval", "evaluation", "val", "valid", "validation", "test", "heldout"];
    key.to_ascii_lowercase().split(|letter: char| !letter.is_ascii_alphanumeric()).any(|word| held_out.contains(&word))
}

fn is_same(one: &MetricSeries<'_>, other: &MetricSeries<'_>) -> bool {
    one.len() == other.len() && one.values == other.values && one.steps == other.steps
}

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[Advice::Do([
        "Look at the code that logs each of the two",
        "both say what their names promise",
        "none",
        "a point in which the two differ",
    ])],
    alternative: "One of the names is an alias that was logged on purpose.",
    refute: "The code computes each from other data.",
    references: &[],
};

fn finding(context: &Context<'_>, one: &MetricSeries<'_>, other: &MetricSeries<'_>) -> Finding {
    let title =
        rich!("{} and {} are the same numbers in all of {} points", metric(one.key()), metric(other.key()), one.len());
    let onset = one.steps.first().copied();
    let finding = context.finding(Code::DuplicateRun, Severity::Warning, title, onset, &TEXTS);
    let detail = rich!(
        "One is {}, the other {}: they cannot agree to the last digit, so one of them is a copy.",
        one.binding.concept.words(),
        other.binding.concept.words()
    );
    let evidence =
        vec![Evidence::new("points that agree", one.len() as f64, "").above(context.rulebook.duplicate_points())];
    finding.supported_by(detail, &[Some(one), Some(other)], evidence, 0.95)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, found};

    #[test]
    fn an_evaluation_that_repeats_the_training_reward_is_found() {
        let mut run = Synthetic::healthy(100).without("eval/accuracy").build();
        let reward = run.columns["train/reward"].clone();
        run.columns.insert("eval/reward".to_owned(), reward);
        run.choose_axis();
        let found = found(&run, &CHECK);
        assert!(found.len() == 1 && found[0].title.to_string().contains("eval/reward"), "{found:?}");
    }

    #[test]
    fn a_usual_run_and_a_saturated_one_are_quiet() {
        assert!(Synthetic::healthy(100).quiet(&CHECK));
        let solved = Synthetic::healthy(100).noisy("train/reward", 0.0, |_| 1.0).every("eval/accuracy", 1, |_| 1.0);
        assert!(solved.quiet(&CHECK));
    }
}
