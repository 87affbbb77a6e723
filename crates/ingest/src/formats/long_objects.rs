//! JSON objects of one value each, such as `{"step": 1, "metric": "loss", "value": 0.5}`.

use super::by_run::{is_id_key, is_run_key};
use crate::rows::labels::is_label_name;
use crate::rows::long_rows::{LongRows, METRIC_COLUMNS, RunKey, VALUE_COLUMNS};
use crate::rows::names::{
    CONFIG_KEYS, evaluation, evaluation_name, is_count_name, is_kind_key, is_one_of, is_sample_key, is_step_name,
    is_time_name,
};
use crate::syntax::json::{Scanner, Token, is_blank, nonfinite_word, number, plain_number};
use crate::syntax::python::called_number;
use crate::time::any_seconds;

/// Names of further numbers that are no metric.
const NUMBERS: [&str; 2] = ["id", "rank"];

/// A value of a metric at a step.
#[derive(Debug, Default)]
pub(super) struct LongObject {
    run: RunKey,
    /// The run is named by its id.
    pub(super) is_id: bool,
    metric: String,
    /// Place of its name among [`METRIC_COLUMNS`].
    metric_place: Option<usize>,
    step: Option<f64>,
    time: Option<f64>,
    /// The inner one is `None` where the metric has no value at this step.
    value: Option<Option<f64>>,
    prefix: &'static str,
}

impl LongObject {
    /// The value of an object; `None` for any other object: one with several metrics, with no step, or of a sample.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        memchr::memmem::find(bytes, b"alue\"")?;
        let mut scanner = Scanner::new(bytes);
        if scanner.next().ok()? != Some(Token::ObjectStart) {
            return None;
        }
        let mut object = Self::default();
        while let Some(Token::Key(key)) = scanner.next().ok()? {
            let key = key.into_owned();
            let value = scanner.next().ok()??;
            if !object.add(&key, value) {
                return None;
            }
        }
        if !object.run.named.is_empty() {
            object.run.labels.clear();
        }
        let has_all = object.step.is_some() && object.value.is_some() && !object.metric.is_empty();
        (has_all && scanner.rest().iter().all(|byte| is_blank(*byte))).then_some(object)
    }

    /// Adds its value to the points of its run.
    pub(super) fn add_to(&self, points: &mut LongRows) {
        if let (Some(Some(value)), Some(step)) = (self.value, self.step) {
            let metric = evaluation_name(&self.metric, self.prefix);
            points.push(&self.run, &metric, step, self.time.unwrap_or(f64::NAN), value);
        }
    }

    /// Takes a member. False where the object is another one.
    fn add(&mut self, key: &str, value: Token<'_>) -> bool {
        let is_value = is_one_of(key, &VALUE_COLUMNS);
        match value {
            Token::Text(text) => return self.add_text(key, &text),
            Token::Number(text) if is_value => self.value = Some(Some(number(text))),
            Token::Number(text) => return self.add_number(key, text),
            Token::Null if is_value => self.value = self.value.or(Some(None)),
            Token::Bool(_) | Token::Null => return !is_value,
            _ => return false,
        }
        true
    }

    fn add_text(&mut self, key: &str, text: &str) -> bool {
        let place = METRIC_COLUMNS.iter().position(|known| known.eq_ignore_ascii_case(key));
        if let Some(place) = place {
            if self.metric_place.is_none_or(|known| place < known) {
                (self.metric, self.metric_place) = (text.to_owned(), Some(place));
            }
        } else if is_one_of(key, &VALUE_COLUMNS) {
            let value = nonfinite_word(text).or_else(|| plain_number(text.as_bytes())).or_else(|| called_number(text));
            self.value = Some(value);
            return value.is_some();
        } else if is_step_name(key) {
            self.step = self.step.or_else(|| plain_number(text.as_bytes()));
        } else if is_time_name(key) {
            self.time = self.time.or_else(|| any_seconds(text));
        } else if !self.add_run(key, text) {
            self.prefix = evaluation(text).filter(|_| is_kind_key(key)).unwrap_or(self.prefix);
            let is_config = is_kind_key(key) && CONFIG_KEYS.contains(&text);
            return !is_config && !is_sample_key(key);
        }
        true
    }

    fn add_number(&mut self, key: &str, text: &str) -> bool {
        if is_step_name(key) {
            self.step = self.step.or(Some(number(text)).filter(|step| step.is_finite()));
            return true;
        }
        if is_time_name(key) {
            self.time = self.time.or_else(|| any_seconds(text));
            return true;
        }
        self.add_run(key, text) || is_count_name(key) || is_one_of(key, &NUMBERS) || key.starts_with('_')
    }

    /// Takes a member that says of which run the value is; false for any other.
    fn add_run(&mut self, key: &str, text: &str) -> bool {
        if is_run_key(key) {
            if self.run.named.is_empty() || is_id_key(key) {
                text.clone_into(&mut self.run.named);
                self.is_id = is_id_key(key);
            }
            return true;
        }
        let is_label = is_label_name(key);
        if is_label && !text.is_empty() {
            self.run.labels.push((key.to_owned(), text.to_owned()));
        }
        is_label
    }
}
