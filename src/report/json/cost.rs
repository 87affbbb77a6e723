//! What a run cost, as programs read it: `null` for what is not known.

use serde::Serialize;

use super::clean::clean;
use crate::diagnose::{Code, Cost, Spent};

#[derive(Serialize)]
pub(super) struct CostReport {
    total: SpentReport,
    /// What came after the findings below, overlaps counted once.
    useless: Option<SpentReport>,
    findings: Vec<UselessReport>,
    hours_from: String,
    idle_hours: f64,
    gpus: Option<f64>,
    gpus_from: String,
    price_per_gpu_hour: Option<f64>,
}

#[derive(Serialize)]
pub(super) struct SpentReport {
    steps: f64,
    hours: Option<f64>,
    tokens: Option<f64>,
    gpu_hours: Option<f64>,
    money: Option<f64>,
}

#[derive(Serialize)]
struct UselessReport {
    code: Code,
    from: f64,
    to: f64,
    spent: SpentReport,
}

pub(super) fn cost_report(cost: &Cost) -> CostReport {
    CostReport {
        total: spent(&cost.total),
        useless: cost.useless.as_ref().map(spent),
        findings: cost
            .findings
            .iter()
            .map(|part| UselessReport { code: part.code, from: part.from, to: part.to, spent: spent(&part.spent) })
            .collect(),
        hours_from: clean(&cost.hours_from),
        idle_hours: cost.idle_hours,
        gpus: cost.gpus,
        gpus_from: clean(&cost.gpus_from),
        price_per_gpu_hour: cost.per_gpu_hour,
    }
}

pub(super) fn spent(spent: &Spent) -> SpentReport {
    let Spent { steps, hours, tokens, gpu_hours, money } = *spent;
    SpentReport { steps, hours, tokens, gpu_hours, money }
}
