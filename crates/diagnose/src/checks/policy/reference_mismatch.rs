//! The reference is not the policy that training began with.
//!
//! # What it checks
//! The KL to the reference at the first step, and that it stays about as large for the next three, none of which is near zero. Above 0.05
//! nats/token it is a note, above 0.1 a warning when performance is known not to improve, the KL coefficient is not
//! known to be below 0.01, and no setting names an earlier adapter or checkpoint that the policy goes on from. A KL that is summed over the
//! sequence, with no length logged to divide it by, is compared with the limits for 100 tokens.
//!
//! # Why it matters
//! Before the first update both policies should be the same, and their KL zero. Where it is not, the KL term pulls
//! the policy towards another model from the first step on, and every KL in the charts is too large by what is left of it.
//!
//! # Evidence needed
//! KL to the reference, logged within the first five steps. Of a coarse log it may begin within two of its intervals, where the KL
//! is 1 or less at its first point and stays there to the end.
//!
//! # Threshold and where it comes from
//! Near zero is a matter of definition (slime's own tests allow 1e-8). 0.05 leaves room for several updates within the
//! first batch and for other kernels; public runs with a quantised or resumed policy show 0.3 to 0.6. A policy that
//! simply moves fast starts near zero and then climbs: the first value must be at least half of the next ones.
//!
//! # Known false alarms
//! A large first update, logged after it. A run that was resumed with its step counter at zero is meant to differ. Dropout,
//! padding or precision in which the two are not computed alike give an offset with the right reference, too.
//!
//! # What to do
//! Make the reference a copy of the policy as it starts: same adapter, same precision, dropout off.
//!
//! # References
//! TRL issue 3500 (dropout); slime's CI (kl_loss at the first step); grpo logs of quantised runs.

use crate::advice::{Advice, FindingTexts, LOWER_KL_COEFFICIENT, SAME_REFERENCE};
use crate::context::Context;
use crate::kl;
use crate::measure::series::Fifth;
use crate::settings::{Hyperparameter, continued_from};
use crate::{Check, Code, Evidence, Outcome, Relation, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{number, setting_key, step};
use rundown_vocabulary::{Concept, Framework, Unit};

pub const CHECK: Check = Check::of_run(Code::ReferenceMismatch, run);

/// KL coefficient below which the term hardly pulls: DAPO has none, verl's default is 0.001.
const WEAK_COEFFICIENT: f64 = 0.01;
/// Part of the first value that a later level must keep for all values to be too large by it.
const KEPT: f64 = 0.8;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[(Hyperparameter::KlCoefficient, "The strength with which the policy is pulled to the reference.")],
    actions: &[Advice::Do(SAME_REFERENCE), Advice::Change(&LOWER_KL_COEFFICIENT, "reward rises within 50 steps")],
    alternative: "The KL is logged after a large first update, or the policy continues an earlier run on purpose.",
    refute: "The KL of the untrained policy to the reference, computed in eval mode on a fixed batch, is below 0.001.",
    references: &["TRL issue 3500 (dropout in the policy)", "slime CI (kl_loss < 1e-8 at the first step)"],
};

/// The likelier explanation where nobody knows in which unit a loop of one's own logs its KL.
const SUMMED: &str = "The KL is summed over each response: two copies of one model do not differ by so much per token.";

/// The other explanation where the policy goes on from an earlier training.
const OF_THE_START: &str =
    "The reference holds the earlier training, too, and the two log-probabilities are not computed alike.";

fn run(context: &Context<'_>) -> Outcome {
    let book = context.rulebook;
    let per_token = context.moved().filter(|moved| moved.limit.is_none()).map(|moved| &moved.kl);
    let summed = || context.signal(Concept::KlToReference).filter(|kl| kl.binding.unit == Unit::NatsPerSequence);
    let Some(kl) = per_token.or_else(summed) else { return Outcome::Skipped(kl::need(context)) };
    let tokens = if per_token.is_some() { 1.0 } else { kl::SHORT_RESPONSE };
    let (unit, per) = if per_token.is_some() { ("nats/token", "token") } else { ("nats/sequence", "sequence") };
    let first = kl.values.first().copied().unwrap_or(f64::NAN);
    let next = kl::level_after_first(kl);
    let line = tokens * book.reference_kl().value;
    let start = Evidence::new("KL at the first logged step", first, unit);
    let mut evidence = vec![match per_token {
        Some(_) => start.above(book.reference_kl()),
        None => start.limited(Relation::Above, line, "the limit per token, over 100 tokens"),
    }];
    evidence.extend(next.map(|next| Evidence::new("KL of the next three points", next, unit)));
    // A start near zero that climbs fast is movement; single spikes beside values near zero are neither.
    let lowest = kl.values.iter().take(1 + kl::NEXT_POINTS).copied().fold(f64::INFINITY, f64::min);
    let offset = next.is_some_and(|next| first > line && lowest > 0.5 * line && first >= 0.5 * next);
    if !kl::starts_early(kl) || !offset {
        return Outcome::Quiet(evidence);
    }
    let large = first > tokens * book.reference_kl_warning().value;
    let is_weak = context.kl_coefficient().is_some_and(|weight| weight < WEAK_COEFFICIENT);
    let earlier = continued_from(&context.run.config);
    let may_harm = large && !is_weak && earlier.is_none() && context.suffers() && !context.is_early();
    let severity = if may_harm { Severity::Warning } else { Severity::Note };
    let onset = kl.step(0);
    let title = rich!("KL to the reference is {} nats per {} already at step {}", number(first), per, step(onset));
    let mut finding = context.finding(Code::ReferenceMismatch, severity, title, Some(onset), &TEXTS);
    if is_weak {
        // A term that pulls as little as this needs no smaller weight.
        finding.actions.truncate(1);
    }
    if per_token.is_some() && first > kl::LARGEST_UNSEEN && context.bindings.framework == Framework::Unknown {
        finding.alternative = SUMMED.into();
    }
    if earlier.is_some() {
        finding.alternative = OF_THE_START.into();
    }
    let pulls = context.kl_coefficient() != Some(0.0);
    let pull = if pulls { ", and the KL term pulls towards it" } else { "" };
    let mut detail = match earlier {
        Some(key) => rich!(
            "By {} the policy goes on from an earlier training: the reference is likely the model before that{}.",
            setting_key(key),
            pull
        ),
        None => rich!(
            "Either the reference is another model than the one that training began with{}, or the log-probabilities of \
             the two are not computed alike (dropout, padding, precision).",
            pull
        ),
    };
    let lowest = kl.median(Fifth::Middle).min(kl.end_level());
    detail.append(if lowest >= KEPT * first {
        rich!(" Every later value includes an offset of about {}.", number(lowest.min(first)))
    } else {
        rich!(" Later the KL is {}: the policy has come nearer to the reference.", number(lowest))
    });
    Outcome::Found(vec![finding.supported_by(detail, &[kl], evidence, 0.8)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, saturating};

    #[test]
    fn an_offset_at_the_first_step_is_found() {
        let run = Synthetic::healthy(300)
            .noisy("train/kl", 0.02, |t| 0.5 + 0.1 * t)
            .noisy("train/reward", 0.15, |_| 1.4)
            .every("eval/accuracy", 10, |_| 0.5);
        let finding = run.finding(&CHECK);
        assert_eq!((finding.severity, finding.onset), (Severity::Warning, Some(1.0)));
        assert!(finding.detail.to_string().contains("includes an offset of about 0.5"), "{}", finding.detail);
        assert!(finding.detail.to_string().contains("pulls towards it"), "{}", finding.detail);
        assert!(finding.detail.to_string().contains("not computed alike"), "a copy in train mode differs by dropout");
        let weak = |coefficient: f64| {
            let run = Synthetic::healthy(300)
                .noisy("train/kl", 0.02, |t| 0.5 + 0.1 * t)
                .noisy("train/reward", 0.15, |_| 1.4)
                .every("eval/accuracy", 10, |_| 0.5)
                .config("beta", coefficient);
            run.finding(&CHECK)
        };
        let (weak, none) = (weak(0.001), weak(0.0));
        assert_eq!((weak.severity, weak.actions.len()), (Severity::Note, 1), "it hardly pulls");
        assert!(!none.detail.to_string().contains("pulls"), "{}", none.detail);
        let mut continued = Synthetic::healthy(300)
            .noisy("train/kl", 0.02, |t| 0.5 + 0.1 * t)
            .noisy("train/reward", 0.15, |_| 1.4)
            .every("eval/accuracy", 10, |_| 0.5);
        continued.run.config.insert("resume_adapter", rundown_run::ConfigValue::Text("models/exp3".to_owned()));
        let continued = continued.finding(&CHECK);
        assert_eq!(continued.severity, Severity::Note, "it is meant to differ");
        assert!(
            continued.detail.to_string().starts_with("By resume_adapter the policy goes on"),
            "{}",
            continued.detail
        );
        let learning = Synthetic::healthy(300).noisy("train/kl", 0.01, |_| 0.3);
        assert_eq!(learning.finding(&CHECK).severity, Severity::Note);
        let nearing = Synthetic::healthy(300).noisy("train/kl", 0.01, |t| 0.3 - 0.2 * saturating(t)).finding(&CHECK);
        assert!(nearing.detail.to_string().contains("come nearer"), "{}", nearing.detail);
    }

    #[test]
    fn a_start_at_zero_and_a_fast_climb_are_quiet() {
        let healthy = || Synthetic::healthy(300).noisy("train/kl", 0.0, |t| 0.2 * saturating(t));
        assert!(healthy().quiet(&CHECK));
        assert!(healthy().noisy("train/kl", 0.001, |t| 200.0 * t * t + 0.002).quiet(&CHECK));
        let spike = healthy().noisy("train/kl", 0.0, |t| if t == 0.0 { 0.5 } else { 0.001 });
        assert!(spike.quiet(&CHECK));
        let noisy = healthy().noisy("train/kl", 0.0, |t| if (0.001..0.005).contains(&t) { 0.01 } else { 0.2 });
        assert!(noisy.quiet(&CHECK), "the second step is near zero: the others are movement");
    }

    #[test]
    fn a_sum_over_the_sequence_needs_no_length_to_be_far_from_zero() {
        let summed = |level: fn(f64) -> f64| {
            let run = Synthetic::new(300).noisy("objective/rlhf_reward", 0.05, |_| -0.4);
            run.every("eval/accuracy", 10, |_| 0.5).noisy("objective/kl", 0.3, level)
        };
        let finding = summed(|_| 12.0).finding(&CHECK);
        assert_eq!((finding.severity, finding.onset), (Severity::Warning, Some(1.0)));
        assert!(finding.title.to_string().contains("per sequence"), "{}", finding.title);
        assert!(summed(|t| 12.0 * saturating(t)).quiet(&CHECK));
        assert!(summed(|_| 0.4).quiet(&CHECK));
    }

    #[test]
    fn a_kl_of_nats_in_a_loop_of_its_own_may_be_a_sum() {
        let alternative = |kl: f64| {
            let mut run = Synthetic::new(60).noisy("Reward", 0.15, |_| 1.4).noisy("KL", 0.01, move |_| kl);
            // Settings under TRL's names would tell the unit.
            run.run.config = rundown_run::Config::default();
            run.finding(&CHECK).alternative.to_string()
        };
        assert!(alternative(6.7).starts_with("The KL is summed over each response"), "{}", alternative(6.7));
        assert!(alternative(0.4).starts_with("The KL is logged after"), "{}", alternative(0.4));
    }

    #[test]
    fn without_kl_it_is_skipped() {
        assert!(matches!(Synthetic::healthy(300).without("train/kl").check(&CHECK), Outcome::Skipped(_)));
    }
}
