//! What a check says when it has something to say. The JSON report uses these field names (DESIGN.md section 5).

use serde::{Deserialize, Serialize};

use super::Code;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; never changes the verdict.
    Note,
    /// Act on it: the run is at least bad.
    Warning,
    /// Stop or roll back: the run is ugly.
    Critical,
}

impl Severity {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Critical => "critical",
        }
    }
}

/// One finding of one check.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable name of what was found.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// One plain sentence with its key numbers, such as "KL jumped from 0.05 to 6.1 at step 31".
    pub title: String,
    /// One to three sentences that say what happened and why it matters.
    pub detail: String,
    /// Keys of the metrics that show it, the most telling first. The evidence chart draws the first two.
    pub metrics: Vec<String>,
    /// Step at which it began.
    pub onset: Option<f64>,
    /// Step at which it ended, or the last step while it lasts.
    pub end: Option<f64>,
    /// Step at which a run that is watched while it goes on would first have had it; only where that was asked for.
    /// Not carried along: the JSON report writes it beside the others, and bytes between programs have no gaps.
    #[serde(skip)]
    pub first_alarm: Option<f64>,
    /// The numbers behind it.
    pub evidence: Vec<Evidence>,
    /// First, middle and last value of the metrics, in the order of `metrics`.
    pub trend: Vec<Trend>,
    /// Config values that could explain it.
    pub causes: Vec<Cause>,
    /// What to try, best first.
    pub actions: Vec<Action>,
    /// The competing explanation.
    pub alternative: String,
    /// The check that would show the finding wrong.
    pub refute: String,
    /// Findings that explain this one.
    pub explained_by: Vec<Code>,
    /// Where the rule and the advice come from.
    pub references: Vec<String>,
    /// 0 to 1.
    pub confidence: f64,
}

impl Finding {
    /// A finding with its essentials; the rest is filled in by the check.
    pub fn new(code: Code, severity: Severity, title: impl Into<String>) -> Self {
        Self {
            code,
            severity,
            title: title.into(),
            detail: String::new(),
            metrics: Vec::new(),
            onset: None,
            end: None,
            first_alarm: None,
            evidence: Vec::new(),
            trend: Vec::new(),
            causes: Vec::new(),
            actions: Vec::new(),
            alternative: String::new(),
            refute: String::new(),
            explained_by: Vec::new(),
            references: Vec::new(),
            confidence: 0.5,
        }
    }
}

/// One number of the arithmetic that a finding shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// What the number is, in words.
    pub name: String,
    /// The number.
    pub value: f64,
    /// Its unit: `nats/token`, `steps`, `%`, or empty for a plain number.
    pub unit: String,
    /// What it was compared with, and where that comes from, such as `> 0.2 (GRPO logs, rulebook)`. Empty when it
    /// is shown for context.
    pub threshold: String,
}

impl Evidence {
    /// A number shown for context.
    pub fn new(name: impl Into<String>, value: f64, unit: impl Into<String>) -> Self {
        Self { name: name.into(), value, unit: unit.into(), threshold: String::new() }
    }

    /// The same number with what it was compared with.
    pub fn against(mut self, threshold: impl Into<String>) -> Self {
        self.threshold = threshold.into();
        self
    }
}

/// How a metric moved: means of the first, middle and last 5 % of its points
/// (five at least), and the least-squares slope.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trend {
    /// Metric key.
    pub metric: String,
    /// Mean at the start.
    pub first: f64,
    /// Mean in the middle.
    pub mid: f64,
    /// Mean at the end.
    pub last: f64,
    /// Least-squares slope per 100 steps.
    pub slope: f64,
}

/// A config value that could explain a finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    /// Config key as the run has it.
    pub config: String,
    /// Its value.
    pub value: String,
    /// Why it could explain the finding; says when the value is unusual.
    pub why: String,
}

/// One thing to try.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Action {
    /// What to change, a config key where there is one.
    pub change: String,
    /// Its present value, empty when unknown.
    pub from: String,
    /// The value to try, empty for advice that is not a setting.
    pub to: String,
    /// Expected effect.
    pub effect: String,
    /// What it may cost.
    pub risk: String,
    /// The metric and level that will show whether it worked.
    pub watch: String,
}
