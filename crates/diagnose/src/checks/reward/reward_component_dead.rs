//! A reward function that gives the same lowest score to every response.
//!
//! # What it checks
//! A reward function was the same number, 0 or below, in all of 20 points or more (a note); or it was alive, fell to the
//! lowest value that it ever had, and stayed there for the last tenth of the run and 20 points at least, or for four fifths of it
//! after five points (a warning, or a note where the evaluation got better all the same and lost nothing since). Where no function is
//! dead, a score whose name does not say what it rewards is noted if it starts and ends at 2 % or less of the end of the score that
//! makes the gain of the reward, and gains 2 % of that gain or less. Ten points are enough where rewards are five steps apart or more.
//! Noted as well: a share of right answers, or of successful episodes, of the training's own responses that is 0 in 30 points or more,
//! without exception, while the reward moves.
//!
//! # Why it matters
//! A constant adds nothing to any advantage: that part of the reward does not train. One that dies in the middle of a
//! run has usually failed: an exception that counts as 0, a service that is gone, an answer format that changed.
//!
//! # Evidence needed
//! The rewards of single functions.
//!
//! # Threshold and where it comes from
//! 20 points: a computed mean does not repeat for so long. Four public notebooks carry a format reward that is 0 from
//! the first step to the last, and train well on the others.
//!
//! # Known false alarms
//! A penalty that is never earned is rightly 0: names with `penalty` in them are left out. When the whole reward is
//! constant `zero_variance_groups` says so.
//!
//! # What to do
//! Score an answer that should earn the reward by hand; remove the function, or repair it.
//!
//! # References
//! Public GRPO notebooks (soft and strict format rewards of 0).

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::topics::reward_parts::{NEGLIGIBLE, RewardPart, Rewards, is_penalty};
use crate::{Check, Code, Evidence, Finding, Outcome, Severity};
use rundown_format::rich_text::{metric, number, step};
use rundown_format::{RichText, rich};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Direction, RewardKind};

pub const CHECK: Check = Check::of_run(Code::RewardComponentDead, run);

/// Fewest points in which a function that was alive must have been dead.
const DEAD_POINTS: usize = 20;
/// Fewest points in which no response succeeded. Ours.
const WITHOUT_SUCCESS: usize = 30;
/// Largest step between printed values at which one success among many responses still shows. Ours.
const FINE_QUANTUM: f64 = 1e-3;
/// Share of the run for which a function must have been dead when it was alive before.
const LASTING: f64 = 0.1;
/// Share of the run after which a function is surely dead, and the fewest points in which it was alive before. Ours: what the policy
/// loses within its first steps it seldom finds again.
const MOST: f64 = 0.8;
const FIRST_POINTS: usize = 5;

fn run(context: &Context<'_>) -> Outcome {
    let parts: Vec<&MetricSeries<'_>> =
        context.signals(Concept::RewardComponent).iter().filter(|part| !part.is_empty()).collect();
    let reward = context.signal(Concept::Reward);
    let constant = reward.is_some_and(MetricSeries::is_constant);
    let without_success = never_succeeds(context).filter(|_| reward.is_some() && !constant);
    let mut found: Vec<Finding> = without_success.map(|share| of_no_success(context, share)).into_iter().collect();
    if parts.is_empty() && found.is_empty() {
        return Outcome::Skipped(context.need(&[Concept::RewardComponent]));
    }
    let least = context.rulebook.constant_points().value as usize;
    let candidates = || parts.iter().copied().filter(|part| part.len() >= least && !constant && !is_penalty(part));
    let died: Vec<(&MetricSeries<'_>, usize)> =
        candidates().filter_map(|part| Some((part, death(part, least.max(DEAD_POINTS))?))).collect();
    let never: Vec<&MetricSeries<'_>> = candidates().filter(|part| part.is_constant() && part.max() <= 0.0).collect();
    found.extend(died.iter().map(|(part, place)| of_death(context, part, *place)));
    // Where all are dead nothing can be learned from any: the reward would be constant.
    if !never.is_empty() && never.len() < parts.len() {
        found.push(of_constant(context, &never));
    }
    if found.is_empty() {
        found.extend(of_next_to_nothing(context));
    }
    if found.is_empty() {
        let varying = parts.iter().filter(|part| !part.is_constant()).count();
        return Outcome::Quiet(vec![Evidence::new("reward functions that vary", varying as f64, "")]);
    }
    Outcome::Found(found)
}

/// A share of the training's own responses that were right, which is 0 in each point, where no other measure says that any was.
fn never_succeeds<'s, 'a>(context: &'s Context<'a>) -> Option<&'s MetricSeries<'a>> {
    let is_own = |share: &&MetricSeries<'_>| {
        !share.repeats_tasks() && share.reward_kind() == RewardKind::Task && !is_penalty(share)
    };
    let shares = || context.signals(Concept::Evaluation).iter().filter(is_own);
    let parts = context.signals(Concept::RewardComponent).iter().filter(is_own);
    let share = shares().find(|share| share.len() >= WITHOUT_SUCCESS && share.binding.direction == Direction::Up)?;
    shares().chain(parts).all(MetricSeries::is_zero).then_some(share)
}

/// The index from which a function that was alive stays at its lowest value.
fn death(part: &MetricSeries<'_>, least: usize) -> Option<usize> {
    let last = part.values.last().copied()?;
    let alive = part.values.iter().rposition(|value| *value != last)?;
    let lasting = least.max((LASTING * part.len() as f64) as usize);
    let before = part.values.get(..=alive)?;
    // A function that is often at its lowest value has not died when it is there for a while.
    let recent = before.get(before.len().saturating_sub(lasting)..)?;
    let lively = recent.iter().filter(|value| **value > last).count();
    let dead = part.len() - alive - 1;
    let is_most = dead as f64 >= MOST * part.len() as f64;
    let was_alive = 2 * lively >= recent.len() && before.len() >= if is_most { FIRST_POINTS } else { least };
    (dead >= lasting && last <= part.min() && was_alive).then_some(alive + 1)
}

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[
        Advice::Do([
            "Score by hand an answer that should earn it",
            "shows an exception that counts as 0, a pattern that never matches, or a service that is gone",
            "none",
            "a score above the constant",
        ]),
        Advice::Do([
            "Remove the function, or give partial credit",
            "the reward says what the policy is trained for",
            "none",
            "its spread above 0",
        ]),
    ],
    alternative: "No answer has earned it yet; the policy may still come there.",
    refute: "An answer that should earn it gets more than the constant.",
    references: &["public GRPO notebooks (format rewards of 0 from the first step to the last)"],
};

const OF_NO_SUCCESS: FindingTexts = FindingTexts {
    actions: &[
        Advice::Do([
            "Score by hand a response that should count as a success",
            "shows whether the share is computed wrongly, or measures something else",
            "none",
            "a share above 0",
        ]),
        Advice::Do([
            "Begin with easier tasks, or fine-tune on successful responses first",
            "there are successes to learn from",
            "time",
            "a share above 0",
        ]),
    ],
    alternative: "The first success may still come.",
    refute: "A logged response succeeded.",
    references: &[],
    ..TEXTS
};

fn of_death(context: &Context<'_>, part: &MetricSeries<'_>, place: usize) -> Finding {
    let onset = part.step(place);
    let unharmed = context.is_learned() && !context.likely_lost_since(onset);
    let severity = if unharmed { Severity::Note } else { Severity::Warning };
    let before = part.values.get(..place).unwrap_or(&[]);
    let level = stats::mean(before.get(before.len().saturating_sub(20)..).unwrap_or(&[])).unwrap_or(f64::NAN);
    let last = part.values.last().copied().unwrap_or(f64::NAN);
    let title = rich!(
        "{} fell from {} to {} at step {} and stays there",
        metric(part.key()),
        number(level),
        number(last),
        step(onset)
    );
    let finding = context.finding(Code::RewardComponentDead, severity, title, Some(onset), &TEXTS);
    let detail = "The same score for every response has no advantage: since then this function does not train.";
    let evidence = vec![
        Evidence::new("equal values at the end", (part.len() - place) as f64, "")
            .above(context.rulebook.constant_points()),
        Evidence::new("level before they begin", level, ""),
        Evidence::new("constant value", last, ""),
    ];
    finding.supported_by(detail, &[Some(part), context.signal(Concept::Reward)], evidence, 0.85)
}

fn of_no_success(context: &Context<'_>, share: &MetricSeries<'_>) -> Finding {
    let mut title = rich!("{} is 0 in all {} points", metric(share.key()), share.len());
    // A reward that rose may be made of successes, and digits that were cut off may hide them.
    let rose = context.improved() || context.reward_rose();
    if !rose && share.printed_quantum.unwrap_or(0.0) <= FINE_QUANTUM {
        title.append(": no response succeeded in any step");
    }
    let finding =
        context.finding(Code::RewardComponentDead, Severity::Note, title, Some(share.step(0)), &OF_NO_SUCCESS);
    let detail =
        "If this share is right, no update was made from a successful response: the reward moves by its other parts.";
    let evidence = vec![Evidence::new("points without a success", share.len() as f64, "")];
    finding.supported_by(detail, &[Some(share), context.signal(Concept::Reward)], evidence, 0.9)
}

fn of_constant(context: &Context<'_>, never: &[&MetricSeries<'_>]) -> Finding {
    let value = never.first().map_or(f64::NAN, |part| part.max());
    let (verb, then) = if never.len() == 1 { ("is", "it trains") } else { ("are", "they train") };
    let title = if never.iter().all(|part| part.max() == value) {
        let keys: Vec<&str> = never.iter().map(|part| part.key()).collect();
        rich!("{} {} {} in every row: {} nothing", keys.join(" and "), verb, number(value), then)
    } else {
        let mut each = RichText::default();
        for (place, part) in never.iter().enumerate() {
            let joined = if place == 0 { "" } else { " and " };
            each.append(rich!("{}{} is {}", joined, part.key(), number(part.max())));
        }
        rich!("{} in every row: they train nothing", each)
    };
    let onset = never.first().and_then(|part| part.steps.first().copied());
    let finding = context.finding(Code::RewardComponentDead, Severity::Note, title, onset, &TEXTS);
    let detail = "The same score for every response has no advantage.";
    let points = never.iter().map(|part| part.len()).max().unwrap_or(0);
    let mut evidence = vec![Evidence::new("equal values", points as f64, "").above(context.rulebook.constant_points())];
    evidence.extend(never.iter().map(|part| {
        let name = if never.len() == 1 { "the constant".into() } else { rich!("{}, constant", part.key()) };
        Evidence::new(name, part.max(), "")
    }));
    let shown: Vec<Option<&MetricSeries<'_>>> = never.iter().map(|part| Some(*part)).collect();
    finding.supported_by(detail, &shown, evidence, 0.9)
}

/// The note on a score that stays near 0 while another one makes the gain of the reward: the reward rises all the same.
fn of_next_to_nothing(context: &Context<'_>) -> Option<Finding> {
    let rewards = Rewards::new(context).filter(Rewards::rose)?;
    let driver = rewards.driver().filter(|part| part.signal.is_between_zero_and_one())?;
    let is_small = |part: &&RewardPart<'_, '_>| {
        part.kind == RewardKind::Unknown
            && part.signal.is_between_zero_and_one()
            && !part.signal.is_constant()
            && !is_penalty(part.signal)
            && part.change.first.max(part.change.last) <= NEGLIGIBLE * driver.change.last
            && part.change.delta() <= NEGLIGIBLE * rewards.gain.delta()
    };
    let part = rewards.parts.iter().find(is_small)?;
    let has_gained =
        |part: &&RewardPart<'_, '_>| !is_small(part) && part.change.delta() >= NEGLIGIBLE * driver.change.delta();
    let gained = rewards.parts.iter().filter(has_gained).map(|part| RichText::from(metric(part.signal.key())));
    let title = rich!(
        "{} is {} at the end: nearly all of the reward's gain is that of {}",
        metric(part.signal.key()),
        number(part.change.last),
        RichText::joined(gained, ", ", " and ")
    );
    let onset = Some(part.signal.step(0));
    let finding = context.finding(Code::RewardComponentDead, Severity::Note, title, onset, &TEXTS);
    let detail = "So small a part hardly moves an advantage: what it rewards is rare, or its weight is small.";
    let evidence = vec![
        Evidence::new("its mean at the end", part.change.last, ""),
        Evidence::new("mean of the other at the end", driver.change.last, ""),
        Evidence::new("gain of the reward", rewards.gain.delta(), ""),
    ];
    Some(finding.supported_by(detail, &[Some(part.signal), Some(driver.signal)], evidence, 0.7))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, found, jump};

    #[test]
    fn a_function_that_is_always_zero_is_a_note() {
        let run = || {
            Synthetic::healthy(200).noisy("train/rewards/strict_format/mean", 0.0, |_| 0.0).noisy(
                "train/rewards/accuracy/mean",
                0.05,
                |t| 0.3 + 0.4 * t,
            )
        };
        let finding = run().finding(&CHECK);
        assert_eq!((finding.severity, finding.onset), (Severity::Note, Some(1.0)));
        assert!(finding.title.to_string().contains("strict_format"), "{}", finding.title);
        let two = run().noisy("train/rewards/tool/mean", 0.0, |_| -0.5).finding(&CHECK).title.to_string();
        assert_eq!(
            two,
            "train/rewards/strict_format/mean is 0 and train/rewards/tool/mean is -0.5 in every row: they train nothing"
        );
    }

    #[test]
    fn a_training_without_a_single_success_is_a_note() {
        let run = |right: f64, other: f64| {
            Synthetic::new(40)
                .noisy("critic/score/mean", 0.02, |_| -0.05)
                .every("episode/success_rate", 1, move |t| right * t)
                .every("reward_extra_info/correct/mean", 1, move |_| other)
        };
        let finding = run(0.0, 0.0).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        let title = finding.title.to_string();
        assert_eq!(title, "episode/success_rate is 0 in all 40 points: no response succeeded in any step");
        let risen = run(0.0, 0.0).noisy("critic/score/mean", 0.02, |t| t).finding(&CHECK).title.to_string();
        assert_eq!(risen, "episode/success_rate is 0 in all 40 points");
        assert!(run(0.1, 0.0).quiet(&CHECK), "some did");
        assert!(run(0.0, 0.1).quiet(&CHECK), "by another measure");
    }

    #[test]
    fn a_function_that_dies_is_a_warning() {
        let run = Synthetic::healthy(200)
            .without("eval/accuracy")
            .noisy("train/rewards/accuracy/mean", 0.05, |t| 0.5 - 0.5 * jump(t, 0.6))
            .noisy("train/rewards/format/mean", 0.05, |_| 0.5);
        // The noise of a level of zero.
        let mut run = run.build();
        let column = run.columns.remove("train/rewards/accuracy/mean").unwrap();
        for (row, value) in column.points() {
            run.push_value("train/rewards/accuracy/mean", row, if row >= 120 { 0.0 } else { value });
        }
        let found = found(&run, &CHECK);
        assert_eq!((found[0].severity, found[0].onset), (Severity::Warning, Some(121.0)));
    }

    #[test]
    fn a_function_that_dies_within_the_first_points_is_found() {
        let run = |alive: f64| {
            let base = Synthetic::healthy(60).noisy("train/rewards/accuracy/mean", 0.05, |t| 0.3 + 0.4 * t);
            let level = move |t: f64| if (t * 60.0).round() < alive { -0.1 - t } else { -1.0 };
            base.every("train/rewards/reasoning/mean", 1, level)
        };
        assert_eq!(run(8.0).finding(&CHECK).onset, Some(9.0));
        assert!(run(3.0).quiet(&CHECK), "three points");
    }

    #[test]
    fn a_score_that_stays_near_zero_while_another_makes_the_gain_is_a_note() {
        let run = |end: f64| {
            Synthetic::new(100)
                .noisy("train/reward", 0.01, |t| 0.2 + 0.5 * t)
                .noisy("train/rewards/judge_g/mean", 0.01, |t| 0.2 + 0.5 * t)
                .every("train/rewards/judge_f/mean", 1, move |t| end * t)
        };
        let finding = run(0.006).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        let title = finding.title.to_string();
        assert!(
            title.contains("judge_f/mean is 0.005") && title.ends_with("that of train/rewards/judge_g/mean"),
            "{title}"
        );
        let two =
            run(0.006).noisy("train/rewards/tone/mean", 0.01, |t| 0.1 + 0.2 * t).finding(&CHECK).title.to_string();
        assert!(two.contains(" and ") && two.contains("judge_g/mean") && two.contains("tone/mean"), "{two}");
        assert!(run(0.1).quiet(&CHECK));
    }

    #[test]
    fn penalties_rare_rewards_and_full_marks_are_quiet() {
        let base = || Synthetic::healthy(200).noisy("train/rewards/accuracy/mean", 0.05, |t| 0.3 + 0.4 * t);
        assert!(base().quiet(&CHECK));
        assert!(base().noisy("train/rewards/repetition_penalty/mean", 0.0, |_| 0.0).quiet(&CHECK));
        assert!(base().noisy("train/rewards/format/mean", 0.0, |t| (4.0 * t).min(1.0)).quiet(&CHECK));
        let rare =
            base().noisy("train/rewards/exact/mean", 0.0, |t| if (t * 200.0) as u32 % 40 == 3 { 1.0 } else { 0.0 });
        assert!(rare.quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(200).check(&CHECK), Outcome::Skipped(_)));
        let full = base().noisy("train/rewards/format/mean", 0.0, |_| 1.0);
        let Outcome::Quiet(evidence) = full.check(&CHECK) else { panic!("found") };
        assert_eq!(evidence[0].value, 1.0, "one of two varies");
    }
}
