//! KL grows while the reward does not.
//!
//! # What it checks
//! The KL to the reference, without its value at the first step, grew by more than 0.2 nats/token, while neither the
//! primary metric nor the reward improved by as much as one standard deviation of a point. A note where a gain
//! that small is established or hinted at, or where `kl_drift` or `kl_blow_up` warns of the same distance already.
//!
//! # Why it matters
//! KL is the budget of RL: each step away from the reference should buy reward. Distance without gain is a random
//! walk, or the pull of an objective that nobody wanted.
//!
//! # Evidence needed
//! KL to the reference, and the reward.
//!
//! # Threshold and where it comes from
//! 0.2 nats/token: healthy public logs end at 0.02 to 0.32, with a gain to show for it. One standard deviation: a
//! smaller gain does not show in the plain curve. The efficiency, gain over the square root of the KL, is shown.
//!
//! # Known false alarms
//! A task at its ceiling has no room for a gain, and is quiet. A reward that is too noisy to show a small gain.
//!
//! # What to do
//! Look whether the reward tells responses apart at all; raise the KL coefficient; lower the learning rate.
//!
//! # References
//! The experiment-analysis guide (KL and flat reward); arXiv 2402.03300 (GRPO, KL term).

use crate::advice::{Advice, FindingTexts, LARGER_BATCH, LOWER_LEARNING_RATE, RAISE_KL_COEFFICIENT};
use crate::context::Context;
use crate::kl::{self, KlMovement};
use crate::measure::level::LevelChange;
use crate::measure::series::MetricSeries;
use crate::measure::start_to_end::signal_change;
use crate::settings::Hyperparameter;
use crate::{Change, Check, Code, Evidence, LearningState, Outcome, QuietReason, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{number, step};
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::KlWithoutReward, run);

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::KlCoefficient, "At this coefficient the KL term may be too weak to make distance expensive."),
        (Hyperparameter::LearningRate, "Large updates on a weak signal are a random walk."),
        (Hyperparameter::Batch, "Small batches have noisy advantages."),
    ],
    actions: &[
        Advice::Do([
            "Read the responses with the best and the worst reward of one step",
            "shows whether the reward tells them apart",
            "none",
            "the share of zero-variance groups",
        ]),
        Advice::Change(&RAISE_KL_COEFFICIENT, "reward per KL"),
        Advice::Change(&LOWER_LEARNING_RATE, "reward per KL"),
        Advice::Change(&LARGER_BATCH, "reward per KL"),
    ],
    alternative: "The gain comes late: the policy has to learn the format first.",
    refute: "An evaluation of the last checkpoint beats that of the reference beyond its noise.",
    references: &["experiment-analysis guide (KL and flat reward)", "arXiv 2402.03300 (GRPO, KL term)"],
};

fn run(context: &Context<'_>) -> Outcome {
    let Some(moved) = context.moved() else { return Outcome::Skipped(kl::need(context)) };
    let Some(reward) = context.signal(Concept::Reward) else {
        return Outcome::Skipped(context.need(&[Concept::Reward]));
    };
    let change = signal_change(reward);
    let evidence = evidence(context, moved, change.as_ref());
    let Some(change) = change.filter(|_| is_spent_for_nothing(context, moved)) else {
        if moved.limit.is_some() {
            return Outcome::Skipped(kl::need(context));
        }
        let is_short = (moved.kl.len() as f64) < context.rulebook.conservative_points().value || context.is_early();
        return match (is_short, context.learning.room) {
            (true, _) => Outcome::QuietBecause(QuietReason::TooFewPoints, evidence),
            (false, false) => Outcome::QuietBecause(QuietReason::AtCeiling, evidence),
            (false, true) => Outcome::Quiet(evidence),
        };
    };
    // Beside a KL that ran away or drifts it is a note: `causes` lowers it.
    let severity = if may_have_learned(context) { Severity::Note } else { Severity::Warning };
    let onset = moved.onset();
    let title = rich!(
        "KL to the reference grew by {} nats per token from step {} on, and the reward went from {} to {}",
        number(moved.last),
        step(onset),
        number(change.first),
        number(change.last)
    );
    let finding = context.finding(Code::KlWithoutReward, severity, title, Some(onset), &TEXTS);
    let detail = "The policy moves away from the reference and gets nothing for it.";
    let mut finding = finding.supported_by(detail, &[&moved.kl, reward], evidence, 0.7);
    moved.note_limit(&mut finding);
    Outcome::Found(vec![finding])
}

/// True when the policy has moved, and neither reward nor evaluation gained as much as the noise of a point, or anything
/// beyond doubt: of small batches a point is so noisy that a gain can be large beside it only in many of them.
fn is_spent_for_nothing(context: &Context<'_>, moved: &KlMovement<'_>) -> bool {
    let book = context.rulebook;
    let far = moved.has_risen(context) && moved.is_beyond(context, book.kl_watch().value);
    let long = moved.kl.len() as f64 >= book.conservative_points().value && !context.is_early();
    if !far || !long || !context.learning.room {
        return false;
    }
    let little = |signal: &MetricSeries<'_>| {
        let sign = signal.binding.direction.sign();
        let change = signal_change(signal);
        let is_small = |change: &LevelChange| sign * change.effect() < book.kl_reward_effect().value;
        change.is_some_and(|change| is_small(&change) && sign * change.z() < book.learning_z().value)
    };
    let rewarded = !context.signal(Concept::Reward).is_some_and(little);
    let learned = context.improved() && !context.measure().is_some_and(little);
    !rewarded && !learned
}

/// True where the primary metric improved, or hints at it.
fn may_have_learned(context: &Context<'_>) -> bool {
    let is_undecided = context.learning.state == LearningState::Unknown;
    context.improved() || is_undecided && context.hinted_change() > 0.0
}

fn evidence(context: &Context<'_>, moved: &KlMovement<'_>, reward: Option<&LevelChange>) -> Vec<Evidence> {
    let book = context.rulebook;
    let mut evidence =
        vec![Evidence::new("growth of the KL", moved.last, "nats/token").of(Change::Rise).above(book.kl_watch())];
    if let Some(change) = reward {
        evidence.push(
            Evidence::new("change of the reward", change.effect(), "standard deviations of a point")
                .below(book.kl_reward_effect()),
        );
        if moved.last > 0.0 {
            evidence.push(Evidence::new("reward gained per root of KL", change.delta() / moved.last.sqrt(), ""));
        }
    }
    evidence
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, saturating};

    fn flat(steps: usize) -> Synthetic {
        Synthetic::healthy(steps).noisy("train/reward", 0.15, |_| 1.4).every("eval/accuracy", 10, |_| 0.5)
    }

    #[test]
    fn distance_without_gain_is_found() {
        let finding = flat(300).noisy("train/kl", 0.02, |t| 0.01 + 0.5 * (t - 0.3).max(0.0)).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((82.0..=100.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        let far = flat(300).noisy("train/kl", 0.02, |t| 1.2 * t);
        assert_eq!(far.finding(&CHECK).severity, Severity::Note, "kl_drift says it");
    }

    #[test]
    fn a_hint_of_a_gain_makes_it_a_note() {
        let right =
            [31, 33, 38, 41, 24, 38, 31, 31, 36, 35, 42, 38, 46, 49, 48, 47, 43, 38, 37, 42, 41, 29, 47, 48, 41, 49];
        let share = move |t: f64| f64::from(right[((t * 26.0).round() as usize).min(25)]) / 64.0;
        let run = flat(260).every("eval/accuracy", 10, share).noisy("train/kl", 0.02, |t| 0.3 * t);
        assert_eq!(run.finding(&CHECK).severity, Severity::Note);
    }

    #[test]
    fn a_gain_or_little_distance_is_quiet() {
        assert!(Synthetic::healthy(300).quiet(&CHECK));
        assert!(flat(300).noisy("train/kl", 0.02, |t| 0.15 * t).quiet(&CHECK));
        let rewarded =
            flat(300).noisy("train/reward", 0.15, |t| 1.4 + 0.7 * saturating(t)).noisy("train/kl", 0.02, |t| 0.4 * t);
        assert!(rewarded.quiet(&CHECK));
        assert!(flat(40).noisy("train/kl", 0.02, |t| 0.4 * t).quiet(&CHECK));
    }

    #[test]
    fn without_its_metrics_it_is_skipped() {
        assert!(matches!(flat(300).without("train/kl").check(&CHECK), Outcome::Skipped(_)));
        assert!(matches!(flat(300).without("train/reward").check(&CHECK), Outcome::Skipped(_)));
    }
}
