//! The hit rate of a prompt cache once it is warm.

use crate::context::Context;
use crate::measure::series::MetricSeries;
use rundown_stats as stats;

/// Median of a hit rate after the warm-up.
pub(crate) fn warm_level(context: &Context<'_>, signal: &MetricSeries<'_>) -> Option<f64> {
    stats::median(signal.values.get(warm_start(context, signal)..)?)
}

/// Index of the first point after the warm-up.
pub(crate) fn warm_start(context: &Context<'_>, signal: &MetricSeries<'_>) -> usize {
    (context.rulebook.cache_warm_up().value.clamp(0.0, 1.0) * signal.len() as f64) as usize
}
