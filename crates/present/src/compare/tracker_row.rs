//! What one run brings to an experiment tracker: its state, signal, results and rates, each as the text of a cell.

use super::parts::key_span;
use super::ranked_league::RankedLeague;
use rundown_compare::facts::{GainBasis, PipelineHealth, ShareEstimate};
use rundown_compare::{RunSummary, Trace};
use rundown_diagnose::{Code, Severity};
use rundown_format::rich_text::metric;
use rundown_format::{RichText, number, percent_to, plus_minus, rich};
use rundown_run::RunState;
use rundown_vocabulary::{Concept, Direction};

/// Issues that are named.
const MAX_ISSUES: usize = 3;

/// One of the tracker's words: planned, running, completed, failed, concluded. Empty where no file holds it.
pub(super) fn status(summary: &RunSummary) -> &'static str {
    match summary.state {
        RunState::Running => "running",
        RunState::Finished => "completed",
        RunState::Crashed | RunState::Failed | RunState::Killed => "failed",
        RunState::Unknown => "",
    }
}

/// `0.12 → 0.81 at step 120 → 0.78`: the level at the start, the best level and its step, the level at the end.
pub(super) fn course(trace: &Trace) -> Option<String> {
    let better = |a: f64, b: f64| if trace.direction == Direction::Down { a < b } else { a > b };
    let first = trace.values.first()?;
    let mut points = trace.values.iter().zip(&trace.steps);
    let start = points.next()?;
    let (peak, step) = points.fold(start, |best, next| if better(*next.0, *best.0) { next } else { best });
    // A point of a long trace stands for several steps.
    let near = if step.fract() == 0.0 { "at" } else { "near" };
    let step = number(step.round());
    Some(format!("{} → {} {near} step {step} → {}", number(*first), number(*peak), number(trace.tail)))
}

/// The course of the reward.
pub(super) fn reward(summary: &RunSummary) -> String {
    summary.traces_of(Concept::Reward).next().and_then(course).unwrap_or_default()
}

/// The course of the metric that runs are compared by, with its key; empty where that is the reward.
pub(super) fn outcome(summary: &RunSummary, key: &str) -> RichText {
    let Some(trace) = summary.trace(key).filter(|trace| trace.concept != Concept::Reward) else {
        return RichText::default();
    };
    course(trace).map_or_else(RichText::default, |course| rich!("{}: {}", metric(key), course))
}

/// The best checkpoint with its gain.
pub(super) fn best_elo(placed: &RankedLeague<'_>, against: &GainBasis) -> RichText {
    let Some(gain) = &placed.standing.best else { return RichText::default() };
    let height = plus_minus(gain.value, gain.half());
    let rating = placed.league.agents.iter().find(|agent| agent.name == gain.who);
    let elo = rating.map_or_else(String::new, |agent| format!("{}, ", number(agent.last.value.round())));
    rich!("{}: {}{} above {}", key_span(&gain.who), elo, height, against.words())
}

/// What the fixed opponents lost.
pub(super) fn exploitation(placed: &RankedLeague<'_>) -> String {
    placed.league.lost_by_fixed().map_or_else(String::new, |lost| format!("{} Elo", number(lost.round())))
}

/// The share of extracted outputs.
pub(super) fn extraction(summary: &RunSummary) -> String {
    let rate = summary.pipeline.as_ref().and_then(|pipeline| pipeline.extraction.as_ref());
    rate.map_or_else(String::new, |rate| percent_to(rate.share, 1))
}

/// Errors, failed rollouts and pace, with the health of the pipeline.
pub(super) fn rates(summary: &RunSummary) -> String {
    let Some(pipeline) = &summary.pipeline else { return String::new() };
    let share = |what: &str, rate: &Option<ShareEstimate>| {
        rate.as_ref().map(|rate| format!("{} {what}", percent_to(rate.share, 1)))
    };
    let parts = [
        summary.pipeline_health().filter(PipelineHealth::is_known).map(|health| health.level.as_str().to_owned()),
        share("errors", &pipeline.error_rate),
        share("failed rollouts", &pipeline.failed),
        pipeline.failed_count.map(|count| format!("{} failed rollouts", number(count))),
        pipeline
            .trajectories_per_second
            .map(|made| format!("{} trajectories an hour", number((3600.0 * made).round()))),
        pipeline.cache.as_ref().map(|cache| format!("{} cache hits", percent_to(cache.mean, 1))),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// What is wrong at the root.
pub(super) fn issues(summary: &RunSummary) -> String {
    let mut codes: Vec<Code> = Vec::new();
    for finding in summary.findings.iter().filter(|finding| finding.is_root && finding.severity > Severity::Note) {
        if !codes.contains(&finding.code) {
            codes.push(finding.code);
        }
    }
    if codes.is_empty() {
        return "none found".to_owned();
    }
    let more = codes.len().saturating_sub(MAX_ISSUES);
    let mut words: Vec<String> = codes.iter().take(MAX_ISSUES).map(|code| code.phrase()).collect();
    if more > 0 {
        words.push(format!("{more} more"));
    }
    words.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_compare::Sparkline;
    use rundown_vocabulary::{Scale, Unit};

    fn trace(direction: Direction, values: &[f64]) -> Trace {
        Trace {
            key: "m".to_owned(),
            concept: Concept::Reward,
            name: None,
            unit: Unit::Plain,
            scale: Scale::One,
            direction,
            steps: (0..values.len()).map(|step| 10.0 * step as f64).collect(),
            values: values.to_vec(),
            points: values.len(),
            last_step: 10.0 * values.len() as f64,
            last: 0.5,
            best: 0.9,
            best_step: 1.0,
            tail: 0.5,
            tail_error: f64::NAN,
            noise: 0.0,
            sparkline: Sparkline::default(),
        }
    }

    #[test]
    fn a_course_has_its_peak_in_the_metrics_own_direction() {
        let values = [0.25, 0.75, 0.125];
        assert_eq!(course(&trace(Direction::Up, &values)).unwrap(), "0.25 → 0.75 at step 10 → 0.5");
        assert_eq!(course(&trace(Direction::Down, &values)).unwrap(), "0.25 → 0.125 at step 20 → 0.5");
        assert_eq!(course(&trace(Direction::Up, &[])), None);
    }
}
