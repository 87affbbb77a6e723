//! The policy drifts away from the reference, step by step.
//!
//! # What it checks
//! The KL to the reference, per token, at the end of the run, after its value at the first step is taken off. A
//! warning above 0.5 nats/token when the task did not improve, or has gained nothing since the climb began; a note when
//! it has. One that was above and came back counts only where the task suffers. A note above 0.2 when it still climbs and the
//! task did not improve, or above 0.32 when it did; and a note where the second half of the run lies between 0.1 and 0.2
//! while the task did not improve. A KL that ran away is left to `kl_blow_up`, one without any gain of the reward to
//! `kl_without_reward`.
//!
//! # Why it matters
//! A KL that climbs on and on means that nothing holds the policy: it unlearns, slowly, what the reference could do
//! outside of the training prompts.
//!
//! # Evidence needed
//! KL to the reference. A sum over the sequence (TRL's PPO) is divided by the mean response length first, or by the limit of
//! the config where no length was logged: the KL per token is no less.
//!
//! # Threshold and where it comes from
//! 0.5 nats/token: Axolotl's guide on training stability. 0.2: the experiment-analysis guide calls it runaway, and
//! healthy public logs of GRPO and PPO end at 0.02 to 0.32; so 0.2 alone is no warning. 0.1: the same guide calls a KL
//! below it stable; only an estimate per token that cannot be negative is held against it. The level is the median of the
//! last tenth of the run. The onset is where the curve begins to climb, not where it crosses a line.
//!
//! # Known false alarms
//! A KL that grows while the task is learned is the price of learning, and a note at most. A mean over tokens falls
//! when responses get longer. A signed k1 estimate cancels, and shows drift only where it is large.
//!
//! # What to do
//! Raise the KL coefficient, or lower the learning rate; pick an earlier checkpoint by its evaluation.
//!
//! # References
//! Axolotl docs/training_stability.qmd; the experiment-analysis guide (KL stable below 0.1, spikes above 0.2).

use crate::advice::{Advice, FindingTexts, LOWER_LEARNING_RATE, RAISE_KL_COEFFICIENT};
use crate::context::Context;
use crate::kl::{self, KlMovement};
use crate::settings::Hyperparameter;
use crate::{Check, Code, Evidence, Finding, LearningState, Outcome, QuietReason, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{number, step};
use rundown_stats as stats;
use rundown_vocabulary::Unit;

pub const CHECK: Check = Check::of_run(Code::KlDrift, run);

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::KlCoefficient, "At this coefficient the KL term may be too weak to limit the drift."),
        (Hyperparameter::LearningRate, "A high learning rate makes each update larger."),
        (Hyperparameter::EpochsPerBatch, "More updates from a batch move the policy further."),
        (Hyperparameter::MinibatchSize, "More updates from a batch move the policy further."),
    ],
    actions: &[
        Advice::Change(&RAISE_KL_COEFFICIENT, "KL flat within 100 steps, evaluation not lower"),
        Advice::Change(&LOWER_LEARNING_RATE, "KL flat within 100 steps"),
        Advice::GoBack,
    ],
    alternative: "The task needs outputs that the reference would hardly give; then the evaluation should rise with the KL.",
    refute: "The evaluation of the last checkpoint is above that at the onset, on tasks that were not trained too.",
    references: &["Axolotl docs/training_stability.qmd", "experiment-analysis guide (KL stable < 0.1, spikes > 0.2)"],
};

fn run(context: &Context<'_>) -> Outcome {
    let Some(moved) = context.moved() else { return Outcome::Skipped(kl::need(context)) };
    let evidence = moved.evidence(context);
    let Some((severity, onset)) = drift(context, moved) else {
        return if stays_up(context, moved) {
            Outcome::Found(vec![steady(context, moved, evidence)])
        } else if moved.limit.is_some() {
            Outcome::Skipped(kl::need(context))
        } else {
            let is_known = context.has_enough_points(&moved.kl);
            let reason = if is_known { context.reason_by_learning() } else { QuietReason::TooFewPoints };
            Outcome::QuietBecause(reason, evidence)
        };
    };
    let title = rich!(
        "KL to the reference drifted from {} to {} nats per token, beginning at step {}",
        number(level_at(moved, onset)),
        number(moved.offset + moved.last),
        step(onset)
    );
    let detail = match severity {
        Severity::Note if context.learning.state == LearningState::Improved => {
            "The price of learning so far; worth a look at what else the policy has changed."
        }
        Severity::Note => "The policy moves away from the reference, and nothing shows yet that it gains by it.",
        _ if moved.increases_from(moved.values.len() / 2, context) => {
            "The policy keeps moving away from the reference, and performance has not improved since."
        }
        _ => "The policy has moved away from the reference, and performance has not improved since.",
    };
    let confidence = if moved.kl.binding.unit == Unit::NatsPerToken { 0.8 } else { 0.6 };
    let finding = context.finding(Code::KlDrift, severity, title, Some(onset), &TEXTS);
    let mut finding = finding.supported_by(detail, &[&moved.kl], evidence, confidence);
    moved.note_limit(&mut finding);
    Outcome::Found(vec![finding])
}

/// True for a KL whose second half stays above what the guide calls stable and below what is watched, while the task does
/// not get better. Not of an estimate that cancels, nor of a sum that was divided by a length.
fn stays_up(context: &Context<'_>, moved: &KlMovement<'_>) -> bool {
    let book = context.rulebook;
    let second = moved.values.get(moved.values.len() / 2..).unwrap_or(&[]);
    let low = stats::quantile(second, 0.1).unwrap_or(f64::NAN);
    let is_between = low > book.kl_stable().value && moved.last <= book.kl_watch().value;
    let unit = moved.kl.binding.unit == Unit::NatsPerToken;
    is_between && unit && !context.improved() && context.has_enough_points(&moved.kl)
}

fn steady(context: &Context<'_>, moved: &KlMovement<'_>, mut evidence: Vec<Evidence>) -> Finding {
    let level = number(moved.offset + moved.last);
    let title =
        rich!("KL to the reference stays at {} nats per token, and performance on the task does not improve", level);
    let finding = context.finding(Code::KlDrift, Severity::Note, title, Some(moved.onset()), &TEXTS);
    evidence.push(Evidence::new("KL of the last tenth", moved.last, "nats/token").above(context.rulebook.kl_stable()));
    let detail =
        "Above what is called stable, and below what is a drift: a policy that moved and gained nothing by it.";
    finding.supported_by(detail, &[&moved.kl], evidence, 0.6)
}

/// Points on either side over which the KL is smoothed.
fn half_width(moved: &KlMovement<'_>) -> usize {
    (moved.values.len() / 40).max(1)
}

/// The level of the KL at the step at which a drift begins; of one that begins with the run, the first value. A median, as the level at
/// the end is: spikes would make it the higher of the two.
fn level_at(moved: &KlMovement<'_>, onset: f64) -> f64 {
    let levels = stats::running_medians(&moved.kl.values, half_width(moved));
    let place = moved.kl.steps.partition_point(|step| *step < onset);
    let begin = if place == 0 { moved.kl.values.first() } else { levels.get(place) };
    begin.copied().unwrap_or(0.0)
}

/// How bad the drift is, if there is one, and at which step it begins: of one that was paid for at first, where the climb
/// begins that was not.
fn drift(context: &Context<'_>, moved: &KlMovement<'_>) -> Option<(Severity, f64)> {
    let book = context.rulebook;
    let far = moved.is_beyond(context, book.kl_watch().value);
    if !context.shows_change(&moved.kl) || !far {
        return None;
    }
    // A KL that was higher and came back below the line is held against a run whose task suffers, and against no other.
    let line = book.kl_warning().value;
    if moved.is_beyond(context, line) && (moved.last > line || context.suffers()) {
        if !moved.has_risen(context) {
            return None;
        }
        if !context.improved() || context.stalls_since(moved.onset()) {
            return Some((Severity::Warning, moved.onset()));
        }
        let unrewarded = climb_without_gain(context, moved).map(|step| (Severity::Warning, step));
        return unrewarded.or(Some((Severity::Note, moved.onset())));
    }
    let unusual = !context.improved() || moved.last > book.kl_usual().value;
    (unusual && moved.increases_from(moved.values.len() / 2, context)).then_some((Severity::Note, moved.onset()))
}

/// The step from which the last climb of as much as a warning needs brought nothing: the curve may have set off while the
/// task was still being learned.
fn climb_without_gain(context: &Context<'_>, moved: &KlMovement<'_>) -> Option<f64> {
    let levels = stats::running_mean(&moved.values, half_width(moved));
    let line = moved.last - context.rulebook.kl_warning().value;
    let below = levels.iter().rposition(|level| *level <= line)?;
    Some(moved.kl.step(below)).filter(|step| context.stalls_since(*step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, jump, saturating};

    fn still(steps: usize) -> Synthetic {
        Synthetic::healthy(steps).noisy("train/reward", 0.15, |_| 1.4).every("eval/accuracy", 10, |_| 0.5)
    }

    #[test]
    fn a_slow_climb_is_found_where_it_begins() {
        let run = still(300).noisy("train/kl", 0.02, |t| 0.03 + 1.4 * (t - 0.4).max(0.0));
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((111.0..=130.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        let watched = still(300).noisy("train/kl", 0.02, |t| 0.4 * t);
        assert_eq!(watched.quiet_reason(&CHECK), Some(QuietReason::CoveredBy(Code::KlWithoutReward)));
        let watched = still(300).noisy("train/reward", 0.15, |t| 1.4 + 0.5 * t).noisy("train/kl", 0.02, |t| 0.4 * t);
        assert_eq!(watched.finding(&CHECK).severity, Severity::Note);
    }

    #[test]
    fn a_late_climb_begins_at_the_level_of_its_onset() {
        let run = still(300).every("train/kl", 1, |t| (4.0 * t).min(0.2) + 2.0 * (t - 0.5).max(0.0)).build();
        let (bindings, book) = (rundown_vocabulary::bind(&run), crate::Rulebook::default());
        let context = Context::new(&run, &bindings, &book);
        let moved = context.moved().unwrap();
        let (late, first) = (level_at(moved, moved.onset()), level_at(moved, 1.0));
        assert!((0.15..0.3).contains(&late) && first == 0.0, "{late} at step {}, {first} at the first", moved.onset());
    }

    #[test]
    fn a_drift_with_spikes_rises_to_its_end() {
        let kl = |t: f64| match t {
            _ if t < 0.5 => 0.0,
            _ if t < 0.51 => 40.0,
            _ => 1.2 * (t - 0.4),
        };
        let run = still(300).every("train/kl", 1, kl).build();
        let (bindings, book) = (rundown_vocabulary::bind(&run), crate::Rulebook::default());
        let context = Context::new(&run, &bindings, &book);
        let moved = context.moved().unwrap();
        assert!(level_at(moved, 151.0) < moved.last, "{} to {}", level_at(moved, 151.0), moved.last);
    }

    #[test]
    fn the_price_of_learning_is_a_note_at_most() {
        assert!(Synthetic::healthy(300).quiet(&CHECK));
        let paid = Synthetic::healthy(300).noisy("train/kl", 0.02, |t| 0.3 * t);
        assert_eq!(paid.quiet_reason(&CHECK), Some(QuietReason::Improved));
        let far = Synthetic::healthy(300).noisy("train/kl", 0.02, |t| 0.9 * t);
        assert_eq!(far.finding(&CHECK).severity, Severity::Note);
    }

    #[test]
    fn one_that_came_back_is_no_warning_where_the_task_does_not_suffer() {
        let back = |t: f64| 0.9 * saturating(3.0 * t) - 0.7 * jump(t, 0.6);
        let suffers = still(300).noisy("train/kl", 0.02, back);
        assert_eq!(suffers.finding(&CHECK).severity, Severity::Warning);
        let undecided = still(300).every("eval/accuracy", 30, |t| 0.5 + 0.1 * libm::sin(900.0 * t));
        let undecided = undecided.noisy("train/reward", 0.15, |t| 1.4 + 0.2 * t).noisy("train/kl", 0.02, back);
        assert_eq!(undecided.finding(&CHECK).severity, Severity::Note);
    }

    #[test]
    fn a_level_between_stable_and_watched_is_a_note_where_nothing_is_gained() {
        // Some gain, so that `kl_without_reward` has nothing to say, and an evaluation that stands.
        let run = |level: f64| {
            still(300)
                .noisy("train/reward", 0.15, |t| 1.4 + 0.5 * t)
                .noisy("train/kl", 0.005, move |t| level * saturating(3.0 * t))
        };
        let finding = run(0.15).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        assert!(finding.title.to_string().contains("stays at 0.1"), "{}", finding.title);
        assert!(run(0.06).quiet(&CHECK));
        assert!(
            Synthetic::healthy(300).noisy("train/kl", 0.005, |t| 0.15 * saturating(3.0 * t)).quiet(&CHECK),
            "it learns"
        );
        let signed = still(300).noisy("train/kl", 0.4, |_| -1e-9).noisy("train/reward", 0.15, |t| 1.4 + 0.5 * t);
        assert!(signed.quiet(&CHECK));
    }

    #[test]
    fn a_blow_up_and_a_level_below_the_line_are_quiet() {
        let blown = still(300).noisy("train/kl", 0.1, |t| 0.1 + 5.0 * jump(t, 0.5));
        assert!(blown.quiet(&CHECK));
        assert!(still(300).noisy("train/kl", 0.02, |t| 0.3 * saturating(t)).quiet(&CHECK), "no more climbing");
        assert!(still(9).noisy("train/kl", 0.02, |t| t).quiet(&CHECK));
    }

    #[test]
    fn a_climb_that_goes_on_when_nothing_more_is_gained_is_a_warning() {
        let run = Synthetic::healthy(300)
            .every("eval/accuracy", 10, |t| 0.3 + 0.4 * (4.0 * t).min(1.0))
            .noisy("train/reward", 0.05, |t| 0.3 + 0.4 * (4.0 * t).min(1.0))
            .noisy("train/kl", 0.02, |t| 1.2 * t);
        assert_eq!(run.finding(&CHECK).severity, Severity::Warning);
    }

    #[test]
    fn without_kl_it_is_skipped() {
        assert!(matches!(still(300).without("train/kl").check(&CHECK), Outcome::Skipped(_)));
    }
}
