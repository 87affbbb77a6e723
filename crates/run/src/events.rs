//! What an event log holds beside numbers: texts of its errors, and means by adapter, phase, horizon and group.

use serde::{Deserialize, Serialize};

use rundown_format::{exact, named_enum};

/// Error texts that a run keeps, the most frequent ones.
pub const ERROR_TEXTS: usize = 32;
/// Names of each [`EventLabel`] that a run keeps, those with most events.
pub const LABEL_NAMES: usize = 64;

/// The events of a run, in groups. Empty for a run without an event log.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EventLog {
    /// Error events by text, the most frequent first; at most [`ERROR_TEXTS`].
    pub errors: Vec<ErrorText>,
    /// Error events of all other texts.
    pub other_errors: u64,
    /// Means of metrics by label; at most [`LABEL_NAMES`] names of each label.
    pub means: Vec<LabelMean>,
    /// Names of labels that are left out.
    pub other_names: u64,
}

/// Error events with the same text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ErrorText {
    /// Name of the event, such as `rollout_error`; may be empty.
    pub event: String,
    /// The text without secrets; numbers, ids, paths and quoted values are `<n>`, `<id>`, `<path>` and `<value>`.
    /// Empty where the events have none.
    pub text: String,
    /// How many there are.
    pub count: u64,
    /// The first one.
    pub first: Sighting,
    /// The last one.
    pub last: Sighting,
}

/// When an event occurred.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sighting {
    /// Unix seconds, where known.
    #[serde(with = "exact::option")]
    pub time: Option<f64>,
    /// The trainer's step, where the event names it.
    #[serde(with = "exact::option")]
    pub step: Option<f64>,
}

named_enum! {
    serde as_str
    /// The kind of label that a field of an event is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
    pub enum EventLabel {
        /// LoRA adapter or checkpoint that answered.
        Adapter = "adapter",
        /// Phase of an episode.
        Phase = "phase",
        /// Length of an episode.
        Horizon = "horizon",
        /// Player, agent, task, environment.
        #[default]
        Group = "group",
    }
}

/// Mean of a metric over the events of one label.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LabelMean {
    /// Which label.
    pub label: EventLabel,
    /// Its value, such as `adapter_v40`.
    pub name: String,
    /// Metric key, such as `axiom/inference/output_tokens_per_second`.
    pub key: String,
    /// Number of values.
    pub count: u64,
    /// Their mean, in the metric's own unit; finite.
    pub mean: f64,
}

impl EventLog {
    /// True without any error text and any mean.
    pub fn is_empty(&self) -> bool {
        *self == EventLog::default()
    }

    /// Adds the events of another log of the same run.
    pub fn append(&mut self, other: EventLog) {
        self.other_errors += other.other_errors;
        self.other_names += other.other_names;
        for error in other.errors {
            let same = |known: &&mut ErrorText| known.event == error.event && known.text == error.text;
            match self.errors.iter_mut().find(same) {
                Some(known) => {
                    known.count += error.count;
                    known.first = known.first.earlier(error.first);
                    known.last = known.last.later(error.last);
                }
                None => self.errors.push(error),
            }
        }
        self.keep_most_frequent();
        for mean in other.means {
            let same =
                |known: &&mut LabelMean| known.label == mean.label && known.name == mean.name && known.key == mean.key;
            match self.means.iter_mut().find(same) {
                Some(known) => {
                    let (one, two) = (known.count as f64, mean.count as f64);
                    known.mean = (known.mean * one + mean.mean * two) / (one + two).max(1.0);
                    known.count += mean.count;
                }
                None => self.means.push(mean),
            }
        }
    }

    /// Orders the error texts and counts those that are too many as others.
    pub fn keep_most_frequent(&mut self) {
        self.errors.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| (&a.event, &a.text).cmp(&(&b.event, &b.text))));
        let rest = self.errors.drain(ERROR_TEXTS.min(self.errors.len())..);
        self.other_errors += rest.map(|error| error.count).sum::<u64>();
    }
}

impl Sighting {
    /// The earlier of two; one without a time where the other has none.
    pub fn earlier(self, other: Self) -> Self {
        if other.time.is_some_and(|time| self.time.is_none_or(|known| time < known)) { other } else { self }
    }

    /// The later of two.
    pub fn later(self, other: Self) -> Self {
        if other.time.is_some_and(|time| self.time.is_none_or(|known| time >= known)) { other } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str, count: u64, time: f64) -> ErrorText {
        let at = Sighting { time: Some(time), step: None };
        ErrorText { event: "e".to_owned(), text: text.to_owned(), count, first: at, last: at }
    }

    #[test]
    fn equal_texts_of_two_logs_are_one() {
        let mut log = EventLog { errors: vec![error("a", 2, 10.0), error("b", 1, 5.0)], ..EventLog::default() };
        log.append(EventLog { errors: vec![error("b", 4, 20.0)], other_errors: 3, ..EventLog::default() });
        let first = &log.errors[0];
        assert_eq!(
            (first.text.as_str(), first.count, first.first.time, first.last.time),
            ("b", 5, Some(5.0), Some(20.0))
        );
        assert_eq!(log.other_errors, 3);
    }

    #[test]
    fn the_most_frequent_texts_stay_and_the_others_are_counted() {
        let errors = (0..40).map(|place| error(&format!("text {place}"), place + 1, 0.0)).collect();
        let mut log = EventLog { errors, ..EventLog::default() };
        log.keep_most_frequent();
        assert_eq!((log.errors.len(), log.errors[0].count), (ERROR_TEXTS, 40));
        assert_eq!(log.other_errors, (1..=8).sum::<u64>());
    }

    #[test]
    fn means_of_two_logs_are_weighted() {
        let mean = |count, mean| LabelMean { name: "a".to_owned(), count, mean, ..LabelMean::default() };
        let mut log = EventLog { means: vec![mean(3, 10.0)], ..EventLog::default() };
        log.append(EventLog { means: vec![mean(1, 50.0)], ..EventLog::default() });
        assert_eq!(log.means, [mean(4, 20.0)]);
    }
}
