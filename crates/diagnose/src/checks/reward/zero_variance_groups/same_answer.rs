//! A policy that gives the same answer to every prompt: most later steps have the same mean reward and the same mean length, to the
//! last digit, and no group any variance.
//!
//! Groups that agree in six steps of ten are still within the limit for zero-variance groups, and the reward may stand above its start:
//! one answer that pays a little is what such a policy has learned.

use crate::advice::{Advice, FindingTexts, LOWER_LEARNING_RATE, RAISE_KL_COEFFICIENT, TEMPERATURE_ONE};
use crate::context::Context;
use crate::measure::onset::lasts_from;
use crate::measure::series::MetricSeries;
use crate::settings::Hyperparameter;
use crate::zero_variance::MAJORITY;
use crate::{Code, Evidence, Finding, Relation, Severity};
use rundown_format::rich;
use rundown_format::rich_text::{number, percent, step};
use rundown_stats::CompactSort as _;
use rundown_vocabulary::Concept;

use super::VERIFIER;

/// Fewest later steps that must have the same answer. Ours: as many points as show a change.
const MIN_STEPS: usize = 10;

const WATCH: &str = "responses to different prompts differ";
const TEXTS: FindingTexts = FindingTexts {
    causes: &[
        (Hyperparameter::LearningRate, "Large steps commit the policy to the first answer that scores."),
        (Hyperparameter::KlCoefficient, "A weak KL term lets the policy sharpen freely."),
        (Hyperparameter::Temperature, "A low temperature makes responses alike."),
    ],
    actions: &[
        Advice::GoBack,
        VERIFIER,
        Advice::Change(&LOWER_LEARNING_RATE, WATCH),
        Advice::Change(&RAISE_KL_COEFFICIENT, WATCH),
        Advice::Change(&TEMPERATURE_ONE, WATCH),
    ],
    alternative: "The batch is always the same prompt.",
    refute: "Responses of the last checkpoint to different prompts differ.",
    references: &["arXiv 2505.22617 (entropy mechanism)"],
};

/// The answer that most later steps have.
struct SameAnswer {
    reward: f64,
    length: f64,
    /// Share of the steps of the second half.
    share: f64,
    /// First step from which most have it.
    onset: f64,
}

/// The finding, where more than half of the steps of the second half have one reward, one length and no variance. `None` where that
/// is the best answer there is, or one that is cut off.
pub(super) fn finding(context: &Context<'_>, alike: &MetricSeries<'_>) -> Option<Finding> {
    let same = same_answer(context, alike).filter(|_| context.learning.room)?;
    let title = rich!(
        "The policy gives the same answer to every prompt: reward {}, {} tokens and no variance in {} of the later steps",
        number(same.reward),
        number(same.length),
        percent(same.share)
    );
    let finding = context.finding(Code::ZeroVarianceGroups, Severity::Warning, title, Some(same.onset), &TEXTS);
    let detail = rich!(
        "From step {} on, mean reward and mean length are equal to the last digit in most steps, whatever the prompts: there is nothing \
         to learn from such a step.",
        step(same.onset)
    );
    let evidence = vec![
        Evidence::new("share of the later steps with this reward, this length and no variance", same.share, "")
            .limited(Relation::Above, MAJORITY, "ours: most of the steps"),
        Evidence::new("reward of these steps", same.reward, ""),
        Evidence::new("mean length of these steps", same.length, "tokens"),
    ];
    let length = context.signal(Concept::ResponseLength);
    let shown = [Some(alike), context.signal(Concept::Reward), length];
    Some(finding.supported_by(detail, &shown, evidence, 0.8))
}

fn same_answer(context: &Context<'_>, alike: &MetricSeries<'_>) -> Option<SameAnswer> {
    let (reward, length) = (context.signal(Concept::Reward)?, context.signal(Concept::ResponseLength)?);
    if reward.steps != length.steps || reward.steps != alike.steps {
        return None;
    }
    let rows = || reward.values.iter().zip(length.values.iter()).zip(alike.values.iter());
    let half = reward.len() / 2;
    let mut later: Vec<(f64, f64)> =
        rows().skip(half).filter(|(_, alike)| **alike == 1.0).map(|((reward, length), _)| (*reward, *length)).collect();
    later.compact_sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let most = later.chunk_by(|a, b| a == b).max_by_key(|equal| equal.len())?;
    let (same_reward, same_length) = most.first().copied()?;
    let share = most.len() as f64 / (reward.len() - half) as f64;
    // All cut off at one length is no answer; and the best that there is may be the right one.
    let is_best = context.improved() && same_reward >= reward.max();
    if most.len() < MIN_STEPS || share <= MAJORITY || same_length >= length.max() || is_best {
        return None;
    }
    let is_same: Vec<bool> = rows().map(|row| row == ((&same_reward, &same_length), &1.0)).collect();
    let first = lasts_from(&is_same, |same, all| same as f64 > MAJORITY * all as f64).unwrap_or(half);
    Some(SameAnswer { reward: same_reward, length: same_length, share, onset: reward.step(first) })
}
