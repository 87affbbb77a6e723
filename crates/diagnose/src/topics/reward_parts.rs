//! The reward and the functions that it is made of: what rose, and whether that was form or task.
//!
//! Shared by the checks that tell gaming a reward from learning, and learning from memorising.

use crate::advice::advice;
use crate::context::Context;
use crate::measure::level::{self, LevelChange};
use crate::measure::onset;
use crate::measure::series::{Fifth, MetricSeries, value_at};
use crate::topics::drop_from_peak::{DropFromPeak, drop_from_peak};
use crate::{Action, Evidence};
use rundown_format::rich_text::{metric, number};
use rundown_format::{RichText, rich};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, RewardKind};

/// Part of its level, and distance of a score between 0 and 1, by which a measure may have moved and still has stayed.
const STAYED: f64 = 0.1;
const STAYED_NEAR_ZERO: f64 = 0.02;

/// Part of the gain of the total up to which that of a function is negligible: 1 % of right answers more beside half of
/// the reward.
pub(crate) const NEGLIGIBLE: f64 = 0.02;
/// Relative distance of the worth of a success from step to step, and share of the steps that keep to it. Spreads over few
/// responses are those of a sample: a quarter larger for four of them.
const SAME_WORTH: f64 = 0.3;
const NEARLY_ALL: f64 = 0.8;
/// Fewest steps that show what a success is worth.
const MIN_SUCCESSES: usize = 5;
/// One in so many points is the start of a reward: a policy may find its shortcut within the first tenth. The first tenth itself is the
/// start where the noise of so few points hides a rise of the total that the tenth shows.
const EARLY: usize = 50;
const WIDER: usize = 10;
/// Parts of the names of what is taken off a reward.
const PENALTIES: [&str; 3] = ["penal", "punish", "cost"];
/// Relative error of a total that was added up and written.
const ROUNDING: f64 = 1e-6;
/// Fewest steps that show what a total is made of.
const MIN_COMPARED: usize = 10;

/// Which way a number went.
pub(crate) fn fell_or_rose(first: f64, last: f64) -> &'static str {
    if last < first { "fell" } else { "rose" }
}

/// How a metric moved; that it stayed where the shown digits are equal.
pub(crate) fn went(first: f64, last: f64) -> RichText {
    let (from, to) = (number(first), number(last));
    if from.plain() == to.plain() {
        return rich!("stayed at {}", to);
    }
    rich!("{} from {} to {}", fell_or_rose(first, last), from, to)
}

/// Where a measure that did not get better ended: it may have fallen, within its noise.
pub(crate) fn stayed_or_went(first: f64, last: f64) -> RichText {
    match has_stayed(first, last) {
        true => rich!("stayed at {}", number(last)),
        false => rich!("went from {} to {}", number(first), number(last)),
    }
}

fn has_stayed(first: f64, last: f64) -> bool {
    let largest = first.abs().max(last.abs());
    let near_zero = if largest <= 1.0 { STAYED_NEAR_ZERO } else { 0.0 };
    (last - first).abs() <= (STAYED * largest).max(near_zero)
}

/// The same of the primary metric; from the best level that it held, where it fell from that beyond doubt.
pub(crate) fn measure_stayed_or_went(context: &Context<'_>) -> RichText {
    match fall_of_measure(context) {
        Some(fall) => rich!("went from {} at its best to {}", number(fall.peak), number(fall.last)),
        None => stayed_or_went(context.learning.first, context.learning.last),
    }
}

/// Evidence for [`measure_stayed_or_went`]: the levels of the primary metric, with the best one where it fell from that.
pub(crate) fn levels_of_measure(context: &Context<'_>) -> Vec<Evidence> {
    let mut levels = vec![Evidence::new("evaluation at the start", context.learning.first, "")];
    let best = fall_of_measure(context);
    levels.extend(best.map(|fall| Evidence::new("best evaluation level that lasted", fall.peak, "")));
    levels.push(Evidence::new("evaluation at the end", context.learning.last, ""));
    levels
}

/// The fall of the primary metric from its best lasting level, where it is beyond doubt and not negligible.
fn fall_of_measure(context: &Context<'_>) -> Option<DropFromPeak> {
    let measure = context.measure()?;
    let is_fall = |fall: &DropFromPeak| fall.is_sure(measure, context.rulebook) && !has_stayed(fall.peak, fall.last);
    drop_from_peak(measure).filter(is_fall)
}

/// One reward function.
pub(crate) struct RewardPart<'s, 'a> {
    /// Its mean over the batch.
    pub signal: &'s MetricSeries<'a>,
    /// What its name says that it rewards.
    pub kind: RewardKind,
    /// From its start to its end.
    pub change: LevelChange,
    /// Largest minus smallest value of a response, as far as is known, else of a batch.
    pub range: f64,
    /// Its fall from its best lasting level to its end, of a function of the task that fell beyond doubt.
    pub fall: Option<DropFromPeak>,
}

/// The total reward, its rise, and its parts.
pub(crate) struct Rewards<'s, 'a> {
    /// The run.
    pub context: &'s Context<'a>,
    /// The total.
    pub reward: &'s MetricSeries<'a>,
    /// From its start to its end.
    pub gain: LevelChange,
    /// Its functions, as far as they are logged.
    pub parts: Vec<RewardPart<'s, 'a>>,
}

impl<'s, 'a> Rewards<'s, 'a> {
    /// The rewards of a run; `None` without a reward or with too few points for two levels.
    pub fn new(context: &'s Context<'a>) -> Option<Self> {
        let reward = context.signal(Concept::Reward)?;
        let book = context.rulebook;
        let sure = book.learning_z().value;
        let early = gain(reward, EARLY)?;
        let is_hidden = |wider: &LevelChange| early.delta() > 0.0 && early.z() < sure && wider.z() >= sure;
        let wider = gain(reward, WIDER).filter(is_hidden);
        let divisor = if wider.is_some() { WIDER } else { EARLY };
        let part = |signal: &'s MetricSeries<'a>| {
            let observed = signal.max() - signal.min();
            let (kind, range) = (
                signal.reward_kind(),
                reward_of_success(context, signal).map_or(observed, |reward| reward.max(observed)),
            );
            let is_large = |fall: &DropFromPeak| {
                fall.lost() >= book.hacking_task_change().value * range
                    && fall.share_of_gain() >= book.regression_lost().value
            };
            let fall = drop_from_peak(signal).filter(|fall| kind == RewardKind::Task && is_large(fall));
            let fall = fall.filter(|fall| fall.is_sure(signal, book));
            Some(RewardPart { kind, change: gain(signal, divisor)?, range, fall, signal })
        };
        let parts = context.signals(Concept::RewardComponent).iter().filter_map(part).collect();
        Some(Self { context, reward, gain: wider.unwrap_or(early), parts })
    }

    /// True when the reward rose beyond its noise, was measured often enough, and keeps most of its best gain: a
    /// policy that games its reward does not let go of it, and one that lost both reward and task was damaged.
    pub fn rose(&self) -> bool {
        let book = self.context.rulebook;
        self.context.has_levels(self.reward)
            && self.is_sure(&self.gain, 1.0)
            && self.gain.effect() >= book.learning_effect().value
            && self.is_kept()
    }

    fn is_kept(&self) -> bool {
        let smooth = self.reward.smoothed((self.reward.len() / 40).max(2));
        let peak = smooth.iter().copied().reduce(f64::max).unwrap_or(self.gain.last);
        self.gain.delta() >= self.context.rulebook.hacking_kept().value * (peak - self.gain.first)
    }

    /// True when a change is beyond its noise in the direction of `sign`.
    pub fn is_sure(&self, change: &LevelChange, sign: f64) -> bool {
        sign * change.z() >= self.context.rulebook.learning_z().value
    }

    /// The reward functions of a kind.
    pub fn of_kind(&self, kind: RewardKind) -> impl Iterator<Item = &RewardPart<'s, 'a>> {
        self.parts.iter().filter(move |part| part.kind == kind)
    }

    /// True when a reward function is named after the task.
    pub fn has_task_part(&self) -> bool {
        self.of_kind(RewardKind::Task).next().is_some()
    }

    /// The reward functions of the task: those named after it, else those whose names do not say what they reward.
    pub fn task_parts(&self) -> impl Iterator<Item = &RewardPart<'s, 'a>> {
        self.of_kind(if self.has_task_part() { RewardKind::Task } else { RewardKind::Unknown })
    }

    /// True when a reward function of the task itself rose and kept its gain: then it is real on the training prompts.
    pub fn task_rose(&self) -> bool {
        self.of_kind(RewardKind::Task).any(|part| {
            part.fall.is_none() && self.is_sure(&part.change, 1.0) && self.matters(part, part.change.delta())
        })
    }

    /// True for a gain of a reward function that is neither small beside its own range nor negligible beside the gain of the
    /// total.
    fn matters(&self, part: &RewardPart<'_, '_>, gain: f64) -> bool {
        let least = self.context.rulebook.hacking_task_change().value * part.range;
        gain >= least && gain >= NEGLIGIBLE * self.gain.delta()
    }

    /// True when the last fifth of a reward function is likely above its first, by a part of its range that matters. Its
    /// start, of few points, may be too noisy to show that.
    pub fn likely_rose(&self, part: &RewardPart<'_, '_>) -> bool {
        let gain = part.signal.level(Fifth::Last) - part.signal.level(Fifth::First);
        let (first, last) = part.change.points;
        let inverse = |points: usize| 1.0 / points.max(1) as f64;
        // The error of the change is that of a start and an end of so many points.
        let fifth = part.signal.fifth(Fifth::First).len().min(part.signal.fifth(Fifth::Last).len());
        let error = part.change.error * (2.0 * inverse(fifth) / (inverse(first) + inverse(last))).sqrt();
        let likely = self.context.rulebook.learning_likely_z().value;
        part.fall.is_none() && gain >= likely * error && self.matters(part, gain)
    }

    /// True when a reward function of the task itself had begun to fall from its best level by a step.
    pub fn task_fell_by(&self, step: f64) -> bool {
        self.of_kind(RewardKind::Task).any(|part| part.fall.is_some_and(|fall| fall.onset <= step))
    }

    /// Share of all gains that is by form.
    pub fn form_share(&self) -> f64 {
        self.share_of(|kind| kind == RewardKind::Form)
    }

    /// Share of all gains that is by reward functions other than the task's: where one is named after the task, those
    /// whose names do not say what they reward are others too.
    pub fn share_beside_task(&self) -> f64 {
        let is_named = self.has_task_part();
        self.share_of(|kind| kind == RewardKind::Form || (is_named && kind == RewardKind::Unknown))
    }

    fn share_of(&self, counts: impl Fn(RewardKind) -> bool) -> f64 {
        let gained = |part: &RewardPart<'_, '_>| part.change.delta().max(0.0);
        let all: f64 = self.parts.iter().map(gained).sum();
        let some: f64 = self.parts.iter().filter(|part| counts(part.kind)).map(gained).sum();
        if all > 0.0 { some / all } else { 0.0 }
    }

    /// True where the total is made without the function of the task: at each step at which that is not zero, the total
    /// is another function alone, or the sum of the others.
    pub fn leaves_task_out(&self) -> bool {
        let task: Vec<_> = self.of_kind(RewardKind::Task).map(|part| part.signal).collect();
        let others: Vec<_> =
            self.parts.iter().filter(|part| part.kind != RewardKind::Task).map(|part| part.signal).collect();
        let mut is_total = vec![true; others.len() + 1];
        let mut compared = 0;
        for (step, total) in self.reward.steps.iter().zip(self.reward.values.iter()) {
            let at = |signal: &&MetricSeries<'_>| value_at(&signal.steps, &signal.values, *step);
            let is_visible = |value: f64| value.abs() > 10.0 * ROUNDING * (1.0 + total.abs());
            let Some(values) = others.iter().map(at).collect::<Option<Vec<f64>>>() else { continue };
            if !task.iter().filter_map(at).any(is_visible) {
                continue;
            }
            compared += 1;
            let sum = values.iter().sum();
            for (is_total, value) in is_total.iter_mut().zip(values.into_iter().chain([sum])) {
                *is_total &= (value - total).abs() <= ROUNDING * (1.0 + total.abs());
            }
        }
        compared >= MIN_COMPARED && !others.is_empty() && is_total.contains(&true)
    }

    /// The reward function that gained most, other than those of the task.
    pub fn driver(&self) -> Option<&RewardPart<'s, 'a>> {
        let gained = self.parts.iter().filter(|part| part.kind != RewardKind::Task && part.change.delta() > 0.0);
        gained.max_by(|a, b| a.change.delta().total_cmp(&b.change.delta()))
    }

    /// What to do about what drives the reward: let the task decide.
    pub fn gate(&self, watch: &str) -> Action {
        let driver = self.driver().map(|part| part.signal.key());
        let task = self.of_kind(RewardKind::Task).next().map(|part| part.signal.key());
        let (text, effect) = match (driver, task) {
            (Some(driver), Some(task)) => (
                rich!("Gate {} by {}, or give it a weight of at most 0.1", metric(driver), metric(task)),
                "correctness becomes the only gradient",
            ),
            (Some(driver), None) => (
                rich!("Add a reward for the right answer and weigh {} at most 0.1", metric(driver)),
                "correctness becomes the main gradient",
            ),
            _ => ("Harden the verifier on the responses that score highest".into(), "closes the shortcut"),
        };
        advice(&text, effect, "the reward looks lower at first", watch)
    }

    /// The step at which what drives the reward sets off; without a driver, the step from which the smoothed reward
    /// stays above its start by a tenth of the gain.
    pub fn onset(&self) -> f64 {
        let all: f64 = self.parts.iter().map(|part| part.change.delta().max(0.0)).sum();
        if let Some(part) = self.driver().filter(|part| part.change.delta() >= 0.5 * all) {
            let place = onset::of_change(&part.signal.values, 0, part.change.first, part.change.last);
            return part.signal.step(place.min(part.signal.len() - 1));
        }
        let smooth = self.reward.smoothed((self.reward.len() / 100).max(2));
        let line = self.gain.first + 0.1 * self.gain.delta();
        let below = smooth.iter().rposition(|value| *value <= line);
        self.reward.step(below.map_or(0, |index| (index + 1).min(self.reward.len() - 1)))
    }
}

/// True for what is taken off the reward: its highest value, 0, is earned by doing nothing wrong.
pub(crate) fn is_penalty(part: &MetricSeries<'_>) -> bool {
    let key = part.key().to_ascii_lowercase();
    PENALTIES.iter().any(|word| key.contains(word))
}

/// True where the run has reward functions of the task and none of them gave a response anything in any row.
pub(crate) fn never_scores(context: &Context<'_>) -> bool {
    let least = context.rulebook.constant_points().value;
    let is_of_task = |part: &&MetricSeries<'_>| part.reward_kind() == RewardKind::Task && !is_penalty(part);
    let mut parts = context.signals(Concept::RewardComponent).iter().filter(is_of_task).peekable();
    parts.peek().is_some() && parts.all(|part| part.len() as f64 >= least && part.is_constant() && part.max() <= 0.0)
}

/// What a success is worth to a function that gives either that or 0: `E[x²] / E[x]`, from its mean and its spread over the
/// responses of each step. Spreads of several batches are logged as their mean, which is too small where most batches have
/// no success: only the steps of high means count. `None` where the spread is not logged beside it, or where the function
/// has other values.
fn reward_of_success(context: &Context<'_>, signal: &MetricSeries<'_>) -> Option<f64> {
    let spread = context.run.series(&format!("{}/std", signal.key().strip_suffix("/mean")?))?;
    let high = 0.5 * signal.max();
    let means = signal.steps.iter().zip(signal.values.iter()).filter(|(_, mean)| **mean > 0.0 && **mean >= high);
    let square_mean = |step: f64, mean: f64| {
        value_at(&spread.steps, &spread.values, step).map(|spread| spread * spread + mean * mean)
    };
    let worth = means.filter_map(|(step, mean)| Some(square_mean(*step, *mean)? / mean));
    let worth: Vec<f64> = worth.filter(|worth| worth.is_finite()).collect();
    let usual = stats::median(&worth)?;
    let near = worth.iter().filter(|worth| (*worth / usual - 1.0).abs() <= SAME_WORTH).count();
    let is_one = signal.min() >= 0.0 && near as f64 >= NEARLY_ALL * worth.len() as f64;
    (is_one && worth.len() >= MIN_SUCCESSES).then_some(usual)
}

/// The change from the mean of the first points, one in so many, to that of the last fifth.
fn gain(signal: &MetricSeries<'_>, divisor: usize) -> Option<LevelChange> {
    level::change_of(signal, (signal.len() / divisor).max(5), signal.len() / 5, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, within};
    use rundown_run::Run;

    #[test]
    fn an_evaluation_that_fell_from_its_best_level_has_not_stayed_at_its_end() {
        let right = [15.0, 12.0, 22.0, 46.0, 44.0, 51.0, 37.0, 44.0, 51.0, 30.0, 10.0, 2.0];
        let told = |end: f64| {
            let level = move |t: f64| right.get((t * 20.1).round() as usize).copied().unwrap_or(end) / 960.0;
            let run = Synthetic::healthy(201).every("eval/accuracy", 10, level).build();
            within(&run, |context| (measure_stayed_or_went(context).to_string(), levels_of_measure(context).len()))
        };
        let (fell, levels) = told(0.0);
        assert!(fell.starts_with("went from 0.04") && fell.contains("at its best to") && levels == 3, "{fell}");
        let (rose, levels) = told(46.0);
        assert!(rose.starts_with("went from 0.0156 to 0.04") && levels == 2, "{rose}");
    }

    #[test]
    fn a_rise_that_the_first_points_are_too_noisy_for_is_that_from_the_first_tenth() {
        let starts = |rise: f64, early: f64| {
            let sign = |t: f64| if ((1000.0 * t).round() as u32).is_multiple_of(2) { 1.0 } else { -1.0 };
            let part = move |t: f64| 0.18 * sign(t) + if t < 0.2 { 0.2 } else { 0.2 + rise };
            let total = move |t: f64| part(t) + if t < 0.02 { early } else { 0.0 };
            let run = Synthetic::new(1000).every("train/reward", 1, total).every("train/rewards/tone/mean", 1, part);
            within(&run.build(), |context| {
                let rewards = Rewards::new(context).unwrap();
                (rewards.rose(), [rewards.gain.points.0, rewards.parts[0].change.points.0])
            })
        };
        // The end lies 2.3 standard errors above the first 20 points, and 4.5 above the first 100.
        assert_eq!(starts(0.07, 0.0), (true, [100, 100]));
        // 2.2 above the first 100.
        assert!(!starts(0.035, 0.0).0);
        assert_eq!(starts(0.5, 1.0), (false, [20, 20]), "it fell from its first points, which is no rise");
        assert_eq!(starts(0.07, -0.5).1, [20, 20], "a part starts where the total does");
    }

    #[test]
    fn rows_of_one_step_are_not_mixed_up() {
        let mut run = Run::default();
        // The first row is of a start that was broken off.
        for (step, begins_at) in std::iter::once((0, 0.3)).chain((0..45).map(|step| (step, 0.2))) {
            let row = run.push_row(f64::from(step), f64::NAN);
            let judged = begins_at + 0.01 * f64::from(step);
            run.push_value("train/reward", row, judged);
            run.push_value("train/rewards/judge_g/mean", row, judged);
            run.push_value("train/rewards/correctness_f/mean", row, 0.002 + 0.001 * f64::from(step % 3));
        }
        run.choose_axis();
        let leaves_out = |context: &Context<'_>| Rewards::new(context).is_some_and(|rewards| rewards.leaves_task_out());
        assert!(within(&run, leaves_out));
        assert_eq!(value_at(&[0.0, 0.0, 1.0], &[3.0, 4.0, 5.0], 0.0), None);
        assert_eq!(value_at(&[0.0, 0.0, 1.0], &[3.0, 4.0, 5.0], 1.0), Some(5.0));
    }
}
