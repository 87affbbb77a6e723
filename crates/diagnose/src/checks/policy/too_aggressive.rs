//! Updates move the policy too far.
//!
//! # What it checks
//! The KL to the old policy, from the policy that sampled to the one after its batch: a warning when it stays above 0.02
//! nats/token and the task gains nothing from then on, critical above 0.05 when the task declines; a note otherwise, and
//! where it was over before the last third of the run without harm. Where that is not logged, or is small: two other
//! signs at once (KL to the reference above 0.2, clip fraction above 5 %, gradients three times as large as at the
//! start) while task and reward decline.
//!
//! # Why it matters
//! The gradient is right only near the policy that sampled. Beyond, clipping throws samples away and the rest is
//! extrapolation: the curves get jumpy, then they break.
//!
//! # Evidence needed
//! KL to the old policy (`approx_kl`, `ppo_kl`), or two of KL to the reference, clip fraction and gradient norm.
//!
//! # Threshold and where it comes from
//! 0.02 and 0.05 nats/token: Spinning Up aims at 0.01 to 0.05 and stops an update at 1.5 times that. A signed estimate
//! (verl's `ppo_kl`) cancels, so its size is a lower bound. With one update per batch it is exactly zero, which says
//! nothing.
//!
//! # Known false alarms
//! A policy that is trained on the reward of a shortcut moves far too: a reward that rises is left to
//! `reward_hacking`.
//!
//! # What to do
//! Lower the learning rate, take fewer updates from a batch, clip gradients lower.
//!
//! # References
//! Spinning Up (PPO, target_kl); the wandb-grpo guide (spikes and high KL: too aggressive).

use crate::advice::{Advice, FindingTexts, LARGER_BATCH, LOWER_LEARNING_RATE};
use crate::context::Context;
use crate::settings::Hyperparameter;
use crate::topics::update_size::{self, Sign};
use crate::{Check, Code, Evidence, Finding, LearningState, Outcome, QuietReason, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{number, step};
use rundown_vocabulary::{Concept, Unit};

pub const CHECK: Check = Check::of_run(Code::TooAggressive, run);

/// Other signs that must come together.
const TOGETHER: usize = 2;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::LearningRate, "Sets how far one update moves the policy."),
        (
            Hyperparameter::EpochsPerBatch,
            "Each further update from a batch starts from a policy that did not sample it.",
        ),
        (
            Hyperparameter::MinibatchSize,
            "Each further update from a batch starts from a policy that did not sample it.",
        ),
        (Hyperparameter::Batch, "Small batches have noisy advantages, which large updates follow."),
        (Hyperparameter::KlCoefficient, "At this coefficient the KL term may be too weak to hold the policy."),
    ],
    actions: &[
        Advice::Change(&LOWER_LEARNING_RATE, "KL to the old policy below 0.02, clip fraction below 0.05"),
        Advice::FewerUpdates("KL to the old policy below 0.02, clip fraction below 0.05"),
        Advice::Change(&LARGER_BATCH, "KL to the old policy below 0.02"),
        Advice::GoBack,
    ],
    alternative: "The samples are old or come from another engine: then the distance is there before the first update.",
    refute: "Half the learning rate from the same checkpoint shows the same curves.",
    references: &["Spinning Up, PPO (target_kl 0.01 to 0.05)", "wandb-grpo guide (spikes and high KL: too aggressive)"],
};

fn run(context: &Context<'_>) -> Outcome {
    let concepts = [Concept::KlToSampler, Concept::KlToReference, Concept::ClipFraction, Concept::GradientNorm];
    let logged = concepts.iter().filter(|concept| context.signal(**concept).is_some()).count();
    if logged == 0 || logged < TOGETHER && context.signal(Concept::KlToSampler).is_none() {
        return Outcome::Skipped(context.need(&concepts));
    }
    let signs = update_size::signs(context);
    let evidence: Vec<Evidence> = signs.iter().map(|sign| sign.evidence.clone()).collect();
    match severity(context, &signs) {
        Some(severity) => Outcome::Found(vec![found(context, &signs, evidence, severity)]),
        None => Outcome::QuietBecause(why_quiet(context, &signs), evidence),
    }
}

/// Why signs that were found make no finding.
fn why_quiet(context: &Context<'_>, signs: &[Sign<'_>]) -> QuietReason {
    let is_short = context.is_early() || signs.iter().all(|sign| !context.has_enough_points(&sign.signal));
    match signs.len() {
        _ if is_short => QuietReason::TooFewPoints,
        0 | 1 => QuietReason::SingleSign,
        _ if context.reward_rose() => QuietReason::RewardRose,
        _ => context.reason_by_learning(),
    }
}

/// How bad it is, by the signs that were found.
fn severity(context: &Context<'_>, signs: &[Sign<'_>]) -> Option<Severity> {
    if context.is_early() || signs.iter().all(|sign| !context.has_enough_points(&sign.signal)) {
        return None;
    }
    let declined = context.learning.state == LearningState::Declined;
    let update = signs.iter().find(|sign| sign.signal.binding.concept == Concept::KlToSampler);
    if let Some(update) = update {
        if update.stretch.is_over_without_harm(context, &update.signal) {
            return Some(Severity::Note);
        }
        let far = update.stretch.level > context.rulebook.update_kl_critical().value;
        let harmful = context.stalls_since(update.stretch.from) || far && !context.improved();
        return Some(match (far && declined && !context.reward_rose(), harmful) {
            (true, _) => Severity::Critical,
            (false, true) => Severity::Warning,
            (false, false) => Severity::Note,
        });
    }
    (signs.len() >= TOGETHER && declined && !context.reward_rose()).then_some(Severity::Warning)
}

fn found(context: &Context<'_>, signs: &[Sign<'_>], mut evidence: Vec<Evidence>, severity: Severity) -> Finding {
    let update = signs.first().filter(|sign| sign.signal.binding.concept == Concept::KlToSampler);
    // The update is the cause of all other signs; without it the second sign makes the case.
    let mut starts: Vec<f64> = signs.iter().map(|sign| sign.stretch.from).collect();
    starts.sort_by(f64::total_cmp);
    let onset = update.map_or(starts.get(1).copied(), |sign| Some(sign.stretch.from)).unwrap_or(f64::NAN);
    let title = match update {
        Some(sign) => rich!(
            "One update moves the policy by a KL of {} {}, {}",
            number(sign.stretch.level),
            context.policy_unit().words(),
            sign.stretch.period()
        ),
        None => rich!("Updates are too large: {} signs together by step {}", signs.len(), step(onset)),
    };
    let learning = &context.learning;
    evidence.push(Evidence::new("primary metric at the start", learning.first, ""));
    evidence.push(Evidence::new("primary metric at the end", learning.last, ""));
    let signed = update.is_some_and(|sign| sign.signal.binding.unit == Unit::NatsPerTokenSigned);
    let detail = match (severity == Severity::Note, signed) {
        (true, _) if learning.state == LearningState::Improved => {
            "Performance improves all the same; smaller updates would be safer."
        }
        (true, _) if update.is_some_and(|sign| sign.stretch.is_over(&sign.signal)) => "Later updates are smaller.",
        (true, _) => "Whether it harms is not known yet; smaller updates would be safer.",
        (false, true) => "The estimate is signed and cancels, so the policy moves at least this far with each batch.",
        (false, false) => "The samples of a batch say little about a policy this far from the one that gave them.",
    };
    let shown: Vec<_> = signs.iter().map(|sign| &sign.signal).collect();
    let mut finding = context.finding(Code::TooAggressive, severity, title, Some(onset), &TEXTS);
    finding.end = update.and_then(|sign| sign.stretch.end());
    finding.supported_by(detail, &shown, evidence, if signs.len() > 1 { 0.8 } else { 0.65 })
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
    fn large_updates_are_found_where_they_begin() {
        let run = failing(300).noisy("approx_kl", 0.002, |t| 0.004 + 0.03 * jump(t, 0.4));
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((118.0..=124.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        let wild = failing(300).noisy("approx_kl", 0.01, |_| 0.1);
        assert_eq!(wild.finding(&CHECK).severity, Severity::Critical);
    }

    #[test]
    fn large_updates_that_ended_long_before_a_decline_are_a_note_with_their_end() {
        let run = |falls: f64| {
            Synthetic::healthy(500)
                .noisy("train/reward", 0.1, move |t| 1.4 + t - 1.5 * jump(t, falls))
                .every("eval/accuracy", 10, move |t| 0.5 + 0.2 * t - 0.5 * jump(t, falls))
                .noisy("approx_kl", 0.001, |t| 0.003 + 0.057 * (1.0 - jump(t, 0.12)))
                .finding(&CHECK)
        };
        let early = run(0.7);
        assert_eq!(early.severity, Severity::Note);
        assert!((55.0..=65.0).contains(&early.end.unwrap()), "{:?}", early.end);
        assert!(early.title.to_string().contains("from step 1 to 60"), "{}", early.title);
        assert_eq!(run(0.1).severity, Severity::Critical, "the task broke under them");
    }

    #[test]
    fn several_signs_together_do_without_it() {
        let run =
            failing(300)
                .noisy("train/kl", 0.05, |t| 0.1 + 0.8 * jump(t, 0.3))
                .noisy("train/grad_norm", 0.3, |t| 1.0 + 6.0 * jump(t, 0.3));
        let finding = run.finding(&CHECK);
        assert_eq!((finding.severity, finding.metrics.len()), (Severity::Warning, 2));
        assert!((88.0..=94.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    }

    #[test]
    fn small_updates_learning_and_hacking_are_quiet() {
        assert!(Synthetic::healthy(300).quiet(&CHECK));
        assert!(failing(300).noisy("approx_kl", 0.002, |_| 0.005).quiet(&CHECK));
        let learning = Synthetic::healthy(300).noisy("approx_kl", 0.002, |_| 0.03);
        assert_eq!(learning.finding(&CHECK).severity, Severity::Note);
        let hacking = Synthetic::healthy(300)
            .every("eval/accuracy", 10, |t| 0.5 - 0.4 * t)
            .noisy("train/kl", 0.05, |t| t)
            .noisy("train/grad_norm", 0.3, |t| 1.0 + 6.0 * t);
        assert_eq!(hacking.quiet_reason(&CHECK), Some(QuietReason::RewardRose));
    }

    #[test]
    fn without_its_metrics_it_is_skipped() {
        let bare = failing(300).without("train/kl").without("train/grad_norm");
        assert!(matches!(bare.check(&CHECK), Outcome::Skipped(_)));
    }
}
