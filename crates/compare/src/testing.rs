//! Small runs with a diagnosis, for tests.

use super::{DiagnosedRun, FindingSummary, RunSummary};
use rundown_diagnose::{Code, Diagnosis, Finding, Severity, Verdict};
use rundown_run::{ConfigValue, Run};
use rundown_vocabulary::{Binding, Bindings, Concept, Direction, Framework, Scale, Unit};

/// A run and its diagnosis, put together by hand.
pub struct TestRun {
    /// The run.
    pub run: Run,
    /// Its diagnosis.
    pub diagnosis: Diagnosis,
}

impl TestRun {
    /// A good run without metrics.
    pub fn new(name: &str) -> Self {
        let run = Run { id: format!("id-{name}"), name: name.to_owned(), ..Run::default() };
        let diagnosis =
            Diagnosis { verdict: Verdict::Good, bindings: Bindings::new(Framework::Trl), ..Diagnosis::default() };
        Self { run, diagnosis }
    }

    /// The run in the form that comparisons use.
    pub fn diagnosed(&self) -> DiagnosedRun<'_> {
        (&self.run, &self.diagnosis)
    }

    /// Logs an evaluation.
    pub fn evaluation(self, key: &str, values: &[f64]) -> Self {
        self.metric(Concept::Evaluation, key, values)
    }

    /// Logs a reward.
    pub fn reward(self, key: &str, values: &[f64]) -> Self {
        self.metric(Concept::Reward, key, values)
    }

    /// Logs `values` at steps 1, 2, 3 … and binds them.
    pub fn metric(mut self, concept: Concept, key: &str, values: &[f64]) -> Self {
        for (place, value) in values.iter().enumerate() {
            let row = match self.run.row_steps.len() {
                rows if rows > place => place as u32,
                _ => self.run.push_row(place as f64 + 1.0, f64::NAN),
            };
            self.run.push_value(key, row, *value);
        }
        self.run.choose_axis();
        self.diagnosis.bindings.push(Binding {
            concept,
            key: key.to_owned(),
            unit: Unit::Plain,
            scale: Scale::One,
            direction: Direction::Up,
            name: None,
            why: "by name".to_owned(),
        });
        self
    }

    /// Sets the better direction of all metrics.
    pub fn direction(mut self, direction: Direction) -> Self {
        let mut bindings = Bindings::new(self.diagnosis.bindings.framework);
        for binding in self.diagnosis.bindings.iter() {
            bindings.push(Binding { direction, ..binding.clone() });
        }
        self.diagnosis.bindings = bindings;
        self
    }

    /// Sets the verdict.
    pub fn verdict(mut self, verdict: Verdict) -> Self {
        self.diagnosis.verdict = verdict;
        self
    }

    /// Sets the findings.
    pub fn findings(mut self, findings: Vec<Finding>) -> Self {
        self.diagnosis.findings = findings;
        self
    }
}

/// A run with these settings and nothing else.
pub fn summary(settings: &[(&str, ConfigValue)]) -> RunSummary {
    let mut summary = RunSummary { verdict: Verdict::Good, ..RunSummary::default() };
    for (key, value) in settings {
        summary.config.insert(*key, value.clone());
    }
    summary
}

/// A critical finding in short.
pub fn critical(code: Code) -> FindingSummary {
    FindingSummary { code, severity: Severity::Critical, onset: None, is_root: true }
}

/// Runs in the form that comparisons use.
pub fn refs(summaries: &[RunSummary]) -> Vec<&RunSummary> {
    summaries.iter().collect()
}
