//! The learning rate is at zero before the run is over.
//!
//! # What it checks
//! From some step to the end the learning rate is below a thousandth of its peak, for 20 steps, five points and a tenth of
//! the run at least, and performance on the task does not improve there. A warning from a quarter of the run on, while there
//! is something left to learn.
//!
//! # Why it matters
//! The weights do not change any more: every later step costs as much as the ones before, and buys nothing. The other curves
//! look calm, as those of a run that has converged do.
//!
//! # Evidence needed
//! Learning rate, logged with enough digits: where a twentieth of the peak would be printed as 0, a zero says nothing.
//!
//! # Threshold and where it comes from
//! A tenth of the run: schedules that end with the run are near zero for less (a cosine is below a thousandth for the last
//! 2 %). A thousandth of the peak: schedules with a floor keep a tenth or a hundredth of it.
//!
//! # Known false alarms
//! Another group of parameters with a learning rate of its own. A run that waits on purpose, such as one that is only evaluated.
//!
//! # What to do
//! Plan the schedule over all optimiser steps of the run: several updates for each batch of rollouts, or several devices, let
//! it count faster or slower than the trainer's steps. Resume from the step at which it reached zero.
//!
//! # References
//! Hugging Face Transformers, get_linear_schedule_with_warmup (the rate stays 0 behind num_training_steps).

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::measure::level;
use crate::measure::series::MetricSeries;
use crate::settings::Hyperparameter;
use crate::{Check, Code, Evidence, Outcome, QuietReason, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{number, step};
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::LearningRateZero, run);

/// Part of its peak below which a learning rate counts as zero.
const ZERO: f64 = 1e-3;
/// Fewest points and steps at zero: it is no measurement, so that few points are sure.
const MIN_POINTS: usize = 5;
const MIN_STEPS: f64 = 20.0;
/// Share of the run at zero from which it is a warning.
const WARNING_SHARE: f64 = 0.25;
/// Part of the peak that the log must be able to show, so that a printed zero is one.
const RESOLUTION: f64 = 0.1;

const WATCH: &str = "learning rate above 0 up to the last step";

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::Scheduler, "How the learning rate falls, and over how many steps."),
        (Hyperparameter::EpochsPerBatch, "Each update is a step of the schedule, several for each batch of rollouts."),
        (Hyperparameter::Epochs, "The number of steps is planned from the number of epochs."),
    ],
    actions: &[
        Advice::Do([
            "Plan the schedule over all optimiser steps of the run, or hold the learning rate constant",
            "the late steps train again",
            "noisier updates at the end",
            WATCH,
        ]),
        Advice::Do([
            "Resume from the checkpoint at which it reached zero, with a new schedule",
            "the steps up to there are kept",
            "Adam's moment estimates are reset",
            WATCH,
        ]),
    ],
    alternative: "Another group of parameters has a learning rate of its own that is not logged.",
    refute: "The weights of two checkpoints after this step differ.",
    references: &["transformers/optimization.py, get_linear_schedule_with_warmup"],
};

fn run(context: &Context<'_>) -> Outcome {
    let Some(rate) = context.signal(Concept::LearningRate).filter(|rate| rate.max() > 0.0) else {
        return Outcome::Skipped(context.need(&[Concept::LearningRate]));
    };
    let start = rate.values.iter().rposition(|value| *value > ZERO * rate.max()).map_or(0, |last| last + 1);
    let points = rate.len() - start;
    let share = points as f64 / context.planned_points(rate).max(1) as f64;
    let book = context.rulebook;
    let evidence = vec![
        Evidence::new("learning rate at its peak", rate.max(), ""),
        Evidence::new("learning rate at the end", rate.values.last().copied().unwrap_or(f64::NAN), ""),
        Evidence::new("share of the run at zero", share, "").above(book.rate_zero()),
    ];
    let onset = rate.step(start.min(rate.len() - 1));
    let steps = rate.last_step() - onset + 1.0;
    let long = points >= MIN_POINTS && steps >= MIN_STEPS && share > book.rate_zero().value;
    if !long || !shows_small_rates(rate) || context.is_early() {
        return Outcome::Quiet(evidence);
    }
    if improves_after(context, onset) {
        return Outcome::QuietBecause(QuietReason::Improved, evidence);
    }
    let severity = if share >= WARNING_SHARE && context.learning.room { Severity::Warning } else { Severity::Note };
    let title = rich!(
        "The learning rate is at zero from step {} on, after a peak of {}: the last {} steps change nothing",
        step(onset),
        number(rate.max()),
        step((rate.last_step() - onset).round())
    );
    let mut finding = context.finding(Code::LearningRateZero, severity, title, Some(onset), &TEXTS);
    finding.end = Some(rate.last_step());
    let detail = "Its schedule was planned over fewer steps than the run has. What follows costs as much as before, and the weights stay as they are.";
    Outcome::Found(vec![finding.supported_by(detail, &[Some(rate), context.measure()], evidence, 0.9)])
}

/// True where the primary metric surely goes on improving after a step: something is trained all the same.
fn improves_after(context: &Context<'_>, onset: f64) -> bool {
    let Some(signal) = context.measure() else { return false };
    let sign = signal.binding.direction.sign();
    let sure = context.rulebook.learning_z().value;
    level::change_of_halves(signal, onset).is_some_and(|halves| sign * halves.z() >= sure)
}

/// True where a printed zero is one: the log shows rates far below the peak.
fn shows_small_rates(rate: &MetricSeries<'_>) -> bool {
    rate.resolution().is_some_and(|smallest| smallest <= RESOLUTION * rate.max())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;

    /// A schedule that ends at a part of the run, which learns until then.
    fn ended(steps: usize, at: f64) -> Synthetic {
        let learned = move |t: f64| (t / at).min(1.0);
        Synthetic::healthy(steps)
            .every("train/learning_rate", 1, move |t| 1e-6 * (1.0 - t / at).max(0.0))
            .noisy("train/reward", 0.1, move |t| 0.5 + 0.6 * learned(t))
            .every("eval/accuracy", 10, move |t| 0.3 + 0.3 * learned(t))
    }

    #[test]
    fn a_schedule_that_ends_early_is_found_where_it_ends() {
        let finding = ended(300, 0.4).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((118.0..=122.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        assert_eq!(ended(300, 0.85).finding(&CHECK).severity, Severity::Note);
    }

    #[test]
    fn a_schedule_that_ends_with_the_run_and_one_with_a_floor_are_quiet() {
        assert!(ended(300, 1.0).quiet(&CHECK));
        let cosine = |t: f64| 0.5e-6 * (1.0 + libm::cos(std::f64::consts::PI * t));
        assert!(Synthetic::healthy(1_000).every("train/learning_rate", 1, cosine).quiet(&CHECK));
        assert!(ended(300, 0.4).every("train/learning_rate", 1, |t| 1e-6 * (1.0 - t / 0.4).max(0.01)).quiet(&CHECK));
    }

    #[test]
    fn a_rounded_rate_and_a_task_that_gets_better_are_quiet() {
        let rounded = |t: f64| if t < 0.5 { 1e-6 } else { 0.0 };
        assert!(ended(300, 0.5).every("train/learning_rate", 1, rounded).quiet(&CHECK));
        let learns = ended(300, 0.4).every("eval/accuracy", 10, |t| 0.2 + 0.6 * t);
        assert!(learns.noisy("train/reward", 0.1, |t| 0.5 + t).quiet(&CHECK));
    }

    #[test]
    fn without_a_learning_rate_it_is_skipped() {
        assert!(matches!(Synthetic::healthy(300).without("train/learning_rate").check(&CHECK), Outcome::Skipped(_)));
    }
}
