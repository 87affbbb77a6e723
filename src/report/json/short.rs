//! A run that is known from its report alone, in a report on many: all that comparisons need, and its findings in short.

use serde::Serialize;

use super::clean::clean_name;
use super::compared::{Compared, compared};
use super::cost::{SpentReport, spent};
use crate::compare::RunSummary;
use crate::diagnose::Code;

#[derive(Serialize)]
pub(super) struct ShortReport {
    id: String,
    name: String,
    source: &'static str,
    framework: &'static str,
    state: &'static str,
    first_step: Option<f64>,
    last_step: Option<f64>,
    points: usize,
    verdict: &'static str,
    findings: Vec<ShortFinding>,
    cost: ShortCost,
    #[serde(flatten)]
    compared: Compared,
}

/// A finding without its evidence, which stands in the run's own report.
#[derive(Serialize)]
struct ShortFinding {
    code: Code,
    severity: &'static str,
    onset: Option<f64>,
    /// False for a consequence of another finding.
    is_root: bool,
}

#[derive(Serialize)]
struct ShortCost {
    total: SpentReport,
}

pub(super) fn short_report(entry: &RunSummary) -> ShortReport {
    let findings = entry.findings.iter().map(|found| ShortFinding {
        code: found.code,
        severity: found.severity.as_str(),
        onset: found.onset,
        is_root: found.is_root,
    });
    ShortReport {
        id: clean_name(&entry.id, &entry.id),
        name: clean_name(&entry.name, &entry.id),
        source: "report of Rundown",
        framework: entry.framework.as_str(),
        state: entry.state.as_str(),
        first_step: entry.steps.map(|(first, _)| first),
        last_step: entry.steps.map(|(_, last)| last),
        points: entry.points,
        verdict: entry.verdict.as_str(),
        findings: findings.collect(),
        cost: ShortCost { total: spent(&entry.spent) },
        compared: compared(entry),
    }
}
