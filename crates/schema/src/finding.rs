//! A finding of a report: what it rests on, its causes and actions, and completions from both sides of its onset.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Number;

/// A finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FindingReport {
    /// Check that found it.
    pub code: String,
    /// `critical`, `warning` or `note`.
    pub severity: String,
    /// First step.
    pub onset: Option<f64>,
    /// Step at which a run that is watched would first have had it; only where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_alarm: Option<f64>,
    /// In a finding without details: false for a consequence of another finding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_root: Option<bool>,
    /// Left out for a run that is known from its own report alone.
    #[serde(flatten)]
    pub details: Option<FindingDetails>,
    /// Completions before and after the onset, where they were logged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<SamplesReport>,
}

/// What a finding rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FindingDetails {
    /// One sentence with the key numbers.
    pub title: String,
    /// What happened and why it matters.
    #[serde(default)]
    pub detail: String,
    /// Keys of the metrics that show it.
    #[serde(default)]
    pub metrics: Vec<String>,
    /// Last step.
    pub end: Option<f64>,
    /// Its numbers with their limits.
    #[serde(default)]
    pub evidence: Vec<EvidenceReport>,
    /// How the metrics moved.
    #[serde(default)]
    pub trend: Vec<TrendReport>,
    /// Settings that could explain it.
    #[serde(default)]
    pub causes: Vec<CauseReport>,
    /// What to try, best first.
    #[serde(default)]
    pub actions: Vec<ActionReport>,
    /// The competing explanation.
    #[serde(default)]
    pub alternative: String,
    /// What would show it wrong.
    #[serde(default)]
    pub refute: String,
    /// Codes of the findings that explain it.
    #[serde(default)]
    pub explained_by: Vec<String>,
    /// Where the rule and the advice come from.
    #[serde(default)]
    pub references: Vec<String>,
    /// 0 to 1.
    #[serde(default)]
    pub confidence: Number,
}

/// A number of a finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvidenceReport {
    /// What it is.
    pub name: String,
    /// The number.
    #[serde(default)]
    pub value: Number,
    /// Its unit.
    #[serde(default)]
    pub unit: String,
    /// What it is compared with. Schema 1 has a text in its place, `threshold`.
    pub limit: Option<LimitReport>,
}

/// A limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LimitReport {
    /// Side that speaks for the finding: `above`, `below` or `unequal`.
    pub relation: String,
    /// The limit, in the unit of the number.
    pub value: Number,
    /// Where it comes from.
    pub source: String,
}

/// How a metric moved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrendReport {
    /// Key of the metric.
    pub metric: String,
    /// Mean at the start.
    pub first: Number,
    /// Mean in the middle.
    pub mid: Number,
    /// Mean at the end.
    pub last: Number,
    /// Least squares, per 100 steps.
    pub slope: Number,
}

/// A setting that could explain a finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CauseReport {
    /// Key of the setting.
    pub config: String,
    /// Its value.
    #[serde(default)]
    pub value: String,
    /// Why.
    #[serde(default)]
    pub why: String,
}

/// Something to try.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActionReport {
    /// Key of a setting, or an advice in words where `to` is empty.
    pub change: String,
    /// Value of the setting; empty where it is not known.
    #[serde(default)]
    pub from: String,
    /// Suggested value.
    #[serde(default)]
    pub to: String,
    /// Expected effect.
    #[serde(default)]
    pub effect: String,
    /// Risk.
    #[serde(default)]
    pub risk: String,
    /// What to watch.
    #[serde(default)]
    pub watch: String,
}

/// Completions from both sides of an onset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SamplesReport {
    /// Before it.
    pub before: SideReport,
    /// From it on.
    pub after: SideReport,
    /// Means over the compared completions.
    pub measures: Vec<ChangeReport>,
    /// Shares of the texts that hold a phrase.
    pub phrases: Vec<ChangeReport>,
}

/// Completions of one side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SideReport {
    /// Compared completions.
    pub compared: u32,
    /// First step of them.
    pub first_step: Number,
    /// Last step of them.
    pub last_step: Number,
    /// Some of them.
    pub shown: Vec<ExcerptReport>,
}

/// A completion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExcerptReport {
    /// Step.
    pub step: Number,
    /// End of the prompt.
    pub prompt: String,
    /// The text, cut in its middle where it is long.
    pub text: String,
    /// Characters of the whole text.
    pub length: u32,
    /// What it repeats most.
    pub repeated: String,
    /// How often.
    pub times: u32,
    /// Scores by name.
    pub scores: BTreeMap<String, Number>,
}

/// A number before and after an onset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangeReport {
    /// What it is.
    pub name: String,
    /// Before.
    pub before: Number,
    /// After.
    pub after: Number,
}
