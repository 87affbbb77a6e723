//! What a run's compute bought: pairs of compute and reward, and the straight line through their logarithms.

use serde::{Deserialize, Serialize};

use super::curve::{MetricPoints, finite};
use super::nullable;
use crate::DiagnosedRun;
use rundown_diagnose::{Rulebook, tokens_so_far};
use rundown_stats as stats;
use rundown_vocabulary::{Concept, Unit};

/// Fewest pairs that are kept.
const MIN_PAIRS: usize = 20;
/// Stretches of equally many pairs, growth of the compute within one at the most, and how many more that may make.
const STRETCHES: usize = 48;
const MAX_STRETCH_RATIO: f64 = 1.5;
const MAX_SUBDIVISION: f64 = 16.0;

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
    /// Compute, at most 65 places, ascending: means of stretches of pairs.
    #[serde(deserialize_with = "nullable::read")]
    pub compute: Vec<f64>,
    /// Mean reward of each stretch.
    #[serde(deserialize_with = "nullable::read")]
    pub measure: Vec<f64>,
    /// Smallest and largest compute seen.
    #[serde(deserialize_with = "nullable::read")]
    pub seen: (f64, f64),
    /// The power law on logarithms, of all pairs.
    pub law: Option<PowerLawFit>,
    /// Why there is none.
    pub unfit: String,
    /// The law with an offset, where the data bound its exponent.
    pub offset: Option<OffsetLaw>,
    /// How even the compute of the steps was, where it is logged or follows.
    pub evenness: Option<StepEvenness>,
    /// Exponent that the run logs itself.
    pub claimed: Option<f64>,
    /// The rulebook of the diagnosis; the built-in one for a run of which only the report is there.
    #[serde(skip)]
    pub rulebook: Rulebook,
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
pub struct PowerLawFit {
    /// The exponent.
    #[serde(deserialize_with = "nullable::read")]
    pub exponent: f64,
    /// Lower end of its 95 % interval.
    #[serde(deserialize_with = "nullable::read")]
    pub low: f64,
    /// Upper end.
    #[serde(deserialize_with = "nullable::read")]
    pub high: f64,
    /// y at x = 1.
    #[serde(deserialize_with = "nullable::read")]
    pub factor: f64,
    /// Share of the variance of ln y explained.
    #[serde(deserialize_with = "nullable::read")]
    pub r2: f64,
    /// Root mean square of the residuals of ln y.
    #[serde(deserialize_with = "nullable::read")]
    pub residual: f64,
    /// Lag-1 correlation of the residuals: near 1 where the points swing around the line.
    #[serde(deserialize_with = "nullable::read")]
    pub residual_lag1: f64,
    /// Points of the fit.
    pub points: u32,
    /// Powers of ten that the compute spans.
    #[serde(deserialize_with = "nullable::read")]
    pub decades: f64,
    /// Whether the points show no bend.
    pub is_straight: bool,
}

/// The exponent of y = a + b x^c.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct OffsetLaw {
    /// c.
    #[serde(deserialize_with = "nullable::read")]
    pub exponent: f64,
    /// Lower end of its 95 % interval.
    #[serde(deserialize_with = "nullable::read")]
    pub low: f64,
    /// Upper end.
    #[serde(deserialize_with = "nullable::read")]
    pub high: f64,
}

/// How even the compute of the steps was.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StepEvenness {
    /// Compute of the typical step.
    #[serde(deserialize_with = "nullable::read")]
    pub typical: f64,
    /// Share of the steps that are too far off it (20 %).
    #[serde(deserialize_with = "nullable::read")]
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
    /// True where there is something to report: compute that the run logs itself, or a law that came out of another kind.
    pub fn is_reported(&self) -> bool {
        self.kind == ComputeKind::Logged || self.exponent().is_some()
    }

    /// The pairs of a run, by its logged compute, else its tokens, else its time. `None` with fewer than 20 pairs, or
    /// where the compute does not grow.
    pub fn of((run, diagnosis): DiagnosedRun<'_>) -> Option<Self> {
        let reward = diagnosis.bindings.all(Concept::Reward);
        let (binding, measure) = reward.iter().find_map(|binding| Some((binding, MetricPoints::of(run, binding)?)))?;
        let logged = MetricPoints::primary(run, diagnosis, Concept::Compute);
        let tokens = || MetricPoints::primary(run, diagnosis, Concept::Tokens).and_then(so_far);
        let (kind, compute_key, spent) = match logged.map(|curve| (ComputeKind::Logged, curve)) {
            Some((kind, curve)) => (kind, curve.key.clone(), curve.forward_filled(&measure.steps)),
            None => match tokens() {
                Some(curve) => (ComputeKind::Tokens, curve.key.clone(), curve.forward_filled(&measure.steps)),
                None => (ComputeKind::Hours, String::new(), hours(&measure)),
            },
        };
        let (x, y) = pairs(&spent, &measure.values);
        let (first, last) = (x.first().copied()?, x.last().copied()?);
        if x.len() < MIN_PAIRS || last <= first {
            return None;
        }
        let (law, unfit) = match stats::fit_power_law(&x, &y) {
            Ok(law) => (Some(PowerLawFit::of(&law)), String::new()),
            Err(reason) => (None, reason.reason().to_owned()),
        };
        let rulebook = &diagnosis.rulebook;
        let offset = law.filter(|law| law.is_reported(rulebook)).and_then(|_| OffsetLaw::of(&x, &y));
        let (compute, thin) = stretches(&x, &y);
        let per_step = MetricPoints::primary(run, diagnosis, Concept::ComputePerStep).map(|curve| curve.values);
        let evenness = match (per_step, kind) {
            (Some(values), _) => StepEvenness::of(&values, rulebook),
            (None, ComputeKind::Hours) => None,
            (None, _) => StepEvenness::of(&stats::differences(&x), rulebook),
        };
        let claimed =
            MetricPoints::primary(run, diagnosis, Concept::PowerLawExponent).and_then(|curve| finite(curve.last()));
        let is_share = binding.unit == Unit::Share;
        let seen = (first, last);
        let measure_key = measure.key;
        Some(Self {
            kind,
            compute_key,
            measure_key,
            is_share,
            compute,
            measure: thin,
            seen,
            law,
            unfit,
            offset,
            evenness,
            claimed,
            rulebook: rulebook.clone(),
        })
    }
}

impl PowerLawFit {
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

    /// True where the compute spans enough and the law explains enough to be reported.
    fn is_reported(&self, book: &Rulebook) -> bool {
        self.decades >= book.power_law_span().value && self.r2 >= book.power_law_fit().value
    }
}

impl OffsetLaw {
    fn of(x: &[f64], y: &[f64]) -> Option<Self> {
        let fit = stats::fit_offset_power(x, y).ok()?;
        let is_reported = fit.is_bounded() && fit.factor > 0.0;
        is_reported.then_some(Self { exponent: fit.exponent, low: fit.low, high: fit.high })
    }

    /// Half of the 95 % interval of the exponent.
    pub fn half(&self) -> f64 {
        0.5 * (self.high - self.low)
    }
}

impl Scaling {
    /// The power law, where its compute spans enough and it explains enough to be reported.
    pub fn reported_law(&self) -> Option<PowerLawFit> {
        self.law.filter(|law| law.is_reported(&self.rulebook))
    }

    /// The exponent that counts and half of its 95 % interval: of the straight line, or of the law with an offset where
    /// the line bends. `None` where neither may be reported.
    pub fn exponent(&self) -> Option<(f64, f64)> {
        let law = self.reported_law()?;
        if law.is_straight {
            return Some((law.exponent, law.half()));
        }
        self.offset.map(|offset| (offset.exponent, offset.half()))
    }
}

impl StepEvenness {
    fn of(values: &[f64], book: &Rulebook) -> Option<Self> {
        let typical = stats::median(values).filter(|typical| *typical > 0.0)?;
        let off = values.iter().filter(|value| (*value / typical - 1.0).abs() > book.compute_deviation().value).count();
        Some(Self { typical, off: off as f64 / values.len() as f64 })
    }
}

/// Tokens so far, whether the run logs them so or for each step.
fn so_far(mut tokens: MetricPoints) -> Option<MetricPoints> {
    let counted = tokens_so_far(&tokens.steps, &tokens.values)?;
    tokens.values = counted.into_iter().map(|(_, sum)| sum).collect();
    Some(tokens)
}

/// Hours since the first point with a time; that of one row is added, so that the first has some too.
fn hours(measure: &MetricPoints) -> Vec<f64> {
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

/// Means over at most 65 stretches: 48 of equally many pairs, of which the first ones are divided further, for where the
/// compute grows by half within a stretch its means do not lie on the curve.
fn stretches(x: &[f64], y: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let size = x.len().div_ceil(STRETCHES);
    let span = x.last().zip(x.first()).map_or(1.0, |(last, first)| last / first);
    let widest = MAX_STRETCH_RATIO.max(libm::pow(span, 1.0 / MAX_SUBDIVISION));
    let (mut xs, mut ys) = (x, y);
    let (mut compute, mut measure) = (Vec::new(), Vec::new());
    while let Some(start) = xs.first() {
        let near = xs.iter().take(size).take_while(|x| **x <= widest * start).count().max(1);
        let ((block, rest), (values, others)) = (xs.split_at(near), ys.split_at(near.min(ys.len())));
        compute.extend(stats::mean(block));
        measure.extend(stats::mean(values));
        (xs, ys) = (rest, others);
    }
    (compute, measure)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_diagnose::{Rulebook, diagnose};
    use rundown_run::Run;
    use rundown_stats::testing::white;

    fn run(steps: u32, of: impl Fn(u32) -> Vec<(&'static str, f64)>) -> Run {
        let mut run = Run::default();
        for step in 1..=steps {
            let row = run.push_row(f64::from(step), 60.0 * f64::from(step));
            for (key, value) in of(step) {
                run.push_value(key, row, value);
            }
        }
        run.choose_axis();
        run
    }

    fn scaling(run: &Run) -> Option<Scaling> {
        Scaling::of((run, &diagnose(run, &Rulebook::default())))
    }

    #[test]
    fn compute_is_logged_or_tokens_or_hours() {
        let noise = white(3, 200);
        let reward = |step: u32| {
            let noise = noise.get(step as usize - 1).copied().unwrap_or(0.0);
            ("train/reward", libm::pow(f64::from(step), 0.4) * libm::exp(0.02 * noise))
        };
        let logged = |step: u32| vec![reward(step), ("power_law/cumulative_flops", 1e18 * f64::from(step))];
        let found = scaling(&run(200, logged)).unwrap();
        assert_eq!((found.kind, found.seen.1), (ComputeKind::Logged, 2e20));
        let law = found.law.unwrap();
        assert!(law.low < 0.4 && 0.4 < law.high && law.is_straight, "{law:?}");
        assert_eq!(found.exponent(), Some((law.exponent, law.half())));
        assert_eq!(found.evenness.map(|evenness| evenness.off), Some(0.0));
        assert!(found.compute.len() <= 65 && found.compute.len() == found.measure.len());
        let twice = found.at_twice().unwrap();
        let expected = libm::pow(400.0, 0.4);
        assert!(twice.interval.0 < expected && expected < twice.interval.1, "{twice:?}");

        // Of a step each: added up.
        let tokens = |step: u32| vec![reward(step), ("perf/total_num_tokens", 1000.0 + f64::from(step % 3))];
        let found = scaling(&run(200, tokens)).unwrap();
        assert_eq!(found.kind, ComputeKind::Tokens);
        assert!((found.seen.1 / 200_200.0 - 1.0).abs() < 0.001, "{:?}", found.seen);
        // Logged at every tenth step: the steps between had as many each.
        let seldom = run(200, |step| match step % 10 {
            0 => vec![reward(step), ("perf/total_num_tokens", 1000.0 + f64::from(step % 3))],
            _ => vec![reward(step)],
        });
        let found = scaling(&seldom).unwrap();
        assert!((190_000.0..=200_300.0).contains(&found.seen.1), "{:?}", found.seen);
        let found = scaling(&run(200, |step| vec![reward(step)])).unwrap();
        assert_eq!((found.kind, found.compute_key.as_str()), (ComputeKind::Hours, ""));
    }

    #[test]
    fn too_little_is_no_scaling_and_noise_no_law() {
        assert_eq!(scaling(&run(5, |step| vec![("train/reward", f64::from(step))])), None);
        assert_eq!(scaling(&Run::default()), None);
        let noise = white(4, 100);
        let flat = run(100, |step| vec![("train/reward", 5.0 + noise.get(step as usize - 1).copied().unwrap_or(0.0))]);
        let found = scaling(&flat).unwrap();
        assert_eq!((found.exponent(), found.offset, found.at_twice(), found.ceiling()), (None, None, None, None));
    }

    #[test]
    fn a_curve_that_saturates_has_a_ceiling() {
        let noise = white(5, 400);
        let bounded = run(400, |step| {
            let x = f64::from(step);
            let noise = 0.01 * noise.get(step as usize - 1).copied().unwrap_or(0.0);
            vec![("train/reward", 0.2 + 0.5 / (1.0 + libm::pow(60.0 / x, 1.6)) + noise)]
        });
        let ceiling = scaling(&bounded).unwrap().ceiling().unwrap();
        assert!((ceiling.level - 0.7).abs() < 0.03 && ceiling.reached > 0.8, "{ceiling:?}");
    }
}
