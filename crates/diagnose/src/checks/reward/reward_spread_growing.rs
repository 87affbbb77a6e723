//! The spread of the rewards of a batch grows while their mean does not grow with it.
//!
//! # What it checks
//! The standard deviation of the reward within a batch or group: its median in the last fifth is three times that of the
//! first, beyond its noise, and it grew by more than twice the change of the mean reward. A note; a warning where the task
//! declined or stands still.
//!
//! # Why it matters
//! Groups with a spread are what GRPO learns from, so a spread that grows with the reward is fine. One that grows alone
//! means that a few responses earn or lose very much: a part of the reward without bounds, or a policy that breaks for some
//! prompts.
//!
//! # Evidence needed
//! The standard deviation of the reward; the reward itself.
//!
//! # Threshold and where it comes from
//! Three times: ours; healthy public logs stay within a factor of two. The analyze-experiment guide reads the variance of
//! rewards as a sign of instability, without a figure.
//!
//! # Known false alarms
//! A curriculum that brings harder prompts spreads the rewards without any harm.
//!
//! # What to do
//! Look at the highest and lowest rewards of a step; bound or normalise the part that has no bounds.
//!
//! # References
//! The analyze-experiment guide (reward_std); Henderson et al. 2018, arXiv 1709.06560 (reward scales).

use crate::advice::{Advice, FindingTexts, LOWER_LEARNING_RATE};
use crate::context::Context;
use crate::measure::growth::Growth;
use crate::measure::increase_onset::increase_onset;
use crate::measure::series::{Fifth, MetricSeries};
use crate::settings::Hyperparameter;
use crate::{Change, Check, Code, Evidence, Outcome, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{metric, number, step};
use rundown_vocabulary::Concept;

pub const CHECK: Check = Check::of_metric(Code::RewardSpreadGrowing, Concept::RewardStd, run);

/// A spread that grows by more than so many times the change of the mean grows alone.
const TIMES_OF_MEAN: f64 = 2.0;

const TEXTS: FindingTexts = FindingTexts {
    causes: &[(Hyperparameter::LearningRate, "Large updates break the policy for some prompts first.")],
    actions: &[
        Advice::Do([
            "Bound or normalise the parts of the reward",
            "no single answer decides the update",
            "less difference between good and very good responses",
            "spread of the reward as at the start",
        ]),
        Advice::Change(&LOWER_LEARNING_RATE, "spread of the reward as at the start"),
    ],
    alternative: "The prompts became more different, and the policy is as good as before on each.",
    refute: "On fixed prompts the spread of the reward is as at the start.",
    references: &["analyze-experiment guide (reward_std)", "arXiv 1709.06560"],
};

fn run(context: &Context<'_>, spread: &MetricSeries<'_>) -> Outcome {
    let Some(growth) = Growth::of(spread) else { return Outcome::Quiet(Vec::new()) };
    let book = context.rulebook;
    let moved = context
        .signal(Concept::Reward)
        .map_or(0.0, |reward| (reward.level(Fifth::Last) - reward.level(Fifth::First)).abs());
    let evidence = vec![
        Evidence::new("median spread of the first fifth", growth.first, ""),
        Evidence::new("median spread of the last fifth", growth.last, ""),
        Evidence::new("growth of the spread", growth.times(), "times").above(book.spread_growth()),
        Evidence::new("growth in standard errors", growth.z, "SE").of(Change::Rise).above(book.learning_z()),
        Evidence::new("change of the mean reward", moved, ""),
    ];
    let grew = growth.first > 0.0
        && growth.times() >= book.spread_growth().value
        && growth.z >= book.learning_z().value
        && growth.last - growth.first > TIMES_OF_MEAN * moved;
    if !grew || !context.has_enough_points(spread) {
        return Outcome::Quiet(evidence);
    }
    let onset = spread.step(increase_onset(&spread.values));
    let severity = if context.suffers() { Severity::Warning } else { Severity::Note };
    let title = rich!(
        "{} grew from {} to {}, beginning at step {}",
        metric(spread.key()),
        number(growth.first),
        number(growth.last),
        step(onset)
    );
    let finding = context.finding(CHECK.code, severity, title, Some(onset), &TEXTS);
    let detail = "Few responses earn or lose very much, and the mean does not grow with them.";
    Outcome::Found(vec![finding.supported_by(detail, &[Some(spread), context.signal(Concept::Reward)], evidence, 0.7)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, saturating};

    #[test]
    fn a_spread_that_grows_alone_is_found() {
        let run = Synthetic::healthy(300).noisy("train/reward_std", 0.2, |t| 2.0 + 8.0 * t);
        let finding = run.finding(&CHECK);
        assert_eq!(finding.severity, Severity::Note);
        let stuck = Synthetic::healthy(300)
            .noisy("train/reward", 0.15, |_| 1.4)
            .every("eval/accuracy", 10, |_| 0.5)
            .noisy("rewards/std", 0.2, |t| 2.0 + 8.0 * t);
        assert_eq!(stuck.finding(&CHECK).severity, Severity::Warning);
    }

    #[test]
    fn a_spread_that_grows_with_the_reward_is_quiet() {
        assert!(matches!(Synthetic::healthy(300).check(&CHECK), Outcome::Skipped(_)));
        let steady = Synthetic::healthy(300).noisy("train/reward_std", 0.2, |_| 2.0);
        assert!(steady.quiet(&CHECK));
        let with_mean = Synthetic::healthy(300).noisy("train/reward", 0.02, |t| 0.1 + 2.0 * saturating(t)).noisy(
            "train/reward_std",
            0.01,
            |t| 0.1 + 0.4 * saturating(t),
        );
        assert!(with_mean.quiet(&CHECK));
    }
}
