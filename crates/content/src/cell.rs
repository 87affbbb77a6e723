//! A cell of a table: what it says, and where it stands when its column is sorted.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use rundown_format::rich_text::Digits;

use super::{RichText, Span};

/// A cell of a table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// What it says; empty for "nothing known".
    pub text: Vec<Span>,
    /// What it is sorted by; NaN sorts last, and a text by its words.
    pub value: Option<f64>,
}

impl Cell {
    /// Words.
    pub fn text(text: impl Into<RichText>) -> Self {
        Self { text: text.into().into(), value: None }
    }

    /// A key.
    pub fn key(key: impl Into<String>) -> Self {
        Self { text: vec![Span::Key(key.into())], value: None }
    }

    /// A number as it is written, and the number itself.
    pub fn number(text: impl Into<RichText>, value: f64) -> Self {
        Self { text: text.into().into(), value: Some(value) }
    }

    /// A number with four significant digits.
    pub fn tabular(value: f64) -> Self {
        Self::number(Span::Tabular(value, Digits::Four), value)
    }

    /// A share of one as a percentage with one decimal.
    pub fn percent(share: f64) -> Self {
        Self::number(Span::Tabular(share, Digits::Percent), share)
    }

    /// A value with half of its 95 % interval, where that is finite.
    pub fn plus_minus(value: f64, half: f64) -> Self {
        Self::number(Span::Tabular(value, Digits::PlusMinus(half)), value)
    }

    /// A run.
    pub fn run(number: u32, name: impl Into<String>) -> Self {
        Self { text: vec![Span::Run(number, name.into())], value: None }
    }

    /// What it says, without marks.
    pub fn plain(&self) -> String {
        self.text.iter().map(Span::plain).collect()
    }

    /// The order of two cells of a column, turned round for `down`: numbers before words, cells without anything last in
    /// both; words whatever the case of their letters.
    pub fn order(a: Option<&Self>, b: Option<&Self>, down: bool) -> Ordering {
        let inner = match (a, b) {
            (Some(a), Some(b)) => match (a.number_of(), b.number_of()) {
                (Some(a), Some(b)) => a.total_cmp(&b),
                _ => a.plain().to_lowercase().cmp(&b.plain().to_lowercase()),
            },
            _ => Ordering::Equal,
        };
        rank(a).cmp(&rank(b)).then(if down { inner.reverse() } else { inner })
    }

    fn number_of(&self) -> Option<f64> {
        self.value.filter(|value| !value.is_nan())
    }
}

fn rank(cell: Option<&Cell>) -> u8 {
    match cell {
        Some(cell) if cell.number_of().is_some() => 0,
        Some(cell) if !cell.text.is_empty() => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_before_words_and_nothing_comes_last() {
        let cells = [
            Cell::text("beta"),
            Cell::default(),
            Cell::number("2", 2.0),
            Cell::number("NaN", f64::NAN),
            Cell::text("Alpha"),
            Cell::number("-1", -1.0),
        ];
        let sorted = |down: bool| {
            let mut places: Vec<usize> = (0..cells.len()).collect();
            places.sort_by(|a, b| Cell::order(cells.get(*a), cells.get(*b), down));
            places
        };
        assert_eq!(sorted(false), [5, 2, 4, 0, 3, 1]);
        assert_eq!(sorted(true), [2, 5, 3, 0, 4, 1]);
        assert_eq!(Cell::order(None, None, true), Ordering::Equal);
    }
}
