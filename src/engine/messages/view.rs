//! What the Run view shows, in words and formatted numbers: the page only places them.

use serde::{Deserialize, Serialize};

use super::{SeverityMark, VerdictMark};
use crate::document::Span;

/// Everything that the Run view shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunView {
    /// The run.
    pub run: u32,
    /// Its name.
    pub name: String,
    /// Verdict.
    pub verdict: VerdictMark,
    /// Headline, such as "The policy games the reward instead of learning the task".
    pub headline: String,
    /// The verdict in one paragraph.
    pub summary: Vec<Span>,
    /// Facts in a row: state, framework, important config.
    pub facts: Vec<Fact>,
    /// Key of the step axis and why, for the axis title.
    pub step_key: String,
    /// Why that key.
    pub step_why: String,
    /// Steps of the timeline.
    pub steps: (f64, f64),
    /// Lanes of the timeline, in order; lanes without a finding included.
    pub lanes: Vec<String>,
    /// Findings, root causes first, worst first.
    pub findings: Vec<FindingCard>,
    /// Checks that were quiet, with their numbers in words.
    pub quiet: Vec<CheckNote>,
    /// Checks that were skipped, with what would enable them.
    pub skipped: Vec<CheckNote>,
    /// Which key stands for which concept, and why.
    pub bindings: Vec<BindingRow>,
    /// Files and warnings of the run.
    pub files: Vec<String>,
    /// Artifacts and files that the run's server keeps, a line each: name, type, size.
    pub listed: Vec<String>,
    /// What was odd about the data.
    pub warnings: Vec<String>,
    /// Settings: key and value, secrets redacted.
    pub config: Vec<(String, String)>,
    /// Key of the metric by which learning was judged, empty without one.
    pub measure: String,
}

/// One fact beside the verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// Label, such as `learning_rate`; empty when the value says it all.
    pub label: String,
    /// Value, such as `1e-3`.
    pub value: String,
    /// What is unusual about it, such as `10× usual`; empty when nothing is.
    pub remark: String,
}

/// A finding as a card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FindingCard {
    /// Stable code, such as `kl_blow_up`.
    pub code: String,
    /// Name in words, such as `KL blow-up`.
    pub name: String,
    /// Lane on the timeline: index into [`RunView::lanes`].
    pub lane: u32,
    /// Severity.
    pub severity: SeverityMark,
    /// One sentence with its key numbers.
    pub title: String,
    /// What happened and why it matters.
    pub detail: Vec<Span>,
    /// First step, NaN when it has none.
    pub onset: f64,
    /// Last step, NaN when it has none.
    pub end: f64,
    /// 0 to 1.
    pub confidence: f64,
    /// Metrics to draw as evidence, at most two, the most telling first.
    pub chart: Vec<String>,
    /// Rows: metric, first, middle, last, slope per 100 steps, formatted.
    pub trend: Vec<[String; 5]>,
    /// Rows: name, value with unit, threshold with its source.
    pub evidence: Vec<[String; 3]>,
    /// Rows: config key, value, why.
    pub causes: Vec<[String; 3]>,
    /// What to try.
    pub actions: Vec<ActionRow>,
    /// The competing explanation.
    pub alternative: String,
    /// What would refute it.
    pub refute: String,
    /// Where rule and advice come from.
    pub references: Vec<String>,
    /// Completions before and after the onset: a head and rows, each with what it is, before, and after; empty where
    /// none were logged. The texts are the model's.
    pub samples: Vec<[String; 3]>,
    /// Index of the finding in [`RunView::findings`] that explains this one.
    pub explained_by: Option<u32>,
}

/// One thing to try.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActionRow {
    /// What to change; a config key when `from` or `to` is set.
    pub change: String,
    /// Present value or empty.
    pub from: String,
    /// Value to try or empty.
    pub to: String,
    /// Expected effect, risk, and what to watch, in one sentence.
    pub note: String,
}

/// A check that said nothing, with the reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckNote {
    /// Name in words.
    pub name: String,
    /// Numbers or missing key, in one sentence.
    pub text: String,
}

/// Which key stands for which concept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BindingRow {
    /// Concept in words, such as `KL to the reference`.
    pub concept: String,
    /// Metric key.
    pub key: String,
    /// Unit, or empty.
    pub unit: String,
    /// Why this key.
    pub why: String,
}
