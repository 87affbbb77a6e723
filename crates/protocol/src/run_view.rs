//! What the Run view shows, in words and formatted numbers: the page only places them.

use serde::{Deserialize, Serialize};

use super::{SeverityMark, VerdictMark};
use rundown_content::{Block, Span};

/// Everything that the Run view shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunView {
    /// The run.
    pub run: u32,
    /// Verdict.
    pub verdict: VerdictMark,
    /// Headline, such as "The policy games the reward instead of learning the task".
    pub headline: String,
    /// The verdict in one paragraph.
    pub summary: Vec<Span>,
    /// Facts in a row: state, framework, important config.
    pub facts: Vec<Vec<Span>>,
    /// How many checks were skipped, in words; empty for none. Leads to [`Fold::SKIPPED`].
    pub skipped: String,
    /// Key of the step axis and why, for the axis title.
    pub step_key: String,
    /// Why that key.
    pub step_why: String,
    /// First and last step of the timeline; none of a run without steps.
    pub steps: Option<(f64, f64)>,
    /// Lanes of the timeline, in order; lanes without a finding included.
    pub lanes: Vec<String>,
    /// Findings, root causes first, worst first.
    pub findings: Vec<FindingCard>,
    /// What to try first, over all findings.
    pub first_actions: Vec<FirstAction>,
    /// What went well in a good run; why a run is undecided, or what was checked, where no finding says why.
    pub verdict_reasons: Option<Fold>,
    /// The appendix: checks without a finding, metric mapping, files, settings.
    pub appendix: Vec<Fold>,
    /// Key of the metric that the verdict rests on, empty without one.
    pub measure: String,
    /// Metrics that may be the reward or an evaluation, where none is known to be: the user is asked.
    pub candidates: Vec<MeasureCandidate>,
}

/// Something to try, and against which finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FirstAction {
    /// Index into [`RunView::findings`].
    pub finding: u32,
    /// The change.
    pub change: Vec<Span>,
}

/// A metric that may be what the run is judged by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeasureCandidate {
    /// Its key.
    pub key: String,
    /// What it may be, in words, such as "reward".
    pub concept: String,
    /// The answers that the user can choose from: words for a button, and the meaning for [`super::Request::WriteMetric`].
    pub answers: Vec<(String, String)>,
}

/// Something that is folded away below its title.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Fold {
    /// Id on the page.
    pub id: String,
    /// Title.
    pub title: String,
    /// What it holds; nothing is shown of a fold without blocks.
    pub blocks: Vec<Block>,
}

impl Fold {
    /// Id of the fold of skipped checks.
    pub const SKIPPED: &'static str = "skipped";
    /// Id of the fold of settings, one table that can be searched.
    pub const CONFIG: &'static str = "config";
}

/// A finding as a card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FindingCard {
    /// Stable code, such as `kl_blow_up`.
    pub code: String,
    /// Name in words, such as `KL blow-up`.
    pub name: String,
    /// The name within a sentence.
    pub phrase: String,
    /// Lane on the timeline: index into [`RunView::lanes`].
    pub lane: u32,
    /// Severity.
    pub severity: SeverityMark,
    /// One sentence with its key numbers.
    pub title: String,
    /// First step.
    pub onset: Option<f64>,
    /// Last step.
    pub end: Option<f64>,
    /// When it holds, in words: `from step 31`.
    pub when: String,
    /// How sure it is, or what explains it, in a few words.
    pub standing: String,
    /// Metrics to draw as evidence, at most two, the most informative first.
    pub chart: Vec<String>,
    /// What happened.
    pub body: Vec<Block>,
    /// What to try, the best first: the change, then a note on its effect, its risk and what to watch.
    pub actions: Vec<Vec<Span>>,
    /// Likely causes, the competing explanation and what would prove the finding wrong.
    pub reasons: Vec<Block>,
    /// The arithmetic: trends, the numbers and what they were compared with.
    pub evidence: Fold,
    /// Where rule and advice come from.
    pub references: Fold,
    /// Completions before and after the onset beside each other, what changed and further ones folded away; empty where
    /// none were logged. The texts are the model's.
    pub samples: Vec<Block>,
    /// Index of the finding in [`RunView::findings`] that explains this one.
    pub explained_by: Option<u32>,
}
