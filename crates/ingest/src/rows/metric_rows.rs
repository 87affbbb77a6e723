//! Rows of metrics, as JSON Lines, JSON documents and tables hold them: names, values, and somewhere a step.

mod config;
mod last_event;

use std::borrow::Cow;

use super::columns::{ColumnsByName, LEFT_OUT};
use super::count_texts::CountTexts;
use super::labels::{RowLabel, RowLabels};
use super::media::RowMedia;
use super::metric_words;
use super::names::{
    CONFIG_KEYS, SAMPLE_KEYS, WRAPPERS, evaluation, evaluation_flag, evaluation_name, is_answer_key, is_kind_key,
    is_question_key, is_step_name, is_time_name, written_number,
};
use super::read_progress::ReadProgress;
use super::reward_group;
use super::settle::{progress_in_text, settle};
use crate::budget::{MemoryUse, ROW_BYTES};
use crate::syntax::json::{Json, JsonError, Scanner, Token, flatten_into, nonfinite_word, number};
use crate::time::{iso_seconds, unix_seconds};
use last_event::LastEvent;
use rundown_run::Run;

/// Collects rows into a run.
#[derive(Debug, Default)]
pub(crate) struct MetricRows {
    columns: ColumnsByName,
    progress: ReadProgress,
    row_steps: Vec<f64>,
    row_times: Vec<f64>,
    config: Json,
    row: RowBuffer,
    counts: CountTexts,
    labels: RowLabels,
    media: RowMedia,
    /// Rows that hold texts of samples.
    samples: u64,
    /// `_step` was seen.
    has_counter: bool,
    /// Name of the metric that was read from lists of rewards.
    reward_list: Option<String>,
    last_event: LastEvent,
}

/// The row that is being read.
#[derive(Debug, Default)]
struct RowBuffer {
    numbers: Vec<(usize, f64)>,
    /// Shares that texts count, by name.
    shares: Vec<(String, f64)>,
    labels: Vec<RowLabel>,
    step: Option<f64>,
    time: Option<f64>,
    prefix: Option<&'static str>,
    is_config: bool,
    is_end: bool,
    has_sample: bool,
    has_question: bool,
    has_answer: bool,
    has_media: bool,
}

impl MetricRows {
    /// Number of rows so far.
    pub(crate) fn len(&self) -> usize {
        self.row_steps.len()
    }

    /// What the rows take, and what was left out.
    pub(crate) fn memory_use(&self) -> MemoryUse {
        let rows = MemoryUse { bytes: self.len() as u64 * ROW_BYTES, left_out: 0 };
        self.columns.memory_use() + rows + self.media.memory_use() + self.counts.memory_use() + self.labels.memory_use()
    }

    /// Says how far the file has been read.
    pub(crate) fn set_progress(&mut self, progress: ReadProgress) {
        self.progress = progress;
        self.columns.set_progress(progress);
    }

    /// True when most rows are samples (prompts and completions) and no metrics.
    pub(crate) fn are_samples(&self) -> bool {
        self.samples * 2 > self.len() as u64
    }

    /// True when some row names its step.
    pub(crate) fn has_step(&self) -> bool {
        self.has_counter || self.columns.names().any(is_step_name)
    }

    /// Adds a number to the row that is being read.
    pub(crate) fn number(&mut self, key: &str, value: f64) {
        let seconds = unix_seconds(value);
        // Nearly all numbers are metrics: the other comparisons are spared.
        if seconds.is_none() && !key.starts_with('_') {
            return self.metric(key, value);
        }
        match key {
            "_step" => {
                self.has_counter = true;
                self.row.step = Some(value);
            }
            "_runtime" => {}
            _ if seconds.is_some() && is_time_name(key) => self.row.time = seconds,
            _ if key.starts_with("_wandb") => {}
            _ => self.metric(key, value),
        }
    }

    /// Index of a metric's column ([`is_metric_name`](super::names::is_metric_name)), which is made when it is new.
    pub(crate) fn column(&mut self, key: &str) -> usize {
        self.columns.named(key)
    }

    /// Adds a number of the column with this index to the row that is being read.
    pub(crate) fn number_of(&mut self, column: usize, value: f64) {
        self.row.numbers.push((column, value));
    }

    /// Adds a number of the column with this index to a row that has ended.
    pub(crate) fn number_of_earlier(&mut self, row: u32, column: usize, value: f64) {
        self.columns.push_earlier(column, row, value);
    }

    /// Adds numbers with the indices of their columns to the row that is being read, and leaves their list empty.
    pub(crate) fn numbers_of(&mut self, numbers: &mut Vec<(usize, f64)>) {
        if self.row.numbers.is_empty() {
            std::mem::swap(&mut self.row.numbers, numbers);
        } else {
            self.row.numbers.append(numbers);
        }
    }

    fn metric(&mut self, key: &str, value: f64) {
        let column = self.column(key);
        self.number_of(column, value);
    }

    /// Adds a text to the row that is being read: what kind of row it is, of which run it is, or when it was written.
    pub(crate) fn text_cell(&mut self, key: &str, text: &str) {
        self.row.labels.extend(self.labels.label(key, text));
        if is_kind_key(key) {
            self.row.prefix = evaluation(text).or(self.row.prefix);
        } else {
            self.time_of(key, text);
        }
    }

    /// Says when the row that is being read was written, in Unix seconds, unless a value of it says so itself.
    pub(crate) fn time(&mut self, seconds: Option<f64>) {
        self.row.time = self.row.time.or(seconds);
    }

    /// True when the row that is being read holds a number.
    pub(crate) fn is_open(&self) -> bool {
        !self.row.numbers.is_empty()
    }

    /// Ends the row that is being read. A row without a metric is dropped.
    pub(crate) fn end_row(&mut self) {
        let mut row = std::mem::take(&mut self.row);
        self.last_event.add(row.is_end);
        if (!row.numbers.is_empty() || row.has_media) && !row.is_config {
            let number = self.row_steps.len() as u32;
            let next = self.row_steps.last().map_or(0.0, |step| step + 1.0);
            self.progress.make_room_in(&mut self.row_steps);
            self.progress.make_room_in(&mut self.row_times);
            self.row_steps.push(row.step.filter(|step| step.is_finite()).unwrap_or(next));
            self.row_times.push(row.time.unwrap_or(f64::NAN));
            let is_sample = row.has_sample || (row.has_question && row.has_answer);
            self.samples += u64::from(is_sample && !self.is_of_update(&row));
            self.labels.push(number, &row.labels);
            if let Some(prefix) = row.prefix {
                self.prefix(&mut row.numbers, prefix);
            }
            for (name, share) in &row.shares {
                self.counts.push(name, row.prefix, number, *share);
            }
            // Backwards: of a key that stands twice the last value counts, and the first one pushed is kept.
            for (column, value) in row.numbers.iter().rev() {
                self.columns.push(*column, number, *value);
            }
        }
        row.numbers.clear();
        self.row = RowBuffer { numbers: row.numbers, ..RowBuffer::default() };
    }

    /// True for a row of a step with metrics of its update: samples may stand beside them.
    fn is_of_update(&self, row: &RowBuffer) -> bool {
        let mut names = row.numbers.iter().map(|(column, _)| self.columns.name(*column));
        names.clone().any(is_step_name) && names.any(metric_words::is_of_update)
    }

    /// Reads one JSON object as a row, or as settings when it is that. A value that is no object is nothing.
    pub(crate) fn json_row(&mut self, bytes: &[u8]) -> Result<(), JsonError> {
        let mut scanner = Scanner::new(bytes);
        let read = match scanner.next() {
            Ok(Some(Token::ObjectStart)) => self.object(&mut scanner, &mut String::new()),
            // No row; but it may be damaged.
            Ok(_) => scanner.read_all(),
            Err(error) => Err(error),
        };
        let rest = scanner.rest();
        let read = match rest.iter().position(|byte| !crate::syntax::json::is_blank(*byte)) {
            Some(place) if read.is_ok() => {
                Err(JsonError { at: bytes.len() - rest.len() + place, what: "something follows the object" })
            }
            _ => read,
        };
        if read.is_err() {
            self.row = RowBuffer::default();
            return read;
        }
        let has_step = |row: &RowBuffer| row.numbers.iter().any(|(column, _)| is_step_name(self.columns.name(*column)));
        if self.row.is_config && !has_step(&self.row) {
            self.add_config(Json::parse(bytes)?);
        } else {
            // Settings that stand in every row are those of the first.
            if self.row.is_config && self.config == Json::Null {
                self.add_config_of_row(Json::parse(bytes)?);
            }
            self.row.is_config = false;
            self.row.has_media = self.media.add(bytes, self.row_steps.len() as u32);
        }
        self.end_row();
        Ok(())
    }

    /// Adds settings.
    pub(crate) fn setting(&mut self, key: &str, value: Json) {
        self.config.set(&[key.to_owned()], value);
    }

    /// Takes the settings out, so that other runs can have them as well.
    pub(crate) fn take_settings(&mut self) -> Json {
        std::mem::take(&mut self.config)
    }

    /// The run, with its step column under a name that [`Run::choose_axis`] knows.
    pub(crate) fn finish(self) -> Run {
        let has_counter = self.has_counter;
        let mut run = self.into_run();
        settle(&mut run, has_counter);
        run
    }

    /// The runs that labels of the rows tell apart, mostly one.
    pub(crate) fn finish_runs(mut self) -> Vec<Run> {
        let (labels, has_counter) = (std::mem::take(&mut self.labels), self.has_counter);
        let mut runs = labels.split(self.into_run());
        runs.iter_mut().for_each(|run| settle(run, has_counter));
        runs
    }

    fn into_run(self) -> Run {
        let mut run = Run { row_steps: self.row_steps, row_times: self.row_times, ..Run::default() };
        flatten_into(&mut run.config, "", self.config);
        self.last_event.note(&mut run);
        self.labels.note_settings(&mut run);
        run.columns = self.columns.into_map();
        self.counts.fill(&mut run);
        self.media.fill(&mut run);
        // The mean over a batch says more than that of one group.
        if let Some(list) = self.reward_list.filter(|_| run.columns.keys().any(|key| metric_words::is_mean_reward(key)))
        {
            run.columns.remove(&list);
        }
        run
    }

    /// Reads the members of an object whose start has been read.
    fn object(&mut self, scanner: &mut Scanner<'_>, path: &mut String) -> Result<(), JsonError> {
        let numbers_before = self.row.numbers.len();
        let length = path.len();
        let is_outermost = path.is_empty();
        let mut is_media = false;
        while let Some(Token::Key(key)) = scanner.next()? {
            let Some(value) = scanner.next()? else { break };
            if !is_outermost {
                path.push('.');
            }
            let is_wrapper = is_outermost && WRAPPERS.contains(&key.as_ref());
            if !(is_wrapper && value == Token::ObjectStart) {
                path.push_str(&key);
            }
            match value {
                Token::ObjectStart if is_outermost && CONFIG_KEYS.contains(&key.as_ref()) => {
                    self.row.is_config = true;
                    scanner.skip_rest()?;
                }
                Token::ObjectStart => self.object(scanner, path)?,
                Token::ArrayStart if is_outermost && reward_group::is_group(&key) => self.rewards(scanner, path)?,
                Token::ArrayStart => {
                    self.row.has_sample |= SAMPLE_KEYS.contains(&key.as_ref());
                    scanner.skip_rest()?;
                }
                Token::Number(text) => self.number(path, number(text)),
                Token::Bool(value) if is_outermost && let Some(prefix) = evaluation_flag(&key) => {
                    self.row.prefix = value.then_some(prefix).or(self.row.prefix);
                }
                Token::Bool(value) => self.number(path, f64::from(u8::from(value))),
                Token::Text(text) => {
                    is_media |= key == "_type";
                    self.text(path, &text, is_outermost);
                }
                _ => {}
            }
            path.truncate(length);
        }
        if is_media {
            self.row.numbers.truncate(numbers_before);
        }
        Ok(())
    }

    /// Reads a list whose start has been read: of plain numbers, the rewards of a group.
    fn rewards(&mut self, scanner: &mut Scanner<'_>, path: &str) -> Result<(), JsonError> {
        let mut values = Vec::new();
        let mut is_plain = true;
        loop {
            match scanner.next()? {
                None | Some(Token::ArrayEnd) => break,
                Some(Token::Number(text)) => values.push(number(text)),
                Some(Token::ObjectStart | Token::ArrayStart) => {
                    is_plain = false;
                    scanner.skip_rest()?;
                }
                Some(_) => is_plain = false,
            }
        }
        if let Some((mean, spread)) = reward_group::mean_and_spread(&values).filter(|_| is_plain) {
            self.number(path, mean);
            self.number(reward_group::SPREAD, spread);
            self.reward_list.get_or_insert_with(|| path.to_owned());
        }
        Ok(())
    }

    fn text(&mut self, key: &str, text: &str, is_outermost: bool) {
        if is_outermost && let Some(numbers) = progress_in_text(key, text) {
            numbers.into_iter().for_each(|(name, value)| self.number(name, value));
        } else if let Some(value) = nonfinite_word(text).or_else(|| written_number(key, text)) {
            self.number(key, value);
        } else if let Some(share) = self.counts.share(key, text) {
            self.row.shares.push((key.to_owned(), share));
        }
        if !is_outermost {
            return;
        }
        self.row.labels.extend(self.labels.label(key, text));
        if is_kind_key(key) {
            self.row.is_config |= CONFIG_KEYS.contains(&text);
            self.row.is_end |= last_event::is_end(text);
            // Another text of the row may say of what else it is.
            self.row.prefix = evaluation(text).or(self.row.prefix);
        }
        self.time_of(key, text);
        self.row.has_sample |= SAMPLE_KEYS.contains(&key);
        self.row.has_question |= is_question_key(key);
        self.row.has_answer |= is_answer_key(key);
    }

    fn time_of(&mut self, key: &str, text: &str) {
        if is_time_name(key)
            && let Some(seconds) = iso_seconds(text)
        {
            self.row.time = Some(seconds);
        }
    }

    /// Moves the metrics of an evaluation row under their own names.
    fn prefix(&mut self, numbers: &mut [(usize, f64)], prefix: &'static str) {
        for (column, _) in numbers.iter_mut().filter(|(column, _)| *column != LEFT_OUT) {
            if let Cow::Owned(name) = evaluation_name(self.columns.name(*column), prefix) {
                *column = self.columns.named(&name);
            }
        }
    }
}

#[cfg(test)]
mod tests;
