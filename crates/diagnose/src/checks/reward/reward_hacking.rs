//! The reward rises and the task does not: the policy games the reward.
//!
//! # What it checks
//! The reward rose beyond its noise while the evaluation declined (critical); or, where the evaluation says nothing,
//! the reward rose while a reward function named after the task fell, below its start or from its best level (warning).
//! Where the run counts such responses itself (`hacking_rate`, `n_hacks`), a share that rises by five points or a number that
//! doubles, beyond its noise, is a warning, and a share critical from half of the responses on.
//! A reward that rises by form alone while the task merely stands still is `proxy_only_gain`.
//!
//! # Why it matters
//! The optimiser finds the cheapest way to the reward. Once it is a way around the task, every further step makes the
//! model worse, and the training curves look better and better.
//!
//! # Evidence needed
//! The reward, and an evaluation on held-out tasks or the rewards of single functions; or the run's own count.
//!
//! # Threshold and where it comes from
//! 70 % of the gain from form: notebook runs with 90 % of the gain from tag counts and no right answer. A quarter of
//! the evaluation's start lost, where no reward function is known by name: over-training loses points, hacking the skill. Of
//! a score below zero at some time it is a quarter of the reward's gain, where that is more.
//! Of the run's own count: five points, as for invalid outputs; twice the number, and half of the responses, are ours.
//!
//! # Known false alarms
//! Over-training on few prompts also has reward up and evaluation down; the difference is the task's own reward
//! function, which rises too. An evaluation of other tasks, or with another prompt, may fall for its own reasons: where
//! another one rose, what was learned was not gamed.
//!
//! # What to do
//! Multiply form by correctness or weigh it at 0.1; harden the verifier; stop at the best evaluation.
//!
//! # References
//! Gao et al. 2022, arXiv 2210.10760 (over-optimisation); TinyZero countdown.py (format score); Skalse et al. 2022,
//! arXiv 2209.13085 (reward hacking).

mod detected;

use crate::advice::{Advice, FindingTexts, RAISE_KL_COEFFICIENT, advice, start_again};
use crate::context::Context;
use crate::measure::series::{Fifth, MetricSeries};
use crate::measure::start_to_end::signal_change;
use crate::settings::Hyperparameter;
use crate::topics::drop_from_peak::drop_from_peak;
use crate::topics::reward_parts::{RewardPart, Rewards, went};
use crate::{Action, Change, Check, Code, Evidence, Finding, LearningState, Outcome, QuietReason, Severity};
use rundown_format::rich_text::{metric, number, step};
use rundown_format::{RichText, rich};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Direction, RewardKind, Unit};

pub const CHECK: Check = Check::of_metric(Code::RewardHacking, Concept::Reward, run);

/// Rise of an evaluation that was one, in parts of its later fall.
const MIN_GAIN: f64 = 0.25;
/// Share of the reward's gain after which little more is gained.
const NEARLY_ALL: f64 = 0.9;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::KlCoefficient, "A weak KL term lets the policy go wherever the reward is."),
        (Hyperparameter::LearningRate, "Large updates find the shortcut sooner."),
    ],
    actions: &[Advice::Change(&RAISE_KL_COEFFICIENT, "KL below 0.3 and the evaluation not falling")],
    alternative: "Over-training on few prompts looks the same; then answers to training prompts are right.",
    // It names two steps of the run.
    refute: "",
    references: &[
        "arXiv 2210.10760 (reward over-optimisation)",
        "arXiv 2209.13085 (reward hacking)",
        "TinyZero verl/utils/reward_score/countdown.py (format score)",
    ],
};

fn run(context: &Context<'_>, reward: &MetricSeries<'_>) -> Outcome {
    let outcome = by_rewards(context);
    if matches!(outcome, Outcome::Found(_)) {
        return outcome;
    }
    detected::finding(context, reward).map_or(outcome, |finding| Outcome::Found(vec![finding]))
}

/// What the reward and its functions show beside the evaluation.
fn by_rewards(context: &Context<'_>) -> Outcome {
    let Some(rewards) = Rewards::new(context) else { return Outcome::Quiet(Vec::new()) };
    if !context.learning.is_evaluated() && !rewards.has_task_part() {
        return Outcome::Skipped(context.need_evaluations());
    }
    match assess(&rewards) {
        Some((severity, confidence)) => Outcome::Found(vec![finding(&rewards, severity, confidence)]),
        None if is_improved(&rewards) => Outcome::QuietBecause(QuietReason::Improved, evidence(&rewards)),
        None => Outcome::Quiet(evidence(&rewards)),
    }
}

/// How bad it is and how sure; `None` when the reward is not gamed, as far as can be told.
fn assess(rewards: &Rewards<'_, '_>) -> Option<(Severity, f64)> {
    let context = rewards.context;
    let learning = &context.learning;
    let evaluated = learning.is_evaluated();
    if !rewards.rose() || evaluated && learning.state == LearningState::Improved || rewards.task_rose() {
        return None;
    }
    if evaluated && learning.state == LearningState::Declined {
        if is_named(rewards) {
            return Some((Severity::Critical, 0.97));
        }
        // What another evaluation shows to be learned was not gamed, whatever was forgotten for it.
        if another_evaluation_rose(context) || rose_together(rewards) {
            return None;
        }
        let is_large_loss = lost_share(rewards) >= context.rulebook.hacking_evaluation_loss().value;
        return is_large_loss.then_some((Severity::Critical, 0.75));
    }
    let fallen = fallen_task(rewards)?;
    let gone = fallen.change.last < 0.5 * height(fallen);
    Some(if gone && !evaluated { (Severity::Critical, 0.85) } else { (Severity::Warning, 0.8) })
}

/// Part of the evaluation's start that is gone at the end, 0 where it ended no worse: what was gained and lost again between is a
/// matter of over-training.
fn lost_share(rewards: &Rewards<'_, '_>) -> f64 {
    let (learning, measure) = (&rewards.context.learning, rewards.context.measure());
    let sign = measure.map_or(1.0, |signal| signal.binding.direction.sign());
    // A score that may be below zero has no size of its own: there the gain of the reward is one.
    let is_signed = measure.is_some_and(|signal| signal.min() < 0.0);
    let least = if is_signed { rewards.gain.delta().max(1e-9) } else { 1e-9 };
    (sign * (learning.first - learning.last)).max(0.0) / learning.first.abs().max(least)
}

/// True when the share of tasks that another evaluation found solved ended higher than it began, beyond its noise. A mean
/// reward on held-out tasks does not count: it is the one that may be gamed.
fn another_evaluation_rose(context: &Context<'_>) -> bool {
    let book = context.rulebook;
    let is_solved = |signal: &&MetricSeries<'_>| {
        let binding = &signal.binding;
        let is_long = signal.len() as f64 >= book.learning_evaluations().value;
        is_long && binding.unit == Unit::Share && binding.direction == Direction::Up
    };
    let rose = |signal| signal_change(signal).is_some_and(|change| change.z() >= book.learning_z().value);
    context.signals(Concept::Evaluation).iter().filter(is_solved).any(rose)
}

/// True when the evaluation rose with the reward, and fell when the reward had nearly all of its gain: then that gain was of
/// the task, and what broke the evaluation did not raise the reward.
fn rose_together(rewards: &Rewards<'_, '_>) -> bool {
    let (context, reward) = (rewards.context, rewards.reward);
    let fall = context.evaluation().and_then(|signal| Some((signal, drop_from_peak(signal)?)));
    let Some((_, fall)) = fall.filter(|(signal, fall)| fall.is_sure(signal, context.rulebook)) else { return false };
    let had_risen = fall.share_of_gain() <= 1.0 / MIN_GAIN;
    let before = reward.steps.partition_point(|step| *step < fall.onset);
    let width = (reward.len() / 20).max(3);
    let level = reward.values.get(before.saturating_sub(width)..before).and_then(stats::mean);
    let gained = level.is_some_and(|level| level - rewards.gain.first >= NEARLY_ALL * rewards.gain.delta());
    had_risen && gained
}

/// True when the names of the reward functions show that the gain is not of the task.
fn is_named(rewards: &Rewards<'_, '_>) -> bool {
    let only_form = !rewards.parts.is_empty() && rewards.parts.iter().all(|part| part.kind == RewardKind::Form);
    rewards.has_task_part() || only_form || rewards.form_share() >= rewards.context.rulebook.hacking_form_share().value
}

/// The reward function of the task that fell most, if one did: from the start of the run, or from its best level.
fn fallen_task<'r, 's, 'a>(rewards: &'r Rewards<'s, 'a>) -> Option<&'r RewardPart<'s, 'a>> {
    let least = rewards.context.rulebook.hacking_task_change().value;
    let fell = |part: &&RewardPart<'_, '_>| {
        part.fall.is_some() || rewards.is_sure(&part.change, -1.0) && -part.change.delta() >= least * part.range
    };
    rewards.of_kind(RewardKind::Task).filter(fell).max_by(|a, b| lost(a).total_cmp(&lost(b)))
}

/// Level from which a reward function of the task fell.
fn height(part: &RewardPart<'_, '_>) -> f64 {
    part.fall.map_or(part.change.first, |fall| fall.peak.max(part.change.first))
}

fn lost(part: &RewardPart<'_, '_>) -> f64 {
    height(part) - part.change.last
}

/// True where the task got better with the reward.
fn is_improved(rewards: &Rewards<'_, '_>) -> bool {
    rewards.context.is_learned() || rewards.task_rose()
}

fn evidence(rewards: &Rewards<'_, '_>) -> Vec<Evidence> {
    let book = rewards.context.rulebook;
    let learning = &rewards.context.learning;
    let mut evidence = vec![
        Evidence::new("reward at the start", rewards.gain.first, ""),
        Evidence::new("reward at the end", rewards.gain.last, ""),
        Evidence::new("rise of the reward", rewards.gain.z(), "SE").of(Change::Rise).above(book.learning_z()),
    ];
    if learning.is_evaluated() {
        evidence.push(Evidence::new("evaluation at the start", learning.first, ""));
        evidence.push(Evidence::new("evaluation at the end", learning.last, ""));
        let fall = |signal: &MetricSeries<'_>| {
            signal_change(signal).map(|change| -signal.binding.direction.sign() * change.z())
        };
        if let Some(fall) = rewards.context.evaluation().and_then(fall) {
            evidence
                .push(Evidence::new("fall of the evaluation", fall, "SE").of(Change::Fall).above(book.learning_z()));
        }
    }
    if !rewards.parts.is_empty() {
        let share = Evidence::new("share of the gain by format", rewards.form_share(), "");
        evidence.push(share.above(book.hacking_form_share()));
    }
    evidence
}

fn finding(rewards: &Rewards<'_, '_>, severity: Severity, confidence: f64) -> Finding {
    let onset = rewards.onset();
    let (task_key, task_first, task_last) = task(rewards);
    let rose = rich!("Reward rose from {} to {}", number(rewards.gain.first), number(rewards.gain.last));
    let title = rich!("{} while {} {}", rose, metric(&task_key), went(task_first, task_last));
    let driver = rewards.driver().map(|part| part.signal);
    let shown = [Some(rewards.reward), rewards.context.signal_of(&task_key), driver];
    let finding = rewards.context.finding(Code::RewardHacking, severity, title, Some(onset), &TEXTS);
    let mut finding = finding.supported_by(detail(rewards, onset), &shown, evidence(rewards), confidence);
    finding.end = Some(rewards.reward.last_step());
    finding.actions.insert(0, rewards.gate("the evaluation rises with the reward"));
    finding.actions.extend(checkpoint(rewards.context));
    if is_named(rewards) {
        finding.alternative =
            "The evaluation may have failed (another prompt or parser) while the task was learned.".into();
    }
    finding.refute = rich!(
        "An independent verifier scores the responses of step {} above those of step {}.",
        step(rewards.reward.last_step()),
        step(onset)
    );
    finding
}

/// Which checkpoint to keep, where an evaluation can tell.
fn checkpoint(context: &Context<'_>) -> Option<Action> {
    if context.starts_best() {
        return Some(start_again());
    }
    let best = Some(context.learning.best_step).filter(|_| context.learning.is_evaluated())?;
    let change = rich!("Keep the checkpoint of the best evaluation, step {}", step(best));
    Some(advice(change, "keeps the best policy", "none", "the evaluation of that checkpoint"))
}

/// The metric that stands for the task, with the level that it fell from and its last one: an evaluation that
/// declined, else the task's own reward function, else the evaluation.
fn task(rewards: &Rewards<'_, '_>) -> (String, f64, f64) {
    let learning = &rewards.context.learning;
    let measure = learning.measure.as_ref().filter(|_| learning.is_evaluated());
    let part = fallen_task(rewards).filter(|_| learning.state != LearningState::Declined || measure.is_none());
    match (part, measure) {
        (Some(part), _) => (part.signal.key().to_owned(), height(part), part.change.last),
        (None, Some(measure)) => {
            let is_lower = (learning.last < learning.first) == (measure.direction != Direction::Down);
            (measure.key.clone(), if is_lower { learning.first } else { learning.best }, learning.last)
        }
        (None, None) => (String::new(), f64::NAN, f64::NAN),
    }
}

fn detail(rewards: &Rewards<'_, '_>, onset: f64) -> RichText {
    let driver = rewards.driver().map_or_else(RichText::default, |part| {
        rich!(" {} rose from {} to {}.", metric(part.signal.key()), number(part.change.first), number(part.change.last))
    });
    let task = rewards.of_kind(RewardKind::Task).next().map_or_else(RichText::default, |part| {
        rich!(
            " {}, which rewards the task, ends at {}.",
            metric(part.signal.key()),
            number(part.signal.level(Fifth::Last))
        )
    });
    let ceiling = if rewards.gain.last >= 0.99 * rewards.reward.max() { ", its maximum," } else { "" };
    rich!(
        "From step {} on the reward rises to {}{} while performance on the task does not.{}{}",
        step(onset),
        number(rewards.gain.last),
        ceiling,
        driver,
        task
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change, jump, saturating};

    fn hacked(steps: usize) -> Synthetic {
        Synthetic::healthy(steps).noisy("train/reward", 0.05, |t| 0.4 + 2.8 * saturating(t)).every(
            "eval/accuracy",
            10,
            |t| 0.48 - 0.48 * saturating(t),
        )
    }

    #[test]
    fn reward_up_and_task_down_is_critical() {
        let run = hacked(300).noisy("train/rewards/answer_check/mean", 0.02, |t| 0.24 - 0.24 * saturating(t)).noisy(
            "train/rewards/hackable/mean",
            0.05,
            |t| 0.16 + 3.0 * saturating(t),
        );
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Critical);
        assert!(finding.confidence > 0.9);
        assert!(change(finding.actions.first().unwrap()).0.contains("hackable"));
        assert_eq!(hacked(300).finding(&CHECK).confidence, 0.75);
        assert_eq!(went(0.25, 0.1).to_string(), "fell from 0.25 to 0.1");
        assert_eq!(went(0.19, 0.64).to_string(), "rose from 0.19 to 0.64", "a rate of errors");
        assert_eq!(went(0.25, 0.25 - 1e-9).to_string(), "stayed at 0.25");
    }

    #[test]
    fn a_task_that_was_learned_and_is_lost_late_is_found() {
        let lost = |t: f64| 0.3 + 0.4 * saturating(2.0 * t) - 0.35 * jump(t, 0.8);
        let run = Synthetic::healthy(300)
            .every("eval/accuracy", 10, lost)
            .noisy("train/rewards/accuracy_reward/mean", 0.04, lost)
            .noisy("train/rewards/judge_reward/mean", 0.05, |t| 0.2 + 2.0 * jump(t, 0.8))
            .noisy("train/reward", 0.05, move |t| lost(t) + 0.2 + 2.0 * jump(t, 0.8));
        let finding = run.finding(&CHECK);
        assert!(finding.title.to_string().contains("fell from 0.7"), "{}", finding.title);
    }

    #[test]
    fn over_training_and_learning_are_quiet() {
        let memorised = hacked(300).noisy("train/rewards/answer_check/mean", 0.05, |t| 0.3 + 0.6 * saturating(t));
        assert!(memorised.quiet(&CHECK));
        assert!(Synthetic::healthy(300).quiet(&CHECK));
        let slight = hacked(300).every("eval/accuracy", 10, |t| 0.52 - 0.03 * saturating(t));
        assert!(slight.quiet(&CHECK));
    }

    #[test]
    fn an_evaluation_that_ends_no_lower_than_it_began_was_not_gamed() {
        let run = |level: fn(f64) -> f64| {
            let noise = |t: f64| 0.004 * libm::sin(7919.0 * t);
            Synthetic::healthy(300).noisy("train/reward", 0.02, |t| 0.1 + 0.7 * t).without("eval/accuracy").every(
                "eval/reward",
                10,
                move |t| level(t) + noise(t),
            )
        };
        assert!(run(|t| 0.6 - 0.8 * (t - 0.5).abs()).quiet(&CHECK), "all of its gain is lost, and nothing else");
        assert!(!run(|t| 0.6 - 0.8 * (t - 0.5).abs() - 0.22 * t).quiet(&CHECK), "half of its start as well");
        assert!(run(|t| 0.02 - 0.08 * t).quiet(&CHECK), "a small part of what it may be, which goes below zero");
        assert!(!run(|t| 0.02 - 0.3 * t).quiet(&CHECK));
    }

    #[test]
    fn an_evaluation_that_breaks_when_the_reward_has_its_gain_was_not_gamed() {
        let run = |reward: fn(f64) -> f64| {
            Synthetic::healthy(300)
                .noisy("train/reward", 0.05, reward)
                .every("eval/accuracy", 10, |t| 0.4 + 0.3 * saturating(3.0 * t) - 0.5 * jump(t, 0.75))
        };
        assert!(run(|t| 0.4 + 0.3 * saturating(3.0 * t)).quiet(&CHECK));
        assert!(!run(|t| 0.4 + 0.3 * saturating(3.0 * t) + 0.4 * jump(t, 0.75)).quiet(&CHECK));
    }

    #[test]
    fn what_another_evaluation_shows_to_be_learned_was_not_gamed() {
        let quiet_with = |key: &str| hacked(300).every(key, 10, |t| 0.3 + 0.4 * saturating(t)).quiet(&CHECK);
        assert!(quiet_with("eval/other/accuracy") && !quiet_with("eval/reward") && !quiet_with("eval/format_rate"));
    }

    #[test]
    fn without_any_measure_of_the_task_it_is_skipped() {
        let outcome = Synthetic::healthy(250).without("eval/accuracy").check(&CHECK);
        assert!(matches!(outcome, Outcome::Skipped(need) if need.hint.to_string().contains("eval/accuracy")));
    }
}
