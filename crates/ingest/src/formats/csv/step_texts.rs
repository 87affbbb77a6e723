//! Steps that stand in the texts of a column, such as `global_step_40` or `run-a/checkpoint-100`: tables of evaluations that name the
//! checkpoint in each row, and have no column that counts.

use crate::formats::row_names::LABEL_SEPARATORS;
use crate::rows::plan::step_column;
use rundown_run::Run;
use rundown_stats::CompactSort as _;

/// Words in front of the number of a checkpoint.
const WORDS: [&str; 5] = ["step", "steps", "iter", "checkpoint", "ckpt"];

/// The steps of the rows so far, all by one column, whose texts differ in nothing else.
#[derive(Default)]
pub(super) struct StepTexts {
    /// The column of the first row with such a text, and what stands before and behind its number.
    found: Option<(usize, String, String)>,
    steps: Vec<f64>,
    /// The step of the row that is being read; NaN where its text is another.
    row: Option<f64>,
    /// A text of the column is another.
    is_other: bool,
}

impl StepTexts {
    /// Takes a text of a row; `is_first` in the first row of the table, which shows the column.
    pub(super) fn text(&mut self, column: usize, text: &str, is_first: bool) {
        let step = || step_in(text);
        match &self.found {
            None if is_first => {
                let Some((before, step, behind)) = step() else { return };
                self.found = Some((column, before.to_owned(), behind.to_owned()));
                self.row = Some(step);
            }
            Some((of, before, behind)) if *of == column && !self.is_other => {
                let same = step().filter(|(text, _, rest)| text == before && rest == behind);
                self.row = Some(same.map_or(f64::NAN, |(_, step, _)| step));
            }
            _ => {}
        }
    }

    /// Ends a row.
    pub(super) fn end_row(&mut self) {
        let Some(step) = self.row.take() else { return };
        self.is_other |= step.is_nan();
        self.steps.push(step);
    }

    /// Leaves out the row that is being read.
    pub(super) fn drop_row(&mut self) {
        self.row = None;
        if self.steps.is_empty() {
            self.found = None;
        }
    }

    /// Counts a run without steps by them, its rows in their order, where each row has another.
    pub(super) fn count(self, run: &mut Run) {
        let mut order: Vec<(f64, u32)> = self.steps.iter().copied().zip(0..).collect();
        order.compact_sort_by(|a, b| a.0.total_cmp(&b.0));
        let is_told = !self.is_other && order.len() > 1 && order.is_sorted_by(|a, b| a.0 < b.0);
        let counts_rows = run.row_steps.iter().zip(0_u32..).all(|(step, row)| *step == f64::from(row));
        let has_steps = step_column(run).is_some();
        if !is_told || order.len() != run.row_steps.len() || !counts_rows || has_steps {
            return;
        }
        run.columns.insert("step".to_owned(), (0..).zip(self.steps.iter().copied()).collect());
        run.row_steps = self.steps;
        let rows: Vec<u32> = order.into_iter().map(|(_, row)| row).collect();
        run.keep_rows(&rows);
    }
}

/// The number behind a word for a step, with what stands before and behind it.
fn step_in(text: &str) -> Option<(&str, f64, &str)> {
    let lower = text.to_ascii_lowercase();
    WORDS.iter().find_map(|word| {
        let (before, rest) = text.split_at_checked(lower.rfind(word)? + word.len())?;
        let number = rest.trim_start_matches(LABEL_SEPARATORS);
        let digits = number.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(number.len());
        let (digits, behind) = number.split_at_checked(digits)?;
        Some((before, f64::from(digits.parse::<u32>().ok()?), behind))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_checkpoint_stands_behind_a_word() {
        assert_eq!(step_in("results-global_step_40"), Some(("results-global_step", 40.0, "")));
        assert_eq!(step_in("a/Checkpoint-100/merged"), Some(("a/Checkpoint", 100.0, "/merged")));
        for text in ["base", "run_1", "seed 2", "Qwen2.5-1.5B", "step", "stepwise-2b"] {
            assert_eq!(step_in(text), None, "{text}");
        }
    }
}
