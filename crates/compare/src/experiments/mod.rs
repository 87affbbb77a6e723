//! What to run next: three to six experiments that each change one setting, from the evidence of these runs alone.
//!
//! A peak between two values is refined, an edge of the tried range extended, two changes that helped apart combined, a finding of
//! the better runs treated, an important setting that nobody varied varied, and a result that rests on one run repeated.
//! How much a remedy changes stands in `remedies`.

mod combination;
mod gaps;
mod remedies;
mod search;
#[cfg(test)]
mod tests;
mod untested;

use super::sample::{RunSample, Target, is_broken};
use super::{EffectAnalysis, Metric, Parameter, RunSummary, Trace, differing_part};
use rundown_diagnose::{Code, Hyperparameter, SettingName, Verdict, setting};
use rundown_format::RichText;
use rundown_stats::{self as stats, CompactSort as _};

/// Fewest points of a curve that tells when to stop: of fewer, the mean around the middle is one of three points at most, which is
/// mostly noise (ours).
const MIN_CURVE_POINTS: usize = 20;
/// The window around the middle of a curve reaches a tenth of its points to either side (ours).
const HALF_WINDOW_DIVISOR: usize = 10;
/// By how many standard errors of the difference of the two means a run may be worse than the worst of the top runs: a repeat of
/// that run is further below it by chance in about 2 of 100 cases.
const STOP_ERRORS: f64 = 2.0;
/// Settings with which the same policy gets another reward in training: what is rewarded, which groups are counted, and how
/// it samples.
const REWARD_CHANGING: [Hyperparameter; 3] =
    [Hyperparameter::RewardWeights, Hyperparameter::FilterGroups, Hyperparameter::Temperature];
/// Most experiments that are proposed.
const MAX_EXPERIMENTS: usize = 6;
/// Untested settings are added up to so many experiments in all.
const FILL_UP_TO: usize = 4;

/// Why an experiment is proposed, with the numbers that a report gives.
#[derive(Debug, Clone, PartialEq)]
pub enum ExperimentReason {
    /// No run logs an evaluation on held-out tasks.
    NoEvaluation,
    /// Settings of the best run contradict each other.
    ConfigConflict {
        /// What contradicts what.
        title: RichText,
    },
    /// The outcome peaks at a value between two others.
    PeakBetween {
        /// The best value.
        best: String,
        /// The next lower value.
        below: String,
        /// The next higher value.
        above: String,
        /// How much better than the best value the peak of a parabola through the three medians is.
        gain: f64,
    },
    /// The outcome peaks inside the outermost bin of values.
    PeakInEdgeBin {
        /// Smallest and largest value of the bin.
        range: (f64, f64),
        /// Difference of the median outcomes of its inner and outer half.
        gain: f64,
    },
    /// The outcome is best at the end of the tried range, and the last step towards it still gained.
    BestAtEdge {
        /// True at the upper end.
        is_highest: bool,
        /// True for a limit of a length.
        is_limit: bool,
        /// Gain of the last step.
        last_gain: f64,
        /// The usual range of the setting, where the proposed value lies outside.
        usual: Option<(f64, f64)>,
    },
    /// Other settings always changed together with it.
    ChangedTogether {
        /// Their keys.
        with: Vec<String>,
    },
    /// The best category, to be compared with another.
    BestCategory {
        /// The best category.
        best: String,
        /// Difference of the median outcomes of the best two.
        gain: f64,
    },
    /// Two runs each change one setting of a third and are better than it; no run has both changes.
    CombinedChanges {
        /// Name of the best run, which is one of the two.
        best: String,
        /// Name of the run that both differ from in one setting.
        base: String,
        /// Name of the other one.
        other: String,
        /// By how much the other one is better than the third.
        gain: f64,
    },
    /// A finding that the better runs share.
    SharedFinding {
        /// The finding.
        code: Code,
        /// Runs that have it.
        runs: usize,
        /// All runs.
        of: usize,
        /// True when the best run has it.
        includes_best: bool,
        /// The words for the remedy.
        text: &'static ExperimentText,
    },
    /// The best config was run once or twice.
    FewRepeats {
        /// Name of the best run.
        run: String,
        /// Its outcome.
        outcome: f64,
        /// Runs of its config.
        repeats: usize,
        /// The next best run of another config and the lead over it.
        lead: Option<(String, f64)>,
    },
    /// No config is known, and the best two runs are within their noise.
    WithinNoise {
        /// Name of the best run.
        run: String,
        /// Its outcome.
        outcome: f64,
        /// Name of the next best one.
        next: String,
    },
    /// A setting that matters, of which no two values were compared.
    NeverVaried {
        /// Runs that have the value of the best run, or of the first run where none is eligible.
        having: usize,
        /// Runs that record the setting.
        recorded: usize,
        /// Number of runs.
        runs: usize,
        /// True where a run logs it as a metric, such as the learning rate of a schedule.
        is_logged: bool,
        /// The words for it.
        text: &'static ExperimentText,
    },
}

/// The fixed words of an experiment that follows a rule: they stand beside the rule.
#[derive(Debug, PartialEq)]
pub struct ExperimentText {
    /// What should happen if the idea is right.
    pub hypothesis: &'static str,
    /// What to look at besides the outcome.
    pub watch: &'static str,
    /// The expected gain.
    pub expected: &'static str,
    /// What it may cost.
    pub risk: &'static str,
}

/// When to stop a run of an experiment early.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StopRule {
    /// Never: the change runs along with the best config.
    RunsAlong,
    /// Never: of runs that are compared by their mean and spread, those that do badly must not end early.
    FullLength,
    /// On a critical finding, or without a gain in half of the planned steps.
    NoGain,
    /// On a critical finding, or when the mean outcome over some steps is worse than that of the worst of the top runs.
    WorseThan {
        /// Its mean, worsened by [`STOP_ERRORS`] errors.
        value: f64,
        /// The first and the last of the steps.
        steps: (f64, f64),
    },
}

/// A proposed experiment: the config of the best run with one change.
#[derive(Debug, Clone, PartialEq)]
pub struct Experiment {
    /// Why it is proposed.
    pub reason: ExperimentReason,
    /// The setting to change, or what else.
    pub change: SettingName,
    /// The setting in words.
    pub words: String,
    /// Its present value; empty where it is unknown.
    pub from: String,
    /// Values to try, one run (or one set of seeds) each.
    pub to: Vec<String>,
    /// When to stop a run early.
    pub stop: StopRule,
    /// Rank of the experiment: the stake, the certainty and the ease of undoing it; 0 to 1.
    pub score: f64,
}

/// A setting as the best run has it.
pub(super) struct CurrentSetting {
    /// Its key, or its words where the config lacks it.
    pub name: SettingName,
    /// Its number; NaN for a word or a list, and where it is unknown.
    pub value: f64,
    /// As it is written; empty where it is unknown.
    pub text: String,
    /// Lowest and highest usual value, where one is known.
    pub usual: Option<(f64, f64)>,
}

/// The inputs from which experiments are derived.
pub(super) struct ExperimentContext<'a> {
    pub summaries: &'a [&'a RunSummary],
    pub target: &'a Target<'a>,
    pub analysis: &'a EffectAnalysis,
    pub sample: &'a RunSample,
    /// Runs of the sample that are neither ugly nor broken, nor on other tasks than the best of them, best first, with their outcomes.
    pub eligible: Vec<(usize, f64)>,
    /// The one of them that [`ExperimentContext::best`] gives.
    best: Option<(usize, f64)>,
    /// The metric of the outcome.
    metric: Metric,
}

impl<'a> ExperimentContext<'a> {
    pub fn new(
        summaries: &'a [&'a RunSummary],
        target: &'a Target<'a>,
        analysis: &'a EffectAnalysis,
        sample: &'a RunSample,
    ) -> Self {
        let mut eligible = sample.ranked(target);
        // An ugly run may lead by a reward that it gamed.
        eligible.retain(|(run, _)| {
            summaries.get(*run).is_some_and(|summary| summary.verdict != Verdict::Ugly && !is_broken(summary))
        });
        let doubt = |(run, _): &&(usize, f64)| match summaries.get(*run) {
            Some(summary) if !summary.config.is_empty() => u8::from(summary.has_no_result()),
            _ => 2,
        };
        let best = eligible.iter().min_by_key(doubt).copied();
        let metric = Metric::chosen(summaries, target.key, Some(target.direction));
        if let Some(summary) = best.and_then(|(run, _)| summaries.get(run)) {
            let is_other = metric.on_other_tasks(summary);
            eligible.retain(|(run, _)| summaries.get(*run).is_some_and(|summary| !is_other(summary)));
        }
        Self { summaries, target, analysis, sample, eligible, best, metric }
    }

    /// True where no config of any run is known: which settings were varied is not known either.
    fn has_no_config(&self) -> bool {
        self.summaries.iter().all(|summary| summary.config.is_empty())
    }

    /// The run whose config experiments change in one setting, and its outcome: the best that is not ugly. One whose config is
    /// not known, or that has hardly begun or too little data for a verdict, only where all are like it: the level of a few
    /// points, or of a warm-up, is no result to start from.
    pub fn best(&self) -> Option<(usize, &'a RunSummary, f64)> {
        let (run, value) = self.best?;
        Some((run, self.summaries.get(run)?, value))
    }

    /// The top runs: the best quarter of the eligible ones, three at least.
    pub fn top_runs(&self) -> &[(usize, f64)] {
        let count = (self.sample.runs.len() / 4).max(3).min(self.eligible.len());
        self.eligible.get(..count).unwrap_or_default()
    }

    /// The run whose config experiments change: the best one, or the first where none is eligible.
    pub fn base_run(&self) -> Option<&'a RunSummary> {
        self.best().map(|(_, summary, _)| summary).or_else(|| self.summaries.first().copied())
    }

    /// The name of a run, or its id.
    pub fn name_of(&self, run: usize) -> String {
        self.summaries.get(run).map_or_else(String::new, |run| run.name_or_id().to_owned())
    }

    /// The setting as [`Self::base_run`] has it.
    pub fn current(&self, hyperparameter: Hyperparameter) -> CurrentSetting {
        let Some(found) = self.base_run().and_then(|summary| setting(&summary.config, hyperparameter)) else {
            let name = SettingName::Words(hyperparameter.words().to_owned());
            return CurrentSetting { name, value: f64::NAN, text: String::new(), usual: None };
        };
        let name = SettingName::of_key(&found.key);
        CurrentSetting { name, value: found.value, text: found.text, usual: found.usual }
    }

    /// True where the best run is of games or control, or most of the runs are: a log without the signs (a sweep table, monitor.csv)
    /// may be of a game too.
    pub fn acts_in_environments(&self) -> bool {
        let best_acts = self.best().is_some_and(|(_, summary, _)| summary.acts_in_environment);
        best_acts || 2 * self.summaries.iter().filter(|run| run.acts_in_environment).count() > self.summaries.len()
    }

    /// False for a setting that these runs do not have: one of language models in games or control, groups of responses beside a
    /// critic.
    pub fn applies(&self, hyperparameter: Hyperparameter) -> bool {
        let is_set = |known| self.summaries.iter().any(|summary| setting(&summary.config, known).is_some());
        let is_foreign = hyperparameter.is_of_language_models() && self.acts_in_environments();
        // With a critic one response per prompt is enough: no group is known to be there.
        let lacks_groups = hyperparameter == Hyperparameter::Generations
            && (is_set(Hyperparameter::Lambda) || is_set(Hyperparameter::CriticLearningRate));
        !(is_foreign || lacks_groups) || is_set(hyperparameter)
    }

    /// The effect of a setting, where it was varied.
    pub fn effect_of(&self, hyperparameter: Hyperparameter) -> Option<&super::Effect> {
        self.analysis.effects.iter().find(|effect| effect.parameter.hyperparameter == Some(hyperparameter))
    }

    /// When to stop a run with another value of a setting: not by a reward that the setting itself changes.
    pub fn stop_rule_of(&self, hyperparameter: Option<Hyperparameter>) -> StopRule {
        let is_other_reward = hyperparameter.is_some_and(|changed| REWARD_CHANGING.contains(&changed));
        if self.sample.is_reward && is_other_reward { StopRule::NoGain } else { self.stop_rule() }
    }

    /// False for a run whose reward has other parts than that of the best one, where runs are compared by it.
    pub fn is_comparable(&self, run: usize) -> bool {
        let both = self.best.and_then(|(best, _)| Some([*self.summaries.get(best)?, *self.summaries.get(run)?]));
        both.is_none_or(|both| differing_part(&both, &self.metric).is_none())
    }

    /// When to stop early: where the outcome is worse than that of the worst top run, all of them around the middle of the
    /// best one's curve.
    fn stop_rule(&self) -> StopRule {
        let curve = |run: usize| {
            let trace = self.metric.trace_in(self.summaries.get(run)?)?;
            (trace.steps.len() >= MIN_CURVE_POINTS && self.is_comparable(run)).then_some(trace)
        };
        let curves: Vec<&Trace> = self.top_runs().iter().filter_map(|(run, _)| curve(*run)).collect();
        let window = |trace: &&Trace| {
            let (middle, half) = (trace.steps.len() / 2, trace.steps.len() / HALF_WINDOW_DIVISOR);
            Some((*trace.steps.get(middle - half)?, *trace.steps.get(middle + half)?))
        };
        let Some((from, to)) = curves.first().and_then(window) else { return StopRule::NoGain };
        let reached = curves.iter().filter(|trace| trace.steps.last().is_some_and(|last| *last >= to));
        let values = reached.filter_map(|trace| {
            let points = trace.steps.iter().zip(&trace.values).filter(|(step, _)| (from..=to).contains(*step));
            let values: Vec<f64> = points.map(|(_, value)| *value).collect();
            // The mean of the new run is taken to be as uncertain as this one.
            let error = trace.noise * (2.0 / values.len() as f64).sqrt();
            let value = stats::mean(&values)? - self.target.sign() * STOP_ERRORS * error;
            value.is_finite().then_some(value)
        });
        let worst = values.reduce(|worst, value| if self.target.is_better(worst, value) { value } else { worst });
        worst.map_or(StopRule::NoGain, |value| StopRule::WorseThan { value, steps: (from.round(), to.round()) })
    }
}

impl Experiment {
    /// An experiment that changes a parameter to some values.
    fn of(
        context: &ExperimentContext<'_>,
        parameter: &Parameter,
        (from, to): (String, Vec<String>),
        reason: ExperimentReason,
        score: f64,
    ) -> Self {
        let (change, words) = (SettingName::of_key(&parameter.key), parameter.words.clone());
        // Two values are compared by the means of their runs.
        let stop = match reason {
            ExperimentReason::ChangedTogether { .. } | ExperimentReason::BestCategory { .. } => StopRule::FullLength,
            _ => context.stop_rule_of(parameter.hyperparameter),
        };
        Self { reason, change, words, from, to, stop, score }
    }
}

/// The experiments to run next, the most useful first; none without runs.
pub fn experiments(
    summaries: &[&RunSummary],
    target: &Target<'_>,
    analysis: &EffectAnalysis,
    sample: &RunSample,
) -> Vec<Experiment> {
    if summaries.is_empty() {
        return Vec::new();
    }
    let context = ExperimentContext::new(summaries, target, analysis, sample);
    let mut found = search::experiments(&context);
    found.extend(combination::combination(&context));
    found.extend(remedies::experiments(&context));
    found.extend(gaps::conflict(&context));
    found.extend(gaps::evaluation(&context));
    found.extend(gaps::repetition(&context));
    found.compact_sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut chosen: Vec<Experiment> = Vec::new();
    let untested = untested::experiments(&context);
    for experiment in found {
        if chosen.len() < MAX_EXPERIMENTS && chosen.iter().all(|other| other.change != experiment.change) {
            chosen.push(experiment);
        }
    }
    for experiment in untested {
        if chosen.len() < FILL_UP_TO && chosen.iter().all(|other| other.change != experiment.change) {
            chosen.push(experiment);
        }
    }
    chosen
}
