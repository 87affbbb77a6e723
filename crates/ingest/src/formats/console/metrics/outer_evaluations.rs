//! Evaluations of the untrained and of the trained policy: a script prints `Accuracy: 43.33% (13/30)` once before and once behind the
//! rows of its training.
//!
//! Each word of such a line has to be known, so that prose and results of samples are left alone. A line that comes between rows as
//! well, often, or with two values on one side is not read; nor is any where rows have an evaluation of their own.

use std::collections::{BTreeMap, BTreeSet};

use crate::formats::console::labelled::numbers;
use crate::rows::metric_words;
use crate::rows::names::is_of_evaluation;
use rundown_run::{Column, Run};

/// Longest line that is looked at, in bytes.
const MAX_LINE: usize = 160;
/// Lines on one side of the training at most: more are of samples.
const MAX_LINES: usize = 3;
/// Fewest tasks of an evaluation: fewer are the responses to one prompt.
const MIN_TASKS: f64 = 10.0;
/// What two prints of one share differ by at most: one may be in whole per cent.
const ROUNDING: f64 = 0.006;
/// What the number of tasks is called.
const TASKS: &str = "eval/num_examples";

/// Words of a label, lower case: of the policy before and behind its training, of an evaluation, and of sets of tasks and others.
const UNTRAINED: [&str; 6] = ["base", "baseline", "before", "initial", "pre", "untrained"];
const TRAINED: [&str; 4] = ["after", "final", "post", "trained"];
const EVALUATIONS: [&str; 9] = ["eval", "evaluation", "heldout", "held", "holdout", "out", "test", "val", "validation"];
const NEUTRAL: [&str; 19] = [
    "aime", "amc", "average", "countdown", "gsm8k", "info", "main", "math", "math500", "mean", "mmlu", "model", "on",
    "overall", "policy", "results", "set", "the", "total",
];
/// What a policy is before or after.
const TRAININGS: [&str; 4] = ["finetuning", "grpo", "rl", "training"];
/// What has a rate.
const RATED: [&str; 3] = ["pass", "solve", "success"];
/// Words behind a result; the first ones say what was counted.
const SOLVED: [&str; 4] = ["accuracy", "correct", "passed", "solved"];
const COUNTED: [&str; 5] = ["examples", "of", "problems", "questions", "tasks"];
/// Words of what rows with an evaluation of their own measure.
const MEASURED: [&str; 6] = ["acc", "accuracy", "correct", "pass", "solve", "success"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Policy {
    Untrained,
    Trained,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Printed {
    share: f64,
    tasks: Option<f64>,
}

/// The lines of one metric.
#[derive(Debug, Default)]
struct Lines {
    untrained: Vec<Printed>,
    trained: Vec<Printed>,
    /// Rows before the last line that stands behind any.
    behind: Option<usize>,
    /// A line stands between rows, or says that the training was over before its first row.
    is_within: bool,
    /// Names of the numbers of these lines, as they may be read as parts of rows.
    labels: Vec<String>,
}

/// Reads the lines around the rows of a training.
#[derive(Debug, Default)]
pub(crate) struct OuterEvaluations {
    rows: usize,
    found: BTreeMap<String, Lines>,
}

impl OuterEvaluations {
    /// Notes a row of the training, or all of them.
    pub(crate) fn row(&mut self) {
        self.rows += 1;
    }

    /// True where so many rows were noted that the lines stand around the rows of this run.
    pub(crate) fn stand_around(&self, run: &Run) -> bool {
        self.rows * 2 >= run.row_steps.len()
    }

    /// Adds another line; true where it tells an evaluation.
    pub(crate) fn add(&mut self, text: &str) -> bool {
        let Some((key, policy, printed)) = evaluation(text) else { return false };
        let rows = self.rows;
        let lines = self.found.entry(key).or_default();
        lines.is_within |= lines.behind.is_some_and(|behind| behind != rows);
        lines.is_within |= rows == 0 && policy == Some(Policy::Trained);
        lines.behind = Some(rows).filter(|rows| *rows > 0);
        let side = match policy {
            Some(Policy::Untrained) => &mut lines.untrained,
            None if rows == 0 => &mut lines.untrained,
            _ => &mut lines.trained,
        };
        if side.len() <= MAX_LINES {
            side.push(printed);
            lines.labels.extend(numbers(text).into_iter().map(|number| number.name.to_owned()));
        }
        true
    }

    /// Adds the evaluations to the first and to the last row: a row of their own would be a step that the trainer did not print.
    pub(crate) fn add_to(&self, run: &mut Run) {
        let found: Vec<(&String, &Lines)> = self.found.iter().filter(|(_, lines)| lines.are_clear(self.rows)).collect();
        // What was read of these lines as parts of rows is theirs.
        let is_theirs = |key: &String, column: &Column| {
            found.iter().any(|(_, lines)| lines.len() >= column.len() && lines.labels.contains(key))
        };
        let measured = run.columns.iter().any(|(key, column)| is_measured(key) && !is_theirs(key, column));
        let Some(last) = run.row_steps.len().checked_sub(1) else { return };
        if found.is_empty() || self.rows == 0 || measured || !run.starts_at.is_empty() {
            return;
        }
        run.columns.retain(|key, column| !is_theirs(key, column));
        let all = || found.iter().flat_map(|(_, lines)| lines.untrained.iter().chain(&lines.trained));
        let tasks = all().find_map(|printed| printed.tasks);
        let tasks = tasks.filter(|tasks| all().all(|printed| printed.tasks.is_none_or(|other| other == *tasks)));
        let mut rows = BTreeSet::new();
        for (key, lines) in found {
            for (row, printed) in [(0, one(&lines.untrained)), (last as u32, one(&lines.trained))] {
                if let Some(printed) = printed {
                    run.push_value(key, row, printed.share);
                    rows.insert(row);
                }
            }
        }
        if let Some(tasks) = tasks {
            rows.into_iter().for_each(|row| run.push_value(TASKS, row, tasks));
        }
    }
}

impl Lines {
    fn len(&self) -> usize {
        self.untrained.len() + self.trained.len()
    }

    /// True where none stands between the rows, of which there are so many, and each side has one value at most.
    fn are_clear(&self, rows: usize) -> bool {
        let is_clear = |side: &[Printed]| side.is_empty() || one(side).is_some();
        let is_outside = !self.is_within && self.behind.is_none_or(|behind| behind == rows);
        is_outside && is_clear(&self.untrained) && is_clear(&self.trained)
    }
}

/// The value that all of these lines print, rather with its tasks.
fn one(side: &[Printed]) -> Option<Printed> {
    let best = side.iter().find(|printed| printed.tasks.is_some()).or(side.first())?;
    let agree = side.iter().all(|printed| (printed.share - best.share).abs() <= ROUNDING);
    (agree && side.len() <= MAX_LINES).then_some(*best)
}

/// True for the name of an evaluation, or of an accuracy that is no reward.
fn is_measured(key: &str) -> bool {
    let is_word = |word: &str| MEASURED.iter().any(|known| known.eq_ignore_ascii_case(word));
    let words = || key.split(|letter: char| !letter.is_ascii_alphanumeric());
    is_of_evaluation(key) || (!metric_words::is_reward(key) && words().any(is_word))
}

/// The key of an evaluation, which policy it says it is of, and its result.
fn evaluation(text: &str) -> Option<(String, Option<Policy>, Printed)> {
    if text.len() > MAX_LINE {
        return None;
    }
    text.match_indices([':', '=']).find_map(|(at, _)| {
        let value = text.get(at + 1..)?.trim_start();
        let is_number = value.starts_with(|first: char| first.is_ascii_digit() || first == '.');
        let (name, policy) = name(text.get(..at).filter(|_| is_number)?)?;
        let (printed, says_solved) = result(value)?;
        // `Initial eval: 118/150 correct`
        let name = if name.is_empty() && says_solved { "accuracy".to_owned() } else { name };
        (!name.is_empty()).then(|| (format!("eval/{name}"), policy, printed))
    })
}

/// The name of a score in a label, without the words that say of which policy; empty for that of an evaluation alone.
fn name(label: &str) -> Option<(String, Option<Policy>)> {
    let lower = label.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let (mut score, mut policy, mut is_evaluation, mut last) = (None, None, false, "");
    // The time stands in front.
    for word in words.skip_while(|word| word.starts_with(|first: char| first.is_ascii_digit())) {
        let of = match word {
            _ if UNTRAINED.contains(&word) => Some(Policy::Untrained),
            _ if TRAINED.contains(&word) => Some(Policy::Trained),
            _ => None,
        };
        match word {
            // `before and after` is of both.
            _ if of.is_some() && policy.is_some() && policy != of => return None,
            _ if of.is_some() => policy = of,
            "acc" | "accuracy" | "correct" => score = Some("accuracy".to_owned()),
            "rate" if RATED.contains(&last) => score = Some(format!("{last}_rate")),
            _ if RATED.contains(&word) => {}
            _ if TRAININGS.contains(&word) && ["before", "after", "pre", "post"].contains(&last) => {}
            _ if EVALUATIONS.contains(&word) => is_evaluation = true,
            _ if NEUTRAL.contains(&word) => {}
            _ => return None,
        }
        last = word;
    }
    Some((score.or_else(|| (is_evaluation && !RATED.contains(&last)).then(String::new))?, policy))
}

/// The share that a text of numbers and known words tells, and whether it says that it is of what was solved.
fn result(text: &str) -> Option<(Printed, bool)> {
    let text = text.replace(" / ", "/").replace(" %", "%").to_lowercase();
    let (mut shares, mut tasks, mut says_solved) = (Vec::new(), None, false);
    for word in text.split(|letter: char| letter.is_whitespace() || "()[]=,:*".contains(letter)) {
        let word = word.trim_end_matches('.');
        let number = |text: &str| text.parse::<f64>().ok();
        if let Some((count, total)) = word.split_once('/') {
            let (count, total) = (number(count)?, number(total).filter(|total| *total >= MIN_TASKS)?);
            tasks = Some(total).filter(|_| tasks.is_none());
            shares.insert(0, count / total);
        } else if let Some(percent) = word.strip_suffix('%') {
            shares.push(number(percent)? / 100.0);
        } else if word.contains('.') {
            shares.push(number(word)?);
        } else if SOLVED.contains(&word) {
            says_solved = true;
        } else if !word.is_empty() && !COUNTED.contains(&word) {
            return None;
        }
    }
    let share = shares.first().copied()?;
    let agree = shares.iter().all(|other| (0.0..=1.0).contains(other) && (other - share).abs() <= ROUNDING);
    agree.then_some((Printed { share, tasks }, says_solved))
}

#[cfg(test)]
mod tests;
