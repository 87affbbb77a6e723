//! One description of a run and of its fault, from which both the faulty run and its healthy twin are made.

use std::collections::BTreeMap;

use rundown_diagnose::{Code, Diagnosis, Finding, Rulebook, Severity, Verdict, diagnose};

use crate::curve::Curve;
use crate::file::{Format, Logged, Row};

/// A run as a framework logs it.
#[derive(Clone)]
pub struct Log {
    pub steps: usize,
    pub step_key: &'static str,
    pub format: Format,
    pub curves: BTreeMap<&'static str, Curve>,
    pub config: Vec<(&'static str, &'static str)>,
    pub exit: Option<u64>,
    /// What the console prints before its first metric.
    pub text: &'static str,
    /// Changes the rows before they are written: steps that are taken twice, a pause, a cut.
    pub edit: fn(&mut Vec<Row>),
}

impl Log {
    /// A run of so many steps that ends well.
    pub fn new(format: Format, step_key: &'static str, steps: usize) -> Self {
        let (curves, config) = (BTreeMap::new(), Vec::new());
        Self { steps, step_key, format, curves, config, exit: Some(0), text: "", edit: |_| () }
    }

    /// The same in another kind of file.
    pub fn written_as(self, format: Format) -> Self {
        Self { format, ..self }
    }

    /// With one more metric, or with this one in place of what it has.
    pub fn with(mut self, key: &'static str, curve: Curve) -> Self {
        self.curves.insert(key, curve);
        self
    }

    /// Without a metric.
    pub fn without(mut self, key: &'static str) -> Self {
        assert!(self.curves.remove(key).is_some(), "no {key}");
        self
    }

    /// With a setting, its value as JSON.
    pub fn set(mut self, key: &'static str, json: &'static str) -> Self {
        self.config.retain(|(name, _)| *name != key);
        self.config.push((key, json));
        self
    }

    /// With other rows.
    pub fn edited(self, edit: fn(&mut Vec<Row>)) -> Self {
        Self { edit, ..self }
    }

    /// With another end of its process.
    pub fn exits(self, exit: Option<u64>) -> Self {
        Self { exit, ..self }
    }

    /// What Rundown finds in the file.
    pub fn diagnosed(&self, seed: &str) -> Diagnosis {
        diagnose(&self.logged(seed).read(), &Rulebook::default())
    }

    fn logged(&self, seed: &str) -> Logged {
        let mut rows: Vec<Row> = (1..=self.steps)
            .map(|step| Row { step, second: 1.79e9 + 40.0 * step as f64, values: Vec::new() })
            .collect();
        for (key, curve) in &self.curves {
            for (step, value) in curve.values(self.steps, &format!("{seed} {key}")) {
                rows[step - 1].values.push((key, value));
            }
        }
        (self.edit)(&mut rows);
        Logged {
            format: self.format,
            step_key: self.step_key,
            rows,
            config: self.config.clone(),
            exit: self.exit,
            text: self.text,
        }
    }
}

/// A code with a run in which it must be found and a twin in which it must not.
pub struct Case {
    pub code: Code,
    severity: Severity,
    onset: Option<(f64, f64)>,
    pub healthy: Log,
    faulty: Log,
}

impl Case {
    /// A healthy run that a fault is to be put into.
    pub fn new(code: Code, severity: Severity, healthy: Log) -> Self {
        Self { code, severity, onset: None, faulty: healthy.clone(), healthy }
    }

    /// The fault begins within these steps.
    pub fn onset(self, first: usize, last: usize) -> Self {
        Self { onset: Some((first as f64, last as f64)), ..self }
    }

    /// What the fault does to a metric.
    pub fn fault(mut self, key: &'static str, change: impl FnOnce(Curve) -> Curve) -> Self {
        let curve = self.faulty.curves.remove(key).unwrap_or_else(|| panic!("no {key}"));
        self.faulty.curves.insert(key, change(curve));
        self
    }

    /// What else is another in the run with the fault.
    pub fn but(mut self, change: impl FnOnce(Log) -> Log) -> Self {
        self.faulty = change(self.faulty);
        self
    }

    /// What is wrong with the diagnosis of the faulty run; empty where all is right.
    pub fn wrong_with_fault(&self) -> Vec<String> {
        let diagnosis = self.faulty.diagnosed(self.code.as_str());
        eprintln!("{} {}", self.code.as_str(), summary(&diagnosis));
        let Some(found) = find(&diagnosis, self.code) else {
            return vec![format!("not found; {}", summary(&diagnosis))];
        };
        let mut wrong = Vec::new();
        if found.severity != self.severity {
            wrong.push(format!("{:?} and not {:?}: {}", found.severity, self.severity, found.title));
        }
        if let Some((first, last)) = self.onset
            && !found.onset.is_some_and(|onset| first <= onset && onset <= last)
        {
            wrong.push(format!("begins at {:?} and not in {first}..{last}: {}", found.onset, found.title));
        }
        wrong
    }

    /// What is wrong with the diagnosis of the healthy twin; empty where all is right.
    pub fn wrong_with_twin(&self) -> Vec<String> {
        let diagnosis = self.healthy.diagnosed(self.code.as_str());
        eprintln!("{} twin {}", self.code.as_str(), summary(&diagnosis));
        let mut wrong = Vec::new();
        if let Some(found) = find(&diagnosis, self.code) {
            wrong.push(format!("found without the fault: {}", found.title));
        }
        if !matches!(diagnosis.verdict, Verdict::Good | Verdict::Undecided) {
            wrong.push(format!("the healthy twin is accused; {}", summary(&diagnosis)));
        }
        wrong
    }
}

fn find(diagnosis: &Diagnosis, code: Code) -> Option<&Finding> {
    diagnosis.findings.iter().find(|finding| finding.code == code)
}

/// Verdict and findings, for the eye.
fn summary(diagnosis: &Diagnosis) -> String {
    let found =
        |finding: &Finding| format!("{} {} at {:?}", finding.severity.as_str(), finding.code.as_str(), finding.onset);
    let found: Vec<String> = diagnosis.findings.iter().map(found).collect();
    format!("{:?}: {}", diagnosis.verdict, found.join(", "))
}
