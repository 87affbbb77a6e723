//! Whether a run's pipeline is healthy, by the targets of the guides.
//!
//! The experiment-analysis guide calls an error rate below 1 % healthy, below 5 % degraded, and unhealthy above. The other
//! targets have one limit: a pipeline that misses any is degraded, and one with a critical finding is unhealthy. All limits
//! are those of the rulebook by which the run was diagnosed.

use super::pipeline::{DurationSpread, Pipeline};
use super::rates::ShareEstimate;
use rundown_diagnose::{Code, Group, Severity, Threshold};
use rundown_format::named_enum;

named_enum! {
    as_str
    /// How a pipeline does.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Health {
        /// It meets every target that can be checked.
        Healthy = "healthy",
        /// It misses a target.
        Degraded = "degraded",
        /// Too many are errors (5 %), or a check of the pipeline, of extraction or of the cache is critical.
        Unhealthy = "unhealthy",
    }
}

/// A figure that has a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// 95th percentile of the rollouts, seconds.
    RolloutP95,
    /// The slowest rollout of the typical step, seconds.
    SlowestRollout,
    /// Share of failed rollouts.
    FailedRollouts,
    /// Share of steps with a failed rollout, where only their number is logged.
    StepsWithFailures,
    /// Share of error events.
    ErrorEvents,
    /// Share of extracted outputs.
    Extraction,
    /// The same at the end of the run.
    ExtractionAtEnd,
    /// Share of empty responses.
    Empty,
    /// Share of partial responses.
    Partial,
    /// Cache hit rate after the warm-up.
    CacheHits,
    /// Output tokens per second of a request.
    OutputRate,
    /// Input tokens per second of a request.
    InputRate,
    /// Sequences in a batch.
    Batch,
}

/// A target that is surely missed: of a counted share its whole 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MissedTarget {
    /// Which.
    pub target: Target,
    /// The figure, in the unit of the target.
    pub value: f64,
    /// The limit that it should have kept.
    pub limit: f64,
}

/// Fewest figures with a target of which a pipeline can be called healthy (ours): one that is 0 in every run, such as the
/// share of aborted responses, says nothing of the others.
const MIN_CHECKED: usize = 3;

/// The health of a pipeline with what decided it.
#[derive(Debug, Clone, PartialEq)]
pub struct PipelineHealth {
    /// How it does.
    pub level: Health,
    /// Figures with a target that were logged.
    pub checked: usize,
    /// Targets that it misses.
    pub missed: Vec<MissedTarget>,
    /// Critical findings of its checks.
    pub critical: Vec<Code>,
}

impl PipelineHealth {
    /// The health of a pipeline with these findings; `None` where it has no figure with a target.
    pub fn of(pipeline: &Pipeline, findings: impl IntoIterator<Item = (Code, Severity)>) -> Option<Self> {
        let is_critical = |(code, severity): &(Code, Severity)| {
            *severity == Severity::Critical
                && matches!(code.group(), Group::Pipeline | Group::Extraction | Group::Cache)
        };
        let mut critical: Vec<Code> = findings.into_iter().filter(is_critical).map(|(code, _)| code).collect();
        critical.dedup();
        let missed = missed(pipeline);
        let checked = checked(pipeline);
        if missed.is_empty() && critical.is_empty() && checked == 0 {
            return None;
        }
        let rates = [&pipeline.error_rate, &pipeline.failed];
        let many_errors =
            rates.into_iter().flatten().any(|rate| is_above(rate, pipeline.rulebook.error_rate_unhealthy().value));
        let level = match (many_errors || !critical.is_empty(), missed.is_empty()) {
            (true, _) => Health::Unhealthy,
            (false, false) => Health::Degraded,
            (false, true) => Health::Healthy,
        };
        Some(Self { level, checked, missed, critical })
    }

    /// False for a pipeline that misses no target of too few to be called healthy.
    pub fn is_known(&self) -> bool {
        self.level != Health::Healthy || self.checked >= MIN_CHECKED
    }
}

/// How many figures with a target there are.
fn checked(pipeline: &Pipeline) -> usize {
    let shares = [&pipeline.failed, &pipeline.error_rate, &pipeline.extraction, &pipeline.empty, &pipeline.partial];
    let others = [
        single_rollouts(pipeline).is_some(),
        pipeline.slowest.is_some(),
        pipeline.failed_steps.is_some(),
        pipeline.cache.is_some(),
        !pipeline.engine.is_empty(),
    ];
    shares.into_iter().flatten().count() + others.into_iter().filter(|is_there| *is_there).count()
}

fn single_rollouts(pipeline: &Pipeline) -> Option<&DurationSpread> {
    pipeline.rollouts.as_ref().filter(|spread| spread.is_single)
}

fn is_above(rate: &ShareEstimate, limit: f64) -> bool {
    rate.interval.map_or(rate.share, |(low, _)| low) > limit
}

fn is_below(rate: &ShareEstimate, limit: f64) -> bool {
    rate.interval.map_or(rate.share, |(_, high)| high) < limit
}

fn missed(pipeline: &Pipeline) -> Vec<MissedTarget> {
    let book = &pipeline.rulebook;
    let high = |target, value: Option<f64>, limit: &Threshold| {
        let value = value.filter(|value| *value > limit.value)?;
        Some(MissedTarget { target, value, limit: limit.value })
    };
    let low = |target, value: Option<f64>, limit: &Threshold| {
        let value = value.filter(|value| *value < limit.value)?;
        Some(MissedTarget { target, value, limit: limit.value })
    };
    let high_share = |target, rate: &Option<ShareEstimate>, limit: &Threshold| {
        let rate = rate.as_ref().filter(|rate| is_above(rate, limit.value))?;
        Some(MissedTarget { target, value: rate.share, limit: limit.value })
    };
    let single = single_rollouts(pipeline);
    let p95 = high(Target::RolloutP95, single.map(|spread| spread.p95), book.rollout_p95());
    let slowest = pipeline.slowest.as_ref().map(|slowest| slowest.p50).filter(|_| p95.is_none());
    let (extracted, expected) = (pipeline.extraction.as_ref(), book.extraction_rate());
    let whole = extracted.filter(|rate| is_below(rate, expected.value)).map(|rate| rate.share);
    let at_end = extracted.filter(|rate| whole.is_none() && rate.interval.is_none()).map(|rate| rate.end);
    let cache = pipeline.cache.as_ref().filter(|cache| cache.peak > 0.0);
    let engine = pipeline.engine.first();
    // A request's pace; that of a whole step counts many at once.
    let pace = pipeline.pace.filter(|_| single.is_some() && pipeline.pace_unit == "tokens/s");
    let input_rate = engine.and_then(|engine| engine.input_rate);
    let batch = engine.and_then(|engine| engine.batch);
    [
        p95,
        high(Target::SlowestRollout, slowest, book.rollout_p95()),
        high_share(Target::ErrorEvents, &pipeline.error_rate, book.error_rate()),
        high_share(Target::FailedRollouts, &pipeline.failed, book.error_rate()),
        high(Target::StepsWithFailures, pipeline.failed_steps, book.error_rate()),
        whole.map(|value| MissedTarget { target: Target::Extraction, value, limit: expected.value }),
        low(Target::ExtractionAtEnd, at_end, expected),
        high_share(Target::Empty, &pipeline.empty, book.responses_empty()),
        high_share(Target::Partial, &pipeline.partial, book.responses_partial()),
        low(Target::CacheHits, cache.map(|cache| cache.warm), book.cache_warm()),
        low(Target::OutputRate, pace, book.rollout_tokens()),
        low(Target::InputRate, input_rate, book.input_tokens()),
        low(Target::Batch, batch, book.engine_batch()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunSummary;
    use rundown_diagnose::{Rulebook, diagnose};
    use rundown_run::Run;

    fn share(share: f64, interval: Option<(f64, f64)>) -> Option<ShareEstimate> {
        Some(ShareEstimate { share, end: share, count: None, interval, key: String::new() })
    }

    fn level(pipeline: &Pipeline, findings: &[(Code, Severity)]) -> Option<Health> {
        PipelineHealth::of(pipeline, findings.iter().copied()).map(|health| health.level)
    }

    #[test]
    fn errors_decide_between_the_three() {
        let of =
            |rate: f64, interval| level(&Pipeline { error_rate: share(rate, interval), ..Pipeline::default() }, &[]);
        assert_eq!(of(0.005, None), Some(Health::Healthy));
        assert_eq!(of(0.03, None), Some(Health::Degraded));
        assert_eq!(of(0.1, Some((0.08, 0.12))), Some(Health::Unhealthy));
        assert_eq!(of(0.1, Some((0.02, 0.3))), Some(Health::Degraded), "not surely above 5 %");
        assert_eq!(of(0.02, Some((0.005, 0.05))), Some(Health::Healthy), "not surely above 1 %");
        assert_eq!(level(&Pipeline::default(), &[]), None, "nothing is known");
    }

    #[test]
    fn limits_are_those_of_the_rulebook() {
        let mut rulebook = Rulebook::default();
        rulebook.threshold_mut("error_rate").unwrap().value = 0.04;
        let lenient = Pipeline { error_rate: share(0.03, None), rulebook, ..Pipeline::default() };
        assert_eq!(level(&lenient, &[]), Some(Health::Healthy));
        let usual = Pipeline { rulebook: Rulebook::default(), ..lenient };
        let health = PipelineHealth::of(&usual, []).unwrap();
        assert_eq!(health.missed, [MissedTarget { target: Target::ErrorEvents, value: 0.03, limit: 0.01 }]);
    }

    #[test]
    fn targets_follow_the_rulebook_of_the_diagnosis() {
        let mut run = Run::default();
        for step in 0..60_u32 {
            let row = run.push_row(f64::from(step), f64::NAN);
            run.push_value("extraction/rate", row, 0.9);
        }
        run.choose_axis();
        let health = |book: &Rulebook| {
            let summary = RunSummary::of(0, (&run, &diagnose(&run, book)));
            summary.pipeline_health().map(|health| health.level)
        };
        let mut edited = Rulebook::default();
        assert_eq!(health(&edited), Some(Health::Degraded));
        edited.threshold_mut("extraction_rate").unwrap().value = 0.85;
        assert_eq!(health(&edited), Some(Health::Healthy));
    }

    #[test]
    fn one_figure_makes_no_pipeline_healthy() {
        let one = Pipeline { partial: share(0.0, None), ..Pipeline::default() };
        let is_known = |pipeline: &Pipeline| {
            let health = PipelineHealth::of(pipeline, []).unwrap();
            (health.checked, health.is_known())
        };
        assert_eq!(is_known(&one), (1, false));
        let three = Pipeline { empty: share(0.0, None), extraction: share(1.0, None), ..one.clone() };
        assert_eq!(is_known(&three), (3, true));
        assert_eq!(is_known(&Pipeline { partial: share(0.9, None), ..one }), (1, true), "a missed target is known");
    }

    #[test]
    fn a_critical_finding_of_the_pipeline_is_unhealthy() {
        let fine = Pipeline { extraction: share(0.99, None), ..Pipeline::default() };
        assert_eq!(level(&fine, &[(Code::MemoryCreep, Severity::Critical)]), Some(Health::Unhealthy));
        assert_eq!(level(&fine, &[(Code::MemoryCreep, Severity::Warning)]), Some(Health::Healthy));
        assert_eq!(level(&fine, &[(Code::KlBlowUp, Severity::Critical)]), Some(Health::Healthy));
    }

    #[test]
    fn a_slow_engine_misses_its_targets() {
        let engine = super::super::EngineUse { input_rate: Some(300.0), batch: Some(2.0), ..Default::default() };
        let health = PipelineHealth::of(&Pipeline { engine: vec![engine], ..Pipeline::default() }, []).unwrap();
        let missed: Vec<Target> = health.missed.iter().map(|missed| missed.target).collect();
        assert_eq!((health.level, missed), (Health::Degraded, vec![Target::InputRate, Target::Batch]));
    }
}
