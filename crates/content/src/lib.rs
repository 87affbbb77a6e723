//! What a view or a report says, as blocks: the same ones become a view of the page, Markdown and HTML.
//!
//! `present` decides what is said, in words, tables and figures; a renderer decides how it looks: that to Markdown is here, as the page copies parts of views
//! by it. A cell keeps the number
//! that it is sorted by beside its text. Texts from files are kept as they are: each renderer escapes them.

mod cell;
mod figure;
mod markdown;
mod runs;
mod scale;

use serde::{Deserialize, Serialize};

pub use cell::Cell;
pub use figure::{Anchor, Figure, Shape, Tone, path_data};
pub use markdown::markdown;
pub use rundown_format::{RichText, Span};
pub use scale::Scale;

/// One block, in the order of reading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Block {
    /// A heading; level 2 is a section, 3 a part of one.
    Heading {
        /// 2 to 5; views use 2 and 3.
        level: u8,
        /// Its text.
        text: RichText,
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
    /// Two parts to compare: beside each other where there is room, else one below the other.
    SideBySide(Vec<Block>, Vec<Block>),
    /// Panels of equal weight: as many beside each other as there is room for.
    Panels(Vec<Vec<Block>>),
    /// Details below a title, folded away where a reader can open them.
    Fold {
        /// What the fold holds, in a few words.
        title: RichText,
        /// What is folded away.
        blocks: Vec<Block>,
    },
}

/// A table. Every row has as many cells as there are columns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// What it shows, in a few words; empty where the heading above says it.
    pub caption: RichText,
    /// Names of the columns.
    pub columns: Vec<TableColumn>,
    /// Rows in their best order.
    pub rows: Vec<Vec<Cell>>,
    /// Rows left out for length; the text around says how to see them.
    pub left_out: u32,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableColumn {
    /// Its name.
    pub name: RichText,
    /// Numbers stand to the right.
    pub is_numeric: bool,
}

/// The name of a column and what stands below it: a constant, where a [`TableColumn`] has to be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnName {
    /// A column of words.
    Words(&'static str),
    /// A column of numbers.
    Numbers(&'static str),
}

impl Block {
    /// A section's heading.
    pub fn section(text: impl Into<RichText>) -> Self {
        Self::Heading { level: 2, text: text.into() }
    }

    /// A heading within a section.
    pub fn part(text: impl Into<RichText>) -> Self {
        Self::Heading { level: 3, text: text.into() }
    }

    /// The block with each heading in it so many levels deeper, or higher where `by` is negative; never above a section.
    pub fn nested(self, by: i8) -> Self {
        let all = |blocks: Vec<Self>| blocks.into_iter().map(|block| block.nested(by)).collect();
        match self {
            Self::Heading { level, text } => Self::Heading { level: level.saturating_add_signed(by).max(2), text },
            Self::SideBySide(left, right) => Self::SideBySide(all(left), all(right)),
            Self::Panels(panels) => Self::Panels(panels.into_iter().map(all).collect()),
            Self::Fold { title, blocks } => Self::Fold { title, blocks: all(blocks) },
            block => block,
        }
    }

    /// A paragraph.
    pub fn text(text: impl Into<RichText>) -> Self {
        Self::Text(text.into().into())
    }
}

impl Table {
    /// A table without rows.
    pub fn new(caption: impl Into<RichText>, columns: &[ColumnName]) -> Self {
        let column = |name: &ColumnName| match *name {
            ColumnName::Words(name) => TableColumn::words(name),
            ColumnName::Numbers(name) => TableColumn::numbers(name),
        };
        Self { caption: caption.into(), columns: columns.iter().map(column).collect(), ..Self::default() }
    }
}

impl TableColumn {
    /// A column of words.
    pub fn words(name: impl Into<RichText>) -> Self {
        Self { name: name.into(), is_numeric: false }
    }

    /// A column of numbers.
    pub fn numbers(name: impl Into<RichText>) -> Self {
        Self { name: name.into(), is_numeric: true }
    }
}
