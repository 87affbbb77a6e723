//! What runs are compared by: chosen by the user, or by the runs themselves.

use super::parts::WIDTH;
use rundown_compare::facts::RewardTarget;
use rundown_compare::{CostMeasure, Grouping, Metric, RankedRun, RunSummary, primary_metric, ranking};
use rundown_vocabulary::Concept;

/// What runs are compared by.
#[derive(Debug, Clone)]
pub struct Selection {
    /// The outcome; `None` when the runs share no metric of quality.
    pub metric: Option<Metric>,
    /// What quality is weighed against; `None` when nothing is known of any cost.
    pub cost: Option<NamedCost>,
    /// By what runs are grouped.
    pub grouping: Grouping,
    /// The run to compare with, by its number.
    pub baseline: Option<u32>,
    /// The reward whose compute is asked for.
    pub target: RewardTarget,
    /// Width of drawings, in CSS pixels.
    pub width: f64,
}

/// A cost and what it is called.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedCost {
    /// Its name, such as `GPU-hours`.
    pub name: &'static str,
    /// How it is measured.
    pub measure: CostMeasure,
}

impl Selection {
    /// What the runs themselves suggest: their shared metric, the first cost in which they differ, repeats of one
    /// config, no baseline.
    pub fn of(summaries: &[&RunSummary]) -> Self {
        Self { cost: costs(summaries).into_iter().next(), ..Self::by(primary_metric(summaries)) }
    }

    /// By this outcome, with no cost.
    pub fn by(metric: Option<Metric>) -> Self {
        Self {
            metric,
            cost: None,
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
pub fn costs(summaries: &[&RunSummary]) -> Vec<NamedCost> {
    let named = |(name, measure)| NamedCost { name, measure };
    let mut found: Vec<NamedCost> = [
        ("Money", CostMeasure::Money),
        ("GPU-hours", CostMeasure::GpuHours),
        ("Hours", CostMeasure::Hours),
        ("Tokens", CostMeasure::Tokens),
        ("Steps", CostMeasure::Steps),
    ]
    .map(named)
    .into();
    for (name, concept) in
        [("Response length", Concept::ResponseLength), ("KL to the reference", Concept::KlToReference)]
    {
        let trace = summaries.iter().find_map(|summary| summary.traces_of(concept).next());
        if let Some(trace) = trace {
            let measure = CostMeasure::Metric(Metric::chosen(summaries, &trace.key, None));
            found.push(NamedCost { name, measure });
        }
    }
    found.retain(|cost| differs(summaries, &cost.measure));
    found
}

/// True when the cost of two runs at least is known and differs.
fn differs(summaries: &[&RunSummary], cost: &CostMeasure) -> bool {
    let mut known = summaries.iter().filter_map(|summary| cost.of(summary)).filter(|value| value.is_finite());
    let Some(first) = known.next() else { return false };
    known.any(|value| value != first)
}
