//! How the rows of two pieces with one id stand to each other: a copy, a newer copy, or another part of the run.

use super::starts;
use rundown_run::{Column, Config, ConfigValue, Run, RunWarning};

/// How the rows of two pieces of one run stand to each other.
#[derive(Debug, PartialEq)]
pub(super) enum Overlap {
    /// They are the same.
    Same,
    /// The second holds the first and goes on: a newer copy.
    Grown,
    /// The first holds the second and goes on: an older copy.
    Older,
    /// Neither: another part of the run.
    Apart,
}

/// Compares the rows of two pieces.
pub(super) fn overlap(first: &Run, second: &Run) -> Overlap {
    let is_prefix = |short: &Run, long: &Run| {
        starts_with(&long.row_steps, &short.row_steps)
            && starts_with(&long.row_times, &short.row_times)
            && short.columns.iter().all(|(key, column)| {
                // What an attachment added is not in the other copy.
                long.columns.get(key).is_none_or(|longer| column_starts_with(longer, column))
            })
    };
    // Rows of a table have no history: runs with one name are told apart by their settings and final values.
    if is_of_table(first) && is_of_table(second) {
        let is_same = same_values(&first.config, &second.config) && same_values(&first.summary, &second.summary);
        return if is_same { Overlap::Same } else { Overlap::Apart };
    }
    if starts::has_only_left_out(first, second) {
        return Overlap::Grown;
    }
    if starts::has_only_left_out(second, first) {
        return Overlap::Older;
    }
    let has_same_exit = first.ending.exit_code == second.ending.exit_code;
    match first.row_steps.len().cmp(&second.row_steps.len()) {
        std::cmp::Ordering::Equal if is_prefix(first, second) && has_same_exit => Overlap::Same,
        // The same rows, and a later copy has an exit record besides.
        std::cmp::Ordering::Equal if is_prefix(first, second) && second.ending.exit_code.is_some() => Overlap::Grown,
        std::cmp::Ordering::Equal if is_prefix(first, second) => Overlap::Older,
        std::cmp::Ordering::Less if is_prefix(first, second) => Overlap::Grown,
        std::cmp::Ordering::Greater if is_prefix(second, first) => Overlap::Older,
        _ => Overlap::Apart,
    }
}

fn is_of_table(run: &Run) -> bool {
    run.row_steps.is_empty() && run.warnings.contains(&RunWarning::FinalValuesOnly)
}

/// True for the same keys with the same values; NaN is the same as NaN.
fn same_values(first: &Config, second: &Config) -> bool {
    let is_same = |((key, value), (other_key, other)): ((&str, &ConfigValue), (&str, &ConfigValue))| {
        key == other_key
            && match (value, other) {
                (ConfigValue::Number(value), ConfigValue::Number(other)) => value.to_bits() == other.to_bits(),
                _ => value == other,
            }
    };
    first.len() == second.len() && first.iter().zip(second.iter()).all(is_same)
}

fn starts_with(long: &[f64], short: &[f64]) -> bool {
    long.len() >= short.len() && long.iter().zip(short).all(|(a, b)| a.to_bits() == b.to_bits())
}

fn column_starts_with(long: &Column, short: &Column) -> bool {
    long.rows().starts_with(short.rows()) && starts_with(long.values(), short.values())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::ConfigValue;

    fn run(values: &[f64], exit_code: Option<i32>) -> Run {
        let mut run = Run::default();
        for (step, value) in values.iter().enumerate() {
            let row = run.push_row(step as f64, f64::NAN);
            run.push_value("loss", row, *value);
        }
        run.ending.exit_code = exit_code;
        run
    }

    #[test]
    fn copies_are_told_from_parts() {
        let short = run(&[1.0, f64::NAN], None);
        for (other, expected) in [
            (run(&[1.0, f64::NAN], None), Overlap::Same),
            (run(&[1.0, f64::NAN], Some(0)), Overlap::Grown),
            (run(&[1.0, f64::NAN, 3.0], None), Overlap::Grown),
            (run(&[1.0], None), Overlap::Older),
            (run(&[1.0, 2.0], None), Overlap::Apart),
            (run(&[2.0], None), Overlap::Apart),
        ] {
            assert_eq!(overlap(&short, &other), expected);
        }
    }

    #[test]
    fn a_copy_from_before_the_first_reward_is_older_than_one_without_the_fine_tuning() {
        let copy = |keys: &[&str]| {
            let mut run = run(&vec![0.5; keys.len()], None);
            for (row, key) in (0..).zip(keys) {
                run.push_value(key, row, 0.5);
            }
            starts::leave_out_fine_tuning(&mut run);
            run
        };
        let (tuning, reward) = ("train/mean_token_accuracy", "train/reward");
        let (old, new) = (copy(&[tuning; 2]), copy(&[tuning, tuning, reward]));
        assert_eq!((overlap(&old, &new), overlap(&new, &old)), (Overlap::Grown, Overlap::Older));
        assert_eq!(overlap(&copy(&[reward]), &new), Overlap::Apart);
    }

    #[test]
    fn rows_of_a_table_with_one_name_are_runs_of_their_own() {
        let of = |score: Option<f64>| {
            let mut run = run(&[], None);
            run.warnings.push(RunWarning::FinalValuesOnly);
            score.into_iter().for_each(|score| run.summary.insert("score", ConfigValue::Number(score)));
            run
        };
        assert_eq!(overlap(&of(None), &of(Some(1.0))), Overlap::Apart);
        assert_eq!(overlap(&of(Some(2.0)), &of(Some(1.0))), Overlap::Apart);
        assert_eq!(overlap(&of(Some(1.0)), &of(Some(1.0))), Overlap::Same);
    }
}
