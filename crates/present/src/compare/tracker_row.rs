//! What one run brings to an experiment tracker: its state, signal, results and rates, each as the text of a cell.

use super::parts::key_span;
use super::ranked_league::RankedLeague;
use rundown_compare::facts::{GainBasis, PipelineHealth, ShareEstimate};
use rundown_compare::{RunSummary, Trace};
use rundown_diagnose::{Code, Severity};
use rundown_format::rich_text::metric;
use rundown_format::{RichText, number, percent_to, plus_minus, rich};
use rundown_run::RunState;
use rundown_vocabulary::Concept;

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

/// `0.12 → 0.81 at step 120 → 0.78`: the level at the start, the best value and its step as the leaderboard has them, the level
/// at the end; of a single point, such as the last value in a table of runs, that value alone. A point of a long trace is the mean of
/// several steps, and lower than the best of them.
pub(super) fn course(trace: &Trace) -> Option<String> {
    if trace.points == 1 {
        return Some(number(trace.tail));
    }
    let first = number(*trace.values.first()?);
    // Early reports do not have the step.
    let step = Some(trace.best_step).filter(|step| step.is_finite());
    let at = step.map_or_else(String::new, |step| format!(" at step {}", number(step)));
    Some(format!("{first} → {}{at} → {}", number(trace.best), number(trace.tail)))
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
    use rundown_compare::testing::TestRun;
    use rundown_vocabulary::Direction;

    #[test]
    fn a_course_has_its_peak_in_the_metrics_own_direction() {
        // Of 200 points three are one of the thinned curve.
        let values: Vec<f64> = (0..200).map(|step| if step == 100 { 0.875 } else { 0.25 }).collect();
        let run = TestRun::new("a").reward("r", &values);
        assert_eq!(reward(&RunSummary::of(0, run.diagnosed())), "0.25 → 0.875 at step 101 → 0.25");
        let down: Vec<f64> = values.iter().map(|value| 1.0 - value).collect();
        let run = TestRun::new("a").reward("r", &down).direction(Direction::Down);
        assert_eq!(reward(&RunSummary::of(0, run.diagnosed())), "0.75 → 0.125 at step 101 → 0.75");
        assert_eq!(reward(&RunSummary::default()), "");
        let last_value = TestRun::new("a").reward("r", &[0.5]);
        assert_eq!(reward(&RunSummary::of(0, last_value.diagnosed())), "0.5");
    }
}
