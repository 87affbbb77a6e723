//! What runs are compared by: chosen by the user, or by the runs themselves.

use super::parts::WIDTH;
use rundown_compare::facts::RewardTarget;
use rundown_compare::{CostMeasure, Grouping, Metric, RankedRun, RunSummary, primary_metric, ranking};
use rundown_vocabulary::Concept;

/// What runs are compared by.
#[derive(Debug, Clone)]
pub struct Selection {
    /// The outcome; `None` when the runs share nothing that says how good they are.
    pub metric: Option<Metric>,
    /// What quality is weighed against; `None` when nothing is known of any cost.
    pub cost: Option<CostMeasure>,
    /// By what runs are grouped.
    pub grouping: Grouping,
    /// The run to compare with, by its number.
    pub baseline: Option<u32>,
    /// The reward whose compute is asked for.
    pub target: RewardTarget,
    /// Width of drawings, in CSS pixels.
    pub width: f64,
}

impl Selection {
    /// What the runs themselves suggest: their shared metric, the first cost in which they differ, repeats of one
    /// config, no baseline.
    pub fn of(summaries: &[&RunSummary]) -> Self {
        let metric = primary_metric(summaries);
        let cost = costs(summaries).into_iter().next().map(|(_, cost)| cost);
        Self {
            metric,
            cost,
            grouping: Grouping::Repeats,
            baseline: None,
            target: RewardTarget::default(),
            width: WIDTH,
        }
    }

    /// The runs in their order.
    pub fn ranked(&self, summaries: &[&RunSummary]) -> Vec<RankedRun> {
        ranking(summaries, self.metric.as_ref())
    }
}

/// The costs in which these runs differ, with their names, the most informative first.
pub fn costs(summaries: &[&RunSummary]) -> Vec<(&'static str, CostMeasure)> {
    let mut found = vec![
        ("Money", CostMeasure::Money),
        ("GPU-hours", CostMeasure::GpuHours),
        ("Hours", CostMeasure::Hours),
        ("Tokens", CostMeasure::Tokens),
        ("Steps", CostMeasure::Steps),
    ];
    for (name, concept) in
        [("Response length", Concept::ResponseLength), ("KL to the reference", Concept::KlToReference)]
    {
        let trace = summaries.iter().find_map(|summary| summary.traces_of(concept).next());
        if let Some(trace) = trace {
            found.push((name, CostMeasure::Metric(Metric::chosen(summaries, &trace.key, None))));
        }
    }
    found.retain(|(_, cost)| differs(summaries, cost));
    found
}

/// True when two runs at least know the cost and not all of them agree.
fn differs(summaries: &[&RunSummary], cost: &CostMeasure) -> bool {
    let mut known = summaries.iter().filter_map(|summary| cost.of(summary)).filter(|value| value.is_finite());
    let Some(first) = known.next() else { return false };
    known.any(|value| value != first)
}
