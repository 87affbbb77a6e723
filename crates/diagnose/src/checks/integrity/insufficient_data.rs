//! Too little was logged for a verdict on the run.
//!
//! # What it checks
//! Fewer than 30 logged points of the reward or the evaluation, or fewer than 20 after the end of the warm-up (20 and 12 where the
//! rewards are five steps apart or more), and nothing beyond the noise in them: a change far beyond it, or evaluations that rule a
//! gain out, are enough.
//!
//! # Why it matters
//! Trends of a few points are noise. Saying so is better than a verdict that the next ten steps turn around.
//!
//! # Evidence needed
//! None.
//!
//! # Threshold and where it comes from
//! 30 and 20 points: with fewer, the means of the first and last fifth rest on a handful of batches, and during the
//! warm-up the learning rate sets the curves. Rows that stand for several steps tell of a longer run: 20 of them, of which a
//! change is tested with fewer degrees of freedom. What ten points show far beyond their noise, or all alike, is found at once.
//!
//! # Known false alarms
//! A run that logs rarely can be long and have few points.
//!
//! # What to do
//! Log more often, or look again later.
//!
//! # References
//! None: a rule of this rulebook.

use crate::advice::advice;
use crate::context::Context;
use crate::measure::log_start::{late_start, missing_steps};
use crate::measure::warmup_end::still_rises;
use crate::settings::Hyperparameter;
use crate::{Check, Code, Evidence, Finding, LearningState, Outcome, QuietReason, Severity};
use rundown_format::rich_text::{metric, setting_key, step};
use rundown_format::{RichText, counted, plural, rich};
use rundown_run::{AxisReason, Config, FileFormat, RunState};
use rundown_vocabulary::{Concept, Framework};

pub const CHECK: Check = Check::of_run(Code::InsufficientData, run);

fn run(context: &Context<'_>) -> Outcome {
    let book = context.rulebook;
    let points = context.counted_points();
    let warm = context.points_after_warmup();
    let evidence = vec![
        Evidence::new("points of reward or evaluation", points as f64, "").below(book.points_needed()),
        Evidence::new("points after the warm-up", warm as f64, "").below(book.points_after_warmup()),
    ];
    let few = (points as f64) < book.points_needed().value;
    let is_warm = warm as f64 >= book.points_after_warmup().value;
    let is_warming = warm < points && !is_warm;
    let shows = match context.learning.state {
        LearningState::Declined => true,
        LearningState::Improved => !is_warming,
        LearningState::Flat => is_warm,
        LearningState::Unknown => !few && is_warm,
    };
    if shows {
        return Outcome::QuietBecause(QuietReason::EnoughToTell, evidence);
    }
    let is_summary = context.run.columns.is_empty() && context.run.final_values().next().is_some();
    let is_normalised = context.not_computed().iter().any(|signal| signal.binding.concept == Concept::Reward);
    let title = match (points, few) {
        (0, _) if is_summary => "Only final values are here, and no history".into(),
        (0, _) if is_normalised => "The reward was normalised over the batch, and there is no evaluation".into(),
        (0, _) => "No logged metric is known as a reward or an evaluation".into(),
        (_, true) => {
            let were = plural(points, "was", "were");
            rich!("Only {} of the reward or the evaluation {} logged", counted(points, "point"), were)
        }
        (_, false) => warmup_words(context, warm),
    };
    let mut finding = Finding::new(Code::InsufficientData, Severity::Note, title);
    finding.detail = match points {
        0 => "Nothing else tells whether the policy learned.".into(),
        _ => "What they show so far may be noise: whether the policy learns is not known yet.".into(),
    };
    finding.metrics.extend(context.signal(Concept::Reward).map(|signal| signal.key().to_owned()));
    finding.onset = context.run.step_range().map(|(first, _)| first);
    finding.end = context.run.step_range().map(|(_, last)| last);
    finding.evidence = evidence;
    let log = match late_start(context.run) {
        _ if points == 0 && shows_loss_alone(context) => KEPT_BY_TRAINER.into(),
        _ if points == 0 && context.logs_to_trackers_alone() => {
            rich!("Give the files of the run's tracker, or add console to {}", setting_key(Config::LOGGERS))
        }
        _ if points == 0 => rich!("Log {}", metric(Concept::Reward.key_hint(context.bindings.framework))),
        Some(start) => rich!("Give the whole log: this part begins at {}", start.words()),
        None if let Some((last, next)) = missing_steps(context.run) => {
            rich!("Give the whole log: it has no row between step {} and step {}", step(last), step(next))
        }
        // Of a run that is measured by evaluations alone, in some of its rows, more rows would bring few more points.
        None if is_evaluated_alone(context, points) => {
            rich!("Log {} in each step", metric(Concept::Reward.key_hint(context.bindings.framework)))
        }
        None if logs_each_step(context) => "Train for more steps, or look again when they are logged".into(),
        None => "Log every step, or look again later".into(),
    };
    finding.actions = vec![advice(log, "enough points for the checks", "none", "30 points of the reward")];
    (finding.alternative, finding.refute) = alternative(context, points);
    finding.confidence = 1.0;
    Outcome::Found(vec![finding])
}

/// What to do where a notebook shows less than its trainer logged.
const KEPT_BY_TRAINER: &str = "Add trainer_state.json of a checkpoint in output_dir, which holds the rewards that the Trainer logged, or print each row of trainer.state.log_history in the notebook";

/// True for a notebook of a TRL training on groups of responses without any reward: its table shows the loss, and the Trainer logs
/// the rewards all the same.
fn shows_loss_alone(context: &Context<'_>) -> bool {
    context.bindings.framework == Framework::Trl
        && context.setting(Hyperparameter::Generations).is_some()
        && context.run.files.iter().any(|file| file.format == FileFormat::Notebook)
}

/// True for a run without a reward whose evaluations are rarer than its rows, and that is no distillation, which has none.
fn is_evaluated_alone(context: &Context<'_>, points: usize) -> bool {
    let has_other = context.signal(Concept::Reward).is_some() || context.distillation().is_some();
    !has_other && points < context.run.axis.steps.len()
}

/// True for a reward that a trainer logged in each of its steps.
fn logs_each_step(context: &Context<'_>) -> bool {
    let Some(reward) = context.signal(Concept::Reward) else { return false };
    let steps = reward.last_step() - reward.step(0);
    context.run.axis.why == AxisReason::TrainerCounter && reward.len() > 1 && steps < reward.len() as f64
}

/// That too little came after the warm-up, or that its end is not known.
fn warmup_words(context: &Context<'_>, warm: usize) -> RichText {
    let rate = context.signal(Concept::LearningRate).zip(context.warmup_end());
    if rate.is_some_and(|(rate, end)| still_rises(rate, end)) {
        return "The learning rate still rises: its warm-up is not over".into();
    }
    rich!("Only {} since the warm-up of the learning rate", counted(warm, "point"))
}

/// Why steps were logged and no reward.
const NO_REWARD: &str = "The reward may be in another file or at a tracker, or under a name that is not known here; or this is supervised training, which has none.";
const REWARD_UNSEEN: &str =
    "The rewards may be in another file or at a tracker, or under a name that is not known here.";

/// The competing explanation, and what would show the finding wrong. No more points come after the end of a run.
fn alternative(context: &Context<'_>, points: usize) -> (RichText, RichText) {
    let last = context.last_step();
    let is_done = context.took_planned_steps();
    let is_over = match context.run.ending.state {
        RunState::Running => is_done,
        // A log that has no reward so far, and no sign that it goes on, would have none later.
        RunState::Unknown => is_done || points == 0,
        _ => true,
    };
    if let Some(start) = late_start(context.run).filter(|_| points > 0) {
        let whole = "The log is a part of the run: the whole of it tells more.";
        return (whole.into(), rich!("Points logged before {}.", start.words()));
    }
    let unseen = if shows_loss_alone(context) { REWARD_UNSEEN } else { NO_REWARD };
    match (last.is_finite(), is_over, points) {
        (true, true, 0) => (unseen.into(), "No output of the run has a reward or a score.".into()),
        (true, false, 0) => (unseen.into(), rich!("Points logged after step {}.", step(last))),
        (true, true, _) => (
            "Each point may be a mean over many responses, and tell more than so few points seem to.".into(),
            "A source of the run with more points of the reward.".into(),
        ),
        (true, false, _) => {
            ("The run may be long and log rarely.".into(), rich!("Points logged after step {}.", step(last)))
        }
        (false, _, _) => ("The run may be long and log rarely.".into(), "Points of any step.".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change, found};
    use rundown_run::SourceFile;

    #[test]
    fn few_points_are_a_note_and_many_are_quiet() {
        assert_eq!(Synthetic::healthy(20).finding(&CHECK).severity, Severity::Note);
        assert!(Synthetic::healthy(60).quiet(&CHECK));
        assert!(Synthetic::new(60).finding(&CHECK).title.to_string().starts_with("No logged metric"));
        let mut summary = Synthetic::new(0);
        summary.run.summary.insert("eval/accuracy", rundown_run::ConfigValue::Number(0.5));
        assert_eq!(summary.finding(&CHECK).title.to_string(), "Only final values are here, and no history");
    }

    #[test]
    fn few_points_are_enough_where_they_show_something() {
        let evaluated = |points: usize, level: fn(f64) -> f64| {
            Synthetic::new(500).every("eval/accuracy", 500 / points, move |t| level(t) + 0.005 * libm::sin(7919.0 * t))
        };
        assert_eq!(
            evaluated(20, |t| 0.2 + 0.4 * t).quiet_reason(&CHECK),
            Some(QuietReason::EnoughToTell),
            "it improved"
        );
        assert!(evaluated(25, |_| 0.4).quiet(&CHECK), "a gain is ruled out");
        assert!(!evaluated(4, |t| 0.2 + 0.4 * t).quiet(&CHECK), "four evaluations");
        let reward = |level: fn(f64) -> f64| Synthetic::new(14).noisy("train/reward", 0.03, level);
        assert!(reward(|t| 0.6 * (1.0 - t)).quiet(&CHECK), "it collapsed");
        assert!(!reward(|_| 0.5).quiet(&CHECK), "fourteen noisy batches");
    }

    #[test]
    fn a_learning_rate_that_still_rises_is_a_warm_up() {
        let warming = Synthetic::healthy(60).every("train/learning_rate", 1, |t| 1e-5 * t);
        let title = warming.finding(&CHECK).title.to_string();
        assert_eq!(title, "The learning rate still rises: its warm-up is not over");
        let late = Synthetic::healthy(60).every("train/learning_rate", 1, |t| 1e-5 * (t / 0.8).min(1.0));
        assert_eq!(late.finding(&CHECK).title.to_string(), "Only 12 points since the warm-up of the learning rate");
        let warm = Synthetic::healthy(60).every("train/learning_rate", 1, |t| 1e-5 * (10.0 * t).min(1.0));
        assert!(warm.quiet(&CHECK));
        let decaying = Synthetic::healthy(60).every("train/learning_rate", 1, |t| 1e-5 * (1.0 - t));
        assert!(decaying.quiet(&CHECK));
        let raised = Synthetic::healthy(500).every("train/learning_rate", 1, |t| if t < 0.97 { 1e-6 } else { 1.5e-6 });
        assert!(raised.quiet(&CHECK), "resumed with a higher rate");
    }

    #[test]
    fn no_points_are_waited_for_after_the_end() {
        let of = |state: RunState, reward: bool| {
            let mut run = Synthetic::new(20).every("train/loss", 1, |_| 0.1);
            if reward {
                run = run.every("train/reward", 4, |_| 0.5);
            }
            run.run.ending.state = state;
            let finding = run.finding(&CHECK);
            (finding.alternative.to_string(), finding.refute.to_string())
        };
        let (alternative, refute) = of(RunState::Finished, false);
        assert!(alternative.contains("another file") && !refute.contains("after step"), "{alternative} {refute}");
        assert!(of(RunState::Unknown, false).0.contains("supervised"), "a loss alone may be that of SFT");
        assert!(!of(RunState::Unknown, false).1.contains("after step"), "nor do later points of the same metrics");
        assert!(!of(RunState::Crashed, true).1.contains("after step"));
        assert!(of(RunState::Running, false).1.contains("after step 20"));
    }

    #[test]
    fn the_rewards_of_a_notebook_that_shows_the_loss_are_with_its_trainer() {
        let found = |format: FileFormat| {
            let mut run = Synthetic::new(20).every("train/loss", 1, |_| 0.1);
            run.run.files = vec![SourceFile { path: "a".to_owned(), format, bytes: 0, crc32: 0 }];
            let finding = run.finding(&CHECK);
            (change(&finding.actions[0]).0, finding.alternative.to_string())
        };
        let (advised, alternative) = found(FileFormat::Notebook);
        assert!(advised.contains("trainer_state.json") && !alternative.contains("supervised"), "{alternative}");
        let (advised, alternative) = found(FileFormat::JsonLines);
        assert!(advised.starts_with("Log ") && alternative.contains("supervised"), "{advised}");
    }

    #[test]
    fn a_log_that_begins_in_the_middle_is_asked_for_as_a_whole() {
        let mut run = rundown_run::Run::default();
        for number in 0..3 {
            let row = run.push_row(f64::from(number), f64::NAN);
            run.push_value("step", row, 3183.0 + f64::from(number));
            run.push_value("train/reward", row, 0.5);
        }
        run.choose_axis();
        let found = found(&run, &CHECK);
        let advised = change(&found[0].actions[0]).0;
        assert_eq!(advised, "Give the whole log: this part begins at step 3183");
        assert!(found[0].alternative.to_string().contains("part of the run"), "{}", found[0].alternative);
        let each = Synthetic::new(14).noisy("train/reward", 0.03, |_| 0.5).finding(&CHECK);
        assert!(change(&each.actions[0]).0.starts_with("Train for more steps"), "{:?}", each.actions);
    }

    #[test]
    fn what_is_missing_is_asked_for() {
        let advised = |run: &rundown_run::Run| change(&found(run, &CHECK)[0].actions[0]).0;
        let mut pasted = rundown_run::Run::default();
        for number in [13.0, 14.0, 15.0, 28.0, 29.0, 30.0] {
            let row = pasted.push_row(number, f64::NAN);
            pasted.push_value("step", row, number);
            pasted.push_value("train/reward", row, 0.5);
        }
        pasted.choose_axis();
        assert_eq!(advised(&pasted), "Give the whole log: it has no row between step 15 and step 28");
        let mut tracked = rundown_run::Run::default();
        tracked.config.insert(Config::LOGGERS, rundown_run::ConfigValue::Text("['wandb']".to_owned()));
        assert_eq!(advised(&tracked), "Give the files of the run's tracker, or add console to trainer.logger");
    }

    #[test]
    fn a_run_with_evaluations_alone_is_to_log_its_reward() {
        let run = Synthetic::new(60).every("train/loss", 1, |_| 0.1).every("eval/accuracy", 10, |_| 0.4);
        let advised = change(&run.finding(&CHECK).actions[0]).0;
        assert!(advised.starts_with("Log ") && advised.ends_with(" in each step"), "{advised}");
        let distilled = Synthetic::new(12).every("train/loss", 1, |_| 0.1).noisy("teacher_kl", 0.1, |_| 1.0);
        let of_each_step = Synthetic::new(12).every("eval/accuracy", 1, |_| 0.4);
        for run in [distilled, of_each_step] {
            assert_eq!(change(&run.finding(&CHECK).actions[0]).0, "Log every step, or look again later");
        }
    }

    #[test]
    fn one_point_is_a_point() {
        let finding = Synthetic::new(1).every("train/reward", 1, |_| 0.5).finding(&CHECK);
        assert_eq!(finding.title.to_string(), "Only 1 point of the reward or the evaluation was logged");
        let none = Synthetic::new(0).finding(&CHECK);
        assert!(!none.refute.to_string().contains("NaN"), "{}", none.refute);
    }
}
