//! The reward swings, or spreads ever wider, instead of settling.
//!
//! # What it checks
//! Levels of the reward over a sixtieth of the run each: at least three falls of half of the best gain and of four
//! standard deviations from step to step, each made good again; or a spread from step to step that is three times the
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
//! Data that alternates between easy and hard prompts swings the reward with its own period. The spread of a share
//! is widest at one half; it is compared with what its level explains.
//!
//! # What to do
//! A lower learning rate; a larger batch; fewer updates per batch.
//!
//! # References
//! rlwatch (detectors of reward spread); Axolotl docs/training_stability.qmd.

use crate::diagnose::advice::{Advice, FEWER_UPDATES, LARGER_BATCH, LOWER_LEARNING_RATE, Words, show};
use crate::diagnose::context::Context;
use crate::diagnose::level;
use crate::diagnose::settings::Knob;
use crate::diagnose::signal::Signal;
use crate::diagnose::{Check, Code, Evidence, Finding, LearningState, Outcome, Severity};
use crate::format::rich_text::{number, step};
use crate::format::{RichText, rich};
use crate::stats;
use crate::vocabulary::Concept;

/// The check.
pub const CHECK: Check = Check { code: Code::RewardUnstable, run };

/// Blocks of a long run; shorter ones have blocks of [`BLOCK`] points.
const BLOCKS: usize = 60;
const BLOCK: usize = 5;
/// Quantile of the early spreads that later ones are compared with.
const EARLY: f64 = 0.75;
/// Smallest swing of a share that anyone would call one.
const VISIBLE: f64 = 0.1;

fn run(context: &Context<'_>) -> Outcome {
    let Some(reward) = context.signal(Concept::Reward) else {
        return Outcome::Skipped(context.need(&[Concept::Reward]));
    };
    let book = context.rulebook;
    let blocks = Blocks::new(&reward.values);
    let falls = falls(context, &blocks);
    let spread = blocks.growth();
    let evidence = vec![
        Evidence::new("falls that were made good again", falls.len() as f64, "").above(book.unstable_swings()),
        Evidence::new("late spread against the early one", spread.map_or(1.0, |(_, growth)| growth), "times")
            .above(book.unstable_spread()),
    ];
    if (reward.len() as f64) < book.conservative_points().value {
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

/// True for a reward that falls and rises again and again: then no single fall is a break.
pub(in crate::diagnose) fn swings(context: &Context<'_>, reward: &Signal<'_>) -> bool {
    reward.len() as f64 >= context.rulebook.conservative_points().value
        && are_many(context, &falls(context, &Blocks::new(&reward.values)))
}

fn falls(context: &Context<'_>, blocks: &Blocks) -> Vec<Swing> {
    blocks.falls(context.rulebook.unstable_swing().value, context.rulebook.unstable_lost().value)
}

fn are_many(context: &Context<'_>, falls: &[Swing]) -> bool {
    falls.len() as f64 >= context.rulebook.unstable_swings().value
}

/// Levels and spreads of consecutive blocks.
struct Blocks {
    size: usize,
    means: Vec<f64>,
    /// Standard deviation from step to step within each block.
    spreads: Vec<f64>,
    /// The same against what the level of a share explains.
    noises: Vec<f64>,
    /// True for a reward between 0 and 1.
    share: bool,
}

/// A fall from a high level to a low one, made good again.
struct Swing {
    /// Block of the high level.
    block: usize,
    size: f64,
}

impl Blocks {
    fn new(values: &[f64]) -> Self {
        let size = (values.len() / BLOCKS).max(BLOCK);
        let share = values.iter().all(|value| (0.0..=1.0).contains(value));
        let mut blocks = Self { size, means: Vec::new(), spreads: Vec::new(), noises: Vec::new(), share };
        for block in values.chunks_exact(size) {
            let mean = stats::mean(block).unwrap_or(0.0);
            let expected = if share { (mean * (1.0 - mean)).max(0.01).sqrt() } else { 1.0 };
            blocks.means.push(mean);
            let noise = level::noise(block);
            blocks.spreads.push(noise);
            blocks.noises.push(noise / expected);
        }
        blocks
    }

    fn start(&self, block: usize) -> usize {
        block * self.size
    }

    /// Falls of `deviations` standard deviations of a step and of `part` of the best gain that were made good again.
    fn falls(&self, deviations: f64, part: f64) -> Vec<Swing> {
        let spread = stats::median(&self.spreads).unwrap_or(0.0);
        let (low, high) = (stats::quantile(&self.means, 0.05), stats::quantile(&self.means, 0.95));
        let range = high.zip(low).map_or(0.0, |(high, low)| high - low);
        let visible = if self.share { VISIBLE } else { 0.0 };
        let least = (deviations * spread).max(part * range).max(visible);
        let mut falls = Vec::new();
        if least <= 0.0 {
            return falls;
        }
        let Some(first) = self.means.first() else { return falls };
        let (mut high, mut low) = ((0, *first), *first);
        let mut falling = false;
        for (block, mean) in self.means.iter().copied().enumerate() {
            if falling {
                low = low.min(mean);
                if mean >= low + least {
                    falls.push(Swing { block: high.0, size: high.1 - low });
                    falling = false;
                    high = (block, mean);
                }
            } else if mean >= high.1 {
                high = (block, mean);
            } else if mean <= high.1 - least {
                falling = true;
                low = mean;
            }
        }
        falls
    }

    /// How many times as wide the last third spreads as the first, and the block where that begins, unless the level
    /// rose.
    fn growth(&self) -> Option<(usize, f64)> {
        let third = self.noises.len() / 3;
        let median = |values: &[f64], from: usize, to: usize| values.get(from..to).and_then(stats::median);
        let count = self.noises.len();
        // The widest of the early blocks: a run that settles at once and then wakes up is as wide as it began.
        let early = stats::quantile(self.noises.get(..third)?, EARLY)?;
        let late = median(&self.noises, count - third, count)?;
        let rise = median(&self.means, count - third, count)? - median(&self.means, 0, third)?;
        // Scores that were all alike at first had no spread to compare with.
        if third < 3 || early <= 0.0 || rise > stats::median(&self.spreads)? {
            return None;
        }
        let change = stats::single_change(&self.noises, 2)?;
        Some((change.index, late / early))
    }
}

const WORDS: Words = Words {
    causes: &[
        (Knob::LearningRate, "Large updates overshoot."),
        (Knob::UpdatesPerBatch, "Many updates from one batch go far on little evidence."),
        (Knob::Batch, "A small batch makes a noisy gradient."),
    ],
    actions: &[
        Advice::Turn(&LOWER_LEARNING_RATE, "no fall of half of the gain within 100 steps"),
        Advice::Turn(&LARGER_BATCH, "no fall of half of the gain within 100 steps"),
        Advice::Turn(&FEWER_UPDATES, "clip fraction below 0.05"),
    ],
    alternative: "The data alternates between easy and hard prompts.",
    refute: "The same checkpoint scores alike on two batches of other steps.",
    references: &["rlwatch (reward spread)", "Axolotl docs/training_stability.qmd"],
};

fn finding(
    context: &Context<'_>,
    reward: &Signal<'_>,
    title: RichText,
    place: usize,
    evidence: Vec<Evidence>,
) -> Finding {
    let onset = reward.step(place);
    let title = rich!("{}, beginning at step {}", title, step(onset));
    // What no evaluation can tell from noise was not learned.
    let lost = context.learning.state != LearningState::Improved;
    let severity = if lost { Severity::Warning } else { Severity::Note };
    let mut finding = context.finding(Code::RewardUnstable, severity, title, Some(onset), &WORDS);
    finding.detail = "The policy does not settle: its updates undo each other.".into();
    finding.evidence = evidence;
    show(&mut finding, &[Some(reward), context.signal(Concept::GradientNorm)]);
    finding.confidence = 0.7;
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::checks::testing::{Synthetic, rise};
    use crate::stats::testing::ar1;

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
    fn a_spread_that_grows_is_found() {
        let mut run = rewarded(0.0, |_| 1.0).build();
        let column = run.columns.remove("train/reward").unwrap();
        let noise = ar1(3, 400, 0.0);
        for (row, value) in column.points() {
            let wide = if row < 200 { 0.1 } else { 0.5 };
            run.push_value("train/reward", row, value + wide * noise[row as usize]);
        }
        let bindings = crate::vocabulary::bind(&run);
        let rulebook = crate::diagnose::Rulebook::default();
        let Outcome::Found(found) = (CHECK.run)(&Context::new(&run, &bindings, &rulebook)) else { panic!("quiet") };
        assert!((185.0..=215.0).contains(&found[0].onset.unwrap()), "{:?}", found[0].onset);
    }

    #[test]
    fn noise_growth_and_a_single_fall_are_quiet() {
        assert!(Synthetic::healthy(400).quiet(&CHECK));
        assert!(rewarded(0.3, |_| 1.0).quiet(&CHECK));
        assert!(rewarded(0.1, rise).quiet(&CHECK));
        assert!(rewarded(0.1, |t| if t < 0.5 { rise(t) } else { 0.2 }).quiet(&CHECK));
        let alarms = (0..200).filter(|seed| {
            let blocks = Blocks::new(&ar1(*seed, 600, 0.5));
            blocks.falls(4.0, 0.5).len() >= 3 || blocks.growth().is_some_and(|(_, growth)| growth >= 3.0)
        });
        let alarms = alarms.count();
        assert!(alarms <= 4, "{alarms} of 200");
    }
}
