//! What is new in a run that grew while somebody watched.

use std::collections::BTreeMap;

use super::list::severity_mark;
use crate::diagnose::{Code, Diagnosis, Severity};
use crate::engine::messages::NewsRow;

/// The findings that a run had before it grew.
pub(super) struct Known(BTreeMap<Code, Severity>);

impl Known {
    pub(super) fn of(diagnosis: &Diagnosis) -> Self {
        let mut worst = BTreeMap::new();
        for finding in &diagnosis.findings {
            let severity = worst.entry(finding.code).or_insert(finding.severity);
            *severity = finding.severity.max(*severity);
        }
        Self(worst)
    }

    /// Findings that were not there, or not as bad.
    pub(super) fn news(&self, number: u32, name: &str, now: &Known) -> Vec<NewsRow> {
        let is_new = |code: &Code, severity: &Severity| self.0.get(code).is_none_or(|known| known < severity);
        let told = |(code, severity): (&Code, &Severity)| NewsRow {
            run: number,
            text: format!("{name}: {}", code.phrase()),
            severity: severity_mark(*severity),
        };
        now.0.iter().filter(|(code, severity)| is_new(code, severity)).map(told).collect()
    }
}
