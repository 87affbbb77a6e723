//! How fast and how reliably a run was fed: throughput, overlap, rollout times, cache, extraction, failures.
//!
//! The same figures come from metrics of each step and from exported events, one point an event.

use serde::{Deserialize, Serialize};

use super::cache_use::CacheUse;
use super::curve::{MetricPoints, ThinnedLine, finite};
use super::event_groups::{EngineUse, GroupExtraction, GroupFailures, engine, extraction as by_group, failures};
use super::nullable;
use super::rates::ShareEstimate;
use crate::DiagnosedRun;
use rundown_diagnose::{Diagnosis, Rulebook};
use rundown_run::{AxisReason, ErrorText, Run, Sighting};
use rundown_stats as stats;
use rundown_stats::CompactSort as _;
use rundown_vocabulary::{Concept, Unit};

/// Groups of responses that are kept, the worst first.
const GROUPS: usize = 16;
/// Error texts that are kept, the most frequent ones.
const TEXTS: usize = 10;

/// The pipeline of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Pipeline {
    /// Trajectories per second: of the typical step while it samples, or of all events over their time.
    pub trajectories_per_second: Option<f64>,
    /// Typical throughput in [`Self::pace_unit`].
    pub pace: Option<f64>,
    /// Its unit, such as `tokens/s`.
    pub pace_unit: String,
    /// Seconds of the typical step.
    pub step_s: Option<f64>,
    /// Seconds of sampling in the typical step.
    pub rollout_s: Option<f64>,
    /// Seconds of training in the typical step.
    pub train_s: Option<f64>,
    /// Part of the shorter phase in which the other runs too.
    pub overlap: Option<f64>,
    /// Single rollouts, or rollout times of steps.
    pub rollouts: Option<DurationSpread>,
    /// The slowest rollout of a step.
    pub slowest: Option<DurationSpread>,
    /// Waits for new weights.
    pub reloads: Option<DurationSpread>,
    /// Outputs that could be extracted.
    pub extraction: Option<ShareEstimate>,
    /// The same by group, the worst first.
    pub groups: Vec<(String, ShareEstimate)>,
    /// Responses without any output.
    pub empty: Option<ShareEstimate>,
    /// Responses with a part of their outputs.
    pub partial: Option<ShareEstimate>,
    /// Rollouts that failed, as a share.
    pub failed: Option<ShareEstimate>,
    /// Rollouts that failed, as a number, where no share is known.
    pub failed_count: Option<f64>,
    /// Steps with a failed rollout, as a share.
    pub failed_steps: Option<f64>,
    /// Events that are errors, of all; a logged error rate where there is no event log.
    pub error_rate: Option<ShareEstimate>,
    /// Error events by text, the most frequent ten.
    pub error_texts: Vec<ErrorText>,
    /// Error events of all other texts.
    pub other_errors: u64,
    /// The inference engine over all requests, then by adapter, phase, horizon and group.
    pub engine: Vec<EngineUse>,
    /// Extraction by group, from an event log.
    pub by_group: Vec<GroupExtraction>,
    /// Groups with the highest rates of failures.
    pub worst_groups: Vec<GroupFailures>,
    /// Events in all.
    pub events: Option<f64>,
    /// Prefix cache.
    pub cache: Option<CacheUse>,
    /// Curves for a figure: rollout time, extraction rate, cache hit rate, throughput.
    pub lines: Vec<ThinnedLine>,
    /// The rulebook of the diagnosis; the built-in one for a run of which only the report is there.
    #[serde(skip)]
    pub rulebook: Rulebook,
}

/// How durations are spread, in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DurationSpread {
    /// Median.
    #[serde(deserialize_with = "nullable::read")]
    pub p50: f64,
    /// 95th percentile.
    #[serde(deserialize_with = "nullable::read")]
    pub p95: f64,
    /// Longest.
    #[serde(deserialize_with = "nullable::read")]
    pub max: f64,
    /// How many.
    pub count: u32,
    /// True for one point an event, false for one a step.
    pub is_single: bool,
    /// Metric key.
    pub key: String,
}

impl Pipeline {
    /// The pipeline of a run; `None` where it logs no part of one beyond its step time.
    pub fn of((run, diagnosis): DiagnosedRun<'_>) -> Option<Self> {
        let primary = |concept| MetricPoints::primary(run, diagnosis, concept);
        let typical = |concept| primary(concept).and_then(|curve| finite(curve.median()));
        let (rollout, train) = (primary(Concept::RolloutTime), typical(Concept::TrainTime));
        let (pace, extraction, hits) =
            (primary(Concept::Throughput), primary(Concept::ExtractionRate), primary(Concept::CacheHitRate));
        let rollout_s = rollout.as_ref().and_then(|curve| finite(curve.median()));
        let shorter = rollout_s.zip(train).map(|(rollout, train)| rollout.min(train));
        let single = primary(Concept::RolloutDuration);
        let (failed, failed_count, failed_steps) = failed_rollouts(run, diagnosis);
        let (error_texts, other_errors) = error_texts(run);
        let number = |key: &str| run.summary.get(key)?.as_number();
        let events = number("axiom/events");
        let shown = [single.as_ref().or(rollout.as_ref()), extraction.as_ref(), hits.as_ref(), pace.as_ref()];
        let found = Self {
            trajectories_per_second: trajectories(run, diagnosis, rollout.as_ref()),
            pace: pace.as_ref().and_then(|curve| finite(curve.median())),
            pace_unit: pace.as_ref().map_or_else(String::new, |curve| unit(diagnosis, curve)),
            step_s: typical(Concept::StepTime),
            rollout_s,
            train_s: train,
            overlap: overlap(run, diagnosis, shorter),
            rollouts: match &single {
                Some(single) => DurationSpread::of(single, true),
                None => rollout.as_ref().and_then(|rollout| DurationSpread::of(rollout, false)),
            },
            slowest: primary(Concept::RolloutTimeP95).and_then(|curve| DurationSpread::of(&curve, false)),
            reloads: primary(Concept::ReloadTime).and_then(|curve| DurationSpread::of(&curve, false)),
            extraction: extracted(run, diagnosis),
            groups: groups(run, diagnosis),
            empty: share_of(run, diagnosis, Concept::EmptyResponses),
            partial: share_of(run, diagnosis, Concept::PartialResponses),
            failed,
            failed_count,
            failed_steps,
            error_rate: share_of(run, diagnosis, Concept::ErrorRate),
            error_texts,
            other_errors,
            engine: engine(run),
            by_group: by_group(run),
            worst_groups: failures(run),
            events,
            cache: CacheUse::of((run, diagnosis)),
            lines: shown.into_iter().flatten().map(MetricPoints::line).collect(),
            rulebook: diagnosis.rulebook.clone(),
        };
        let is_there = !found.lines.is_empty()
            || found.trajectories_per_second.is_some()
            || found.overlap.is_some()
            || found.failed.is_some()
            || found.error_rate.is_some()
            || !found.error_texts.is_empty()
            || !found.engine.is_empty()
            || found.failed_count.is_some()
            || found.extraction.is_some()
            || found.slowest.is_some();
        is_there.then_some(found)
    }
}

impl DurationSpread {
    fn of(curve: &MetricPoints, is_single: bool) -> Option<Self> {
        Some(Self {
            p50: stats::median(&curve.values)?,
            p95: stats::quantile(&curve.values, 0.95)?,
            max: curve.max(),
            count: u32::try_from(curve.values.len()).unwrap_or(u32::MAX),
            is_single,
            key: curve.key.clone(),
        })
    }
}

fn unit(diagnosis: &Diagnosis, curve: &MetricPoints) -> String {
    let binding = diagnosis.bindings.all(Concept::Throughput).iter().find(|binding| binding.key == curve.key);
    binding.map_or("", |binding| binding.unit.as_str()).to_owned()
}

/// Trajectories of a step over its rollout time; where events count them one by one, all of them over their time.
fn trajectories(run: &Run, diagnosis: &Diagnosis, rollout: Option<&MetricPoints>) -> Option<f64> {
    if let Some((made, rollout)) = MetricPoints::primary(run, diagnosis, Concept::Trajectories).zip(rollout) {
        let seconds = rollout.forward_filled(&made.steps);
        let paces: Vec<f64> =
            made.values.iter().zip(seconds).map(|(made, s)| made / s).filter(|pace| pace.is_finite()).collect();
        return stats::median(&paces);
    }
    let counted = MetricPoints::by_key(run, "axiom/rollout/trajectory_count")?;
    let times = || counted.times.iter().copied().filter(|time| time.is_finite());
    let span = times().fold(f64::NEG_INFINITY, f64::max) - times().fold(f64::INFINITY, f64::min);
    (span > 0.0).then(|| counted.values.iter().sum::<f64>() / span).and_then(finite)
}

/// Seconds in which both phases run, as a part of the shorter one; a logged share as it is.
fn overlap(run: &Run, diagnosis: &Diagnosis, shorter: Option<f64>) -> Option<f64> {
    let bindings = diagnosis.bindings.all(Concept::Overlap);
    let (binding, curve) = bindings.iter().find_map(|binding| Some((binding, MetricPoints::of(run, binding)?)))?;
    let typical = curve.median();
    if binding.unit == Unit::Seconds { shorter.and_then(|shorter| finite(typical / shorter)) } else { finite(typical) }
}

/// Extracted of expected outputs where both are counted, else the logged rate.
fn extracted(run: &Run, diagnosis: &Diagnosis) -> Option<ShareEstimate> {
    let primary = |concept| MetricPoints::primary(run, diagnosis, concept);
    let counted = primary(Concept::ExtractedOutputs).zip(primary(Concept::ExpectedOutputs));
    counted
        .and_then(|(part, whole)| ShareEstimate::of_counts(&part, &whole))
        .or_else(|| share_of(run, diagnosis, Concept::ExtractionRate))
}

/// The first unnamed binding of a concept that holds shares.
fn share_of(run: &Run, diagnosis: &Diagnosis, concept: Concept) -> Option<ShareEstimate> {
    let all = diagnosis.bindings.all(concept).iter();
    let binding = all.filter(|binding| binding.name.is_none() && binding.unit == Unit::Share);
    binding.filter_map(|binding| MetricPoints::of(run, binding)).find_map(|curve| ShareEstimate::of(&curve))
}

fn groups(run: &Run, diagnosis: &Diagnosis) -> Vec<(String, ShareEstimate)> {
    let mut groups: Vec<(String, ShareEstimate)> = Vec::new();
    for binding in diagnosis.bindings.all(Concept::ExtractionRate) {
        let Some(name) = &binding.name else { continue };
        groups.extend(
            MetricPoints::of(run, binding).and_then(|curve| ShareEstimate::of(&curve)).map(|rate| (name.clone(), rate)),
        );
    }
    groups.compact_sort_by(|a, b| a.1.share.total_cmp(&b.1.share));
    groups.truncate(GROUPS);
    groups
}

/// Failed rollouts as a share, as a number, and the share of steps that have any.
fn failed_rollouts(run: &Run, diagnosis: &Diagnosis) -> (Option<ShareEstimate>, Option<f64>, Option<f64>) {
    if let Some(rate) = share_of(run, diagnosis, Concept::CompletedRollouts) {
        return (Some(rate.other()), None, None);
    }
    if let Some(rate) = share_of(run, diagnosis, Concept::FailedRollouts) {
        return (Some(rate), None, None);
    }
    let Some(failed) = MetricPoints::primary(run, diagnosis, Concept::FailedRollouts) else {
        return (None, None, None);
    };
    let steps = failed.values.iter().filter(|failed| **failed > 0.0).count();
    (None, Some(failed.values.iter().sum()), Some(steps as f64 / failed.values.len() as f64))
}

/// The most frequent error texts with the steps at which they were seen, and how many error events have others.
fn error_texts(run: &Run) -> (Vec<ErrorText>, u64) {
    let events = &run.events;
    // In a log of its own, without a trainer's step, the steps are places in the log.
    let has_steps = run.axis.why != AxisReason::RowCount || run.system.contains_key("axiom/error/count");
    let placed = |seen: Sighting| {
        let reached = seen.time.filter(|_| has_steps).and_then(|time| run.step_at(time)).map(f64::floor);
        Sighting { step: seen.step.or(reached), ..seen }
    };
    let texts = events.errors.iter().take(TEXTS).map(|error| ErrorText {
        first: placed(error.first),
        last: placed(error.last),
        ..error.clone()
    });
    let others: u64 = events.errors.iter().skip(TEXTS).map(|error| error.count).sum();
    (texts.collect(), events.other_errors + others)
}
