//! Gaps of a history that went through a table of pandas, such as that of `wandb_cli.py export`.
//!
//! Such a table has every key in every row, and NaN where a key was not logged. A NaN that was logged looks the same, so
//! the company of a key decides: one that was logged whenever another key was is NaN where that other key has a value,
//! and was not logged where it has none.

use super::names::is_step_name;
use rundown_run::{Column, Run};

/// Fewest rows that show which keys go together.
const MIN_ROWS: usize = 20;
/// Fewest values of a key that show in which rows it is logged.
const MIN_VALUES: usize = 10;
/// Share of the rows of a key that another must have, and the other way round, to be logged with it.
const SHARED_ROWS: f64 = 0.9;

/// Removes the gaps of a history whose rows all have the same keys; leaves any other history as it is.
pub(crate) fn remove_gaps(run: &mut Run) {
    let rows = run.row_steps.len();
    let columns = || run.columns.iter();
    if rows < MIN_ROWS
        || !columns().any(|(_, column)| has_nan(column))
        || !columns().all(|(key, column)| is_whole(run, key, column, rows))
    {
        return;
    }
    // Few keys differ in the rows that they have, so that the patterns are few.
    let mut patterns: Vec<Vec<bool>> = Vec::new();
    let measured = columns().filter(|(key, _)| !is_step_name(key) && *key != "epoch");
    for (_, column) in measured {
        let pattern = pattern(column, rows);
        if !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }
    for (key, column) in &mut run.columns {
        let own = pattern(column, rows);
        let Some(first) = own.iter().position(|is_set| *is_set) else {
            // A text, a table or a histogram in other rows. NaN in every row is no gap.
            if column.len() < rows || is_step_name(key) {
                *column = Column::default();
            }
            continue;
        };
        if own.iter().all(|is_set| *is_set) {
            continue;
        }
        let company: Vec<&Vec<bool>> = patterns.iter().filter(|other| goes_with(&own, other, first)).collect();
        let is_logged = |row: u32| {
            let row = row as usize;
            let has = |pattern: &[bool]| pattern.get(row) == Some(&true);
            has(&own) || (row > first && company.iter().any(|other| has(other)))
        };
        *column = column.points().filter(|(row, _)| is_logged(*row)).collect();
    }
    run.columns.retain(|_, column| !column.is_empty());
}

fn has_nan(column: &Column) -> bool {
    column.values().iter().any(|value| value.is_nan())
}

/// True for a key that stands in every row, and for what stands in only some of them because a row may hold an object
/// or a text under it.
fn is_whole(run: &Run, key: &str, column: &Column, rows: usize) -> bool {
    let is_never_number = |column: &Column| column.values().iter().all(|value| value.is_nan());
    let is_inside = || {
        let mut parents = key.match_indices('.').filter_map(|(at, _)| run.columns.get(key.get(..at)?));
        parents.any(is_never_number)
    };
    column.len() == rows || is_never_number(column) || is_inside()
}

/// The rows in which a key has a value; infinities are some.
fn pattern(column: &Column, rows: usize) -> Vec<bool> {
    let mut pattern = vec![false; rows];
    for (row, value) in column.points() {
        if let Some(is_set) = pattern.get_mut(row as usize) {
            *is_set = !value.is_nan();
        }
    }
    pattern
}

/// True when a key is logged whenever another is, as far as its own values reach: both have nearly the same rows from
/// its first value (at row `first`) to its last.
fn goes_with(own: &[bool], other: &[bool], first: usize) -> bool {
    let last = own.iter().rposition(|is_set| *is_set).unwrap_or(first);
    let within = || own.iter().zip(other).take(last + 1).skip(first);
    let count = |is: fn(&(&bool, &bool)) -> bool| within().filter(is).count();
    let (values, others) = (count(|(own, _)| **own), count(|(_, other)| **other));
    let both = count(|(own, other)| **own && **other) as f64;
    values >= MIN_VALUES && both >= SHARED_ROWS * values as f64 && both >= SHARED_ROWS * others as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of 500 rows: `value` gives each key's value in a row.
    fn cleaned(columns: &[(&str, &dyn Fn(u32) -> f64)]) -> Run {
        let mut run = Run::default();
        for row in 0..500 {
            run.push_row(f64::from(row), f64::NAN);
            columns.iter().for_each(|(key, value)| run.push_value(key, row, value(row)));
        }
        remove_gaps(&mut run);
        run
    }

    fn counts(run: &Run, key: &str) -> (usize, usize) {
        let column = &run.columns[key];
        (column.len(), column.nonfinite())
    }

    fn when(is: bool) -> f64 {
        if is { 1.0 } else { f64::NAN }
    }

    #[test]
    fn keys_of_another_rhythm_have_gaps() {
        let run = cleaned(&[
            ("train/global_step", &f64::from),
            ("loss", &|row| when(row % 10 != 9)),
            ("reward", &|row| when(row % 10 != 9)),
            ("eval/accuracy", &|row| when(row % 10 == 9)),
            ("final/score", &|row| when(row == 499)),
            ("late", &|row| when(row >= 200 && row % 10 != 9)),
            ("once", &|row| when(row == 0)),
        ]);
        assert_eq!(counts(&run, "loss"), (450, 0));
        assert_eq!(counts(&run, "eval/accuracy"), (50, 0));
        assert_eq!((counts(&run, "final/score"), counts(&run, "once")), ((1, 0), (1, 0)));
        assert_eq!(counts(&run, "late"), (270, 0));
        assert_eq!(counts(&run, "train/global_step"), (500, 0));
    }

    #[test]
    fn a_logged_nan_stays() {
        let run = cleaned(&[
            ("learning_rate", &|row| when(row % 10 != 9)),
            ("loss", &|row| when(row < 300 && row % 10 != 9)),
            ("kl", &|row| when(row < 300 && row % 10 != 9)),
            ("grad_norm", &|row| when(!matches!(row, 50 | 51) && row % 10 != 9)),
            ("eval/accuracy", &|row| when(row % 10 == 9)),
            ("eval/format", &|row| when(row % 10 == 9 && row < 400)),
            ("broken", &|_| f64::NAN),
        ]);
        assert_eq!((counts(&run, "loss"), counts(&run, "kl")), ((450, 180), (450, 180)));
        assert_eq!(counts(&run, "grad_norm"), (450, 2));
        assert_eq!(counts(&run, "eval/format"), (50, 10));
        assert_eq!(counts(&run, "broken"), (500, 500), "never a number");
    }

    #[test]
    fn rows_with_keys_of_their_own_are_left_as_they_are() {
        let mut run = Run::default();
        for row in 0..100 {
            run.push_row(f64::from(row), f64::NAN);
            run.push_value("loss", row, when(row % 10 != 0));
            if row % 10 == 0 {
                run.push_value("eval/accuracy", row, 0.5);
            }
        }
        let before = format!("{run:?}");
        remove_gaps(&mut run);
        assert_eq!(format!("{run:?}"), before);
    }
}
