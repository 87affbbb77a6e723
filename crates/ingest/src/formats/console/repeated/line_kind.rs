//! Lines with the same names in the same order, and what is known of such lines.

use crate::formats::console::labelled::{CounterKind, LabelledNumber};
use crate::rows::metric_words;
use crate::rows::names::is_of_evaluation;
use crate::setting_names::{is_setting_name, setting_key};

/// Settings in a dictionary of settings: a loop may print one beside its metrics, such as the learning rate.
const SETTINGS: usize = 2;

/// Lines with the same names in the same order.
#[derive(Debug)]
pub(super) struct LineKind {
    pub(super) names: Vec<String>,
    /// For each number the counter that it is, if it is one.
    pub(super) counters: Vec<Option<Counter>>,
    pub(super) lines: usize,
    /// Lines directly above or below the label of a part of a sample.
    pub(super) near_samples: usize,
    pub(super) is_dictionary: bool,
    /// They announce a step and hold no metric.
    pub(super) announces: bool,
    /// For each number of the last line its total, where it has one.
    pub(super) totals: Vec<Option<f64>>,
    /// A hash of the words of the last line.
    words: u64,
    /// Lines with other words than the line of the kind before them.
    changing: usize,
}

/// What counts the rows: a name in lower case, and its place among the numbers of that name in a line.
pub(super) type Counter = (String, usize);

impl LineKind {
    pub(super) fn of(numbers: &[LabelledNumber<'_>]) -> Self {
        let lower: Vec<String> = numbers.iter().map(|number| number.name.to_lowercase()).collect();
        let counter = |(place, number): (usize, &LabelledNumber<'_>)| {
            let name = lower.get(place)?;
            let earlier = lower.iter().take(place).filter(|other| *other == name).count();
            let is_counter = number.is_counter || CounterKind::of(name) == CounterKind::Step;
            is_counter.then(|| (name.clone(), earlier))
        };
        let counters = numbers.iter().enumerate().map(counter).collect();
        let names = numbers.iter().map(|number| number.name.to_owned()).collect();
        Self {
            names,
            counters,
            lines: 0,
            near_samples: 0,
            is_dictionary: false,
            announces: false,
            totals: Vec::new(),
            words: 0,
            changing: 0,
        }
    }

    /// Notes the words of the next line.
    pub(super) fn add_words(&mut self, text: &str) {
        let words = hash_of_words(text);
        self.changing += usize::from(self.lines > 0 && words != self.words);
        self.words = words;
    }

    /// True where most lines have other words than the one before: their single metric is that of a sample, as in
    /// `Baseline: 'red' (reward=0.5)`.
    pub(super) fn is_of_changing_text(&self) -> bool {
        self.changing * 2 > self.lines && !self.is_of_metrics()
    }

    pub(super) fn names_a_metric(&self) -> bool {
        self.names.iter().any(|name| metric_words::is_metric(name))
    }

    /// True where a name is that of a score, as of the model before its training, and of no setting: `KL coef` and `Target accuracy`
    /// are settings.
    pub(super) fn names_a_score(&self) -> bool {
        self.names.iter().any(|name| {
            metric_words::is_score(name) && setting_key(name).is_none() && !metric_words::is_of_setting(name)
        })
    }

    /// True where each name says that it is of an evaluation: `eval_return_mean=5.7`.
    pub(super) fn is_of_evaluation(&self) -> bool {
        !self.has_counter() && self.names.iter().all(|name| is_of_evaluation(name))
    }

    /// True for lines that repeat the best value so far of what other lines tell: `in step 70 new best eval_acc: 0.68`.
    pub(super) fn is_of_the_best(&self) -> bool {
        self.names.iter().any(|name| metric_words::is_best(name))
    }

    /// True where its names alone are those of rows of metrics.
    pub(super) fn is_of_metrics(&self) -> bool {
        self.is_row() || metric_words::are_of_metrics(self.names.iter().map(String::as_str))
    }

    /// True for lines that count and name a metric.
    pub(super) fn is_likely_row(&self) -> bool {
        self.has_counter() && self.names_a_metric()
    }

    pub(super) fn has_counter(&self) -> bool {
        self.counters.iter().any(Option::is_some)
    }

    /// True for lines with a counter of steps.
    pub(super) fn counts_steps(&self) -> bool {
        self.counters.iter().flatten().any(|(name, _)| CounterKind::of(name) == CounterKind::Step)
    }

    /// True where each line is a row by itself. A dictionary with settings among its numbers is one of settings.
    pub(super) fn is_row(&self) -> bool {
        let settings = self.names.iter().filter(|name| is_setting_name(name)).count();
        let has_start = self.has_counter() || (self.is_dictionary && settings < SETTINGS);
        has_start && self.near_samples == 0 && metric_words::make_row(self.names.iter().map(String::as_str))
    }

    pub(super) fn place_of(&self, counter: &Counter) -> Option<usize> {
        self.counters.iter().position(|found| found.as_ref() == Some(counter))
    }

    /// The total of this counter in the last line.
    pub(super) fn total_of(&self, counter: &Counter) -> Option<f64> {
        self.totals.get(self.place_of(counter)?).copied().flatten()
    }
}

/// A hash of the words of a line, without digits and words that begin with one, as numbers and times do.
fn hash_of_words(text: &str) -> u64 {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.starts_with(char::is_alphabetic));
    let letters = words.flat_map(|word| word.chars().filter(|c| c.is_alphabetic()).chain([' ']));
    letters.fold(0, |hash: u64, letter| hash.wrapping_mul(31).wrapping_add(u64::from(u32::from(letter))))
}
