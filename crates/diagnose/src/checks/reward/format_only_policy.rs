//! The policy earns the score of the format and nothing else.
//!
//! # What it checks
//! In the last third of the run the reward stands at the level of a well-formed wrong answer: the largest reward of
//! nearly every batch is the same small score and the mean is close to it; or the format's own reward is at its maximum
//! while the reward of the task, or the evaluation, is at nothing.
//!
//! # Why it matters
//! When all responses score alike there is no advantage and no gradient. The run stands at this level until something
//! shows it a right answer; more steps do not.
//!
//! # Evidence needed
//! The largest reward of the batch beside the mean, or the rewards of single functions, over 60 points.
//!
//! # Threshold and where it comes from
//! 0.2 and below: TinyZero's Countdown gives 0.1 for the format and 1 for the answer, recipes weigh the format 0.1 to
//! 0.2. A higher constant counts where the evaluation is at nothing. 80 % of the largest reward: the rest lacks even the
//! format.
//!
//! # Known false alarms
//! A reward whose full score is 0.2 or less, logged without an evaluation. A reward that is gamed is `reward_hacking`.
//! A reward of the task below zero is at nothing where it hardly varies: it is the score of a wrong answer. One that rises or
//! varies has some right answers in it, and one that is at its maximum from the start has no others.
//!
//! # What to do
//! Easier prompts or a warm start on solved examples, so that some answers are right; check the verifier by hand.
//!
//! # References
//! TinyZero verl/utils/reward_score/countdown.py.

use crate::advice::{Advice, FindingTexts, MORE_RESPONSES};
use crate::context::Context;
use crate::measure::onset;
use crate::measure::series::MetricSeries;
use crate::{Check, Code, Evidence, Finding, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{number, percent, step};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Direction, RewardKind};

pub const CHECK: Check = Check::of_metric(Code::FormatOnlyPolicy, Concept::Reward, run);

/// Part of its maximum at which a reward of the format is saturated.
const SATURATED: f64 = 0.95;
/// Share of the batches whose largest reward is the format's.
const NEARLY_ALL: f64 = 0.8;
/// Share of the values that may lie above those of a plateau, and below them.
const OUTLYING: f64 = 0.1;
/// Least difference that is assumed between the scores of a right and of a wrong answer.
const LEAST_SCALE: f64 = 0.5;

fn run(context: &Context<'_>, reward: &MetricSeries<'_>) -> Outcome {
    let task = context.signals(Concept::RewardComponent).iter().filter(|part| part.reward_kind() == RewardKind::Task);
    let task: Vec<&MetricSeries<'_>> = task.filter(|part| !part.is_empty()).collect();
    let largest = context.signal(Concept::RewardMax);
    if largest.is_none() && task.is_empty() && !context.learning.is_evaluated() {
        return Outcome::Skipped(context.need(&[Concept::RewardMax, Concept::RewardComponent, Concept::Evaluation]));
    }
    let level = stats::median(last_third(reward)).unwrap_or(f64::NAN);
    let mut evidence = vec![Evidence::new("reward of the last third", level, "")];
    let long = reward.len() as f64 >= context.rulebook.conservative_points().value;
    if long && !context.is_learned() {
        // An evaluation by the same verifier gives the format's score as well.
        let score = largest.and_then(|largest| constant_score(context, largest, level));
        if let Some(score) = score.filter(|score| !is_solved(context, &task, *score)) {
            evidence.push(Evidence::new("largest reward of nearly every batch", score, ""));
            return Outcome::Found(vec![finding(context, reward, largest, score, evidence)]);
        }
        let unsolved = (!task.is_empty() || is_unsolved(context, 0.0)) && !is_solved(context, &task, 0.0);
        if let Some(form) = saturated_form(context).filter(|_| unsolved) {
            evidence.push(Evidence::new("reward of the format", last_level(form), ""));
            return Outcome::Found(vec![finding(context, reward, Some(form), last_level(form), evidence)]);
        }
    }
    Outcome::Quiet(evidence)
}

fn last_third<'s>(signal: &'s MetricSeries<'_>) -> &'s [f64] {
    signal.values.get(signal.len() - signal.len().div_ceil(3)..).unwrap_or(&[])
}

fn last_level(signal: &MetricSeries<'_>) -> f64 {
    stats::mean(last_third(signal)).unwrap_or(f64::NAN)
}

/// True when a reward function of the task is above nothing at the end, or the evaluation above the score of the form.
fn is_solved(context: &Context<'_>, task: &[&MetricSeries<'_>], form: f64) -> bool {
    let above = |part: &&MetricSeries<'_>| {
        let nothing = context.rulebook.format_solved().value * (part.max() - part.min()).max(LEAST_SCALE);
        last_level(part) > score_of_wrong(context, part, nothing) + nothing
    };
    task.iter().any(above) || context.learning.is_evaluated() && !is_unsolved(context, form)
}

/// What a reward function of the task gives a wrong answer: its smallest value, unless no answer was ever wrong, or that value is a
/// penalty and the reward stands at another level at the end, where no answer is right.
fn score_of_wrong(context: &Context<'_>, part: &MetricSeries<'_>, nothing: f64) -> f64 {
    let lowest = part.min();
    if lowest > context.rulebook.format_score().value {
        return 0.0;
    }
    if lowest >= 0.0 {
        return lowest;
    }
    plateau(context, last_third(part)).filter(|level| *level <= nothing).unwrap_or(lowest)
}

/// The level of values that hardly differ. Where some answers are right their number differs from batch to batch.
fn plateau(context: &Context<'_>, values: &[f64]) -> Option<f64> {
    let level = stats::median(values)?;
    let spread = stats::quantile(values, 1.0 - OUTLYING)? - stats::quantile(values, OUTLYING)?;
    // A right answer scores above zero: further from a wrong one than that lies below it.
    let nothing = context.rulebook.format_solved().value * level.abs().max(LEAST_SCALE);
    (spread <= 2.0 * nothing).then_some(level)
}

/// True when the evaluation ends at nothing, or at the score of the form.
fn is_unsolved(context: &Context<'_>, form: f64) -> bool {
    let nothing = context.rulebook.format_solved().value;
    context.evaluation().is_some_and(|signal| {
        signal.binding.direction == Direction::Up && last_level(signal) <= nothing.max(1.001 * form)
    })
}

/// The small score that is the largest of nearly every batch, when the mean is close to it.
fn constant_score(context: &Context<'_>, largest: &MetricSeries<'_>, level: f64) -> Option<f64> {
    let book = context.rulebook;
    let last = last_third(largest);
    let score = stats::median(last).filter(|score| *score > 0.0)?;
    let alike = last.iter().filter(|value| (**value - score).abs() <= 1e-3 * score).count();
    let small = score <= book.format_score().value || is_unsolved(context, 0.0);
    let close = level >= book.format_level().value * score && level <= 1.001 * score;
    (small && close && alike as f64 >= NEARLY_ALL * last.len() as f64).then_some(score)
}

/// A reward function of the form that is at its maximum at the end.
fn saturated_form<'s, 'a>(context: &'s Context<'a>) -> Option<&'s MetricSeries<'a>> {
    let formed = |part: &&MetricSeries<'_>| {
        part.reward_kind() == RewardKind::Form && part.max() > 0.0 && last_level(part) >= SATURATED * part.max()
    };
    context.signals(Concept::RewardComponent).iter().filter(|part| !part.is_empty()).find(formed)
}

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[
        Advice::Do([
            "Add easier prompts, or start from a model that solves some of them",
            "some answers of a group are right and score higher",
            "shifts the training distribution",
            "largest reward of the batch above the format's score",
        ]),
        Advice::Do([
            "Score a right answer by hand with the verifier",
            "shows whether it can be earned at all",
            "none",
            "the full score for a right answer",
        ]),
        Advice::Change(&MORE_RESPONSES, "largest reward of the batch above the format's score"),
    ],
    alternative: "The verifier rejects right answers, so that only the format can score.",
    refute: "Some of the last answers are right by an independent verifier.",
    references: &["TinyZero verl/utils/reward_score/countdown.py (0.1 for the format, 1 for the answer)"],
};

fn finding(
    context: &Context<'_>,
    reward: &MetricSeries<'_>,
    telling: Option<&MetricSeries<'_>>,
    score: f64,
    mut evidence: Vec<Evidence>,
) -> Finding {
    let level = stats::median(last_third(reward)).unwrap_or(f64::NAN);
    let place = onset::arrival(&reward.values, reward.start_level(5), level);
    let onset = reward.step(place.min(reward.len() - 1));
    let book = context.rulebook;
    let (level_text, score_text, since) = (number(level), number(score), step(onset));
    // A wrong answer may cost more than its form earns.
    let (title, detail) = match level >= book.format_level().value * score {
        true => (
            rich!(
                "The reward stands at {}, the score of the format alone ({}), since step {}",
                level_text,
                score_text,
                since
            ),
            rich!(
                "Nearly every answer is well formed ({} of that score), and none is right.",
                percent((level / score).min(1.0))
            ),
        ),
        false => (
            rich!(
                "The format earns its full score ({}) and the task nothing: the reward has stayed at {} since step {}",
                score_text,
                level_text,
                since
            ),
            "Nearly every answer is well formed, and none is right: other parts of the reward take off what the format \
             earns."
                .into(),
        ),
    };
    let finding = context.finding(Code::FormatOnlyPolicy, Severity::Warning, title, Some(onset), &TEXTS);
    evidence.push(Evidence::new("mean against that score", level / score, "").above(book.format_level()));
    if context.learning.is_evaluated() {
        let last = context.evaluation().map_or(f64::NAN, last_level);
        evidence.push(Evidence::new("evaluation of the last third", last, "").below(book.format_solved()));
    }
    finding.supported_by(detail, &[Some(reward), telling, context.evaluation()], evidence, 0.8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, saturating};

    fn countdown(score: f64) -> Synthetic {
        Synthetic::new(300).noisy("critic/score/mean", 0.002, |t| score * saturating(2.0 * t).min(0.97)).every(
            "critic/score/max",
            1,
            |_| score,
        )
    }

    #[test]
    fn a_reward_at_the_formats_score_is_found() {
        let finding = countdown(0.1).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Warning);
        assert!(finding.onset.unwrap() < 120.0, "{:?}", finding.onset);
    }

    #[test]
    fn a_format_at_its_maximum_with_no_right_answer_is_found() {
        let title = |reward: f64| {
            let run = Synthetic::healthy(300)
                .without("eval/accuracy")
                .noisy("train/reward", 0.01, move |t| reward * saturating(2.0 * t))
                .noisy("train/rewards/format/mean", 0.005, |t| 0.98 * saturating(2.0 * t))
                .noisy("train/rewards/accuracy/mean", 0.0, |_| 0.0);
            run.finding(&CHECK).title.to_string()
        };
        assert!(title(0.98).contains("format alone"), "{}", title(0.98));
        assert!(title(0.1).contains("the task nothing"), "a penalty takes most of it: {}", title(0.1));
    }

    #[test]
    fn right_answers_and_full_scores_are_quiet() {
        assert!(Synthetic::healthy(300).quiet(&CHECK));
        assert!(countdown(1.0).quiet(&CHECK));
        let some = Synthetic::healthy(300)
            .noisy("train/rewards/format/mean", 0.005, |t| 0.98 * saturating(2.0 * t))
            .noisy("train/rewards/accuracy/mean", 0.02, |t| 0.3 + 0.2 * t);
        assert!(some.quiet(&CHECK));
        let unknown = Synthetic::new(300).noisy("train/reward", 0.01, |_| 0.1).check(&CHECK);
        assert!(matches!(unknown, Outcome::Skipped(_)));
    }

    #[test]
    fn a_reward_below_zero_and_one_that_was_always_earned_are_not_nothing() {
        let run = |task: fn(f64) -> f64, noise: f64| {
            let run = Synthetic::new(300).noisy("train/reward", 0.02, move |t| 1.0 + task(t));
            run.noisy("train/rewards/format/mean", 0.0, |_| 1.0).noisy("train/rewards/accuracy/mean", noise, task)
        };
        assert!(run(|t| -0.6 + 0.5 * t, 0.05).quiet(&CHECK), "from a fifth to nearly half of the answers are right");
        assert!(run(|_| 1.0, 0.0).quiet(&CHECK), "solved from the start");
        let found = |task: fn(f64) -> f64| matches!(run(task, 0.0).check(&CHECK), Outcome::Found(_));
        assert!(found(|_| -1.0));
        assert!(found(|t| if t < 0.2 { -1.0 } else { 0.0 }), "only the penalty of the form has gone");
    }

    #[test]
    fn a_task_that_only_leaves_its_lowest_penalty_is_at_nothing() {
        let found = |noise: f64, task: fn(f64) -> f64| {
            let run = Synthetic::new(300).noisy("train/reward", 0.02, move |t| 1.0 + task(t));
            let run = run.noisy("train/rewards/format/mean", 0.0, |_| 1.0);
            matches!(run.noisy("train/rewards/accuracy/mean", noise, task).check(&CHECK), Outcome::Found(_))
        };
        assert!(found(0.01, |t| if t < 0.2 { -2.0 } else { -1.5 }), "unparseable at first, and wrong from then on");
        assert!(found(0.0, |t| if t < 0.003 { -1.1 } else { -1.0 }), "one batch had a penalty of its length");
        assert!(!found(0.05, |t| if t < 0.2 { -1.0 } else { -0.5 }), "a quarter of the answers are right");
    }

    #[test]
    fn an_evaluation_at_the_formats_score_does_not_solve_the_task() {
        let run = |level: f64| countdown(0.1).every("val/test_score/countdown", 10, move |_| level);
        assert!(run(0.099).finding(&CHECK).title.to_string().contains("format alone"));
        assert!(run(0.3).quiet(&CHECK));
    }
}
