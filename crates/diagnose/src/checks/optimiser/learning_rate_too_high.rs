//! The learning rate is too high.
//!
//! # What it checks
//! Two or more of these begin within the first tenth of the run, or soon after its warm-up, while the task is known not to improve,
//! or three or more while it is not known to improve: KL to the reference above 0.2, KL to the old policy above 0.02, clip
//! fraction above 5 %, gradients three times as large as at the start. Or: the learning rate is five times above the usual range,
//! the reward never rose, and the task declined, or stood still with any of these signs. A warning; where nothing that was
//! logged measures the task it is a note, that the rate may be too high.
//!
//! # Why it matters
//! It is the first hyperparameter to turn: a rate that is too high looks like a KL blow-up, a collapse of entropy or exploding
//! responses, and all of those go away with it.
//!
//! # Evidence needed
//! The learning rate, logged or in the config, and two of KL to the reference, KL to the old policy, clip fraction and
//! gradient norm.
//!
//! # Threshold and where it comes from
//! Usual rates are 5e-7 to 3e-6 for full fine-tuning and 5e-6 to 1e-4 for adapters (published recipes). The signs are
//! those of `too_aggressive`; their time tells the learning rate from causes that come later.
//!
//! # Known false alarms
//! A reward that rises tells another story (`reward_hacking`, `overfitting`), and is quiet. Small models take larger
//! rates. Where a schedule lowered the rate to a third or less, and the KL to the old policy, the clip fraction or the growth of
//! the KL to the reference stayed as large, the rate does not set the size of the updates: such a sign does not count.
//!
//! # What to do
//! A third of the rate; a warm-up of 10 to 30 steps.
//!
//! # References
//! TRL and Search-R1 recipes; tinker cookbook, learning rates for LoRA; Spinning Up (target_kl).

use crate::advice::{Advice, FindingTexts, LOWER_LEARNING_RATE, RAISE_KL_COEFFICIENT, WARM_UP};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::settings::{Hyperparameter, Setting};
use crate::topics::follows_rate::does_not_follow;
use crate::topics::update_size;
use crate::{Check, Code, Evidence, LearningState, Outcome, QuietReason, Severity};
use rundown_format::rich_text::{number, step};
use rundown_format::{learning_rate, rich};
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::LearningRateTooHigh, run);

/// Signs that must come together.
const TOGETHER: usize = 2;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::LearningRate, "Sets how far each update moves the policy."),
        (Hyperparameter::Warmup, "Without a warm-up the first updates are as large as the last."),
        (Hyperparameter::EpochsPerBatch, "More updates from a batch add up."),
        (Hyperparameter::MinibatchSize, "More updates from a batch add up."),
        (Hyperparameter::KlCoefficient, "At this coefficient the KL term may be too weak to hold the policy."),
    ],
    actions: &[
        Advice::Change(&LOWER_LEARNING_RATE, "KL below 0.2 and evaluation not lower after 50 steps"),
        Advice::Change(&WARM_UP, "gradient norm and KL in the first 50 steps"),
        Advice::FewerUpdates("clip fraction below 0.05"),
        Advice::Change(&RAISE_KL_COEFFICIENT, "KL below 0.2 after 50 steps"),
    ],
    alternative: "The reward leads away from the task, and a lower rate would only take longer.",
    refute: "A third of the rate from the same start shows the same decline, later.",
    references: &["TRL paper_index.md (recipes)", "Spinning Up, PPO (target_kl)"],
};

fn run(context: &Context<'_>) -> Outcome {
    let rate = context.signal(Concept::LearningRate);
    let setting = context.setting(Hyperparameter::LearningRate);
    let known = [Concept::KlToSampler, Concept::KlToReference, Concept::ClipFraction, Concept::GradientNorm];
    if rate.is_none() && setting.is_none() && !known.iter().any(|concept| context.signal(*concept).is_some()) {
        return Outcome::Skipped(context.need(&[Concept::LearningRate]));
    }
    let until = window_end(context);
    let mut early = update_size::early_signs(context, until);
    early.retain(|sign| context.has_enough_points(&sign.signal));
    let mut evidence: Vec<Evidence> = early.iter().map(|sign| sign.evidence.clone()).collect();
    // What a schedule lowered without effect was not the cause.
    let before = early.len();
    early.retain(|sign| match does_not_follow(context, &sign.signal) {
        Some(kept) => {
            evidence.push(kept);
            false
        }
        None => true,
    });
    let is_refuted = early.len() < before;
    let excess = setting.as_ref().and_then(|setting| excess(setting).map(|excess| (setting, excess)));
    if let Some((_, excess)) = excess {
        let times = Evidence::new("learning rate", excess, "times the usual maximum");
        evidence.push(times.above(context.rulebook.rate_unusual()));
    }
    let unusual = excess.is_some_and(|(_, excess)| excess >= context.rulebook.rate_unusual().value);
    // The rate alone is blamed only where training never worked, and the policy was carried away.
    let carried = || context.learning.state == LearningState::Declined || !update_size::signs(context).is_empty();
    let damaged = unusual && !is_refuted && context.suffers() && !context.reward_ever_rose() && carried();
    let together = early.len() >= TOGETHER && (context.suffers() || early.len() > TOGETHER && !context.improved());
    if context.is_early() {
        return Outcome::QuietBecause(QuietReason::TooFewPoints, evidence);
    }
    if context.reward_rose() {
        return Outcome::QuietBecause(QuietReason::RewardRose, evidence);
    }
    if !(together || damaged) {
        let is_single = early.len() < TOGETHER && !unusual;
        let reason = if is_single { QuietReason::SingleSign } else { context.reason_by_learning() };
        return Outcome::QuietBecause(reason, evidence);
    }
    // A rate beyond all recipes is the cause from the first step; else the first sign says when it began.
    let starts = early.iter().map(|sign| sign.stretch.from).filter(|_| !unusual);
    let onset = starts.reduce(f64::min).or(context.run.step_range().map(|(first, _)| first));
    // Without a measure large updates are known, and no harm.
    let is_measured = context.learning.is_measured();
    let severity = if is_measured { Severity::Warning } else { Severity::Note };
    let value = match (&setting, rate) {
        (Some(setting), _) => setting.text.clone(),
        (None, Some(rate)) => learning_rate(rate.max()),
        (None, None) => String::new(),
    };
    let measure = context.learning.measure.as_ref().map_or("the reward", |measure| measure.key.as_str());
    let of = if value.is_empty() { "" } else { " of " };
    let went = rich!("{} went from {} to {}", measure, number(context.learning.first), number(context.learning.last));
    let signs = rich!("{} signs of large updates by step {}", early.len(), step(until.floor()));
    let title = match excess {
        _ if !is_measured => rich!("The learning rate{}{} may be too high: {}", of, value, signs),
        Some((_, excess)) if !together => {
            rich!("The learning rate{}{} is {} times the usual maximum, and {}", of, value, number(excess), went)
        }
        _ => rich!("The learning rate{}{} is too high: {}, with {}", of, value, went, signs),
    };
    let finding = context.finding(Code::LearningRateTooHigh, severity, title, onset, &TEXTS);
    let detail = if is_measured {
        "Updates are so large that the policy is damaged before it can learn."
    } else {
        "Updates are large, and nothing that was logged tells whether the policy learns."
    };
    let shown: Vec<&MetricSeries<'_>> = early.iter().map(|sign| &sign.signal).chain(rate).collect();
    let confidence = if unusual && together { 0.85 } else { 0.65 };
    Outcome::Found(vec![finding.supported_by(detail, &shown, evidence, confidence)])
}

/// Step until which a rate that is too high shows: a share of the run after its warm-up, or after the start.
fn window_end(context: &Context<'_>) -> f64 {
    let Some((first, last)) = context.run.step_range() else { return f64::NAN };
    let last = context.planned_steps().map_or(last, |planned| planned.max(last));
    let warm = context.warmup_end().unwrap_or(first);
    warm + context.rulebook.rate_window().value * (last - first)
}

/// How many times the usual maximum a rate is.
fn excess(setting: &Setting) -> Option<f64> {
    let (_, high) = setting.usual?;
    (high > 0.0 && setting.value > high).then(|| setting.value / high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, jump};

    fn failing(steps: usize) -> Synthetic {
        Synthetic::healthy(steps)
            .noisy("train/reward", 0.15, |t| 1.4 - 0.8 * t)
            .every("eval/accuracy", 10, |t| 0.5 - 0.4 * t)
    }

    #[test]
    fn early_signs_together_are_found() {
        let run =
            failing(300)
                .noisy("train/kl", 0.05, |t| 0.02 + 0.7 * jump(t, 0.06))
                .noisy("train/grad_norm", 0.2, |t| 1.0 + 5.0 * jump(t, 0.06));
        let finding = run.finding(&CHECK);
        assert!((17.0..=22.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        assert_eq!(finding.actions.len(), 4);
    }

    #[test]
    fn without_a_measure_it_is_a_note_that_names_none() {
        let run = Synthetic::new(300)
            .every("train/learning_rate", 1, |_| 1e-5)
            .noisy("train/kl", 0.05, |t| 0.02 + 0.7 * jump(t, 0.06))
            .noisy("train/clip_ratio/region_mean", 0.01, |t| 0.01 + 0.2 * jump(t, 0.06))
            .noisy("train/grad_norm", 0.2, |t| 1.0 + 5.0 * jump(t, 0.06));
        let finding = run.finding(&CHECK);
        let title = "The learning rate of 1e-5 may be too high: 3 signs of large updates by step ";
        assert!(finding.title.to_string().starts_with(title), "{}", finding.title);
        assert_eq!(finding.severity, Severity::Note);
    }

    #[test]
    fn a_tenth_of_clipped_sequences_is_no_sign() {
        let run = |clip: f64| {
            failing(300)
                .noisy("train/kl", 0.05, |t| 0.02 + 0.7 * jump(t, 0.06))
                .noisy("train/clip_ratio/region_mean", 0.005, |t| 0.001 + 0.1 * jump(t, 0.06))
                .config("epsilon", clip)
        };
        assert!(matches!(run(0.2).check(&CHECK), Outcome::Found(_)));
        assert!(run(3e-4).quiet(&CHECK), "GSPO clips more than that in healthy runs");
    }

    #[test]
    fn an_unusual_rate_and_a_decline_are_enough() {
        let finding = failing(300).config("learning_rate", 1e-3).finding(&CHECK);
        assert!(finding.title.to_string().contains("1e-3"), "{}", finding.title);
        assert!(failing(300).config("learning_rate", 3e-4).quiet(&CHECK));
    }

    #[test]
    fn updates_that_do_not_follow_a_lowered_rate_are_not_blamed_on_it() {
        let run = |update: fn(f64) -> f64| {
            failing(300)
                .noisy("approx_kl", 0.002, update)
                .noisy("train/clip_ratio/region_mean", 0.01, |_| 0.2)
                .noisy("train/grad_norm", 0.2, |t| 1.0 + 5.0 * jump(t, 0.06))
                .without("train/kl")
        };
        let lowered = |run: Synthetic| run.every("train/learning_rate", 1, |t| 1e-5 * (1.0 - t));
        assert!(lowered(run(|_| 0.04)).quiet(&CHECK), "one sign is left, the gradient norm");
        assert!(matches!(run(|_| 0.04).check(&CHECK), Outcome::Found(_)), "a constant rate tells nothing");
        let follows = lowered(run(|t| 0.08 * (1.0 - t) * (1.0 - t)));
        assert!(matches!(follows.check(&CHECK), Outcome::Found(_)), "the KL to the old policy fell with the rate");
        let with_range = lowered(run(|_| 0.04)).every("train/clip_range", 1, |t| 0.2 * (1.0 - t));
        assert!(matches!(with_range.check(&CHECK), Outcome::Found(_)), "as many are clipped by a narrower range");
        let kl = |level: fn(f64) -> f64| {
            lowered(
                failing(300)
                    .noisy("train/kl", 0.02, level)
                    .noisy("train/grad_norm", 0.2, |t| 1.0 + 5.0 * jump(t, 0.06)),
            )
        };
        assert!(kl(|t| 3.0 * t).quiet(&CHECK), "it grows on as before");
        assert!(matches!(kl(|t| 1.5 * (1.0 - (1.0 - t) * (1.0 - t))).check(&CHECK), Outcome::Found(_)));
        let early = kl(|t| 2.0 * jump(t, 0.02) + 0.4 * t);
        assert!(matches!(early.check(&CHECK), Outcome::Found(_)), "most of it grew in the first steps");
    }

    #[test]
    fn late_signs_learning_and_a_rising_reward_are_quiet() {
        assert!(Synthetic::healthy(300).config("learning_rate", 1e-3).quiet(&CHECK));
        let late =
            failing(300)
                .noisy("train/kl", 0.05, |t| 0.02 + 0.7 * jump(t, 0.6))
                .noisy("train/grad_norm", 0.2, |t| 1.0 + 5.0 * jump(t, 0.6));
        assert!(late.quiet(&CHECK));
        let hacking = failing(300).noisy("train/reward", 0.15, |t| 1.4 + t).config("learning_rate", 1e-3);
        assert!(hacking.quiet(&CHECK));
    }

    #[test]
    fn without_its_metrics_it_is_skipped() {
        let bare = failing(300).without("train/kl").without("train/grad_norm");
        assert!(matches!(bare.check(&CHECK), Outcome::Skipped(_)));
    }
}
