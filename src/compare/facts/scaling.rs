//! What a run's compute bought: pairs of compute and reward, and the straight line through their logarithms.

use serde::{Deserialize, Serialize};

use super::curve::{Curve, known};
use crate::compare::Judged;
use crate::compare::entry::thinned;
use crate::stats;
use crate::vocabulary::{Concept, Unit};

/// Fewest pairs that are kept.
const PAIRS: usize = 20;
/// Deviation from the usual compute of a step that counts (as in the check of uneven compute).
const DEVIATION: f64 = 0.2;

/// Compute against reward as comparisons see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    /// What counts as compute.
    pub kind: ComputeKind,
    /// Metric key of the compute; empty for time.
    pub compute_key: String,
    /// Metric key of what it bought.
    pub measure_key: String,
    /// True when that is a share, which cannot pass 1.
    pub is_share: bool,
    /// Compute, at most 64 places, ascending: means of stretches of pairs.
    pub compute: Vec<f64>,
    /// Mean reward of each stretch.
    pub measure: Vec<f64>,
    /// Smallest and largest compute seen.
    pub seen: (f64, f64),
    /// The power law on logarithms, of all pairs.
    pub law: Option<Law>,
    /// Why there is none.
    pub unfit: String,
    /// How even the compute of the steps was, where it is logged or follows.
    pub evenness: Option<Evenness>,
    /// Exponent that the run logs itself.
    pub claimed: Option<f64>,
}

/// What counts as compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ComputeKind {
    /// A cumulative compute that the run logs (`power_law/*`).
    Logged,
    /// Tokens so far.
    Tokens,
    /// Hours since the first row.
    Hours,
}

/// A power law y = factor x^exponent, fitted on logarithms.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Law {
    /// The exponent.
    pub exponent: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// y at x = 1.
    pub factor: f64,
    /// Share of the variance of ln y explained.
    pub r2: f64,
    /// Root mean square of the residuals of ln y.
    pub residual: f64,
    /// Lag-1 correlation of the residuals: near 1 where the points swing around the line.
    pub residual_lag1: f64,
    /// Points of the fit.
    pub points: u32,
    /// Powers of ten that the compute spans.
    pub decades: f64,
    /// Whether the points show no bend.
    pub is_straight: bool,
}

/// How even the compute of the steps was.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Evenness {
    /// Compute of the typical step.
    pub typical: f64,
    /// Share of the steps that are more than 20 % off it.
    pub off: f64,
}

impl ComputeKind {
    /// The unit, for a sentence.
    pub fn words(self) -> &'static str {
        match self {
            ComputeKind::Logged => "compute",
            ComputeKind::Tokens => "tokens",
            ComputeKind::Hours => "hours",
        }
    }
}

impl Scaling {
    /// The pairs of a run, by its logged compute, else its tokens, else its time. `None` with fewer than 20 pairs, or
    /// where the compute does not grow.
    pub fn of((run, diagnosis): Judged<'_>) -> Option<Self> {
        let reward = diagnosis.bindings.all(Concept::Reward);
        let (binding, measure) =
            reward.iter().find_map(|binding| Some((binding, Curve::of(run, binding)?)))?;
        let logged = Curve::primary(run, diagnosis, Concept::Compute);
        let tokens = || Curve::primary(run, diagnosis, Concept::Tokens).map(so_far);
        let (kind, compute_key, spent) = match logged.map(|curve| (ComputeKind::Logged, curve)) {
            Some((kind, curve)) => (kind, curve.key.clone(), curve.held(&measure.steps)),
            None => match tokens() {
                Some(curve) => (ComputeKind::Tokens, curve.key.clone(), curve.held(&measure.steps)),
                None => (ComputeKind::Hours, String::new(), hours(&measure)),
            },
        };
        let (x, y) = pairs(&spent, &measure.values);
        let (first, last) = (x.first().copied()?, x.last().copied()?);
        if x.len() < PAIRS || last <= first {
            return None;
        }
        let (law, unfit) = match stats::fit_power_law(&x, &y) {
            Ok(law) => (Some(Law::of(&law)), String::new()),
            Err(reason) => (None, reason.reason().to_owned()),
        };
        let (compute, thin) = thinned(&x, &y);
        let per_step = Curve::primary(run, diagnosis, Concept::ComputePerStep).map(|curve| curve.values);
        let evenness = match (per_step, kind) {
            (Some(values), _) => Evenness::of(&values),
            (None, ComputeKind::Hours) => None,
            (None, _) => Evenness::of(&differences(&x)),
        };
        let claimed = Curve::primary(run, diagnosis, Concept::PowerLawExponent).and_then(|curve| known(curve.last()));
        let is_share = binding.unit == Unit::Share;
        let seen = (first, last);
        let measure_key = measure.key;
        Some(Self { kind, compute_key, measure_key, is_share, compute, measure: thin, seen, law, unfit, evenness, claimed })
    }
}

impl Law {
    fn of(law: &stats::PowerLaw) -> Self {
        Self {
            exponent: law.exponent,
            low: law.low,
            high: law.high,
            factor: law.factor,
            r2: law.r2,
            residual: law.rmse,
            residual_lag1: law.residual_lag1,
            points: u32::try_from(law.n).unwrap_or(u32::MAX),
            decades: law.decades,
            is_straight: law.is_straight(),
        }
    }

    /// Half of the 95 % interval of the exponent.
    pub fn half(&self) -> f64 {
        0.5 * (self.high - self.low)
    }
}

impl Evenness {
    fn of(values: &[f64]) -> Option<Self> {
        let typical = stats::median(values).filter(|typical| *typical > 0.0)?;
        let off = values.iter().filter(|value| (*value / typical - 1.0).abs() > DEVIATION).count();
        Some(Self { typical, off: off as f64 / values.len() as f64 })
    }
}

/// Tokens so far, whether the run logs them so or for each step.
fn so_far(mut tokens: Curve) -> Curve {
    if !tokens.is_running_total() {
        let mut sum = 0.0;
        for value in &mut tokens.values {
            sum += value.max(0.0);
            *value = sum;
        }
    }
    tokens
}

/// Hours since the first point with a time; that of one row is added, so that the first has some too.
fn hours(measure: &Curve) -> Vec<f64> {
    let times = || measure.times.iter().copied().filter(|time| time.is_finite());
    let Some(start) = times().reduce(f64::min) else { return Vec::new() };
    let span = times().fold(start, f64::max) - start;
    let row = span / measure.times.len().max(1) as f64;
    measure.times.iter().map(|time| (time - start + row) / 3600.0).collect()
}

/// Compute that only grows, and what was reached at it; points without one of both are left out.
fn pairs(spent: &[f64], values: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    let mut most = 0.0;
    for (spent, value) in spent.iter().zip(values) {
        most = if *spent > most { *spent } else { most };
        if most > 0.0 && spent.is_finite() {
            x.push(most);
            y.push(*value);
        }
    }
    (x, y)
}

fn differences(values: &[f64]) -> Vec<f64> {
    values.iter().zip(values.iter().skip(1)).map(|(before, after)| after - before).collect()
}
