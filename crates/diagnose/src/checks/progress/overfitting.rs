//! The policy memorises the training prompts.
//!
//! # What it checks
//! The training reward rose, while a score on held-out tasks fell from the best level that it held, by
//! more than the selection of the best and the noise explain; or the task's own reward rose on the training prompts while
//! the evaluation stood still, measured well enough to rule out a gain that matters. What the reward's own parts show
//! to be gamed is `reward_hacking`.
//!
//! # Why it matters
//! Every step after the peak of the evaluation makes the model worse on what it was meant for, while the curve of the
//! training reward still rises.
//!
//! # Evidence needed
//! The reward, and an evaluation of five points. Every evaluation is looked at, not only the primary one.
//!
//! # Threshold and where it comes from
//! Three standard errors after correction for the selection of the best (`SE * sqrt(2 ln k)`), and two points of a share. What
//! is not significant after a correction for several evaluations is a note, and so is a second evaluation that falls while
//! the primary metric rises. GPG on MATH: training score .43 to .94, MATH .53 to .49.
//!
//! # Known false alarms
//! An evaluation with another prompt or parser may fall for its own reasons. One of several data sets may be forgotten
//! while the others gain: that is a trade, and the finding names the set.
//!
//! # What to do
//! Stop at the peak of the evaluation; more different prompts; fewer epochs; a KL term; at last weight decay, or a smaller
//! model or adapter.
//!
//! # References
//! arXiv 2210.10760 (over-optimisation); more than three epochs on fewer than 10,000 prompts are typical.

use crate::advice::{Advice, FindingTexts, LOWER_LEARNING_RATE, NewValue, RAISE_KL_COEFFICIENT, SettingChange};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::settings::Hyperparameter;
use crate::topics::data_shift;
use crate::topics::drop_from_peak::{DropFromPeak, drop_from_peak};
use crate::topics::reward_parts::{Rewards, fell_or_rose, levels_of_measure, measure_stayed_or_went};
use crate::{Check, Code, Evidence, Finding, LearningState, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{metric, number, step};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Direction, RewardKind};

pub const CHECK: Check = Check::of_run(Code::Overfitting, run);

/// Part of its rise that the reward may be below its level at the onset: noise.
const KEPT: f64 = 0.2;
/// Gain of a reward that is a share, in gains that an evaluation may hide and still be called flat.
const GAP: f64 = 2.0;

fn run(context: &Context<'_>) -> Outcome {
    let book = context.rulebook;
    if context.signal(Concept::Reward).is_none() {
        return Outcome::Skipped(context.need(&[Concept::Reward]));
    }
    // The accuracy of each step's own responses is that of the training.
    let long = |signal: &&MetricSeries<'_>| {
        signal.len() as f64 >= book.learning_evaluations().value
            && signal.binding.direction != Direction::Neutral
            && signal.repeats_tasks()
    };
    let evaluations: Vec<&MetricSeries<'_>> = context.signals(Concept::Evaluation).iter().filter(long).collect();
    if evaluations.is_empty() {
        return Outcome::Skipped(context.need_evaluations());
    }
    let falls = evaluations.iter().filter_map(|signal| Some((*signal, drop_from_peak(signal)?)));
    let worst = falls.max_by(|a, b| a.1.z.total_cmp(&b.1.z));
    let (Some((signal, fall)), Some(rewards)) = (worst, Rewards::new(context)) else {
        return Outcome::Quiet(Vec::new());
    };
    if is_memorised(&rewards) {
        return Outcome::Found(vec![memorised(&rewards)]);
    }
    let evidence = evidence(&rewards, signal, &fall);
    let share = signal.is_between_zero_and_one();
    let small = share && fall.lost() < book.learning_share().value;
    let fell = fall.is_sure(signal, book) && !small && context.is_long_enough();
    // Where the task's own reward fell on the training prompts too, nothing was memorised.
    if !fell || rewards.task_fell_by(fall.down) || !rose_meanwhile(&rewards, &fall) {
        return Outcome::Quiet(evidence);
    }
    // The worst of several evaluations looks bad by chance, too: Bonferroni's correction, for large z.
    let z = book.learning_z().value;
    let sure = (z * z + 2.0 * libm::log(evaluations.len() as f64)).sqrt();
    let stands_out = fall.z >= sure || evaluations.len() == 1;
    // Where the primary metric rose, another evaluation that fell is worth a look and no verdict.
    let is_measure = context.measure().is_some_and(|measure| measure.key() == signal.key());
    let is_harmful = is_measure || !context.improved();
    let severity = if stands_out && is_harmful { Severity::Warning } else { Severity::Note };
    Outcome::Found(vec![finding(&rewards, signal, &fall, severity, evidence)])
}

/// True when the task's own reward rose on the training prompts and the evaluation, measured well, stands still.
fn is_memorised(rewards: &Rewards<'_, '_>) -> bool {
    let learning = &rewards.context.learning;
    let stands = learning.is_evaluated() && learning.state == LearningState::Flat && learning.room;
    // More than the evaluation could hide.
    let least = GAP * rewards.context.rulebook.learning_missed_share().value;
    let scored = rewards.reward.is_between_zero_and_one();
    let wide = !scored || rewards.gain.delta() >= least;
    stands
        && wide
        && rewards.context.is_long_enough()
        && rewards.rose()
        && rewards.task_rose()
        && is_better_in_training(rewards)
}

/// True unless the strictest reward function of the task ends below the evaluation: answers that are sampled with much noise get
/// better by becoming those of the evaluation, which is no learning by heart.
fn is_better_in_training(rewards: &Rewards<'_, '_>) -> bool {
    let of_task = rewards.of_kind(RewardKind::Task).filter(|part| part.signal.is_between_zero_and_one());
    let strictest = of_task.map(|part| part.change.last).reduce(f64::min);
    let evaluation = rewards.context.measure().filter(|signal| signal.is_between_zero_and_one());
    match (strictest, evaluation) {
        (Some(trained), Some(_)) => trained >= rewards.context.learning.last,
        _ => true,
    }
}

/// True when the reward was above its start beyond doubt by the time when the evaluation had fallen, above its level at the best
/// evaluation by more than the noise of both (or at its ceiling), and no lower than when the fall began. What becomes of it later, when an over-trained policy breaks, does not matter.
fn rose_meanwhile(rewards: &Rewards<'_, '_>, fall: &DropFromPeak) -> bool {
    let reward = rewards.reward;
    let width = (reward.len() / 20).max(3);
    let place = |step: f64| reward.steps.partition_point(|at| *at < step);
    let level = |from: usize, to: usize| reward.values.get(from..to.min(reward.len())).and_then(stats::mean);
    let (best, began, down) = (place(fall.peak_step), place(fall.onset), place(fall.down));
    // A reward that falls with it does so within some steps: a fall that is still new does not tell.
    if down + width > reward.len() {
        return false;
    }
    let around = |place: usize| level(place.saturating_sub(width), place + width);
    let (Some(at_best), Some(then), Some(fallen)) = (around(best), around(began), level(down, down + 2 * width)) else {
        return false;
    };
    // What it learned after the evaluation's best is what others lost; of as many points on either side.
    let book = rewards.context.rulebook;
    let error = rewards.gain.sigma * (1.0 / width as f64).sqrt();
    let at_ceiling = reward.is_between_zero_and_one() && fallen >= book.learning_room().value;
    if fallen - at_best < book.learning_likely_z().value * error && !at_ceiling {
        return false;
    }
    // Evaluations are rare: a reward that fell with the policy may have fallen before the first one that shows it.
    let then = then.max(at_best);
    let gain = fallen - rewards.gain.first;
    let enough = reward.len() as f64 >= book.points_needed().value;
    let sure = gain >= book.learning_z().value * rewards.gain.error
        && gain >= book.learning_effect().value * rewards.gain.sigma;
    enough && gain > 0.0 && sure && fallen >= then - KEPT * gain
}

fn evidence(rewards: &Rewards<'_, '_>, signal: &MetricSeries<'_>, fall: &DropFromPeak) -> Vec<Evidence> {
    let book = rewards.context.rulebook;
    let mut evidence = gain(rewards);
    evidence.push(Evidence::new(rich!("best lasting level of {}", metric(signal.key())), fall.peak, ""));
    evidence.push(Evidence::new(rich!("level of {} at the end", metric(signal.key())), fall.last, ""));
    evidence.extend(fall.evidence(signal, "drop from peak", book));
    evidence
}

fn gain(rewards: &Rewards<'_, '_>) -> Vec<Evidence> {
    vec![
        Evidence::new("training reward at the start", rewards.gain.first, ""),
        Evidence::new("training reward at the end", rewards.gain.last, ""),
    ]
}

const RISE_WATCH: &str = "the evaluation rises with the training reward";
const GAP_WATCH: &str = "gap between training reward and evaluation";

/// To 0.01, then tenfold up to 0.1: the range that frameworks use.
const MORE_WEIGHT_DECAY: SettingChange = SettingChange {
    hyperparameter: Hyperparameter::WeightDecay,
    to: |value, _| if value < 0.01 { 0.01 } else { (10.0 * value).clamp(value, value.max(0.1)) },
    otherwise: NewValue::Number(0.01),
    effect: "holds back large weights that single answers need",
    risk: "little effect at the learning rates of RL",
};

const SMALLER_MODEL: [&str; 4] = [
    "Train fewer parameters: an adapter of lower rank, or a smaller model",
    "less room to learn answers by heart",
    "a lower ceiling of the task",
    GAP_WATCH,
];

const fn more_prompts(watch: &'static str) -> Advice {
    Advice::OfLanguage([
        "Train on more different prompts, or fewer epochs of these",
        "there is more to learn than answers",
        "slower gains of the training reward",
        watch,
    ])
}

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::EpochsPerBatch, "Many updates from one batch learn its answers by heart."),
        (Hyperparameter::MinibatchSize, "Many updates from one batch learn its answers by heart."),
        (Hyperparameter::KlCoefficient, "A weak KL term does not hold what the reference could do."),
        (Hyperparameter::LearningRate, "Large updates memorise sooner."),
    ],
    actions: &[
        Advice::GoBack,
        more_prompts(GAP_WATCH),
        Advice::Change(&RAISE_KL_COEFFICIENT, "the evaluation does not fall below its best interval"),
        Advice::Change(&LOWER_LEARNING_RATE, "the evaluation does not fall below its best interval"),
        Advice::Change(&MORE_WEIGHT_DECAY, GAP_WATCH),
        Advice::Do(SMALLER_MODEL),
    ],
    alternative: "The reward is gamed on the training prompts: then their answers are wrong, too.",
    refute: "The checkpoint of the peak and the last one solve the same share of 1,000 fresh tasks.",
    references: &["arXiv 2210.10760 (reward over-optimisation)"],
};

const MEMORISED: FindingTexts = FindingTexts {
    causes: TEXTS.causes,
    actions: &[
        more_prompts(RISE_WATCH),
        Advice::OfLanguage([
            "Run the evaluation's own code on training prompts",
            "shows whether the evaluation can see what was learned",
            "none",
            "the same level as the training reward",
        ]),
        Advice::Change(&RAISE_KL_COEFFICIENT, RISE_WATCH),
        Advice::Change(&MORE_WEIGHT_DECAY, GAP_WATCH),
        Advice::Do(SMALLER_MODEL),
    ],
    alternative: "The evaluation does not see the gain: it has another prompt, parser or length limit than the training.",
    refute: "The last checkpoint solves more fresh tasks of the training's own kind than the first.",
    references: &["arXiv 1804.06893 (memorising in reinforcement learning)"],
};

fn memorised(rewards: &Rewards<'_, '_>) -> Finding {
    let context = rewards.context;
    let title = rich!(
        "{} {} while the training reward rose from {} to {}",
        context.measure_key(),
        measure_stayed_or_went(context),
        number(rewards.gain.first),
        number(rewards.gain.last)
    );
    let severity = if context.is_mostly_done() { Severity::Warning } else { Severity::Note };
    let finding = context.finding(Code::Overfitting, severity, title, Some(rewards.onset()), &MEMORISED);
    let detail = "The policy learns the answers to its training prompts, and nothing that carries over to others.";
    let mut evidence = gain(rewards);
    evidence.extend(levels_of_measure(context));
    let task = rewards.of_kind(RewardKind::Task).next().map(|part| part.signal);
    finding.supported_by(detail, &[context.measure(), Some(rewards.reward), task], evidence, 0.75)
}

fn finding(
    rewards: &Rewards<'_, '_>,
    signal: &MetricSeries<'_>,
    fall: &DropFromPeak,
    severity: Severity,
    evidence: Vec<Evidence>,
) -> Finding {
    let context = rewards.context;
    let verb = fell_or_rose(fall.peak, fall.last);
    let title = rich!(
        "{} {} from {} to {} from step {} on, while the training reward rose from {}",
        metric(signal.key()),
        verb,
        number(fall.peak),
        number(fall.last),
        step(fall.onset),
        number(rewards.gain.first)
    );
    let finding = context.finding(Code::Overfitting, severity, title, Some(fall.onset), &TEXTS);
    let shown = [Some(signal), Some(rewards.reward), context.signal(Concept::Entropy)];
    let primary = context.learning.measure.as_ref().is_some_and(|measure| measure.key == signal.key());
    let detail = if primary || !context.improved() {
        "The policy gets better on its training prompts and worse on others."
    } else {
        "The primary metric improved, but what this evaluation measures got worse."
    };
    let mut finding = finding.supported_by(detail, &shown, evidence, if primary { 0.85 } else { 0.7 });
    data_shift::add_to(&mut finding, context);
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, change, saturating};

    fn memorised(steps: usize) -> Synthetic {
        Synthetic::healthy(steps)
            .noisy("train/reward", 0.1, |t| 1.0 + saturating(t))
            .noisy("train/rewards/answer_check/mean", 0.05, |t| 0.3 + 0.6 * saturating(t))
            .every("eval/accuracy", 10, |t| 0.48 + 0.5 * t.min(0.3) - 0.6 * (t - 0.3).max(0.0))
    }

    #[test]
    fn a_falling_evaluation_beside_a_rising_reward_is_found() {
        let finding = memorised(400).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!((108.0..=135.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        let last: Vec<String> = finding.actions.iter().rev().take(2).map(|action| change(action).0).collect();
        assert!(last[0].contains("smaller model") && last[1] == "weight decay", "{last:?}");
        assert!(!finding.detail.to_string().contains("training data change"));
    }

    #[test]
    fn prompts_that_change_when_the_evaluation_falls_are_reported() {
        let shifted = memorised(400).noisy("prompt_length/mean", 5.0, |t| if t < 0.3 { 100.0 } else { 180.0 });
        let finding = shifted.finding(&CHECK);
        assert!(finding.detail.to_string().contains("The training data change near there"), "{}", finding.detail);
        let weighted = memorised(400).config("weight_decay", 0.1).finding(&CHECK);
        assert!(weighted.actions.iter().all(|action| change(action).0 != "weight_decay"), "it is high already");
    }

    #[test]
    fn a_second_evaluation_counts_too() {
        let run = Synthetic::healthy(400).every("eval/math_accuracy", 10, |t| 0.53 - 0.06 * (4.0 * t).min(1.0));
        let finding = run.finding(&CHECK);
        assert!(finding.title.to_string().starts_with("eval/math_accuracy"));
        assert_eq!(finding.severity, Severity::Note, "the primary metric rose");
        assert!(finding.detail.to_string().starts_with("The primary metric improved"), "{}", finding.detail);
        let worse = Synthetic::healthy(400).every("eval/perplexity", 10, |t| 4.0 + 8.0 * (4.0 * t).min(1.0));
        let title = worse.finding(&CHECK).title.to_string();
        assert!(title.starts_with("eval/perplexity rose from "), "less is better: {title}");
    }

    #[test]
    fn learning_hacking_and_damage_are_quiet() {
        assert!(Synthetic::healthy(400).quiet(&CHECK));
        assert!(memorised(400).noisy("train/rewards/answer_check/mean", 0.05, |_| 0.3).quiet(&CHECK));
        assert!(memorised(400).noisy("train/reward", 0.1, |t| 2.0 - t).quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(400).without("eval/accuracy").check(&CHECK), Outcome::Skipped(_)));
    }

    #[test]
    fn a_reward_that_gained_nothing_after_the_evaluation_s_best_is_no_overfitting() {
        let run = |later: f64| {
            memorised(400).noisy("train/reward", 0.1, move |t| 0.9 + 4.0 * t.min(0.15) + later * (t - 0.15).max(0.0))
        };
        assert!(run(0.0).quiet(&CHECK));
        assert_eq!(run(0.8).finding(&CHECK).severity, Severity::Warning);
    }

    #[test]
    fn a_reward_that_falls_before_the_rare_evaluations_show_it_is_damage() {
        let run = memorised(400)
            .noisy("train/reward", 0.05, |t| if t < 0.3 { 1.0 + 3.0 * t } else { 1.9 - 1.2 * (t - 0.3) })
            .every("eval/accuracy", 40, |t| if t < 0.4 { 0.5 + t } else { 0.9 - 0.6 * (t - 0.4) });
        assert!(run.quiet(&CHECK));
    }

    #[test]
    fn answers_learned_by_heart_beside_a_flat_evaluation_are_found() {
        let run = || memorised(400).every("eval/accuracy", 10, |t| 0.36 + 0.01 * libm::sin(900.0 * t));
        let finding = run().finding(&CHECK);
        assert!(finding.title.to_string().contains("stayed at 0.3"), "{}", finding.title);
        assert!(finding.actions.iter().all(|action| !change(action).0.contains("checkpoint")), "{:?}", finding.actions);
        // A reward by form alone is no learning by heart.
        assert!(run().noisy("train/rewards/answer_check/mean", 0.05, |_| 0.3).quiet(&CHECK));
        // Answers that were sampled at a high temperature and become those of the evaluation are none either.
        assert!(run().noisy("train/rewards/answer_check/mean", 0.02, |t| 0.02 + 0.2 * saturating(t)).quiet(&CHECK));
    }

    #[test]
    fn a_slow_decline_after_the_peak_counts_by_its_trend() {
        let noise = |t: f64| 0.025 * libm::sin(7919.0 * t);
        let run = memorised(400)
            .every("eval/accuracy", 16, |t| noise(t) + if t < 0.4 { 0.3 + 0.4 * t } else { 0.46 - 0.14 * (t - 0.4) });
        assert_eq!(run.finding(&CHECK).severity, Severity::Warning);
    }
}
