//! The input of a check: the run, its metric mapping, the rulebook, and each series prepared once.

use crate::format::Span;
use crate::format::rich_text::metric;
use std::collections::BTreeMap;

use crate::diagnose::Rulebook;
use crate::diagnose::learning::{self, Learning, LearningState};
use crate::diagnose::measure::kl::KlMovement;
use crate::diagnose::measure::level;
use crate::diagnose::measure::series::{Fifth, MetricSeries};
use crate::diagnose::measure::zero_variance::{self, Basis};
use crate::diagnose::settings::{self, Hyperparameter, Setting};
use crate::run::{Run, RunState};
use crate::stats;
use crate::vocabulary::{Bindings, Concept, Direction, Unit};

/// Share of the planned steps from which a run that goes on is mostly done.
const MOSTLY: f64 = 0.5;
/// Points of the measure of learning that make a level before some step.
const GAIN_POINTS: usize = 3;
/// Fewest points of it after some step that can show that nothing was gained since.
const STALL_POINTS: usize = 2 * GAIN_POINTS;

/// One run as the checks see it.
pub struct Context<'a> {
    /// The run.
    pub run: &'a Run,
    /// Which key stands for which concept.
    pub bindings: &'a Bindings,
    /// The numbers to compare with.
    pub rulebook: &'a Rulebook,
    /// Whether the run learns its task.
    pub learning: Learning,
    signals: BTreeMap<Concept, Vec<MetricSeries<'a>>>,
    not_computed: Vec<MetricSeries<'a>>,
    groups: Option<(MetricSeries<'a>, Basis)>,
    moved: Option<KlMovement<'a>>,
    warmup_end: Option<f64>,
    points_after_warmup: usize,
}

impl<'a> Context<'a> {
    /// Prepares the bound series of a run.
    ///
    /// A metric that was never computed (constant where that cannot be) is set aside, so that no check reads it.
    pub fn new(run: &'a Run, bindings: &'a Bindings, rulebook: &'a Rulebook) -> Self {
        let mut signals: BTreeMap<Concept, Vec<MetricSeries<'a>>> = BTreeMap::new();
        for binding in bindings.iter() {
            // Events that stand beside a run by the clock are series as well.
            let series = run.series(&binding.key).or_else(|| run.system_series(&binding.key));
            let Some(series) = series else { continue };
            signals.entry(binding.concept).or_default().push(MetricSeries::new(binding, series));
        }
        let mut context = Self {
            run,
            bindings,
            rulebook,
            learning: Learning::default(),
            signals,
            not_computed: Vec::new(),
            groups: None,
            moved: None,
            warmup_end: None,
            points_after_warmup: 0,
        };
        context.warmup_end = context.find_warmup_end();
        context.points_after_warmup = context.count_after_warmup();
        context.groups = zero_variance::zero_variance(&context);
        context.set_aside_not_computed();
        context.moved = KlMovement::new(&context);
        context.learning = learning::assess_learning(&context);
        context
    }

    /// The primary signal of a concept: the first with a finite point.
    pub fn signal(&self, concept: Concept) -> Option<&MetricSeries<'a>> {
        self.signals(concept).iter().find(|signal| !signal.is_empty())
    }

    /// Every signal of a concept, the primary one first; those without a finite point included.
    pub fn signals(&self, concept: Concept) -> &[MetricSeries<'a>] {
        self.signals.get(&concept).map_or(&[], Vec::as_slice)
    }

    /// Metrics that were never computed, by concept.
    pub fn not_computed(&self) -> &[MetricSeries<'a>] {
        &self.not_computed
    }

    /// The signal of a metric key.
    pub fn signal_of(&self, key: &str) -> Option<&MetricSeries<'a>> {
        self.signals.values().flatten().find(|signal| signal.key() == key)
    }

    /// The evaluation that measures learning, if there is one whose better direction is known.
    pub fn evaluation(&self) -> Option<&MetricSeries<'a>> {
        self.signals(Concept::Evaluation)
            .iter()
            .find(|signal| !signal.is_empty() && signal.binding.direction != Direction::Neutral)
    }

    /// KL to the reference per token, whatever its unit was; `None` when a sum over sequences has no length to
    /// divide by.
    pub fn kl_per_token(&self) -> Option<MetricSeries<'a>> {
        let kl = self.signal(Concept::KlToReference)?;
        if kl.binding.unit != Unit::NatsPerSequence {
            return Some(kl.clone());
        }
        let length = self.signal(Concept::ResponseLength)?;
        let mut per_token = kl.clone();
        let mut lengths = length.steps.iter().zip(&length.values).peekable();
        let mut current = length.values.first().copied()?;
        for (step, value) in kl.steps.iter().zip(per_token.values.iter_mut()) {
            while let Some((_, latest)) = lengths.next_if(|(at, _)| *at <= step) {
                current = *latest;
            }
            *value /= current.max(1.0);
        }
        Some(per_token)
    }

    /// How far the policy has gone from the reference; `None` as for [`Self::kl_per_token`].
    pub(in crate::diagnose) fn moved(&self) -> Option<&KlMovement<'a>> {
        self.moved.as_ref()
    }

    /// A setting of the run under whatever name its framework has for it.
    pub fn setting(&self, hyperparameter: Hyperparameter) -> Option<Setting> {
        settings::setting(&self.run.config, hyperparameter).or_else(|| self.logged_setting(hyperparameter))
    }

    /// A setting that was logged as a metric: without a config it is the best that is known of it.
    fn logged_setting(&self, hyperparameter: Hyperparameter) -> Option<Setting> {
        let (concept, level): (Concept, fn(&MetricSeries<'_>) -> f64) = match hyperparameter {
            Hyperparameter::LearningRate => (Concept::LearningRate, |rate| rate.max()),
            Hyperparameter::KlCoefficient => (Concept::KlCoefficient, |weight| weight.level(Fifth::Last)),
            _ => return None,
        };
        let signal = self.signal(concept).filter(|signal| !signal.is_empty())?;
        let value = level(signal);
        // A rate of zero is one that was printed with too few digits.
        let told = value.is_finite() && (value > 0.0 || hyperparameter == Hyperparameter::KlCoefficient);
        told.then(|| settings::logged(&self.run.config, hyperparameter, signal.key(), value))
    }

    /// Weight of the KL to the reference: a logged one counts before the config.
    pub fn kl_coefficient(&self) -> Option<f64> {
        self.signal(Concept::KlCoefficient)
            .map(|signal| signal.level(Fifth::Last))
            .or_else(|| self.setting(Hyperparameter::KlCoefficient).map(|setting| setting.value))
    }

    /// The step that the run was to reach.
    pub fn planned_steps(&self) -> Option<f64> {
        self.setting(Hyperparameter::PlannedSteps).map(|setting| setting.value)
    }

    /// True for a run that has ended, or has most of its planned steps behind it: before, what is missing may still
    /// come, and what is learned first is seldom the task.
    pub(in crate::diagnose) fn is_mostly_done(&self) -> bool {
        let goes_on = self.run.ending.state == RunState::Running;
        !goes_on || self.planned_steps().is_none_or(|planned| self.last_step() >= MOSTLY * planned)
    }

    /// Points that a signal will have when the run has reached its planned end; those that it has where none is known.
    pub(in crate::diagnose) fn planned_points(&self, signal: &MetricSeries<'_>) -> usize {
        let (first, last) = (signal.step(0), signal.last_step());
        let planned = self.planned_steps().filter(|planned| *planned > last && last > first);
        let grows = planned.map_or(1.0, |planned| (planned - first) / (last - first));
        (signal.len() as f64 * grows.min(1e6)) as usize
    }

    /// Last step at which anything was logged; NaN for an empty run.
    pub fn last_step(&self) -> f64 {
        self.run.step_range().map_or(f64::NAN, |(_, last)| last)
    }

    /// Logged points of the reward or of the evaluation, whichever has more.
    pub fn counted_points(&self) -> usize {
        let points = |concept| self.signals(concept).iter().map(MetricSeries::len).max().unwrap_or(0);
        points(Concept::Reward).max(points(Concept::Evaluation))
    }

    /// Points of the reward after the learning rate first came near its peak; all points where no learning rate
    /// was logged.
    pub fn points_after_warmup(&self) -> usize {
        self.points_after_warmup
    }

    fn count_after_warmup(&self) -> usize {
        let points = self.counted_points();
        let Some(end) = self.warmup_end else { return points };
        let Some(reward) = self.signal(Concept::Reward) else { return points };
        reward.steps.iter().filter(|step| **step >= end).count()
    }

    /// Step at which the learning rate first reached 99 % of its largest value.
    pub fn warmup_end(&self) -> Option<f64> {
        self.warmup_end
    }

    fn find_warmup_end(&self) -> Option<f64> {
        let rate = self.signal(Concept::LearningRate)?;
        let peak = rate.max();
        let index = rate.values.iter().position(|value| *value >= 0.99 * peak)?;
        (peak > 0.0).then(|| rate.step(index))
    }

    /// Share of the groups without any spread of reward, step by step, and where it comes from.
    pub(in crate::diagnose) fn zero_variance(&self) -> Option<&(MetricSeries<'a>, Basis)> {
        self.groups.as_ref()
    }

    /// Mean of the share of groups without any spread over the run.
    pub fn wasted_share(&self) -> Option<f64> {
        stats::mean(&self.zero_variance()?.0.values)
    }

    /// True when no step of the run could have a gradient from its rewards.
    pub fn rewards_are_constant(&self) -> bool {
        let median = self.zero_variance().and_then(|(share, _)| stats::median(&share.values));
        median.is_some_and(|share| share >= 0.999)
    }

    /// Whether the measure of learning got better after a step than it was just before it, beyond its noise; over
    /// the whole run where too little came before.
    pub fn gained_since(&self, step: f64) -> bool {
        let improved = self.learning.state == LearningState::Improved;
        self.better_since(step).map_or(improved, |z| z >= self.rulebook.learning_likely_z().value)
    }

    /// Whether the measure of learning got worse after a step than it was just before it, beyond doubt.
    pub(in crate::diagnose) fn lost_since(&self, step: f64) -> bool {
        self.better_since(step).is_some_and(|z| z <= -self.rulebook.learning_z().value)
    }

    /// The same where something else went wrong at that step: two likely signs together are as rare as one beyond doubt.
    pub(in crate::diagnose) fn likely_lost_since(&self, step: f64) -> bool {
        self.better_since(step).is_some_and(|z| z <= -self.rulebook.learning_likely_z().value)
    }

    /// Whether the measure of learning got better after a step than it was just before it, beyond doubt.
    pub(in crate::diagnose) fn surely_gained_since(&self, step: f64) -> bool {
        self.better_since(step).is_some_and(|z| z >= self.rulebook.learning_z().value)
    }

    /// How much better the measure of learning is at the end than just before a step, in standard errors; 0 where
    /// the difference is too small to count, `None` where too little came before.
    fn better_since(&self, step: f64) -> Option<f64> {
        let signal = self.learning.measure.as_ref().and_then(|measure| self.signal_of(&measure.key))?;
        let before = signal.steps.partition_point(|at| *at < step);
        let window = signal.values.get(before.checked_sub(GAIN_POINTS)?..).unwrap_or(&[]);
        let tail = (window.len() / 5).max(GAIN_POINTS);
        let change = level::change(window, GAIN_POINTS, tail, 0.0)?;
        let sign = if signal.binding.direction == Direction::Down { -1.0 } else { 1.0 };
        let large = signal.binding.unit != Unit::Share || change.delta().abs() >= self.rulebook.learning_share().value;
        Some(if large { sign * change.z() } else { 0.0 })
    }

    /// True when the measure of learning got better, beyond its noise.
    pub fn improved(&self) -> bool {
        self.learning.state == LearningState::Improved
    }

    /// True when the task is known to suffer: the measure of learning declined, or stands still below its ceiling.
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
        if !self.learning.room {
            return false;
        }
        // Where too few evaluations came after it, the reward of each batch tells.
        let measure = self.learning.measure.as_ref().and_then(|measure| self.signal_of(&measure.key));
        let gained = measure.and_then(|signal| self.gains_after(signal, step));
        let gained = gained.or_else(|| self.gains_after(self.signal(Concept::Reward)?, step));
        gained == Some(false)
    }

    /// Whether a signal gained from its first points after a step to its last, beyond its noise; `None` where too
    /// few points tell.
    fn gains_after(&self, signal: &MetricSeries<'_>, step: f64) -> Option<bool> {
        // Levels from after the step alone: one from before it lags behind where learning was fast.
        let window = signal.values.get(signal.steps.partition_point(|at| *at < step)..)?;
        let after = window.len();
        if after < (signal.len() / 10).max(STALL_POINTS) {
            return None;
        }
        let change = level::change(window, (after / 10).max(GAIN_POINTS), (after / 5).max(GAIN_POINTS), 0.0)?;
        let sign = if signal.binding.direction == Direction::Down { -1.0 } else { 1.0 };
        let large = signal.binding.unit != Unit::Share || change.delta().abs() >= self.rulebook.learning_share().value;
        Some(large && sign * change.z() >= self.rulebook.learning_likely_z().value)
    }

    /// True when the training reward was well above its start at some time: then the optimiser worked.
    pub fn reward_ever_rose(&self) -> bool {
        let Some(reward) = self.signal(Concept::Reward) else { return false };
        let Some(change) = learning::signal_change(reward) else { return false };
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
        let reward = self.signal(Concept::Reward).filter(|_| self.learning.is_evaluated());
        reward.and_then(learning::signal_change).is_some_and(|change| {
            change.z() >= self.rulebook.learning_z().value && change.effect() >= self.rulebook.learning_effect().value
        })
    }

    /// True for a run too short, or too early in its warm-up, for a verdict on its curves.
    pub fn is_early(&self) -> bool {
        let points = self.counted_points();
        let book = self.rulebook;
        let few = (points as f64) < book.points_needed().value;
        let warming = (self.points_after_warmup() as f64) < book.points_after_warmup().value;
        points > 0 && (few || warming)
    }

    /// True for a series long enough to be checked, in a run past its first points.
    pub fn has_enough_points(&self, signal: &MetricSeries<'_>) -> bool {
        signal.len() as f64 >= self.rulebook.points_needed().value && !self.is_early()
    }

    /// True when enough of the run is there to say that nothing came of it: 30 points, and 20 after the warm-up.
    pub(in crate::diagnose) fn is_long_enough(&self) -> bool {
        let book = self.rulebook;
        self.counted_points() as f64 >= book.points_needed().value
            && self.points_after_warmup() as f64 >= book.points_after_warmup().value
    }

    /// The measure of learning.
    pub(in crate::diagnose) fn measure(&self) -> Option<&MetricSeries<'a>> {
        self.signal_of(&self.learning.measure.as_ref()?.key)
    }

    /// Key of the measure of learning, for a sentence.
    pub(in crate::diagnose) fn measure_key(&self) -> Span {
        self.learning.measure.as_ref().map_or_else(|| "the measure of learning".into(), |binding| metric(&binding.key))
    }

    /// True when an evaluation got better, beyond its noise.
    pub(in crate::diagnose) fn is_learned(&self) -> bool {
        self.learning.is_evaluated() && self.learning.state == LearningState::Improved
    }

    /// Sets constant zeros aside: entropy always; KL and gradient norm unless nothing else moved either, for then
    /// they may rightly be zero.
    fn set_aside_not_computed(&mut self) {
        let least = self.rulebook.constant_points().value as usize;
        let is_zero = |signal: &MetricSeries<'_>| signal.len() >= least && signal.is_constant() && signal.max() == 0.0;
        self.set_aside(Concept::Entropy, is_zero);
        if !self.rewards_are_constant() && self.something_moved() {
            self.set_aside(Concept::KlToReference, is_zero);
            self.set_aside(Concept::GradientNorm, is_zero);
        }
    }

    fn set_aside(&mut self, concept: Concept, is_missing: impl Fn(&MetricSeries<'_>) -> bool) {
        let Some(signals) = self.signals.get_mut(&concept) else { return };
        let (mut missing, kept): (Vec<MetricSeries<'a>>, Vec<MetricSeries<'a>>) =
            std::mem::take(signals).into_iter().partition(is_missing);
        *signals = kept;
        self.not_computed.append(&mut missing);
    }

    /// True when entropy, reward or evaluation changed beyond their noise: then the policy has moved.
    fn something_moved(&self) -> bool {
        let sure = self.rulebook.learning_z().value;
        let moved = [self.signal(Concept::Entropy), self.signal(Concept::Reward), self.evaluation()];
        moved.into_iter().flatten().filter_map(learning::signal_change).any(|change| change.z().abs() >= sure)
    }
}
