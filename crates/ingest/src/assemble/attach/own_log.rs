//! The console log that W&B keeps in a run's folder, or that names the run: what it tells that the run file does not.
//!
//! W&B writes the run file in blocks of 32 KB and the log at once. Where the process was killed, the log holds the last steps,
//! and what stopped it. And the exit code is 0 where a launcher, as Ray's driver, ends well after its workers failed.

use std::collections::BTreeSet;

use crate::assemble::origin::{is_wandb, path_of};
use crate::assemble::same_metrics::same_column;
use rundown_run::{AxisReason, Log, Run, RunState, RunWarning};

/// Takes from the log of a W&B run what the run file lacks; `has_same_values` where the rows of both agree.
pub(super) fn complete(run: &mut Run, log: &Run, has_same_values: bool) {
    if !is_wandb(run) || run.has_files_of(log) {
        return;
    }
    let lines = |log: &Log| log.lines.len() as u64 + log.dropped;
    let is_cut = run.ending.expects_exit && run.ending.exit_code.is_none();
    if is_cut && lines(&log.log) >= lines(&run.log) {
        // The log is joined where the run has none.
        run.log = Log::default();
    }
    if is_cut && has_same_values {
        append_later_rows(run, log);
    }
    if run.ending.exit_code == Some(0) && log.ending.state == RunState::Crashed {
        run.ending.state = RunState::Crashed;
    }
}

/// Appends the rows of a log behind the last step of a run whose steps it counts as well.
fn append_later_rows(run: &mut Run, log: &Run) {
    let Some(last) = run.axis.steps.iter().copied().reduce(f64::max) else { return };
    let steps = &log.axis.steps;
    let first = steps.partition_point(|step| *step <= last);
    let Some(from) = steps.get(first).copied().filter(|_| steps.is_sorted()) else { return };
    let first_row = run.row_steps.len() as u32;
    let is_counted = run.axis.why == AxisReason::RowCount;
    let counter = run.axis.key.clone();
    let latest = run.row_times.iter().copied().reduce(f64::max).unwrap_or(f64::NAN);
    for (step, time) in steps.iter().zip(&log.row_times).skip(first) {
        let next = run.row_steps.last().map_or(0.0, |row| row + 1.0);
        // Times of a log may count from its start.
        let time = if *time >= latest { *time } else { f64::NAN };
        let row = run.push_row(if is_counted { *step } else { next }, time);
        if !is_counted {
            run.push_value(&counter, row, *step);
        }
    }
    let mut known = BTreeSet::from([counter]);
    for (key, column) in &log.columns {
        let Some(name) = same_column(run, key).map(|(name, _)| name.to_owned()) else { continue };
        if !known.insert(name.clone()) {
            continue;
        }
        for (row, value) in column.points() {
            if let Some(row) = row.checked_sub(first as u32) {
                run.push_value(&name, first_row + row, value);
            }
        }
    }
    run.choose_axis();
    run.warnings.push(RunWarning::HistoryContinued { file: path_of(log).to_owned(), from: Some(from) });
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::{FileFormat, LogLine, SourceFile, Stream};

    fn run(format: FileFormat, counter: &str, key: &str, rows: u32) -> Run {
        let files = vec![SourceFile { path: format!("{format:?}"), format, bytes: 1, crc32: 1 }];
        let mut run = Run { files, ..Run::default() };
        for row in 0..rows {
            let step = f64::from(row) + 1.0;
            run.push_row(f64::from(row * 3), 1.7e9 + step);
            run.push_value(counter, row, step);
            run.push_value(key, row, step * step);
        }
        run.choose_axis();
        run
    }

    fn cut(exit_code: Option<i32>) -> Run {
        let mut run = run(FileFormat::Wandb, "train/global_step", "train/kl", 23);
        run.ending.expects_exit = true;
        run.ending.exit_code = exit_code;
        run
    }

    #[test]
    fn the_last_rows_of_a_cut_run_file_are_those_of_its_log() {
        let mut log = run(FileFormat::ConsoleLog, "step", "kl", 28);
        log.log.push(LogLine::from((Stream::File, "killed".to_owned())));
        let mut known = cut(None);
        complete(&mut known, &log, true);
        let kl = known.series("train/kl").unwrap();
        assert_eq!((kl.len(), kl.last_step(), kl.values[27]), (28, Some(28.0), 784.0));
        assert_eq!((known.row_steps[23], known.warnings[0].step()), (67.0, Some(24.0)));
        let rows = |mut run: Run, is_same: bool| {
            complete(&mut run, &log, is_same);
            run.row_steps.len()
        };
        assert_eq!((rows(cut(Some(0)), true), rows(cut(None), false)), (23, 23), "whole, or of other numbers");
    }

    #[test]
    fn an_error_at_the_end_of_the_log_counts_before_an_exit_code_of_0() {
        let state = |of_log: RunState| {
            let (mut run, mut log) = (cut(Some(0)), run(FileFormat::ConsoleLog, "step", "kl", 3));
            run.ending.state = RunState::Finished;
            log.ending.state = of_log;
            complete(&mut run, &log, false);
            run.ending.state
        };
        assert_eq!((state(RunState::Crashed), state(RunState::Unknown)), (RunState::Crashed, RunState::Finished));
    }
}
