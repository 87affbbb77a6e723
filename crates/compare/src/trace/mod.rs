//! Thinned curves of a run: what comparisons keep of its metrics.

mod sparkline;

use rundown_diagnose::Z_95;
use rundown_run::Run;
use rundown_stats::{self as stats, SplitMix64};
use rundown_vocabulary::{Binding, Concept, Direction, Quantity, Scale, Unit};

pub use sparkline::Sparkline;

/// Most points of a thinned curve.
pub const TRACE_POINTS: usize = 64;
/// Part of a series that makes its level at the end: the fifth of which the levels of a verdict are, so that a list and a headline name
/// the same number.
const TAIL_DIVISOR: usize = 5;
/// Points that make it of a shorter series,
const SHORT_TAIL: usize = 5;
/// and at most which part of that: five of eight evaluations would be most of the curve.
const SHORT_TAIL_DIVISOR: usize = 4;
/// Curves of fewer points, or of fewer different values, may agree by chance.
const MIN_POINTS: usize = 20;
const MIN_VALUES: usize = 5;

/// Quantities whose curves are kept.
pub(super) const TRACED_CONCEPTS: [Concept; 17] = [
    Concept::Evaluation,
    Concept::Reward,
    Concept::RewardComponent,
    Concept::KlToReference,
    Concept::Entropy,
    Concept::GradientNorm,
    Concept::ResponseLength,
    Concept::StepTime,
    Concept::Throughput,
    Concept::Elo,
    Concept::ReferenceElo,
    Concept::EloGap,
    Concept::WinRate,
    Concept::Compute,
    Concept::ComputePerStep,
    Concept::Criterion,
    Concept::FinalScore,
];

/// A metric over a run, thinned.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// Metric key.
    pub key: String,
    /// What it stands for.
    pub concept: Concept,
    /// Name of the reward function, evaluation, opponent or criterion, where the key holds one.
    pub name: Option<String>,
    /// Unit of the values.
    pub unit: Unit,
    /// What turned the logged values into that unit.
    pub scale: Scale,
    /// Which way is better.
    pub direction: Direction,
    /// At most [`TRACE_POINTS`] steps, ascending; each the mean of a stretch of logged ones.
    pub steps: Vec<f64>,
    /// Mean values of these stretches, finite.
    pub values: Vec<f64>,
    /// Number of finite points.
    pub points: usize,
    /// Step of the last of them; that of the last stretch lies before it.
    pub last_step: f64,
    /// Last finite value.
    pub last: f64,
    /// Best finite value, the first of equal ones: the largest, or the smallest where less is better.
    pub best: f64,
    /// Its step.
    pub best_step: f64,
    /// Mean of the last fifth of the points, as the levels of a verdict; of fewer than 25, of up to five, but no more than a quarter of them.
    pub tail: f64,
    /// Standard error of that mean, corrected for autocorrelation; NaN with too few points.
    pub tail_error: f64,
    /// Standard deviation of the noise of `values` around a moving level; 0 of fewer than three.
    pub noise: f64,
    /// Its sparkline, made at the first use.
    pub sparkline: Sparkline,
}

impl Trace {
    /// What it measures.
    pub fn quantity(&self) -> Quantity {
        let Self { concept, unit, scale, direction, .. } = *self;
        Quantity { concept, name: self.name.clone(), unit, scale, direction }
    }

    /// The key of a part of the reward without what versions of TRL add to it: one function has the same name in all of them.
    pub fn part_name(&self) -> &str {
        let name = self.key.strip_prefix("train/").unwrap_or(&self.key);
        name.strip_suffix("/mean").unwrap_or(name)
    }

    /// Half of the 95 % interval of the level at the end; NaN with too few points.
    pub fn tail_half(&self) -> f64 {
        student_95(tail_points(self.points).saturating_sub(1)) * self.tail_error
    }

    /// Means over at most 60 equal stretches of steps; stretches without a point are NaN.
    pub fn sparkline(&self) -> &[f32] {
        self.sparkline.get_or_compute(&self.steps, &self.values)
    }

    /// The curve of a bound key, in the unit of the binding; `None` without a finite point.
    pub(super) fn of(run: &Run, binding: &Binding) -> Option<Self> {
        let series = run.series(&binding.key)?.finite();
        let values: Vec<f64> = series.values.iter().map(|value| binding.scale.apply(*value)).collect();
        let (last, first) = (*values.last()?, *values.first()?);
        let last_step = *series.steps.last()?;
        let is_better =
            |value: f64, best: f64| if binding.direction == Direction::Down { value < best } else { value > best };
        let mut best = (first, series.steps.first().copied()?);
        for (value, step) in values.iter().zip(series.steps.iter()) {
            if is_better(*value, best.0) {
                best = (*value, *step);
            }
        }
        let tail = tail_points(values.len());
        let tail = values.get(values.len().saturating_sub(tail)..).unwrap_or(&values);
        let spread = stats::std_dev(tail).unwrap_or(f64::NAN);
        let (steps, thinned) = thinned(&series.steps, &values);
        Some(Self {
            key: binding.key.clone(),
            concept: binding.concept,
            name: binding.name.clone(),
            unit: binding.unit,
            scale: binding.scale,
            direction: binding.direction,
            steps,
            points: values.len(),
            last_step,
            last,
            best: best.0,
            best_step: best.1,
            tail: stats::mean(tail).unwrap_or(last),
            noise: noise_of(&thinned),
            sparkline: Sparkline::default(),
            values: thinned,
            tail_error: if tail.len() < 3 { f64::NAN } else { spread / stats::effective_size(tail).max(1.0).sqrt() },
        })
    }
}

/// Half of a 95 % interval in standard errors of so many degrees of freedom: the spread of few points is itself unsure.
///
/// Cornish and Fisher's expansion around the normal quantile, 0.3 % below Student's at most (`stats::student_quantile` is
/// exact, and takes a quarter of the time of an answer about ten thousand runs: docs/decisions/answers-of-many-runs.md).
fn student_95(degrees: usize) -> f64 {
    let (z, n) = (Z_95, degrees as f64);
    let square = z * z;
    match degrees {
        ..2 => f64::NAN,
        2 => 4.302_652_729_696,
        3 => 3.182_446_305_284,
        _ => {
            let first = z * (square + 1.0) / 4.0;
            let second = z * ((5.0 * square + 16.0) * square + 3.0) / 96.0;
            let third = z * (((3.0 * square + 19.0) * square + 17.0) * square - 15.0) / 384.0;
            z + (first + (second + third / n) / n) / n
        }
    }
}

/// Standard deviation of the noise around a moving level, 0 of fewer than three values.
pub(crate) fn noise_of(values: &[f64]) -> f64 {
    stats::difference_sigma(values).unwrap_or(0.0)
}

/// How many points at the end of a series make its level: a fifth; of fewer than 25, up to five, but no more than a quarter; one at least.
pub fn tail_points(points: usize) -> usize {
    (points / TAIL_DIVISOR).max(SHORT_TAIL).min(points.div_ceil(SHORT_TAIL_DIVISOR)).max(1)
}

/// Means over at most [`TRACE_POINTS`] stretches of equally many points.
fn thinned(steps: &[f64], values: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let stretch = values.len().div_ceil(TRACE_POINTS).max(1);
    let means = |numbers: &[f64]| numbers.chunks(stretch).filter_map(stats::mean).collect();
    (means(steps), means(values))
}

/// A hash of all curves of a run; `None` where they hold too little to be told from others. What the clock measures is
/// left out. O(points).
pub(crate) fn curve_fingerprint(traces: &[Trace]) -> Option<u64> {
    let by_clock = |concept: Concept| matches!(concept, Concept::StepTime | Concept::Throughput);
    let (mut sum, mut points, mut varied) = (0_u64, 0, 0);
    for trace in traces.iter().filter(|trace| !by_clock(trace.concept)) {
        let mut hash = trace.key.bytes().fold(trace.points as u64, |hash, byte| mixed(hash, u64::from(byte)));
        let mut different = 0;
        let mut before = None;
        for value in trace.steps.iter().chain(&trace.values).chain([&trace.last, &trace.best, &trace.tail]) {
            hash = mixed(hash, value.to_bits());
        }
        for value in &trace.values {
            different += usize::from(before.replace(value) != Some(value));
        }
        points += trace.points;
        varied = varied.max(different);
        // A sum, so that the order of the curves does not matter.
        sum = sum.wrapping_add(hash);
    }
    (points >= MIN_POINTS && varied >= MIN_VALUES).then_some(sum)
}

/// A hash with one more part.
pub(crate) fn mixed(hash: u64, part: u64) -> u64 {
    SplitMix64::new(hash ^ part.rotate_left(17)).next_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_points_have_wide_intervals() {
        assert!(student_95(1).is_nan());
        for degrees in 2..200 {
            let (found, exact) = (student_95(degrees), stats::student_quantile(0.05, degrees as f64));
            assert!((found / exact - 1.0).abs() < 0.003, "{degrees}: {found} {exact}");
        }
    }
}
