//! Spikes that stand close together: the rule that the checks of gradient norm, loss and KL share.

use crate::context::Context;
use rundown_stats as stats;

/// Where spikes are densest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SpikeCluster {
    /// Most spikes within one window.
    pub count: usize,
    /// Index of the first of them.
    pub first: usize,
    /// Points in a window: the rulebook's, at least a twentieth of the run.
    window: usize,
}

impl SpikeCluster {
    /// The densest window of spikes at these ascending indices, of a series of `points` values.
    pub(crate) fn of(context: &Context<'_>, at: &[usize], points: usize) -> Self {
        let window = (context.rulebook.spike_window().value as usize).max(points / 20);
        let (count, first) = stats::densest(at, window);
        Self { count, first, window }
    }

    /// True where they are enough for a finding: the rulebook's number, and its share of a long window.
    pub(crate) fn is_dense(self, context: &Context<'_>) -> bool {
        let book = context.rulebook;
        self.count as f64 >= book.spike_cluster().value.max(book.spike_density().value * self.window as f64)
    }
}
