//! Which runs count when parameters are compared by an outcome, and which do not and why.
//!
//! A run that broke before its outcome was logged is a result too: to leave it out would make the setting that broke it
//! look harmless. A run that merely crashed says nothing of its settings.

use super::groups::settings_in_name;
use super::parameters::of_other_tasks;
use super::{Metric, Parameter, RunSummary, Trace, copies};
use rundown_diagnose::{Code, Hyperparameter, Severity, Verdict, setting};
use rundown_run::RunState;
use rundown_stats as stats;
use rundown_stats::CompactSort as _;
use rundown_vocabulary::Direction;

/// What runs are compared by.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// Its name or metric key, such as `eval/accuracy`.
    pub key: &'a str,
    /// Which way is better; [`Direction::Neutral`] counts as [`Direction::Up`].
    pub direction: Direction,
    /// The outcome of each run, in the order of the summaries.
    pub values: &'a [Option<f64>],
}

impl Target<'_> {
    /// True when the first of two values is strictly better.
    pub fn is_better(&self, value: f64, other: f64) -> bool {
        if self.direction == Direction::Down { value < other } else { value > other }
    }

    /// 1 where more is better, else -1.
    pub fn sign(&self) -> f64 {
        self.direction.sign()
    }
}

/// Runs that do not count, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExcludedRuns {
    /// How many.
    pub runs: usize,
    /// Why.
    pub why: RunExclusion,
}

/// Why a run is not part of the sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunExclusion {
    /// It is still running.
    Running,
    /// It crashed before the outcome was logged, with no other critical finding.
    Crashed,
    /// It has no value of the outcome.
    NotLogged,
    /// It stopped before half of the steps of the others.
    StoppedEarly,
    /// Its numbers are exactly those of another run, so that it is no independent sample.
    Duplicate,
    /// It was trained on other tasks than the runs of the sample, so that its reward is not comparable.
    OtherTasks,
}

/// The runs that count.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunSample {
    /// Places of the runs among the summaries, ascending.
    pub runs: Vec<usize>,
    /// Their outcomes; of a run that broke before it had one, the worst of the others.
    pub values: Vec<f64>,
    /// Their outcomes for ranking: a run that broke lies beyond the worst.
    pub ranking: Vec<f64>,
    /// What their names hold that may be values of settings.
    pub names: Vec<String>,
    /// How many of them broke before they had an outcome, and count as the worst.
    pub broken: usize,
    /// How many of them are ugly.
    pub ugly: usize,
    /// Runs that do not count.
    pub excluded: Vec<ExcludedRuns>,
    /// What the outcomes were at the last step that all runs reached; `None` where they are of about one length.
    pub equal: Option<EqualSteps>,
    /// True where the outcome is the reward that was trained on.
    pub is_reward: bool,
}

/// Outcomes of runs of different lengths where all of them had trained for as long.
#[derive(Debug, Clone, PartialEq)]
pub struct EqualSteps {
    /// The step.
    pub step: f64,
    /// The outcomes, as [`RunSample::ranking`].
    pub ranking: Vec<f64>,
    /// Last step of each run; NaN where it is unknown.
    pub ends: Vec<f64>,
}

/// A run of less than this share of the usual steps stopped before it came to anything, if only this share of the runs
/// is so short: where many are, they were meant to be.
const STOPPED_EARLY: (f64, f64) = (0.5, 0.15);
/// The shortest run in parts of the longest from which on runs are of one length.
const EQUAL_LENGTH_RATIO: f64 = 0.8;
/// Share of the steps before a place that makes the level there.
const LEVEL_SHARE: f64 = 0.15;

/// True when a run went wrong by itself: something critical beside a crash or a stall.
pub(super) fn is_broken(summary: &RunSummary) -> bool {
    summary
        .findings
        .iter()
        .any(|found| found.severity == Severity::Critical && !matches!(found.code, Code::RunCrashed | Code::Stalled))
}

/// Chooses the runs that count.
pub fn sample(summaries: &[&RunSummary], target: &Target<'_>) -> RunSample {
    sample_of(summaries, target, &Metric::chosen(summaries, target.key, Some(target.direction)), &[])
}

/// As [`sample`], where the outcome is the reward only of the runs that were trained on the same tasks: how high it is
/// depends on them. `parameters` are what these runs differ in.
pub(super) fn comparable_sample(summaries: &[&RunSummary], target: &Target<'_>, parameters: &[Parameter]) -> RunSample {
    let metric = Metric::chosen(summaries, target.key, Some(target.direction));
    let is_other = if metric.is_reward() { of_other_tasks(parameters, target.values) } else { Vec::new() };
    sample_of(summaries, target, &metric, &is_other)
}

/// The sample without the runs that are of `other_tasks`.
fn sample_of(summaries: &[&RunSummary], target: &Target<'_>, metric: &Metric, other_tasks: &[bool]) -> RunSample {
    use RunExclusion::{Crashed, Duplicate, NotLogged, OtherTasks, Running, StoppedEarly};
    let mut found = RunSample::default();
    let mut excluded =
        [Running, Crashed, NotLogged, StoppedEarly, Duplicate, OtherTasks].map(|why| ExcludedRuns { runs: 0, why });
    let copies = copies(summaries);
    let stopped = stopped(summaries, metric);
    let mut worst: Option<f64> = None;
    let mut broken = Vec::new();
    for (run, summary) in summaries.iter().enumerate() {
        let value = target.values.get(run).copied().flatten().filter(|value| value.is_finite());
        let why = match value {
            _ if summary.state == RunState::Running => Running,
            _ if copies.get(run).is_some_and(Option::is_some) => Duplicate,
            _ if other_tasks.get(run) == Some(&true) => OtherTasks,
            Some(_) if stopped.contains(&run) => StoppedEarly,
            None if is_broken(summary) => {
                broken.push(run);
                continue;
            }
            None if matches!(summary.state, RunState::Crashed | RunState::Failed) => Crashed,
            None => NotLogged,
            Some(value) => {
                if worst.is_none_or(|worst| target.is_better(worst, value)) {
                    worst = Some(value);
                }
                found.runs.push(run);
                continue;
            }
        };
        excluded.iter_mut().filter(|excluded| excluded.why == why).for_each(|excluded| excluded.runs += 1);
    }
    if let Some(worst) = worst {
        found.broken = broken.len();
        found.runs.extend(broken);
        found.runs.sort_unstable();
        for run in &found.runs {
            let value = target.values.get(*run).copied().flatten().filter(|value| value.is_finite());
            found.values.push(value.unwrap_or(worst));
            found.ranking.push(value.unwrap_or(f64::NEG_INFINITY * target.sign()));
            found.names.push(summaries.get(*run).map_or_else(String::new, |summary| settings_in_name(&summary.name)));
        }
        found.equal = equal_steps(summaries, metric, &found);
        let ugly = |run: &&usize| summaries.get(**run).is_some_and(|summary| summary.verdict == Verdict::Ugly);
        found.ugly = found.runs.iter().filter(ugly).count();
    } else {
        let unlogged = excluded.iter_mut().find(|excluded| excluded.why == NotLogged);
        unlogged.into_iter().for_each(|excluded| excluded.runs += broken.len());
    }
    found.is_reward = metric.is_reward();
    found.excluded = excluded.into_iter().filter(|excluded| excluded.runs > 0).collect();
    found
}

/// The shortest and the longest of these runs, by their last steps, where they are not of about one length. Steps that
/// are not finite are unknown.
pub fn uneven(ends: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let mut known = 0;
    let (least, most) = ends
        .filter(|end| end.is_finite())
        .inspect(|_| known += 1)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), end| (least.min(end), most.max(end)));
    (known >= 2 && least < EQUAL_LENGTH_RATIO * most).then_some((least, most))
}

/// Last step of a run's outcome.
fn end(summary: &RunSummary, metric: &Metric) -> Option<f64> {
    metric.trace_in(summary).filter(|trace| trace.points > 1).map(|trace| trace.last_step)
}

/// The few runs that stopped early, which no setting of steps explains.
fn stopped(summaries: &[&RunSummary], metric: &Metric) -> Vec<usize> {
    let counts = |summary: &RunSummary| summary.state != RunState::Running && !is_broken(summary);
    let known: Vec<(usize, f64)> = (summaries.iter().enumerate())
        .filter(|(_, summary)| counts(summary))
        .filter_map(|(run, summary)| Some((run, end(summary, metric)?)))
        .collect();
    let ends: Vec<f64> = known.iter().map(|(_, end)| *end).collect();
    let Some(usual) = stats::median(&ends) else { return Vec::new() };
    let reached_plan = |run: usize, end: f64| {
        let Some(summary) = summaries.get(run) else { return false };
        let plan = setting(&summary.config, Hyperparameter::PlannedSteps);
        summary.state == RunState::Finished || plan.is_some_and(|plan| end >= 0.9 * plan.value)
    };
    let short = known.iter().filter(|(run, end)| *end < STOPPED_EARLY.0 * usual && !reached_plan(*run, *end));
    let short: Vec<usize> = short.map(|(run, _)| *run).collect();
    if short.len() as f64 > STOPPED_EARLY.1 * known.len() as f64 { Vec::new() } else { short }
}

/// The outcomes at the last step that all runs reached, where they are of different lengths. A run that broke keeps
/// what came of it.
fn equal_steps(summaries: &[&RunSummary], metric: &Metric, found: &RunSample) -> Option<EqualSteps> {
    let ends: Vec<f64> = found
        .runs
        .iter()
        .map(|run| summaries.get(*run).filter(|summary| !is_broken(summary)).and_then(|summary| end(summary, metric)))
        .map(|end| end.unwrap_or(f64::NAN))
        .collect();
    let (least, _) = uneven(ends.iter().copied()).filter(|(least, _)| *least > 0.0)?;
    let at = |((run, end), ranking): ((&usize, &f64), &f64)| {
        let trace = summaries.get(*run).filter(|_| end.is_finite()).and_then(|summary| metric.trace_in(summary));
        trace.and_then(|trace| level_at(trace, least)).unwrap_or(*ranking)
    };
    let ranking = found.runs.iter().zip(&ends).zip(&found.ranking).map(at).collect();
    Some(EqualSteps { step: least, ranking, ends })
}

/// The level of a curve up to a step.
fn level_at(trace: &Trace, step: f64) -> Option<f64> {
    let first = *trace.steps.first()?;
    let from = step - LEVEL_SHARE * (step - first);
    let near = trace.steps.iter().zip(&trace.values).filter(|(at, _)| (from..=step).contains(*at));
    let near: Vec<f64> = near.map(|(_, value)| *value).collect();
    stats::mean(&near).or_else(|| {
        let values = stats::forward_fill(&trace.steps, &trace.values, &[step]);
        values.first().copied().filter(|value| value.is_finite())
    })
}

impl RunSample {
    /// The runs with their outcomes, best first; equal ones in their order.
    pub(super) fn ranked(&self, target: &Target<'_>) -> Vec<(usize, f64)> {
        let mut ranked: Vec<(usize, f64, f64)> =
            self.runs.iter().zip(&self.values).zip(&self.ranking).map(|((run, v), rank)| (*run, *v, *rank)).collect();
        ranked.compact_sort_by(|a, b| (target.sign() * b.2).total_cmp(&(target.sign() * a.2)));
        ranked.into_iter().map(|(run, value, _)| (run, value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{TestRun, critical, refs, summary};

    /// Runs whose evaluation rises alike, each to its own last step.
    fn of_lengths(lengths: &[usize]) -> Vec<RunSummary> {
        let of = |(run, length): (usize, &usize)| {
            let noise = rundown_stats::testing::white(run as u64, *length);
            let values: Vec<f64> = noise.iter().enumerate().map(|(at, e)| at as f64 / 100.0 + 0.01 * e).collect();
            RunSummary::of(run as u32, TestRun::new("a").evaluation("eval/acc", &values).diagnosed())
        };
        lengths.iter().enumerate().map(of).collect()
    }

    fn sampled(summaries: &[RunSummary]) -> RunSample {
        let values: Vec<Option<f64>> = summaries.iter().map(|summary| Some(summary.traces[0].tail)).collect();
        sample(&refs(summaries), &Target { key: "eval/acc", direction: Direction::Up, values: &values })
    }

    #[test]
    fn a_run_that_stopped_early_has_no_outcome() {
        let mut lengths = [100; 10];
        lengths[3] = 12;
        let mut summaries = of_lengths(&lengths);
        let found = sampled(&summaries);
        assert_eq!(
            (found.runs.len(), &found.excluded),
            (9, &vec![ExcludedRuns { runs: 1, why: RunExclusion::StoppedEarly }])
        );
        assert_eq!(found.equal, None);
        // One that ended as planned has.
        summaries[3].state = RunState::Finished;
        let found = sampled(&summaries);
        assert_eq!((found.runs.len(), found.excluded.len()), (10, 0));
        let equal = found.equal.unwrap();
        assert_eq!(equal.step, 12.0);
        assert!(equal.ranking.iter().all(|value| (value - 0.11).abs() < 0.02), "{equal:?}");
    }

    #[test]
    fn many_short_runs_are_compared_at_their_last_step() {
        let found = sampled(&of_lengths(&[100, 100, 50, 50, 25, 25]));
        assert_eq!((found.runs.len(), found.excluded.len()), (6, 0));
        assert_eq!(found.equal.map(|equal| equal.step), Some(25.0));
    }

    #[test]
    fn the_last_step_is_that_of_the_run_and_not_of_a_thinned_curve() {
        let found = sampled(&of_lengths(&[1000, 1000, 500, 500]));
        assert_eq!(found.equal.map(|equal| equal.step), Some(500.0));
    }

    #[test]
    fn a_copy_is_no_draw() {
        let mut summaries = of_lengths(&[40, 40, 40]);
        summaries.push(summaries[1].clone());
        let found = sampled(&summaries);
        assert_eq!(
            (found.runs, found.excluded),
            (vec![0, 1, 2], vec![ExcludedRuns { runs: 1, why: RunExclusion::Duplicate }])
        );
    }

    #[test]
    fn a_reward_of_other_tasks_does_not_count() {
        let run = |run: usize| {
            let noise = rundown_stats::testing::white(run as u64, 30);
            let made = TestRun::new("a").reward("reward", &noise).evaluation("eval/acc", &noise);
            let mut summary = RunSummary::of(run as u32, made.diagnosed());
            let env = if run < 8 { "LunarLander" } else { "CartPole" };
            summary.config.insert("env_id", rundown_run::ConfigValue::Text(env.to_owned()));
            summary
        };
        let summaries: Vec<RunSummary> = (0..20).map(run).collect();
        let found = |key: &str| {
            let summaries = refs(&summaries);
            let target = Target { key, direction: Direction::Up, values: &[Some(0.5); 20] };
            comparable_sample(&summaries, &target, &crate::parameters(&summaries).varying)
        };
        let of_reward = found("reward");
        assert_eq!(of_reward.runs, (8..20).collect::<Vec<_>>());
        assert_eq!(of_reward.excluded, [ExcludedRuns { runs: 8, why: RunExclusion::OtherTasks }]);
        assert_eq!(found("eval/acc").runs.len(), 20, "an evaluation is the same for all");
    }

    #[test]
    fn a_run_that_broke_counts_as_the_worst() {
        let mut summaries: Vec<RunSummary> = (0..6).map(|_| summary(&[])).collect();
        summaries[1].findings = vec![critical(Code::KlBlowUp)];
        summaries[1].verdict = Verdict::Ugly;
        summaries[2].findings = vec![critical(Code::RunCrashed)];
        summaries[2].state = RunState::Crashed;
        summaries[3].state = RunState::Running;
        let values = [Some(0.5), None, None, Some(0.9), None, Some(0.2)];
        let target = Target { key: "a", direction: Direction::Up, values: &values };
        let found = sample(&refs(&summaries), &target);
        assert_eq!(found.runs, [0, 1, 5]);
        assert_eq!(found.values, [0.5, 0.2, 0.2]);
        assert_eq!(found.ranking, [0.5, f64::NEG_INFINITY, 0.2]);
        assert_eq!((found.broken, found.ugly), (1, 1));
        let left: Vec<(usize, RunExclusion)> = found.excluded.iter().map(|left| (left.runs, left.why)).collect();
        assert_eq!(left, [(1, RunExclusion::Running), (1, RunExclusion::Crashed), (1, RunExclusion::NotLogged)]);
        let down = Target { direction: Direction::Down, ..target };
        assert_eq!(sample(&refs(&summaries), &down).values, [0.5, 0.5, 0.2]);
        assert_eq!(sample(&[], &target), RunSample::default());
    }
}
