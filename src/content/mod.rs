//! What a view or a report says, as blocks: the same ones become a view of the page, Markdown and HTML.
//!
//! Who compares runs says what is to be told, in words, tables and figures; who shows it decides how. Numbers are
//! formatted already, but a cell keeps the one that it is sorted by. Texts from files are kept as they are: whoever
//! writes them out escapes them, and secrets are redacted before they come here.

mod figure;

use serde::{Deserialize, Serialize};

pub use crate::format::Span;
pub use figure::{Anchor, Figure, Shape, Tone};

/// One block, in the order of reading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Block {
    /// A heading; level 2 is a section, 3 a part of one.
    Heading {
        /// 2 to 5; views use 2 and 3.
        level: u8,
        /// Its text.
        text: String,
    },
    /// A paragraph.
    Text(Vec<Span>),
    /// A list of sentences.
    List(Vec<Vec<Span>>),
    /// A table.
    Table(Table),
    /// A drawing with its text alternative.
    Figure(Figure),
    /// A numbered list.
    Numbered(Vec<Vec<Span>>),
    /// Text as it is, line by line, in monospace.
    Code(String),
}

/// A table. Every row has as many cells as there are columns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// What it shows, in a few words; empty where the heading above says it.
    pub caption: String,
    /// Names of the columns.
    pub columns: Vec<Column>,
    /// Rows in their best order.
    pub rows: Vec<Vec<Cell>>,
    /// Rows left out for length; the text around says how to see them.
    pub left_out: u32,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Numbers stand to the right.
    pub is_numeric: bool,
}

/// A cell of a table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// What it says; empty for "nothing known".
    pub text: Vec<Span>,
    /// What it is sorted by; NaN sorts last, and a text by its words.
    pub value: Option<f64>,
}

impl Block {
    /// A section's heading.
    pub fn section(text: impl Into<String>) -> Self {
        Self::Heading { level: 2, text: text.into() }
    }

    /// A heading within a section.
    pub fn part(text: impl Into<String>) -> Self {
        Self::Heading { level: 3, text: text.into() }
    }

    /// A paragraph from a text in which keys stand between backticks.
    pub fn text(text: &str) -> Self {
        Self::Text(spans(text))
    }
}

impl Table {
    /// A table without rows. A column whose name begins with `#` holds numbers; the mark is not part of the name.
    pub fn new(caption: &str, columns: &[&str]) -> Self {
        let column =
            |name: &&str| Column { name: name.trim_start_matches('#').to_owned(), is_numeric: name.starts_with('#') };
        Self { caption: caption.to_owned(), columns: columns.iter().map(column).collect(), ..Self::default() }
    }
}

impl Cell {
    /// Plain words, in which keys stand between backticks.
    pub fn text(text: &str) -> Self {
        Self { text: spans(text), value: None }
    }

    /// A key.
    pub fn key(key: impl Into<String>) -> Self {
        Self { text: vec![Span::Key(key.into())], value: None }
    }

    /// A number as it is written, and the number itself.
    pub fn number(text: impl Into<String>, value: f64) -> Self {
        Self { text: vec![Span::Text(text.into())], value: Some(value) }
    }

    /// A run.
    pub fn run(number: u32, name: impl Into<String>) -> Self {
        Self { text: vec![Span::Run(number, name.into())], value: None }
    }
}

/// Splits a text at its backticks: what stands between two is a key.
pub fn spans(text: &str) -> Vec<Span> {
    text.split('`')
        .enumerate()
        .filter(|(_, part)| !part.is_empty())
        .map(|(index, part)| if index % 2 == 1 { Span::Key(part.to_owned()) } else { Span::Text(part.to_owned()) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stand_between_backticks() {
        let expected = [Span::Text("From ".to_owned()), Span::Key("reward".to_owned()), Span::Text(" on.".to_owned())];
        assert_eq!(spans("From `reward` on."), expected);
    }

    #[test]
    fn a_mark_says_which_columns_hold_numbers() {
        let table = Table::new("", &["Run", "#Reward"]);
        let columns: Vec<(&str, bool)> =
            table.columns.iter().map(|column| (column.name.as_str(), column.is_numeric)).collect();
        assert_eq!(columns, [("Run", false), ("Reward", true)]);
    }
}
