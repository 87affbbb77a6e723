//! The policy stopped exploring before it had learned.
//!
//! # What it checks
//! Entropy lost 80 % of its start, or half of it and ended below 0.05 nats per token, while the primary metric did not improve.
//! Whatever the measure and however short the run, where entropy and gradient norm are below 1e-6 in all of the last fifth (a
//! note where nothing measures learning). A warning too below 0.01, when that measure has gained nothing since, or is the KL to
//! the teacher of a distillation, which responses without variety lower. Critical when it declined, unless the training reward
//! rose: then the entropy was spent, on memorised prompts or on a shortcut, and that is the finding.
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

const DISTILLED: FindingTexts = FindingTexts {
    causes: &[(
        Hyperparameter::LearningRate,
        "Large steps commit the policy to the first responses that the teacher is sure of.",
    )],
    actions: &[
        Advice::Do([
            "Read responses of the end, and those of the first step: the chat template, and the token that ends a response",
            "shows text that repeats itself, or a start model that does not know the format",
            "none",
            "share of the responses that end by themselves",
        ]),
        Advice::Change(&LOWER_LEARNING_RATE, WATCH),
    ],
    alternative: "The task has short answers of which the teacher is as sure.",
    refute: "Responses of the last checkpoint answer their prompts, and the teacher's own have as low an entropy.",
    references: &["arXiv 2306.13649 (GKD: the reverse KL seeks a mode)"],
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
            if end < book.entropy_nothing().value
                && (is_distilled(context) || context.stalls_since(onset(context, entropy, start))) =>
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

/// True where nothing but the KL to a teacher measures learning. Text that repeats itself lowers it: teacher and policy are equally
/// sure of it.
fn is_distilled(context: &Context<'_>) -> bool {
    context.learning.measure.as_ref().is_some_and(|measure| measure.concept == Concept::TeacherKl)
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
        LearningState::Improved | LearningState::Unknown if is_distilled(context) => {
            "agrees with its teacher on responses that hardly vary"
        }
        LearningState::Improved if context.lost_since(onset) => "learned, became nearly deterministic and got worse",
        LearningState::Improved => "learned and has become nearly deterministic",
        LearningState::Unknown => "has become nearly deterministic",
        _ if spent => "has spent its entropy on the training reward, not on the task",
        _ => "has become nearly deterministic without having learned the task",
    };
    let mut detail = rich!(
        "The policy {}: {} is below {} of its start from step {} on.",
        why,
        metric(entropy.key()),
        percent(gone(context, start)),
        step(onset)
    );
    if is_distilled(context) {
        detail.append(
            " The KL to the teacher does not show whether responses are right: text that repeats itself lowers it too.",
        );
    }
    let mut evidence = vec![
        Evidence::new("entropy of the first points", start, unit.as_str()),
        Evidence::new("entropy of the last fifth", end, unit.as_str()).below(book.entropy_low()),
        Evidence::new("share lost", drop, "").above(book.entropy_drop()),
    ];
    if measure.is_some() {
        evidence.push(Evidence::new("primary metric at the start", learning.first, ""));
        evidence.push(Evidence::new("primary metric at the end", learning.last, ""));
    }
    let texts = if is_distilled(context) { &DISTILLED } else { &TEXTS };
    let finding = context.finding(Code::EntropyCollapse, severity, title, Some(onset), texts);
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
mod tests;
