//! Sentences made of typed parts.
//!
//! A check or a comparison says what it found with numbers, steps, keys and runs as values. A view links the keys and
//! runs, a report marks them, and [`super::short`] and [`super::percent`] write every number, so nothing has to find
//! them in a text again. Only the template of [`rich!`](crate::rich) is taken apart, a literal with places `{}` as in [`format!`].

use std::fmt;

use serde::{Deserialize, Serialize};

use super::short;

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Span {
    /// Plain words.
    Text(String),
    /// A key, path or other literal, in monospace.
    Key(String),
    /// Strong.
    Strong(String),
    /// A run, which the page links to: the session's number and the run's name.
    Run(u32, String),
    /// A remark on the words before it, less loud than they are.
    Note(String),
    /// The key of a metric, which the page links to its chart.
    Metric(String),
    /// The key of a setting, which the page links to the config.
    Setting(String),
    /// A number and its unit; the unit of a plain number is empty.
    Number(f64, String),
    /// A share of one, written as a percentage.
    Percent(f64),
    /// A step of the run.
    Step(f64),
    /// A number with the digits that a table has.
    Tabular(f64, Digits),
}

/// The digits of a number in a table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Digits {
    /// Four significant ones.
    Four,
    /// A share of one as a percentage with one decimal.
    Percent,
    /// Those that half of the 95 % interval leaves, which stands beside it.
    PlusMinus(f64),
}

impl Span {
    /// The part as plain text, without marks.
    pub fn plain(&self) -> String {
        match self {
            Span::Text(text)
            | Span::Key(text)
            | Span::Strong(text)
            | Span::Run(_, text)
            | Span::Note(text)
            | Span::Metric(text)
            | Span::Setting(text) => text.clone(),
            Span::Number(value, unit) if unit.is_empty() => short(*value),
            Span::Number(value, unit) => format!("{} {unit}", short(*value)),
            Span::Percent(share) => super::percent(*share),
            Span::Step(step) => short(*step),
            Span::Tabular(value, Digits::Four) => super::number(*value),
            Span::Tabular(share, Digits::Percent) => super::percent_to(*share, 1),
            Span::Tabular(value, Digits::PlusMinus(half)) => super::plus_minus(*value, *half),
        }
    }

    /// The part as plain text, numbers with the minus that axes have. [`plain`](Self::plain) has an ASCII one, so that a
    /// copied number can be read back.
    pub fn typeset(&self) -> String {
        let plain = self.plain();
        let is_number = matches!(self, Span::Number(..) | Span::Percent(_) | Span::Step(_) | Span::Tabular(..));
        match plain.strip_prefix('-').filter(|_| is_number) {
            Some(magnitude) => format!("−{magnitude}"),
            None => plain,
        }
    }

    /// The text in it that comes from elsewhere, to be changed in place. A unit is the program's own.
    pub fn text_mut(&mut self) -> Option<&mut String> {
        match self {
            Span::Text(text)
            | Span::Key(text)
            | Span::Strong(text)
            | Span::Run(_, text)
            | Span::Note(text)
            | Span::Metric(text)
            | Span::Setting(text) => Some(text),
            Span::Number(..) | Span::Percent(_) | Span::Step(_) | Span::Tabular(..) => None,
        }
    }
}

impl From<&str> for Span {
    fn from(text: &str) -> Self {
        Span::Text(text.to_owned())
    }
}

impl From<String> for Span {
    fn from(text: String) -> Self {
        Span::Text(text)
    }
}

/// A number with three significant digits.
pub fn number(value: f64) -> Span {
    Span::Number(value, String::new())
}

/// A number with its unit.
pub fn quantity(value: f64, unit: &str) -> Span {
    Span::Number(value, unit.to_owned())
}

/// A share of one as a percentage.
pub fn percent(share: f64) -> Span {
    Span::Percent(share)
}

/// A step of the run.
pub fn step(step: f64) -> Span {
    Span::Step(step)
}

/// A number with four significant digits, for a table.
pub fn tabular(value: f64) -> Span {
    Span::Tabular(value, Digits::Four)
}

/// A share of one as a percentage with one decimal, for a table.
pub fn tabular_percent(share: f64) -> Span {
    Span::Tabular(share, Digits::Percent)
}

/// The key of a metric.
pub fn metric(key: &str) -> Span {
    Span::Metric(key.to_owned())
}

/// A key, path or other literal.
pub fn key(key: &str) -> Span {
    Span::Key(key.to_owned())
}

/// The key of a setting.
pub fn setting_key(key: &str) -> Span {
    Span::Setting(key.to_owned())
}

/// Sentences.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RichText(Vec<Span>);

impl RichText {
    /// Fills the places `{}` of a template with parts, in their order. A place without a part stays empty.
    ///
    /// Called by [`rich!`](crate::rich), which takes a literal.
    pub fn from_template(template: &'static str, parts: impl IntoIterator<Item = RichText>) -> Self {
        let mut parts = parts.into_iter();
        let mut text = Self::default();
        for (place, words) in template.split("{}").enumerate() {
            if place > 0 {
                text.append(parts.next().unwrap_or_default());
            }
            text.push(Span::Text(words.to_owned()));
        }
        text
    }

    /// Texts with a separator between them: `a, b and c` for `", "` and `" and "`.
    pub fn joined(parts: impl IntoIterator<Item = RichText>, separator: &str, last_separator: &str) -> Self {
        let parts: Vec<RichText> = parts.into_iter().collect();
        let count = parts.len();
        let mut text = Self::default();
        for (place, part) in parts.into_iter().enumerate() {
            if place > 0 {
                text.push(Span::from(if place + 1 == count { last_separator } else { separator }));
            }
            text.append(part);
        }
        text
    }

    /// The parts.
    pub fn spans(&self) -> &[Span] {
        &self.0
    }

    /// Its parts, to be changed in place.
    pub fn spans_mut(&mut self) -> &mut [Span] {
        &mut self.0
    }

    /// The same text without secrets. Secrets that are spread over several parts are not found.
    #[must_use]
    pub fn redacted(&self) -> Self {
        let mut clean = self.clone();
        for text in clean.0.iter_mut().filter_map(Span::text_mut) {
            *text = super::redact(text).into_owned();
        }
        clean
    }

    /// True without words.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a part. Plain words that touch become one part; empty ones are left out.
    pub fn push(&mut self, span: Span) {
        match (self.0.last_mut(), span) {
            (_, Span::Text(words)) if words.is_empty() => {}
            (Some(Span::Text(before)), Span::Text(words)) => before.push_str(&words),
            (_, span) => self.0.push(span),
        }
    }

    /// Adds a text behind this one.
    pub fn append(&mut self, other: impl Into<RichText>) {
        other.into().0.into_iter().for_each(|span| self.push(span));
    }

    /// The text with a full stop, unless it ends a sentence already.
    #[must_use]
    pub fn sentence(mut self) -> Self {
        let ends = match self.0.last() {
            Some(Span::Text(words)) => words.ends_with(['.', '!', '?', ':', '…']),
            Some(_) => false,
            None => true,
        };
        if !ends {
            self.push(Span::from("."));
        }
        self
    }

    /// The text to stand within a sentence: its first word in lower case, unless that is a name.
    #[must_use]
    pub fn lower_first(mut self) -> Self {
        if let Some(Span::Text(words)) = self.0.first_mut() {
            *words = super::lower_first(words);
        }
        self
    }
}

/// Plain text, without marks.
impl fmt::Display for RichText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|span| out.write_str(&span.plain()))
    }
}

impl From<Span> for RichText {
    fn from(span: Span) -> Self {
        let mut text = Self::default();
        text.push(span);
        text
    }
}

impl From<&str> for RichText {
    fn from(text: &str) -> Self {
        Span::from(text).into()
    }
}

impl From<String> for RichText {
    fn from(text: String) -> Self {
        Span::from(text).into()
    }
}

impl From<&String> for RichText {
    fn from(text: &String) -> Self {
        Span::from(text.as_str()).into()
    }
}

impl From<&RichText> for RichText {
    fn from(text: &RichText) -> Self {
        text.clone()
    }
}

impl From<&Span> for RichText {
    fn from(span: &Span) -> Self {
        span.clone().into()
    }
}

impl From<usize> for RichText {
    fn from(count: usize) -> Self {
        Span::Text(count.to_string()).into()
    }
}

impl From<u32> for RichText {
    fn from(count: u32) -> Self {
        Span::Text(count.to_string()).into()
    }
}

impl From<i64> for RichText {
    fn from(count: i64) -> Self {
        Span::Text(count.to_string()).into()
    }
}

impl From<Vec<Span>> for RichText {
    fn from(spans: Vec<Span>) -> Self {
        let mut text = Self::default();
        spans.into_iter().for_each(|span| text.push(span));
        text
    }
}

impl From<std::borrow::Cow<'_, str>> for RichText {
    fn from(text: std::borrow::Cow<'_, str>) -> Self {
        Span::from(text.into_owned()).into()
    }
}

impl From<RichText> for Vec<Span> {
    fn from(text: RichText) -> Self {
        text.0
    }
}

/// A sentence as `format!` writes one, whose arguments keep their types: `rich!("KL rose to {}", number(0.3))`.
#[macro_export]
macro_rules! rich {
    ($template:literal $(, $part:expr)* $(,)?) => {
        $crate::RichText::from_template($template, [$($crate::RichText::from($part)),*])
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> RichText {
        rich!("{} went from {} to {} at step {}", metric("train/kl"), number(0.05), quantity(6.1, "nats"), step(31.0))
    }

    #[test]
    fn arguments_keep_their_types() {
        let text = sample();
        assert_eq!(text.to_string(), "train/kl went from 0.05 to 6.1 nats at step 31");
        assert_eq!(text.spans().first(), Some(&Span::Metric("train/kl".to_owned())));
        assert_eq!(text.spans().len(), 7);
        assert_eq!(rich!("{} of {}{}", 3_usize, percent(0.5), "").spans().len(), 2);
    }

    #[test]
    fn typeset_numbers_have_a_minus_sign_and_words_keep_their_hyphens() {
        let typeset = |spans: &[Span]| spans.iter().map(Span::typeset).collect::<Vec<_>>().join(" ");
        let spans = [number(-0.25), number(-0.0), percent(-0.8), step(-1.0), quantity(-2.0, "nats"), key("-3")];
        assert_eq!(typeset(&spans), "−0.25 0 −80 % −1 −2 nats -3");
        let estimate = Span::Tabular(-6.98, Digits::PlusMinus(0.31));
        assert_eq!(estimate.plain(), "-6.98 ± 0.31");
        assert_eq!(typeset(&[percent(-0.004), Span::Tabular(-0.0004, Digits::PlusMinus(0.05))]), "0 % 0.000 ± 0.050");
        assert_eq!(typeset(&[estimate, tabular(-1e-5), tabular_percent(-0.975)]), "−6.98 ± 0.31 −1e-5 −97.5 %");
    }

    #[test]
    fn a_sentence_ends_once() {
        assert_eq!(RichText::from("It fell").sentence().to_string(), "It fell.");
        assert_eq!(RichText::from("It fell.").sentence().to_string(), "It fell.");
        assert_eq!(rich!("to {}", number(2.0)).sentence().to_string(), "to 2.");
        assert_eq!(RichText::default().sentence(), RichText::default());
    }

    #[test]
    fn lists_are_joined() {
        let list = |count: usize| RichText::joined((0..count).map(RichText::from), ", ", " and ").to_string();
        assert_eq!([list(0), list(1), list(2), list(3)], ["", "0", "0 and 1", "0, 1 and 2"]);
    }

    #[test]
    fn a_message_and_back() {
        let odd = rich!("{} {} {}", number(f64::NAN), step(f64::INFINITY), Span::Run(3, "amber".to_owned()));
        for text in [odd, sample()] {
            let bytes = postcard::to_allocvec(&text).unwrap();
            assert_eq!(postcard::from_bytes::<RichText>(&bytes).unwrap().to_string(), text.to_string());
        }
    }
}
