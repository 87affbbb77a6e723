//! Rows with the number of steps that were planned, as LLaMA-Factory's `trainer_log.jsonl` does, or with the share that is done,
//! as tinker's.

use super::names::is_step_name;
use rundown_run::{Column, ConfigValue, PLANNED_STEPS_KEYS, Run, RunState, STEP_KEYS};

/// Names of the total, which is the same in every row.
const PLANNED_STEPS_COLUMNS: [&str; 2] = ["total_steps", "max_steps"];
/// The setting that holds the planned steps.
pub(crate) const SETTING: &str = "max_steps";

/// tinker's share of the planned batches that is done after each step, of which the first has the number 0.
const DONE_SHARE: &str = "progress/done_frac";
/// Fewest shares that show of how many steps they are: of two a rounded one may agree by chance.
const MIN_SHARES: usize = 3;
/// How far the number of steps by one share may be from that by another, as a part of it: shares are written with all digits.
const SHARE_PRECISION: f64 = 1e-6;

/// True for the name of the number of steps that are planned.
pub(super) fn is_planned_steps(name: &str) -> bool {
    PLANNED_STEPS_COLUMNS.contains(&name)
}

/// The step in `"global_step/max_steps": "3/120"`, and how many were planned where the name behind the slash is one of planned
/// steps. The number of those keeps the whole key, by which [`note_plan`] knows that it is no metric.
pub(super) fn step_of_total<'k>(key: &'k str, text: &str) -> Option<Vec<(&'k str, f64)>> {
    let (name, planned) = key.split_once('/').filter(|(name, _)| is_step_name(name))?;
    let (done, total) = text.split_once('/')?;
    let is_whole = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_whole(done) || !is_whole(total) {
        return None;
    }
    let mut steps = vec![(name, done.parse().ok()?)];
    if is_planned_steps(planned) {
        steps.push((key, total.parse().ok()?));
    }
    Some(steps)
}

/// True for the key of a step with its total: `global_step/max_steps`.
pub(super) fn is_step_of_total(key: &str) -> bool {
    key.split_once('/').is_some_and(|(name, planned)| is_step_name(name) && is_planned_steps(planned))
}

/// Notes the steps that were planned as a setting, and that the run is done where its last row is the last of them.
pub(super) fn note_plan(run: &mut Run) {
    let is_done = run.columns.get(DONE_SHARE).and_then(Column::last).is_some_and(|share| share >= 1.0);
    if is_done && run.ending.state == RunState::Unknown {
        run.ending.state = RunState::Finished;
        run.ending.evidence = vec![format!("{DONE_SHARE} reached 1")];
    }
    if let Some(total) = steps_by_shares(run) {
        fill_in(run, total);
    }
    // A run that was resumed may have another plan than before: the last one counts.
    let key = run.columns.keys().find(|key| is_step_of_total(key)).cloned();
    let of_step = key.and_then(|key| run.columns.remove(&key)).and_then(|column| column.last());
    let is_always = |column: &Column, total: f64| column.values().iter().all(|value| *value == total);
    let of_column = || {
        let column = PLANNED_STEPS_COLUMNS.iter().find_map(|name| run.columns.get(*name))?;
        column.values().first().copied().filter(|total| is_always(column, *total))
    };
    let Some(total) = of_step.or_else(of_column).filter(|total| *total >= 1.0 && total.fract() == 0.0) else { return };
    let Some(&last) = step_column(run).and_then(|steps| steps.values().last()) else { return };
    if last > total {
        return;
    }
    fill_in(run, total);
    if matches!(run.config.get(SETTING), Some(ConfigValue::Number(planned)) if *planned == total) {
        // A setting is no metric.
        for name in PLANNED_STEPS_COLUMNS {
            if run.columns.get(name).is_some_and(|column| is_always(column, total)) {
                run.columns.remove(name);
            }
        }
    }
    if last == total && run.ending.state == RunState::Unknown {
        finish(run, total);
    }
}

/// The steps of a run, as its trainer counts them.
pub(crate) fn step_column(run: &Run) -> Option<&Column> {
    STEP_KEYS.iter().find_map(|name| run.columns.get(*name))
}

/// Sets [`SETTING`] where it is not set at all.
fn fill_in(run: &mut Run, total: f64) {
    if run.config.get(SETTING).is_none() {
        run.config.insert(SETTING, ConfigValue::Number(total));
    }
}

/// The planned steps, where the shares that are done say the same number in each row. Rows of evaluations have a step alone.
fn steps_by_shares(run: &Run) -> Option<f64> {
    let shares = run.columns.get(DONE_SHARE).filter(|shares| shares.len() >= MIN_SHARES)?;
    let steps = step_column(run)?;
    // Without a step the total is NaN, which is none.
    let mut totals = shares.points().map(|(row, share)| (steps.value_in(row).unwrap_or(f64::NAN) + 1.0) / share);
    let first = totals.next()?;
    let total = first.round();
    let is_total = |other: f64| (other - total).abs() <= SHARE_PRECISION * total;
    (total >= 1.0 && is_total(first) && totals.all(is_total)).then_some(total)
}

/// Notes the steps that were planned as a setting, unless one says them under a key for which the checks ask: under others,
/// such as `env.max_steps`, stand limits of something else.
pub(crate) fn note_setting(run: &mut Run, total: f64) {
    let is_set = |key: &&str| matches!(run.config.get(key), Some(ConfigValue::Number(planned)) if *planned > 0.0);
    if !PLANNED_STEPS_KEYS.iter().any(is_set) {
        run.config.insert(SETTING, ConfigValue::Number(total));
    }
}

/// What tells of the end of a log that only a progress bar shows.
pub(crate) fn bar_evidence(done: u64, total: u64) -> String {
    format!("the progress bar ended at step {done} of {total}")
}

/// Notes that the run ended with the last of so many steps.
pub(crate) fn finish(run: &mut Run, total: f64) {
    run.ending.state = RunState::Finished;
    run.ending.evidence = vec![format!("its last row is number {total} of {total}")];
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(steps: &[f64], totals: &[f64]) -> (RunState, usize) {
        let mut run = Run::default();
        for (step, total) in steps.iter().zip(totals) {
            let row = run.push_row(*step, f64::NAN);
            run.push_value("step", row, *step);
            run.push_value("total_steps", row, *total);
        }
        note_plan(&mut run);
        (run.ending.state, run.config.len())
    }

    #[test]
    fn a_limit_of_something_else_is_no_plan() {
        let noted = |key: &str, value: f64| {
            let mut run = Run::default();
            run.config.insert(key, ConfigValue::Number(value));
            note_setting(&mut run, 500.0);
            run.config.number(&[SETTING]).map(|(_, planned)| planned)
        };
        assert_eq!((noted("env.max_steps", 4.0), noted("max_steps", -1.0)), (Some(500.0), Some(500.0)));
        assert_eq!((noted("max_steps", 40.0), noted("trainer.total_training_steps", 40.0)), (Some(40.0), None));
        assert_eq!(noted("n_grpo_steps", 40.0), None, "under each key that the checks know");
    }

    #[test]
    fn a_share_of_one_ends_the_run() {
        let state = |shares: &[f64]| {
            let mut run = Run::default();
            for share in shares {
                let row = run.push_row(f64::NAN, f64::NAN);
                run.push_value(DONE_SHARE, row, *share);
            }
            note_plan(&mut run);
            run.ending.state
        };
        assert_eq!(state(&[0.5, 1.0]), RunState::Finished);
        assert_eq!(state(&[0.5, 0.9]), RunState::Unknown);
    }

    #[test]
    fn shares_of_the_same_total_tell_it() {
        let planned = |points: &[(f64, f64)]| {
            let mut run = Run::default();
            for (step, share) in points {
                let row = run.push_row(*step, f64::NAN);
                run.push_value("step", row, *step);
                if share.is_finite() {
                    run.push_value(DONE_SHARE, row, *share);
                }
            }
            note_plan(&mut run);
            run.config.number(&[SETTING]).map(|(_, total)| total)
        };
        let of = |total: f64| move |step: f64| (step, (step + 1.0) / total);
        assert_eq!(planned(&[0.0, 1.0, 7.0].map(of(45.0))), Some(45.0));
        assert_eq!(planned(&[0.0, 0.0, 1.0, 2.0].map(of(2197.0))), Some(2197.0), "it began twice");
        let evaluated = [(0.0, 0.002), (0.0, f64::NAN), (1.0, 0.004), (2.0, 0.006)];
        assert_eq!(planned(&evaluated), Some(500.0), "a row of an evaluation has no share");
        assert_eq!(planned(&[0.0, 1.0].map(of(45.0))), None, "too few");
        assert_eq!(planned(&[(0.0, 0.02), (1.0, 0.04), (2.0, 0.07)]), None, "rounded");
        assert_eq!(planned(&[(0.0, 0.1), (1.0, 0.2), (2.0, 0.15)]), None, "two plans");
        assert_eq!(planned(&[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]), None);
    }

    #[test]
    fn a_plan_is_a_setting_and_no_metric() {
        let read = |name: &str, totals: [f64; 2], set: Option<f64>| {
            let mut run = Run::default();
            set.into_iter().for_each(|planned| run.config.insert(SETTING, ConfigValue::Number(planned)));
            for (step, total) in [1.0, 2.0].into_iter().zip(totals) {
                let row = run.push_row(step, f64::NAN);
                run.push_value("step", row, step);
                run.push_value(name, row, total);
            }
            note_plan(&mut run);
            (run.config.number(&[SETTING]).map(|(_, planned)| planned), run.columns.len())
        };
        assert_eq!(read("max_steps", [9.0, 9.0], None), (Some(9.0), 1));
        assert_eq!(read("max_steps", [9.0, 9.0], Some(9.0)), (Some(9.0), 1), "a setting says it too");
        assert_eq!(read("max_steps", [9.0, 9.0], Some(8.0)), (Some(8.0), 2), "something else");
        assert_eq!(read("max_steps", [7.0, 9.0], None), (None, 2), "it may be a metric");
        assert_eq!(read("step/max_steps", [7.0, 9.0], None), (Some(9.0), 1), "resumed with another plan");
    }

    #[test]
    fn the_last_of_the_planned_steps_ends_the_run() {
        assert_eq!(state(&[1.0, 2.0], &[2.0, 2.0]), (RunState::Finished, 1));
        assert_eq!(state(&[1.0, 2.0], &[9.0, 9.0]), (RunState::Unknown, 1));
        assert_eq!(state(&[1.0, 2.0], &[10.0, 20.0]), (RunState::Unknown, 0), "it counts something");
        assert_eq!(state(&[1.0, 2.0], &[1.0, 1.0]), (RunState::Unknown, 0), "of an epoch");
    }
}
