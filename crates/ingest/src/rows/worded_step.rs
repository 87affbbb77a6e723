//! The step of a table that counts it under a name of its own, such as `grpo_step`.

use super::counting::rises_with_each;
use rundown_run::{Column, Run};

/// Words before `_step` with which the number is no step of the row: `time_per_step`, `best_step`.
const NO_STEPS: [&str; 10] = ["best", "eval", "first", "last", "max", "mean", "min", "per", "save", "start"];

/// The only column with such a name, where it rises with each row.
pub(super) fn worded_step(run: &Run) -> Option<String> {
    let is_step = |name: &str| {
        let words = name.strip_suffix("_step").map(|before| before.split('_'));
        words.is_some_and(|mut words| words.all(|word| !word.is_empty() && !NO_STEPS.contains(&word)))
    };
    let counts = |column: &Column| column.len() == run.row_steps.len() && rises_with_each(column.values());
    let mut found = run.columns.iter().filter(|(name, _)| is_step(name));
    let (name, column) = found.next().filter(|_| found.next().is_none())?;
    (column.len() > 1 && counts(column)).then(|| name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_only_column_that_rises_under_such_a_name_counts_the_steps() {
        let step = |names: &[&str], values: [f64; 2]| {
            let mut run = Run::default();
            for value in values {
                let row = run.push_row(f64::from(run.row_steps.len() as u32), f64::NAN);
                names.iter().for_each(|name| run.push_value(name, row, value));
            }
            worded_step(&run)
        };
        assert_eq!(step(&["grpo_step", "reward"], [171.0, 199.0]).as_deref(), Some("grpo_step"));
        assert_eq!(step(&["grpo_step"], [199.0, 171.0]), None);
        assert_eq!(step(&["grpo_step"], [0.5, 0.7]), None);
        assert_eq!(step(&["grpo_step", "sft_step"], [1.0, 2.0]), None);
        for name in ["best_step", "time_per_step", "_step", "grpo_steps"] {
            assert_eq!(step(&[name], [1.0, 2.0]), None, "{name}");
        }
    }
}
