//! New findings of a run that grew while it was followed.

use std::collections::BTreeMap;

use rundown_diagnose::{Code, Diagnosis, Severity};
use rundown_present::severity_mark;
use rundown_protocol::NewsRow;

/// The worst severity of each finding of a diagnosis.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FindingSeverities(BTreeMap<Code, Severity>);

impl FindingSeverities {
    pub(super) fn of(diagnosis: &Diagnosis) -> Self {
        let mut worst = BTreeMap::new();
        for finding in &diagnosis.findings {
            let severity = worst.entry(finding.code).or_insert(finding.severity);
            *severity = finding.severity.max(*severity);
        }
        Self(worst)
    }

    /// Findings of `now` that were not there before, or were less severe.
    pub(super) fn news(&self, number: u32, name: &str, now: &Self) -> Vec<NewsRow> {
        let is_new = |code: &Code, severity: &Severity| self.0.get(code).is_none_or(|before| before < severity);
        let row = |(code, severity): (&Code, &Severity)| NewsRow {
            run: number,
            text: format!("{name}: {}", code.phrase()),
            severity: severity_mark(*severity),
        };
        now.0.iter().filter(|(code, severity)| is_new(code, severity)).map(row).collect()
    }
}
