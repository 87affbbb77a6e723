//! What the hyperparameters did to an outcome: attribution, not proof.
//!
//! One p for each parameter covers all forms of an effect that are looked for, and all parameters are corrected for
//! each other; what is shown beside (correlations, form, importance) describes a claim and never makes one.

mod doubts;
mod importance;
mod words;

use super::sample::{LeftOut, Sample, Target, sample};
use super::slices::{Slice, slices};
use super::{Constant, Dropped, Entry, Level, Parameter, Parameters, parameters};
use crate::stats::{self, Shape, SplitMix64};
pub use doubts::{Doubt, rewarded_by};
pub use importance::{Importance, NoImportance};

/// With fewer runs no p is given, only ranks (grpo.md 3.6).
pub const FEWEST_RUNS: usize = 8;
/// Corrected p from which on an effect is claimed.
pub const LEVEL: f64 = 0.05;
/// Bins of an effect.
const MOST_BINS: usize = 5;
/// Runs of a bin of a numeric parameter, at least, where values do not repeat.
const BIN_RUNS: usize = 4;
/// The seed of all resampling here: the same runs give the same report.
const SEED: u64 = 0x5EED_0F51;

/// What parameters did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Signals {
    /// Key of the outcome.
    pub target: String,
    /// Runs that count.
    pub runs: usize,
    /// Of these, runs that broke before they had an outcome: they count as the worst.
    pub broken: usize,
    /// Of these, ugly runs.
    pub ugly: usize,
    /// Runs that do not count.
    pub left_out: Vec<LeftOut>,
    /// One for each parameter: claimed ones first, then by p.
    pub signals: Vec<Signal>,
    /// Out-of-bag R² of the forest, where it learned something.
    pub forest_r2: Option<f64>,
    /// Why there are no importances.
    pub no_importance: Option<NoImportance>,
    /// What all runs share.
    pub constant: Vec<Constant>,
    /// What is no setting of the training.
    pub dropped: Vec<Dropped>,
    /// What to know before believing any of it, as sentences.
    pub notes: Vec<String>,
}

/// What one parameter did.
#[derive(Debug, Clone, PartialEq)]
pub struct Signal {
    /// The parameter.
    pub parameter: Parameter,
    /// Runs that count and have it.
    pub runs: usize,
    /// Pearson's correlation with the outcome on the parameter's scale (for display), with its interval.
    pub pearson: Option<Estimate>,
    /// Spearman's correlation, with its interval.
    pub spearman: Option<Estimate>,
    /// P of no effect of any form; `None` with too few runs.
    pub p: Option<f64>,
    /// The same, corrected for the number of parameters (Benjamini and Hochberg).
    pub q: Option<f64>,
    /// True when `q` is below [`LEVEL`] and nothing else explains it.
    pub is_claimed: bool,
    /// How much of the ranks it explains: `strong`, `moderate`, `weak`; `none` unless claimed.
    pub strength: Strength,
    /// Its form; [`Shape::None`] unless claimed. Of a parameter on a logarithmic scale the place of a threshold is
    /// already turned back into a value.
    pub shape: Shape,
    /// The outcome in each bin, ascending.
    pub bins: Vec<Bin>,
    /// The bin with the best median.
    pub best: Option<usize>,
    /// Runs that differ in nothing else.
    pub slices: Vec<Slice>,
    /// Importance in the forest, where the forest learned something.
    pub importance: Option<Importance>,
    /// Why an effect that the numbers show is not claimed.
    pub doubt: Option<Doubt>,
    /// Keys of other claimed settings from which this one's effect can't be told.
    pub entangled: Vec<String>,
    /// All of it in one or two sentences.
    pub sentence: String,
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

/// The outcome where a parameter has about the same value.
#[derive(Debug, Clone, PartialEq)]
pub struct Bin {
    /// Its values in words: `1e-4`, or `1e-5 to 3e-5`.
    pub label: String,
    /// Smallest and largest value; NaN of words.
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

impl Bin {
    /// True when a value lies in it.
    pub fn holds(&self, level: &Level) -> bool {
        if level.value.is_nan() {
            return level.text == self.label;
        }
        self.range.0 <= level.value && level.value <= self.range.1
    }
}

/// How much of the outcome's ranks a parameter explains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strength {
    /// Nothing is claimed.
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

/// What the parameters of these runs did to an outcome.
pub fn signals(entries: &[&Entry], target: &Target<'_>) -> Signals {
    let found = parameters(entries);
    let sample = sample(entries, target);
    signals_of(found, &sample, target)
}

/// [`signals`] of parameters and a sample that were already found.
pub fn signals_of(found: Parameters, sample: &Sample, target: &Target<'_>) -> Signals {
    let mut random = SplitMix64::new(SEED);
    // What is constant among the runs that count cannot have done anything to them.
    let varying: Vec<Parameter> = found.varying;
    let slices = slices(&varying, &sample.runs, &sample.values);
    let mut signals: Vec<Signal> = varying
        .into_iter()
        .zip(slices)
        .map(|(parameter, slices)| signal(parameter, slices, sample, target, &mut random))
        .collect();
    let tested: Vec<f64> = signals.iter().filter_map(|signal| signal.p).collect();
    let mut corrected = stats::benjamini_hochberg(&tested).into_iter();
    for signal in signals.iter_mut().filter(|signal| signal.p.is_some()) {
        signal.q = corrected.next();
        signal.is_claimed = signal.q.is_some_and(|q| q < LEVEL);
    }
    doubts::examine(&mut signals, sample, &mut random);
    for signal in signals.iter_mut().filter(|signal| signal.is_claimed) {
        describe(signal, sample);
    }
    let mut result = Signals {
        target: target.key.to_owned(),
        runs: sample.runs.len(),
        broken: sample.broken,
        ugly: sample.ugly,
        left_out: sample.left_out.clone(),
        constant: found.constant,
        dropped: found.dropped,
        signals,
        ..Signals::default()
    };
    importance::measure(&mut result, sample, &mut random);
    for signal in &mut result.signals {
        signal.sentence = words::sentence(signal, target);
    }
    result.signals.sort_by(|a, b| {
        let p = |signal: &Signal| signal.p.unwrap_or(1.0);
        b.is_claimed.cmp(&a.is_claimed).then(p(a).total_cmp(&p(b)))
    });
    result.notes = words::notes(&result);
    result
}

/// The runs that have a parameter: places in the sample, values on its scale, outcomes for ranking.
struct Columns {
    levels: Vec<usize>,
    runs: Vec<usize>,
    x: Vec<f64>,
    values: Vec<f64>,
    ranking: Vec<f64>,
}

fn columns(parameter: &Parameter, sample: &Sample) -> Columns {
    let mut found = Columns { levels: vec![], runs: vec![], x: vec![], values: vec![], ranking: vec![] };
    let places: Vec<f64> = (0..parameter.levels.len()).map(|level| parameter.place(level)).collect();
    for ((run, value), ranking) in sample.runs.iter().zip(&sample.values).zip(&sample.ranking) {
        let Some(level) = parameter.level_of(*run) else { continue };
        found.levels.push(level);
        found.runs.push(*run);
        found.x.push(places.get(level).copied().unwrap_or(f64::NAN));
        found.values.push(*value);
        found.ranking.push(*ranking);
    }
    found
}

fn signal(
    parameter: Parameter,
    slices: Vec<Slice>,
    sample: &Sample,
    target: &Target<'_>,
    random: &mut SplitMix64,
) -> Signal {
    let columns = columns(&parameter, sample);
    let n = columns.runs.len();
    let (bins, of) = binned(&parameter, &columns);
    let enough = n >= FEWEST_RUNS && bins.len() >= 2;
    let x = parameter.is_ordered().then_some(columns.x.as_slice());
    let estimate = |r: Option<f64>, interval: fn(f64, usize) -> Option<(f64, f64)>| {
        let value = r?;
        interval(value, n).map(|(low, high)| Estimate { value, low, high })
    };
    let x_only = x.filter(|_| enough);
    let pearson = estimate(x_only.and_then(|x| stats::pearson(x, &columns.values)), stats::pearson_interval);
    let spearman = estimate(x_only.and_then(|x| stats::spearman(x, &columns.ranking)), stats::spearman_interval);
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
        stats::rank_tests(&columns.ranking, x, &of, &blocks, random).p
    });
    let sign = target.sign();
    let mut best: Option<(usize, f64)> = None;
    for (place, bin) in bins.iter().enumerate() {
        if best.is_none_or(|(_, top)| sign * bin.median > top) {
            best = Some((place, sign * bin.median));
        }
    }
    Signal {
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
        slices,
        importance: None,
        doubt: None,
        entangled: Vec::new(),
        sentence: String::new(),
    }
}

/// Strength and form of a claimed effect.
fn describe(signal: &mut Signal, sample: &Sample) {
    let columns = columns(&signal.parameter, sample);
    let (_, of) = binned(&signal.parameter, &columns);
    let share = stats::kruskal_wallis(&columns.ranking, &of).map_or(0.0, |test| test.share);
    let rho = signal.spearman.map_or(0.0, |spearman| spearman.value);
    let explained = share.max(rho * rho);
    signal.strength = match explained {
        _ if explained > 0.5 => Strength::Strong,
        _ if explained >= 0.1 => Strength::Moderate,
        _ => Strength::Weak,
    };
    if signal.parameter.is_ordered() {
        signal.shape = match stats::shape(&columns.x, &columns.ranking) {
            Shape::Threshold { at, rises } => Shape::Threshold { at: signal.parameter.value_at(at), rises },
            other => other,
        };
    }
}

/// Bins of the outcome, and the bin of each run.
fn binned(parameter: &Parameter, columns: &Columns) -> (Vec<Bin>, Vec<usize>) {
    let mut distinct = columns.levels.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let mut bins: Vec<(String, (f64, f64))> = Vec::new();
    let of: Vec<usize>;
    if distinct.len() > MOST_BINS && parameter.is_ordered() {
        let most = (columns.runs.len() / BIN_RUNS).clamp(2, MOST_BINS);
        let Some(found) = stats::quantile_bins(&columns.x, most) else { return (Vec::new(), Vec::new()) };
        for bin in 0..found.ranges.len() {
            let inside = columns.levels.iter().zip(&found.of).filter(|(_, of)| **of == bin).map(|(level, _)| *level);
            let (mut low, mut high) = (usize::MAX, 0);
            inside.for_each(|level| (low, high) = (low.min(level), high.max(level)));
            let (Some(first), Some(last)) = (parameter.levels.get(low), parameter.levels.get(high)) else { continue };
            let label = if low == high { first.text.clone() } else { [&first.text, " to ", &last.text].concat() };
            bins.push((label, (first.value, last.value)));
        }
        of = found.of;
    } else {
        // Rare words stand together, so that a hundred of them make no hundred bins.
        let count = |level: usize| columns.levels.iter().filter(|other| **other == level).count();
        let mut kept: Vec<(usize, usize)> = distinct.iter().map(|level| (count(*level), *level)).collect();
        if kept.len() > MOST_BINS {
            kept.sort_by(|a, b| b.0.cmp(&a.0));
            kept.truncate(MOST_BINS - 1);
            kept.sort_by_key(|(_, level)| *level);
        }
        for (_, level) in &kept {
            if let Some(level) = parameter.levels.get(*level) {
                bins.push((level.text.clone(), (level.value, level.value)));
            }
        }
        let place = |level: &usize| kept.iter().position(|(_, kept)| kept == level).unwrap_or(kept.len());
        of = columns.levels.iter().map(place).collect();
        if kept.len() < distinct.len() {
            bins.push(("others".to_owned(), (f64::NAN, f64::NAN)));
        }
    }
    let bins = bins.into_iter().enumerate().filter_map(|(place, (label, range))| {
        let inside: Vec<f64> =
            columns.values.iter().zip(&of).filter(|(_, of)| **of == place).map(|(value, _)| *value).collect();
        let stats::MedianInterval { median, low, high } = stats::median_interval(&inside)?;
        Some(Bin { label, range, runs: inside.len(), median, low, high })
    });
    (bins.collect(), of)
}

#[cfg(test)]
mod tests;
