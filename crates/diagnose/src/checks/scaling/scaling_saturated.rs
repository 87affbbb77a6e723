//! The reward stopped following compute.
//!
//! # What it checks
//! Whether the line of reward over the logarithm of compute bends once: a note when the bend fits far better than a
//! straight line and the slope after it is below a quarter of the slope before, with its whole interval.
//!
//! # Why it matters
//! Compute beyond the bend buys next to nothing. A forecast from before it is wrong.
//!
//! # Evidence needed
//! Cumulative compute and the reward.
//!
//! # Threshold and where it comes from
//! A quarter of the slope: four times the compute for what one bought before. The bend must last for a fifth of the
//! points and for twice the compute.
//!
//! # Known false alarms
//! A reward that is at its maximum must end its growth: that is success, and the run can stop.
//!
//! # What to do
//! Stop, or change what limits the reward: harder tasks, a longer response limit, more exploration.
//!
//! # References
//! The analyze-experiment guide, "Power Law Scaling Analysis"; arXiv 2510.13786 (bounded rewards saturate).

use crate::advice::{Advice, FindingTexts};
use crate::context::Context;
use crate::topics::scaling::{Pairs, bend, saturation_bend};
use crate::{Check, Code, Evidence, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{number, step};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_run(Code::ScalingSaturated, run);

const TEXTS: FindingTexts = FindingTexts {
    causes: &[],
    actions: &[
        Advice::Do([
            "Stop here, or go on with harder tasks",
            "saves the compute that buys nothing",
            "a late rise would be missed",
            "reward per compute after the change",
        ]),
        Advice::Do([
            "Look at the truncation rate, entropy and zero-variance groups at the bend",
            "names what limits the reward",
            "none",
            "which of them changed there",
        ]),
    ],
    alternative: "The reward is at its maximum, and the task is solved.",
    refute: "Over twice the compute the reward rises by more than its scatter.",
    references: &["analyze-experiment guide (power law scaling)", "arXiv 2510.13786 (ScaleRL)"],
};

fn run(context: &Context<'_>) -> Outcome {
    let Some(pairs) = Pairs::of(context) else {
        return Outcome::Skipped(context.need(&[Concept::Compute, Concept::Reward]));
    };
    let book = context.rulebook;
    let Some(bent) = saturation_bend(context, &pairs) else {
        let gain = bend(&pairs.x, &pairs.y).map_or(0.0, |bent| bent.gain);
        return Outcome::Quiet(vec![Evidence::new("strength of a bend", gain, "F").above(book.scaling_bend())]);
    };
    let onset = pairs.steps.get(bent.place).copied().unwrap_or(f64::NAN);
    let at = pairs.x.get(bent.place).copied().map_or(f64::NAN, libm::exp);
    let share = 1.0 - at / pairs.x.last().copied().map_or(f64::NAN, libm::exp);
    let level =
        pairs.reward.values.get(pairs.reward.steps.partition_point(|step| *step < onset)..).and_then(stats::median);
    let title = rich!(
        "The reward stopped following compute at step {} and stays at {}",
        step(onset),
        number(level.unwrap_or(f64::NAN))
    );
    let evidence = vec![
        Evidence::new("slope after against before", bent.after.slope / bent.before.slope, "")
            .below(book.scaling_flat()),
        Evidence::new("slope before the bend", bent.before.slope, ""),
        Evidence::new("strength of the bend", bent.gain, "F").above(book.scaling_bend()),
        Evidence::new("share of the compute spent after the bend", share, ""),
    ];
    let finding = context.finding(CHECK.code, Severity::Note, title, Some(onset), &TEXTS);
    let detail = "Compute beyond this point buys next to nothing.";
    Outcome::Found(vec![finding.supported_by(detail, &[pairs.reward, pairs.compute], evidence, 0.75)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::Synthetic;

    fn scaled(reward: impl Fn(f64) -> f64) -> Synthetic {
        Synthetic::new(250)
            .noisy("power_law/cumulative_flops", 0.0, |t| 640.0 * (250.0 * t + 1.0))
            .noisy("benchmark/reward_mean", 0.25, reward)
    }

    fn law(t: f64) -> f64 {
        4.0 * libm::pow(250.0 * t + 1.0, 0.3)
    }

    #[test]
    fn a_cap_is_found_where_it_begins() {
        let finding = scaled(|t| law(t).min(law(0.3))).finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        assert!((60.0..=90.0).contains(&finding.onset.unwrap()), "{:?}", finding.onset);
        assert!(scaled(|t| law(t).min(7.0)).finding(&CHECK).onset.unwrap() < 20.0);
    }

    #[test]
    fn a_law_that_holds_and_a_reward_that_never_rose_are_quiet() {
        assert!(scaled(law).quiet(&CHECK));
        assert!(scaled(|_| 4.0).quiet(&CHECK));
        assert!(matches!(Synthetic::healthy(250).check(&CHECK), Outcome::Skipped(_)));
    }
}
