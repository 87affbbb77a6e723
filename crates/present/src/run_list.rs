//! The run list: order, verdicts, the number that all runs share, sparklines.

use rundown_compare::{RankedRun, RunSummary, primary_metric, ranking};
use rundown_diagnose::{Severity, Verdict};
use rundown_protocol::{RunList, RunRow, SeverityMark, Topic, VerdictMark};

/// Values in a sparkline.
const SPARK_POINTS: usize = 60;
/// Stretches that a sparkline runs across without a point.
const BRIDGED: usize = 4;

/// The rows of the run list in their order, and what the runs share. The fields about files and servers,
/// the settings to group by and ids that are unique are the session's.
pub fn run_list(summaries: &[&RunSummary]) -> RunList {
    let metric = primary_metric(summaries);
    let rows = ranking(summaries, metric.as_ref());
    let measure = metric.map(|metric| metric.key).unwrap_or_default();
    RunList {
        project: shared_project(summaries).unwrap_or_default(),
        runs: rows.iter().filter_map(|row| Some(run_row(summaries.get(row.index)?, row, &measure))).collect(),
        topics: topics(summaries),
        measure,
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

fn run_row(summary: &RunSummary, row: &RankedRun, key: &str) -> RunRow {
    // A run without the shared measure draws its own.
    let trace = summary.trace(key).or_else(|| summary.traces.first());
    RunRow {
        run: summary.number,
        id: summary.id.clone(),
        name: summary.name.clone(),
        verdict: mark(summary.verdict),
        state: summary.state.as_str().to_owned(),
        value: row.outcome.as_ref().map_or(f64::NAN, |outcome| outcome.last),
        spark: trace.map(|trace| spark(&trace.steps, &trace.values)).unwrap_or_default(),
        worst: row.worst.iter().map(|code| code.phrase()).collect(),
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

/// The views that these runs have something for.
fn topics(summaries: &[&RunSummary]) -> Vec<Topic> {
    let any = |has: &dyn Fn(&RunSummary) -> bool| summaries.iter().any(|summary| has(summary));
    let has = |topic: &Topic| match topic {
        Topic::Compare | Topic::Signals => summaries.len() > 1,
        Topic::League => any(&|summary| summary.league.is_some()),
        Topic::Scaling => any(&|summary| summary.scaling.as_ref().is_some_and(|found| found.is_reported())),
        Topic::Pipeline => any(&|summary| summary.pipeline.is_some()),
        Topic::Rewards => any(&|summary| summary.rubric.is_some()),
        // Not about the runs: it is there in any case.
        Topic::Settings => false,
    };
    Topic::ALL.into_iter().filter(has).collect()
}

fn shared_project(summaries: &[&RunSummary]) -> Option<String> {
    let project = summaries.first()?.project.as_deref()?;
    summaries.iter().all(|summary| summary.project.as_deref() == Some(project)).then(|| project.to_owned())
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
