//! The run list: order, verdicts, the number that all runs share, sparklines.

use super::messages::{ProblemRow, RunList, RunRow, SeverityMark, VerdictMark};
use crate::compare::{Judged, LeaderboardRow, leaderboard, shared_measure};
use crate::diagnose::{Severity, Verdict};
use crate::ingest::{Problem, Weight};

/// Values in a sparkline.
const SPARK_POINTS: usize = 60;
/// Stretches that a sparkline runs across without a point.
const BRIDGED: usize = 4;

/// The run list of these runs (number, run, diagnosis).
pub fn run_list(runs: &[(u32, Judged<'_>)], problems: &[Problem], files: u32, bytes: u64) -> RunList {
    let judged: Vec<Judged<'_>> = runs.iter().map(|(_, judged)| *judged).collect();
    let measure = shared_measure(&judged);
    let rows = leaderboard(&judged, measure.as_ref());
    let key = measure.map(|measure| measure.key).unwrap_or_default();
    let row = |board: LeaderboardRow| runs.get(board.index).map(|(number, judged)| row(*number, *judged, board, &key));
    RunList {
        project: shared_project(&judged).unwrap_or_default(),
        runs: rows.into_iter().filter_map(row).collect(),
        problems: problems.iter().map(problem_row).collect(),
        measure: key,
        files,
        bytes,
        ..RunList::default()
    }
}

/// The mark of a verdict.
pub fn mark(verdict: Verdict) -> VerdictMark {
    match verdict {
        Verdict::Good => VerdictMark::Good,
        Verdict::Undecided => VerdictMark::Undecided,
        Verdict::Bad => VerdictMark::Bad,
        Verdict::Ugly => VerdictMark::Ugly,
    }
}

/// The mark of a severity.
pub fn severity_mark(severity: Severity) -> SeverityMark {
    match severity {
        Severity::Note => SeverityMark::Note,
        Severity::Warning => SeverityMark::Warning,
        Severity::Critical => SeverityMark::Critical,
    }
}

fn row(number: u32, (run, diagnosis): Judged<'_>, board: LeaderboardRow, measure: &str) -> RunRow {
    // A run without the shared measure draws its own.
    let own = diagnosis.learning.measure.as_ref().map_or(measure, |binding| binding.key.as_str());
    let key = if run.columns.contains_key(measure) { measure } else { own };
    let series = run.series(key).map(|series| series.finite()).unwrap_or_default();
    RunRow {
        run: number,
        name: board.name,
        verdict: mark(board.verdict),
        state: board.state.as_str().to_owned(),
        value: board.value.unwrap_or(f64::NAN),
        spark: spark(&series.steps, &series.values),
        last_step: board.last_step.unwrap_or(f64::NAN),
        worst: board.worst.iter().map(|code| code.phrase()).collect(),
    }
}

/// Means over equal stretches of steps; stretches without a point are NaN.
fn spark(steps: &[f64], values: &[f64]) -> Vec<f32> {
    let (Some(&first), Some(&last)) = (steps.first(), steps.last()) else { return Vec::new() };
    let buckets = SPARK_POINTS.min(values.len());
    let width = (last - first) / buckets as f64;
    if width <= 0.0 {
        return values.last().map(|value| vec![*value as f32; 2]).unwrap_or_default();
    }
    let mut sums = vec![(0.0_f64, 0_u32); buckets];
    for (step, value) in steps.iter().zip(values) {
        let bucket = (((step - first) / width) as usize).min(buckets - 1);
        if let Some((sum, count)) = sums.get_mut(bucket) {
            *sum += value;
            *count += 1;
        }
    }
    let mean = |(sum, count): (f64, u32)| if count == 0 { f32::NAN } else { (sum / f64::from(count)) as f32 };
    bridged(sums.into_iter().map(mean).collect())
}

/// Joins what uneven steps left apart: a gap of a few stretches is not one in the data.
fn bridged(mut line: Vec<f32>) -> Vec<f32> {
    let known: Vec<usize> = line.iter().enumerate().filter(|(_, value)| !value.is_nan()).map(|(at, _)| at).collect();
    for pair in known.windows(2) {
        let [from, to] = *pair else { continue };
        let (Some(&before), Some(&after)) = (line.get(from), line.get(to)) else { continue };
        if to - from > BRIDGED {
            continue;
        }
        for (place, value) in line.iter_mut().enumerate().take(to).skip(from + 1) {
            *value = before + (after - before) * (place - from) as f32 / (to - from) as f32;
        }
    }
    line
}

fn shared_project(runs: &[Judged<'_>]) -> Option<String> {
    let (first, _) = runs.first()?;
    let project = first.project.as_deref()?;
    runs.iter().all(|(run, _)| run.project.as_deref() == Some(project)).then(|| project.to_owned())
}

fn problem_row(problem: &Problem) -> ProblemRow {
    let text =
        if problem.remedy.is_empty() { problem.what.clone() } else { format!("{} {}", problem.what, problem.remedy) };
    ProblemRow {
        file: problem.file.clone(),
        place: problem.place.to_string(),
        text,
        lost: problem.weight != Weight::Remark,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_keeps_the_shape_and_the_gaps() {
        let steps: Vec<f64> = (0..600).map(f64::from).filter(|step| !(200.0..300.0).contains(step)).collect();
        let line = spark(&steps, &steps);
        assert_eq!(line.len(), SPARK_POINTS);
        assert!(line[25].is_nan());
        assert!(line[0] < line[59]);
    }

    #[test]
    fn a_sparkline_of_one_point_is_flat() {
        assert_eq!(spark(&[5.0], &[1.0]), [1.0, 1.0]);
        assert!(spark(&[], &[]).is_empty());
    }
}
