//! Rows of metrics, as JSON Lines, JSON documents and tables hold them: names, values, and somewhere a step.

use super::columns::ColumnsByName;
use super::media::RowMedia;
use super::names::{
    CONFIG_KEYS, SAMPLE_KEYS, WRAPPERS, evaluation, is_kind_key, is_step_name, is_time_name, settle_step,
};
use super::sampled::{WANDB_ROWS, looks_sampled};
use crate::ingest::syntax::json::{
    Json, JsonError, Scanner, Token, flatten_into, nonfinite_word, number, plain_number,
};
use crate::ingest::time::{iso_seconds, unix_seconds};
use crate::run::{Run, Thinning};

/// Collects rows into a run.
#[derive(Debug, Default)]
pub(crate) struct MetricRows {
    columns: ColumnsByName,
    row_steps: Vec<f64>,
    row_times: Vec<f64>,
    config: Json,
    row: RowBuffer,
    media: RowMedia,
    /// Rows that hold texts of samples.
    samples: u64,
    /// `_step` was seen.
    has_counter: bool,
}

/// The row that is being read.
#[derive(Debug, Default)]
struct RowBuffer {
    numbers: Vec<(usize, f64)>,
    step: Option<f64>,
    time: Option<f64>,
    prefix: Option<&'static str>,
    is_config: bool,
    has_sample: bool,
    has_media: bool,
}

impl MetricRows {
    /// Number of rows so far.
    pub(crate) fn len(&self) -> usize {
        self.row_steps.len()
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
            _ if seconds.is_some() && is_time_name(key) => {
                self.row.time = seconds;
            }
            _ if key.starts_with("_wandb") => {}
            _ => self.metric(key, value),
        }
    }

    fn metric(&mut self, key: &str, value: f64) {
        let column = self.columns.named(key);
        self.row.numbers.push((column, value));
    }

    /// Adds a text to the row that is being read: what kind of row it is, or when it was written.
    pub(crate) fn text_cell(&mut self, key: &str, text: &str) {
        if is_kind_key(key) {
            self.row.prefix = evaluation(text);
        } else {
            self.time_of(key, text);
        }
    }

    /// True when the row that is being read holds a number.
    pub(crate) fn is_open(&self) -> bool {
        !self.row.numbers.is_empty()
    }

    /// Ends the row that is being read. A row without a metric is none.
    pub(crate) fn end_row(&mut self) {
        let mut row = std::mem::take(&mut self.row);
        if (!row.numbers.is_empty() || row.has_media) && !row.is_config {
            let number = self.row_steps.len() as u32;
            let next = self.row_steps.last().map_or(0.0, |step| step + 1.0);
            self.row_steps.push(row.step.filter(|step| step.is_finite()).unwrap_or(next));
            self.row_times.push(row.time.unwrap_or(f64::NAN));
            self.samples += u64::from(row.has_sample);
            if let Some(prefix) = row.prefix {
                self.prefix(&mut row.numbers, prefix);
            }
            // Backwards: of a key that stands twice the last value counts, and the first one pushed is kept.
            for (column, value) in row.numbers.iter().rev() {
                self.columns.push(*column, number, *value);
            }
        }
        row.numbers.clear();
        self.row = RowBuffer { numbers: row.numbers, ..RowBuffer::default() };
    }

    /// Reads one JSON object as a row, or as settings when it is that. A value that is no object is nothing.
    pub(crate) fn json_row(&mut self, bytes: &[u8]) -> Result<(), JsonError> {
        let mut scanner = Scanner::new(bytes);
        let read = match scanner.next() {
            Ok(Some(Token::ObjectStart)) => self.object(&mut scanner, &mut String::new()),
            Ok(_) => return Ok(()),
            Err(error) => Err(error),
        };
        let rest = scanner.rest();
        let read = match rest.iter().position(|byte| !crate::ingest::syntax::json::is_blank(*byte)) {
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
            self.row.is_config = false;
            let media = RowMedia::of(bytes, self.row_steps.len() as u32);
            self.row.has_media = !media.is_empty();
            self.media.append(media);
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
        let mut run = Run { row_steps: self.row_steps, row_times: self.row_times, ..Run::default() };
        flatten_into(&mut run.config, "", self.config);
        run.columns = self.columns.into_map();
        self.media.fill(&mut run);
        settle_step(&mut run, self.has_counter);
        if self.has_counter && looks_sampled(&run.row_steps, WANDB_ROWS) {
            run.note_sampling(None, Thinning::Rows);
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
                Token::ArrayStart => {
                    self.row.has_sample |= SAMPLE_KEYS.contains(&key.as_ref());
                    scanner.skip_rest()?;
                }
                Token::Number(text) => self.number(path, number(text)),
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

    fn text(&mut self, key: &str, text: &str, is_outermost: bool) {
        if let Some(value) = nonfinite_word(text).or_else(|| written_number(key, text)) {
            self.number(key, value);
        }
        if !is_outermost {
            return;
        }
        if is_kind_key(key) {
            self.row.is_config |= CONFIG_KEYS.contains(&text);
            self.row.prefix = evaluation(text);
        }
        self.time_of(key, text);
        self.row.has_sample |= SAMPLE_KEYS.contains(&key);
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
        for (column, _) in numbers {
            let name = self.columns.name(*column);
            let word = prefix.trim_end_matches('/');
            if !is_step_name(name) && !name.starts_with(word) {
                let prefixed = format!("{prefix}{name}");
                *column = self.columns.named(&prefixed);
            }
        }
    }

    /// Settings stand in an object of their own (`args`, `config`) or directly in the line.
    fn add_config(&mut self, line: Json) {
        let Json::Object(members) = line else { return };
        for (key, value) in members {
            match value {
                Json::Object(inner) if CONFIG_KEYS.contains(&key.as_str()) => {
                    for (key, value) in inner {
                        self.setting(&key, value);
                    }
                }
                Json::Text(_) if is_kind_key(&key) => {}
                value => self.setting(&key, value),
            }
        }
    }
}

/// A number that a logger wrote as text: a step, or one with a point or an exponent. Other digits may be a name.
fn written_number(key: &str, text: &str) -> Option<f64> {
    const LONGEST: usize = 32;
    let is_meant = || is_step_name(key) || text.contains(['.', 'e', 'E']);
    (text.len() <= LONGEST && is_meant()).then(|| plain_number(text.as_bytes())).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(lines: &[&str]) -> Run {
        let mut rows = MetricRows::default();
        for line in lines {
            rows.json_row(line.as_bytes()).unwrap();
        }
        rows.finish()
    }

    fn values<'r>(run: &'r Run, key: &str) -> &'r [f64] {
        run.columns.get(key).map_or(&[], |column| column.values())
    }

    #[test]
    fn nested_objects_are_dotted_and_wrappers_are_not_there() {
        let run = rows(&[
            r#"{"step": 1, "data": {"actor/kl": 0.1, "timing": {"gen": 2}}}"#,
            r#"{"step": 2, "data": {"actor/kl": NaN, "x": [1], "y": null, "z": "Infinity", "done": true}}"#,
        ]);
        assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["actor/kl", "done", "step", "timing.gen", "z"]);
        assert_eq!(values(&run, "step"), [1.0, 2.0]);
        assert_eq!(values(&run, "z"), [f64::INFINITY]);
        assert!(values(&run, "actor/kl")[1].is_nan());
    }

    #[test]
    fn numbers_written_as_texts_are_read_and_names_are_not() {
        let run = rows(&[r#"{"step": "1e3", "loss": "2.5e-3", "answer": "42", "host": "node-1.2", "tag": "v1.0"}"#]);
        assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["loss", "step"]);
        assert_eq!((values(&run, "step"), values(&run, "loss")), (&[1000.0][..], &[0.0025][..]));
    }

    #[test]
    fn a_config_line_is_no_row() {
        let run = rows(&[
            r#"{"type": "config", "args": {"lr": 1e-5, "nested": {"a": 1}}, "device": "cuda"}"#,
            r#"{"step": 0, "loss": 1.5}"#,
        ]);
        assert_eq!(run.row_steps.len(), 1);
        assert_eq!(run.config.number(&["lr"]), Some(("lr", 1e-5)));
        assert_eq!(run.config.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["device", "lr", "nested.a"]);
    }

    #[test]
    fn of_a_key_that_stands_twice_the_last_value_counts() {
        assert_eq!(values(&rows(&[r#"{"step": 1, "loss": 1, "loss": 2}"#]), "loss"), [2.0]);
    }

    #[test]
    fn evaluation_rows_do_not_mix_with_training() {
        let run = rows(&[r#"{"step": 1, "accuracy": 0.5}"#, r#"{"accuracy": 0.9, "log_type": "Eval", "step": 1}"#]);
        assert_eq!((values(&run, "accuracy"), values(&run, "eval/accuracy")), (&[0.5][..], &[0.9][..]));
        assert_eq!(values(&run, "step"), [1.0, 1.0]);
    }

    #[test]
    fn exports_of_wandb_history_keep_their_counter_and_times() {
        let run =
            rows(&[r#"{"_step": 7, "_timestamp": 1.79e9, "_runtime": 3, "epoch": 1, "h": {"size": 3, "_type": "x"}}"#]);
        assert_eq!((&run.row_steps[..], &run.row_times[..]), (&[7.0][..], &[1.79e9][..]));
        assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["epoch"]);
    }

    #[test]
    fn a_full_page_of_history_with_gaps_is_marked_as_sampled() {
        let history = |rows: u32, gap: u32, key: &str| {
            let line = |row: u32| format!(r#"{{"{key}": {}, "loss": 1}}"#, row * gap + row % gap.max(1));
            let lines: Vec<String> = (0..rows).map(line).collect();
            rows_of(&lines).sampling_of("loss")
        };
        assert_eq!(history(500, 3, "_step"), Some(Thinning::Rows));
        assert_eq!((history(500, 1, "_step"), history(499, 3, "_step"), history(500, 3, "step")), (None, None, None));
    }

    fn rows_of(lines: &[String]) -> Run {
        rows(&lines.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn other_names_of_the_step_are_known() {
        assert_eq!(values(&rows(&[r#"{"Iteration": 3, "loss": 1}"#]), "step"), [3.0]);
        assert_eq!(values(&rows(&[r#"{"epoch": 0.5, "loss": 1}"#]), "step"), [0.5]);
        let both = rows(&[r#"{"global_step": 10, "iteration": 3, "loss": 1}"#]);
        assert_eq!((values(&both, "global_step"), values(&both, "iteration")), (&[10.0][..], &[3.0][..]));
    }

    #[test]
    fn a_duration_is_no_time_of_day() {
        let run = rows(&[r#"{"step": 1, "time": 12.5, "timestamp": 1700000000500}"#]);
        assert_eq!(values(&run, "time"), [12.5]);
        assert_eq!(run.row_times, [1_700_000_000.5]);
    }

    #[test]
    fn samples_are_told_from_metrics() {
        let mut rows = MetricRows::default();
        rows.json_row(br#"{"step": 1, "prompt": "2+2", "completion": "4", "reward": 1}"#).unwrap();
        assert!(rows.are_samples());
    }

    #[test]
    fn a_broken_row_leaves_nothing_behind() {
        let mut rows = MetricRows::default();
        assert!(rows.json_row(br#"{"step": 1, "loss": 2, "kl": "#).is_err());
        assert!(rows.json_row(br#"{"step": 1} {"step": 2}"#).is_err());
        rows.json_row(br#"{"step": 1, "kl": 3}"#).unwrap();
        let run = rows.finish();
        assert_eq!((values(&run, "loss").len(), values(&run, "kl")), (0, &[3.0][..]));
    }
}
