//! Shares of many things: responses that could be parsed, rollouts that failed.

use serde::{Deserialize, Serialize};

use super::Z_95;
use super::curve::MetricPoints;
use super::nullable;
use rundown_diagnose::are_outcomes;
use rundown_stats as stats;

/// A share and how sure it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShareEstimate {
    /// The share over the whole run, 0 to 1.
    #[serde(deserialize_with = "nullable::read")]
    pub share: f64,
    /// The same over the last fifth of the points.
    #[serde(deserialize_with = "nullable::read")]
    pub end: f64,
    /// How many things were counted, where that is known.
    pub count: Option<f64>,
    /// 95 % interval (Wilson), where they are counted one by one.
    #[serde(deserialize_with = "nullable::read")]
    pub interval: Option<(f64, f64)>,
    /// Metric key.
    pub key: String,
}

impl ShareEstimate {
    /// Of a metric that holds shares, or 0 and 1 for single events.
    pub(super) fn of(curve: &MetricPoints) -> Option<Self> {
        let share = stats::mean(&curve.values)?;
        let count = are_outcomes(&curve.values).then_some(curve.values.len() as f64);
        let interval = count.and_then(|count| stats::wilson((share * count).clamp(0.0, count), count, Z_95));
        let end = stats::mean(curve.end(0.2, 1)).unwrap_or(share);
        Some(Self { share, end, count, interval, key: curve.key.clone() })
    }

    /// Of two counts of each step.
    pub(super) fn of_counts(part: &MetricPoints, whole: &MetricPoints) -> Option<Self> {
        let filled = part.forward_filled(&whole.steps);
        let pairs: Vec<(f64, f64)> = filled
            .into_iter()
            .zip(whole.values.iter().copied())
            .filter(|(part, whole)| part.is_finite() && *whole > 0.0)
            .collect();
        let pooled = |pairs: &[(f64, f64)]| {
            let (part, whole) = pairs.iter().fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
            (part / whole, whole)
        };
        let (share, count) = pooled(&pairs);
        let from = pairs.len() - (pairs.len() / 5).max(1).min(pairs.len());
        let (end, _) = pooled(pairs.get(from..)?);
        (0.0..=1.0).contains(&share).then(|| Self {
            share,
            end,
            count: Some(count),
            interval: None,
            key: part.key.clone(),
        })
    }

    /// The other part of it.
    pub(super) fn other(mut self) -> Self {
        self.share = 1.0 - self.share;
        self.end = 1.0 - self.end;
        self.interval = self.interval.map(|(low, high)| (1.0 - high, 1.0 - low));
        self
    }
}
