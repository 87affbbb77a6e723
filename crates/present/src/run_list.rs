//! The run list: order, verdicts, the number that all runs share, sparklines.

use rundown_compare::{Metric, RankedRun, RunSummary, primary_metric, ranking};
use rundown_diagnose::{Severity, Verdict};
use rundown_format::{bytes, counted, whole};
use rundown_protocol::{RunList, RunRow, SeverityMark, Topic, VerdictMark};
use rundown_vocabulary::Direction;

/// The rows of the run list in their order, and what the runs share. The fields about files and servers,
/// the settings to group by and ids that are unique are the session's.
pub fn run_list(summaries: &[&RunSummary]) -> RunList {
    let metric = primary_metric(summaries);
    let rows = ranking(summaries, metric.as_ref());
    let less_is_better = metric.as_ref().is_some_and(|metric| metric.direction == Direction::Down);
    RunList {
        project: shared_project(summaries).unwrap_or_default(),
        runs: rows.iter().filter_map(|row| Some(run_row(summaries.get(row.index)?, row, metric.as_ref()))).collect(),
        topics: topics(summaries),
        measure: metric.map(|metric| metric.key).unwrap_or_default(),
        less_is_better,
        ..RunList::default()
    }
}

/// How many files were read and how many were not used, as nothing of a run is in them: `10 files read, 2 not used, 4.1 MB`.
/// The bytes are those of all files.
pub fn files_read(used: u32, unused: u32, size: u64) -> String {
    let unused = if unused > 0 { format!(", {} not used", whole(unused as usize)) } else { String::new() };
    format!("{} read{unused}, {}", counted(used as usize, "file"), bytes(size))
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

fn run_row(summary: &RunSummary, row: &RankedRun, metric: Option<&Metric>) -> RunRow {
    // A run without the shared measure draws its own.
    let trace = metric.and_then(|metric| metric.trace_in(summary)).or_else(|| summary.traces.first());
    RunRow {
        run: summary.number,
        id: summary.id.clone(),
        name: summary.name.clone(),
        verdict: mark(summary.verdict),
        state: summary.state.as_str().to_owned(),
        value_key: metric.map(|metric| metric.key_in(summary).to_owned()).unwrap_or_default(),
        value: row.outcome.as_ref().map(|outcome| outcome.level).filter(|level| !level.is_nan()),
        spark: trace.map(|trace| trace.sparkline().to_vec()).unwrap_or_default(),
        worst: row.worst.iter().map(|code| code.phrase()).collect(),
    }
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
    fn files_that_were_not_used_are_counted_apart() {
        assert_eq!(files_read(10, 0, 4_100_000), "10 files read, 4.1 MB");
        assert_eq!(files_read(1, 20_000, 900), "1 file read, 20,000 not used, 900 B");
    }
}
