//! The gradient norm is high, or grows and grows.
//!
//! # What it checks
//! The median gradient norm of the last fifth against that of the first: a warning when it doubled, beyond its noise,
//! and the task gains nothing from then on (a note where a gain is held and the norm stays below the clipping); only near the norm to which gradients are clipped (half of it; of 1 where it
//! is not known), for below that growth changes nothing. And the level: above 50 for a tenth of the run it is a note; a warning when
//! the task gains nothing, or when the norms are scattered widely as well.
//!
//! # Why it matters
//! Norms that grow steadily come before a collapse: the loss gets steeper, or the policies of sampler and trainer diverge. A norm far
//! above the clipping threshold means that every update has the same length, whatever the data say.
//!
//! # Evidence needed
//! Gradient norm of the actor before clipping.
//!
//! # Threshold and where it comes from
//! 50: the experiment-analysis guide. It stands beside the relative rule, because the level depends on the
//! framework: healthy GRPO has medians of 0.07 to 0.4, healthy PPO 1 to 5. Twice: healthy public runs end at 0.9 to 1.3
//! times their start; verl's FAQ names a growing norm as the sign of a precision mismatch. Scatter: the logarithm of
//! healthy norms varies by 0.1 to 0.6 from step to step.
//!
//! # Known false alarms
//! Losses that are summed over tokens have large norms by design, and steady ones: where the KL to the reference shows that
//! the policy hardly moves, a level alone is a note, whatever the task does. Spikes are left to
//! `gradient_spikes`.
//!
//! # What to do
//! Compare the probabilities of sampler and trainer; clip lower; lower the learning rate.
//!
//! # References
//! The experiment-analysis guide (grad norm < 50); verl docs/faq.rst; trl issue 2980.

use crate::advice::{Advice, FindingTexts, LOWER_KL_COEFFICIENT, LOWER_LEARNING_RATE, LOWER_MAX_GRAD_NORM};
use crate::context::Context;
use crate::measure::growth::{Growth, logs};
use crate::measure::increase_onset::increase_onset;
use crate::measure::series::MetricSeries;
use crate::settings::Hyperparameter;
use crate::topics::threshold_rule::stretch;
use crate::{Check, Code, Evidence, Outcome, QuietReason, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{number, step};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Direction};

/// Part of the norm to which gradients are clipped from which on their growth counts.
const MIN_SHARE_OF_CLIP: f64 = 0.5;
/// The norm to which most frameworks clip where nothing else is set.
const USUAL_CLIP: f64 = 1.0;

pub const CHECK: Check = Check::of_metric(Code::GradientNormHigh, Concept::GradientNorm, run);

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::MaxGradNorm, "Gradients are clipped to this norm."),
        (Hyperparameter::LearningRate, "Large updates land where the loss is steep."),
        (Hyperparameter::KlCoefficient, "The gradient of the KL term grows with its weight."),
        (Hyperparameter::EpochsPerBatch, "Further updates from a batch have larger ratios."),
        (Hyperparameter::MinibatchSize, "Further updates from a batch have larger ratios."),
    ],
    actions: &[
        Advice::OfLanguage([
            "Compare the probabilities of sampler and trainer for the same tokens",
            "shows or excludes a mismatch, the usual cause of a norm that grows",
            "none",
            "mean difference of probabilities below 0.005",
        ]),
        Advice::Change(&LOWER_MAX_GRAD_NORM, "gradient norm flat within 50 steps"),
        Advice::Change(&LOWER_LEARNING_RATE, "gradient norm flat within 50 steps"),
        Advice::Change(&LOWER_KL_COEFFICIENT, "gradient norm, if the KL term dominates the loss"),
    ],
    alternative: "The loss is a sum over tokens, and the norm grows with the length of the responses.",
    refute: "Gradient norms per token are as at the start.",
    references: &["experiment-analysis guide (grad norm < 50)", "verl docs/faq.rst (grad_norm)", "trl issue 2980"],
};

/// The same of a training on given answers, which has no sampler.
const WITHOUT_SAMPLER: FindingTexts = FindingTexts {
    actions: &[
        Advice::Change(&LOWER_MAX_GRAD_NORM, "gradient norm flat within 50 steps"),
        Advice::Change(&LOWER_LEARNING_RATE, "gradient norm flat within 50 steps"),
    ],
    ..TEXTS
};

/// What is logged where a policy is trained on what it sampled.
const OF_SAMPLES: [Concept; 10] = {
    use Concept::*;
    [
        Reward, RewardComponent, RewardStd, KlToReference, KlToSampler, Entropy, ClipFraction, ResponseLength,
        MismatchKl, ValueLoss,
    ]
};

/// False for a log with a loss and a learning rate and nothing of samples, as that of a supervised or of a reward model's training.
fn has_samples(context: &Context<'_>) -> bool {
    let is_logged = |concept: Concept| context.signal(concept).is_some();
    OF_SAMPLES.into_iter().any(is_logged) || ![Concept::PolicyLoss, Concept::LearningRate].into_iter().all(is_logged)
}

fn run(context: &Context<'_>, norm: &MetricSeries<'_>) -> Outcome {
    let Some(growth) = Growth::of(norm) else { return Outcome::Quiet(Vec::new()) };
    let book = context.rulebook;
    let mut evidence = vec![
        Evidence::new("median gradient norm of the first fifth", growth.first, ""),
        Evidence::new("median gradient norm of the last fifth", growth.last, "").above(book.gradient_high()),
        Evidence::new("growth of the gradient norm", growth.times(), "times").above(book.gradient_growth()),
    ];
    let spread = scatter(norm);
    evidence
        .push(Evidence::new("standard deviation of its natural logarithm", spread, "").above(book.gradient_scatter()));
    if !context.shows_change(norm) {
        return Outcome::QuietBecause(QuietReason::TooFewPoints, evidence);
    }
    let clip = context.gradient_clip();
    let high = stretch(norm, 0, Direction::Up, book.gradient_high().value);
    let grew = growth.first > 0.0
        && growth.times() >= book.gradient_growth().value
        && growth.z >= book.learning_z().value
        && growth.last >= MIN_SHARE_OF_CLIP * clip.unwrap_or(USUAL_CLIP).min(USUAL_CLIP)
        && growth.last - growth.first >= 2.0 * norm.quantum();
    let began = || norm.step(increase_onset(&logs(&norm.values).unwrap_or_else(|| norm.values.to_vec())));
    let harmful = grew.then(began).filter(|onset| !context.improved() || context.stalls_since(*onset));
    let (severity, onset, end, title) = match (harmful, high) {
        (Some(onset), _) => {
            // Norms that nothing clips, after a gain that is held, may come from a policy that has learned what it can.
            let is_settled = context.improved() && growth.last < clip.unwrap_or(USUAL_CLIP);
            let is_harmful = context.stalls_since(onset) && !is_settled;
            let severity = if is_harmful { Severity::Warning } else { Severity::Note };
            let title = rich!(
                "The gradient norm grew from {} to {}, beginning at step {}",
                number(growth.first),
                number(growth.last),
                step(onset)
            );
            (severity, onset, None, title)
        }
        (None, Some(high)) => {
            // Of a policy that stays where it was, large gradients are large by the scale of the loss.
            let known = context.moved().filter(|moved| moved.limit.is_none());
            let is_still = known.is_some_and(|moved| moved.last.abs() < book.conservative_kl().value);
            let harmful = !is_still && (spread > book.gradient_scatter().value || context.stalls_since(high.from));
            let severity = if harmful { Severity::Warning } else { Severity::Note };
            let (level, from) = (number(high.level), step(high.from));
            let title = match high.holds {
                true => rich!("The gradient norm is {} from step {} on", level, from),
                false => rich!(
                    "The gradient norm was {} (median) from step {} to {}, {} at most",
                    level,
                    from,
                    step(high.to),
                    number(norm.max())
                ),
            };
            evidence.push(Evidence::new("median gradient norm while high", high.level, "").above(book.gradient_high()));
            (severity, high.from, high.end(), title)
        }
        (None, None) => return Outcome::Quiet(evidence),
    };
    let samples = has_samples(context);
    let texts = if samples { &TEXTS } else { &WITHOUT_SAMPLER };
    let mut finding = context.finding(Code::GradientNormHigh, severity, title, Some(onset), texts);
    finding.end = end.or(finding.end);
    let is_steady = harmful.is_none() && growth.times() < book.gradient_growth().value;
    let detail = if is_steady && severity == Severity::Note {
        // Nothing suffers from it, and smaller updates would move the policy less.
        finding.actions.clear();
        "It is steady, as that of a loss is which is summed over tokens: its growth would tell more."
    } else if clip.is_some_and(|clip| growth.last >= clip) {
        "Clipping hides the size of such gradients, not their direction: each update goes as far as the clipping lets it."
    } else if !samples {
        "The loss gets steeper, which often precedes its divergence."
    } else {
        "The loss gets steeper, or the policies of sampler and trainer diverge: both precede a collapse."
    };
    let shown = [Some(norm), context.signal(Concept::MismatchKl), context.signal(Concept::KlToReference)];
    Outcome::Found(vec![finding.supported_by(detail, &shown, evidence, 0.65)])
}

/// Robust standard deviation of the logarithm, without a slow trend.
fn scatter(norm: &MetricSeries<'_>) -> f64 {
    let logs: Vec<f64> = norm.values.iter().filter(|value| **value > 0.0).map(|value| libm::log(*value)).collect();
    stats::difference_sigma(&logs).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, jump};

    fn flat(steps: usize) -> Synthetic {
        Synthetic::healthy(steps).noisy("train/reward", 0.15, |_| 1.4).every("eval/accuracy", 10, |_| 0.5)
    }

    #[test]
    fn growth_and_a_high_level_are_found() {
        let growing = flat(300).noisy("train/grad_norm", 0.1, |t| libm::exp(5.0 * (t - 0.5).max(0.0)));
        let finding = growing.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((141.0..=160.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        let high = flat(300).noisy("train/grad_norm", 5.0, |_| 90.0).finding(&CHECK);
        assert_eq!((high.severity, high.onset), (Severity::Warning, Some(1.0)));
        let jumped = flat(300).noisy("train/grad_norm", 0.3, |t| 1.0 + 80.0 * jump(t, 0.6)).finding(&CHECK);
        assert!((178.0..=184.0).contains(&jumped.onset.unwrap()), "{:?}", jumped.onset);
    }

    #[test]
    fn a_high_level_that_is_over_is_told_as_past_with_its_maximum() {
        let over = flat(300).noisy("train/grad_norm", 1.0, |t| match (t * 300.0).round() as u32 {
            100 => 9000.0,
            90..=150 => 200.0,
            _ => 2.0,
        });
        let finding = over.finding(&CHECK);
        assert!((145.0..=155.0).contains(&finding.end.unwrap()), "{:?}", finding.end);
        let is_level = |number: &Evidence| (number.value - 200.0).abs() < 2.0 && number.is_met() == Some(true);
        assert!(finding.evidence.iter().any(is_level), "{:?}", finding.evidence);
        let title = finding.title.to_string();
        assert!(title.contains("was 200") && title.contains("900") && title.contains(" to 15"), "{title}");
    }

    #[test]
    fn growth_far_below_the_clipping_is_none() {
        let small = |scale: f64| flat(300).noisy("train/grad_norm", 0.001, move |t| scale * (1.0 + 2.0 * t));
        assert!(small(0.01).quiet(&CHECK));
        assert!(small(0.01).config("max_grad_norm", 1.0).quiet(&CHECK));
        let near = small(0.01).config("max_grad_norm", 0.05).finding(&CHECK);
        assert!(!near.detail.to_string().contains("Clipping"), "{}", near.detail);
        let clipped = small(0.5).config("max_grad_norm", 1.0).finding(&CHECK);
        assert!(clipped.detail.to_string().contains("Clipping"), "{}", clipped.detail);
        assert!(matches!(small(0.5).check(&CHECK), Outcome::Found(_)), "1 is the usual clip");
    }

    #[test]
    fn a_training_without_samples_has_no_sampler_to_compare_with() {
        let advised = |run: Synthetic| {
            let run = run.noisy("train/grad_norm", 0.1, |t| libm::exp(5.0 * (t - 0.5).max(0.0)));
            let finding = run.every("train/learning_rate", 1, |_| 1e-5).finding(&CHECK);
            format!("{} {:?}", finding.detail, finding.actions)
        };
        let supervised = advised(Synthetic::new(300).noisy("train/loss", 0.01, |t| 0.7 - 0.5 * t));
        assert!(!supervised.contains("sampler"), "{supervised}");
        let sampled = advised(flat(300));
        assert!(sampled.contains("sampler"), "{sampled}");
    }

    #[test]
    fn steady_norms_and_learning_runs_are_quiet() {
        assert!(Synthetic::healthy(300).quiet(&CHECK));
        assert!(flat(300).quiet(&CHECK));
        assert!(Synthetic::healthy(300).noisy("train/grad_norm", 0.1, |t| 1.0 + 2.0 * t).quiet(&CHECK));
        let summed = Synthetic::healthy(300).noisy("train/grad_norm", 5.0, |_| 90.0);
        assert_eq!(summed.finding(&CHECK).severity, Severity::Note);
        let still = flat(300).noisy("train/grad_norm", 5.0, |_| 90.0).noisy("train/kl", 1e-4, |_| 1e-3);
        let finding = still.finding(&CHECK);
        assert_eq!((finding.severity, finding.actions.len()), (Severity::Note, 0), "the policy does not move");
        assert!(matches!(flat(300).without("train/grad_norm").check(&CHECK), Outcome::Skipped(_)));
    }
}
