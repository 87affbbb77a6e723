//! The policy stopped exploring before it had learned.
//!
//! # What it checks
//! Entropy lost 80 % of its start, or half of it and ended below 0.05 nats per token, while the primary metric did not improve.
//! Whatever the measure and however short the run, where entropy and gradient norm are below 1e-6 in all of the last fifth (a
//! note where nothing measures learning). A warning too below 0.01, when that measure has gained nothing since. Critical when
//! it declined, unless the training reward rose: then the entropy was spent, on memorised prompts or on a shortcut, and that
//! is the finding.
//!
//! # Why it matters
//! Entropy is what the policy pays for reward with: reward follows -a exp(H) + b, and at H = 0 nothing is left to
//! spend. Groups of samples then agree with each other, advantages vanish, and the run cannot correct its mistakes.
//!
//! # Evidence needed
//! Entropy per token, and an evaluation or the reward.
//!
//! # Threshold and where it comes from
//! Relative to the run's own start: healthy runs start anywhere from 0.12 to 0.75 and end at 0.02 to 0.15, so an
//! absolute rule misleads (a published default of 1.0 fires on 17 of 18 public logs). 80 %: arXiv 2505.22617, and 0.8
//! to 0.95 in public logs of runs that are spent. 0.05: Axolotl's guide, shown beside the relative rule.
//!
//! # Known false alarms
//! Entropy that was spent on learning: it falls while the evaluation rises, and this check is quiet. Entropy of
//! templates: a low value can be right for short answers.
//!
//! # What to do
//! Clip higher, sample at temperature 1, lower the learning rate; go back to where 60 % was lost.
//!
//! # References
//! arXiv 2505.22617 (entropy mechanism); arXiv 2503.14476 (DAPO, clip-higher); Axolotl docs/training_stability.qmd.

use crate::advice::{Advice, CLIP_HIGHER, FindingTexts, LOWER_LEARNING_RATE, Return, TEMPERATURE_ONE, go_back};
use crate::context::Context;
use crate::measure::onset::lasts_from;
use crate::measure::series::{Fifth, MetricSeries};
use crate::settings::Hyperparameter;
use crate::topics::abrupt_fall::abrupt_fall;
use crate::{Check, Code, Evidence, Finding, LearningState, Outcome, QuietReason, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{metric, number, percent, step};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

/// The check.
pub const CHECK: Check = Check::of_metric(Code::EntropyCollapse, Concept::Entropy, run);

const WATCH: &str = "entropy stays above 40 % of its start";

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::LearningRate, "Large steps commit the policy to the first responses that score."),
        (Hyperparameter::ClipHigh, "A low upper clip keeps rare tokens from gaining probability."),
        (Hyperparameter::Temperature, "A sampling temperature below 1 narrows exploration."),
        (Hyperparameter::KlCoefficient, "A weak KL term lets the policy sharpen freely."),
    ],
    actions: &[
        Advice::Change(&CLIP_HIGHER, WATCH),
        Advice::Change(&LOWER_LEARNING_RATE, WATCH),
        Advice::Change(&TEMPERATURE_ONE, WATCH),
    ],
    alternative: "The task has short answers, and a sharp policy is right for it; then the evaluation would not fall.",
    refute: "Samples at temperature 1.2 from the last checkpoint solve more tasks than greedy ones.",
    references: &["arXiv 2505.22617 (entropy mechanism)", "arXiv 2503.14476 (DAPO, clip-higher)"],
};

/// Points whose mean is the start, a fifth of fewer: a policy loses entropy fast, a single batch is noisy.
const START: usize = 5;
/// Part of the run that is its end when the entropy went late, and the fewest points of it that make a level.
const LATE: usize = 20;
const LATE_POINTS: usize = 10;
/// The quantile of the last fifth that lies above the start where the entropy leaps.
const LEAPING: f64 = 0.8;
/// One in so many points, at least, has to be as low before the entropy came back.
const EARLIER_DIVISOR: usize = 20;
/// All but one in so many points have to be below a level for it to be left for good.
const LASTING_PARTS: usize = 5;

/// Entropy in nats per token and gradient norms below this count as zero. Ours: the relative precision of 32-bit floats.
const NEARLY_ZERO: f64 = 1e-6;
/// Fewest last points that show it.
const DEAD_POINTS: usize = 3;

/// Share of its entropy that a checkpoint to go back to may have lost: by then three quarters of the gain are had (arXiv 2505.22617).
const ROLLBACK: f64 = 0.6;

fn run(context: &Context<'_>, entropy: &MetricSeries<'_>) -> Outcome {
    let book = context.rulebook;
    let start = entropy.start_level(START.min(entropy.len().div_ceil(5)));
    let end = end(entropy);
    let drop = if start > 0.0 { 1.0 - end / start } else { 0.0 };
    let unit = context.policy_unit().as_str();
    let quiet = |reason: QuietReason| {
        let evidence = vec![
            Evidence::new("entropy at the start", start, unit),
            Evidence::new("entropy at the end", end, unit).below(book.entropy_low()),
            Evidence::new("share lost", drop, "").above(book.entropy_drop()),
        ];
        Outcome::QuietBecause(reason, evidence)
    };
    // An entropy that leaps between nothing and a multiple of its start is no longer collapsed: it explodes.
    let leaps = stats::quantile(entropy.fifth(Fifth::Last), LEAPING) > Some(start);
    let collapsed = !leaps && (drop >= book.entropy_drop().value || (drop >= 0.5 && end < book.entropy_low().value));
    let dead = context.learning.room && is_dead(context, entropy);
    if dead && start >= book.entropy_start().value {
        let severity = match (context.learning.is_measured(), context.improved()) {
            // It may have solved its task.
            (false, _) => Severity::Note,
            (true, true) => Severity::Warning,
            (true, false) => Severity::Critical,
        };
        return Outcome::Found(vec![finding(context, entropy, start, end, severity)]);
    }
    if !context.has_levels(entropy) {
        return quiet(QuietReason::TooFewPoints);
    }
    if !collapsed {
        return quiet(QuietReason::OtherConditions);
    }
    if start < book.entropy_start().value {
        return quiet(QuietReason::CoveredBy(Code::EntropyCollapsedAtStart));
    }
    let severity = match context.learning.state {
        // A reward that rose says that the entropy was spent, on the training prompts or on a shortcut.
        LearningState::Declined if context.reward_rose() => Severity::Warning,
        LearningState::Declined
            if broke_later(context, onset(context, entropy, start)) || learned_while_low(context, entropy, start) =>
        {
            return quiet(QuietReason::OtherConditions);
        }
        LearningState::Declined => Severity::Critical,
        LearningState::Flat if context.learning.room => Severity::Warning,
        // Spent to nothing, and no gain since: what was learned before does not help what comes.
        LearningState::Improved | LearningState::Unknown
            if end < book.entropy_nothing().value && context.stalls_since(onset(context, entropy, start)) =>
        {
            Severity::Warning
        }
        LearningState::Improved | LearningState::Unknown if context.lost_since(onset(context, entropy, start)) => {
            Severity::Warning
        }
        _ => return quiet(context.reason_by_learning()),
    };
    Outcome::Found(vec![finding(context, entropy, start, end, severity)])
}

/// True for a policy that has one answer and no gradient to leave it: entropy and gradient norm are zero in all of the last fifth,
/// and the log has the digits to show it. Whatever the reward is, and however short the run.
fn is_dead(context: &Context<'_>, entropy: &MetricSeries<'_>) -> bool {
    let is_zero = |signal: &MetricSeries<'_>| {
        let last = signal.fifth(Fifth::Last);
        let resolution = signal.printed_quantum.unwrap_or(0.0);
        last.len() >= DEAD_POINTS && resolution < NEARLY_ZERO && last.iter().all(|value| value.abs() < NEARLY_ZERO)
    };
    is_zero(entropy) && context.signal(Concept::GradientNorm).is_some_and(is_zero)
}

fn finding(context: &Context<'_>, entropy: &MetricSeries<'_>, start: f64, end: f64, severity: Severity) -> Finding {
    let book = context.rulebook;
    let drop = 1.0 - end / start;
    let onset = onset(context, entropy, start);
    let rollback = falls_below(entropy, start * (1.0 - ROLLBACK));
    let (learning, unit) = (&context.learning, context.policy_unit());
    let mut title =
        rich!("Entropy fell from {} to {} {} ({} lost)", number(start), number(end), unit.words(), percent(drop));
    let measure = learning.measure.as_ref().filter(|_| learning.is_measured());
    if let Some(measure) = measure {
        let (first, last) = (number(learning.first), number(learning.last));
        title.append(rich!(" while {} went from {} to {}", measure.key.as_str(), first, last));
    }
    let spent = learning.is_evaluated() && context.reward_rose();
    let why = match learning.state {
        LearningState::Improved if context.lost_since(onset) => "learned, became nearly deterministic and got worse",
        LearningState::Improved => "learned and has become nearly deterministic",
        LearningState::Unknown => "has become nearly deterministic",
        _ if spent => "has spent its entropy on the training reward, not on the task",
        _ => "has become nearly deterministic without having learned the task",
    };
    let detail = rich!(
        "The policy {}: {} is below {} of its start from step {} on.",
        why,
        metric(entropy.key()),
        percent(gone(context, start)),
        step(onset)
    );
    let mut evidence = vec![
        Evidence::new("entropy of the first points", start, unit.as_str()),
        Evidence::new("entropy of the last fifth", end, unit.as_str()).below(book.entropy_low()),
        Evidence::new("share lost", drop, "").above(book.entropy_drop()),
    ];
    if measure.is_some() {
        evidence.push(Evidence::new("primary metric at the start", learning.first, ""));
        evidence.push(Evidence::new("primary metric at the end", learning.last, ""));
    }
    let finding = context.finding(Code::EntropyCollapse, severity, title, Some(onset), &TEXTS);
    let confidence = if severity == Severity::Critical { 0.9 } else { 0.7 };
    let mut finding = finding.supported_by(detail, &[Some(entropy), context.measure()], evidence, confidence);
    finding.end = Some(entropy.last_step());
    // Further back than the onset: entropy goes before it is gone.
    let back = Return { effect: "entropy to explore with", watch: "entropy and the evaluation of that checkpoint" };
    finding.actions.push(go_back(context, rollback, &back));
    finding
}

/// True where the task was learned in spite of the collapse, until the reward fell at one step: what broke it is another
/// cause.
fn broke_later(context: &Context<'_>, onset: f64) -> bool {
    let Some(reward) = context.signal(Concept::Reward).filter(|_| !context.learning.is_evaluated()) else {
        return false;
    };
    let place = reward.steps.partition_point(|step| *step < onset);
    let Some(fall) = abrupt_fall(context, reward).filter(|fall| fall.index > place) else { return false };
    let around = reward.values.get(place.saturating_sub(fall.width / 2)..place + fall.width / 2);
    let Some(at_onset) = around.and_then(stats::mean) else { return false };
    // Of means of so many points, one standard deviation of a step is two or three standard errors at least.
    fall.before - reward.start_level(START) >= fall.sigma && fall.before >= at_onset - fall.sigma
}

/// True where the entropy was as low long before, came back, and performance rose meanwhile or since: what was lost later has
/// another cause.
fn learned_while_low(context: &Context<'_>, entropy: &MetricSeries<'_>, start: f64) -> bool {
    let (level, onset) = (start * gone(context, start), onset(context, entropy, start));
    let smooth = entropy.smoothed((entropy.len() / 50).max(2));
    let low = smooth.iter().zip(entropy.steps.iter()).filter(|(value, step)| **value < level && **step < onset);
    let mut low = low.map(|(_, step)| *step);
    let (Some(first), Some(measure)) = (low.next(), context.measure()) else { return false };
    if low.count() < START.max(entropy.len() / EARLIER_DIVISOR) {
        return false;
    }
    let smooth = measure.smoothed((measure.len() / 50).max(2));
    let place = measure.steps.partition_point(|step| *step < first);
    let (Some(at), Some(noise)) = (smooth.get(place), stats::difference_sigma(&measure.values)) else { return false };
    smooth.iter().skip(place).any(|value| measure.binding.direction.sign() * (value - at) > noise)
}

/// Level at the end, or of the last twentieth where it went late.
fn end(entropy: &MetricSeries<'_>) -> f64 {
    let late = entropy.len() / LATE;
    let recent = entropy.values.get(entropy.len() - late..).filter(|_| late >= LATE_POINTS).and_then(stats::median);
    let last = entropy.end_level();
    recent.map_or(last, |recent| recent.min(last))
}

/// Step from which it has collapsed.
fn onset(context: &Context<'_>, entropy: &MetricSeries<'_>, start: f64) -> f64 {
    falls_below(entropy, start * gone(context, start))
}

/// Part of its start below which the entropy has collapsed: what the largest loss leaves, or what is low for any policy.
fn gone(context: &Context<'_>, start: f64) -> f64 {
    let book = context.rulebook;
    (1.0 - book.entropy_drop().value).max(book.entropy_low().value / start)
}

/// First step from which the smoothed entropy is below a level, but for a fifth of the points: a level near the line passes it again
/// and again, and an entropy that comes back a little at the end was gone all the same. The last step where there is none.
fn falls_below(entropy: &MetricSeries<'_>, level: f64) -> f64 {
    let smooth = entropy.smoothed((entropy.len() / 50).max(2));
    let is_below: Vec<bool> = smooth.iter().map(|value| *value < level).collect();
    let first = lasts_from(&is_below, |below, all| LASTING_PARTS * below >= (LASTING_PARTS - 1) * all);
    entropy.step(first.unwrap_or(entropy.len().saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, edited, jump, saturating};

    #[test]
    fn entropy_that_dies_while_the_task_is_lost_is_critical() {
        let lost = || {
            Synthetic::healthy(300).noisy("train/entropy", 0.01, |t| 0.6 - 0.58 * saturating(t)).every(
                "eval/accuracy",
                10,
                |t| 0.5 - 0.45 * saturating(t),
            )
        };
        let finding = lost().noisy("train/reward", 0.15, |t| 1.4 - 0.5 * t).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Critical);
        assert!(finding.detail.to_string().contains("below 20 % of its start"), "{}", finding.detail);
        let lax = lost().finding_by(&edited("entropy_drop", 0.7), &CHECK);
        assert!(lax.detail.to_string().contains("below 30 % of its start"), "{}", lax.detail);
        assert!(finding.onset.unwrap() < 120.0, "{:?}", finding.onset);
        assert_eq!(lost().finding(&CHECK).severity, Severity::Warning, "the training reward rose: over-training");
    }

    #[test]
    fn entropy_that_was_as_low_while_the_task_was_learned_is_not_why_it_was_lost() {
        let run = |early: f64| {
            Synthetic::healthy(400)
                .without("eval/accuracy")
                .noisy("train/entropy", 0.005, move |t| match (t * 100.0) as u32 {
                    10..=25 => early,
                    ..=60 => 0.6,
                    _ => 0.05,
                })
                .noisy("train/reward", 0.05, |t| if t < 0.55 { 1.0 + 3.0 * t } else { 0.5 })
        };
        assert!(run(0.05).quiet(&CHECK));
        assert_eq!(run(0.6).finding(&CHECK).severity, Severity::Critical);
    }

    #[test]
    fn entropy_that_leaps_above_its_start_has_not_collapsed() {
        let run = |high: f64| {
            Synthetic::healthy(300)
                .noisy("train/entropy", 0.001, move |t| match (t * 300.0) as u32 {
                    ..=200 => 0.5,
                    step if step.is_multiple_of(3) => high,
                    _ => 0.02,
                })
                .every("eval/accuracy", 10, |t| 0.5 - 0.45 * t)
        };
        assert!(run(4.0).quiet(&CHECK));
        assert!(matches!(run(0.03).check(&CHECK), Outcome::Found(_)));
    }

    #[test]
    fn a_reward_that_broke_after_the_collapse_had_another_cause() {
        let run = |rises: f64| {
            Synthetic::healthy(400)
                .without("eval/accuracy")
                .noisy("train/entropy", 0.005, |t| 0.5 - 0.46 * jump(t, 0.3))
                .noisy("train/reward", 0.02, move |t| 0.1 + rises * t - if t > 0.76 { 0.12 + rises * t } else { 0.0 })
        };
        assert!(run(0.4).quiet(&CHECK), "it went on rising without entropy");
        assert_eq!(run(0.0).finding(&CHECK).severity, Severity::Critical);
    }

    #[test]
    fn entropy_that_is_spent_on_learning_is_quiet() {
        let run = || Synthetic::healthy(300).noisy("train/entropy", 0.005, |t| 0.5 - 0.48 * saturating(t));
        assert!(run().quiet(&CHECK));
        assert_eq!(run().quiet_reason(&CHECK), Some(QuietReason::Improved));
        assert_eq!(Synthetic::healthy(300).quiet_reason(&CHECK), None, "no number meets its limit");
    }

    #[test]
    fn a_policy_without_entropy_and_gradient_is_dead_in_any_run() {
        let run = |entropy: f64, norm: f64| {
            let gone = move |first: f64, last: f64| move |t: f64| if t < 0.5 { first } else { last };
            Synthetic::new(24)
                .every("train/reward", 1, |t| 0.1 * libm::sin(40.0 * t))
                .every("train/entropy", 1, gone(0.85, entropy))
                .every("train/grad_norm", 1, gone(2.0, norm))
        };
        assert_eq!(run(1e-14, 1e-15).finding(&CHECK).severity, Severity::Critical);
        let unmeasured = run(1e-14, 1e-15).without("train/reward").finding(&CHECK);
        assert!(unmeasured.title.to_string().ends_with("lost)") && unmeasured.severity == Severity::Note);
        assert!(run(1e-14, 0.5).quiet(&CHECK) && run(0.1, 1e-15).quiet(&CHECK));
    }

    #[test]
    fn a_low_entropy_from_the_start_is_quiet() {
        let run = Synthetic::healthy(300).noisy("train/entropy", 0.001, |t| 0.04 - 0.035 * saturating(t)).every(
            "eval/accuracy",
            10,
            |_| 0.5,
        );
        assert!(run.quiet(&CHECK));
    }

    #[test]
    fn a_collapse_begins_where_the_entropy_goes_and_not_where_it_last_comes_back_a_little() {
        let run = Synthetic::healthy(300)
            .noisy("train/entropy", 0.002, |t| match (t * 300.0) as u32 {
                ..=10 => 0.75,
                200 | 201 | 202 | 290..=294 => 0.2,
                _ => 0.08,
            })
            .noisy("train/reward", 0.15, |_| 1.4)
            .every("eval/accuracy", 10, |_| 0.5);
        let onset = run.finding(&CHECK).onset.unwrap();
        assert!((9.0..=18.0).contains(&onset), "{onset}");
    }

    #[test]
    fn without_entropy_it_is_skipped() {
        let outcome = Synthetic::healthy(300).without("train/entropy").check(&CHECK);
        assert!(matches!(outcome, Outcome::Skipped(need) if need.hint.to_string().contains("train/entropy")));
    }

    #[test]
    fn a_late_collapse_that_costs_what_was_learned_is_found() {
        let run = |lost: f64| {
            Synthetic::healthy(600)
                .every("eval/accuracy", 10, move |t| 0.3 + 0.5 * t.min(0.8) - if t > 0.85 { lost } else { 0.0 })
                .noisy("train/entropy", 0.01, |t| if t < 0.85 { 0.6 } else { 0.05 })
        };
        let finding = run(0.2).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((505.0..=530.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        assert!(finding.detail.to_string().contains("learned, became nearly"), "{}", finding.detail);
        assert!(run(0.0).quiet(&CHECK));
    }
}
