//! The input of a check: the signals of a run, and what all checks ask of it, found once.

use std::ops::Deref;

use crate::kl::KlMovement;
use crate::learning::{Learning, LearningState, assess_learning};
use crate::measure::level::{self, LevelChange};
use crate::measure::series::MetricSeries;
use crate::measure::start_to_end::{FIRST_STEPS, begins_within, signal_change};
use crate::settings::Hyperparameter;
use crate::signals::Signals;
use crate::zero_variance::{Basis, is_always_whole, zero_variance};
use crate::{Code, Finding, QuietReason, Rulebook, Severity};
use rundown_format::Span;
use rundown_format::rich_text::metric;
use rundown_run::{AxisReason, Run};
use rundown_stats as stats;
use rundown_vocabulary::{Bindings, Concept, RewardKind, Unit};

/// Gain of a share, or of another measure in parts of its size, that nobody overlooks; and in standard deviations of a point.
const LARGE_GAIN: f64 = 0.25;
const LARGE_DEVIATION: f64 = 5.0;
/// Points of the primary metric that make a level before some step.
const GAIN_POINTS: usize = 3;
/// Fewest points of it after some step that can show that nothing was gained since.
const STALL_POINTS: usize = 2 * GAIN_POINTS;

/// One run as the checks see it. Dereferences to its [`Signals`], so that a check asks one thing for both.
pub struct Context<'a> {
    /// Whether the run learns its task.
    pub learning: Learning,
    signals: Signals<'a>,
    groups: Option<(MetricSeries<'a>, Basis)>,
    moved: Option<KlMovement<'a>>,
}

impl<'a> Deref for Context<'a> {
    type Target = Signals<'a>;

    fn deref(&self) -> &Self::Target {
        &self.signals
    }
}

impl<'a> Context<'a> {
    /// Prepares the bound series of a run.
    ///
    /// A metric that was never computed (constant where that cannot be) is set aside, so that no check reads it.
    pub fn new(run: &'a Run, bindings: &'a Bindings, rulebook: &'a Rulebook) -> Self {
        let mut signals = Signals::new(run, bindings, rulebook);
        let groups = zero_variance(&signals);
        signals.set_aside_not_computed(is_always_whole(groups.as_ref()));
        let moved = KlMovement::new(&signals);
        let learning = assess_learning(&signals);
        Self { learning, signals, groups, moved }
    }

    /// True where rows stand for steps: their number is not to be compared with that of the planned steps.
    pub(crate) fn counts_rows(&self) -> bool {
        self.run.axis.why == AxisReason::RowCount
    }

    /// True where the steps are those that a trainer counts: no rows, epochs or rollouts.
    pub(crate) fn counts_steps(&self) -> bool {
        matches!(self.run.axis.why, AxisReason::DefineMetric | AxisReason::TrainerCounter)
    }

    /// True where the first row stands about as far from step 0 as the rows from each other: before it nothing is missing, as of a
    /// run that goes on from a checkpoint. A first step is near enough, a first epoch is not.
    pub(crate) fn is_logged_from_start(&self) -> bool {
        let Some((first, last)) = self.run.step_range() else { return false };
        let distance = (last - first) / self.run.axis.steps.len().saturating_sub(1).max(1) as f64;
        // Of few rows the last one may stand at the end of the training, nearer than a row is to the next.
        let is_first_logged = self.run.config.number(&["logging_steps"]).is_some_and(|(_, every)| first == every);
        (first <= 1.0 && self.counts_steps()) || first <= 1.5 * distance || is_first_logged
    }

    /// The planned steps, where the steps of the run are known beside them.
    pub(crate) fn comparable_plan(&self) -> Option<f64> {
        self.planned_steps().filter(|_| !self.counts_rows())
    }

    /// How far the policy has gone from the reference; `None` as for [`Self::kl_per_token`].
    pub(crate) fn moved(&self) -> Option<&KlMovement<'a>> {
        self.moved.as_ref()
    }

    /// Share of zero-variance groups, step by step, and where it comes from.
    pub(crate) fn zero_variance(&self) -> Option<&(MetricSeries<'a>, Basis)> {
        self.groups.as_ref()
    }

    /// Mean share of zero-variance groups over the run.
    pub fn zero_variance_share(&self) -> Option<f64> {
        stats::mean(&self.zero_variance()?.0.values)
    }

    /// Share of the steps in which nearly all are zero-variance groups: hardly one has a gradient.
    pub(crate) fn zero_variance_steps(&self) -> f64 {
        let Some((share, _)) = self.zero_variance() else { return 0.0 };
        let dead = share.values.iter().filter(|value| **value >= self.rulebook.zero_variance_warning().value).count();
        dead as f64 / share.len().max(1) as f64
    }

    /// True when no step of the run could have a gradient from its rewards.
    pub fn rewards_are_constant(&self) -> bool {
        is_always_whole(self.zero_variance())
    }

    /// Whether the primary metric got better after a step than it was just before it, beyond its noise; over
    /// the whole run where too little came before.
    pub fn gained_since(&self, step: f64) -> bool {
        let improved = self.learning.state == LearningState::Improved;
        self.better_since(step).map_or(improved, |z| z >= self.rulebook.learning_likely_z().value)
    }

    /// Whether the primary metric got worse after a step than it was just before it, beyond doubt.
    pub(crate) fn lost_since(&self, step: f64) -> bool {
        self.better_since(step).is_some_and(|z| z <= -self.rulebook.learning_z().value)
    }

    /// True where evaluations do not tell whether the task got better or worse over the run, and did not surely get worse after a
    /// step. Whether they got better since is not asked ([`Self::gained_since`]).
    pub(crate) fn is_undecided_since(&self, step: f64) -> bool {
        self.learning.is_evaluated() && self.learning.state == LearningState::Unknown && !self.lost_since(step)
    }

    /// The same as [`Self::lost_since`] where something else went wrong at that step: two likely signs together are as rare as one beyond doubt.
    pub(crate) fn likely_lost_since(&self, step: f64) -> bool {
        self.better_since(step).is_some_and(|z| z <= -self.rulebook.learning_likely_z().value)
    }

    /// Whether the primary metric got better after a step than it was just before it, beyond doubt.
    pub(crate) fn surely_gained_since(&self, step: f64) -> bool {
        self.better_since(step).is_some_and(|z| z >= self.rulebook.learning_z().value)
    }

    /// The norm to which gradients are clipped, by the config.
    pub(crate) fn gradient_clip(&self) -> Option<f64> {
        self.setting(Hyperparameter::MaxGradNorm).map(|setting| setting.value).filter(|clip| *clip > 0.0)
    }

    /// True where the task was learned for the most part: by a quarter of a share, or of another measure by a quarter of its
    /// size and many times its noise. The problem that a check reports did not prevent it.
    pub(crate) fn gained_much(&self) -> bool {
        let learning = &self.learning;
        let Some(signal) = self.measure().filter(|_| learning.state == LearningState::Improved) else { return false };
        let size = learning.first.abs().max(learning.last.abs());
        let least = match signal.is_between_zero_and_one() {
            true => LARGE_GAIN,
            false => (LARGE_GAIN * size).max(LARGE_DEVIATION * signal.noise().point),
        };
        (learning.last - learning.first).abs() >= least
    }

    /// How much better the primary metric is at the end than just before a step, in standard errors; 0 where
    /// the difference is too small to count, `None` where too little came before.
    fn better_since(&self, step: f64) -> Option<f64> {
        let signal = self.measure()?;
        let before = signal.steps.partition_point(|at| *at < step);
        let window = signal.values.get(before.checked_sub(GAIN_POINTS)?..).unwrap_or(&[]);
        let tail = (window.len() / 5).max(GAIN_POINTS);
        level::change(window, GAIN_POINTS, tail, 0.0).map(|change| self.gain(signal, &change))
    }

    /// How much better a signal got by a change, in standard errors; 0 where that is too little to count.
    fn gain(&self, signal: &MetricSeries<'_>, change: &LevelChange) -> f64 {
        let large = signal.binding.unit != Unit::Share || change.delta().abs() >= self.rulebook.learning_share().value;
        if large { signal.binding.direction.sign() * change.z() } else { 0.0 }
    }

    /// True when the primary metric got better, beyond its noise.
    pub fn improved(&self) -> bool {
        self.learning.state == LearningState::Improved
    }

    /// Why a number that meets its limit makes no finding, as far as the primary metric tells.
    pub(crate) fn reason_by_learning(&self) -> QuietReason {
        match self.learning.state {
            _ if !self.learning.room => QuietReason::AtCeiling,
            LearningState::Improved => QuietReason::Improved,
            LearningState::Unknown => QuietReason::NoHarm,
            LearningState::Flat | LearningState::Declined => QuietReason::OtherConditions,
        }
    }

    /// The change of the primary metric, positive where it got better; 0 where nothing hints at one.
    pub(crate) fn hinted_change(&self) -> f64 {
        let learning = &self.learning;
        let sign = learning.measure.as_ref().map_or(1.0, |measure| measure.direction.sign());
        let hint = 2.0 * stats::normal_sf(self.rulebook.learning_hint_z().value);
        if learning.p <= hint { sign * (learning.last - learning.first) } else { 0.0 }
    }

    /// True when the task is known to suffer: the primary metric declined, or stands still below its ceiling.
    pub fn suffers(&self) -> bool {
        match self.learning.state {
            LearningState::Declined => true,
            LearningState::Flat => self.learning.room,
            LearningState::Improved | LearningState::Unknown => false,
        }
    }

    /// True when the task suffers from some step on: as [`Self::suffers`], or it has gained nothing since, with room
    /// left and enough logged to tell.
    ///
    /// What was learned before the step does not speak for what came after it.
    pub fn stalls_since(&self, step: f64) -> bool {
        if self.suffers() {
            return true;
        }
        // Few points that show no change leave room for any.
        let is_open = self.learning.state == LearningState::Unknown && !self.is_long_enough();
        if !self.learning.room || is_open {
            return false;
        }
        // Where too few evaluations came after it, the reward of each batch tells.
        let of_measure = self.measure().and_then(|signal| self.gain_after(signal, step));
        let of_reward = self.signal(Concept::Reward).and_then(|reward| self.gain_after(reward, step));
        let likely = self.rulebook.learning_likely_z().value;
        match (of_measure, of_reward) {
            // A gain of the evaluation by luck alone has none of the reward beside it.
            (Some(gain), Some(of_reward)) if self.learning.is_evaluated() => {
                gain < likely || gain + of_reward < 2.0 * likely
            }
            (Some(gain), _) | (None, Some(gain)) => gain < likely,
            (None, None) => false,
        }
    }

    /// How much a signal gained from its first points after a step to its last, in standard errors; 0 where that is too
    /// little to count, `None` where too few points tell.
    fn gain_after(&self, signal: &MetricSeries<'_>, step: f64) -> Option<f64> {
        change_after(signal, step).map(|change| self.gain(signal, &change))
    }

    /// The accuracy of the training batches, or the part of the reward that is of the task, that surely got better from a step on,
    /// and by what. Such a gain may be too small to count as learning: its direction is known all the same.
    pub(crate) fn gained_in_training(&self, step: f64) -> Option<(&MetricSeries<'a>, LevelChange)> {
        let accuracies = self.signals(Concept::Evaluation).iter().filter(|signal| !signal.repeats_tasks());
        let parts = self.signals(Concept::RewardComponent).iter();
        let parts = parts.filter(|part| part.reward_kind() == RewardKind::Task);
        accuracies.chain(parts).find_map(|signal| {
            let change = change_after(signal, step)?;
            let gain = signal.binding.direction.sign() * change.deviate(change.delta());
            (gain >= self.rulebook.learning_z().value).then_some((signal, change))
        })
    }

    /// True when the training reward was well above its start at some time: then the optimiser worked.
    pub fn reward_ever_rose(&self) -> bool {
        let Some(reward) = self.signal(Concept::Reward) else { return false };
        let Some(change) = signal_change(reward) else { return false };
        let levels = reward.smoothed((reward.len() / 20).max(GAIN_POINTS));
        let peak = levels.into_iter().reduce(f64::max).unwrap_or(change.first);
        // A run that breaks at once was at its best before that.
        let first = change.first.max(reward.start_level(GAIN_POINTS));
        // Picked from many levels, so it has to stand out by more than one that was not.
        level::ratio(peak - first, change.error) >= self.rulebook.learning_z().value + 1.0
    }

    /// True when the training reward ended above its start, where an evaluation is what measures learning: then a
    /// decline is one of the task, not of the training.
    pub fn reward_rose(&self) -> bool {
        self.reward_moved(1.0)
    }

    /// True when the training reward ended below its start, where an evaluation is what measures learning.
    pub(crate) fn reward_fell(&self) -> bool {
        self.reward_moved(-1.0)
    }

    /// The rise of the training reward since a step, beyond its noise, where an evaluation is what measures learning: after the best
    /// evaluation it is one of the reward alone (Gao et al. 2022, arXiv 2210.10760).
    pub(crate) fn reward_rise_since(&self, onset: f64) -> Option<LevelChange> {
        let reward = self.signal(Concept::Reward).filter(|_| self.learning.is_evaluated())?;
        let change = level::change_of_halves(reward, onset)?;
        (change.z() >= self.rulebook.learning_z().value).then_some(change)
    }

    fn reward_moved(&self, sign: f64) -> bool {
        let reward = self.signal(Concept::Reward).filter(|_| self.learning.is_evaluated());
        reward.and_then(signal_change).is_some_and(|change| {
            sign * change.z() >= self.rulebook.learning_z().value
                && sign * change.effect() >= self.rulebook.learning_effect().value
        })
    }

    /// True where the last evaluations score 0 and an earlier one did not.
    pub(crate) fn solves_nothing_any_more(&self) -> bool {
        let evaluation = self.evaluation().filter(|signal| signal.repeats_tasks() && signal.min() >= 0.0);
        evaluation.is_some_and(|signal| {
            let zeros = signal.values.iter().rev().take_while(|value| **value == 0.0).count();
            signal.binding.direction.sign() > 0.0 && (GAIN_POINTS..signal.len()).contains(&zeros)
        })
    }

    /// True where the reward declined because the weight of one of its parts is lowered: what became of the others is not measured.
    pub(crate) fn is_lowered_by_schedule(&self, findings: &[Finding]) -> bool {
        // Any other decline of the primary metric is a warning at least.
        let is_note =
            |finding: &Finding| finding.code == Code::RegressionFromPeak && finding.severity == Severity::Note;
        self.learning.state == LearningState::Declined && findings.iter().any(is_note)
    }

    /// The primary metric.
    pub(crate) fn measure(&self) -> Option<&MetricSeries<'a>> {
        self.signal_of(&self.learning.measure.as_ref()?.key)
    }

    /// True when the first evaluation is the best, and of the initial weights: no checkpoint of the run is better than those.
    pub(crate) fn starts_best(&self) -> bool {
        let first = self.measure().and_then(|measure| measure.steps.first().copied());
        self.evaluates_start() && first == Some(self.learning.best_step)
    }

    /// True for an evaluation of the initial weights, or of those after the first steps, with later ones to compare. One that comes
    /// a whole interval after the start is of a checkpoint.
    pub(crate) fn evaluates_start(&self) -> bool {
        let measure = self.measure().filter(|measure| self.learning.is_evaluated() && measure.len() >= GAIN_POINTS);
        measure.is_some_and(|measure| begins_within(measure, FIRST_STEPS, 0.5))
    }

    /// True where the primary metric was at its ceiling from the first step on and stayed there: nothing was left to learn.
    pub(crate) fn starts_solved(&self) -> bool {
        let learning = &self.learning;
        let did_not_move = matches!(learning.state, LearningState::Flat | LearningState::Unknown);
        let room = self.rulebook.learning_room().value;
        // What is learned within the first steps hardly shows in the level of the start. So few points may lie twice as far off.
        let began = self.measure().map(|signal| signal.start_level(if signal.repeats_tasks() { 1 } else { 3 }));
        let began_there = began.is_some_and(|level| level >= 2.0 * room - 1.0);
        did_not_move && !learning.room && learning.first >= room && began_there
    }

    /// Key of the primary metric, for a sentence.
    pub(crate) fn measure_key(&self) -> Span {
        self.learning.measure.as_ref().map_or_else(|| "the primary metric".into(), |binding| metric(&binding.key))
    }

    /// True when an evaluation got better, beyond its noise.
    pub(crate) fn is_learned(&self) -> bool {
        self.learning.is_evaluated() && self.learning.state == LearningState::Improved
    }
}

/// The change of a signal from its first points after a step to its last; `None` where too few points tell.
fn change_after(signal: &MetricSeries<'_>, step: f64) -> Option<LevelChange> {
    // Levels from after the step alone: one from before it lags behind where learning was fast.
    let window = signal.values.get(signal.steps.partition_point(|at| *at < step)..)?;
    let after = window.len();
    if after < (signal.len() / 10).max(STALL_POINTS) {
        return None;
    }
    level::change(window, (after / 10).max(GAIN_POINTS), (after / 5).max(GAIN_POINTS), 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::testing::{Synthetic, within};
    use rundown_run::ConfigValue;

    #[test]
    fn what_begins_within_the_first_step_is_logged_from_the_start_and_within_the_first_epoch_is_not() {
        let is_from_start = |why: AxisReason| {
            let mut run = Synthetic::healthy(100).build();
            run.axis.why = why;
            run.axis.steps.iter_mut().for_each(|step| *step = 0.5 + 0.01 * *step);
            within(&run, |context| context.is_logged_from_start())
        };
        assert!(is_from_start(AxisReason::TrainerCounter) && !is_from_start(AxisReason::CoarseCounter));
    }

    #[test]
    fn the_first_of_two_rows_is_as_far_from_the_start_as_the_settings_say() {
        let is_from_start = |steps: &[f64], every: f64| {
            let mut run = Run::default();
            for &step in steps {
                let row = run.push_row(step, f64::NAN);
                run.push_value("reward", row, 0.1);
            }
            run.choose_axis();
            run.config.insert("logging_steps", ConfigValue::Number(every));
            within(&run, |context| context.is_logged_from_start())
        };
        assert!(is_from_start(&[10.0, 14.0], 10.0) && !is_from_start(&[10.0, 14.0], 1.0));
        let resumed: Vec<f64> = (0..40).map(|row| 400.0 + f64::from(row)).collect();
        assert!(!is_from_start(&resumed, 500.0), "the Trainer's usual setting, and rows of another logger");
    }
}
