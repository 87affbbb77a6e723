//! Effects of hyperparameters on an outcome: association, not proof of cause.
//!
//! One omnibus p per parameter covers every shape of effect that is tested for, corrected for the number of parameters
//! (`families`).
//! Correlations, shape and importance describe a claimed effect and never make a claim.

mod columns;
mod confounding;
mod failures;
mod families;
mod importance;

use std::borrow::Cow;

use super::matched_runs::{MatchedRuns, matched_runs};
use super::parameters::MIN_RUNS_FOR_EFFECTS;
use super::sample::{ExcludedRuns, RunSample, Target};
use super::{ConstantSetting, ExcludedSetting, Parameter, ParameterLevel, Parameters};
use columns::EffectColumns;
pub use confounding::{Confounding, comparable, differing_part, rewarded_by};
pub use failures::{FailingValues, FailureCount, FailureEffect, failure_effects};
pub use importance::NoImportance;
use rundown_stats::CompactSort as _;
use rundown_stats::{self as stats, Importance, Shape, SplitMix64};
use rundown_vocabulary::Direction;

/// Significance level: an effect with a smaller corrected p is claimed.
pub const SIGNIFICANCE: f64 = 0.05;
/// Most bins of a parameter.
const MAX_BINS: usize = 5;
/// Fewest runs per bin of a numeric parameter whose values do not repeat.
const BIN_RUNS: usize = 4;
/// The seed of all resampling here: the same runs give the same report.
const SEED: u64 = 0x5EED_0F51;

/// The effects of all parameters on one outcome.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EffectAnalysis {
    /// Key of the outcome.
    pub target: String,
    /// Which way the outcome is better.
    pub direction: Option<Direction>,
    /// Number of runs in the sample.
    pub runs: usize,
    /// Of these, runs that broke before they had an outcome: they count as the worst.
    pub broken: usize,
    /// Of these, ugly runs.
    pub ugly: usize,
    /// Runs outside the sample.
    pub excluded: Vec<ExcludedRuns>,
    /// One for each parameter: claimed ones first, then by p.
    pub effects: Vec<Effect>,
    /// Out-of-bag R² of the random forest, where it is above chance.
    pub forest_r2: Option<f64>,
    /// Why there are no importances.
    pub no_importance: Option<NoImportance>,
    /// Settings with one value in all runs.
    pub constant: Vec<ConstantSetting>,
    /// Keys that are not settings of the training.
    pub dropped: Vec<ExcludedSetting>,
}

impl EffectAnalysis {
    /// False where the runs with an outcome are too few, or differ in too little, for a test of any setting.
    pub fn is_any_tested(&self) -> bool {
        self.effects.iter().any(|effect| effect.p.is_some())
    }

    /// True where no setting of any run in the sample is known: whether they differ in one is not known either.
    pub fn has_no_settings(&self) -> bool {
        self.effects.is_empty() && self.constant.is_empty() && self.dropped.is_empty()
    }
}

/// The effect of one parameter on the outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// The parameter.
    pub parameter: Parameter,
    /// Runs of the sample that have the parameter.
    pub runs: usize,
    /// Pearson's correlation with the outcome on the parameter's scale (for display), with its interval.
    pub pearson: Option<Estimate>,
    /// Spearman's correlation, with its interval.
    pub spearman: Option<Estimate>,
    /// P of the null hypothesis of no effect of any shape; `None` where even a perfect separation of its values could be chance, in
    /// few runs or in few with another value.
    pub p: Option<f64>,
    /// The p corrected for the number of parameters (Benjamini and Hochberg), known hyperparameters and other keys apart.
    pub q: Option<f64>,
    /// True when `q` is below [`SIGNIFICANCE`] and the effect is not confounded.
    pub is_claimed: bool,
    /// Share of the variance of ranks that it explains; [`Strength::None`] unless claimed.
    pub strength: Strength,
    /// Its shape; [`Shape::None`] unless claimed. The threshold of a parameter on a logarithmic scale is given as a
    /// value of the parameter.
    pub shape: Shape,
    /// The outcome in each bin, ascending.
    pub bins: Vec<EffectBin>,
    /// Index of the bin with the best median.
    pub best: Option<usize>,
    /// Sets of runs that differ in this parameter only.
    pub matched: Vec<MatchedRuns>,
    /// The value that is best in most of them.
    pub matched_best: Option<MatchedBest>,
    /// Permutation importance in the random forest, where its R² is above chance.
    pub importance: Option<Importance>,
    /// Why a significant effect is not claimed.
    pub confounding: Option<Confounding>,
    /// Keys of other claimed settings from which this effect cannot be separated.
    pub inseparable: Vec<String>,
}

impl Effect {
    /// True where the setting, or one that always changed together with it, changes what the outcome measures.
    pub fn is_outcome_redefined(&self) -> bool {
        matches!(self.confounding, Some(Confounding::OutcomeRedefined { .. }))
    }

    /// The place of the bin of a run of the sample; `None` without a value. The last bin has the categories that are too
    /// rare for one of their own.
    pub fn bin_of(&self, run: usize) -> Option<usize> {
        let level = self.parameter.value_of(run)?;
        self.bins.iter().position(|bin| bin.contains(level)).or_else(|| self.bins.len().checked_sub(1))
    }
}

/// The value of a parameter that is best in most sets of matched runs.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchedBest {
    /// The value.
    pub value: String,
    /// Sets in which it is best.
    pub wins: usize,
    /// Sets in which one value is best.
    pub sets: usize,
}

/// A number with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The number.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The outcome of the runs in one bin of a parameter's values.
#[derive(Debug, Clone, PartialEq)]
pub struct EffectBin {
    /// Its values: `1e-4`, or `1e-5 to 3e-5`.
    pub label: String,
    /// Smallest and largest value; NaN for a category.
    pub range: (f64, f64),
    /// Runs.
    pub runs: usize,
    /// Median outcome.
    pub median: f64,
    /// Lower end of its 95 % bootstrap interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl EffectBin {
    /// True when a value lies in it.
    pub fn contains(&self, level: &ParameterLevel) -> bool {
        if level.value.is_nan() {
            return level.text() == self.label;
        }
        self.range.0 <= level.value && level.value <= self.range.1
    }
}

/// Strength of an effect: the share of the variance of the outcome's ranks that it explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strength {
    /// No claimed effect.
    None,
    /// Less than a tenth.
    Weak,
    /// Up to a half.
    Moderate,
    /// More than a half: |r| above 0.7, as W&B's panel calls strong.
    Strong,
}

impl Strength {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Strength::None => "none",
            Strength::Weak => "weak",
            Strength::Moderate => "moderate",
            Strength::Strong => "strong",
        }
    }
}

/// The effects of what these runs differ in on an outcome.
pub fn effects_of(found: Parameters, sample: &RunSample, target: &Target<'_>) -> EffectAnalysis {
    let mut random = SplitMix64::new(SEED);
    // What is constant among the runs that count cannot have done anything to them.
    let varying: Vec<Parameter> = found.varying;
    let slices = matched_runs(&varying, &sample.runs, &sample.values, &sample.names);
    let ranks = stats::ranks(&sample.ranking);
    let mut effects: Vec<Effect> = varying
        .into_iter()
        .zip(slices)
        .map(|(parameter, slices)| effect(parameter, slices, sample, &ranks, target, &mut random))
        .collect();
    families::correct(&mut effects);
    for effect in &mut effects {
        effect.is_claimed = effect.q.is_some_and(|q| q < SIGNIFICANCE);
    }
    confounding::check_confounding(&mut effects, sample, &mut random);
    for effect in effects.iter_mut().filter(|effect| effect.is_claimed) {
        describe(effect, sample);
    }
    let mut result = EffectAnalysis {
        target: target.key.to_owned(),
        direction: Some(target.direction),
        runs: sample.runs.len(),
        broken: sample.broken,
        ugly: sample.ugly,
        excluded: sample.excluded.clone(),
        constant: found.constant,
        dropped: found.dropped,
        effects,
        ..EffectAnalysis::default()
    };
    importance::measure(&mut result, sample, &mut random);
    result.effects.compact_sort_by(|a, b| {
        let p = |effect: &Effect| effect.p.unwrap_or(1.0);
        b.is_claimed.cmp(&a.is_claimed).then(p(a).total_cmp(&p(b)))
    });
    result
}

fn effect(
    parameter: Parameter,
    slices: Vec<MatchedRuns>,
    sample: &RunSample,
    ranks: &[f64],
    target: &Target<'_>,
    random: &mut SplitMix64,
) -> Effect {
    let columns = EffectColumns::of(&parameter, sample);
    let n = columns.runs.len();
    // Most parameters are those of all runs, whose outcomes are ranked once.
    let ranks = if n == ranks.len() { Cow::Borrowed(ranks) } else { Cow::Owned(stats::ranks(&columns.ranking)) };
    let (bins, of) = binned(&parameter, &columns);
    let sizes: Vec<usize> = match parameter.is_ordered() {
        true => columns.distinct().into_iter().map(|(_, count)| count).collect(),
        false => bins.iter().map(|bin| bin.runs).collect(),
    };
    let is_testable = stats::least_p(&sizes, parameter.is_ordered()) < SIGNIFICANCE;
    let enough = n >= MIN_RUNS_FOR_EFFECTS && bins.len() >= 2 && is_testable;
    let x = parameter.is_ordered().then_some(columns.x.as_slice());
    let estimate = |r: Option<f64>, interval: fn(f64, usize) -> Option<(f64, f64)>| {
        let value = r?;
        interval(value, n).map(|(low, high)| Estimate { value, low, high })
    };
    let x_only = x.filter(|_| enough);
    let pearson = estimate(x_only.and_then(|x| stats::pearson(x, &columns.values)), stats::pearson_interval);
    let x_ranks = x.map(|_| columns.ranks());
    let rho = x_ranks.as_ref().filter(|_| enough).and_then(|x| stats::pearson(x, &ranks));
    let spearman = estimate(rho, stats::spearman_interval);
    let p = enough.then(|| {
        // Some run may be in two slices of different parameters, but in one of each.
        let mut blocks = vec![None; n];
        for (number, slice) in slices.iter().enumerate() {
            for (block, run) in blocks.iter_mut().zip(&columns.runs) {
                if slice.runs.binary_search(run).is_ok() {
                    *block = Some(number);
                }
            }
        }
        stats::rank_tests(&ranks, x_ranks.as_deref(), &of, &blocks, random)
    });
    let sign = target.sign();
    let mut best: Option<(usize, f64)> = None;
    for (place, bin) in bins.iter().enumerate() {
        if best.is_none_or(|(_, top)| sign * bin.median > top) {
            best = Some((place, sign * bin.median));
        }
    }
    let matched_best = matched_best(&parameter, &slices, sign);
    Effect {
        parameter,
        runs: n,
        pearson,
        spearman,
        p,
        q: None,
        is_claimed: false,
        strength: Strength::None,
        shape: Shape::None,
        best: best.map(|(place, _)| place).filter(|_| bins.len() >= 2),
        bins,
        matched_best,
        matched: slices,
        importance: None,
        confounding: None,
        inseparable: Vec::new(),
    }
}

/// The value that is best in most sets; the first of equal ones.
fn matched_best(parameter: &Parameter, sets: &[MatchedRuns], sign: f64) -> Option<MatchedBest> {
    let bests: Vec<usize> = sets.iter().filter_map(|set| set.best(sign)).collect();
    let mut top: Option<(usize, usize)> = None;
    for level in 0..parameter.levels.len() {
        let wins = bests.iter().filter(|best| **best == level).count();
        if wins > 0 && top.is_none_or(|(_, most)| wins > most) {
            top = Some((level, wins));
        }
    }
    let (level, wins) = top?;
    Some(MatchedBest { value: parameter.levels.get(level)?.text().into_owned(), wins, sets: bests.len() })
}

/// Strength and shape of a claimed effect.
fn describe(effect: &mut Effect, sample: &RunSample) {
    let columns = EffectColumns::of(&effect.parameter, sample);
    let (_, of) = binned(&effect.parameter, &columns);
    let share = stats::kruskal_wallis(&columns.ranking, &of).map_or(0.0, |test| test.share);
    let rho = effect.spearman.map_or(0.0, |spearman| spearman.value);
    let explained = share.max(rho * rho);
    effect.strength = match explained {
        _ if explained > 0.5 => Strength::Strong,
        _ if explained >= 0.1 => Strength::Moderate,
        _ => Strength::Weak,
    };
    if effect.parameter.is_ordered() {
        effect.shape = match stats::shape(&columns.x, &columns.ranking) {
            Shape::Threshold { at, rises } => Shape::Threshold { at: effect.parameter.value_at(at), rises },
            other => other,
        };
    }
}

/// Bins of the outcome, and the bin of each run.
fn binned(parameter: &Parameter, columns: &EffectColumns) -> (Vec<EffectBin>, Vec<usize>) {
    let distinct = columns.distinct();
    let mut bins: Vec<(String, (f64, f64))> = Vec::new();
    let of: Vec<usize>;
    if distinct.len() > MAX_BINS && parameter.is_ordered() {
        let most = (columns.runs.len() / BIN_RUNS).clamp(2, MAX_BINS);
        let Some(found) = stats::quantile_bins_of_sorted(&columns.x, &columns.sorted(), most) else {
            return (Vec::new(), Vec::new());
        };
        for bin in 0..found.ranges.len() {
            let inside = columns.levels.iter().zip(&found.of).filter(|(_, of)| **of == bin).map(|(level, _)| *level);
            let (mut low, mut high) = (usize::MAX, 0);
            inside.for_each(|level| (low, high) = (low.min(level), high.max(level)));
            let (Some(first), Some(last)) = (parameter.levels.get(low), parameter.levels.get(high)) else { continue };
            let label =
                if low == high { first.text().into_owned() } else { [&first.text(), " to ", &last.text()].concat() };
            bins.push((label, (first.value, last.value)));
        }
        of = found.of;
    } else {
        // Rare categories share a bin, so that a hundred of them do not make a hundred bins.
        let mut kept = distinct.clone();
        if kept.len() > MAX_BINS {
            kept.compact_sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            kept.truncate(MAX_BINS - 1);
            kept.compact_sort_by_key(|(level, _)| *level);
        }
        for (level, _) in &kept {
            if let Some(level) = parameter.levels.get(*level) {
                bins.push((level.text().into_owned(), (level.value, level.value)));
            }
        }
        let place = |level: &usize| kept.iter().position(|(kept, _)| kept == level).unwrap_or(kept.len());
        of = columns.levels.iter().map(place).collect();
        if kept.len() < distinct.len() {
            bins.push(("others".to_owned(), (f64::NAN, f64::NAN)));
        }
    }
    let bins = bins.into_iter().enumerate().filter_map(|(place, (label, range))| {
        let inside: Vec<f64> =
            columns.values.iter().zip(&of).filter(|(_, of)| **of == place).map(|(value, _)| *value).collect();
        let stats::MedianInterval { median, low, high } = stats::median_interval(&inside)?;
        Some(EffectBin { label, range, runs: inside.len(), median, low, high })
    });
    (bins.collect(), of)
}
