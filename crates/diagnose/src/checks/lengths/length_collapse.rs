//! Responses shrank, and the task did not get better for it.
//!
//! # What it checks
//! The mean response length fell to half of its start or less, or of its first point where no other is above half of that, beyond its
//! noise, while the primary metric stood
//! still or got worse (a warning); or while nothing but the training reward says that it was for the better (a note). Below a
//! tenth of the start it is critical where the primary metric got worse, or the training reward while the evaluation did not
//! improve, and a warning where only the training reward speaks for it.
//!
//! # Why it matters
//! A policy that stops reasoning answers at once: cheap, confident and wrong. Short outputs also hide a reward that
//! pays for brevity.
//!
//! # Evidence needed
//! Mean response length; an evaluation tells short-cuts from responses that became concise.
//!
//! # Threshold and where it comes from
//! Half of the length with a falling evaluation is short-cut answering. A tenth is ours: no task of a few hundred tokens is
//! answered by a word. The rl-training-diagnoser guide looks from a fall
//! of 5 % on; healthy runs lose a tenth to a third as they stop rambling.
//!
//! # Known false alarms
//! Responses that end at the right place after a warm start that rambled: then the evaluation rises, and this check is
//! quiet, unless they went on shrinking to half while a third of the evaluation's gain or more was lost. So it is where the accuracy of
//! the training batches, or the part of the reward that is of the task, surely rose since, while evaluations do not tell. And where
//! responses were cut off at the start and no longer are, and complete responses are as long as before.
//!
//! # What to do
//! Read responses before and after; drop a length penalty; reward only right answers; a KL term.
//!
//! # References
//! rl-training-diagnoser guide (short-output hacking); arXiv 2503.14476 (DAPO, length penalties).

use crate::advice::{Advice, FindingTexts, LOWER_LEARNING_RATE, RAISE_KL_COEFFICIENT};
use crate::context::Context;
use crate::measure::level;
use crate::measure::onset;
use crate::measure::series::{Fifth, MetricSeries};
use crate::settings::Hyperparameter;
use crate::signals::length_limit::limit_of_cut_off;
use crate::topics::drop_from_peak::drop_from_peak;
use crate::topics::end_token::missing_end_token;
use crate::topics::reward_parts::stayed_or_went;
use crate::{Change, Check, Code, Evidence, Finding, LearningState, Outcome, QuietReason, Severity};
use rundown_format::rich_text::{metric, number, step};
use rundown_format::{counted, rich};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Unit};

pub const CHECK: Check = Check::of_metric(Code::LengthCollapse, Concept::ResponseLength, run);

/// Points whose mean is the start.
const START: usize = 10;
/// Part of the run that is its end when the length went late.
const LATE: usize = 20;

/// Part of the start below which hardly anything is left of the responses.
const VANISHED: f64 = 0.1;

/// Points on each side of the best evaluation whose mean is the length at that time.
const AROUND_BEST: usize = 3;

/// By how much the truncation rate must have fallen before it can be why the mean length did. Ours: as the rise of it that
/// destabilises.
const MIN_TRUNCATION_FALL: f64 = 0.1;
/// Truncated share up to which the mean tells the length of complete responses. Ours: of more than this, the few that are
/// complete ended early by chance.
const MAX_TRUNCATED_SHARE: f64 = 0.9;

fn run(context: &Context<'_>, length: &MetricSeries<'_>) -> Outcome {
    let book = context.rulebook;
    let head = if falls_at_once(length, book.length_collapse().value) { 1 } else { START.min(length.len() / 5).max(1) };
    let to = |tail: usize| level::change_of(length, head, tail, length.quantum());
    let Some(change) = to(length.fifth(Fifth::Last).len()) else { return Outcome::Quiet(Vec::new()) };
    // Where it went late, the last fifth is half of what was before.
    let late = length.len() / LATE;
    let change = to(late).filter(|change_late| late >= START && change_late.last < change.last).unwrap_or(change);
    let left = level::ratio(change.last, change.first);
    let evidence = vec![
        Evidence::new("mean length at the start", change.first, "tokens"),
        Evidence::new("mean length at the end", change.last, "tokens"),
        Evidence::new("mean length at the end against its start", left, "").below(book.length_collapse()),
        Evidence::new("fall of the mean length", -change.z(), "SE").of(Change::Fall).above(book.learning_z()),
    ];
    if !context.has_levels(length) {
        return Outcome::QuietBecause(QuietReason::TooFewPoints, evidence);
    }
    if left > book.length_collapse().value || -change.z() < book.learning_z().value {
        return Outcome::Quiet(evidence);
    }
    if let Some(complete) = complete_responses(context, length)
        // Where nothing is known of the start, an evaluation that fell speaks against a mere end of the truncation.
        && complete.kept().map_or(context.learning.state != LearningState::Declined, |kept| {
            kept > book.length_collapse().value
        })
    {
        return Outcome::QuietBecause(QuietReason::FewerTruncated, [evidence, complete.evidence()].concat());
    }
    let place = onset::of_change(&length.values, 0, change.first, change.last);
    let onset = length.step(place.min(length.len() - 1));
    let has_vanished = left < VANISHED;
    // Few evaluations may not tell what the reward of every step does.
    let reward_fell = has_vanished && !context.improved() && context.reward_fell();
    let got_worse = context.learning.state == LearningState::Declined || context.lost_since(onset) || reward_fell;
    let severity = match context.learning.state {
        _ if got_worse && has_vanished => Severity::Critical,
        _ if got_worse => Severity::Warning,
        LearningState::Flat if context.learning.room => Severity::Warning,
        _ if context.is_learned() && were_better_when_longer(context, length, change.last) => Severity::Warning,
        _ if context.is_learned() || !context.learning.room => {
            return Outcome::QuietBecause(context.reason_by_learning(), evidence);
        }
        _ if context.learning.is_evaluated()
            && (context.gained_since(onset) || !has_vanished && gained_much_in_training(context, onset)) =>
        {
            return Outcome::QuietBecause(QuietReason::Improved, evidence);
        }
        _ if has_vanished => Severity::Warning,
        _ => Severity::Note,
    };
    Outcome::Found(vec![finding(context, length, severity, onset, (change.first, change.last), evidence)])
}

/// True where no point is above this part of the first one: of a log with a row for every tenth step that row alone may show the
/// responses as they were.
fn falls_at_once(length: &MetricSeries<'_>, part: f64) -> bool {
    let Some((first, later)) = length.values.split_first() else { return false };
    !later.is_empty() && later.iter().all(|length| *length <= part * first)
}

/// True where what training shows of the task surely got better since a step, by a part of its size that counts: of a share in its own
/// unit, else of the largest value.
fn gained_much_in_training(context: &Context<'_>, step: f64) -> bool {
    context.gained_in_training(step).is_some_and(|(signal, change)| {
        let size = if signal.binding.unit == Unit::Share { 1.0 } else { signal.max().abs().max(signal.min().abs()) };
        change.delta().abs() >= context.rulebook.learning_share().value * size
    })
}

/// True where much of the gain of the primary metric was lost beyond doubt, and responses were at least twice as long as at the end
/// (`last`) when it was at its best: what was gained before says nothing for how short they became.
fn were_better_when_longer(context: &Context<'_>, length: &MetricSeries<'_>, last: f64) -> bool {
    let book = context.rulebook;
    let fall = context.measure().and_then(|measure| drop_from_peak(measure).filter(|fall| fall.is_sure(measure, book)));
    let lost = fall.filter(|fall| fall.share_of_gain() >= book.regression_lost().value);
    let at_best = lost.and_then(|fall| {
        let place = length.steps.partition_point(|step| *step < fall.peak_step);
        stats::mean(length.values.get(place.saturating_sub(AROUND_BEST)..(place + AROUND_BEST).min(length.len()))?)
    });
    at_best.is_some_and(|at_best| last <= book.length_collapse().value * at_best)
}

/// Lengths of the responses that were not cut off.
struct CompleteResponses {
    /// Share of all responses that was cut off at the start and at the end.
    cut_off: (f64, f64),
    /// Mean length at the start and at the end; `None` where hardly one was complete, or the numbers contradict each other.
    length: (Option<f64>, Option<f64>),
}

impl CompleteResponses {
    /// What is left of the length, where both are known.
    fn kept(&self) -> Option<f64> {
        Some(self.length.1? / self.length.0?)
    }

    fn evidence(&self) -> Vec<Evidence> {
        let mut evidence = vec![
            Evidence::new("truncation rate at the start", self.cut_off.0, ""),
            Evidence::new("truncation rate at the end", self.cut_off.1, ""),
        ];
        let lengths = [
            ("mean length of complete responses at the start", self.length.0),
            ("mean length of complete responses at the end", self.length.1),
        ];
        evidence.extend(lengths.into_iter().filter_map(|(name, length)| Some(Evidence::new(name, length?, "tokens"))));
        evidence
    }
}

/// The lengths of complete responses, where fewer are cut off at the end than at the start: logged, or what is left of the mean
/// when the cut-off ones have the length of the limit.
fn complete_responses(context: &Context<'_>, length: &MetricSeries<'_>) -> Option<CompleteResponses> {
    let ends = |signal: &MetricSeries<'_>| (signal.start_level(START), signal.shown_level(Fifth::Last));
    let share = context.signal(Concept::TruncatedShare).filter(|share| missing_end_token(context, share).is_none())?;
    let cut_off = ends(share);
    if cut_off.0 < MIN_TRUNCATION_FALL + cut_off.1 {
        return None;
    }
    if let Some(complete) = context.signal(Concept::TerminatedLength) {
        let (first, last) = ends(complete);
        // TRL logs 0 where no response was complete.
        let known = |length: f64| Some(length).filter(|length| *length > 0.0);
        return Some(CompleteResponses { cut_off, length: (known(first), known(last)) });
    }
    let limit = limit_of_cut_off(context, length);
    let complete = |(mean, share): (f64, f64)| {
        Some((mean - share * limit) / (1.0 - share)).filter(|length| share < MAX_TRUNCATED_SHARE && *length > 0.0)
    };
    let (first, last) = ends(length);
    Some(CompleteResponses { cut_off, length: (complete((first, cut_off.0)), complete((last, cut_off.1))) })
}

/// What to do whether the task suffers or not.
const READ: Advice = Advice::Do([
    "Read responses of before and after, and drop what rewards brevity",
    "reasoning costs nothing again",
    "longer responses, more time per step",
    "length and evaluation rise together",
]);

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::KlCoefficient, "A weak KL term lets the policy drop the reasoning of the reference."),
        (Hyperparameter::LearningRate, "Large updates commit to the first short answer that scores."),
    ],
    actions: &[
        READ,
        Advice::GoBack,
        Advice::Change(&RAISE_KL_COEFFICIENT, "mean length above half of its start"),
        Advice::Change(&LOWER_LEARNING_RATE, "mean length above half of its start"),
    ],
    alternative: "Responses became concise: what was cut was rambling, and the evaluation will follow.",
    refute: "The last checkpoint, made to write at its earlier length, solves no more tasks.",
    references: &["rl-training-diagnoser guide (short-output hacking)", "arXiv 2503.14476 (DAPO)"],
};

/// The same where nothing shows that the task suffers: no setting is to be changed for it.
const UNHARMED: FindingTexts = FindingTexts { causes: &[], actions: &[READ], ..TEXTS };

/// What a note leaves open.
const OPEN: &str = "whether responses became concise or merely short.";

fn finding(
    context: &Context<'_>,
    length: &MetricSeries<'_>,
    severity: Severity,
    onset: f64,
    (first, last): (f64, f64),
    evidence: Vec<Evidence>,
) -> Finding {
    let title = rich!(
        "Responses shrank from {} to {} tokens, beginning at step {}",
        number(first.round()),
        number(last.round()),
        step(onset)
    );
    let texts = if severity == Severity::Note { &UNHARMED } else { &TEXTS };
    let finding = context.finding(Code::LengthCollapse, severity, title, Some(onset), texts);
    let learning = &context.learning;
    let is_few =
        |evaluation: &&MetricSeries<'_>| (evaluation.len() as f64) < context.rulebook.learning_evaluations().value;
    let detail = match (severity, context.evaluation().filter(is_few)) {
        (Severity::Note, _) if learning.is_evaluated() && learning.is_measured() => {
            let change = stayed_or_went(learning.first, learning.last);
            rich!("{} {} over the run: it does not tell {}", context.measure_key(), change, OPEN)
        }
        (Severity::Note, Some(few)) => {
            let points = counted(few.len(), "point");
            let metric = metric(few.key());
            rich!("{} has {}, too few to tell {}", metric, points, OPEN)
        }
        (Severity::Note, None) => rich!("An evaluation would tell {}", OPEN),
        _ => "The task is not solved better: the policy takes a shortcut.".into(),
    };
    let measure = context.measure();
    let confidence = if severity == Severity::Note { 0.6 } else { 0.85 };
    let shown = [Some(length), measure, context.signal(Concept::Entropy)];
    finding.supported_by(detail, &shown, evidence, confidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, jump};

    fn shrinking(level: impl Fn(f64) -> f64) -> Synthetic {
        Synthetic::healthy(300).noisy("train/completions/mean_length", 5.0, level)
    }

    #[test]
    fn short_answers_without_learning_are_a_warning() {
        let run = shrinking(|t| 200.0 - 150.0 * jump(t, 0.5)).every("eval/accuracy", 10, |t| 0.5 - 0.3 * jump(t, 0.5));
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((147.0..=156.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        let unknown = shrinking(|t| 200.0 - 150.0 * t).without("eval/accuracy");
        assert_eq!(unknown.finding(&CHECK).severity, Severity::Note);
        let few = shrinking(|t| 200.0 - 150.0 * t).every("eval/accuracy", 100, |t| 0.5 + 0.01 * t).finding(&CHECK);
        let detail = few.detail.to_string();
        assert!(detail.starts_with("eval/accuracy has 3 points, too few to tell"), "{detail}");
    }

    #[test]
    fn an_evaluation_that_does_not_tell_is_named_and_what_training_shows_counts() {
        let solved = [8.0, 11.0, 12.0, 21.0, 16.0, 15.0, 20.0, 18.0, 19.0];
        let run = |noise: f64, part: fn(f64) -> f64| {
            shrinking(|t| 400.0 - 250.0 * jump(t, 0.1))
                .every("eval/accuracy", 34, |t| solved[(t * 300.0 / 34.0).round() as usize] / 128.0)
                .noisy("train/rewards/correctness/mean", noise, part)
        };
        let open = run(0.05, |_| 0.2).finding(&CHECK);
        assert_eq!((open.severity, open.actions.len(), open.causes.len()), (Severity::Note, 1, 0));
        assert!(open.detail.to_string().starts_with("eval/accuracy went from"), "{}", open.detail);
        assert_eq!(run(0.05, |t| 0.1 + 0.2 * t).quiet_reason(&CHECK), Some(QuietReason::Improved));
        let hardly = run(0.0005, |t| 0.2 + 0.003 * t).finding(&CHECK);
        assert_eq!(
            hardly.severity,
            Severity::Note,
            "a gain of a third of a percentage point is sure, and too small to count"
        );
    }

    #[test]
    fn responses_of_a_word_are_one_level_worse() {
        let vanishing = || shrinking(|t| 400.0 - 390.0 * jump(t, 0.5));
        let worse = vanishing().every("eval/accuracy", 10, |t| 0.5 - 0.3 * jump(t, 0.5));
        assert_eq!(worse.finding(&CHECK).severity, Severity::Critical);
        let few = || vanishing().every("eval/accuracy", 100, |t| 0.03 - 0.02 * t);
        let fallen = few().noisy("train/reward", 0.1, |t| -0.5 - 0.4 * jump(t, 0.5));
        assert_eq!(fallen.finding(&CHECK).severity, Severity::Critical, "the reward tells what few evaluations do not");
        assert_ne!(few().finding(&CHECK).severity, Severity::Critical);
        let unknown = vanishing().without("eval/accuracy");
        assert_eq!(unknown.finding(&CHECK).severity, Severity::Warning);
        assert!(vanishing().quiet(&CHECK), "the evaluation rises");
    }

    #[test]
    fn concise_answers_and_noise_are_quiet() {
        assert_eq!(shrinking(|t| 200.0 - 150.0 * t).quiet_reason(&CHECK), Some(QuietReason::Improved));
        let third = shrinking(|t| 200.0 - 60.0 * t).every("eval/accuracy", 10, |t| 0.5 - 0.3 * t);
        assert!(third.quiet(&CHECK));
        let gone = Synthetic::healthy(100).without("train/completions/mean_length").check(&CHECK);
        assert!(matches!(gone, Outcome::Skipped(_)));
    }

    #[test]
    fn a_mean_that_falls_because_fewer_answers_are_cut_off_is_no_collapse() {
        let flat = || Synthetic::healthy(300).noisy("train/reward", 0.15, |_| 1.4).every("eval/accuracy", 10, |_| 0.5);
        let run = |complete: fn(f64) -> f64, cut_off: f64| {
            let share = move |t: f64| cut_off * (1.0 - 2.0 * t).max(0.0);
            flat()
                .config("max_completion_length", 512.0)
                .noisy("train/completions/mean_length", 4.0, move |t| share(t) * 512.0 + (1.0 - share(t)) * complete(t))
                .noisy("train/completions/clipped_ratio", 0.01, share)
        };
        assert!(run(|_| 110.0, 0.95).quiet(&CHECK), "hardly a response was complete");
        let worse = run(|t| 110.0 - 100.0 * t, 0.95).every("eval/accuracy", 10, |t| 0.5 - 0.4 * t);
        assert_eq!(worse.finding(&CHECK).severity, Severity::Critical);
        assert_eq!(run(|_| 110.0, 0.7).quiet_reason(&CHECK), Some(QuietReason::FewerTruncated));
        assert_eq!(run(|t| 300.0 - 240.0 * t, 0.6).finding(&CHECK).severity, Severity::Warning);
        let logged = run(|t| 300.0 - 240.0 * t, 0.6).noisy("train/completions/mean_terminated_length", 4.0, |_| 110.0);
        assert!(logged.quiet(&CHECK));
    }

    #[test]
    fn a_gain_before_the_responses_shrank_further_does_not_speak_for_how_short_they_became() {
        let run = |length: fn(f64) -> f64| {
            let right = |t: f64| 0.2 + 0.5 * ((t - 0.25) * 10.0).clamp(0.0, 1.0) - 0.24 * jump(t, 0.65);
            shrinking(length).every("eval/accuracy", 10, right)
        };
        assert_eq!(run(|t| 10.0 + 390.0 * libm::exp(-4.0 * t)).finding(&CHECK).severity, Severity::Warning);
        let concise = run(|t| 400.0 - 250.0 * jump(t, 0.05));
        assert!(concise.quiet(&CHECK), "as short when the evaluation was at its best");
    }

    #[test]
    fn responses_that_shrank_within_the_first_row_of_several_steps_are_found() {
        let run = |first: f64| {
            let length = move |t: f64| if t == 0.0 { first } else { 20.0 + 2.0 * libm::sin(900.0 * t) };
            let run = Synthetic::healthy(480).without("eval/accuracy").noisy("train/reward", 0.1, |_| 0.5);
            run.every("train/completions/mean_length", 10, length)
        };
        let finding = run(150.0).finding(&CHECK);
        assert!(finding.title.to_string().starts_with("Responses shrank from 150 to "), "{}", finding.title);
        assert!(run(30.0).quiet(&CHECK));
    }

    #[test]
    fn a_late_collapse_is_found() {
        let run = Synthetic::healthy(600)
            .every("eval/accuracy", 10, |t| 0.3 + 0.5 * t.min(0.8) - if t > 0.85 { 0.2 } else { 0.0 })
            .noisy("train/completions/mean_length", 5.0, |t| if t < 0.85 { 400.0 } else { 60.0 });
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((500.0..=520.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    }
}
