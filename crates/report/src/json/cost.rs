//! What a run cost, as programs read it.

use super::finding::clean;
use rundown_diagnose::{Cost, CostAfterFinding, Spent};
use rundown_schema::report::{CostAfterFindingReport, CostReport, SpentReport};

pub(super) fn cost_report(cost: &Cost) -> CostReport {
    let after = |part: &CostAfterFinding| CostAfterFindingReport {
        code: part.code.as_str().to_owned(),
        from: part.from.into(),
        to: part.to.into(),
        spent: spent(&part.spent),
    };
    CostReport {
        total: spent(&cost.total),
        useless: cost.useless.as_ref().map(spent),
        findings: cost.findings.iter().map(after).collect(),
        hours_from: clean(&cost.hours_from),
        idle_hours: cost.idle_hours.into(),
        gpus: cost.gpus,
        gpus_from: clean(&cost.gpus_from),
        price_per_gpu_hour: cost.per_gpu_hour,
    }
}

pub(super) fn spent(spent: &Spent) -> SpentReport {
    let Spent { steps, hours, tokens, gpu_hours, money } = *spent;
    SpentReport { steps: steps.into(), hours, tokens, gpu_hours, money }
}
