//! The reward rises by form, and the task does not move.
//!
//! # What it checks
//! The reward rose beyond its noise and kept its gain, and 70 % of the gain is by form (format, tags, length), or by other
//! functions than the one named after the task, which did not rise (where none is named after it, those whose names do not
//! say what they reward did not); or the evaluation stood still, measured well enough to say so. The task is
//! not getting worse: that is `reward_hacking`.
//!
//! # Why it matters
//! The curve that everyone looks at rises, and nothing of what was wanted is learned. Form is learned first because it
//! is cheap; when the task does not follow, more steps polish the form.
//!
//! # Evidence needed
//! The reward, and an evaluation on held-out tasks or the rewards of single functions, over 60 points; over fewer where
//! they leave room for a gain of the task of a tenth of the reward's at most.
//!
//! # Threshold and where it comes from
//! 70 %: a notebook run of Mistral-7B had nine tenths of its gain from counting tags with no right answer.
//!
//! # Known false alarms
//! Form comes before the task in healthy runs too. So the gain must be old: had by the middle of the run, with half of
//! the run behind it in which the task could have followed; before that it is a note, and the run undecided. Where the
//! total is made without the function of the task, which is logged beside it, nothing makes the task follow, and the gain
//! need not be old. Functions are logged without their weights: where the task's rose by half of the total's gain, as far as
//! its noise tells, form does not explain the gain alone.
//!
//! # What to do
//! Multiply form by correctness, or weigh it at 0.1; add easier prompts, so that some answers are right.
//!
//! # References
//! arXiv 2209.13085 (reward hacking); TinyZero countdown.py (format score 0.1).

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::measure::Z_95;
use crate::measure::series::MetricSeries;
use crate::topics::reward_parts::{RewardPart, Rewards, levels_of_measure, measure_stayed_or_went, stayed_or_went};
use crate::{Change, Check, Code, Evidence, Finding, LearningState, Outcome, QuietReason, Severity};
use rundown_format::rich_text::{metric, number, percent};
use rundown_format::{RichText, rich};
use rundown_vocabulary::{Concept, RewardKind};

/// Level of a reward function between 0 and 1 above which little is left to learn.
const SOLVED: f64 = 0.8;
/// Part of the total's gain that its function of the task brought, so that the others did not bring it alone. Ours.
const LARGE_PART: f64 = 0.5;
/// Part of the reward's gain that is small: a gain of the task by less than that is none beside it. Ours.
const SMALL_PART: f64 = 0.1;

pub const CHECK: Check = Check::of_metric(Code::ProxyOnlyGain, Concept::Reward, run);

/// A gain of the reward that the task has no part in.
struct ProxyGain {
    /// By other reward functions than the task's, not only beside an evaluation that stands still.
    by_others: bool,
    /// The task's function is no part of the total.
    is_left_out: bool,
    /// The task had time to follow, or cannot.
    is_settled: bool,
}

fn run(context: &Context<'_>, _: &MetricSeries<'_>) -> Outcome {
    let Some(rewards) = Rewards::new(context) else { return Outcome::Quiet(Vec::new()) };
    if !context.learning.is_evaluated() && rewards.task_parts().next().is_none() {
        return Outcome::Skipped(context.need_evaluations());
    }
    let evidence = evidence(&rewards);
    let is_left_out = rewards.leaves_task_out();
    if context.is_learned() || rewards.task_rose() {
        return Outcome::QuietBecause(QuietReason::Improved, evidence);
    }
    if !rewards.rose() {
        return Outcome::Quiet(evidence);
    }
    let share = rewards.share_beside_task();
    let is_beside = share >= context.rulebook.hacking_form_share().value && !task_explains(&rewards);
    let by_others = is_beside && task_stands_still(&rewards);
    let learning = &context.learning;
    let solved = (0.0..=1.0).contains(&learning.first) && learning.last > SOLVED;
    let stands = learning.is_evaluated() && learning.state == LearningState::Flat && !solved;
    // Form comes first in healthy runs too: a gain that is still going on is no fault yet.
    let gain = ProxyGain { by_others, is_left_out, is_settled: is_left_out || is_old(&rewards) };
    if by_others || stands && gain.is_settled {
        Outcome::Found(vec![finding(&rewards, &gain, evidence)])
    } else {
        Outcome::Quiet(evidence)
    }
}

/// True when no reward function that may be the task's rose, and one of them has room to. Of a name that does not say
/// what is rewarded any sure rise counts; of one named after the task a likely one between its fifths, by a part of its
/// range that matters: to stand still is more than not to rise beyond doubt.
fn task_stands_still(rewards: &Rewards<'_, '_>) -> bool {
    let is_named = rewards.has_task_part();
    let has_room = |part: &RewardPart<'_, '_>| !(part.signal.min() >= 0.0 && part.change.last > SOLVED);
    let rose = |part: &RewardPart<'_, '_>| match is_named {
        true => rewards.likely_rose(part),
        false => rewards.is_sure(&part.change, 1.0),
    };
    rewards.task_parts().any(has_room) && !rewards.task_parts().any(rose)
}

/// True where the functions of the task rose, as far as their noise tells, by a large part of what the total gained. Gains of
/// functions are logged without their weights: a format that rose further may have counted for less.
fn task_explains(rewards: &Rewards<'_, '_>) -> bool {
    let hint = rewards.context.rulebook.learning_hint_z().value;
    let tasks = rewards.of_kind(RewardKind::Task).filter(|part| part.fall.is_none() && part.change.z() >= hint);
    tasks.map(|part| part.change.delta()).sum::<f64>() >= LARGE_PART * rewards.gain.delta()
}

/// True when most of the gain was had by the middle of a run that is long enough.
fn is_old(rewards: &Rewards<'_, '_>) -> bool {
    let reward = rewards.reward;
    let smooth = reward.smoothed((reward.len() / 40).max(2));
    let line = rewards.gain.first + 0.5 * rewards.gain.delta();
    let had = smooth.iter().position(|value| *value >= line).unwrap_or(reward.len());
    // Of few points, those that leave room for no more than a small part of the gain say that the task stands still.
    let most = |part: &RewardPart<'_, '_>| part.change.delta() + Z_95 * part.change.error;
    let stands = |part: &RewardPart<'_, '_>| most(part) <= SMALL_PART * rewards.gain.delta();
    let long = reward.len() as f64 >= rewards.context.rulebook.conservative_points().value;
    2 * had <= reward.len() && (long || rewards.task_parts().all(stands))
}

fn evidence(rewards: &Rewards<'_, '_>) -> Vec<Evidence> {
    let book = rewards.context.rulebook;
    let mut evidence = vec![
        Evidence::new("reward at the start", rewards.gain.first, ""),
        Evidence::new("reward at the end", rewards.gain.last, ""),
        Evidence::new("rise of the reward", rewards.gain.z(), "SE").of(Change::Rise).above(book.learning_z()),
    ];
    if !rewards.parts.is_empty() {
        let share = Evidence::new("share of the gain by format or beside the task", rewards.share_beside_task(), "");
        evidence.push(share.above(book.hacking_form_share()));
    }
    for part in rewards.task_parts().take(2) {
        let name = rich!("change of {}, in parts of its range", metric(part.signal.key()));
        let moved = if part.range > 0.0 { part.change.delta() / part.range } else { 0.0 };
        evidence.push(Evidence::new(name, moved, "").below(book.hacking_task_change()));
    }
    if rewards.context.learning.is_evaluated() {
        evidence.extend(levels_of_measure(rewards.context));
    }
    evidence
}

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[Advice::Do([
        "Add easier prompts, or start from a model that solves some of them",
        "some answers of a group are right, and the task has a gradient",
        "shifts the training distribution",
        "the task's own reward above its start",
    ])],
    alternative: "The task may still follow: the format is learned first in healthy runs too.",
    refute: "Answers of the last checkpoint, scored by an independent verifier, are right more often than at the start.",
    references: &["arXiv 2209.13085 (reward hacking)", "TinyZero verl/utils/reward_score/countdown.py (format score)"],
};

fn finding(rewards: &Rewards<'_, '_>, gain: &ProxyGain, evidence: Vec<Evidence>) -> Finding {
    let by_others = gain.by_others;
    let context = rewards.context;
    let part = rewards.task_parts().next().filter(|_| by_others);
    let (task, went) = match part {
        Some(part) => (Some(part.signal), stayed_or_went(part.change.first, part.change.last)),
        None => (context.measure(), measure_stayed_or_went(context)),
    };
    let name = task.map_or_else(|| context.measure_key(), |task| metric(task.key()));
    let driver = rewards.driver();
    let by = match driver.filter(|_| by_others) {
        Some(part) if part.kind == RewardKind::Unknown => {
            rich!(", {} of it not by the task,", percent(rewards.share_beside_task()))
        }
        Some(_) => rich!(", {} of it by format,", percent(rewards.share_beside_task())),
        None => RichText::default(),
    };
    let title = rich!(
        "Reward rose from {} to {}{} while {} {}",
        number(rewards.gain.first),
        number(rewards.gain.last),
        by,
        name,
        went
    );
    let onset = Some(rewards.onset());
    let severity = if gain.is_settled && context.is_mostly_done() { Severity::Warning } else { Severity::Note };
    let mut finding = context.finding(Code::ProxyOnlyGain, severity, title, onset, &TEXTS);
    finding.actions.insert(0, rewards.gate("the task's own reward, or the evaluation, rises"));
    let mut detail = driver.map_or_else(
        || "What raises the reward is not what the evaluation measures.".into(),
        |part| {
            rich!(
                "{} rose from {} to {}: {}.",
                metric(part.signal.key()),
                number(part.change.first),
                number(part.change.last),
                match part.kind {
                    RewardKind::Unknown => "what it rewards was learned, the task was not",
                    _ => "the policy learned the format of an answer, not the answer",
                }
            )
        },
    );
    if let Some(task) = task.filter(|_| gain.is_left_out && by_others) {
        detail.append(rich!(" {} is not part of the reward, so nothing teaches the task.", metric(task.key())));
    }
    let shown = [Some(rewards.reward), task, driver.map(|part| part.signal)];
    finding.supported_by(detail, &shown, evidence, if by_others { 0.8 } else { 0.7 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change, saturating};

    fn by_form(steps: usize) -> Synthetic {
        Synthetic::healthy(steps)
            .without("eval/accuracy")
            .noisy("train/reward", 0.1, |t| -0.4 + 0.6 * saturating(t))
            .noisy("train/rewards/xmlcount_reward_func/mean", 0.1, |t| -0.4 + 0.6 * saturating(t))
            .noisy("train/rewards/correctness_reward_func/mean", 0.0, |t| {
                if (t * 250.0) as u32 % 40 == 3 { 1.0 } else { 0.0 }
            })
    }

    #[test]
    fn a_gain_by_form_alone_is_a_warning() {
        let finding = by_form(250).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!(finding.title.to_string().contains("by format"), "{}", finding.title);
        assert!(finding.onset.unwrap() <= 15.0, "{:?}", finding.onset);
        assert!(change(&finding.actions[0]).0.contains("xmlcount"), "{:?}", finding.actions[0]);
    }

    #[test]
    fn a_gain_by_another_function_than_the_task_s_needs_no_age_where_the_task_is_no_part_of_the_reward() {
        let late = |t: f64| 0.2 + 0.5 * t * t;
        let run = |weight: f64| {
            let task = |t: f64| 0.002 + 0.001 * libm::sin(40.0 * t);
            Synthetic::healthy(45)
                .without("eval/accuracy")
                .every("train/reward", 1, move |t| late(t) + weight * task(t))
                .every("train/rewards/judge_g/mean", 1, late)
                .every("train/rewards/correctness_f/mean", 1, task)
        };
        let finding = run(0.0).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!(finding.title.to_string().contains("100 % of it not by the task"), "{}", finding.title);
        assert!(finding.detail.to_string().contains("is not part of the reward"), "{}", finding.detail);
        assert_eq!(run(0.5).finding(&CHECK).severity, Severity::Note, "the task may still follow");
        let little = run(0.0).every("train/rewards/correctness_f/mean", 1, |t| 0.001 + 0.004 * t);
        assert!(matches!(little.check(&CHECK), Outcome::Found(_)), "a rise by 0.004 is none beside one by 0.5");
    }

    #[test]
    fn a_reward_function_of_an_unknown_name_that_never_moves_may_be_the_task() {
        let run = |moved: fn(f64) -> f64| {
            Synthetic::healthy(250)
                .without("eval/accuracy")
                .noisy("train/reward", 0.1, |t| 0.1 + 0.6 * saturating(t))
                .noisy("train/rewards/language_reward/mean", 0.1, |t| 0.1 + 0.6 * saturating(t))
                .noisy("train/rewards/math_judge/mean", 0.05, moved)
        };
        let finding = run(|_| 0.0).finding(&CHECK);
        assert!(finding.title.to_string().contains("math_judge/mean stayed at"), "{}", finding.title);
        assert!(run(|t| 0.2 * saturating(t)).quiet(&CHECK), "it rose");
        assert!(run(|_| 0.97).quiet(&CHECK), "it was solved all along");
    }

    #[test]
    fn a_gain_is_small_beside_what_a_success_is_worth_and_not_beside_the_best_batch() {
        let right = |t: f64| 0.002 + 0.04 * t;
        let task = "train/rewards/correctness_reward_func";
        let run = || by_form(250).every(&format!("{task}/mean"), 1, right);
        assert!(run().quiet(&CHECK), "what a success is worth is not known");
        let spread = move |t: f64| (right(t) * (1.0 - right(t))).sqrt();
        assert!(matches!(run().every(&format!("{task}/std"), 1, spread).check(&CHECK), Outcome::Found(_)));
        let graded = move |t: f64| 0.1 * right(t);
        assert!(run().every(&format!("{task}/std"), 1, graded).quiet(&CHECK), "a graded score of small values");
    }

    #[test]
    fn a_task_that_rose_by_half_of_the_total_s_gain_explains_it_whatever_the_format_did() {
        let run = |task: f64, weight: f64| {
            let right = move |t: f64| 0.3 + task * saturating(t);
            let success = |t: f64| (t * 250.0).round() % 2.0;
            let graded = move |t: f64| right(t) + 0.3 * (success(t) - 0.5);
            Synthetic::healthy(250)
                .without("eval/accuracy")
                .every("train/reward", 1, move |t| graded(t) + weight * saturating(2.0 * t))
                .every("train/rewards/format_reward_func/mean", 1, |t| 0.1 + 0.9 * saturating(2.0 * t))
                .every("train/rewards/correctness_reward_func/mean", 1, graded)
                .every("train/rewards/correctness_reward_func/std", 1, move |t| (right(t) * (1.0 - right(t))).sqrt())
        };
        assert!(run(0.09, 0.09).quiet(&CHECK));
        assert!(matches!(run(0.0, 0.3).check(&CHECK), Outcome::Found(_)));
    }

    #[test]
    fn form_that_is_learned_beside_a_task_that_is_nearly_solved_is_quiet() {
        let run = |level: f64| {
            by_form(250).noisy("train/rewards/correctness_reward_func/mean", 0.02, move |_| level).every(
                "eval/accuracy",
                10,
                move |t| level + if t == 0.5 { 0.01 } else { 0.0 },
            )
        };
        assert!(run(0.85).quiet(&CHECK));
        assert!(matches!(run(0.4).check(&CHECK), Outcome::Found(_)));
    }

    #[test]
    fn a_reward_that_rises_beside_a_flat_evaluation_is_found() {
        let run = Synthetic::healthy(300).every("eval/accuracy", 10, |t| 0.48 + if t == 0.5 { 0.01 } else { 0.0 });
        assert!(run.finding(&CHECK).title.to_string().contains("eval/accuracy stayed at 0.48"));
    }

    #[test]
    fn a_gain_that_is_still_going_on_is_a_note() {
        let late = |t: f64| -0.4 + 0.6 * saturating(t - 0.7).max(0.0);
        let young = by_form(250).noisy("train/reward", 0.1, late);
        let finding = young.noisy("train/rewards/xmlcount_reward_func/mean", 0.1, late).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
    }

    #[test]
    fn learning_and_a_loss_are_quiet() {
        assert!(Synthetic::healthy(300).quiet(&CHECK));
        let some = |right: [usize; 2]| {
            by_form(250).noisy("train/rewards/correctness_reward_func/mean", 0.0, move |t| {
                let step = (t * 250.0).round() as usize;
                f64::from(u8::from(step % right[usize::from(step >= 60)] == 3))
            })
        };
        assert!(some([60, 4]).quiet(&CHECK), "few right answers at first, a quarter later");
        assert!(matches!(some([9, 9]).check(&CHECK), Outcome::Found(_)));
        let solved = by_form(250).noisy("train/rewards/correctness_reward_func/mean", 0.1, |t| 0.2 + 0.6 * t);
        assert_eq!(solved.quiet_reason(&CHECK), Some(QuietReason::Improved));
        let hacked = Synthetic::healthy(300).every("eval/accuracy", 10, |t| 0.48 - 0.48 * saturating(t));
        assert!(hacked.quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(300).without("eval/accuracy").check(&CHECK), Outcome::Skipped(_)));
    }
}
