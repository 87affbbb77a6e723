//! What the columns of a run show of the run itself, once all its rows are there.

use super::closing_row::sum_up;
use super::labels::note_constants;
use super::names::{is_one_of, is_step_name, is_time_name, settle_step};
use super::plan::{is_planned_steps, is_step_of_total, note_plan, step_of_total};
use super::repeated_rows::keep_first_of_repeated;
use super::sampled::{WANDB_ROWS, looks_sampled};
use crate::syntax::duration::duration;
use rundown_run::{Column, Run, Thinning};

/// Names of columns with the time since the start, behind the last slash, and how many seconds one of their units is; lower case.
const ELAPSED: [(&str, f64); 21] = [
    ("time_elapsed", 1.0),
    ("elapsed_time", 1.0),
    ("elapsed", 1.0),
    ("elapsed_s", 1.0),
    ("elapsed_sec", 1.0),
    ("elapsed_secs", 1.0),
    ("elapsed_seconds", 1.0),
    ("elapsed_time_s", 1.0),
    ("time_total_s", 1.0),
    ("total_time_s", 1.0),
    ("_runtime", 1.0),
    ("wall_time", 1.0),
    ("wall_time_s", 1.0),
    ("wall_time_sec", 1.0),
    ("wall_time_seconds", 1.0),
    ("wall_clock_s", 1.0),
    ("wall_clock_seconds", 1.0),
    ("elapsed_min", 60.0),
    ("elapsed_minutes", 60.0),
    ("elapsed_h", 3600.0),
    ("elapsed_hours", 3600.0),
];

/// Fewest rows whose times are told from a time since the start that begins again.
const MIN_DURATIONS: usize = 7;

/// Settles its steps and times, and notes its plan, its settings and what was left out of it; `has_counter` where it has W&B's `_step`.
pub(super) fn settle(run: &mut Run, has_counter: bool) {
    settle_step(run, has_counter);
    keep_first_of_repeated(run);
    settle_elapsed(run);
    sum_up(run);
    note_plan(run);
    note_constants(run);
    if has_counter && looks_sampled(&run.row_steps, WANDB_ROWS) {
        run.note_sampling(None, Thinning::Rows);
    }
}

/// Takes the times of rows from such a column, in seconds since the start, where no row has a time, nearly all have one there
/// and none is earlier than the one before it. Of a training that was begun anew from its first step, only the rows since then
/// have times.
fn settle_elapsed(run: &mut Run) {
    if run.row_times.iter().any(|time| time.is_finite()) {
        return;
    }
    let rows = run.row_steps.len();
    let step_at = |row: u32| match run.columns.get("step") {
        Some(steps) => steps.value_in(row),
        None => run.row_steps.get(row as usize).copied(),
    };
    let found = run.columns.iter().find_map(|(key, column)| {
        let unit = unit_of(key)?;
        let start = last_start(column.values());
        let began = || Some((column.rows().get(start).and_then(step_at)?, steps_of(run).first()?));
        let is_from_first = || began().is_some_and(|(step, first)| step <= *first);
        let times = column.values().get(start..)?;
        let is_told = 10 * times.len() >= 9 * rows && passes(times) && (start == 0 || is_from_first());
        is_told.then(|| (key.clone(), unit, start))
    });
    let Some((key, unit, start)) = found else { return settle_durations(run) };
    let Some(column) = run.columns.remove(&key) else { return };
    run.row_times.clear();
    run.row_times.resize(rows, f64::NAN);
    for (row, value) in column.points().skip(start) {
        if let Some(time) = run.row_times.get_mut(row as usize) {
            *time = value * unit;
        }
    }
}

/// Adds up such a column where it goes up and down in rows of one step each: then it is the time that each row took.
fn settle_durations(run: &mut Run) {
    let (rows, steps) = (run.row_steps.len(), steps_of(run));
    let is_next = |(step, next): (&f64, &f64)| *next > *step && *next <= *step + 1.0;
    if !steps.iter().zip(steps.iter().skip(1)).all(is_next) {
        return;
    }
    let found = run.columns.iter().find_map(|(key, column)| {
        let unit = unit_of(key)?;
        (column.len() == rows && goes_up_and_down(column.values())).then_some((column, unit))
    });
    let Some((column, unit)) = found else { return };
    let mut now = 0.0;
    let times = column.values().iter().map(|value| {
        now += value * unit;
        now
    });
    run.row_times = times.collect();
}

/// The steps of the rows.
fn steps_of(run: &Run) -> &[f64] {
    run.columns.get("step").map_or(&run.row_steps[..], Column::values)
}

/// The place of the last value that is less than the one before it; 0 where none is.
fn last_start(values: &[f64]) -> usize {
    let mut pairs = values.iter().zip(values.iter().skip(1));
    pairs.rposition(|(before, value)| value < before).map_or(0, |place| place + 1)
}

/// True for positive numbers of which a quarter is less than the one before: a time since the start that began again with a
/// restart falls now and then.
fn goes_up_and_down(values: &[f64]) -> bool {
    let falls = values.iter().zip(values.iter().skip(1)).filter(|(before, value)| value < before).count();
    values.len() > MIN_DURATIONS
        && values.iter().all(|value| *value > 0.0 && value.is_finite())
        && 4 * falls >= values.len()
}

/// The numbers in a text that says how far a training is, with their names: `"global_step/max_steps": "3/120"`, or
/// `"elapsed_time": "45m 20s"` in the unit of its name.
pub(crate) fn progress_in_text<'k>(key: &'k str, text: &str) -> Option<Vec<(&'k str, f64)>> {
    let elapsed = || {
        let unit = unit_of(key).filter(|_| !is_time_name(key))?;
        Some(vec![(key, duration(text)? / unit)])
    };
    step_of_total(key, text).or_else(elapsed)
}

/// True for a name whose numbers say how far a training is, and nothing else of it.
pub(crate) fn is_progress_name(name: &str) -> bool {
    let is_plan = is_planned_steps(name) || is_step_of_total(name);
    name == "epoch" || is_step_name(name) || is_plan || unit_of(name).is_some()
}

/// Seconds in a unit of a column with this name; `None` for another column.
fn unit_of(key: &str) -> Option<f64> {
    let name = key.rsplit('/').next().unwrap_or(key);
    ELAPSED.iter().find(|(known, _)| is_one_of(name, &[known])).map(|(_, unit)| *unit)
}

/// True for times that rise, and never fall.
fn passes(values: &[f64]) -> bool {
    let ends = values.first().zip(values.last());
    values.iter().all(|value| *value >= 0.0) && values.is_sorted() && ends.is_some_and(|(first, last)| last > first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(key: &str, values: &[f64]) -> Vec<f64> {
        let mut run = Run::default();
        for value in values {
            let row = run.push_row(f64::from(run.row_steps.len() as u32), f64::NAN);
            run.push_value(key, row, *value);
        }
        settle_elapsed(&mut run);
        assert_ne!(run.columns.contains_key(key), run.row_times[0].is_finite());
        run.row_times
    }

    #[test]
    fn elapsed_seconds_are_the_times_of_rows() {
        assert_eq!(times("time/time_elapsed", &[0.0, 1.0, 3.0]), [0.0, 1.0, 3.0]);
        assert_eq!(times("wall_time_sec", &[14.5, 30.0, 46.0]), [14.5, 30.0, 46.0]);
        assert_eq!(times("Elapsed Min", &[0.0, 0.5, 2.0]), [0.0, 30.0, 120.0]);
    }

    #[test]
    fn texts_may_say_how_far_a_training_is() {
        let steps = progress_in_text("global_step/max_steps", "9/547");
        assert_eq!(steps, Some(vec![("global_step", 9.0), ("global_step/max_steps", 547.0)]));
        assert_eq!(progress_in_text("step/rows", "3/40"), Some(vec![("step", 3.0)]), "the total of something else");
        for (key, text, value) in
            [("elapsed_time", "45m 20s", 2720.0), ("elapsed_time", "0:05:18", 318.0), ("elapsed_min", "2m 30s", 2.5)]
        {
            assert_eq!(progress_in_text(key, text), Some(vec![(key, value)]));
        }
        for (key, text) in [
            ("remaining_time", "45m 20s"),
            ("wall_time", "14:05:18"),
            ("elapsed_time", "soon"),
            ("correct", "3/16"),
            ("step/max_steps", "3/"),
        ] {
            assert_eq!(progress_in_text(key, text), None, "{key}: {text}");
        }
        assert!(["elapsed_time", "max_steps", "global_step/max_steps"].into_iter().all(is_progress_name));
        assert!(!is_progress_name("reward"));
    }

    #[test]
    fn what_falls_or_stands_still_is_no_time_since_the_start() {
        for (key, values) in [("elapsed", [5.0, 4.0, 6.0]), ("elapsed", [3.0; 3]), ("step_time", [1.0, 2.0, 3.0])] {
            assert!(times(key, &values)[0].is_nan(), "{key} {values:?}");
        }
    }

    #[test]
    fn a_training_that_was_begun_anew_has_the_times_since_then() {
        let settled = |first: u32| {
            let mut run = Run::default();
            for (step, time) in std::iter::once((1, 9)).chain((0..12).map(|row| (first + row, 1 + row))) {
                let row = run.push_row(f64::from(run.row_steps.len() as u32), f64::NAN);
                if step > 0 {
                    run.push_value("step", row, f64::from(step));
                }
                run.push_value("wall_time", row, f64::from(time));
            }
            settle_elapsed(&mut run);
            (run.row_times[0].is_nan(), run.row_times[12])
        };
        assert_eq!(settled(1), (true, 12.0));
        assert!(settled(2).1.is_nan(), "resumed: the time before counts as well");
        assert!(settled(0).1.is_nan(), "its first row has no step");
    }

    #[test]
    fn times_that_go_up_and_down_are_of_each_row() {
        let settled = |key: &str, values: &[f64], distance: u32| {
            let mut run = Run::default();
            for (place, value) in (0_u32..).zip(values) {
                let row = run.push_row(f64::from(distance * place), f64::NAN);
                run.push_value(key, row, *value);
            }
            settle_elapsed(&mut run);
            (run.row_times, run.columns.contains_key(key))
        };
        let values = [2.0, 1.0, 3.0, 1.0, 2.0, 1.0, 4.0, 2.0];
        let (times, is_kept) = settled("wall_time_sec", &values, 1);
        assert_eq!((times, is_kept), (vec![2.0, 3.0, 6.0, 7.0, 9.0, 10.0, 14.0, 16.0], true));
        assert!(settled("wall_time_sec", &values, 10).0[0].is_nan(), "of one step in ten, or of ten steps");
        assert!(settled("loss", &values, 1).0[0].is_nan());
        let again = [1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        assert!(settled("elapsed", &again, 1).0[0].is_nan(), "a restart");
    }

    #[test]
    fn other_times_stay() {
        let mut run = Run::default();
        for seconds in [0.0, 5.0] {
            let row = run.push_row(seconds, 1.79e9 + seconds);
            run.push_value("elapsed", row, seconds);
        }
        settle_elapsed(&mut run);
        assert_eq!((run.row_times[0], run.columns.len()), (1.79e9, 1));
    }
}
