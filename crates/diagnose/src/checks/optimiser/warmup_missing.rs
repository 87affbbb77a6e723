//! Training began at the full learning rate, and the first updates show it.
//!
//! # What it checks
//! The first learning rate is nine tenths of the largest or more (or the config asks for no warm-up), and the gradient
//! norm or the KL spikes within the first 20 points and the first tenth of the run. A note; a warning when the KL
//! spiked and the task does not improve, or when the task declined. Quiet where the warm-up of the config was over before the first
//! logged rate, and skipped where the log begins later in the run.
//!
//! # Why it matters
//! Adam's moment estimates are zero at the start, so the first updates are large and point anywhere. A short
//! warm-up costs nothing.
//!
//! # Evidence needed
//! Learning rate (or a warm-up in the config), and gradient norm or KL to the reference.
//!
//! # Threshold and where it comes from
//! A spike is three times the median of the next 60 points and beyond six robust standard deviations of their
//! logarithm; for the KL it must pass 0.5 too. The very first gradient is taken before any update and does not
//! count, and a gradient that spikes after the KL has been above 0.5 for three points in a row follows from that.
//!
//! # Known false alarms
//! A constant learning rate without any spike is common and fine: it is quiet.
//!
//! # What to do
//! Warm up over 10 to 30 steps.
//!
//! # References
//! Search-R1 docs/experiment_log.md (warm-up); the experiment-analysis guide (high KL in the first 10 steps).

use crate::advice::{Advice, FindingTexts, LOWER_LEARNING_RATE, LOWER_MAX_GRAD_NORM, WARM_UP};
use crate::context::Context;
use crate::kl::KlMovement;
use crate::measure::log_start::{self, LateStart};
use crate::measure::series::MetricSeries;
use crate::measure::start_to_end::begins_with_run;
use crate::settings::Hyperparameter;
use crate::{Check, Code, Evidence, LearningState, Need, Outcome, QuietReason, Severity};
use rundown_format::rich_text::{number, step};
use rundown_format::{RichText, rich};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::WarmupMissing, run);

/// Points after the first ones that show what is usual.
const AFTER: usize = 60;
/// Robust standard deviations of the logarithm.
const UNUSUAL: f64 = 6.0;
/// Points in a row by which a KL above the warning level is more than a spike.
const LASTING: usize = 3;
/// Share of the run that is its beginning.
const BEGINNING: usize = 10;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::Warmup, "Steps over which the learning rate rises."),
        (Hyperparameter::LearningRate, "Without a warm-up it applies from the first update on."),
        (Hyperparameter::MaxGradNorm, "The norm to which the first gradients are clipped."),
    ],
    actions: &[
        Advice::Change(&WARM_UP, "no spike in the first 20 steps"),
        Advice::Change(&LOWER_LEARNING_RATE, "no spike in the first 20 steps"),
        Advice::Change(&LOWER_MAX_GRAD_NORM, "no spike in the first 20 steps"),
    ],
    alternative: "The first batches hold unusual samples.",
    refute: "With a warm-up of 20 steps the same spike is there.",
    references: &[
        "Search-R1 docs/experiment_log.md (warm-up)",
        "experiment-analysis guide (high KL in the first 10 steps)",
    ],
};

fn run(context: &Context<'_>) -> Outcome {
    let book = context.rulebook;
    let rate = context.signal(Concept::LearningRate).filter(|rate| rate.max() > 0.0);
    let planned = planned_warm_up(context);
    let start = rate.and_then(|rate| rate.values.first().map(|first| first / rate.max()));
    let Some(start) = start.or(planned.map(|steps| if steps > 0.0 { 0.0 } else { 1.0 })) else {
        let mut need = context.need(&[Concept::LearningRate]);
        if context.signal(Concept::LearningRate).is_some() {
            need.hint = "The log rounds the learning rate to 0; add the run's config.".into();
        }
        return Outcome::Skipped(need);
    };
    let norm = context.signal(Concept::GradientNorm);
    let moved = context.moved().filter(|moved| moved.limit.is_none());
    if norm.is_none() && moved.is_none() {
        return Outcome::Skipped(context.need(&[Concept::GradientNorm, Concept::KlToReference]));
    }
    if let Some(first) = late_start(context, rate.or(norm).or(moved.map(|moved| &moved.kl))) {
        // Of counted rows the first has a small step all the same.
        let place = log_start::late_start(context.run).unwrap_or(LateStart::Step(first)).words();
        let hint = rich!("The log begins at {}: the first updates are not in it.", place);
        return Outcome::Skipped(Need { concepts: vec![Concept::LearningRate], hint });
    }
    let mut evidence = vec![Evidence::new("first learning rate", start, "of the largest").above(book.warmup_start())];
    let steep = norm.and_then(|norm| spike(context, norm, &norm.values, 0.0));
    let steep = steep.filter(|spike| !moved.is_some_and(|moved| had_left_reference(context, moved, spike.step)));
    let away = moved.and_then(|moved| spike(context, &moved.kl, &moved.values, book.kl_warning().value));
    for (spike, name) in [(&steep, "largest early gradient norm"), (&away, "largest early KL")] {
        if let Some(spike) = spike {
            evidence.push(Evidence::new(name, spike.value, ""));
            let times = Evidence::new(rich!("{} against the level after", name), spike.times, "times");
            evidence.push(times.above(book.warmup_spike()));
        }
    }
    // Of a warm-up that ends between the starts of the run and of its log, the log shows nothing.
    let warm_up = planned.filter(|steps| *steps > 0.0 && rate.is_some_and(|rate| rate.step(0) + 1.0 > *steps));
    if let Some(steps) = warm_up {
        evidence.push(Evidence::new("warm-up by the config", steps, "steps"));
        return Outcome::Quiet(evidence);
    }
    let onset = [&steep, &away].into_iter().flatten().map(|spike| spike.step).reduce(f64::min);
    let Some(onset) = onset.filter(|_| start >= book.warmup_start().value && !context.is_early()) else {
        let reason = if context.is_early() { QuietReason::TooFewPoints } else { QuietReason::NoSpike };
        return Outcome::QuietBecause(reason, evidence);
    };
    let harmed = context.learning.state == LearningState::Declined || (away.is_some() && context.suffers());
    let severity = if harmed { Severity::Warning } else { Severity::Note };
    let what = match (&steep, &away) {
        (_, Some(away)) => rich!("the KL spiked to {}", number(away.value)),
        (Some(steep), None) => rich!("the gradient norm spiked to {}", number(steep.value)),
        (None, None) => RichText::default(),
    };
    let title = rich!("Training began without a warm-up, and {} at step {}", what, step(onset));
    let finding = context.finding(Code::WarmupMissing, severity, title, Some(onset), &TEXTS);
    let detail =
        "The first updates are taken at the full learning rate, while Adam's moment estimates are still near zero.";
    Outcome::Found(vec![finding.supported_by(detail, &[norm, moved.map(|moved| &moved.kl), rate], evidence, 0.6)])
}

/// First step of a log that begins later than the run. An optimiser that waits, for its critic or for a replay buffer, begins later
/// than the rollouts, which are logged meanwhile.
fn late_start(context: &Context<'_>, updates: Option<&MetricSeries<'_>>) -> Option<f64> {
    let rollouts = [Concept::Reward, Concept::ResponseLength].map(|concept| context.signal(concept));
    let signals = || rollouts.into_iter().chain([updates]).flatten();
    if signals().any(begins_with_run) {
        return None;
    }
    signals().map(|signal| signal.step(0)).reduce(f64::min)
}

/// Steps of warm-up by the config: their number, or a share of the run.
fn planned_warm_up(context: &Context<'_>) -> Option<f64> {
    let setting = |hyperparameter| context.setting(hyperparameter).map(|setting| setting.value);
    let share = setting(Hyperparameter::WarmupRatio);
    // A negative number of steps (verl) leaves it to the share.
    let steps = setting(Hyperparameter::Warmup).filter(|steps| *steps > 0.0 || (*steps == 0.0 && share.is_none()));
    let run = || context.planned_steps().unwrap_or_else(|| context.last_step());
    steps.or_else(|| Some(share? * run()))
}

/// True where the policy had left the reference before this step, for several points in a row: a gradient that spikes
/// then follows from that, and a warm-up would have come too late for it.
fn had_left_reference(context: &Context<'_>, moved: &KlMovement<'_>, step: f64) -> bool {
    let line = context.rulebook.kl_warning().value;
    let before = moved.kl.steps.partition_point(|at| *at < step);
    let values = moved.values.get(..before).unwrap_or(&[]);
    values.windows(LASTING).any(|next| next.iter().all(|value| *value > line))
}

struct Spike {
    step: f64,
    value: f64,
    /// Over the median of what follows.
    times: f64,
}

/// The largest value at the beginning, the first point aside, if it stands out from the next ones and is above `least`.
fn spike(context: &Context<'_>, signal: &MetricSeries<'_>, values: &[f64], least: f64) -> Option<Spike> {
    let book = context.rulebook;
    let head = (book.warmup_points().value as usize).min(values.len() / BEGINNING);
    let early = values.get(1..head)?;
    let after = values.get(head..(head + AFTER).min(values.len()))?;
    let usual = stats::median(after)?;
    let logs: Vec<f64> = after.iter().filter(|value| **value > 0.0).map(|value| libm::log(*value)).collect();
    let spread = stats::mad_sigma(&logs).unwrap_or(0.0);
    let (place, value) = early.iter().copied().enumerate().reduce(|a, b| if b.1 > a.1 { b } else { a })?;
    let line = (usual * libm::exp(UNUSUAL * spread)).max(book.warmup_spike().value * usual).max(least);
    let stands_out = value > line && value >= book.warmup_spike().value * stats::median(early)?;
    (stands_out && usual > 0.0).then(|| Spike { step: signal.step(place + 1), value, times: value / usual })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;

    fn spiky(steps: usize) -> Synthetic {
        Synthetic::healthy(steps).noisy(
            "train/grad_norm",
            0.2,
            |t| if (0.015..0.025).contains(&t) { 40.0 } else { 2.0 },
        )
    }

    #[test]
    fn a_spike_without_a_warm_up_is_found() {
        let finding = spiky(300).every("train/learning_rate", 1, |t| 1e-5 * (1.0 - 0.5 * t)).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        assert!((5.0..=9.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        let harmed = spiky(300)
            .every("train/learning_rate", 1, |_| 1e-4)
            .every("eval/accuracy", 10, |t| 0.6 - 0.4 * t)
            .noisy("train/reward", 0.15, |t| 1.4 - 0.5 * t);
        assert_eq!(harmed.finding(&CHECK).severity, Severity::Warning);
    }

    #[test]
    fn a_warm_up_or_a_calm_start_is_quiet() {
        assert!(spiky(300).every("train/learning_rate", 1, |t| 1e-5 * (20.0 * t).min(1.0)).quiet(&CHECK));
        let calm = Synthetic::healthy(300).every("train/learning_rate", 1, |_| 1e-5);
        assert_eq!(calm.quiet_reason(&CHECK), Some(QuietReason::NoSpike));
        let first =
            Synthetic::healthy(300)
                .every("train/learning_rate", 1, |_| 1e-5)
                .noisy("train/grad_norm", 0.2, |t| if t == 0.0 { 40.0 } else { 2.0 });
        assert!(first.quiet(&CHECK), "no update was made before the first gradient");
    }

    #[test]
    fn a_warm_up_or_a_start_that_the_log_leaves_out_is_not_missing() {
        let every_tenth = || {
            Synthetic::healthy(600)
                .every("train/learning_rate", 10, |_| 1e-5)
                .every("train/grad_norm", 10, |t| if (0.03..0.04).contains(&t) { 40.0 } else { 2.0 })
                .config("max_steps", 600.0)
                .logged_from(10)
        };
        assert!(matches!(every_tenth().check(&CHECK), Outcome::Found(_)));
        assert!(every_tenth().config("warmup_ratio", 0.015).quiet(&CHECK), "it had 9 steps of warm-up");
        let contradicted = spiky(300).every("train/learning_rate", 1, |_| 1e-5).config("warmup_steps", 30.0);
        assert!(matches!(contradicted.check(&CHECK), Outcome::Found(_)), "a constant schedule ignores it");
        let resumed = Synthetic::healthy(500)
            .every("train/learning_rate", 1, |_| 1e-5)
            .noisy("train/grad_norm", 0.2, |t| if (0.41..0.42).contains(&t) { 40.0 } else { 2.0 })
            .logged_from(200);
        assert!(matches!(resumed.check(&CHECK), Outcome::Skipped(_)), "the log begins at step 200");
    }

    #[test]
    fn an_optimiser_that_starts_late_is_no_log_that_starts_late() {
        let run = Synthetic::healthy(500)
            .every("train/learning_rate", 1, |_| 1e-5)
            .noisy("train/grad_norm", 0.2, |t| if (0.05..0.06).contains(&t) { 40.0 } else { 2.0 })
            .logged_from(20);
        let waits = run.noisy("train/reward", 0.15, |t| 1.4 + 0.7 * t);
        assert!(matches!(waits.check(&CHECK), Outcome::Found(_)), "the policy waits for its critic");
    }

    #[test]
    fn a_gradient_that_spikes_after_the_policy_has_left_is_a_consequence() {
        let run = |leaves: f64| {
            spiky(300)
                .every("train/learning_rate", 1, |_| 1e-5)
                .noisy("train/kl", 0.01, move |t| 0.05 + if t < leaves { 0.0 } else { 8.0 })
        };
        assert!(run(0.006).quiet(&CHECK), "it left at step 3, and the gradient spikes from step 5 on");
        assert!(!run(0.5).quiet(&CHECK), "it left much later");
    }

    #[test]
    fn without_a_learning_rate_it_is_skipped() {
        assert!(matches!(spiky(300).check(&CHECK), Outcome::Skipped(_)));
    }
}
