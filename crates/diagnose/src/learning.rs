//! Whether the run learns its task, as far as its own evaluation tells.
//!
//! The primary evaluation decides; with too few evaluations, the reward, or the KL to the teacher of a distillation without one.
//! Evaluations are few (7, 17, 31), so the noise of one is taken both from its neighbours and from the number of tasks, which
//! the values show: 0.484375, 0.5625 are multiples of 1/64.

mod movement;
mod words;

use movement::{
    detectable, ends_below_best, fall, gain_z, had_moved, lost_again, missed_gain, rest_above_start, trend,
    trend_after_start,
};
pub(crate) use movement::{gain_is_ruled_out, largest_gain};
pub(crate) use words::points_of_levels;
use words::sentence;

use std::cell::LazyCell;

use crate::Rulebook;
use crate::measure::few_points;
use crate::measure::level::{LevelChange, ratio};
use crate::measure::series::MetricSeries;
use crate::measure::start_to_end::{noise_floor, signal_change};
use crate::measure::task_count::largest_deviate;
use crate::signals::Signals;
use rundown_format::rich_text::metric;
use rundown_format::{RichText, counted, rich};
use rundown_vocabulary::{Binding, Concept, Direction, RewardKind, Unit};

/// A measure that had declined has come back when it is within so many standard errors of its start.
const BACK: f64 = 1.0;
/// Correlation between the fall of the last level and the trend of the points after the first, in white noise.
const CORRELATION: f64 = 0.4;
/// The same of a rise of the last level and the trend of all points, the first ones among them.
const CORRELATION_WITH_TREND: f64 = 0.5;
/// Trend, as a normal deviate, that a likely gain of an evaluation needs beside it before the reward may confirm it.
const HINT_OF_TREND: f64 = 1.0;
/// By how many standard errors more a gain of few points and its loss must stand out: the best of them was picked.
const FURTHER: f64 = 1.0;
/// Fewest evaluations that can show that nothing was learned.
const EVALUATIONS_FOR_FLAT: usize = 10;

/// What became of the primary metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum LearningState {
    /// It ended better than it began, beyond its noise.
    Improved,
    /// It did not get better, and it was measured well enough to say so.
    Flat,
    /// It ended worse than it began, or lost most of what it had gained, beyond its noise.
    Declined,
    /// Too few points, too much noise, or nothing that measures learning.
    #[default]
    Unknown,
}

/// How the primary metric moved. Numbers are NaN where there is no measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Learning {
    /// The metric that was measured: the primary evaluation, else the reward.
    pub measure: Option<Binding>,
    /// What became of it.
    pub state: LearningState,
    /// Level at the start.
    pub first: f64,
    /// Level at the end.
    pub last: f64,
    /// Points of these two levels.
    pub level_points: (usize, usize),
    /// Best single value.
    pub best: f64,
    /// Step of the best value.
    pub best_step: f64,
    /// Logged finite points.
    pub points: usize,
    /// Probability of so large a change by noise alone, corrected for autocorrelation; NaN where so few points show no noise.
    pub p: f64,
    /// Least change that would count as learning at this noise, in units of the measure; NaN where noise does not decide.
    pub detectable: f64,
    /// Tasks in an evaluation, where it can be inferred from the values.
    pub tasks: Option<u32>,
    /// False when the measure was at its ceiling all along.
    pub room: bool,
    /// One plain sentence with the numbers.
    pub why: RichText,
}

impl Default for Learning {
    fn default() -> Self {
        Self {
            measure: None,
            state: LearningState::Unknown,
            first: f64::NAN,
            last: f64::NAN,
            level_points: (0, 0),
            best: f64::NAN,
            best_step: f64::NAN,
            points: 0,
            p: f64::NAN,
            detectable: f64::NAN,
            tasks: None,
            room: true,
            why: "No logged metric is known as a reward or an evaluation.".into(),
        }
    }
}

impl Learning {
    /// True when the measure is an evaluation and not the training reward.
    pub fn is_evaluated(&self) -> bool {
        self.measure.as_ref().is_some_and(|binding| binding.concept == Concept::Evaluation)
    }

    /// True when the measure has points enough for its levels.
    pub fn is_measured(&self) -> bool {
        self.first.is_finite()
    }
}

/// Judges the primary evaluation of a run, or its reward when there are too few evaluations.
pub fn assess_learning(signals: &Signals<'_>) -> Learning {
    let least = signals.rulebook.learning_evaluations().value as usize;
    let reward = signals.distillation().or_else(|| signals.signal(Concept::Reward));
    let measure = match signals.evaluation() {
        None => reward,
        Some(evaluation) if reward.is_none() => Some(evaluation),
        // An accuracy of the training prompts that is logged less often than the reward tells less.
        Some(evaluation)
            if !evaluation.repeats_tasks() && reward.is_some_and(|reward| reward.len() > 2 * evaluation.len()) =>
        {
            reward
        }
        Some(evaluation) if evaluation.len() >= least => Some(evaluation),
        _ => reward,
    };
    let mut learning = measure.map_or_else(Learning::default, |signal| assess(signals, signal));
    if measure.is_none() && signals.run.columns.is_empty() && signals.run.final_values().next().is_some() {
        learning.why = "Only final values are here: no curve of an evaluation or a reward.".into();
    }
    let mut not_computed = signals.not_computed().iter();
    if let (None, Some(reward)) = (measure, not_computed.find(|signal| signal.binding.concept == Concept::Reward)) {
        learning.why =
            rich!("{} was normalised over the batch: its mean is 0 whatever the policy earns.", metric(reward.key()));
    }
    if let (true, Some(reward)) = (learning.is_evaluated() && learning.state == LearningState::Unknown, reward) {
        ask_reward(signals, &mut learning, reward);
    }
    if let (Some(evaluation), false) = (signals.evaluation(), learning.is_evaluated())
        && evaluation.len() < least
    {
        let points = counted(evaluation.len(), "point");
        learning.why.append(rich!(" {} has {}, too few for a verdict.", metric(evaluation.key()), points));
    }
    learning
}

/// Lets the reward decide where the evaluations are too noisy: an evaluation that did not visibly move and a reward
/// that stood still agree, and so do two rises of which the evaluation's alone would only be likely.
fn ask_reward(signals: &Signals<'_>, learning: &mut Learning, reward: &MetricSeries<'_>) {
    let Some(evaluation) = signals.evaluation() else { return };
    let many =
        evaluation.len() >= EVALUATIONS_FOR_FLAT && reward.len() as f64 >= signals.rulebook.conservative_points().value;
    let Some(change) = signal_change(evaluation) else { return };
    let needed = signals.rulebook.learning_likely_z().value;
    let sign = evaluation.binding.direction.sign();
    let trend_z = trend(evaluation, sign);
    let climbs = |hint: f64| trend_z >= hint && gain_z(evaluation, &change, sign) >= needed;
    // Few have to climb all along: one that is low or high by chance changes both levels.
    let likely = match many {
        true => climbs(HINT_OF_TREND) || stays_above_start(signals, evaluation, &change),
        false => climbs(needed) && sign * change.delta() >= signals.rulebook.learning_share().value,
    };
    // Evaluations that climb by a gain that matters, or begin well below their end, do not rule one out.
    let shows = trend_z >= needed || sign * change.z() >= needed;
    let may_have_gained = shows && sign * change.delta() >= missed_gain(signals, evaluation, &change);
    // The total may rise by its form alone: where the task has a reward of its own, that one has to agree.
    let tasks = |signal: &&MetricSeries<'_>| signal.len() == reward.len() && signal.reward_kind() == RewardKind::Task;
    let reward = signals.signals(Concept::RewardComponent).iter().find(tasks).unwrap_or(reward);
    let agreed = match assess(signals, reward).state {
        LearningState::Improved if likely => LearningState::Improved,
        _ if !many => return,
        LearningState::Flat if !likely && !may_have_gained => LearningState::Flat,
        LearningState::Flat | LearningState::Unknown if stand_still(signals, (evaluation, &change), reward) => {
            LearningState::Flat
        }
        _ => return,
    };
    learning.state = agreed;
    learning.why = sentence(evaluation, learning, &change);
    learning.why.append(rich!(" {} agrees.", metric(reward.key())));
}

/// True where all evaluations after the first together are likely above it, and the last ones are too: what is learned within
/// the first steps leaves no trend.
fn stays_above_start(signals: &Signals<'_>, evaluation: &MetricSeries<'_>, change: &LevelChange) -> bool {
    let book = signals.rulebook;
    let sign = evaluation.binding.direction.sign();
    sign * change.delta() >= book.learning_share().value
        && sign * rest_above_start(evaluation, change) >= book.learning_likely_z().value
}

/// True where neither leaves room for a gain that would show, and both together hint at none: one of four signs of a
/// gain is often there by chance alone.
fn stand_still(
    signals: &Signals<'_>,
    (evaluation, change): (&MetricSeries<'_>, &LevelChange),
    reward: &MetricSeries<'_>,
) -> bool {
    let Some(of_reward) = signal_change(reward) else { return false };
    let book = signals.rulebook;
    let both = [(evaluation, change), (reward, &of_reward)];
    let hints = both.map(|(signal, change)| {
        let sign = signal.binding.direction.sign();
        gain_z(signal, change, sign).max(trend(signal, sign))
    });
    both.iter().all(|(signal, change)| gain_is_ruled_out(signals, signal, change))
        && hints.iter().sum::<f64>() < book.learning_likely_z().value + book.learning_hint_z().value
}

fn assess(signals: &Signals<'_>, signal: &MetricSeries<'_>) -> Learning {
    let down = signal.binding.direction == Direction::Down;
    let better = |a: f64, b: f64| if down { a < b } else { a > b };
    let best = (0..signal.len()).fold(None, |best: Option<usize>, index| match best {
        Some(lowest) if !better(at(signal, index), at(signal, lowest)) => Some(lowest),
        _ => Some(index),
    });
    let mut learning = Learning {
        measure: Some(signal.binding.clone()),
        best: best.map_or(f64::NAN, |index| at(signal, index)),
        best_step: best.map_or(f64::NAN, |index| signal.step(index)),
        points: signal.len(),
        tasks: signal.tasks().filter(|_| signal.binding.unit == Unit::Share && signal.repeats_tasks()),
        ..Learning::default()
    };
    // Trends and the largest gain that is possible are found without extreme points, as levels and noise are.
    let cleaned = signal.without_extremes().map(|values| signal.with_values(values.to_vec()));
    let usual = cleaned.as_ref().unwrap_or(signal);
    let Some(change) = signal_change(signal) else {
        learning.why = rich!("{} has {}: too few.", metric(signal.key()), counted(signal.len(), "point"));
        return learning;
    };
    learning.first = change.first;
    learning.last = change.last;
    learning.level_points = change.points;
    // Of two to four points the levels are single ones: without tasks to sample from nothing tells how far these scatter.
    let has_noise = change.points != (1, 1) || learning.tasks.is_some();
    learning.p = if has_noise { change.p() } else { f64::NAN };
    learning.state = state(signals, usual, &change, signal.binding.direction.sign());
    // A reward that always was between 0 and 1 has the same ceiling as a share. What was lost can be learned again.
    let share = signal.binding.unit == Unit::Share || usual.is_between_zero_and_one();
    let declined = learning.state == LearningState::Declined;
    let highest = if declined { change.last } else { change.first.max(change.last) };
    learning.detectable = detectable(signals.rulebook, &change, signal.binding.unit == Unit::Share);
    learning.room = !(share && highest >= signals.rulebook.learning_room().value) || down;
    learning.why = sentence(signal, &learning, &change);
    learning
}

fn at(signal: &MetricSeries<'_>, index: usize) -> f64 {
    signal.values.get(index).copied().unwrap_or(f64::NAN)
}

fn state(signals: &Signals<'_>, signal: &MetricSeries<'_>, change: &LevelChange, sign: f64) -> LearningState {
    let book = signals.rulebook;
    let evaluated = signal.repeats_tasks();
    let share = signal.binding.unit == Unit::Share;
    let enough = if evaluated { book.learning_evaluations().value } else { book.points_needed().value };
    if (signal.len() as f64) < enough {
        if evaluated {
            return LearningState::Unknown;
        }
        return state_of_few(book, signal, change, sign);
    }
    // A sparse reward stays 0 until the first success; any other constant one scores all responses alike.
    if signal.is_constant() && signal.max() != 0.0 {
        return LearningState::Flat;
    }
    let counts = |delta: f64| {
        let large = if share { delta.abs() >= book.learning_share().value } else { true };
        large && ratio(delta.abs(), change.sigma) >= book.learning_effect().value
    };
    // A steady gain or loss of a few tasks is one of a few tasks all the same.
    let most = largest_deviate(signal, change.delta());
    let z = gain_z(signal, change, sign).min(most);
    let sure = book.learning_z().value;
    // Some lucky batches look like a gain, and what follows them like its loss.
    let has_enough = evaluated || signal.len() as f64 >= book.conservative_points().value;
    let far = if has_enough { sure } else { sure + FURTHER };
    if lost_again(signal, change, sign, far, book.learning_lost().value)
        && counts(change.delta().abs().max(change.sigma))
    {
        return LearningState::Declined;
    }
    // Of many points both take longer than all else here, and most runs are decided without them.
    let trend = LazyCell::new(|| trend(signal, sign).min(most));
    let possible = LazyCell::new(|| largest_gain(&signal.values, change, sign));
    let likely = book.learning_likely_z().value;
    if counts(change.delta()) {
        // Short of sure, a trend over the whole run decides: both together are as unlikely as one sure.
        let hint = book.learning_hint_z().value;
        let both = || z + *trend >= sure * (2.0 + 2.0 * CORRELATION_WITH_TREND).sqrt();
        if z >= sure || (z >= hint && *trend >= hint && both()) {
            return LearningState::Improved;
        }
        // A first evaluation that was lucky looks like a decline to few others.
        let many = has_enough && signal.len() >= EVALUATIONS_FOR_FLAT;
        let fall = fall(&signal.values, change, sign, noise_floor(signal)).min(most);
        // Both compare with the same last points: two correlated deviates are as rare together as one of `sure`.
        let falls_on = || {
            let trend_after = -trend_after_start(&signal.values, change, sign);
            trend_after >= likely && fall + trend_after >= sure * (2.0 + 2.0 * CORRELATION).sqrt()
        };
        if (fall >= sure && (has_enough || *trend <= -likely)) || (many && fall >= likely && falls_on()) {
            return LearningState::Declined;
        }
    }
    let least = (enough as usize).max(EVALUATIONS_FOR_FLAT);
    if fall(&signal.values, change, sign, noise_floor(signal)) >= BACK
        && counts(change.delta())
        && had_moved(signals, signal, -sign, least)
    {
        return LearningState::Declined;
    }
    let few = if evaluated {
        signal.len() < EVALUATIONS_FOR_FLAT
    } else {
        (signal.len() as f64) < book.conservative_points().value
    };
    let hint = book.learning_hint_z().value;
    // Not even a gain that would count is possible.
    let none = || share && *possible < book.learning_share().value;
    let ruled_out = || *possible < missed_gain(signals, signal, change);
    if !few && ruled_out() && ((z < hint && *trend < hint) || none()) {
        // A gain that was there and is lost is a decline. So is a run whose evaluations lie far below the first one.
        let is_first = evaluated && change.points.0 == 1;
        let fell = || is_first && counts(change.delta()) && -sign * rest_above_start(signal, change) >= sure;
        let lost = || had_moved(signals, signal, sign, least) && ends_below_best(signal, change, sign);
        let has_declined = lost() || fell();
        return if has_declined { LearningState::Declined } else { LearningState::Flat };
    }
    LearningState::Unknown
}

/// What few points show where the change is far beyond their noise, or a rise is likely and all points climb.
fn state_of_few(book: &Rulebook, signal: &MetricSeries<'_>, change: &LevelChange, sign: f64) -> LearningState {
    let deviate = sign * change.deviate(change.delta());
    let sure = book.learning_z().value + few_points::MARGIN;
    if signal.len() < few_points::MIN_POINTS {
        return LearningState::Unknown;
    }
    let climbs = || {
        let trend = trend(signal, sign);
        deviate.min(trend) >= book.learning_hint_z().value
            && deviate + trend >= sure * (2.0 + 2.0 * CORRELATION_WITH_TREND).sqrt()
    };
    match deviate {
        _ if lost_again(signal, change, sign, sure + few_points::MARGIN, book.learning_lost().value) => {
            LearningState::Declined
        }
        _ if deviate >= sure || climbs() => LearningState::Improved,
        _ if deviate <= -sure => LearningState::Declined,
        _ => LearningState::Unknown,
    }
}

#[cfg(test)]
mod tests;
