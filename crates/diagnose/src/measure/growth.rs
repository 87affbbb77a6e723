//! How many times its start a metric has become, and whether that is more than its noise.

use crate::measure::level;
use crate::measure::prefix_lengths;
use crate::measure::series::{Fifth, MetricSeries};
use rundown_stats as stats;

/// The change from the first to the last fifth of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Growth {
    /// Median of the first fifth.
    pub first: f64,
    /// Median of the last fifth.
    pub last: f64,
    /// The change in standard errors, of the logarithms where all values are positive.
    pub z: f64,
}

impl Growth {
    /// `None` for an empty series, or one too short for two fifths.
    pub fn of(signal: &MetricSeries<'_>) -> Option<Self> {
        Self::over(signal, signal.len(), &|_, _| true)
    }

    /// As [`Self::of`], where the first and the last level pass `levels`: their noise takes much longer to find.
    pub fn between(signal: &MetricSeries<'_>, levels: impl Fn(f64, f64) -> bool) -> Option<Self> {
        Self::over(signal, signal.len(), &levels)
    }

    /// [`Self::between`] of prefixes of the signal, from long to short: the growth as it stood before.
    pub fn of_prefixes<'s>(
        signal: &'s MetricSeries<'_>,
        least: usize,
        levels: impl Fn(f64, f64) -> bool + 's,
    ) -> impl Iterator<Item = Self> + 's {
        prefix_lengths::lengths(signal.len(), least).filter_map(move |length| Self::over(signal, length, &levels))
    }

    fn over(signal: &MetricSeries<'_>, length: usize, levels: &dyn Fn(f64, f64) -> bool) -> Option<Self> {
        let values = signal.values.get(..length)?;
        let width = values.len() / 5;
        let first = stats::median(values.get(..width.max(1))?)?;
        let last = stats::median(values.get(values.len() - width.max(1)..)?)?;
        if !levels(first, last) {
            return None;
        }
        let z = match logs(values) {
            Some(logs) => level::change(&logs, width, width, 0.0)?.z(),
            None => level::change(values, width, width, signal.quantum() / 12.0_f64.sqrt())?.z(),
        };
        Some(Self { first, last, z })
    }

    /// Last over first; infinite for a start at zero.
    pub fn times(&self) -> f64 {
        times(self.first, self.last)
    }
}

/// How many times the size of a reward has grown, 1 where it has not: what is measured in it grows with it. Between 0 and 1 its
/// size does not count.
pub(crate) fn size_growth(reward: &MetricSeries<'_>) -> f64 {
    let sizes = reward.map(|value| value.abs().max(1.0));
    (sizes.median(Fifth::Last) / sizes.median(Fifth::First)).max(1.0)
}

/// `last` over `first`; infinite for a start at zero, 1 for two zeros.
pub(crate) fn times(first: f64, last: f64) -> f64 {
    if last == first { 1.0 } else { level::ratio(last, first) }
}

/// Logarithms of values that are all positive.
pub(crate) fn logs(values: &[f64]) -> Option<Vec<f64>> {
    values.iter().all(|value| *value > 0.0).then(|| values.iter().map(|value| libm::log(*value)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::Series;
    use rundown_vocabulary::{Binding, Concept, Direction, Unit};

    fn growth(values: Vec<f64>) -> Option<Growth> {
        let binding = Binding::unscaled(Concept::GradientNorm, "grad_norm", Unit::Plain, Direction::Neutral);
        let steps = (0..values.len()).map(|step| step as f64).collect();
        Growth::of(&MetricSeries::new(&binding, Series::new(steps, values)))
    }

    #[test]
    fn growth_is_relative_and_noise_is_none() {
        let rising: Vec<f64> = (0..100).map(|step| libm::exp(f64::from(step) / 40.0)).collect();
        let rising = growth(rising).unwrap();
        assert!((7.0..8.0).contains(&rising.times()) && rising.z > 3.0, "{rising:?}");
        let flat = growth(rundown_stats::testing::white(3, 100).iter().map(|draw| libm::exp(*draw)).collect()).unwrap();
        assert!(flat.z.abs() < 3.0, "{flat:?}");
        assert_eq!(growth(Vec::new()), None);
        assert!(growth(vec![0.0; 20]).unwrap().times() == 1.0);
    }
}
