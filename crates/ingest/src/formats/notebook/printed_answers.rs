//! Answers that a reward function prints while a training runs, as the copies of one much used notebook do:
//!
//! ```text
//! -------------------- Question:
//! How many legs do two spiders have?
//! Answer:
//! 16
//! Response:
//! …
//! Extracted:
//! 16
//! ```
//!
//! Where the table of the training has the loss alone, the share of right ones is the only measure of what it learned. Where a response
//! has no answer in the form that is asked for, nothing is extracted.

use crate::rows::metric_words;
use rundown_run::Run;

/// The share of printed answers that are right, of the batches of a row.
const ACCURACY: &str = "accuracy";
/// The share of responses from which an answer was extracted: those in the form that was asked for, which a policy has to learn.
const EXTRACTED: &str = "format_rate";
/// Fewest answers that are a measure.
const MIN_ANSWERS: usize = 10;

/// The label whose text stands in the next line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Answer,
    Extracted,
}

/// The answers that were printed so far.
#[derive(Debug, Default)]
pub(super) struct PrintedAnswers {
    label: Option<Label>,
    /// The right answer to the last question.
    answer: Option<String>,
    answers: Vec<Answer>,
}

#[derive(Debug, Clone, Copy)]
struct Answer {
    is_right: bool,
    is_extracted: bool,
}

impl PrintedAnswers {
    /// Reads what was printed next.
    pub(super) fn read(&mut self, text: &str) {
        for line in text.lines().map(str::trim) {
            match (self.label.take(), line) {
                (Some(Label::Answer), answer) => self.answer = Some(answer.to_owned()),
                (Some(Label::Extracted), extracted) => {
                    let is_extracted = !extracted.is_empty();
                    let answer = self.answer.take();
                    let read = |answer| Answer { is_right: is_extracted && answer == extracted, is_extracted };
                    self.answers.extend(answer.map(read));
                }
                // A response may have a line of that kind as well.
                (None, "Answer:") if self.answer.is_none() => self.label = Some(Label::Answer),
                (None, "Extracted:") => self.label = Some(Label::Extracted),
                (None, line) if line.ends_with("Question:") => self.answer = None,
                (None, _) => {}
            }
        }
    }

    /// Adds both shares to the rows of a table without a reward: all of them print equally many.
    pub(super) fn add_to(&self, run: &mut Run) {
        let is_measured = run.columns.keys().any(|key| metric_words::is_reward(key) || key == ACCURACY);
        let (rows, answers) = (run.row_steps.len(), self.answers.len());
        if is_measured || answers < MIN_ANSWERS.max(rows) {
            return;
        }
        let end = |row: usize| row * answers / rows;
        for row in 0..rows {
            let printed = self.answers.get(end(row)..end(row + 1)).unwrap_or_default();
            let share = |is: fn(&Answer) -> bool| {
                printed.iter().filter(|answer| is(answer)).count() as f64 / printed.len() as f64
            };
            run.push_value(ACCURACY, row as u32, share(|answer| answer.is_right));
            run.push_value(EXTRACTED, row as u32, share(|answer| answer.is_extracted));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::metric_rows::MetricRows;

    fn run(names: &[&str], rows: usize) -> Run {
        let mut table = MetricRows::default();
        for step in 1..=rows {
            table.number("step", step as f64);
            names.iter().for_each(|name| table.number(name, 0.5));
            table.end_row();
        }
        table.finish()
    }

    fn printed(extracted: &str) -> String {
        format!("---- Question:\nWhat is 8 x 2? \nAnswer:\n16 \nResponse:\nSo\nAnswer:\n8\nExtracted:\n{extracted}\n")
    }

    #[test]
    fn the_shares_of_right_and_of_extracted_answers_are_those_of_each_row() {
        let mut answers = PrintedAnswers::default();
        for extracted in ["", "8", "16", "8", "16", "16"].repeat(2) {
            answers.read(&printed(extracted));
        }
        let mut run_of_loss = run(&["Training Loss"], 4);
        answers.add_to(&mut run_of_loss);
        assert_eq!(run_of_loss.columns[ACCURACY].values(), [1.0 / 3.0, 2.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0]);
        assert_eq!(run_of_loss.columns[EXTRACTED].values(), [2.0 / 3.0, 1.0, 2.0 / 3.0, 1.0]);
        let mut rewarded = run(&["Training Loss", "reward"], 4);
        answers.add_to(&mut rewarded);
        assert!(!rewarded.columns.contains_key(ACCURACY));
        let mut long = run(&["Training Loss"], 13);
        answers.add_to(&mut long);
        assert!(!long.columns.contains_key(ACCURACY), "fewer answers than rows");
    }
}
