//! The order of the run list, and its rows with numbers.

use std::cmp::Ordering;

use super::{Judged, Measure};
use crate::diagnose::{Code, Verdict};
use crate::order::Arrange;
use crate::run::RunState;
use crate::vocabulary::Direction;

/// One run of the leaderboard.
#[derive(Debug, Clone, PartialEq)]
pub struct LeaderboardRow {
    /// Index into the runs that were given.
    pub index: usize,
    /// Run id.
    pub id: String,
    /// Run name.
    pub name: String,
    /// Verdict.
    pub verdict: Verdict,
    /// How it ended.
    pub state: RunState,
    /// Last finite value of the measure; `None` when the run lacks it.
    pub value: Option<f64>,
    /// Best value and its step.
    pub best: Option<(f64, f64)>,
    /// Last step.
    pub last_step: Option<f64>,
    /// Codes of the worst root causes, worst first, at most three, none twice; notes are left out.
    pub worst: Vec<Code>,
}

/// The order in which to list runs: good, undecided, bad, ugly; within a verdict the best last value of the measure
/// first, runs without it last; then by name and id.
///
/// A verdict goes before the number because a run that games its reward would otherwise lead a list by reward.
pub fn list_order(runs: &[Judged<'_>], measure: Option<&Measure>) -> Vec<usize> {
    leaderboard(runs, measure).into_iter().map(|row| row.index).collect()
}

/// The rows of the run list in the order of [`list_order`].
pub fn leaderboard(runs: &[Judged<'_>], measure: Option<&Measure>) -> Vec<LeaderboardRow> {
    let mut rows: Vec<LeaderboardRow> =
        runs.iter().enumerate().map(|(index, judged)| row(index, judged, measure)).collect();
    let direction = measure.map_or(Direction::Up, |measure| measure.direction);
    rows.arrange_by(|a, b| {
        a.verdict
            .cmp(&b.verdict)
            .then_with(|| by_value(a.value, b.value, direction))
            .then_with(|| (&a.name, &a.id, a.index).cmp(&(&b.name, &b.id, b.index)))
    });
    rows
}

fn row(index: usize, (run, diagnosis): &Judged<'_>, measure: Option<&Measure>) -> LeaderboardRow {
    let mut worst = Vec::new();
    for finding in &diagnosis.findings {
        let root = finding.explained_by.is_empty() && finding.severity > crate::diagnose::Severity::Note;
        if root && worst.len() < 3 && !worst.contains(&finding.code) {
            worst.push(finding.code);
        }
    }
    LeaderboardRow {
        index,
        id: run.id.clone(),
        name: run.name.clone(),
        verdict: diagnosis.verdict,
        state: run.ending.state,
        value: measure.and_then(|measure| measure.value(run)),
        best: measure.and_then(|measure| measure.best(run)),
        last_step: run.step_range().map(|(_, last)| last),
        worst,
    }
}

fn by_value(a: Option<f64>, b: Option<f64>, direction: Direction) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) if direction == Direction::Down => a.total_cmp(&b),
        (Some(a), Some(b)) => b.total_cmp(&a),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::shared_measure;
    use crate::compare::testing::Case;
    use crate::diagnose::{Finding, Severity};

    fn names(cases: &[Case]) -> Vec<String> {
        let runs: Vec<Judged<'_>> = cases.iter().map(Case::judged).collect();
        let measure = shared_measure(&runs);
        leaderboard(&runs, measure.as_ref()).into_iter().map(|row| row.name).collect()
    }

    #[test]
    fn verdicts_come_before_values() {
        let case = |name: &str, verdict, value: f64| Case::new(name).reward("reward", &[value]).verdict(verdict);
        let order = names(&[
            case("gamed", Verdict::Ugly, 9.0),
            case("weak", Verdict::Good, 0.3),
            Case::new("blind").verdict(Verdict::Good),
            case("flat", Verdict::Bad, 0.5),
            case("strong", Verdict::Good, 0.8),
            case("short", Verdict::Undecided, 0.9),
        ]);
        assert_eq!(order, ["strong", "weak", "blind", "short", "flat", "gamed"]);
    }

    #[test]
    fn less_can_be_better_and_ties_go_by_name() {
        let case = |name: &str, value: f64| Case::new(name).reward("regret", &[value]).direction(Direction::Down);
        assert_eq!(names(&[case("b", 0.2), case("c", 0.1), case("a", 0.2)]), ["c", "a", "b"]);
    }

    #[test]
    fn consequences_and_notes_are_not_among_the_worst() {
        let mut consequence = Finding::new(Code::LengthExplosion, Severity::Critical, "");
        consequence.explained_by = vec![Code::RewardHacking];
        let case = Case::new("a").findings(vec![
            Finding::new(Code::RewardHacking, Severity::Critical, ""),
            consequence,
            Finding::new(Code::GradientSpikes, Severity::Warning, ""),
            Finding::new(Code::GradientSpikes, Severity::Warning, ""),
            Finding::new(Code::InsufficientData, Severity::Note, ""),
        ]);
        let rows = leaderboard(&[case.judged()], None);
        assert_eq!(rows[0].worst, [Code::RewardHacking, Code::GradientSpikes]);
        assert_eq!((rows[0].value, rows[0].best), (None, None));
    }
}
