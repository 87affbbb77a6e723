//! Dictionaries that the Hugging Face Trainer prints: `{'loss': 0.01, 'reward': 1.2, 'epoch': 0.02}`.
//!
//! They hold no step. The Trainer prints each beside a progress bar, whose states are remembered with the rows; what
//! steps they give is decided at the end (see [`steps`]). transformers 5 prints numbers as strings of four digits.

mod steps;

use crate::budget::Kept;
use std::collections::BTreeMap;

use super::progress::bars;
use crate::rows::metric_rows::MetricRows;
use crate::rows::names::is_step_name;
use crate::syntax::json::Json;
use crate::syntax::python;
use rundown_run::{Column, Run};

use steps::{Bars, Hint, RowKind};

/// Keys of which one makes a dictionary of numbers a row of metrics.
const ROW_KEYS: [&str; 10] = [
    "epoch",
    "step",
    "_step",
    "global_step",
    "train/global_step",
    "training/global_step",
    "iteration",
    "loss",
    "train_loss",
    "train_runtime",
];
/// Last words of keys that only metrics of a training have: a dictionary with several of them is a row.
const METRIC_WORDS: [&str; 14] = [
    "advantages",
    "clipfrac",
    "entropy",
    "grad_norm",
    "kl",
    "loss",
    "pg_loss",
    "ppo_kl",
    "raw_reward",
    "response_lengths",
    "returns",
    "reward",
    "rewards",
    "value_loss",
];
/// Fewest of them.
const ENOUGH_METRICS: usize = 3;
/// Keys of the Trainer's last line that sum up the training; metrics beside them are those of its last steps.
const TOTALS: [&str; 6] = [
    "train_runtime",
    "train_samples_per_second",
    "train_steps_per_second",
    "train_tokens_per_second",
    "train_loss",
    "total_flos",
];
/// Nesting of metrics within a row that is looked at.
const MAX_DEPTH: usize = 4;

/// Collects the dictionaries of a log.
#[derive(Debug, Default)]
pub(crate) struct Dicts {
    rows: MetricRows,
    hints: Vec<Hint>,
    bars: Bars,
    totals: BTreeMap<String, Json>,
    closings: u32,
}

impl Dicts {
    /// Rows so far.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// What the rows take.
    pub(super) fn kept(&self) -> Kept {
        self.rows.kept() + Kept::bytes(self.hints.len() * size_of::<Hint>())
    }

    /// How often the Trainer summed up a training.
    pub(crate) fn closings(&self) -> u32 {
        self.closings
    }

    /// Reads bars and dictionaries of a segment in their order; true when one of them was a row.
    pub(crate) fn take(&mut self, segment: &str) -> bool {
        let rows = self.hints.len();
        let mut rest = segment;
        while let Some(start) = next_dict(rest) {
            let (before, dict) = rest.split_at_checked(start).unwrap_or((rest, ""));
            self.bars.take(bars(before));
            let length = match python::parse_prefix(dict) {
                Ok((Json::Object(members), length)) => {
                    self.dict(members, counter_before(before));
                    length
                }
                Ok((_, length)) | Err(length) => length,
            };
            rest = dict.get(length..).unwrap_or("");
        }
        self.bars.take(bars(rest));
        self.hints.len() > rows
    }

    /// Adds rows and totals to a run. `every` is the number of steps from one row to the next, and `planned` that of all
    /// steps, where settings say them.
    pub(crate) fn finish(self, every: Option<f64>, planned: Option<f64>) -> Run {
        // Only a training that came to its end took the steps that were planned.
        let planned = planned.filter(|_| self.closings == 1);
        let every = every.or_else(|| steps::distance(&self.hints, &self.bars, planned?));
        let has_step = self.rows.has_step();
        let mut run = self.rows.finish();
        for (key, value) in self.totals {
            run.summary.insert(key, value.into_config_value());
        }
        if !has_step && !self.hints.is_empty() {
            let (steps, warning) = steps::steps(&self.hints, &self.bars, every);
            let mut column = Column::default();
            steps.into_iter().enumerate().for_each(|(row, step)| column.push(row as u32, step));
            run.columns.insert("step".to_owned(), column);
            run.warnings.extend(warning);
        }
        run
    }

    /// Adds a dictionary that is a row; `counter` is the step that stands before it.
    fn dict(&mut self, members: BTreeMap<String, Json>, counter: Option<f64>) {
        let mut numbers = Vec::new();
        let mut others = 0;
        let mut has_totals = false;
        for (key, value) in &members {
            has_totals |= key == "train_runtime";
            collect(key, value, 0, &mut numbers, &mut others);
        }
        let is_row = ROW_KEYS.iter().any(|key| members.contains_key(*key))
            || members.contains_key("eval_loss")
            || numbers.iter().filter(|(key, _)| is_metric_word(key)).count() >= ENOUGH_METRICS;
        if !is_row || numbers.is_empty() || others > numbers.len() || (numbers.len() < 2 && !has_totals) {
            return;
        }
        if has_totals {
            self.closings += 1;
            for (key, value) in members.iter().filter(|(key, _)| TOTALS.contains(&key.as_str())) {
                let number = scalar(value).map_or_else(|| value.clone(), Json::Number);
                self.totals.insert(key.clone(), number);
            }
            numbers.retain(|(key, _)| !TOTALS.contains(&key.as_str()));
            if numbers.iter().all(|(key, _)| key == "epoch") {
                return;
            }
        }
        let kind = match numbers.iter().any(|(key, _)| key.starts_with("eval_") || key.starts_with("test_")) {
            _ if has_totals => RowKind::Last,
            true => RowKind::Evaluation,
            false => RowKind::Training,
        };
        if let Some(counter) = counter.filter(|_| !numbers.iter().any(|(key, _)| is_step_name(key))) {
            self.rows.number("step", counter);
        }
        for (key, value) in &numbers {
            self.rows.number(key, *value);
        }
        let before = self.rows.len();
        self.rows.end_row();
        if self.rows.len() > before {
            self.hints.push(self.bars.hint(kind));
        }
    }
}

/// True for a key whose last word names a metric of a training.
fn is_metric_word(key: &str) -> bool {
    let last = key.rsplit(['/', '.']).next().unwrap_or(key);
    METRIC_WORDS.iter().any(|word| word.eq_ignore_ascii_case(last))
}

/// The number in `rollout 12: {…}` and `step 12: {…}` (slime).
fn counter_before(text: &str) -> Option<f64> {
    let text = text.trim_end().strip_suffix(':')?;
    let (words, digits) = text.rsplit_once(' ')?;
    let name = words.rsplit([' ', '\t', ']']).next().unwrap_or(words);
    let is_counter = is_step_name(name) || name.eq_ignore_ascii_case("rollout");
    let is_whole = !digits.is_empty() && digits.len() < 16 && digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_counter && is_whole).then(|| digits.parse().ok())?
}

/// Where the next dictionary with text keys starts.
fn next_dict(text: &str) -> Option<usize> {
    memchr::memchr_iter(b'{', text.as_bytes()).find(|at| matches!(text.as_bytes().get(at + 1), Some(b'\'' | b'"')))
}

/// A number, also when it is printed as a string.
fn scalar(value: &Json) -> Option<f64> {
    value.metric().or_else(|| value.text().and_then(python::number))
}

fn collect(key: &str, value: &Json, depth: usize, numbers: &mut Vec<(String, f64)>, others: &mut usize) {
    match (value, scalar(value)) {
        (_, Some(number)) => numbers.push((key.to_owned(), number)),
        (Json::Object(inner), _) if depth < MAX_DEPTH => {
            for (name, value) in inner {
                // `{"step": 1, "data": {…}}`: a wrapper is no part of the name.
                let is_wrapper = depth == 0 && matches!(key, "data" | "metrics" | "logs");
                let name = if is_wrapper { name.clone() } else { format!("{key}.{name}") };
                collect(&name, value, depth + 1, numbers, others);
            }
        }
        (Json::Null, _) => {}
        _ => *others += 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(segments: &[&str]) -> Run {
        let mut dicts = Dicts::default();
        for segment in segments {
            dicts.take(segment);
        }
        dicts.finish(None, None)
    }

    fn values<'r>(run: &'r Run, key: &str) -> &'r [f64] {
        run.columns.get(key).map_or(&[], |column| column.values())
    }

    #[test]
    fn several_metrics_of_a_training_make_a_row_and_a_counter_stands_before_it() {
        let row = |at: u32| {
            format!("rollout {at}: {{'rollout/rewards': 0.{at}, 'rollout/advantages': 0.0, 'rollout/returns': 1.0}}")
        };
        let run = read(&[&row(4), &row(5), "[INFO] step 6: {'train/loss': 1, 'train/kl': 2, 'train/entropy': 3}"]);
        assert_eq!((values(&run, "step"), values(&run, "rollout/rewards")), (&[4.0, 5.0, 6.0][..], &[0.4, 0.5][..]));
        let settings = read(&["{'actor.lr': 1e-6, 'critic.lr': 1e-5, 'algorithm.kl': 0.1, 'entropy': 0.0}"]);
        assert_eq!(settings.row_steps.len(), 0);
    }

    #[test]
    fn rows_stand_beside_the_bar_that_tells_their_step() {
        let run = read(&[
            "Map: 100%|##| 30/30 [00:01<00:00]",
            " 10%|#  | 10/100 [00:01<00:09]{'loss': 0.5, 'kl': nan, 'epoch': 0.1} 10%|#  | 10/100 [00:01<00:09]",
            " 20%|#  | 20/100 [00:01<00:09]",
            "{'loss': '0.25', 'learning_rate': '1e-05', 'epoch': '0.2'}",
            "{'eval_loss': 0.75, 'eval_runtime': 3.0, 'epoch': 0.2}",
        ]);
        assert_eq!(values(&run, "step"), [10.0, 20.0, 20.0]);
        assert_eq!(values(&run, "loss"), [0.5, 0.25]);
        assert_eq!(run.columns["eval_loss"].rows(), [2]);
        assert!(values(&run, "kl")[0].is_nan());
        assert!(run.warnings.is_empty());
    }

    #[test]
    fn the_last_line_is_a_summary_and_the_metrics_of_the_last_steps() {
        let run = read(&[
            " 50%|#| 5/10 [a]{'loss': 1.0, 'epoch': 0.5}",
            "100%|#| 10/10 [a]{'train_runtime': 9.5, 'train_loss': 0.75, 'reward': 2.0, 'epoch': 1.0}",
        ]);
        assert_eq!((values(&run, "step"), values(&run, "reward")), (&[5.0, 10.0][..], &[2.0][..]));
        assert_eq!(run.summary.number(&["train_runtime"]), Some(("train_runtime", 9.5)));
        assert!(!run.columns.contains_key("train_loss"));
    }

    #[test]
    fn a_step_in_the_dictionary_is_the_step() {
        let run = read(&["INFO {\"step\": 7, \"metrics\": {\"loss\": 0.5}}", "x {\"step\": 9, \"loss\": 0.25}"]);
        assert_eq!((values(&run, "step"), values(&run, "loss")), (&[7.0, 9.0][..], &[0.5, 0.25][..]));
    }

    #[test]
    fn planned_steps_give_those_of_a_training_that_finished() {
        let rows = ["{'loss': 1.0, 'epoch': 0.1}"; 4];
        let read = |segments: &[&str]| {
            let mut dicts = Dicts::default();
            segments.iter().for_each(|segment| _ = dicts.take(segment));
            dicts.finish(None, Some(20.0))
        };
        let whole = read(&[&rows[..], &["{'train_runtime': 9.5, 'epoch': 0.4}"]].concat());
        assert_eq!((values(&whole, "step"), whole.warnings.len()), (&[5.0, 10.0, 15.0, 20.0][..], 0));
        assert_eq!(values(&read(&rows), "step"), [1.0, 2.0, 3.0, 4.0], "it may have been stopped");
    }

    #[test]
    fn other_dictionaries_are_no_rows() {
        for text in [
            "{'prompt': 'x', 'answer': 'y', 'step': 1}",
            "{'epoch': 1}",
            "{'lr': 0.1, 'steps': 10}",
            "{'role': 'user', 'content': '{\"loss\": 1}'}",
            "{'loss': 1, 'epoch': ",
        ] {
            assert_eq!(read(&[text]).row_steps.len(), 0, "{text}");
        }
    }
}
