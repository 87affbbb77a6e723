//! The reward swings, or spreads ever wider, instead of settling.
//!
//! # What it checks
//! Levels of the reward over a sixtieth of the run each: at least three falls of half of the best gain and of four
//! standard deviations of the noise, each followed by a recovery; or a spread from step to step that is three times the
//! early one while the level has not risen. A warning where no gain was shown, else a note.
//!
//! # Why it matters
//! A policy that loses and regains its skill is pushed around by its updates. Which checkpoint is good is then luck.
//!
//! # Evidence needed
//! The mean reward over 60 points.
//!
//! # Threshold and where it comes from
//! Three times the spread: rlwatch's detector. Half of the gain, four standard deviations: what everyone sees in the
//! plain curve.
//!
//! # Known false alarms
//! Data that alternates between easy and hard tasks swings the reward with its own period. The spread of a share
//! is widest at one half; it is compared with what its level explains. A sparse reward, which has the
//! same value in more than half of the steps, is not judged: each of the few others widens its spread.
//!
//! # What to do
//! A lower learning rate; a larger batch; fewer updates per batch.
//!
//! # References
//! rlwatch (detectors of reward spread); Axolotl docs/training_stability.qmd.

use crate::advice::{Advice, FindingTexts, LARGER_BATCH, LOWER_LEARNING_RATE};
use crate::context::Context;
use crate::measure::series::MetricSeries;
use crate::settings::Hyperparameter;
use crate::topics::reward_swings::{RewardBlocks, are_many, drops, is_sparse};
use crate::{Check, Code, Evidence, Finding, LearningState, Outcome, QuietReason, Severity};
use rundown_format::rich_text::{number, step};
use rundown_format::{RichText, rich};
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_metric(Code::RewardUnstable, Concept::Reward, run);

fn run(context: &Context<'_>, reward: &MetricSeries<'_>) -> Outcome {
    let book = context.rulebook;
    let blocks = RewardBlocks::new(&reward.values);
    let falls = drops(context, &blocks);
    let spread = blocks.growth();
    let evidence = vec![
        Evidence::new("drops that recovered", falls.len() as f64, "").above(book.unstable_swings()),
        Evidence::new("late spread against the early one", spread.map_or(1.0, |(_, growth)| growth), "times")
            .above(book.unstable_spread()),
    ];
    if (reward.len() as f64) < book.conservative_points().value {
        return Outcome::QuietBecause(QuietReason::TooFewPoints, evidence);
    }
    if is_sparse(&reward.values) {
        return Outcome::Quiet(evidence);
    }
    if are_many(context, &falls) {
        let largest = falls.iter().map(|fall| fall.size).fold(0.0, f64::max);
        let title = rich!("Reward fell {} times by up to {} and rose again", falls.len(), number(largest));
        let place = falls.first().map_or(0, |fall| fall.block);
        return Outcome::Found(vec![finding(context, reward, title, blocks.start(place), evidence)]);
    }
    if let Some((place, growth)) = spread.filter(|(_, growth)| *growth >= book.unstable_spread().value) {
        let title = rich!("The reward spreads {} times as wide as it did at first", number(growth));
        return Outcome::Found(vec![finding(context, reward, title, blocks.start(place), evidence)]);
    }
    Outcome::Quiet(evidence)
}

const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::LearningRate, "Large updates overshoot."),
        (Hyperparameter::EpochsPerBatch, "Many updates from one batch go far on little evidence."),
        (Hyperparameter::MinibatchSize, "Many updates from one batch go far on little evidence."),
        (Hyperparameter::Batch, "A small batch makes a noisy gradient."),
    ],
    actions: &[
        Advice::Change(&LOWER_LEARNING_RATE, "no fall of half of the gain within 100 steps"),
        Advice::Change(&LARGER_BATCH, "no fall of half of the gain within 100 steps"),
        Advice::FewerUpdates("clip fraction below 0.05"),
    ],
    alternative: "The data alternates between easy and hard tasks.",
    refute: "One checkpoint scores as differently on the batches of these steps.",
    references: &["rlwatch (reward spread)", "Axolotl docs/training_stability.qmd"],
};

fn finding(
    context: &Context<'_>,
    reward: &MetricSeries<'_>,
    title: RichText,
    place: usize,
    evidence: Vec<Evidence>,
) -> Finding {
    let onset = reward.step(place);
    let title = rich!("{}, beginning at step {}", title, step(onset));
    // What no evaluation can tell from noise was not learned.
    let lost = context.learning.state != LearningState::Improved;
    let severity = if lost { Severity::Warning } else { Severity::Note };
    let finding = context.finding(Code::RewardUnstable, severity, title, Some(onset), &TEXTS);
    let detail = "The policy does not settle: its updates undo each other.";
    finding.supported_by(detail, &[Some(reward), context.signal(Concept::GradientNorm)], evidence, 0.7)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, found, saturating, within};
    use rundown_stats::testing::ar1;

    fn rewarded(noise: f64, level: impl Fn(f64) -> f64) -> Synthetic {
        Synthetic::healthy(400).without("eval/accuracy").noisy("train/reward", noise, level)
    }

    #[test]
    fn swings_are_found_from_the_first_fall_on() {
        let swinging = rewarded(0.05, |t| {
            let wave = if t < 0.3 { 0.0 } else { libm::sin(40.0 * (t - 0.3)).max(-1.0) };
            1.0 + 0.5 * wave
        });
        let finding = swinging.finding(&CHECK);
        assert!((118.0..=150.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
    }

    #[test]
    fn swings_around_a_rising_level_are_compared_with_its_gain_alone() {
        let rising = rewarded(0.03, |t| 0.2 + 0.4 * t + 0.17 * libm::sin(60.0 * t));
        assert!(rising.finding(&CHECK).title.to_string().contains("rose again"));
    }

    #[test]
    fn noise_whose_steps_depend_on_each_other_does_not_swing() {
        for (phi, most) in [(0.3, 0), (0.5, 1), (0.7, 2)] {
            let found = (0..40).filter(|seed| {
                let mut run = rewarded(0.0, |_| 1.0).build();
                let noise = ar1(*seed, 400, phi);
                run.columns.remove("train/reward");
                noise.iter().zip(0..).for_each(|(noise, row)| run.push_value("train/reward", row, 2.0 + 0.2 * noise));
                matches!(within(&run, |context| CHECK.outcome(context)), Outcome::Found(_))
            });
            let found = found.count();
            assert!(found <= most, "{found} of 40 with {phi}");
        }
    }

    #[test]
    fn a_spread_that_grows_is_found() {
        let mut run = rewarded(0.0, |_| 1.0).build();
        let column = run.columns.remove("train/reward").unwrap();
        let noise = ar1(3, 400, 0.0);
        for (row, value) in column.points() {
            let wide = if row < 200 { 0.1 } else { 0.5 };
            run.push_value("train/reward", row, value + wide * noise[row as usize]);
        }
        let found = found(&run, &CHECK);
        assert!((185.0..=215.0).contains(&found[0].onset.unwrap()), "{:?}", found[0].onset);
    }

    #[test]
    fn hits_of_a_sparse_reward_are_quiet() {
        let hits = |step: usize| if ar1(9, 400, 0.0)[step] > 1.6 { 0.5 } else { 0.0 };
        let mut run = rewarded(0.0, |_| 0.0).build();
        let column = run.columns.remove("train/reward").unwrap();
        for (row, _) in column.points() {
            run.push_value("train/reward", row, if row < 200 { hits(row as usize) / 4.0 } else { hits(row as usize) });
        }
        assert!(matches!(within(&run, |context| CHECK.outcome(context)), Outcome::Quiet(_)));
    }

    #[test]
    fn noise_growth_and_a_single_fall_are_quiet() {
        assert!(Synthetic::healthy(400).quiet(&CHECK));
        assert!(rewarded(0.3, |_| 1.0).quiet(&CHECK));
        assert!(rewarded(0.1, saturating).quiet(&CHECK));
        assert!(rewarded(0.1, |t| if t < 0.5 { saturating(t) } else { 0.2 }).quiet(&CHECK));
        let alarms = (0..200).filter(|seed| {
            let blocks = RewardBlocks::new(&ar1(*seed, 600, 0.5));
            blocks.falls(4.0, 0.5).len() >= 3 || blocks.growth().is_some_and(|(_, growth)| growth >= 3.0)
        });
        let alarms = alarms.count();
        assert!(alarms <= 4, "{alarms} of 200");
    }
}
