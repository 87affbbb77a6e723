//! A log that goes on where another one stopped: one run, started again.
//!
//! verl counts its steps from the checkpoint that it loads, and both logs print where the checkpoints of the run are.
//! A log whose first step is beyond the first one, and lies within or right behind the steps of another log with the
//! same checkpoints, is that run.

use super::origin::path_of;
use crate::join;
use crate::path;
use rundown_run::{ConfigValue, FileFormat, Run, RunWarning};

/// Settings that name a run for its trainer: where it keeps checkpoints, and what it is called.
const RUN_SETTINGS: [&str; 2] = ["trainer.default_local_dir", "trainer.experiment_name"];

/// Joins `other` to the run that it continues, or that continues it: one that it [`may_be_one`] with.
pub(super) fn join(run: &mut Run, other: Run) {
    if run.has_files_of(&other) {
        return;
    }
    let later = if goes_on(run, &other) { other } else { std::mem::replace(run, other) };
    append(run, later);
}

/// True when one of the two may continue the other, or when the run has all files of the other.
pub(super) fn may_be_one(run: &Run, other: &Run) -> bool {
    run.has_files_of(other) || goes_on(run, other) || goes_on(other, run)
}

/// The step of the first row of a log, to bring logs into their order.
pub(super) fn first_step(run: &Run) -> f64 {
    run.columns.get("step").and_then(|steps| steps.values().first().copied()).unwrap_or(f64::INFINITY)
}

fn goes_on(first: &Run, later: &Run) -> bool {
    let is_log = |run: &Run| run.files.iter().all(|file| file.format == FileFormat::ConsoleLog);
    if !is_log(first) || !is_log(later) || path::folder(path_of(first)) != path::folder(path_of(later)) {
        return false;
    }
    let is_same = |key: &&str| match (first.config.get(key), later.config.get(key)) {
        (Some(ConfigValue::Text(one)), Some(ConfigValue::Text(other))) => !one.is_empty() && one == other,
        _ => false,
    };
    let begins = first_step(later);
    let last = first.columns.get("step").and_then(|steps| steps.last()).unwrap_or(f64::NEG_INFINITY);
    RUN_SETTINGS.iter().all(is_same) && begins > 1.0 && begins > first_step(first) && begins <= last + 1.0
}

fn append(run: &mut Run, later: Run) {
    let step = first_step(&later);
    join::append(run, later);
    run.warnings.push(RunWarning::LogContinued { from: step });
    run.choose_axis();
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::SourceFile;

    fn log(name: &str, folder: &str, steps: std::ops::Range<u32>) -> Run {
        let mut run = Run::default();
        for step in steps {
            let row = run.push_row(f64::from(step), f64::NAN);
            run.push_value("step", row, f64::from(step));
            run.push_value("kl", row, f64::from(row));
        }
        run.config.insert(RUN_SETTINGS[0], ConfigValue::Text("checkpoints/a".into()));
        run.config.insert(RUN_SETTINGS[1], ConfigValue::Text(name.into()));
        let format = FileFormat::ConsoleLog;
        run.files.push(SourceFile {
            path: format!("{folder}/{name}{}.log", run.row_steps.len()),
            format,
            bytes: 1,
            crc32: 1,
        });
        run.choose_axis();
        run
    }

    #[test]
    fn a_resumed_log_is_joined_in_either_order() {
        for is_swapped in [false, true] {
            let (mut known, mut run) = (log("a", "x", 0..150), log("a", "x", 101..301));
            if is_swapped {
                std::mem::swap(&mut known, &mut run);
            }
            assert!(may_be_one(&known, &run));
            join(&mut known, run.clone());
            assert_eq!((known.row_steps.len(), known.axis.restarts.len()), (350, 1));
            let series = known.series("kl").unwrap();
            assert_eq!((series.len(), series.superseded), (301, 49));
            assert_eq!(known.warnings[0].step(), Some(101.0));
            join(&mut known, run);
            assert_eq!(known.row_steps.len(), 350, "a second drop adds nothing");
        }
    }

    #[test]
    fn other_logs_stay_apart() {
        let known = log("a", "x", 0..150);
        for other in [log("b", "x", 101..301), log("a", "y", 101..301), log("a", "x", 0..301), log("a", "x", 152..301)]
        {
            assert!(!may_be_one(&known, &other));
        }
        let mut nameless = log("a", "x", 101..301);
        nameless.config.remove(RUN_SETTINGS[0]);
        assert!(!may_be_one(&known, &nameless));
    }
}
