//! Why the groups of a run have zero variance: by where its reward stands between its ends, and by what else makes responses alike.

use crate::context::Context;
use crate::measure::series::{Fifth, MetricSeries};
use crate::topics::end_token::missing_end_token;
use crate::topics::reward_parts::never_scores;
use crate::zero_variance::{MAJORITY, RIGHT_LEVEL};
use rundown_stats as stats;
use rundown_vocabulary::Concept;

/// Share of responses at the length limit from which on the limit is what makes them alike.
const NEARLY_ALL: f64 = 0.9;
/// Distance of the levels of a reward, in spreads around them, from which on they show its scale.
const SPREADS: f64 = 4.0;
/// Part of the range of the reward below which responses that are alike are wrong.
const BOTTOM: f64 = 0.3;
/// Share of the steps from which on one value is the reward of most of them. Ours: where answers are told apart, the mean of a
/// batch seldom repeats.
const MOST_STEPS: f64 = 0.8;

/// Why groups have zero variance. Too easy and too hard have opposite cures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AlikeCause {
    TooEasy,
    TooHard,
    /// No response earned anything by the reward functions of the task.
    NeverRight,
    Constant,
    CutOff,
    /// The reward has one value in most steps, neither near its top nor near its bottom.
    OneValue,
    Unclear,
}

/// True where one value of the reward is that of most steps.
fn has_one_value(reward: &MetricSeries<'_>) -> bool {
    let usual = stats::median(&reward.values);
    let same = reward.values.iter().filter(|value| Some(**value) == usual).count();
    same as f64 >= MOST_STEPS * reward.len() as f64
}

/// The cause, as far as the log shows one.
pub(super) fn cause(context: &Context<'_>, alike: &MetricSeries<'_>) -> AlikeCause {
    let Some(reward) = context.signal(Concept::Reward) else { return AlikeCause::Unclear };
    let is_constant = reward.is_constant();
    // A reward that rose to the top was learned, cut off or not.
    let rose = reward.level(Fifth::First) <= RIGHT_LEVEL && reward.level(Fifth::Last) > RIGHT_LEVEL;
    let never_right = !context.is_learned() && never_scores(context);
    if rose && reward.is_between_zero_and_one() && !never_right {
        return AlikeCause::TooEasy;
    }
    let cut_off = context.signal(Concept::TruncatedShare).filter(|share| missing_end_token(context, share).is_none());
    // Responses that were cut off as often while groups differed are not what makes them alike.
    let is_cause = |cut: &MetricSeries<'_>| {
        let differed = alike.level(Fifth::First) < MAJORITY;
        cut.level(Fifth::Last) >= NEARLY_ALL && !(differed && cut.level(Fifth::First) >= NEARLY_ALL)
    };
    // A limit explains why no response earns anything, and not why all earn the same.
    if cut_off.is_some_and(is_cause) && (!is_constant || reward.max() <= 0.0) {
        return AlikeCause::CutOff;
    }
    if is_constant {
        return AlikeCause::Constant;
    }
    if never_right {
        // Where a wrong answer costs 1, a right one scores 0: a total that ends at its maximum of 0 may be right answers.
        let may_be_right = reward.max() <= 0.0 && reward.median(Fifth::Last) >= reward.max();
        return if may_be_right { AlikeCause::Unclear } else { AlikeCause::NeverRight };
    }
    let unclear = || if has_one_value(reward) { AlikeCause::OneValue } else { AlikeCause::Unclear };
    let Some((low, high)) = scale(context, reward) else { return unclear() };
    let place = (reward.level(Fifth::Last) - low) / (high - low);
    match place {
        place if place > RIGHT_LEVEL => AlikeCause::TooEasy,
        place if place < BOTTOM => AlikeCause::TooHard,
        _ => unclear(),
    }
}

/// The lowest and the highest reward that an answer can have, as far as the log tells: a score has its own ends, others
/// those of single responses, or of levels that lie far apart. The ups and downs of one level are no scale.
fn scale(context: &Context<'_>, reward: &MetricSeries<'_>) -> Option<(f64, f64)> {
    if reward.is_between_zero_and_one() {
        return Some((0.0, 1.0));
    }
    let logged = (context.signal(Concept::RewardMin), context.signal(Concept::RewardMax));
    if let (Some(least), Some(most)) = logged {
        return Some((least.min(), most.max())).filter(|(low, high)| high > low);
    }
    let levels = reward.smoothed((reward.len() / 20).max(2));
    let around: Vec<f64> = reward.values.iter().zip(&levels).map(|(value, level)| value - level).collect();
    let low = levels.iter().copied().reduce(f64::min)?;
    let high = levels.iter().copied().reduce(f64::max)?;
    (high - low >= SPREADS * stats::std_dev(&around)?).then_some((low, high))
}
