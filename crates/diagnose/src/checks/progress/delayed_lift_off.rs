//! Nothing happens for long, and then the task is found; or it may still be found.
//!
//! # What it checks
//! The primary metric was flat and low for more than a third of the points and rose after that; or the reward lies
//! at its floor, with right answers now and then. Always a note.
//!
//! # Why it matters
//! A sparse reward looks like no learning until the first answers are right often enough. A run that is stopped then is
//! stopped too early, and a forecast from the flat part is wrong.
//!
//! # Evidence needed
//! A primary metric over 60 points, or 10 evaluations.
//!
//! # Threshold and where it comes from
//! A third: a notebook run of Qwen2.5-3B was flat for more than a third of its 250 steps and then rose tenfold; a
//! forecast from its first half said .41, it reached 1.44.
//!
//! # Known false alarms
//! A warm-up that long looks the same. A change of the data or of the reward in the middle of a run is an abrupt rise.
//!
//! # What to do
//! Before the lift-off: go on as long as right answers occur; more responses per prompt, easier prompts, partial credit.
//!
//! # References
//! Public GRPO notebooks (Qwen2.5-3B).

use crate::advice::{Advice, FindingTexts, MORE_RESPONSES};
use crate::context::Context;
use crate::measure::level;
use crate::measure::onset;
use crate::measure::series::MetricSeries;
use crate::{Check, Code, Evidence, Finding, LearningState, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{metric, number, percent, step};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Direction};

pub const CHECK: Check = Check::of_run(Code::DelayedLiftOff, run);

/// Fewest evaluations that show a flat part and a rise.
const EVALUATIONS: usize = 10;
/// Part of the range of the reward that is its floor, and from which an answer was right.
const FLOOR: f64 = 0.1;
const HIT: f64 = 0.5;
/// Share of the points with right answers up to which they are rare.
const RARE: f64 = 0.2;
/// Part of the range of the measure in which the flat part lies: noise around a middle is no floor.
const FLOOR_SHARE: f64 = 0.25;
/// Part of the gain that the flat part may hold.
const STILL: f64 = 0.15;

fn run(context: &Context<'_>) -> Outcome {
    let Some(signal) = context.measure() else {
        return Outcome::Skipped(context.need(&[Concept::Evaluation, Concept::Reward]));
    };
    let evaluated = context.learning.is_evaluated();
    let least = if evaluated { EVALUATIONS } else { context.rulebook.conservative_points().value as usize };
    if signal.len() < least {
        return Outcome::Quiet(Vec::new());
    }
    if context.learning.state == LearningState::Improved {
        return match lift_off(context, signal) {
            Some(place) => Outcome::Found(vec![lifted(context, signal, place)]),
            None => Outcome::Quiet(vec![Evidence::new("primary metric at the start", context.learning.first, "")]),
        };
    }
    let reward = context.signal(Concept::Reward).filter(|reward| reward.len() >= least);
    match reward
        .and_then(rare_hits)
        .filter(|_| context.learning.room && context.learning.state != LearningState::Declined)
    {
        Some(hits) => Outcome::Found(vec![waiting(context, reward.unwrap_or(signal), hits)]),
        None => Outcome::Quiet(Vec::new()),
    }
}

/// The point at which a signal that was flat for long begins to rise.
fn lift_off(context: &Context<'_>, signal: &MetricSeries<'_>) -> Option<usize> {
    let (first, last) = (context.learning.first, context.learning.last);
    let place = onset::of_change(&signal.values, 0, first, last);
    let flat = signal.values.get(..place)?;
    // The bend itself lies between this point and the next.
    if ((place + 1) as f64) < context.rulebook.lift_off_flat().value * signal.len() as f64 {
        return None;
    }
    let (low, range) = (signal.min(), signal.max() - signal.min());
    let level = stats::mean(flat)?;
    let floored = if signal.binding.direction == Direction::Down {
        level >= signal.max() - FLOOR_SHARE * range
    } else {
        level <= low + FLOOR_SHARE * range
    };
    // The end of the flat part may already bend: half of it against the other half.
    let half = flat.len() / 2;
    let within = level::change(flat, half, half, 0.0)?;
    (floored && within.delta().abs() <= STILL * (last - first).abs()).then_some(place)
}

/// Share of the points with right answers, when most lie at the floor and such points are rare.
fn rare_hits(reward: &MetricSeries<'_>) -> Option<f64> {
    let (low, range) = (reward.min(), reward.max() - reward.min());
    let median = stats::median(&reward.values)?;
    let right = |values: &[f64]| {
        values.iter().filter(|value| **value >= low + HIT * range).count() as f64 / values.len().max(1) as f64
    };
    let hits = right(&reward.values);
    // A policy that had many right answers once has lost them.
    let had_many = reward.values.chunks(reward.len().div_ceil(5).max(1)).any(|part| right(part) > 2.0 * RARE);
    (range > 0.0 && median <= low + FLOOR * range && hits <= RARE && !had_many).then_some(hits)
}

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[
        Advice::Change(&MORE_RESPONSES, "share of groups with both right and wrong answers"),
        Advice::OfLanguage([
            "Add easier prompts or partial credit",
            "some responses score before the task is solved",
            "another distribution, a reward that can be gamed",
            "share of groups with both right and wrong answers",
        ]),
    ],
    alternative: "The data or the reward changed at that step.",
    refute: "The first checkpoints solve as many tasks as those of the rise.",
    references: &[
        "public GRPO notebooks (Qwen2.5-3B: flat for more than a third of the steps, then ten times the reward)",
    ],
};

fn lifted(context: &Context<'_>, signal: &MetricSeries<'_>, place: usize) -> Finding {
    let onset = signal.step(place.min(signal.len() - 1));
    let title = rich!(
        "{} was flat at {} until step {} and then rose to {}",
        metric(signal.key()),
        number(context.learning.first),
        step(onset),
        number(context.learning.last)
    );
    let finding = context.finding(Code::DelayedLiftOff, Severity::Note, title, Some(onset), &TEXTS);
    let detail = "The task was found late. What the flat part shows says nothing about the rest.";
    let evidence = vec![
        Evidence::new("share of the points before the rise", place as f64 / signal.len() as f64, "")
            .above(context.rulebook.lift_off_flat()),
        Evidence::new("level at the start", context.learning.first, ""),
        Evidence::new("level at the end", context.learning.last, ""),
    ];
    finding.supported_by(detail, &[Some(signal), context.signal(Concept::ZeroVarianceGroups)], evidence, 0.8)
}

fn waiting(context: &Context<'_>, reward: &MetricSeries<'_>, hits: f64) -> Finding {
    let title =
        rich!("{} has not lifted off yet: right answers in {} of the points", metric(reward.key()), percent(hits));
    let onset = reward.steps.first().copied();
    let finding = context.finding(Code::DelayedLiftOff, Severity::Note, title, onset, &TEXTS);
    let detail = "The reward lies at its floor, but right answers do occur: it has not converged.";
    let evidence = vec![
        Evidence::new("share of the points with right answers", hits, ""),
        Evidence::new("median reward", stats::median(&reward.values).unwrap_or(f64::NAN), ""),
        Evidence::new("largest reward", reward.max(), ""),
    ];
    finding.supported_by(detail, &[Some(reward), context.signal(Concept::ZeroVarianceGroups)], evidence, 0.6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;

    fn rewarded(noise: f64, level: impl Fn(f64) -> f64) -> Synthetic {
        Synthetic::healthy(300).without("eval/accuracy").noisy("train/reward", noise, level)
    }

    #[test]
    fn a_late_rise_is_a_note_at_its_step() {
        let finding = rewarded(0.05, |t| 0.1 + 3.0 * (t - 0.5).max(0.0)).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        assert!((143.0..=160.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    }

    #[test]
    fn rare_right_answers_are_not_the_end() {
        let rare = rewarded(0.0, |t| if (t * 300.0) as u32 % 23 == 5 { 1.0 } else { 0.0 });
        assert!(rare.finding(&CHECK).title.to_string().contains("not lifted off"));
        let lost = rewarded(0.0, |t| match (t * 300.0) as u32 {
            step @ ..50 => f64::from(step % 2),
            step => f64::from(u8::from(step % 23 == 5)),
        });
        assert!(lost.quiet(&CHECK), "they were not rare at first");
    }

    #[test]
    fn usual_curves_are_quiet() {
        assert!(Synthetic::healthy(300).quiet(&CHECK));
        assert!(rewarded(0.1, |t| 0.2 + t).quiet(&CHECK));
        assert!(rewarded(0.1, |_| 0.5).quiet(&CHECK));
        assert!(matches!(Synthetic::new(100).check(&CHECK), Outcome::Skipped(_)));
    }
}
