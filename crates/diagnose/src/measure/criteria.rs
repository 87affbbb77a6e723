//! Rubric criteria: their names, their scale and their scores over a run.

use crate::measure::series::MetricSeries;
use rundown_stats::block_means;

/// Fewest scores of a criterion that is checked.
pub(crate) const POINTS: usize = 8;

/// The name of a criterion, as the key has it.
pub(crate) fn name<'s>(signal: &'s MetricSeries<'_>) -> &'s str {
    let path = signal.binding.name.as_deref().unwrap_or(signal.key());
    path.rsplit('/').next().unwrap_or(path)
}

/// The scale of the criteria: 1, or the largest score seen.
pub(crate) fn scale(criteria: &[MetricSeries<'_>]) -> f64 {
    criteria.iter().map(MetricSeries::max).fold(1.0, f64::max)
}

/// Most levels over which a criterion is checked; longer series are averaged in blocks.
const BLOCKS: usize = 60;

/// The scores, or means of blocks of them.
pub(crate) fn scores(signal: &MetricSeries<'_>) -> Vec<f64> {
    block_means(&signal.values, BLOCKS)
}
