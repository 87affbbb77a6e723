//! One bound series, prepared once for all checks: finite points, and the others aside. What several checks ask of the
//! same values (their resolution, noise and number of tasks) is found when it is first asked for, and kept.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::measure::extremes::without_extremes;
use crate::measure::noise::Noise;
use rundown_run::Series;
use rundown_stats as stats;
use rundown_vocabulary::{Binding, Concept, Direction, RewardKind, Scale, reward_kind};

/// The finite points of a bound metric, over the run's step axis.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricSeries<'a> {
    /// Which key, concept and unit.
    pub binding: &'a Binding,
    /// Steps of the finite points, ascending.
    pub steps: Cow<'a, [f64]>,
    /// Finite values. To change them make another signal ([`Self::map`], [`Self::with_values`]) or change a fresh
    /// clone: what was derived from these stays.
    pub values: Cow<'a, [f64]>,
    /// Steps at which the value was NaN or infinite.
    pub nonfinite: Vec<f64>,
    /// Step of the last point, finite or not.
    pub last_logged: Option<f64>,
    /// The resolution at which the source printed the values, where it says so.
    pub printed_quantum: Option<f64>,
    /// Number of tasks of an evaluation, where it was logged beside it.
    logged_tasks: Option<u32>,
    is_of_batches: bool,
    begins_late: bool,
    derived: Derived,
}

/// Statistics that follow from the values, each computed when it is first asked for.
#[derive(Debug, Default)]
struct Derived {
    gap: OnceCell<f64>,
    tasks: OnceCell<Option<u32>>,
    noise: OnceCell<Noise>,
    usual: OnceCell<Option<Vec<f64>>>,
}

impl Clone for Derived {
    /// Nothing: whoever clones a signal may change its values.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Derived {
    /// It follows from the values.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A fifth of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fifth {
    /// The first 20 % of the points.
    First,
    /// The middle 20 %.
    Middle,
    /// The last 20 %.
    Last,
}

impl<'a> MetricSeries<'a> {
    /// Splits a series into its finite points and the rest. Values come in the unit of the binding.
    pub fn new(binding: &'a Binding, series: Series<'a>) -> Self {
        let scale = binding.scale;
        let last_logged = series.last_step();
        let points = series.steps.iter().zip(series.values.iter());
        let nonfinite = points.filter(|(_, value)| !value.is_finite()).map(|(step, _)| *step).collect();
        let Series { steps, mut values, printed_quantum, .. } = series.finite();
        if scale != Scale::One {
            values.to_mut().iter_mut().for_each(|value| *value = scale.apply(*value));
        }
        let printed_quantum = printed_quantum.map(|quantum| scale.apply_to_gap(quantum));
        Self {
            binding,
            steps,
            values,
            nonfinite,
            last_logged,
            printed_quantum,
            logged_tasks: None,
            is_of_batches: false,
            begins_late: false,
            derived: Derived::default(),
        }
    }

    /// The same accuracy, of each step's own responses.
    pub(crate) fn of_batches(self) -> Self {
        Self { is_of_batches: true, ..self }
    }

    /// True for an evaluation, which asks the same tasks each time; false for an accuracy of each step's own responses.
    pub(crate) fn repeats_tasks(&self) -> bool {
        self.binding.concept == Concept::Evaluation && !self.is_of_batches
    }

    /// What the name of a reward function or a score says that it rewards.
    pub(crate) fn reward_kind(&self) -> RewardKind {
        reward_kind(self.binding.name.as_deref().unwrap_or(self.key()))
    }

    /// The same metric, marked where the first row of the log is not of the start of the run.
    pub(crate) fn beginning_late(self, begins_late: bool) -> Self {
        Self { begins_late, ..self }
    }

    /// True where the first point is known to come long after the start of the run, although its step is small.
    pub(crate) fn begins_late(&self) -> bool {
        self.begins_late
    }

    /// The same evaluation, whose number of tasks was logged.
    pub(crate) fn with_tasks(self, tasks: Option<u32>) -> Self {
        Self { logged_tasks: tasks, ..self }
    }

    /// The same points with other values, such as the distances of theirs from 1.
    pub(crate) fn map(&self, value: impl FnMut(f64) -> f64) -> Self {
        self.with_values(self.values.iter().copied().map(value).collect())
    }

    /// The same points with these values, one for each.
    pub(crate) fn with_values(&self, values: Vec<f64>) -> Self {
        self.with_points(self.steps.clone(), values, self.printed_quantum)
    }

    /// Other points of the same metric.
    pub(crate) fn with_points(&self, steps: Cow<'a, [f64]>, values: Vec<f64>, printed_quantum: Option<f64>) -> Self {
        let (nonfinite, values, derived) = (self.nonfinite.clone(), values.into(), Derived::default());
        Self { steps, values, nonfinite, printed_quantum, derived, ..*self }
    }

    /// Key of the metric.
    pub fn key(&self) -> &'a str {
        &self.binding.key
    }

    /// What is known of the smallest value that the log can show: the step of its printed digits, else the smallest value above
    /// zero.
    pub(crate) fn resolution(&self) -> Option<f64> {
        let smallest = || self.values.iter().copied().filter(|value| *value > 0.0).reduce(f64::min);
        self.printed_quantum.or_else(smallest)
    }

    /// False without a finite point, and for a learning rate that is 0 in every row of a log with few digits: it is below them.
    pub(crate) fn tells_values(&self) -> bool {
        let is_rate = matches!(self.binding.concept, Concept::LearningRate | Concept::CriticLearningRate);
        let may_be_rounded = is_rate && self.printed_quantum.is_some();
        self.values.iter().any(|value| !may_be_rounded || *value != 0.0)
    }

    /// Number of finite points.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True without a finite point.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Step of a point; NaN beyond the end.
    pub fn step(&self, index: usize) -> f64 {
        self.steps.get(index).copied().unwrap_or(f64::NAN)
    }

    /// Step of the last finite point; NaN without one.
    pub fn last_step(&self) -> f64 {
        self.steps.last().copied().unwrap_or(f64::NAN)
    }

    /// A fifth of the values: at least one value of a series that has any.
    pub fn fifth(&self, fifth: Fifth) -> &[f64] {
        let count = self.len();
        let width = (count / 5).max(1).min(count);
        let start = match fifth {
            Fifth::First => 0,
            Fifth::Middle => (count - width) / 2,
            Fifth::Last => count - width,
        };
        self.values.get(start..start + width).unwrap_or(&[])
    }

    /// Mean of a fifth; NaN for an empty series.
    pub fn level(&self, fifth: Fifth) -> f64 {
        stats::mean(self.fifth(fifth)).unwrap_or(f64::NAN)
    }

    /// Median of a fifth; NaN for an empty series.
    pub(crate) fn median(&self, fifth: Fifth) -> f64 {
        stats::median(self.fifth(fifth)).unwrap_or(f64::NAN)
    }

    /// What a sentence or a number of evidence calls the level at the end, unless it names another part: the median of the last
    /// fifth, which single points do not move. The levels of a change are means, whose error is known
    /// ([`measure::level`](crate::measure::level)).
    pub(crate) fn end_level(&self) -> f64 {
        self.median(Fifth::Last)
    }

    /// Mean of the first values, at most `count` of them.
    pub fn start_level(&self, count: usize) -> f64 {
        stats::mean(self.values.get(..count.min(self.len())).unwrap_or(&[])).unwrap_or(f64::NAN)
    }

    /// Smallest value; NaN for an empty series.
    pub fn min(&self) -> f64 {
        self.values.iter().copied().reduce(f64::min).unwrap_or(f64::NAN)
    }

    /// Largest value; NaN for an empty series.
    pub fn max(&self) -> f64 {
        self.values.iter().copied().reduce(f64::max).unwrap_or(f64::NAN)
    }

    /// The resolution at which the values were printed, or the smallest gap between two of them; 0 without two.
    pub fn quantum(&self) -> f64 {
        self.printed_quantum.unwrap_or_else(|| *self.derived.gap.get_or_init(|| smallest_gap(&self.values)))
    }

    /// Number of tasks in an evaluation, where it was logged or can be inferred from the values.
    pub(crate) fn tasks(&self) -> Option<u32> {
        let inferred = || *self.derived.tasks.get_or_init(|| stats::common_denominator(&self.values));
        // The smaller one: a count may be of all sets of an evaluation, and the mean of several answers a task is finer than
        // its tasks.
        match (self.logged_tasks, inferred()) {
            (Some(logged), Some(inferred)) => Some(logged.min(inferred)),
            (logged, inferred) => logged.or(inferred),
        }
    }

    /// True where all values lie between 0 and 1, as shares and most rewards of a task do.
    pub(crate) fn is_between_zero_and_one(&self) -> bool {
        self.min() >= 0.0 && self.max() <= 1.0
    }

    /// True for values from 0 to 1 of which more is better.
    pub(crate) fn is_score(&self) -> bool {
        self.binding.direction == Direction::Up && self.is_between_zero_and_one()
    }

    /// The values without extreme points; `None` where there are none.
    pub(crate) fn without_extremes(&self) -> Option<&[f64]> {
        let find = || match without_extremes(&self.values) {
            Cow::Owned(values) => Some(values),
            Cow::Borrowed(_) => None,
        };
        self.derived.usual.get_or_init(find).as_deref()
    }

    /// The noise of all values.
    pub(crate) fn noise(&self) -> &Noise {
        self.derived.noise.get_or_init(|| Noise::of(&self.values))
    }

    /// True when all values are the same, and there is one.
    pub fn is_constant(&self) -> bool {
        self.values.first().is_some_and(|first| self.values.iter().all(|value| value == first))
    }

    /// True when all values are 0, and there is one.
    pub(crate) fn is_zero(&self) -> bool {
        self.is_constant() && self.max() == 0.0
    }

    /// Least-squares slope per 100 steps; 0 for a constant, NaN for fewer than two different steps.
    ///
    /// Least squares and not Theil-Sen: the median slope of a metric that jumps once and then stays is 0.
    pub fn slope_per_hundred(&self) -> f64 {
        // Both means in one loop: it takes half the time.
        let count = self.len() as f64;
        let (steps, values) = self
            .steps
            .iter()
            .zip(self.values.iter())
            .fold((0.0, 0.0), |(steps, values), (step, value)| (steps + step, values + value));
        let (middle, level) = (steps / count, values / count);
        let (mut products, mut squares) = (0.0, 0.0);
        for (step, value) in self.steps.iter().zip(self.values.iter()) {
            products += (step - middle) * (value - level);
            squares += (step - middle) * (step - middle);
        }
        if squares > 0.0 { 100.0 * products / squares } else { f64::NAN }
    }

    /// Centred running means over `2 * half_width + 1` points.
    pub fn smoothed(&self, half_width: usize) -> Vec<f64> {
        stats::running_mean(&self.values, half_width)
    }
}

/// The smallest gap between two different values; 0 without two.
fn smallest_gap(values: &[f64]) -> f64 {
    let sorted = stats::ascending(values.iter().copied());
    let gaps = sorted.iter().zip(sorted.iter().skip(1)).map(|(low, high)| high - low);
    gaps.filter(|gap| *gap > 0.0).reduce(f64::min).unwrap_or(0.0)
}

/// The value at exactly this step, where one point alone has it; steps are ascending.
pub(crate) fn value_at(steps: &[f64], values: &[f64], step: f64) -> Option<f64> {
    let at = steps.partition_point(|other| *other < step)..steps.partition_point(|other| *other <= step);
    values.get(at.start).copied().filter(|_| at.len() == 1)
}

/// Means over every `width` neighbouring values, in order; empty when there are fewer. Linear in their number.
pub(crate) fn window_means(values: &[f64], width: usize) -> Vec<f64> {
    if width == 0 || values.len() < width {
        return Vec::new();
    }
    // Centred running means: those whose window is whole are the means of all windows of an odd width.
    let half = width / 2;
    let means = stats::running_mean(values, half);
    means.get(half..values.len() - half).map_or_else(Vec::new, <[f64]>::to_vec)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_vocabulary::{Concept, Direction, Scale, Unit};

    fn binding() -> Binding {
        Binding::unscaled(Concept::Reward, "reward", Unit::Plain, Direction::Up)
    }

    #[test]
    fn fifths_of_short_and_long_series() {
        let binding = binding();
        let steps: Vec<f64> = (0..11).map(f64::from).collect();
        let signal = MetricSeries::new(&binding, Series::new(steps.clone(), steps));
        assert_eq!(signal.fifth(Fifth::First), [0.0, 1.0]);
        assert_eq!(signal.fifth(Fifth::Middle), [4.0, 5.0]);
        assert_eq!(signal.fifth(Fifth::Last), [9.0, 10.0]);
        assert_eq!(signal.trend().slope, 100.0);
        let one = MetricSeries::new(&binding, Series::new(vec![1.0], vec![2.0]));
        assert_eq!(one.level(Fifth::Middle), 2.0);
        let none = MetricSeries::new(&binding, Series::default());
        assert!(none.level(Fifth::Last).is_nan());
        assert!(none.trend().slope.is_nan());
    }

    #[test]
    fn the_slope_of_a_long_series_is_that_of_its_blocks() {
        let binding = binding();
        let steps: Vec<f64> = (0..10_007).map(f64::from).collect();
        let values: Vec<f64> = steps.iter().map(|step| 3.0 - 0.002 * step).collect();
        let signal = MetricSeries::new(&binding, Series::new(steps, values));
        assert!((signal.slope_per_hundred() + 0.2).abs() < 1e-9);
    }

    #[test]
    fn other_than_finite_points_are_kept_aside() {
        let binding = binding();
        let series = Series::new(vec![1.0, 2.0, 3.0], vec![0.5, f64::NAN, f64::INFINITY]);
        let signal = MetricSeries::new(&binding, series);
        assert_eq!(signal.nonfinite, [2.0, 3.0]);
        assert_eq!(signal.last_step(), 1.0);
        assert_eq!(signal.last_logged, Some(3.0));
    }

    #[test]
    fn derived_values_are_not_shared_with_changed_copies() {
        let binding = binding();
        let values = vec![0.25, 0.5, 0.75, 0.5];
        let signal = MetricSeries::new(&binding, Series::new(vec![1.0, 2.0, 3.0, 4.0], values));
        assert_eq!((signal.quantum(), signal.tasks()), (0.25, Some(4)));
        assert!(signal.noise().point > 0.0);
        let doubled = signal.map(|value| 2.0 * value);
        assert_eq!(doubled.noise().point, 2.0 * signal.noise().point);
        let mut changed = signal.clone();
        changed.values = vec![0.0, 0.1].into();
        assert_eq!((changed.quantum(), changed.tasks()), (0.1, None));
        assert_eq!(signal, signal.clone());
    }

    #[test]
    fn values_come_in_the_unit_of_the_binding() {
        let binding = Binding { scale: Scale::PercentComplement, ..binding() };
        let mut series = Series::new(vec![1.0, 2.0, 3.0], vec![100.0, f64::NAN, 25.0]);
        series.printed_quantum = Some(1.0);
        let signal = MetricSeries::new(&binding, series);
        assert_eq!(signal.values[..], [0.0, 0.75]);
        assert_eq!((signal.quantum(), signal.nonfinite.as_slice()), (0.01, &[2.0][..]));
        let rate = Binding { concept: Concept::LearningRate, scale: Scale::One, ..binding.clone() };
        let mut zero = Series::new(vec![1.0, 2.0], vec![0.0, 0.0]);
        assert!(MetricSeries::new(&rate, zero.clone()).tells_values());
        zero.printed_quantum = Some(0.001);
        assert!(!MetricSeries::new(&rate, zero).tells_values());
    }
}
