//! One run as comparisons see it: small enough to keep ten thousand of them.
//!
//! Made of a run and its diagnosis, or read back from a JSON report. Comparisons use nothing else, so that
//! both are compared alike. Curves are thinned; last and best values are exact.

use std::collections::BTreeMap;

use super::facts::{League, Pipeline, PipelineHealth, RewardSummary, Scaling};
use super::trace::{TRACED_CONCEPTS, Trace, curve_fingerprint};
use super::{DiagnosedRun, last_values};
use rundown_diagnose::{ActionKind, Code, Finding, SettingName, Severity, Spent, Verdict};
use rundown_format::RichText;
use rundown_run::{Config, ConfigValue, Run, RunState};
use rundown_vocabulary::{Binding, Bindings, Concept, Direction, Framework};

/// A run with fewer points, all within as many steps, has hardly begun: as many as it takes to show a change far beyond their noise
/// (`diagnose::measure::few_points`).
const FEWEST_POINTS: usize = 10;

/// One run as comparisons see it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunSummary {
    /// Number of the run in the page; a place in a list elsewhere.
    pub number: u32,
    /// Stable id.
    pub id: String,
    /// Name to show; not unique.
    pub name: String,
    /// Project.
    pub project: Option<String>,
    /// Group within the project.
    pub group: Option<String>,
    /// Job type.
    pub job_type: Option<String>,
    /// Sweep id.
    pub sweep: Option<String>,
    /// Free text by the user.
    pub notes: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// Address of its page, or its place on the tracker's server (`entity/project/runs/id`), where known.
    pub link: Option<String>,
    /// Unix seconds.
    pub started_at: Option<f64>,
    /// How it ended.
    pub state: RunState,
    /// Framework whose metric names it uses.
    pub framework: Framework,
    /// True for a policy whose actions are no tokens, as in games and control.
    pub acts_in_environment: bool,
    /// Settings, flat; secrets included: redact them where they are shown.
    pub config: Config,
    /// Last finite value of every metric, by key; the source's own summary where there is no series.
    pub last: BTreeMap<String, f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// The main point.
    pub headline: String,
    /// What was found, in the order of the diagnosis.
    pub findings: Vec<FindingSummary>,
    /// What its config contradicts, where that is more than a note.
    pub conflict: Option<ConflictSummary>,
    /// Curves of what is compared; the primary one of a concept first.
    pub traces: Vec<Trace>,
    /// Keys of the other metrics of which less is better, as far as it is known what they stand for.
    pub lower_is_better: Vec<String>,
    /// A hash of the curves, by which [`super::copies`] are found; `None` where they hold too little.
    pub curve_fingerprint: Option<u64>,
    /// First and last step.
    pub steps: Option<(f64, f64)>,
    /// Different steps at which something was logged.
    pub points: usize,
    /// Steps, hours, tokens, GPU-hours and money of the whole run.
    pub spent: Spent,
    /// Number of tasks of the primary evaluation, where its values show it.
    pub tasks: Option<u32>,
    /// Players and ratings of its league, where it has one.
    pub league: Option<League>,
    /// Reward over compute.
    pub scaling: Option<Scaling>,
    /// Throughput and failures of its data pipeline.
    pub pipeline: Option<Pipeline>,
    /// Scores at the end, distributions and rubric.
    pub rubric: Option<RewardSummary>,
}

/// A finding in short.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingSummary {
    /// What.
    pub code: Code,
    /// How bad.
    pub severity: Severity,
    /// First step.
    pub onset: Option<f64>,
    /// False for a consequence of another finding.
    pub is_root: bool,
}

/// A contradiction in a config and the setting that ends it.
#[derive(Debug, Clone, PartialEq)]
pub struct ConflictSummary {
    /// What contradicts what.
    pub title: RichText,
    /// The setting to change.
    pub setting: SettingName,
    /// Its present value; empty where it is unknown.
    pub from: String,
    /// The value to try.
    pub to: String,
}

impl ConflictSummary {
    /// The contradiction among the findings on a run that is more than a note.
    pub(super) fn of(findings: &[Finding]) -> Option<Self> {
        let is_meant = |found: &&Finding| found.code == Code::ConfigConflict && found.severity > Severity::Note;
        let found = findings.iter().find(is_meant)?;
        found.actions.iter().find_map(|action| match &action.kind {
            ActionKind::Set { setting, from, to } => Some(Self {
                title: found.title.clone(),
                setting: setting.clone(),
                from: from.as_ref().map(|from| from.text.clone()).unwrap_or_default(),
                to: to.text.clone(),
            }),
            ActionKind::Do(_) => None,
        })
    }
}

impl RunSummary {
    /// The summary of a diagnosed run. Of one of which only the report is there, [`super::reported_analysis`] says more.
    pub fn of(number: u32, (run, diagnosis): DiagnosedRun<'_>) -> Self {
        let found = diagnosis.findings.iter().map(|finding| FindingSummary {
            code: finding.code,
            severity: finding.severity,
            onset: finding.onset,
            is_root: finding.explained_by.is_empty(),
        });
        let last = last_finite_values(run);
        let bare = last_values::as_history(run);
        let (logged, bindings) = bare.as_ref().map_or((run, &diagnosis.bindings), |(run, bindings)| (run, bindings));
        let traced = TRACED_CONCEPTS.iter().flat_map(|concept| bindings.all(*concept));
        let traces: Vec<Trace> = traced.filter_map(|binding| Trace::of(logged, binding)).collect();
        let has_only_last = bare.is_some() && !traces.is_empty();
        let headline = if has_only_last { last_values::HEADLINE.to_owned() } else { diagnosis.headline.to_string() };
        let diagnosed = (run, diagnosis);
        Self {
            framework: diagnosis.bindings.framework,
            acts_in_environment: diagnosis.acts_in_environment,
            verdict: diagnosis.verdict,
            headline,
            findings: found.collect(),
            conflict: ConflictSummary::of(&diagnosis.findings),
            curve_fingerprint: curve_fingerprint(&traces),
            lower_is_better: lower_is_better(bindings, &traces),
            traces,
            steps: run.step_range().or_else(|| last_values::last_step(run).map(|step| (step, step))),
            points: diagnosis.points,
            spent: diagnosis.cost.total,
            tasks: diagnosis.learning.tasks,
            league: League::of(diagnosed, &last),
            scaling: Scaling::of(diagnosed),
            pipeline: Pipeline::of(diagnosed),
            rubric: RewardSummary::of(run, &last),
            last,
            ..Self::undiagnosed(number, run)
        }
    }

    /// A run without a diagnosis: what identifies it, and its settings.
    pub fn undiagnosed(number: u32, run: &Run) -> Self {
        Self {
            number,
            id: run.id.clone(),
            name: run.name.clone(),
            project: run.project.clone(),
            group: run.group.clone(),
            job_type: run.job_type.clone(),
            sweep: run.sweep.clone(),
            notes: run.notes.clone(),
            tags: run.tags.clone(),
            link: link(run),
            started_at: run.started_at,
            state: run.ending.state,
            config: run.config.clone(),
            ..Self::default()
        }
    }

    /// True where the verdict is open for want of data: few points, a warm-up that is not over, or nothing but last values.
    pub fn lacks_data(&self) -> bool {
        self.verdict == Verdict::Undecided && self.findings.iter().any(|found| found.code == Code::InsufficientData)
    }

    /// The health of its pipeline; `None` where it logs no figure with a target.
    pub fn pipeline_health(&self) -> Option<PipelineHealth> {
        let findings = self.findings.iter().map(|finding| (finding.code, finding.severity));
        PipelineHealth::of(self.pipeline.as_ref()?, findings)
    }

    /// True for a run of a few steps: what it shows is little more than the model as it was.
    pub fn is_just_begun(&self) -> bool {
        (1..FEWEST_POINTS).contains(&self.points) && self.steps.is_some_and(|(_, last)| last < FEWEST_POINTS as f64)
    }

    /// True for a run whose level at the end is no result: it has hardly begun, or has too little data for a verdict.
    pub fn has_no_result(&self) -> bool {
        self.is_just_begun() || self.lacks_data()
    }

    /// The name of the run, or its id where it has none, as read, secrets included: redact it where it is shown.
    pub fn name_or_id(&self) -> &str {
        if self.name.is_empty() { &self.id } else { &self.name }
    }

    /// The curve of a metric key.
    pub fn trace(&self, key: &str) -> Option<&Trace> {
        self.traces.iter().find(|trace| trace.key == key)
    }

    /// True for a metric without a curve of which less is known to be better.
    pub fn is_lower_better(&self, key: &str) -> bool {
        self.lower_is_better.iter().any(|lower| lower == key)
    }

    /// The curves of a concept, the primary one first.
    pub fn traces_of(&self, concept: Concept) -> impl Iterator<Item = &Trace> {
        self.traces.iter().filter(move |trace| trace.concept == concept)
    }

    /// The run with its reward; `None` where no part of the reward is known.
    pub(super) fn with_parts<'s>(&'s self, reward: Option<&'s Trace>) -> Option<RewardedRun<'s>> {
        self.traces_of(Concept::RewardComponent).next()?;
        Some((self, reward?))
    }
}

/// A run with its reward.
pub(super) type RewardedRun<'s> = (&'s RunSummary, &'s Trace);

/// The name of a part of one of two rewards of which there is no trace in the other run.
pub(super) fn unshared_part<'s>(one: RewardedRun<'s>, other: RewardedRun<'s>) -> Option<&'s str> {
    missing_part(one, other.0).or_else(|| missing_part(other, one.0))
}

/// The name of a part of the reward of `run` of which `from` has no trace. A part with points in fewer than half of the steps is
/// ignored: it may be logged only where it counts, and be missing by chance.
fn missing_part<'s>((run, reward): RewardedRun<'s>, from: &RunSummary) -> Option<&'s str> {
    let parts = run.traces_of(Concept::RewardComponent).filter(|part| 2 * part.points >= reward.points);
    let mut names = parts.map(Trace::part_name);
    names.find(|name| from.traces_of(Concept::RewardComponent).all(|part| part.part_name() != *name))
}

/// Which way a metric is ranked: that of its binding, or of a quantity that has no better direction, the end of its scale at
/// which nothing is wrong. No run is best for the highest KL or the largest gradient.
pub(super) fn usual_direction(concept: Concept, bound: Direction) -> Direction {
    match (bound, concept) {
        (
            Direction::Neutral,
            Concept::KlToReference
            | Concept::KlToSampler
            | Concept::ClipFraction
            | Concept::ClipFractionHigh
            | Concept::ClipFractionLow
            | Concept::ValueClipFraction
            | Concept::PolicyLoss
            | Concept::ValueLoss
            | Concept::GradientNorm
            | Concept::CriticGradientNorm
            | Concept::UpkeepTime
            | Concept::Memory
            | Concept::HostMemory,
        ) => Direction::Down,
        (Direction::Neutral, _) => Direction::Up,
        (direction, _) => direction,
    }
}

/// Keys of metrics without a curve of which less is better.
fn lower_is_better(bindings: &Bindings, traces: &[Trace]) -> Vec<String> {
    let is_lower = |binding: &&Binding| {
        usual_direction(binding.concept, binding.direction) == Direction::Down
            && traces.iter().all(|trace| trace.key != binding.key)
    };
    bindings.iter().filter(is_lower).map(|binding| binding.key.clone()).collect()
}

fn link(run: &Run) -> Option<String> {
    if let Some(ConfigValue::Text(address)) = run.summary.get("url")
        && (address.starts_with("https://") || address.starts_with("http://"))
    {
        return Some(address.clone());
    }
    let (entity, project) = (run.entity.as_deref()?, run.project.as_deref()?);
    (!run.id.is_empty()).then(|| format!("{entity}/{project}/runs/{}", run.id))
}

/// Last finite value of every metric; of the source's summary what has no series.
fn last_finite_values(run: &Run) -> BTreeMap<String, f64> {
    let mut last = BTreeMap::new();
    for (key, value) in run.summary.iter() {
        if let ConfigValue::Number(value) = value
            && value.is_finite()
        {
            last.insert(key.to_owned(), *value);
        }
    }
    for (key, column) in &run.columns {
        if let Some(value) = column.values().iter().rev().find(|value| value.is_finite()) {
            last.insert(key.clone(), *value);
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TRACE_POINTS;
    use crate::testing::TestRun;
    use crate::trace::tail_points;

    #[test]
    fn curves_are_thinned_but_last_and_best_are_exact() {
        let values: Vec<f64> = (0..1000).map(|step| if step == 500 { 9.0 } else { f64::from(step) / 1000.0 }).collect();
        let test_run = TestRun::new("a").reward("train/reward", &values).evaluation("eval/accuracy", &[f64::NAN]);
        let summary = RunSummary::of(7, test_run.diagnosed());
        let trace = summary.trace("train/reward").unwrap();
        assert!(trace.steps.len() <= TRACE_POINTS && trace.steps.len() == trace.values.len());
        assert_eq!((trace.last, trace.best, trace.best_step, trace.points), (0.999, 9.0, 501.0, 1000));
        assert!((trace.tail - 0.8995).abs() < 1e-9 && trace.tail_error > 0.0);
        assert_eq!(summary.traces_of(Concept::Evaluation).count(), 0, "nothing finite was logged");
        assert_eq!(summary.last, BTreeMap::from([("train/reward".to_owned(), 0.999)]));
        assert_eq!((summary.number, summary.steps), (7, Some((1.0, 1000.0))));
    }

    #[test]
    fn a_part_that_is_seldom_logged_makes_no_other_reward() {
        let made = |points: usize| {
            let part: Vec<f64> = (0..100).map(|step| if step < points { 0.5 } else { f64::NAN }).collect();
            let run = TestRun::new("a").reward("r", &[0.5; 100]).metric(Concept::RewardComponent, "a", &[0.5; 100]);
            RunSummary::of(0, run.metric(Concept::RewardComponent, "b", &part).diagnosed())
        };
        let [never, seldom, often] = [0, 49, 51].map(made);
        let unshared = |one: &RunSummary, other: &RunSummary| {
            let both = [one, other].map(|run| run.with_parts(run.trace("r")).unwrap());
            unshared_part(both[0], both[1]).map(str::to_owned)
        };
        assert_eq!((unshared(&often, &seldom), unshared(&seldom, &never)), (None, None));
        assert_eq!(unshared(&never, &often).as_deref(), Some("b"));
    }

    #[test]
    fn the_end_of_few_points_is_not_most_of_them() {
        let points = [0, 1, 4, 8, 12, 20, 50, 100, 1000].map(tail_points);
        assert_eq!(points, [1, 1, 1, 2, 3, 5, 10, 20, 200]);
    }
}
