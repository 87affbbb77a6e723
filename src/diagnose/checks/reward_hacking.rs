//! The reward rises and the task does not: the policy games the reward.
//!
//! # What it checks
//! The reward rose beyond its noise while the evaluation declined (critical); or, where the evaluation says nothing,
//! the reward rose while a reward function named after the task fell, or by form alone: format, tags, length (warning).
//!
//! # Why it matters
//! The optimiser finds the cheapest way to the reward. Once it is a way around the task, every further step makes the
//! model worse, and the training curves look better and better.
//!
//! # Evidence needed
//! The reward, and an evaluation on held-out tasks or the rewards of single functions.
//!
//! # Threshold and where it comes from
//! 70 % of the gain from form: notebook runs with 90 % of the gain from tag counts and no right answer. A quarter of
//! the evaluation lost, where no reward function is known by name: over-training loses points, hacking the skill.
//!
//! # Known false alarms
//! Over-training on few prompts also has reward up and evaluation down; it is told apart by the task's own reward
//! function, which rises too. An evaluation of other tasks, or with another prompt, may fall for its own reasons.
//!
//! # What to do
//! Multiply form by correctness or weigh it at 0.1; harden the verifier; stop at the best evaluation.
//!
//! # References
//! Gao et al. 2022, arXiv 2210.10760 (over-optimisation); TinyZero countdown.py (format score); Skalse et al. 2022,
//! arXiv 2209.13085 (reward hacking).

use crate::diagnose::advice::{RAISE_KL_COEFFICIENT, advice, causes};
use crate::diagnose::context::Context;
use crate::diagnose::learning::signal_change;
use crate::diagnose::level::{self, Change};
use crate::diagnose::settings::Knob;
use crate::diagnose::signal::{Fifth, Signal};
use crate::diagnose::text::{num, percent, step};
use crate::diagnose::{Action, Check, Code, Evidence, Finding, LearningState, Outcome, Severity};
use crate::vocabulary::{Concept, RewardKind, reward_kind};

/// The check.
pub const CHECK: Check = Check { code: Code::RewardHacking, run };

fn run(context: &Context<'_>) -> Outcome {
    let Some(reward) = context.signal(Concept::Reward) else {
        return Outcome::Skipped(context.need(&[Concept::Reward]));
    };
    let parts = parts(context);
    if !context.learning.is_evaluated() && !parts.iter().any(|part| part.kind == RewardKind::Task) {
        let mut need = context.need(&[Concept::Evaluation]);
        if let Some(evaluation) = context.evaluation() {
            let least = context.rulebook.learning_evaluations().value;
            need.concepts = vec![Concept::Evaluation];
            need.hint = format!("Log `{}` at least {} times.", evaluation.key(), num(least));
        }
        return Outcome::Skipped(need);
    }
    let Some(gain) = gain(reward) else { return Outcome::Quiet(Vec::new()) };
    let case = Case { context, reward, gain, parts };
    match case.judge() {
        Some((severity, confidence)) => Outcome::Found(vec![case.finding(severity, confidence)]),
        None => Outcome::Quiet(case.evidence()),
    }
}

/// One reward function.
struct Part<'s, 'a> {
    signal: &'s Signal<'a>,
    kind: RewardKind,
    change: Change,
    /// Largest minus smallest value.
    range: f64,
}

fn parts<'s, 'a>(context: &'s Context<'a>) -> Vec<Part<'s, 'a>> {
    let part = |signal: &'s Signal<'a>| {
        Some(Part {
            kind: reward_kind(signal.binding.name.as_deref().unwrap_or(signal.key())),
            change: gain(signal)?,
            range: signal.max() - signal.min(),
            signal,
        })
    };
    context.signals(Concept::RewardComponent).iter().filter_map(part).collect()
}

/// The change from the very start: a policy may find its shortcut within the first tenth of a run.
fn gain(signal: &Signal<'_>) -> Option<Change> {
    let head = (signal.len() / 50).max(5);
    level::change(&signal.values, head, signal.len() / 5, 0.0)
}

struct Case<'s, 'a> {
    context: &'s Context<'a>,
    reward: &'s Signal<'a>,
    gain: Change,
    parts: Vec<Part<'s, 'a>>,
}

impl Case<'_, '_> {
    fn judge(&self) -> Option<(Severity, f64)> {
        let book = self.context.rulebook;
        let enough = self.reward.len() as f64 >= book.points_needed().value;
        if !enough || !self.is_sure(&self.gain, 1.0) || self.gain.effect() < book.learning_effect().value {
            return None;
        }
        if !self.is_kept() {
            return None;
        }
        let learning = &self.context.learning;
        let evaluated = learning.is_evaluated();
        if evaluated && learning.state == LearningState::Improved || self.task_rose() {
            return None;
        }
        if evaluated && learning.state == LearningState::Declined {
            if self.is_named() {
                return Some((Severity::Critical, 0.97));
            }
            let lost = (learning.first - learning.last).abs() / learning.first.abs().max(1e-9);
            return (lost >= book.hacking_evaluation_loss().value).then_some((Severity::Critical, 0.75));
        }
        if let Some(fallen) = self.fallen_task() {
            let gone = fallen.change.last < 0.5 * fallen.change.first;
            return Some(if gone && !evaluated { (Severity::Critical, 0.85) } else { (Severity::Warning, 0.8) });
        }
        let task_known = self.parts.iter().any(|part| part.kind == RewardKind::Task);
        let by_form = self.form_share() >= book.hacking_form_share().value;
        (task_known && by_form).then_some((Severity::Warning, 0.8))
    }

    fn is_sure(&self, change: &Change, sign: f64) -> bool {
        sign * change.z() >= self.context.rulebook.learning_z().value
    }

    /// True when most of the best gain is still there: a policy that games its reward does not let go of it, and one
    /// that lost both reward and task was damaged.
    fn is_kept(&self) -> bool {
        let smooth = self.reward.smoothed((self.reward.len() / 40).max(2));
        let peak = smooth.iter().copied().reduce(f64::max).unwrap_or(self.gain.last);
        self.gain.delta() >= self.context.rulebook.hacking_kept().value * (peak - self.gain.first)
    }

    /// True when the names of the reward functions show that the gain is not of the task.
    fn is_named(&self) -> bool {
        let task_known = self.parts.iter().any(|part| part.kind == RewardKind::Task);
        let only_form = !self.parts.is_empty() && self.parts.iter().all(|part| part.kind == RewardKind::Form);
        task_known || only_form || self.form_share() >= self.context.rulebook.hacking_form_share().value
    }

    /// True when a reward function of the task itself rose: then the gain is real on the training prompts.
    fn task_rose(&self) -> bool {
        let least = self.context.rulebook.hacking_task_change().value;
        self.parts.iter().any(|part| {
            part.kind == RewardKind::Task
                && self.is_sure(&part.change, 1.0)
                && part.change.delta() >= least * part.range
        })
    }

    /// The reward function of the task that fell most, if one did.
    fn fallen_task(&self) -> Option<&Part<'_, '_>> {
        let least = self.context.rulebook.hacking_task_change().value;
        self.parts
            .iter()
            .filter(|part| {
                part.kind == RewardKind::Task
                    && self.is_sure(&part.change, -1.0)
                    && -part.change.delta() >= least * part.range
            })
            .min_by(|a, b| a.change.delta().total_cmp(&b.change.delta()))
    }

    /// Share of all gains that is by form.
    fn form_share(&self) -> f64 {
        let sum = |form: bool| -> f64 {
            let counted = self.parts.iter().filter(|part| !form || part.kind == RewardKind::Form);
            counted.map(|part| part.change.delta().max(0.0)).sum()
        };
        let all = sum(false);
        if all > 0.0 { sum(true) / all } else { 0.0 }
    }

    /// The reward function that gained most.
    fn driver(&self) -> Option<&Part<'_, '_>> {
        let gained = self.parts.iter().filter(|part| part.kind != RewardKind::Task && part.change.delta() > 0.0);
        gained.max_by(|a, b| a.change.delta().total_cmp(&b.change.delta()))
    }

    fn evidence(&self) -> Vec<Evidence> {
        let book = self.context.rulebook;
        let learning = &self.context.learning;
        let mut evidence = vec![
            Evidence::new("reward at the start", self.gain.first, ""),
            Evidence::new("reward at the end", self.gain.last, ""),
            Evidence::new("its rise", self.gain.z(), "standard errors").against(book.learning_z().over()),
        ];
        if learning.is_evaluated() {
            evidence.push(Evidence::new("evaluation at the start", learning.first, ""));
            evidence.push(Evidence::new("evaluation at the end", learning.last, ""));
            if let Some(change) = self.context.evaluation().and_then(signal_change) {
                evidence
                    .push(Evidence::new("its change", change.z(), "standard errors").against(book.learning_z().over()));
            }
        }
        if !self.parts.is_empty() {
            let share = Evidence::new("share of the gain by form", self.form_share(), "");
            evidence.push(share.against(book.hacking_form_share().over()));
        }
        evidence
    }

    fn finding(&self, severity: Severity, confidence: f64) -> Finding {
        let learning = &self.context.learning;
        let onset = self.onset();
        let (task_key, task_first, task_last) = self.task();
        let rose = format!("Reward rose from {} to {}", num(self.gain.first), num(self.gain.last));
        let title = match learning.state {
            LearningState::Declined if learning.is_evaluated() => {
                format!("{rose} while {task_key} fell from {} to {}", num(task_first), num(task_last))
            }
            _ if self.fallen_task().is_some() => {
                format!("{rose} while {task_key} went from {} to {}", num(task_first), num(task_last))
            }
            _ => format!(
                "{rose}, {} of it by form, while {task_key} stayed at {}",
                percent(self.form_share()),
                num(task_last)
            ),
        };
        let mut finding = Finding::new(Code::RewardHacking, severity, title);
        finding.detail = self.detail(onset);
        finding.metrics = vec![self.reward.key().to_owned(), task_key];
        finding.metrics.extend(self.driver().map(|part| part.signal.key().to_owned()));
        finding.onset = Some(onset);
        finding.end = Some(self.reward.last_step());
        finding.evidence = self.evidence();
        finding.trend =
            finding.metrics.iter().filter_map(|key| self.context.signal_of(key)).map(Signal::trend).collect();
        finding.causes = causes(
            self.context,
            &[
                (Knob::KlCoefficient, "A weak KL term lets the policy go wherever the reward is."),
                (Knob::LearningRate, "Large updates find the shortcut sooner."),
            ],
        );
        finding.actions = self.actions();
        finding.alternative = if self.is_named() {
            "The evaluation may have failed (another prompt or parser) while the task was learned.".to_owned()
        } else {
            "Over-training on few prompts looks the same; then answers to training prompts are right.".to_owned()
        };
        finding.refute = format!(
            "An independent verifier scores the responses of step {} above those of step {}.",
            step(self.reward.last_step()),
            step(onset),
        );
        finding.references = vec![
            "arXiv 2210.10760 (reward over-optimisation)".to_owned(),
            "arXiv 2209.13085 (reward hacking)".to_owned(),
            "TinyZero verl/utils/reward_score/countdown.py (format score)".to_owned(),
        ];
        finding.confidence = confidence;
        finding
    }

    /// The metric that stands for the task: the evaluation, else the task's own reward function.
    fn task(&self) -> (String, f64, f64) {
        let learning = &self.context.learning;
        if let (true, Some(measure)) = (learning.is_evaluated(), &learning.measure) {
            return (measure.key.clone(), learning.first, learning.last);
        }
        let part = self.fallen_task().or_else(|| self.parts.iter().find(|part| part.kind == RewardKind::Task));
        part.map_or_else(
            || (String::new(), f64::NAN, f64::NAN),
            |part| (part.signal.key().to_owned(), part.change.first, part.change.last),
        )
    }

    fn detail(&self, onset: f64) -> String {
        let driver = self.driver().map_or_else(String::new, |part| {
            format!(" `{}` rose from {} to {}.", part.signal.key(), num(part.change.first), num(part.change.last))
        });
        let task = self.parts.iter().find(|part| part.kind == RewardKind::Task).map_or_else(String::new, |part| {
            format!(
                " `{}`, which rewards the task, ends at {}.",
                part.signal.key(),
                num(part.signal.level(Fifth::Last))
            )
        });
        let ceiling = if self.gain.last >= 0.99 * self.reward.max() { ", its maximum," } else { "" };
        format!(
            "From step {} on the reward climbs to {}{ceiling} without the task.{driver}{task}",
            step(onset),
            num(self.gain.last),
        )
    }

    fn actions(&self) -> Vec<Action> {
        let watch = "the evaluation rises with the reward";
        let task = self.parts.iter().find(|part| part.kind == RewardKind::Task);
        let first = match (self.driver(), task) {
            (Some(driver), Some(task)) => {
                let text = format!("Gate {} by {}, or weigh it at most 0.1", driver.signal.key(), task.signal.key());
                advice(&text, "correctness becomes the only gradient", "the reward looks lower at first", watch)
            }
            (Some(driver), None) => {
                let text = format!("Add a reward for the right answer and weigh {} at most 0.1", driver.signal.key());
                advice(&text, "correctness becomes the main gradient", "the reward looks lower at first", watch)
            }
            _ => advice(
                "Harden the verifier on the responses that score highest",
                "closes the shortcut",
                "the reward looks lower at first",
                watch,
            ),
        };
        vec![
            first,
            RAISE_KL_COEFFICIENT.action(self.context, "KL below 0.3 and the evaluation not falling"),
            advice(
                &format!("Stop at the best evaluation, step {}", step(self.context.learning.best_step)),
                "keeps the best policy",
                "none",
                "the evaluation of that checkpoint",
            ),
        ]
    }

    /// The step from which the smoothed reward stays above its start by a tenth of the gain.
    fn onset(&self) -> f64 {
        let smooth = self.reward.smoothed((self.reward.len() / 100).max(2));
        let line = self.gain.first + 0.1 * self.gain.delta();
        let below = smooth.iter().rposition(|value| *value <= line);
        self.reward.step(below.map_or(0, |index| (index + 1).min(self.reward.len() - 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::checks::testing::{Synthetic, rise};

    fn hacked(steps: usize) -> Synthetic {
        Synthetic::healthy(steps)
            .noisy("train/reward", 0.05, |t| 0.4 + 2.8 * rise(t))
            .every("eval/accuracy", 10, |t| 0.48 - 0.48 * rise(t))
    }

    #[test]
    fn reward_up_and_task_down_is_critical() {
        let run = hacked(300).noisy("train/rewards/answer_check/mean", 0.02, |t| 0.24 - 0.24 * rise(t)).noisy(
            "train/rewards/hackable/mean",
            0.05,
            |t| 0.16 + 3.0 * rise(t),
        );
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Critical);
        assert!(finding.confidence > 0.9);
        assert!(finding.actions.first().unwrap().change.contains("hackable"));
        assert_eq!(hacked(300).finding(&CHECK).confidence, 0.75);
    }

    #[test]
    fn over_training_and_learning_are_quiet() {
        let memorised = hacked(300).noisy("train/rewards/answer_check/mean", 0.05, |t| 0.3 + 0.6 * rise(t));
        assert!(memorised.quiet(&CHECK));
        assert!(Synthetic::healthy(300).quiet(&CHECK));
        let slight = hacked(300).every("eval/accuracy", 10, |t| 0.52 - 0.03 * rise(t));
        assert!(slight.quiet(&CHECK));
    }

    #[test]
    fn a_gain_by_form_alone_is_a_warning() {
        let run = Synthetic::healthy(250)
            .without("eval/accuracy")
            .noisy("train/reward", 0.1, |t| -0.4 + 0.6 * rise(t))
            .noisy("train/rewards/xmlcount_reward_func/mean", 0.1, |t| -0.4 + 0.6 * rise(t))
            .noisy("train/rewards/correctness_reward_func/mean", 0.0, |t| {
                if (t * 250.0) as u32 % 40 == 3 { 1.0 } else { 0.0 }
            });
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!(finding.title.contains("by form"), "{}", finding.title);
    }

    #[test]
    fn without_any_measure_of_the_task_it_is_skipped() {
        let outcome = Synthetic::healthy(250).without("eval/accuracy").check(&CHECK);
        assert!(matches!(outcome, Outcome::Skipped(need) if need.hint.contains("eval/accuracy")));
    }
}
