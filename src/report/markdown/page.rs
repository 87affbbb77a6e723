//! Headings, lists and tables, so that the sections say what and not how: as Markdown, or as blocks for HTML.

use super::spoken::{plain, spoken};
use crate::content::{Block, Cell, Column, Span, Table};

/// Deepest heading of a document.
const DEEPEST: usize = 5;

/// A report being written.
pub(super) struct Page {
    text: String,
    /// Level of the outermost heading: 1 for a report of its own, 2 within one of many runs.
    level: usize,
    /// The same as blocks, in place of the text, where blocks are wanted.
    blocks: Option<Vec<Block>>,
}

impl Page {
    pub(super) fn new() -> Self {
        Self { text: String::new(), level: 1, blocks: None }
    }

    /// A page that keeps blocks and no text.
    pub(super) fn of_blocks() -> Self {
        Self { blocks: Some(Vec::new()), ..Self::new() }
    }

    /// The blocks of a page that keeps them.
    pub(super) fn into_blocks(self) -> Vec<Block> {
        self.blocks.unwrap_or_default()
    }

    /// Headings from here on are `levels` deeper.
    pub(super) fn nest(&mut self, levels: usize) {
        self.level += levels;
    }

    /// Takes back what [`Self::nest`] did.
    pub(super) fn unnest(&mut self, levels: usize) {
        self.level = self.level.saturating_sub(levels).max(1);
    }

    /// A heading `depth` levels below the outermost. `safe` is already escaped.
    pub(super) fn heading(&mut self, depth: usize, safe: &str) {
        if let Some(blocks) = &mut self.blocks {
            let level = (self.level + depth).min(DEEPEST) as u8;
            blocks.push(Block::Heading { level, text: plain(safe) });
            return;
        }
        self.separate();
        let marks = "#".repeat((self.level + depth).min(6));
        self.text.push_str(&format!("{marks} {safe}\n"));
    }

    pub(super) fn paragraph(&mut self, safe: &str) {
        if safe.is_empty() {
            return;
        }
        if let Some(blocks) = &mut self.blocks {
            blocks.push(Block::Text(spoken(safe)));
            return;
        }
        self.separate();
        self.text.push_str(safe);
        self.text.push('\n');
    }

    pub(super) fn bullets(&mut self, items: &[String]) {
        self.list(items, |_| "-".to_owned());
    }

    pub(super) fn numbered(&mut self, items: &[String]) {
        self.list(items, |place| format!("{}.", place + 1));
    }

    /// A table; nothing when it has no rows. An empty cell shows a dash.
    pub(super) fn table<const N: usize>(&mut self, header: [&str; N], rows: &[[String; N]]) {
        if rows.is_empty() {
            return;
        }
        if let Some(blocks) = &mut self.blocks {
            blocks.push(table_block(header.iter().copied(), rows.iter().map(|row| row.as_slice())));
            return;
        }
        self.separate();
        self.row(header.iter().copied());
        self.row([(); N].iter().map(|()| "---"));
        for row in rows {
            self.row(row.iter().map(|cell| if cell.is_empty() { "–" } else { cell.as_str() }));
        }
    }

    /// A table whose columns line up as plain text, as far as they are narrow. Every row has as many cells as `header`.
    pub(super) fn padded_table(&mut self, header: &[String], numeric: &[bool], rows: &[Vec<String>]) {
        const WIDEST: usize = 48;
        if let Some(blocks) = &mut self.blocks {
            blocks.push(table_block(header.iter().map(String::as_str), rows.iter().map(Vec::as_slice)));
            return;
        }
        let mut widths: Vec<usize> = header.iter().map(|name| name.chars().count().max(3)).collect();
        for row in rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count().min(WIDEST));
            }
        }
        self.separate();
        self.padded_row(header, &widths, numeric);
        let line = |(place, width): (usize, &usize)| {
            let right = numeric.get(place) == Some(&true);
            let mut line = "-".repeat(width - usize::from(right));
            line.push_str(if right { ":" } else { "" });
            line
        };
        let lines: Vec<String> = widths.iter().enumerate().map(line).collect();
        self.padded_row(&lines, &widths, numeric);
        for row in rows {
            self.padded_row(row, &widths, numeric);
        }
    }

    fn padded_row(&mut self, cells: &[String], widths: &[usize], numeric: &[bool]) {
        for (place, width) in widths.iter().enumerate() {
            let cell = cells.get(place).map(String::as_str).filter(|cell| !cell.is_empty()).unwrap_or("–");
            let padding = " ".repeat(width.saturating_sub(cell.chars().count()));
            let (before, after) =
                if numeric.get(place) == Some(&true) { (padding.as_str(), "") } else { ("", padding.as_str()) };
            for part in ["| ", before, cell, after, " "] {
                self.text.push_str(part);
            }
        }
        self.text.push_str("|\n");
    }

    /// A table whose columns are known only when it is written; a row that is too long or too short is left out.
    pub(super) fn wide_table(&mut self, header: &[String], rows: impl Iterator<Item = Vec<String>>) {
        let rows = rows.filter(|row| row.len() == header.len());
        if let Some(blocks) = &mut self.blocks {
            let rows: Vec<Vec<String>> = rows.collect();
            blocks.push(table_block(header.iter().map(String::as_str), rows.iter().map(Vec::as_slice)));
            return;
        }
        self.separate();
        self.row(header.iter().map(String::as_str));
        self.row(header.iter().map(|_| "---"));
        for row in rows {
            self.row(row.iter().map(|cell| if cell.is_empty() { "–" } else { cell.as_str() }));
        }
    }

    /// Text as it is, in a fence that is longer than any row of backticks in it.
    pub(super) fn fenced(&mut self, text: &str) {
        if let Some(blocks) = &mut self.blocks {
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            blocks.push(Block::List(lines.map(|line| vec![Span::Key(line.to_owned())]).collect()));
            return;
        }
        self.separate();
        let (mut longest, mut row) = (2, 0);
        for character in text.chars() {
            row = if character == '`' { row + 1 } else { 0 };
            longest = longest.max(row);
        }
        let fence = "`".repeat(longest + 1);
        self.text.push_str(&format!("{fence}text\n{text}\n{fence}\n"));
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    fn list(&mut self, items: &[String], mark: impl Fn(usize) -> String) {
        if items.is_empty() {
            return;
        }
        if let Some(blocks) = &mut self.blocks {
            let said = items.iter().enumerate().map(|(place, item)| match mark(place) {
                mark if mark == "-" => spoken(item),
                number => {
                    let mut spans = vec![Span::Text(number + " ")];
                    spans.extend(spoken(item));
                    spans
                }
            });
            blocks.push(Block::List(said.collect()));
            return;
        }
        self.separate();
        for (place, item) in items.iter().enumerate() {
            self.text.push_str(&format!("{} {item}\n", mark(place)));
        }
    }

    fn row<'c>(&mut self, cells: impl Iterator<Item = &'c str>) {
        for cell in cells {
            self.text.push_str("| ");
            self.text.push_str(cell);
            self.text.push(' ');
        }
        self.text.push_str("|\n");
    }

    fn separate(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }
}

/// A table from escaped cells. A column of numbers alone stands to the right.
fn table_block<'a>(header: impl Iterator<Item = &'a str>, rows: impl Iterator<Item = &'a [String]>) -> Block {
    let rows: Vec<Vec<Cell>> = rows
        .map(|row| row.iter().map(|cell| Cell { text: spoken(cell), value: cell.parse().ok() }).collect())
        .collect();
    let is_numeric = |place: usize| {
        let mut cells = rows.iter().filter_map(|row| row.get(place)).filter(|cell| !cell.text.is_empty()).peekable();
        cells.peek().is_some() && cells.all(|cell| cell.value.is_some())
    };
    let columns =
        header.enumerate().map(|(place, name)| Column { name: plain(name), is_numeric: is_numeric(place) }).collect();
    Block::Table(Table { columns, rows, ..Table::default() })
}
