//! Nothing is happening: the policy does not move.
//!
//! # What it checks
//! The primary metric is flat, and so is the policy: KL to the reference below 0.01 nats per token (or held down
//! by a KL coefficient above 0.1), and entropy within 10 % of its start; neither the KL to the old policy nor the clip
//! fraction shows that it moves. Where noise leaves a gain of the measure possible,
//! both must be logged and stand still twice as long, and the reward must not rise. A note in the first half of a run that
//! still goes on, and where a KL of exactly 0 is all that was seen.
//!
//! # Why it matters
//! Such a run can go on for days without any result; its curves look calm and healthy.
//!
//! # Evidence needed
//! A primary metric, and KL to the reference or entropy.
//!
//! # Threshold and where it comes from
//! KL 0.01: GRPO logs below it give the outputs of the reference (a Wordle run ends at 0.0036 after 400 steps). KL
//! coefficient 0.1: DeepSeekMath uses 0.04, DAPO and TRL since 0.19 use 0; above 0.1 runs underfit.
//!
//! # Known false alarms
//! A constant reward has the same look; then `zero_variance_groups` is the finding and this check is quiet. A run in
//! its warm-up. A task without room, at its ceiling from the start.
//!
//! # What to do
//! Raise the learning rate threefold; lower the KL coefficient.
//!
//! # References
//! arXiv 2402.03300 (GRPO); arXiv 2503.14476 (DAPO, no KL term); tinker cookbook, learning rates for LoRA.

use crate::advice::{Advice, FindingTexts, LOWER_KL_COEFFICIENT, MORE_EPOCHS_PER_BATCH, RAISE_LEARNING_RATE};
use crate::context::Context;
use crate::measure::series::{Fifth, MetricSeries};
use crate::measure::start_to_end::signal_change;
use crate::settings::Hyperparameter;
use crate::topics::reward_parts::stayed_or_went;
use crate::{Check, Code, Evidence, Finding, LearningState, Outcome, QuietReason, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{number, percent};
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::TooConservative, run);

const WATCH: &str = "KL above 0.01 and rising within 50 steps";

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::LearningRate, "Sets how far one update moves the policy."),
        (Hyperparameter::KlCoefficient, "Pulls the policy back to the reference."),
    ],
    actions: &[
        Advice::Change(&RAISE_LEARNING_RATE, WATCH),
        Advice::Change(&LOWER_KL_COEFFICIENT, WATCH),
        Advice::Change(&MORE_EPOCHS_PER_BATCH, "clip fraction below 0.05"),
    ],
    alternative: "The task may be out of reach for this model, so that no sample ever shows it the way.",
    refute: "Outputs of the last checkpoint differ from those of the reference on most prompts at temperature 0.",
    references: &["arXiv 2402.03300 (GRPO, KL weight 0.04)", "arXiv 2503.14476 (DAPO, no KL term)"],
};

/// What else a KL of 0 in every row may be: loops that sample and update once measure the policy against itself.
const OF_ITSELF: &str = " A KL of exactly 0 in every row may compare the policy with itself before its update, not with the reference: then it does not show whether the policy moves.";

/// A policy that a strong KL term holds jitters: its KL may be this many times that of one that never moved.
const PINNED: f64 = 10.0;

/// KL to the old policy and clip fraction below which updates hardly change the policy. Ours: PPO's usual ones are ten times as
/// large.
const SMALL_UPDATE: f64 = 0.001;
const FEW_CLIPPED: f64 = 0.005;

/// How many times as long as otherwise a policy must have stood still where its evaluation does not tell.
const STILL_WITHOUT_EVALUATION: f64 = 2.0;

fn run(context: &Context<'_>) -> Outcome {
    let kl = context.kl_per_token().filter(|kl| !kl.is_empty());
    let entropy = context.signal(Concept::Entropy);
    if context.learning.measure.is_none() {
        return Outcome::Skipped(context.need(&[Concept::Evaluation, Concept::Reward]));
    }
    if kl.is_none() && entropy.is_none() {
        return Outcome::Skipped(context.need(&[Concept::KlToReference, Concept::Entropy]));
    }
    let movement = PolicyMovement::new(context, kl.as_ref(), entropy);
    // What raised its training reward has moved, whatever held-out tasks say.
    if context.reward_rose() {
        return Outcome::QuietBecause(QuietReason::RewardRose, movement.evidence(context));
    }
    let is_established = context.learning.state == LearningState::Flat || proven(context, &movement);
    if flat(context) && is_established && !has_zero_variance_groups(context) && movement.is_still(context) {
        return Outcome::Found(vec![finding(context, &movement, kl.as_ref(), entropy)]);
    }
    let reason = match context.reason_by_learning() {
        QuietReason::NoHarm => QuietReason::Undecided,
        reason => reason,
    };
    Outcome::QuietBecause(reason, movement.evidence(context))
}

/// How far the policy moved, by each measure that was logged.
struct PolicyMovement {
    kl: Option<f64>,
    /// KL of the last fifth over that of the first.
    kl_growth: Option<f64>,
    /// Relative change of entropy, without sign.
    entropy: Option<f64>,
    /// Median KL to the old policy, without sign.
    update: Option<f64>,
    /// Median share of clipped tokens.
    clipped: Option<f64>,
    coefficient: Option<f64>,
}

impl PolicyMovement {
    fn new(context: &Context<'_>, kl: Option<&MetricSeries<'_>>, entropy: Option<&MetricSeries<'_>>) -> Self {
        Self {
            kl: kl.map(|signal| signal.end_level().abs()),
            kl_growth: kl.map(|signal| signal.end_level() / signal.median(Fifth::First)),
            entropy: entropy.map(|signal| (signal.level(Fifth::Last) / signal.level(Fifth::First) - 1.0).abs()),
            update: context.signal(Concept::KlToSampler).map(|signal| signal.end_level().abs()),
            clipped: context.signal(Concept::ClipFraction).map(MetricSeries::end_level),
            coefficient: context.kl_coefficient(),
        }
    }

    fn is_still(&self, context: &Context<'_>) -> bool {
        let book = context.rulebook;
        let entropy_still = self.entropy.is_none_or(|change| change < book.conservative_entropy().value);
        // A policy that is far from the one that sampled moves, whatever its entropy does.
        let moves = self.update.is_some_and(|kl| kl > book.update_kl().value)
            || self.clipped.is_some_and(|share| share > book.clip_fraction().value);
        if moves {
            return false;
        }
        let Some(kl) = self.kl else {
            // An entropy may stay where it is while the policy moves.
            let is_small =
                self.update.is_none_or(|kl| kl < SMALL_UPDATE) && self.clipped.is_none_or(|share| share < FEW_CLIPPED);
            return entropy_still && self.entropy.is_some() && is_small;
        };
        let pinned = self.coefficient.is_some_and(|weight| weight > book.conservative_beta().value)
            && self.kl_growth.is_some_and(|growth| growth < 2.0)
            && kl < PINNED * book.conservative_kl().value;
        entropy_still && (kl < book.conservative_kl().value || pinned)
    }

    fn evidence(&self, context: &Context<'_>) -> Vec<Evidence> {
        let book = context.rulebook;
        let mut evidence = Vec::new();
        if let Some(kl) = self.kl {
            evidence.push(Evidence::new("median KL of the last fifth", kl, "nats/token").below(book.conservative_kl()));
        }
        if let Some(change) = self.entropy {
            evidence.push(Evidence::new("relative change of entropy", change, "").below(book.conservative_entropy()));
        }
        if let Some(kl) = self.update {
            evidence.push(Evidence::new("median KL to the old policy, last fifth", kl, context.policy_unit().as_str()));
        }
        if let Some(share) = self.clipped {
            evidence.push(Evidence::new("median clip fraction, last fifth", share, ""));
        }
        if let Some(weight) = self.coefficient {
            evidence.push(Evidence::new("KL coefficient", weight, "").above(book.conservative_beta()));
        }
        let learning = &context.learning;
        evidence.push(Evidence::new("primary metric at the start", learning.first, ""));
        evidence.push(Evidence::new("primary metric at the end", learning.last, ""));
        evidence
    }
}

fn flat(context: &Context<'_>) -> bool {
    let enough = context.counted_points() as f64 >= context.rulebook.conservative_points().value;
    let warm = context.points_after_warmup() as f64 >= context.rulebook.points_after_warmup().value;
    let stands = match context.learning.state {
        LearningState::Flat => true,
        LearningState::Unknown => {
            context.counted_points() as f64 >= STILL_WITHOUT_EVALUATION * context.rulebook.conservative_points().value
        }
        LearningState::Improved | LearningState::Declined => false,
    };
    stands && context.learning.room && enough && warm
}

/// True where the noise of few evaluations leaves a gain possible, but both measures say that the policy is where it
/// was, and its reward does not rise.
fn proven(context: &Context<'_>, movement: &PolicyMovement) -> bool {
    let change = context.signal(Concept::Reward).and_then(signal_change);
    movement.kl.is_some_and(|kl| kl < context.rulebook.conservative_kl().value)
        && movement.entropy.is_some()
        && change.is_some_and(|change| change.z() < context.rulebook.learning_hint_z().value)
}

/// True when half of the groups give no gradient: then a still policy is a consequence.
fn has_zero_variance_groups(context: &Context<'_>) -> bool {
    context.zero_variance_share().is_some_and(|share| share >= 0.5)
}

fn finding(
    context: &Context<'_>,
    movement: &PolicyMovement,
    kl: Option<&MetricSeries<'_>>,
    entropy: Option<&MetricSeries<'_>>,
) -> Finding {
    let book = context.rulebook;
    let learning = &context.learning;
    let measure = learning.measure.as_ref().map_or("the primary metric", |binding| binding.key.as_str());
    let pinned = movement.kl.is_some_and(|kl| kl >= book.conservative_kl().value);
    let moved = match (movement.kl, movement.entropy) {
        (Some(kl), _) => rich!("KL to the reference ends at {} nats per token", number(kl)),
        (None, Some(change)) => rich!("entropy changed by {}", percent(change)),
        (None, None) => "nothing moved".into(),
    };
    let went = stayed_or_went(learning.first, learning.last);
    let title = rich!("The policy does not move: {}, {} {}, and no gain is established", moved, measure, went);
    let severity = if context.is_mostly_done() { Severity::Warning } else { Severity::Note };
    let detail = if pinned {
        "The KL term is so strong that the policy jitters around the reference instead of learning; large gradients are then those of the KL term."
    } else {
        "Updates are too small to change what the policy says."
    };
    // The KL as it is logged, whatever its unit.
    let kl = kl.and_then(|kl| context.signal_of(kl.key()));
    let shown = [kl, context.measure(), entropy];
    let onset = shown.iter().filter_map(|signal| signal.as_ref()?.steps.first().copied()).reduce(f64::min);
    let mut finding = context.finding(Code::TooConservative, severity, title, onset, &TEXTS);
    if let (true, [faster, freer, ..]) = (pinned, finding.actions.as_mut_slice()) {
        std::mem::swap(faster, freer);
    }
    // An updated policy is hardly ever at a distance of exactly 0.
    let is_exactly_zero = kl.is_some_and(MetricSeries::is_zero);
    if is_exactly_zero {
        finding.alternative.append(OF_ITSELF);
        // Clips and a KL to the old policy that are 0 show no more, for the same reason.
        let mut others = [movement.update, movement.clipped].into_iter().flatten();
        if movement.entropy.is_none() && !others.any(|moved| moved > 0.0) {
            finding.severity = Severity::Note;
        }
    }
    let is_seen_twice = movement.kl.is_some() && movement.entropy.is_some() && !is_exactly_zero;
    let confidence = if is_seen_twice { 0.9 } else { 0.7 };
    finding.supported_by(detail, &shown, movement.evidence(context), confidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change};

    fn still(steps: usize) -> Synthetic {
        Synthetic::healthy(steps)
            .noisy("train/reward", 0.15, |_| 1.5)
            .every("eval/accuracy", 10, |_| 0.484)
            .noisy("train/kl", 1e-5, |t| 1e-4 * t)
            .noisy("train/entropy", 0.03, |_| 0.56)
            .noisy("train/frac_reward_zero_std", 0.01, |_| 0.02)
            .config("learning_rate", 1e-7)
    }

    #[test]
    fn a_policy_that_does_not_move_is_found() {
        let finding = still(300).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        let title = finding.title.to_string();
        assert!(title.ends_with("eval/accuracy stayed at 0.484, and no gain is established"), "{title}");
        assert_eq!(finding.actions.first().map(|action| change(action).0).as_deref(), Some("learning_rate"));
        assert!(
            finding.causes.iter().any(|cause| cause.why.to_string().contains("1/5 of usual")),
            "{:?}",
            finding.causes
        );
    }

    #[test]
    fn a_strong_kl_term_is_blamed_for_a_pinned_policy() {
        let run = still(300).noisy("train/kl", 0.005, |_| 0.02).config("beta", 20.0);
        assert_eq!(run.finding(&CHECK).actions.first().map(|action| change(action).0).as_deref(), Some("beta"));
    }

    #[test]
    fn a_kl_of_exactly_zero_may_be_of_the_policy_to_itself() {
        let found = |kl: f64| still(300).every("train/kl", 1, move |_| kl).finding(&CHECK);
        let (zero, small) = (found(0.0), found(1e-4));
        assert!(zero.alternative.to_string().contains("policy with itself"), "{}", zero.alternative);
        assert!(zero.alternative.to_string().starts_with("The task may be out of reach"), "{}", zero.alternative);
        assert!(!small.alternative.to_string().contains("policy with itself") && small.confidence > zero.confidence);
        let alone = |kl: f64| still(300).without("train/entropy").every("train/kl", 1, move |_| kl).finding(&CHECK);
        let severities = [zero, alone(0.0), alone(1e-4)].map(|finding| finding.severity);
        assert_eq!(severities, [Severity::Warning, Severity::Note, Severity::Warning]);
    }

    #[test]
    fn movement_or_learning_or_a_constant_reward_is_quiet() {
        assert!(Synthetic::healthy(300).quiet(&CHECK));
        assert!(still(300).noisy("train/entropy", 0.03, |t| 0.56 - 0.3 * t).quiet(&CHECK));
        assert!(still(300).noisy("train/frac_reward_zero_std", 0.0, |_| 1.0).quiet(&CHECK));
        assert!(still(40).quiet(&CHECK));
        assert!(still(300).without("train/kl").noisy("policy/approxkl_avg", 0.01, |_| 0.15).quiet(&CHECK));
        assert!(still(300).without("train/kl").noisy("policy/clipfrac_avg", 0.01, |_| 0.1).quiet(&CHECK));
    }

    #[test]
    fn without_kl_and_entropy_it_is_skipped() {
        let outcome = still(300).without("train/kl").without("train/entropy").check(&CHECK);
        assert!(matches!(outcome, Outcome::Skipped(_)));
    }
}
