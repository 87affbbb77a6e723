//! Tables that JSON holds by column, or by row label: what pandas' `to_json` and `to_dict` write.
//!
//! `{"loss": {"0": 0.5, "1": 0.4}}` (columns), `{"0": {"loss": 0.5}}` (index), `{"loss": [0.5, 0.4]}` (lists), and
//! `{"columns": […], "index": […], "data": [[…]]}` (split).

use rustc_hash::FxHashMap;

use crate::budget::{CELLS, Kept};
use crate::rows::columns::ColumnsByName;
use crate::rows::metric_rows::MetricRows;
use crate::rows::metric_words;
use crate::rows::names::{is_row_text, is_sample_key, is_step_name};
use crate::syntax::json::{JsonError, Scanner, Token, is_blank, nonfinite_word, number};
use crate::time::any_seconds;

/// Fewest elements of lists that are a history.
const ENOUGH_ROWS: u64 = 3;

/// Cells by the label of their row, in any order.
#[derive(Debug, Default)]
pub(super) struct JsonFrame {
    names: ColumnsByName,
    cells: Vec<(u64, usize, f64)>,
    /// Label of the last element of each list.
    lengths: FxHashMap<String, u64>,
    /// Names of the columns of a split table.
    header: Vec<String>,
    split_rows: u64,
    /// Rows of a split table that came before its names.
    headless: u64,
    /// Cells that were left out, as they are too many.
    left_out: u64,
}

impl JsonFrame {
    /// True when there is a cell, and some column is a step.
    pub(super) fn has_history(&self) -> bool {
        !self.cells.is_empty() && self.names.names().any(is_step_name)
    }

    /// True for lists of equal length with metrics of a training: a history without a step.
    pub(super) fn has_training_lists(&self) -> bool {
        let mut lengths = self.lengths.values();
        let Some(first) = lengths.next() else { return false };
        let is_sample = self.names.names().chain(self.lengths.keys().map(String::as_str)).any(is_sample_key);
        let are_equal = *first + 1 >= ENOUGH_ROWS && lengths.all(|length| length == first);
        are_equal && !is_sample && metric_words::are_of_training(self.names.names())
    }

    /// What the cells take.
    pub(super) fn kept(&self) -> Kept {
        let cells = Kept { left_out: self.left_out, ..Kept::bytes(self.cells.len() * size_of::<(u64, usize, f64)>()) };
        self.names.kept() + cells
    }

    /// Number of cells so far.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// True without any cell.
    pub(super) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Rows that could not be used, as their columns had no names yet.
    pub(super) fn headless(&self) -> u64 {
        self.headless
    }

    /// Takes a member that is an object: a column by row label, or a row by column name.
    pub(super) fn object(&mut self, key: &str, bytes: &[u8]) -> Result<(), JsonError> {
        let mut scanner = Scanner::new(bytes);
        match scanner.next()? {
            Some(Token::ObjectStart) => self.inside_object(key, &mut scanner),
            _ => Ok(()),
        }
    }

    /// Takes an object whose members are columns (lists, or objects by row label) or rows.
    pub(super) fn members(&mut self, bytes: &[u8]) -> Result<(), JsonError> {
        let mut scanner = Scanner::new(bytes);
        if scanner.next()? != Some(Token::ObjectStart) {
            return Ok(());
        }
        while let Some(Token::Key(key)) = scanner.next()? {
            let key = key.into_owned();
            match scanner.next()? {
                Some(Token::ObjectStart) => self.inside_object(&key, &mut scanner)?,
                Some(Token::ArrayStart) => {
                    let column = self.names.named(&key);
                    let mut label = 0;
                    while let Some(token) = scanner.next()? {
                        match token {
                            Token::ArrayEnd => break,
                            Token::ObjectStart | Token::ArrayStart => scanner.skip_rest()?,
                            token => self.cell(label, column, &token),
                        }
                        label += 1;
                    }
                    if label > 0 {
                        self.lengths.insert(key, label - 1);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes the next element of a list that is a member.
    pub(super) fn element(&mut self, key: &str, bytes: &[u8]) -> Result<(), JsonError> {
        let label = match self.lengths.get_mut(key) {
            Some(length) => {
                *length += 1;
                *length
            }
            None => {
                self.lengths.insert(key.to_owned(), 0);
                0
            }
        };
        let mut scanner = Scanner::new(bytes);
        match scanner.next()? {
            Some(Token::Text(name)) if key == "columns" => self.header.push(name.into_owned()),
            Some(Token::ArrayStart) if key == "data" => return self.split_row(&mut scanner),
            Some(Token::ObjectStart | Token::ArrayStart) => scanner.skip_rest()?,
            None => {}
            Some(token) => {
                let column = self.names.named(key);
                self.cell(label, column, &token);
            }
        }
        match scanner.rest().iter().all(|byte| is_blank(*byte)) {
            true => Ok(()),
            false => Err(JsonError { at: 0, what: "something follows the value" }),
        }
    }

    /// Moves the cells into rows, in the order of their labels.
    pub(super) fn fill(mut self, rows: &mut MetricRows) {
        if !self.header.is_empty() {
            // What pandas calls the labels of the rows.
            let index = self.names.named("index");
            self.cells.retain(|(_, column, _)| *column != index);
        }
        // Stable: of a name that stands twice the last value still comes last.
        self.cells.sort_by_key(|(label, _, _)| *label);
        let mut last = None;
        for (label, column, value) in self.cells {
            if last.is_some_and(|last| last != label) {
                rows.end_row();
            }
            last = Some(label);
            rows.number(self.names.name(column), value);
        }
        rows.end_row();
    }

    fn inside_object(&mut self, key: &str, scanner: &mut Scanner<'_>) -> Result<(), JsonError> {
        let label_of_row = label(key);
        let mut column_of_key = None;
        while let Some(Token::Key(inner)) = scanner.next()? {
            let place = match (label(&inner), label_of_row) {
                (Some(row), _) => Some((row, *column_of_key.get_or_insert_with(|| self.names.named(key)))),
                (None, Some(row)) => Some((row, self.names.named(&inner))),
                (None, None) => None,
            };
            match (scanner.next()?, place) {
                (Some(Token::ObjectStart | Token::ArrayStart), _) => scanner.skip_rest()?,
                (Some(token), Some((row, column))) => self.cell(row, column, &token),
                _ => {}
            }
        }
        Ok(())
    }

    fn split_row(&mut self, scanner: &mut Scanner<'_>) -> Result<(), JsonError> {
        if self.header.is_empty() {
            self.headless += 1;
            return Ok(());
        }
        let label = self.split_rows;
        self.split_rows += 1;
        let mut position = 0;
        while let Some(token) = scanner.next()? {
            match token {
                Token::ArrayEnd => break,
                Token::ObjectStart | Token::ArrayStart => scanner.skip_rest()?,
                token => {
                    if let Some(name) = self.header.get(position) {
                        let column = self.names.named(name);
                        self.cell(label, column, &token);
                    }
                }
            }
            position += 1;
        }
        Ok(())
    }

    fn cell(&mut self, label: u64, column: usize, token: &Token<'_>) {
        let value = match token {
            Token::Number(text) => Some(number(text)),
            Token::Bool(value) => Some(f64::from(u8::from(*value))),
            Token::Text(text) if is_row_text(self.names.name(column)) => any_seconds(text),
            Token::Text(text) => nonfinite_word(text),
            _ => None,
        };
        let Some(value) = value else { return };
        if self.cells.len() < CELLS {
            self.cells.push((label, column, value));
        } else {
            self.left_out += 1;
        }
    }
}

/// The label of a row as pandas counts them.
fn label(key: &str) -> Option<u64> {
    let is_number = !key.is_empty() && key.len() <= 15 && key.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { key.parse().ok() } else { None }
}
