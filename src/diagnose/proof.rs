//! The numbers of a finding in one go: what happened, which metrics show it, how they moved.

use super::signal::Signal;
use super::{Evidence, Finding};

impl Finding {
    /// Adds the detail, the metrics with their trends (the most telling first), the evidence and the confidence.
    pub(super) fn shown(
        mut self,
        detail: impl Into<String>,
        signals: &[&Signal<'_>],
        evidence: Vec<Evidence>,
        confidence: f64,
    ) -> Self {
        self.detail = detail.into();
        self.metrics = signals.iter().map(|signal| signal.key().to_owned()).collect();
        self.trend = signals.iter().map(|signal| signal.trend()).collect();
        self.evidence = evidence;
        self.confidence = confidence;
        self
    }
}
