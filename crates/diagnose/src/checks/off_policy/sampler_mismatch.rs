//! The sampling engine and the trainer disagree about the same weights.
//!
//! # What it checks
//! Every measure of the mismatch that is logged, each against its own line, smoothed and lasting; and whether it grew
//! to three times its start. A warning when a mismatch that biases the gradient grows, or when the task is not learned
//! with it; critical when the task declines as it grows. A note below that.
//!
//! Where none of them is beyond its line: a KL to the reference that stays negative, as it cannot when it is averaged over
//! responses of the policy. A warning for a sum over responses when the task is not learned with it, else a note.
//!
//! # Why it matters
//! Responses are sampled by one program and trained by another. When their probabilities differ, the gradient is that
//! of a policy that never sampled: the gradient norm grows, then the reward falls off a cliff, often within a few
//! steps and without any other warning.
//!
//! # Evidence needed
//! Any of: KL between both (verl's `rollout_corr/kl`, prime-rl's `mismatch_kl`), mean difference of probabilities or
//! log-probabilities, their correlation, the effective sample size of the importance weights; or the KL to the reference.
//!
//! # Threshold and where it comes from
//! KL 0.001 and 0.01 (NeMo RL, verl); probabilities 0.005 and 0.01 (verl FAQ; sound public runs show 0.001 to 0.008);
//! log-probabilities 0.1 and 1 (Axolotl, slime); correlation 0.99 and 0.95; effective sample size 0.3 and 0.1 (verl).
//! A negative KL: -1 summed over a response (TRL warns below it), a hundredth of that as a mean over tokens.
//! Largest differences of single tokens say nothing and are not read. Growth: prime-rl's documentation.
//!
//! # Known false alarms
//! Quantised or low-precision sampling has a steady mismatch that importance weights correct; it is a note as long as
//! the task is learned.
//!
//! # What to do
//! Correct by truncated importance weights; compute the head in FP32; use the same precision and sync the weights more
//! often.
//!
//! # References
//! verl docs/faq.rst and rollout_corr.md; NeMo RL docs/guides/grpo.md; prime-rl docs; slime CI.

mod negative_kl;

use crate::advice::{Advice, FindingTexts, LOWER_LEARNING_RATE, NewValue};
use crate::context::Context;
use crate::measure::Z_PICKED;
use crate::measure::growth::{Growth, logs, times};
use crate::measure::increase_onset::increase_onset;
use crate::measure::level;
use crate::measure::series::MetricSeries;
use crate::settings::Hyperparameter;
use crate::topics::threshold_rule::{LimitOf, Stretch, stretch};
use crate::{Check, Code, Evidence, LearningState, Outcome, Relation, Rulebook, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{number, step};
use rundown_vocabulary::{Concept, Direction};

pub const CHECK: Check = Check::of_run(Code::SamplerMismatch, run);

/// A correlation or a share nearer to 1 is as good as 1.
const AS_GOOD: f64 = 1e-4;
/// A growth that ends below this share of the first line is one of rounding errors.
const NEGLIGIBLE: f64 = 0.5;
/// Or standard errors by which the level before it lay below the line: one that was at the line all along is closer. Ours.
const ERRORS_BELOW_LINE: f64 = 2.0;

/// A measure, the wrong side, where it is to be watched, and where it biases the gradient.
const RULES: [(Concept, Direction, LimitOf, LimitOf); 5] = [
    (Concept::MismatchKl, Direction::Up, Rulebook::mismatch_kl, Rulebook::mismatch_kl_critical),
    (
        Concept::MismatchProbability,
        Direction::Up,
        Rulebook::mismatch_probability,
        Rulebook::mismatch_probability_critical,
    ),
    (Concept::MismatchLogprob, Direction::Up, Rulebook::mismatch_logprob, Rulebook::mismatch_logprob_critical),
    (
        Concept::MismatchCorrelation,
        Direction::Down,
        Rulebook::mismatch_correlation,
        Rulebook::mismatch_correlation_critical,
    ),
    (
        Concept::MismatchSampleSize,
        Direction::Down,
        Rulebook::mismatch_sample_size,
        Rulebook::mismatch_sample_size_critical,
    ),
];

const CAP: Advice = Advice::Set {
    keys: &["algorithm.rollout_correction.rollout_is_threshold", "vllm_importance_sampling_cap", "tis_imp_ratio_cap"],
    words: "cap of the importance weights between sampler and trainer",
    to: NewValue::Number(2.0),
    texts: [
        "the gradient is corrected for the mismatch",
        "a small bias",
        "gradient norm flat, effective sample size above 0.3",
    ],
};
const HEAD_IN_FP32: Advice = Advice::Set {
    keys: &["cast_lm_head_to_fp32"],
    words: "head of the model in FP32, in sampler and trainer",
    to: NewValue::Text("true"),
    texts: [
        "log-probabilities agree to more digits",
        "a little memory",
        "mean difference of probabilities below 0.005",
    ],
};
const SAME_PRECISION: Advice = Advice::Do([
    "Use the same precision (FP16 rather than BF16) and kernels in both, and sync the weights at every step",
    "both compute the same policy",
    "slower sampling",
    "KL between both below 0.001",
]);
const TEMPERATURE: (Hyperparameter, &str) =
    (Hyperparameter::Temperature, "Log-probabilities must be taken at the temperature of the sampling.");

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::LearningRate, "A policy that moves fast outruns the weights of the sampler."),
        TEMPERATURE,
    ],
    actions: &[
        CAP,
        HEAD_IN_FP32,
        SAME_PRECISION,
        Advice::Change(&LOWER_LEARNING_RATE, "mismatch flat within 50 steps"),
        Advice::GoBack,
    ],
    alternative: "The samples are old: then the difference is that of two policies, and the check of staleness shows it.",
    refute: "Both engines give the same log-probabilities for a fixed batch and the same weights.",
    references: &["verl docs/faq.rst, rollout_corr.md", "NeMo RL docs/guides/grpo.md", "prime-rl docs (mismatch_kl)"],
};

/// The same of a mismatch that was there before the policy had moved, or that is small and does not grow: updates did not bring it
/// about, and an earlier checkpoint has it as well.
const STEADY: FindingTexts =
    FindingTexts { causes: &[TEMPERATURE], actions: &[CAP, HEAD_IN_FP32, SAME_PRECISION], ..TEXTS };

/// One measure, looked at.
struct Seen<'a> {
    signal: MetricSeries<'a>,
    /// Beyond the line to watch.
    beyond: Option<Stretch>,
    /// Beyond the line that biases the gradient.
    biased: Option<Stretch>,
    /// Step at which it began to grow, if it did.
    grew: Option<f64>,
    evidence: Evidence,
}

fn run(context: &Context<'_>) -> Outcome {
    let seen: Vec<Seen<'_>> = RULES.iter().filter_map(|rule| look(context, rule)).collect();
    let evidence: Vec<Evidence> = seen.iter().map(|seen| seen.evidence.clone()).collect();
    // The measure that makes the case: growing and biased before biased, before growing, before watched.
    let rank = |seen: &Seen<'_>| {
        4 * u8::from(seen.biased.is_some()) + 2 * u8::from(seen.grew.is_some()) + u8::from(seen.beyond.is_some())
    };
    let Some(worst) = seen.iter().reduce(|a, b| if rank(b) > rank(a) { b } else { a }).filter(|worst| rank(worst) > 0)
    else {
        return match negative_kl::finding(context) {
            Some(negative) => Outcome::Found(vec![negative]),
            None if seen.is_empty() => Outcome::Skipped(context.need(&[Concept::MismatchKl])),
            None => Outcome::Quiet(evidence),
        };
    };
    let severity = severity(context, worst);
    let beyond = worst.beyond.or(worst.biased);
    let onset = worst.grew.or(beyond.map(|stretch| stretch.from)).unwrap_or(f64::NAN);
    let name = worst.signal.binding.concept.words();
    let last = worst.signal.end_level();
    let title = match (worst.grew, beyond) {
        (Some(_), _) => {
            rich!("Sampler and trainer drift apart from step {} on: {} {}", step(onset), name, number(last))
        }
        (None, Some(stretch)) if !stretch.holds => rich!(
            "Sampler and trainer disagree from step {} to {}: {} {}",
            step(onset),
            step(stretch.to),
            name,
            number(stretch.level)
        ),
        _ => rich!("Sampler and trainer disagree from step {} on: {} {}", step(onset), name, number(last)),
    };
    let detail = match worst.grew {
        Some(_) => {
            "The trained policy is not the one that sampled, so the gradient is biased. A growing mismatch precedes growing gradients, and these precede a reward collapse."
        }
        None => {
            "The gradient is that of a policy that never sampled. It does not grow: what precedes a cliff in the reward is a mismatch that does."
        }
    };
    let norm = context.signal(Concept::GradientNorm);
    let all = seen.iter().map(|seen| &seen.signal);
    let shown: Vec<&MetricSeries<'_>> = std::iter::once(&worst.signal).chain(all).chain(norm).collect();
    let is_steady = worst.grew.is_none() && (severity == Severity::Note || onset <= worst.signal.step(0));
    let texts = if is_steady { &STEADY } else { &TEXTS };
    let mut finding = context.finding(Code::SamplerMismatch, severity, title, Some(onset), texts);
    finding.end = beyond.filter(|_| worst.grew.is_none()).and_then(|stretch| stretch.end()).or(finding.end);
    Outcome::Found(vec![finding.supported_by(detail, &shown, evidence, if worst.grew.is_some() { 0.85 } else { 0.65 })])
}

fn look<'a>(
    context: &Context<'a>,
    (concept, wrong, watch, bias): &(Concept, Direction, LimitOf, LimitOf),
) -> Option<Seen<'a>> {
    let signal = context.signal(*concept)?;
    let (watch, bias) = (watch(context.rulebook), bias(context.rulebook));
    // The plain estimate may have either sign.
    let signal = if *concept == Concept::MismatchKl { signal.map(f64::abs) } else { signal.clone() };
    let up = *wrong == Direction::Up;
    let lasting = |line: f64| stretch(&signal, 0, *wrong, line).filter(|_| context.shows_level(&signal, *wrong, line));
    // A level that was close to the line before did not begin where noise first took it over the line: it counts from the start.
    let since_start = |over: Stretch| {
        let place = signal.steps.partition_point(|step| *step < over.from);
        let change = level::change_of(&signal, place, signal.len() - place, 0.0);
        let began = !over.holds
            || change.is_none_or(|change| {
                let short = if up { watch.value - change.first } else { change.first - watch.value };
                // The part of the error of the change that is of the level before it.
                let error = change.error * ((signal.len() - place) as f64 / signal.len() as f64).sqrt();
                change.z().abs() >= Z_PICKED || short > ERRORS_BELOW_LINE * error
            });
        if began { over } else { Stretch { from: signal.step(0), ..over } }
    };
    let (beyond, biased) = (lasting(watch.value).map(since_start), lasting(bias.value));
    let (name, level) = match beyond {
        Some(over) if !over.holds => (rich!("{} while beyond its limit", concept.words()), over.level),
        _ => (rich!("{} at the end", concept.words()), signal.end_level()),
    };
    let evidence = Evidence::new(name, level, signal.binding.unit.as_str());
    let evidence = evidence.compared(if up { Relation::Above } else { Relation::Below }, watch);
    // Of a correlation or a share, what is missing to 1 grows.
    let distance = |value: f64| if up { value } else { (1.0 - value).max(AS_GOOD) };
    let apart = signal.map(distance);
    let large = |first: f64, last: f64| {
        context.shows_change(&signal)
            && times(first, last) >= context.rulebook.mismatch_growth().value
            && last >= NEGLIGIBLE * distance(watch.value)
    };
    let growth = Growth::between(&apart, large).filter(|growth| growth.z >= context.rulebook.learning_z().value);
    let grew =
        growth.map(|_| signal.step(increase_onset(&logs(&apart.values).unwrap_or_else(|| apart.values.into_owned()))));
    Some(Seen { signal, beyond, biased, grew, evidence })
}

fn severity(context: &Context<'_>, worst: &Seen<'_>) -> Severity {
    let (biased, grew) = (worst.biased.is_some(), worst.grew.is_some());
    let declined = context.learning.state == LearningState::Declined;
    if biased && grew && declined {
        return Severity::Critical;
    }
    // A growing bias comes before the cliff: by the time that the task suffers it is too late.
    let is_over = !grew && worst.beyond.or(worst.biased).is_some_and(|stretch| !stretch.holds);
    let serious =
        !is_over && biased && (grew || !context.improved()) || grew && worst.beyond.is_some() && context.suffers();
    if serious { Severity::Warning } else { Severity::Note }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change, jump};

    const KL: &str = "rollout_corr/kl";

    #[test]
    fn a_growing_mismatch_before_a_cliff_is_critical() {
        let run = Synthetic::healthy(300)
            .noisy(KL, 0.0, |t| 1e-3 * libm::exp(9.0 * (t - 0.5).max(0.0)))
            .noisy("train/reward", 0.1, |t| 1.4 + 0.3 * t - 1.2 * jump(t, 0.75))
            .every("eval/accuracy", 10, |t| 0.5 + 0.2 * t - 0.6 * jump(t, 0.75));
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Critical);
        assert!((142.0..=160.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    }

    #[test]
    fn a_steady_mismatch_is_not_put_down_to_fast_updates() {
        let advised = |level: fn(f64) -> f64| {
            let run = Synthetic::healthy(300).noisy("train/reward", 0.15, |_| 1.4).every("eval/accuracy", 10, |_| 0.5);
            let finding = run.config("learning_rate", 1e-6).noisy(KL, 0.001, level).finding(&CHECK);
            let blamed = finding.causes.iter().any(|cause| cause.config == "learning_rate");
            let advised = finding.actions.iter().any(|action| change(action).0 == "learning_rate");
            (finding.severity, blamed, advised)
        };
        assert_eq!(advised(|_| 0.03), (Severity::Warning, false, false));
        assert_eq!(advised(|t| 0.02 + 0.3 * t), (Severity::Warning, true, true));
    }

    #[test]
    fn each_measure_has_its_own_line() {
        let flat = || Synthetic::healthy(300).noisy("train/reward", 0.15, |_| 1.4).every("eval/accuracy", 10, |_| 0.5);
        let correlation =
            flat().noisy("training/rollout_actor_probs_pearson_corr", 0.002, |t| 0.995 - 0.06 * jump(t, 0.4));
        let finding = correlation.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((118.0..=124.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        let probability = flat().noisy("training/rollout_probs_diff_mean", 0.001, |_| 0.02);
        assert_eq!(probability.finding(&CHECK).severity, Severity::Warning);
    }

    #[test]
    fn a_level_about_at_the_line_did_not_begin_where_its_noise_crossed_it() {
        let onset = |before: f64| {
            let scatter = |t: f64| 2e-4 * f64::from((60.0 * t).round() as u32 % 3) - 2e-4;
            let level = move |t: f64| scatter(t) + if t < 0.8 { before } else { 1.04e-3 };
            Synthetic::healthy(60).every(KL, 1, level).finding(&CHECK).onset.unwrap()
        };
        // At the place that is picked the level changed by 2.4 standard errors, and was 1.6 of its own below the line.
        assert_eq!(onset(9.8e-4), 1.0);
        assert!(onset(9.5e-4) > 40.0, "the change is 3.3, and the level before it 3.7 below the line");
        assert!(onset(4.5e-4) > 40.0, "it was well below the line");
    }

    #[test]
    fn a_small_or_steady_mismatch_is_quiet_or_a_note() {
        let healthy = Synthetic::healthy(300);
        assert!(healthy.noisy(KL, 1e-4, |_| 4e-4).quiet(&CHECK));
        assert!(Synthetic::healthy(300).noisy(KL, 0.0, |t| 1e-6 + 1e-5 * t).quiet(&CHECK), "of no size");
        let steady = Synthetic::healthy(300).noisy("training/rollout_probs_diff_mean", 0.001, |_| 0.012);
        assert_eq!(steady.finding(&CHECK).severity, Severity::Note);
        assert!(matches!(Synthetic::healthy(300).check(&CHECK), Outcome::Skipped(_)));
    }
}
