//! The metrics and settings of a run as its checks read them: each series prepared once, by concept.

pub(crate) mod length_limit;
mod not_computed;

use std::cell::OnceCell;
use std::collections::BTreeMap;

use crate::Rulebook;
use crate::measure::few_points;
use crate::measure::log_start::{LateStart, late_start};
use crate::measure::loss_weight::weight;
use crate::measure::schedule_peak::schedule_peak;
use crate::measure::series::{Fifth, MetricSeries};
use crate::measure::task_count::logged_tasks;
use crate::measure::warmup_end::warmup_end;
use crate::settings::{self, ActingSetting, Hyperparameter, Setting};
use rundown_run::{Run, RunState};
use rundown_stats as stats;
use rundown_vocabulary::{
    Bindings, Concept, Direction, Framework, OF_LANGUAGE_MODELS, Unit, has_language_model_names, is_held_out,
    is_of_training,
};

/// Share of the planned steps from which a run that goes on is mostly done.
const MOSTLY: f64 = 0.5;
/// Multiple of the planned steps beyond which that number counts something else.
const PASSED: f64 = 1.2;
/// Fewest points of an accuracy that is taken for one of each step's responses.
const MIN_POINTS_OF_BATCHES: usize = 30;
/// The same of one that is there at each step, where another accuracy is logged at most half as often: that one is the evaluation.
/// As many as an evaluation needs to measure learning.
const FEW_POINTS_OF_BATCHES: usize = 5;
/// Share of a run that is its first steps.
const FIRST_STEPS: f64 = 0.02;
/// Nats that no distribution over tokens holds: the logarithm of a vocabulary of a million.
const MAX_TOKEN_ENTROPY: f64 = 14.0;

/// A run with its metric mapping, the rulebook, and its series by concept.
pub struct Signals<'a> {
    /// The run.
    pub run: &'a Run,
    /// Which key stands for which concept.
    pub bindings: &'a Bindings,
    /// The numbers to compare with.
    pub rulebook: &'a Rulebook,
    signals: BTreeMap<Concept, Vec<MetricSeries<'a>>>,
    not_computed: Vec<MetricSeries<'a>>,
    warmup_end: Option<f64>,
    points_after_warmup: usize,
    /// The KL coefficient by which the loss is the KL, found when it is first asked for: it takes a median.
    loss_weight: OnceCell<Option<f64>>,
    acts_in_environment: OnceCell<bool>,
}

impl<'a> Signals<'a> {
    /// The bound series of a run.
    pub fn new(run: &'a Run, bindings: &'a Bindings, rulebook: &'a Rulebook) -> Self {
        let mut signals: BTreeMap<Concept, Vec<MetricSeries<'a>>> = BTreeMap::new();
        let begins_late = matches!(late_start(run), Some(LateStart::Epoch(_)));
        for binding in bindings.iter() {
            // Events that stand beside a run by the clock are series as well.
            let series = run.series(&binding.key).or_else(|| run.system_series(&binding.key));
            let Some(series) = series else { continue };
            let is_evaluation = binding.concept == Concept::Evaluation;
            let tasks = if is_evaluation { logged_tasks(run, &binding.key) } else { None };
            let signal = MetricSeries::new(binding, series).with_tasks(tasks).beginning_late(begins_late);
            signals.entry(binding.concept).or_default().push(signal);
        }
        mark_accuracies_of_batches(&mut signals);
        let mut signals = Self {
            run,
            bindings,
            rulebook,
            signals,
            not_computed: Vec::new(),
            warmup_end: None,
            points_after_warmup: 0,
            loss_weight: OnceCell::new(),
            acts_in_environment: OnceCell::new(),
        };
        signals.warmup_end = signals.find_warmup_end();
        signals.points_after_warmup = signals.count_after_warmup();
        signals
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

    /// The evaluation that measures learning, if there is one whose better direction is known: the first with enough points
    /// for that, else the first.
    pub fn evaluation(&self) -> Option<&MetricSeries<'a>> {
        let enough = self.rulebook.learning_evaluations().value;
        let usable = || {
            let all = self.signals(Concept::Evaluation).iter();
            all.filter(|signal| !signal.is_empty() && signal.binding.direction != Direction::Neutral)
        };
        usable().find(|signal| signal.len() as f64 >= enough).or_else(|| usable().next())
    }

    /// KL to the reference per token, whatever its unit was; `None` when a sum over sequences has no length to
    /// divide by, or a loop sums over a batch.
    pub fn kl_per_token(&self) -> Option<MetricSeries<'a>> {
        let kl = self.signal(Concept::KlToReference)?;
        if kl.binding.unit != Unit::NatsPerSequence {
            return (!self.sums_over_tokens()).then(|| kl.clone());
        }
        let length = self.signal(Concept::ResponseLength)?;
        let first = length.values.first().copied()?;
        let lengths = stats::forward_fill(&length.steps, &length.values, &kl.steps);
        let mut per_token = kl.clone();
        for (value, length) in per_token.values.to_mut().iter_mut().zip(lengths) {
            let length = if length.is_nan() { first } else { length };
            *value /= length.max(1.0);
        }
        Some(per_token)
    }

    /// True where the entropy is more than that of any distribution over tokens: the loop sums over tokens or batches, and so its KL.
    pub(crate) fn sums_over_tokens(&self) -> bool {
        let median = self.signal(Concept::Entropy).and_then(|entropy| stats::median(&entropy.values));
        median.is_some_and(|entropy| entropy > MAX_TOKEN_ENTROPY)
    }

    /// The least KL to the reference per token, where a sum over sequences has no length to divide by: their limit, with that limit.
    pub(crate) fn least_kl_per_token(&self) -> Option<(MetricSeries<'a>, f64)> {
        let kl = self.signal(Concept::KlToReference).filter(|kl| kl.binding.unit == Unit::NatsPerSequence)?;
        let limit = self.setting(Hyperparameter::MaxResponse).map(|setting| setting.value);
        let limit = limit
            .filter(|limit| *limit >= length_limit::MIN_LIMIT && self.signal(Concept::ResponseLength).is_none())?;
        let mut per_token = kl.clone();
        per_token.values.to_mut().iter_mut().for_each(|value| *value /= limit);
        Some((per_token, limit))
    }

    /// A setting of the run under whatever name its framework has for it.
    pub fn setting(&self, hyperparameter: Hyperparameter) -> Option<Setting> {
        settings::setting(&self.run.config, hyperparameter).or_else(|| self.logged_setting(hyperparameter))
    }

    /// The same as far as it acts: a mini-batch that is smaller than its batch splits it into several updates.
    pub(crate) fn acting_setting(&self, hyperparameter: Hyperparameter) -> Option<ActingSetting> {
        if hyperparameter == Hyperparameter::MinibatchSize {
            let split = settings::minibatches(&self.run.config)?;
            return Some(ActingSetting { setting: split.setting, updates: Some(split.count) });
        }
        self.setting(hyperparameter).map(|setting| ActingSetting { setting, updates: None })
    }

    /// A setting that was logged as a metric: without a config it is the best that is known of it.
    fn logged_setting(&self, hyperparameter: Hyperparameter) -> Option<Setting> {
        let (concept, level): (Concept, fn(&MetricSeries<'_>) -> f64) = match hyperparameter {
            Hyperparameter::LearningRate => (Concept::LearningRate, schedule_peak),
            Hyperparameter::KlCoefficient => (Concept::KlCoefficient, |weight| weight.level(Fifth::Last)),
            _ => return None,
        };
        let Some(signal) = self.signal(concept).filter(|signal| !signal.is_empty()) else {
            return self.setting_of_loss(hyperparameter);
        };
        let value = level(signal);
        // A rate of zero is one that was printed with too few digits.
        let is_known = value.is_finite() && (value > 0.0 || hyperparameter == Hyperparameter::KlCoefficient);
        let setting = is_known.then(|| settings::logged(&self.run.config, hyperparameter, signal.key(), value))?;
        let is_of_environment = hyperparameter == Hyperparameter::LearningRate && self.acts_in_environment();
        Some(if is_of_environment { settings::in_environment(setting) } else { setting })
    }

    /// The KL coefficient as a loss tells it that is nothing but the KL.
    fn setting_of_loss(&self, hyperparameter: Hyperparameter) -> Option<Setting> {
        if hyperparameter != Hyperparameter::KlCoefficient {
            return None;
        }
        let (loss, kl) = (self.signal(Concept::PolicyLoss)?, self.signal(Concept::KlToReference)?);
        let key = format!("{} / {}", loss.key(), kl.key());
        let value = *self.loss_weight.get_or_init(|| weight(loss, kl));
        Some(settings::logged(&self.run.config, hyperparameter, &key, value?))
    }

    /// Weight of the KL to the reference: a logged one counts before the config.
    pub fn kl_coefficient(&self) -> Option<f64> {
        self.signal(Concept::KlCoefficient)
            .map(|signal| signal.level(Fifth::Last))
            .or_else(|| self.setting(Hyperparameter::KlCoefficient).map(|setting| setting.value))
    }

    /// True for a run that logs what a critic learns.
    pub(crate) fn has_critic(&self) -> bool {
        [Concept::ExplainedVariance, Concept::ValueLoss].into_iter().any(|concept| self.signal(concept).is_some())
    }

    /// True for a policy whose actions are no tokens, as in games and control: it has a critic or the reward of an episode, and
    /// nothing in its log or its config is of a language model.
    pub(crate) fn acts_in_environment(&self) -> bool {
        *self.acts_in_environment.get_or_init(|| self.find_acts_in_environment())
    }

    fn find_acts_in_environment(&self) -> bool {
        const EPISODE: [&str; 5] = ["ep", "episode", "episodes", "episodic", "eprewmean"];
        let is_of_episodes = |signal: &MetricSeries<'_>| {
            let key = signal.key().to_lowercase();
            key.split(|letter: char| !letter.is_alphanumeric()).any(|word| EPISODE.contains(&word))
        };
        let is_episodic = self.signal(Concept::Reward).is_some_and(is_of_episodes);
        // PPO of games has a clip range, which is read as the upper one, and may have a KL coefficient (RLlib); other
        // algorithms have a temperature.
        let is_shared = |hyperparameter| match hyperparameter {
            Hyperparameter::ClipHigh => true,
            Hyperparameter::KlCoefficient | Hyperparameter::Temperature => is_episodic,
            _ => false,
        };
        self.bindings.framework == Framework::Unknown
            && (self.signal(Concept::ValueLoss).is_some() || is_episodic)
            && self.signal(Concept::KlToReference).is_none()
            && OF_LANGUAGE_MODELS.iter().all(|concept| self.signal(*concept).is_none())
            && (Hyperparameter::ALL.iter().copied())
                .filter(|hyperparameter| hyperparameter.is_of_language_models() && !is_shared(*hyperparameter))
                .all(|hyperparameter| self.setting(hyperparameter).is_none())
            && !settings::is_of_language_model(&self.run.config)
            && !has_language_model_names(self.run)
    }

    /// True for a log without metrics whose config sends them to trackers alone.
    pub(crate) fn logs_to_trackers_alone(&self) -> bool {
        self.run.columns.is_empty() && self.run.config.hides_metrics()
    }

    /// Unit of entropies and of the KL of an update, which are means over tokens or over actions.
    pub(crate) fn policy_unit(&self) -> Unit {
        if self.acts_in_environment() { Unit::Nats } else { Unit::NatsPerToken }
    }

    /// The step that the run was to reach. A number that it passed clearly counts something else, such as the steps of an episode.
    pub fn planned_steps(&self) -> Option<f64> {
        let planned = self.setting(Hyperparameter::PlannedSteps)?.value;
        let is_passed = self.last_step() > (PASSED * planned).max(planned + 1.0);
        (!is_passed).then_some(planned)
    }

    /// True for a run that reached that step.
    pub(crate) fn took_planned_steps(&self) -> bool {
        self.planned_steps().is_some_and(|planned| self.last_step() >= planned)
    }

    /// True for a run that has ended, or has most of its planned steps behind it: before, what is missing may still
    /// come, and what is learned first is seldom the task.
    pub(crate) fn is_mostly_done(&self) -> bool {
        let goes_on = self.run.ending.state == RunState::Running;
        !goes_on || self.planned_steps().is_none_or(|planned| self.last_step() >= MOSTLY * planned)
    }

    /// Points that a signal will have when the run has reached its planned end; those that it has where none is known.
    pub(crate) fn planned_points(&self, signal: &MetricSeries<'_>) -> usize {
        let (first, last) = (signal.step(0), signal.last_step());
        let planned = self.planned_steps().filter(|planned| *planned > last && last > first);
        let grows = planned.map_or(1.0, |planned| (planned - first) / (last - first));
        (signal.len() as f64 * grows.min(1e6)) as usize
    }

    /// Last step at which anything was logged; NaN for an empty run.
    pub fn last_step(&self) -> f64 {
        self.run.step_range().map_or(f64::NAN, |(_, last)| last)
    }

    /// False for the first steps of the run, before which it has no checkpoint but its initial weights.
    pub fn has_checkpoint_before(&self, step: f64) -> bool {
        self.run.step_range().is_some_and(|(first, last)| step > first + FIRST_STEPS * (last - first))
    }

    /// The KL to the teacher of an on-policy distillation that no reward takes part in: its advantages are the teacher's
    /// log-probabilities, and a reward that is logged beside them is the same, mostly 0, in every row.
    pub fn distillation(&self) -> Option<&MetricSeries<'a>> {
        let is_without_reward = self.signals(Concept::Reward).iter().all(MetricSeries::is_constant);
        self.signal(Concept::TeacherKl).filter(|teacher| is_without_reward && !teacher.is_constant())
    }

    /// Logged points of the reward or of the evaluation, whichever has more; of a distillation those of its KL.
    pub fn counted_points(&self) -> usize {
        let points = |concept| self.signals(concept).iter().map(MetricSeries::len).max().unwrap_or(0);
        let distilled = self.distillation().map_or(0, MetricSeries::len);
        points(Concept::Reward).max(points(Concept::Evaluation)).max(distilled)
    }

    /// Points of the reward after the warm-up of the learning rate; all points where no learning rate was logged.
    pub fn points_after_warmup(&self) -> usize {
        self.points_after_warmup
    }

    fn count_after_warmup(&self) -> usize {
        let points = self.counted_points();
        let Some(end) = self.warmup_end else { return points };
        // A run without a reward may have few evaluations, each of which counts as much as many steps.
        let counted = self.signal(Concept::Reward).or_else(|| self.signal(Concept::LearningRate));
        counted.map_or(points, |signal| signal.steps.iter().filter(|step| **step >= end).count())
    }

    /// Step at which the warm-up of the learning rate ended.
    pub fn warmup_end(&self) -> Option<f64> {
        self.warmup_end
    }

    fn find_warmup_end(&self) -> Option<f64> {
        let lasting = self.rulebook.points_after_warmup().value as usize;
        warmup_end(self.signal(Concept::LearningRate)?, lasting)
    }

    /// True for a run too short, or too early in its warm-up, for a verdict on its curves.
    pub fn is_early(&self) -> bool {
        self.counted_points() > 0 && !self.is_long_enough()
    }

    /// True for a series long enough to be checked, in a run past its first points.
    pub fn has_enough_points(&self, signal: &MetricSeries<'_>) -> bool {
        signal.len() as f64 >= self.rulebook.points_needed().value && !self.is_early()
    }

    /// True for a series with enough points for a level at its start and one at its end, however early the run is, or that shows its
    /// change in few.
    pub(crate) fn has_levels(&self, signal: &MetricSeries<'_>) -> bool {
        let book = self.rulebook;
        signal.len() as f64 >= book.points_needed().value || few_points::show_change(signal, book.learning_z().value)
    }

    /// True for a series whose change from its start to its end can be told: one that is long enough to be checked, or that shows it in
    /// few points.
    pub(crate) fn shows_change(&self, signal: &MetricSeries<'_>) -> bool {
        self.has_enough_points(signal) || few_points::show_change(signal, self.rulebook.learning_z().value)
    }

    /// True for a series whose level beyond `line` can be told: one whose change can be, or that is there in each of a few points.
    pub(crate) fn shows_level(&self, signal: &MetricSeries<'_>, wrong: Direction, line: f64) -> bool {
        self.shows_change(signal) || few_points::are_beyond(signal, wrong, line)
    }

    /// True when enough of the run is there to say that nothing came of it: 30 points, and 20 after the warm-up.
    pub(crate) fn is_long_enough(&self) -> bool {
        let book = self.rulebook;
        self.counted_points() as f64 >= book.points_needed().value
            && self.points_after_warmup() as f64 >= book.points_after_warmup().value
    }
}

/// Marks an accuracy that is logged as often as the reward and not named after held-out tasks, or that says to be of the training: it
/// is that of each step's own responses.
fn mark_accuracies_of_batches(signals: &mut BTreeMap<Concept, Vec<MetricSeries<'_>>>) {
    let rewards = signals.get(&Concept::Reward).and_then(|rewards| rewards.first()).map_or(0, MetricSeries::len);
    let Some(evaluations) = signals.get_mut(&Concept::Evaluation) else { return };
    // A single one may be a test at the end, beside evaluations at each step.
    let rarest = evaluations.iter().map(MetricSeries::len).filter(|points| *points > 1).min().unwrap_or(usize::MAX);
    let is_of_batches = |signal: &MetricSeries<'_>| {
        let points = signal.len();
        let is_as_frequent = points >= MIN_POINTS_OF_BATCHES && points * 2 > rewards && rewards > 0;
        let is_of_each_step = points >= FEW_POINTS_OF_BATCHES
            && points == rewards
            && signal.last_step() - signal.step(0) < points as f64
            && rarest <= points / 2;
        !is_held_out(signal.key()) && (is_as_frequent || is_of_each_step || is_of_training(signal.key()))
    };
    let marked = std::mem::take(evaluations).into_iter();
    *evaluations = marked.map(|signal| if is_of_batches(&signal) { signal.of_batches() } else { signal }).collect();
}
