//! The order of runs, and the rows of the leaderboard.

use super::{Metric, RunOutcome, RunSummary, outcome};
use rundown_diagnose::{Code, Severity, Verdict};
use rundown_stats::CompactSort as _;

/// Codes that a row has room for.
const MAX_CODES: usize = 3;

/// One run of the leaderboard.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RankedRun {
    /// Place in the summaries that were given.
    pub index: usize,
    /// What came of it; `None` when it lacks the metric.
    pub outcome: Option<RunOutcome>,
    /// Codes of the worst root causes, worst first, at most three, none twice; notes are left out.
    pub worst: Vec<Code>,
}

/// Where a run stands before its number is asked, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    /// The run was judged, and has a value where runs are ranked by one.
    Judged(Verdict),
    /// Too little was logged for a verdict: the level of a few points, or of a warm-up, is no result of a training.
    TooLittleData,
    /// The run lacks the metric by which the others are ranked.
    NoValue(Verdict),
    Ugly,
}

impl Standing {
    fn of(summary: &RunSummary, lacks_metric: bool) -> Self {
        match summary.verdict {
            Verdict::Ugly => Self::Ugly,
            _ if lacks_metric => Self::NoValue(summary.verdict),
            _ if summary.lacks_data() => Self::TooLittleData,
            verdict => Self::Judged(verdict),
        }
    }
}

/// What decides the place of a run, and its place in the summaries that were given.
type SortKey = (Standing, f64, usize);

/// Runs in their order: good, undecided, bad, those of too little data for a verdict, those without the metric, ugly; within
/// these the better verdict and the best level at the end first, then by name and id.
///
/// A verdict goes before the number because a run that games its reward would otherwise lead a list by reward.
pub fn ranking(summaries: &[&RunSummary], metric: Option<&Metric>) -> Vec<RankedRun> {
    let sign = metric.map_or(1.0, Metric::sign);
    // The sort keys are copied beside the index: comparisons that read the summaries would miss the processor's caches, and
    // sorting whole rows would move them.
    let key = |(index, summary): (usize, &&RunSummary)| {
        let outcome = metric.and_then(|metric| outcome(summary, metric));
        let level = outcome.as_ref().map_or(f64::NEG_INFINITY, |outcome| sign * outcome.level);
        let standing = Standing::of(summary, metric.is_some() && outcome.is_none());
        ((standing, level, index), RankedRun { index, outcome, worst: worst(summary) })
    };
    let (mut keys, mut rows): (Vec<SortKey>, Vec<RankedRun>) = summaries.iter().enumerate().map(key).unzip();
    let name = |index: usize| summaries.get(index).map(|summary| (&summary.name, &summary.id, index));
    keys.compact_sort_by(|(standing_a, level_a, a), (standing_b, level_b, b)| {
        let by_name = || name(*a).cmp(&name(*b));
        standing_a.cmp(standing_b).then_with(|| level_b.total_cmp(level_a)).then_with(by_name)
    });
    keys.into_iter().filter_map(|(_, _, index)| rows.get_mut(index).map(std::mem::take)).collect()
}

fn worst(summary: &RunSummary) -> Vec<Code> {
    let mut worst = Vec::new();
    for found in &summary.findings {
        let counts = found.is_root && found.severity > Severity::Note;
        if counts && worst.len() < MAX_CODES && !worst.contains(&found.code) {
            worst.push(found.code);
        }
    }
    worst
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primary_metric;
    use crate::testing::TestRun;
    use rundown_diagnose::Finding;
    use rundown_vocabulary::Direction;

    fn names(test_runs: &[TestRun]) -> Vec<String> {
        let summaries: Vec<RunSummary> =
            test_runs.iter().map(|test_run| RunSummary::of(0, test_run.diagnosed())).collect();
        let summaries: Vec<&RunSummary> = summaries.iter().collect();
        let rows = ranking(&summaries, primary_metric(&summaries).as_ref());
        rows.into_iter().map(|row| summaries[row.index].name.clone()).collect()
    }

    #[test]
    fn verdicts_come_before_values() {
        let test_run = |name: &str, verdict, value: f64| TestRun::new(name).reward("reward", &[value]).verdict(verdict);
        let order = names(&[
            test_run("gamed", Verdict::Ugly, 9.0),
            test_run("weak", Verdict::Good, 0.3),
            TestRun::new("blind").verdict(Verdict::Good),
            test_run("flat", Verdict::Bad, 0.5),
            test_run("strong", Verdict::Good, 0.8),
            test_run("short", Verdict::Undecided, 0.9),
        ]);
        assert_eq!(order, ["strong", "weak", "short", "flat", "blind", "gamed"]);
    }

    #[test]
    fn few_points_lead_no_run_that_was_judged() {
        let few = |name: &str, value: f64| {
            let note = Finding::new(Code::InsufficientData, Severity::Note, "");
            TestRun::new(name).reward("reward", &[value]).verdict(Verdict::Undecided).findings(vec![note])
        };
        let judged = |name: &str, verdict, value: f64| TestRun::new(name).reward("reward", &[value]).verdict(verdict);
        let ugly = || judged("gamed", Verdict::Ugly, 1.0);
        let order = names(&[few("pilot", 0.9), ugly(), judged("flat", Verdict::Bad, 0.5), few("start", 0.1)]);
        assert_eq!(order, ["flat", "pilot", "start", "gamed"]);
        // Of pilots alone the best one leads.
        assert_eq!(names(&[few("low", 0.1), few("high", 0.9), ugly()]), ["high", "low", "gamed"]);
    }

    #[test]
    fn without_the_metric_no_run_is_first() {
        let unmeasured = |name: &str, verdict| TestRun::new(name).verdict(verdict);
        let bad = |name: &str| TestRun::new(name).reward("reward", &[0.4]).verdict(Verdict::Bad);
        let order = names(&[unmeasured("flat", Verdict::Bad), unmeasured("sound", Verdict::Good), bad("a"), bad("b")]);
        assert_eq!(order, ["a", "b", "sound", "flat"]);
        // Without any metric the verdict alone decides.
        assert_eq!(names(&[unmeasured("flat", Verdict::Bad), unmeasured("sound", Verdict::Good)]), ["sound", "flat"]);
    }

    #[test]
    fn less_can_be_better_and_ties_go_by_name() {
        let test_run =
            |name: &str, value: f64| TestRun::new(name).reward("regret", &[value]).direction(Direction::Down);
        assert_eq!(
            names(&[test_run("b", 0.2), test_run("c", 0.1), test_run("a", 0.2), TestRun::new("none")]),
            ["c", "a", "b", "none"]
        );
    }

    #[test]
    fn consequences_and_notes_are_not_among_the_worst() {
        let mut consequence = Finding::new(Code::LengthExplosion, Severity::Critical, "");
        consequence.explained_by = vec![Code::RewardHacking];
        let found = |code, severity| Finding::new(code, severity, "");
        let test_run = TestRun::new("a").findings(vec![
            found(Code::RewardHacking, Severity::Critical),
            consequence,
            found(Code::RewardHacking, Severity::Warning),
            found(Code::KlDrift, Severity::Warning),
            found(Code::SampledHistory, Severity::Note),
        ]);
        let summary = RunSummary::of(0, test_run.diagnosed());
        assert_eq!(ranking(&[&summary], None)[0].worst, [Code::RewardHacking, Code::KlDrift]);
    }
}
