//! One event, read field by field.

use crate::syntax::json::{JsonError, Scanner, Token, nonfinite_word, number};
use crate::time::{any_seconds, unix_seconds};
use rundown_run::EventLabel;

/// Objects that only wrap an event's fields.
const WRAPPERS: [&str; 5] = ["data", "attributes", "fields", "body", "properties"];
/// Fields that name the event, best first.
pub(crate) const NAME_FIELDS: [&str; 5] = ["event", "event_name", "event_type", "name", "message"];
/// Longest message that can be a name; a longer one is prose.
const MAX_NAME: usize = 64;
/// Fields that name the run.
const RUN_FIELDS: [&str; 3] = ["run_name", "run_id", "run"];
/// Fields that tell events apart, by label, best first.
const LABEL_FIELDS: [(EventLabel, &[&str]); 4] = [
    (EventLabel::Group, &["power", "agent", "player", "role", "group", "task", "environment", "env"]),
    (EventLabel::Adapter, &["lora_name", "adapter", "adapter_name", "lora"]),
    (EventLabel::Phase, &["phase", "game_phase", "phase_type"]),
    (EventLabel::Horizon, &["horizon_type", "horizon"]),
];
/// Longest name of a label in bytes; a longer text is prose.
const MAX_LABEL: usize = 64;
/// Fields with the text of an error, best first.
const ERROR_FIELDS: [&str; 10] = [
    "error", "error.message", "error_message", "exception", "exception.message", "err", "message", "msg", "reason",
    "detail",
];

/// An event that is being read.
#[derive(Debug, Default, Clone)]
pub(crate) struct AxiomEvent {
    /// Unix seconds.
    pub(crate) time: Option<f64>,
    /// `error`, `warning`, …, lower case.
    pub(crate) level: String,
    /// The run that it names.
    pub(crate) run: String,
    /// The trainer's step.
    pub(crate) step: Option<f64>,
    /// Numeric fields.
    pub(crate) numbers: Vec<(String, f64)>,
    /// Names that it may have, with their rank.
    name: Option<(usize, String)>,
    run_rank: usize,
    /// A row of an aggregating query: it counts events and is not an event.
    pub(super) is_total: bool,
    /// The text of the error, with the field's rank; meaningless unless it is an error.
    error: Option<(usize, String)>,
    /// Names of labels with the rank of their field.
    labels: Vec<(EventLabel, usize, String)>,
}

impl AxiomEvent {
    /// A row of an aggregating query, still without fields.
    pub(crate) fn total() -> Self {
        Self { is_total: true, ..Self::default() }
    }

    /// Name of the event, empty where it has none.
    pub(crate) fn name(&self) -> &str {
        self.name.as_ref().map_or("", |(_, name)| name)
    }

    /// The group that it belongs to, such as a player of a game.
    pub(crate) fn group(&self) -> Option<&str> {
        self.labels().find(|(label, _)| *label == EventLabel::Group).map(|(_, name)| name)
    }

    /// What tells it from other events of its name.
    pub(crate) fn labels(&self) -> impl Iterator<Item = (EventLabel, &str)> {
        self.labels.iter().map(|(label, _, name)| (*label, name.as_str()))
    }

    /// The text of an error event, one line; empty where it has none.
    pub(crate) fn error_text(&self) -> &str {
        self.error.as_ref().map_or("", |(_, text)| text)
    }

    fn label(&mut self, field: &str, text: &str) {
        let place = |(label, fields): &(EventLabel, &[&str])| {
            fields.iter().position(|name| *name == field).map(|rank| (*label, rank))
        };
        let Some((label, rank)) = LABEL_FIELDS.iter().find_map(place) else { return };
        if text.is_empty() || text.len() > MAX_LABEL {
            return;
        }
        match self.labels.iter_mut().find(|(known, ..)| *known == label) {
            Some(known) if rank < known.1 => *known = (label, rank, text.to_owned()),
            Some(_) => {}
            None => self.labels.push((label, rank, text.to_owned())),
        }
    }

    /// Adds a number.
    pub(crate) fn number(&mut self, field: &str, value: f64) {
        let field = plain(field);
        match field {
            "_time" | "timestamp" => self.time = self.time.or_else(|| unix_seconds(value)),
            "step" | "global_step" | "training_step" => self.step = Some(value),
            _ if field.starts_with('_') => {}
            // The name that Axiom gives the column of `count()`.
            "count_" => {
                self.is_total = true;
                self.numbers.push((field.to_owned(), value));
            }
            "horizon" | "phase" => {
                self.label(field, &value.to_string());
                self.numbers.push((field.to_owned(), value));
            }
            _ => self.numbers.push((field.to_owned(), value)),
        }
    }

    /// Adds a text.
    pub(crate) fn text(&mut self, field: &str, text: &str) {
        let field = plain(field);
        let rank = |known: &[&str]| known.iter().position(|name| *name == field);
        if let Some(rank) = rank(&ERROR_FIELDS)
            && self.error.as_ref().is_none_or(|(known, _)| rank < *known)
            && let Some(line) = error_line(text)
        {
            self.error = Some((rank, line.to_owned()));
        }
        if let Some(value) = nonfinite_word(text) {
            self.number(field, value);
        } else if field == "_time" {
            self.time = any_seconds(text).or(self.time);
        } else if matches!(field, "level" | "severity") {
            self.level = text.to_ascii_lowercase();
        } else if let Some(rank) = rank(&RUN_FIELDS) {
            if self.run.is_empty() || rank < self.run_rank {
                text.clone_into(&mut self.run);
                self.run_rank = rank;
            }
        } else if let Some(rank) = rank(&NAME_FIELDS) {
            let is_name = !text.is_empty() && text.len() <= MAX_NAME && (rank < 3 || !text.contains(' '));
            if is_name && self.name.as_ref().is_none_or(|(known, _)| rank < *known) {
                self.name = Some((rank, text.to_owned()));
            }
        } else {
            self.label(field, text);
        }
    }

    /// Reads an event from one JSON object; nested fields are dotted.
    pub(crate) fn from_json(bytes: &[u8]) -> Result<AxiomEvent, JsonError> {
        let mut event = AxiomEvent::default();
        let mut scanner = Scanner::new(bytes);
        if scanner.next()? == Some(Token::ObjectStart) {
            event.object(&mut scanner, &mut String::new())?;
        }
        Ok(event)
    }

    fn object(&mut self, scanner: &mut Scanner<'_>, path: &mut String) -> Result<(), JsonError> {
        let length = path.len();
        while let Some(Token::Key(key)) = scanner.next()? {
            let Some(value) = scanner.next()? else { break };
            if !(value == Token::ObjectStart && WRAPPERS.contains(&key.as_ref())) {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&key);
            }
            match value {
                Token::ObjectStart => self.object(scanner, path)?,
                Token::ArrayStart => scanner.skip_rest()?,
                Token::Number(text) => self.number(path, number(text)),
                Token::Bool(value) => self.number(path, f64::from(u8::from(value))),
                Token::Text(text) => self.text(path, &text),
                _ => {}
            }
            path.truncate(length);
        }
        Ok(())
    }
}

/// The line of a text that says what went wrong: the last one of a traceback, else the first.
fn error_line(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    if text.contains("Traceback (most recent call last)") { lines.next_back() } else { lines.next() }
}

/// True for a JSON object that has a `_time`, as every event of Axiom has.
pub(crate) fn is_event(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, b"\"_time\"").is_some()
}

/// The field without a wrapper in front: a CSV export writes `data.duration_s`.
fn plain(field: &str) -> &str {
    match field.split_once('.') {
        Some((wrapper, rest)) if WRAPPERS.contains(&wrapper) => rest,
        _ => field,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_its_fields_wherever_they_stand() {
        for text in [
            r#"{"_time": "2026-11-01T00:00:22Z", "event": "rollout_complete", "message": "done", "duration_s": 5, "run_name": "a", "level": "INFO", "power": "FRANCE"}"#,
            r#"{"_time": "2026-11-01T00:00:22Z", "_sysTime": "x", "data": {"message": "all is well", "event": "rollout_complete", "duration_s": 5, "run_id": "b", "run_name": "a", "level": "info", "power": "FRANCE"}}"#,
        ] {
            let event = AxiomEvent::from_json(text.as_bytes()).unwrap();
            assert_eq!(
                (event.name(), event.time, event.run.as_str()),
                ("rollout_complete", Some(1_793_491_222.0), "a")
            );
            assert_eq!((event.level.as_str(), event.group()), ("info", Some("FRANCE")));
            assert_eq!(event.numbers, [("duration_s".to_owned(), 5.0)]);
        }
    }

    #[test]
    fn labels_and_error_texts_are_kept() {
        let text = r#"{"event": "rollout_error", "message": "it failed", "error": "Traceback (most recent call last):\n  File\nValueError: bad", "role": "judge", "power": "FRANCE", "lora_name": "v40", "horizon": 4}"#;
        let event = AxiomEvent::from_json(text.as_bytes()).unwrap();
        assert_eq!(event.error_text(), "ValueError: bad");
        let labels: Vec<_> = event.labels().collect();
        let expected = [(EventLabel::Group, "FRANCE"), (EventLabel::Adapter, "v40"), (EventLabel::Horizon, "4")];
        assert_eq!(labels, expected);
    }

    #[test]
    fn a_row_of_counts_is_no_event() {
        let row = r#"{"_time": "2026-11-01T00:00:00Z", "event": "rollout_error", "count_": 40}"#;
        let event = AxiomEvent::from_json(row.as_bytes()).unwrap();
        assert!(event.is_total && event.numbers.len() == 1);
    }

    #[test]
    fn prose_is_no_name() {
        assert_eq!(AxiomEvent::from_json(br#"{"message": "the pump has stopped"}"#).unwrap().name(), "");
        assert_eq!(AxiomEvent::from_json(br#"{"message": "pump_stopped"}"#).unwrap().name(), "pump_stopped");
    }
}
