//! A report: its runs with findings, metric mapping, costs and thinned curves.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Number;
use super::comparison::Comparison;
use super::finding::FindingReport;
use rundown_run::ConfigValue;

/// A report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Version of the schema.
    pub schema: u32,
    /// Version of Rundown.
    pub rundown: String,
    /// The rulebook of the runs that were diagnosed, or all their names when they differ.
    pub rulebook: String,
    /// Runs in the order of the leaderboard.
    pub runs: Vec<RunReport>,
    /// The runs side by side.
    #[serde(default)]
    pub comparison: Comparison,
}

/// A run. In a report on many, a run that is known from its own report alone has no more than comparisons need: members
/// that are `None` are left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// Id.
    pub id: String,
    /// Name; not unique.
    pub name: String,
    /// Paths of its files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    /// Format of its first file.
    #[serde(default)]
    pub source: String,
    /// Artifacts and files that its server keeps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactReport>,
    /// Framework whose metric names it uses.
    #[serde(default)]
    pub framework: String,
    /// True for a policy whose actions are no tokens, as in games and control.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub acts_in_environment: bool,
    /// How it ended.
    #[serde(default)]
    pub state: String,
    /// First step.
    pub first_step: Option<f64>,
    /// Last step.
    pub last_step: Option<f64>,
    /// Different steps at which something was logged.
    #[serde(default)]
    pub points: usize,
    /// The verdict.
    #[serde(default)]
    pub verdict: String,
    /// Findings: root causes first, worst first.
    #[serde(default)]
    pub findings: Vec<FindingReport>,
    /// Codes of checks that found nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<Vec<String>>,
    /// Checks that lacked a metric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<Vec<SkippedReport>>,
    /// Primary metric of each quantity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bindings: Option<BTreeMap<String, BindingReport>>,
    /// Unrecognised metrics, which no check reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unbound: Option<Vec<String>>,
    /// How the primary metric of each quantity moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<BTreeMap<String, MovementReport>>,
    /// What it cost.
    pub cost: Option<CostReport>,
    /// The main point in one sentence.
    #[serde(default)]
    pub headline: String,
    /// Project.
    pub project: Option<String>,
    /// Group within the project.
    pub group: Option<String>,
    /// Job type.
    pub job_type: Option<String>,
    /// Sweep.
    pub sweep: Option<String>,
    /// The user's notes.
    pub notes: Option<String>,
    /// Address of its page, or its place on the tracker's server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Unix seconds, whole ones.
    pub started_at: Option<f64>,
    /// Tasks of the primary evaluation, where its values are multiples of one over their number.
    pub tasks: Option<u32>,
    /// Settings by key. Numbers that JSON lacks are the strings `NaN`, `Infinity` and `-Infinity`.
    #[serde(default)]
    pub config: BTreeMap<String, Value>,
    /// Last finite value of every metric.
    #[serde(default)]
    pub last: BTreeMap<String, Number>,
    /// Keys of metrics without a curve of which less is better.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lower_is_better: Vec<String>,
    /// Thinned curves.
    #[serde(default)]
    pub traces: Vec<TraceReport>,
    /// Elo league (`compare::facts::League`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub league: Option<Value>,
    /// Reward against compute (`compare::facts::Scaling`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scaling: Option<Value>,
    /// Throughput and rollouts (`compare::facts::Pipeline`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<Value>,
    /// Final scores, distributions and rubric (`compare::facts::RewardSummary`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rubric: Option<Value>,
}

/// A file or an artifact of the run's server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArtifactReport {
    /// Name.
    pub name: String,
    /// Type; `file` for a file that is no artifact.
    pub r#type: String,
    /// Bytes.
    pub size: Option<f64>,
}

/// A check that lacked a metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SkippedReport {
    /// The check.
    pub code: String,
    /// What would enable it.
    #[serde(default)]
    pub needs: String,
}

/// The metric of a quantity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BindingReport {
    /// Key of the metric.
    pub key: String,
    /// Why this metric.
    #[serde(default)]
    pub why: String,
}

/// How a metric moved, with its best value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MovementReport {
    /// Mean at the start.
    pub first: Number,
    /// Mean in the middle.
    pub mid: Number,
    /// Mean at the end.
    pub last: Number,
    /// Best value.
    pub best: Number,
    /// Its step.
    pub best_step: Number,
    /// Least squares, per 100 steps.
    pub slope: Number,
}

/// What a run cost. A run that is known from its own report alone has the total.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CostReport {
    /// The whole run.
    pub total: SpentReport,
    /// What came after the findings below, overlaps counted once.
    pub useless: Option<SpentReport>,
    /// Findings after which the rest was useless.
    #[serde(default)]
    pub findings: Vec<CostAfterFindingReport>,
    /// What the hours were measured by.
    #[serde(default)]
    pub hours_from: String,
    /// Hours in gaps and between restarts, which are not counted.
    #[serde(default)]
    pub idle_hours: Number,
    /// Number of GPUs.
    pub gpus: Option<f64>,
    /// Where that number is from.
    #[serde(default)]
    pub gpus_from: String,
    /// As the user gave it.
    pub price_per_gpu_hour: Option<f64>,
}

/// An amount of training.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SpentReport {
    /// Steps.
    #[serde(default)]
    pub steps: Number,
    /// Hours.
    pub hours: Option<f64>,
    /// Tokens.
    pub tokens: Option<f64>,
    /// GPU-hours.
    pub gpu_hours: Option<f64>,
    /// Money, in the user's currency.
    pub money: Option<f64>,
}

/// Training that a finding made useless.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CostAfterFindingReport {
    /// The finding.
    pub code: String,
    /// First step.
    pub from: Number,
    /// Last step.
    pub to: Number,
    /// What it cost.
    pub spent: SpentReport,
}

/// A thinned curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceReport {
    /// Key of the metric.
    pub key: String,
    /// Its quantity.
    pub concept: String,
    /// Name of the reward function, evaluation, opponent or criterion.
    pub name: Option<String>,
    /// Unit.
    #[serde(default)]
    pub unit: String,
    /// `up` where more is better, `down` or `neutral`.
    #[serde(default)]
    pub direction: String,
    /// Logged points behind it.
    #[serde(default)]
    pub points: usize,
    /// Step of the last of them, where `steps` are means of several and end before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_step: Option<f64>,
    /// Last finite value.
    #[serde(default)]
    pub last: Number,
    /// Best value.
    #[serde(default)]
    pub best: Number,
    /// Its step.
    #[serde(default)]
    pub best_step: Number,
    /// Mean of the last fifth.
    #[serde(default)]
    pub tail: Number,
    /// Standard error of that mean.
    #[serde(default)]
    pub tail_error: Number,
    /// Steps.
    pub steps: Vec<Number>,
    /// Values.
    pub values: Vec<Number>,
}

/// A setting of a report; numbers that JSON lacks stand there as words.
pub fn setting_value(value: &Value) -> ConfigValue {
    match value {
        // No report has an object.
        Value::Null | Value::Object(_) => ConfigValue::Null,
        Value::Bool(truth) => ConfigValue::Bool(*truth),
        Value::Number(number) => number.as_f64().map_or(ConfigValue::Null, ConfigValue::Number),
        Value::String(text) => match text.as_str() {
            "NaN" => ConfigValue::Number(f64::NAN),
            "Infinity" => ConfigValue::Number(f64::INFINITY),
            "-Infinity" => ConfigValue::Number(f64::NEG_INFINITY),
            _ => ConfigValue::Text(text.clone()),
        },
        Value::Array(items) => ConfigValue::List(items.iter().map(setting_value).collect()),
    }
}
