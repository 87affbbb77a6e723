//! A bound metric as numbers: finite points in the unit of its binding, wherever the run keeps them.

use serde::{Deserialize, Serialize};

use super::nullable;

use crate::trace::TRACE_POINTS;
use rundown_diagnose::Diagnosis;
use rundown_run::{Run, Series};
use rundown_stats as stats;
use rundown_vocabulary::{Binding, Concept, Scale};

/// A thinned line for a figure.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ThinnedLine {
    /// Metric key.
    pub key: String,
    /// At most [`TRACE_POINTS`] logged steps, ascending.
    #[serde(deserialize_with = "nullable::read")]
    pub steps: Vec<f64>,
    /// The values at these steps: of a longer curve the least and the greatest of each stretch, so that no spike is lost.
    #[serde(deserialize_with = "nullable::read")]
    pub values: Vec<f64>,
}

/// Finite points of a metric.
pub(super) struct MetricPoints {
    /// Metric key.
    pub key: String,
    /// Steps, ascending.
    pub steps: Vec<f64>,
    /// Values in the unit of the concept.
    pub values: Vec<f64>,
    /// Unix seconds; NaN where unknown.
    pub times: Vec<f64>,
}

impl MetricPoints {
    /// The points of a binding; `None` without any. Events that stand beside a run by the clock count as well.
    pub fn of(run: &Run, binding: &Binding) -> Option<Self> {
        Self::scaled(run, &binding.key, binding.scale)
    }

    /// The points of a key as they were logged.
    pub fn by_key(run: &Run, key: &str) -> Option<Self> {
        Self::scaled(run, key, Scale::One)
    }

    /// The first binding of a concept that has points.
    pub fn primary(run: &Run, diagnosis: &Diagnosis, concept: Concept) -> Option<Self> {
        diagnosis.bindings.all(concept).iter().find_map(|binding| Self::of(run, binding))
    }

    fn scaled(run: &Run, key: &str, scale: Scale) -> Option<Self> {
        let Series { steps, values, times, .. } = run.series(key).or_else(|| run.system_series(key))?.finite();
        if values.is_empty() {
            return None;
        }
        let values = values.iter().map(|value| scale.apply(*value)).collect();
        Some(Self { key: key.to_owned(), steps: steps.into_owned(), values, times: times.into_owned() })
    }

    /// First value.
    pub fn first(&self) -> f64 {
        self.values.first().copied().unwrap_or(f64::NAN)
    }

    /// Last value.
    pub fn last(&self) -> f64 {
        self.values.last().copied().unwrap_or(f64::NAN)
    }

    /// The last values: a share of them, `least` at the least.
    pub fn end(&self, share: f64, least: usize) -> &[f64] {
        let count = ((share * self.values.len() as f64) as usize).max(least);
        self.values.get(self.values.len().saturating_sub(count)..).unwrap_or(&self.values)
    }

    /// Median of all values.
    pub fn median(&self) -> f64 {
        stats::median(&self.values).unwrap_or(f64::NAN)
    }

    /// Largest value.
    pub fn max(&self) -> f64 {
        self.values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// True when no value is smaller than the one before and some are larger: a count that runs.
    pub fn is_running_total(&self) -> bool {
        self.values.is_sorted() && self.last() > self.first()
    }

    /// The latest value at each of these ascending steps; NaN before the first.
    pub fn forward_filled(&self, steps: &[f64]) -> Vec<f64> {
        stats::forward_fill(&self.steps, &self.values, steps)
    }

    /// The curve thinned for a figure.
    pub fn line(&self) -> ThinnedLine {
        let (steps, values) = extremes(&self.steps, &self.values);
        ThinnedLine { key: self.key.clone(), steps, values }
    }
}

/// All points where they are few, else the least and the greatest of each of equally long stretches, in their order.
fn extremes(steps: &[f64], values: &[f64]) -> (Vec<f64>, Vec<f64>) {
    if values.len() <= TRACE_POINTS {
        return (steps.to_vec(), values.to_vec());
    }
    let stretch = values.len().div_ceil(TRACE_POINTS / 2);
    let mut kept = (Vec::new(), Vec::new());
    for (steps, values) in steps.chunks(stretch).zip(values.chunks(stretch)) {
        let places = || values.iter().enumerate();
        let least = places().min_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(place, _)| place);
        let greatest = places().max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(place, _)| place);
        let (Some(least), Some(greatest)) = (least, greatest) else { continue };
        let (first, second) = (least.min(greatest), least.max(greatest));
        for place in std::iter::once(first).chain((second != first).then_some(second)) {
            kept.0.extend(steps.get(place));
            kept.1.extend(values.get(place));
        }
    }
    kept
}

/// The value; `None` for NaN and infinities.
pub(super) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thinned_line_keeps_every_spike() {
        let steps: Vec<f64> = (0..1_000).map(f64::from).collect();
        let mut values = vec![1.0; 1_000];
        (values[417], values[903]) = (250.0, -3.0);
        let (kept_steps, kept) = extremes(&steps, &values);
        assert!(kept.len() <= TRACE_POINTS && kept_steps.is_sorted());
        for (step, value) in [(417.0, 250.0), (903.0, -3.0)] {
            let place = kept_steps.iter().position(|kept| *kept == step).unwrap();
            assert_eq!(kept[place], value);
        }
    }

    #[test]
    fn a_short_line_is_kept_as_it_is() {
        let steps = [0.0, 10.0, 20.0];
        assert_eq!(extremes(&steps, &[3.0, 1.0, 2.0]), (steps.to_vec(), vec![3.0, 1.0, 2.0]));
    }
}
