//! Tables that JSON holds by column, or by row label: what pandas' `to_json` and `to_dict` write, and scripts.
//!
//! `{"loss": {"0": 0.5, "1": 0.4}}` (columns), `{"0": {"loss": 0.5}}` (index), `{"loss": [0.5, 0.4]}` (lists), and
//! `{"columns": […], "index": […], "data": [[…]]}` (split). Labels that do not just number the rows are steps:
//! `{"loss": {"10": 0.5, "20": 0.4}}`, `{"step_10": {"loss": 0.5}}`, and pairs, `{"loss": [[10, 0.5], [20, 0.4]]}`.

mod own_steps;

use std::collections::BTreeMap;

use rundown_stats::CompactSort as _;
use rustc_hash::FxHashMap;

use crate::budget::{CELLS, MemoryUse};
use crate::join::interleave_by_step;
use crate::rows::columns::ColumnsByName;
use crate::rows::metric_rows::MetricRows;
use crate::rows::metric_words;
use crate::rows::names::{COARSE_COUNTERS, is_count_name, is_one_of, is_row_text, is_sample_key, is_step_name};
use crate::syntax::json::{JsonError, Scanner, Token, is_blank, nonfinite_word, number};
use crate::time::any_seconds;
use rundown_run::Run;

/// Fewest elements of lists that are a history.
const ENOUGH_ROWS: u64 = 3;

/// Tokens of a list of two, with its end.
const PAIR: usize = 3;
/// Most digits of a label.
const LONGEST_LABEL: usize = 15;

/// Label of a row, column, value.
type Cell = (u64, usize, f64);

/// Cells by the label of their row, in any order.
#[derive(Debug, Default)]
pub(super) struct JsonFrame {
    names: ColumnsByName,
    /// Cells of lists, by their position.
    cells: Vec<Cell>,
    /// Cells of objects, by the label of their row.
    labelled: Vec<Cell>,
    /// A label names what it counts, as `step_10` does.
    has_named_labels: bool,
    /// The labels are the steps of lists.
    has_own_steps: bool,
    /// The file is named after a curve.
    is_named_after_curve: bool,
    /// Pairs of a label and a value, by their column.
    pairs: BTreeMap<usize, Vec<(u64, f64)>>,
    /// Number of cells of all kinds.
    count: usize,
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
    /// A table in a file with this name, without its ending.
    pub(super) fn named(stem: &str) -> Self {
        Self { is_named_after_curve: metric_words::names_curve(stem), ..Self::default() }
    }

    /// Takes the pairs for cells where they are points of a metric: three or more, by rising labels.
    pub(super) fn settle(mut self) -> Self {
        for (column, points) in std::mem::take(&mut self.pairs) {
            let are_points = points.len() as u64 >= ENOUGH_ROWS && points.is_sorted_by(|a, b| a.0 < b.0);
            if !are_points {
                self.count -= points.len();
            } else {
                self.labelled.extend(points.into_iter().map(|(label, value)| (label, column, value)));
            }
        }
        self.label_by_own_steps();
        self
    }

    /// True when there is a cell, and some column is a step or the labels are steps.
    pub(super) fn has_history(&self) -> bool {
        !self.is_empty() && (self.names.names().any(is_step_name) || self.labels_are_steps())
    }

    /// True for a table by row label whose labels count something else than its rows.
    fn labels_are_steps(&self) -> bool {
        let mut labels: Vec<u64> = self.labelled.iter().map(|(label, ..)| *label).collect();
        labels.compact_sort_by_key(|label| *label);
        labels.dedup();
        let is_index = || (0_u64..).zip(&labels).all(|(position, label)| position == *label);
        let is_table = self.cells.is_empty() && labels.len() as u64 >= ENOUGH_ROWS;
        // In the file of a curve one score is enough: elsewhere the labels may be those of questions or of models.
        let has_score = || self.names.names().any(metric_words::is_score) && !self.has_samples();
        let is_history = || self.is_of_training() || (self.is_named_after_curve && has_score());
        is_table && (self.has_named_labels || (is_history() && !is_index()))
    }

    fn is_of_training(&self) -> bool {
        !self.has_samples() && metric_words::are_of_training(self.names.names())
    }

    fn has_samples(&self) -> bool {
        self.names.names().chain(self.lengths.keys().map(String::as_str)).any(is_sample_key)
    }

    /// True for lists of equal length, or rows by their index, with metrics of a training or a counter of many steps such
    /// as the epoch: a history without a step.
    pub(super) fn has_training_rows(&self) -> bool {
        if self.lengths.is_empty() {
            return self.labelled.len() as u64 >= ENOUGH_ROWS && self.is_of_training();
        }
        let mut lengths = self.lengths.values();
        let Some(first) = lengths.next() else { return false };
        let are_equal = *first + 1 >= ENOUGH_ROWS && lengths.all(|length| length == first);
        are_equal && !self.is_empty() && (self.is_of_training() || self.has_coarse_axis())
    }

    /// True for a list of epochs, episodes or the like that rises from row to row beside lists of metrics.
    fn has_coarse_axis(&self) -> bool {
        let rises = |name: &str| {
            let cells = self.cells.iter().filter(|(_, column, _)| self.names.name(*column) == name);
            let values: Vec<f64> = cells.map(|(.., value)| *value).collect();
            values.len() as u64 >= ENOUGH_ROWS && values.is_sorted_by(|a, b| a < b)
        };
        self.has_metric_lists() && self.names.names().any(|name| is_one_of(name, &COARSE_COUNTERS) && rises(name))
    }

    /// True for lists of equal length of which one is a metric: a history where it is known to be of a run.
    pub(super) fn has_metric_lists(&self) -> bool {
        let mut lengths = self.lengths.values();
        let is_long =
            lengths.next().is_some_and(|first| *first + 1 >= ENOUGH_ROWS && lengths.all(|other| other == first));
        let names = || self.lengths.keys().map(String::as_str);
        is_long && !self.cells.is_empty() && names().any(metric_words::is_metric) && !names().any(is_sample_key)
    }

    /// What the cells take.
    pub(super) fn memory_use(&self) -> MemoryUse {
        let cells = MemoryUse { left_out: self.left_out, ..MemoryUse::bytes(self.len() * size_of::<Cell>()) };
        self.names.memory_use() + cells
    }

    /// Number of cells so far.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// True without any cell.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
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
                            Token::ObjectStart => scanner.skip_rest()?,
                            Token::ArrayStart => self.pair(column, &mut scanner)?,
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
            Some(Token::ObjectStart) => scanner.skip_rest()?,
            None => {}
            Some(token) => {
                let column = self.names.named(key);
                match token {
                    Token::ArrayStart => self.pair(column, &mut scanner)?,
                    token => self.cell(label, column, &token),
                }
            }
        }
        match scanner.rest().iter().all(|byte| is_blank(*byte)) {
            true => Ok(()),
            false => Err(JsonError { at: 0, what: "something follows the value" }),
        }
    }

    /// The run: rows of the lists with those of the labels between them, by their steps.
    pub(super) fn into_run(mut self) -> Run {
        if !self.header.is_empty() {
            // What pandas calls the labels of the rows.
            let index = self.names.named("index");
            self.cells.retain(|(_, column, _)| *column != index);
        }
        let is_counted = self.cells.iter().any(|(_, column, _)| is_step_name(self.names.name(*column)));
        let are_steps = is_counted || self.labels_are_steps();
        let mut labelled = std::mem::take(&mut self.labelled);
        if !are_steps || self.cells.is_empty() && self.names.names().any(is_step_name) {
            self.cells.append(&mut labelled);
        }
        let cells = std::mem::take(&mut self.cells);
        let mut run = self.rows(cells, false);
        if !labelled.is_empty() {
            let labelled = self.rows(labelled, true);
            if run.row_steps.is_empty() {
                return labelled;
            }
            interleave_by_step(&mut run, labelled);
        }
        run
    }

    /// Cells as rows in the order of their labels, which are the steps or not.
    fn rows(&self, mut cells: Vec<Cell>, are_steps: bool) -> Run {
        // Stable: of a name that stands twice the last value still comes last.
        cells.compact_sort_by_key(|(label, ..)| *label);
        let mut rows = MetricRows::default();
        for row in cells.chunk_by(|a, b| a.0 == b.0) {
            row.iter().for_each(|(_, column, value)| rows.number(self.names.name(*column), *value));
            if let (true, Some((label, ..))) = (are_steps, row.first()) {
                rows.number("step", *label as f64);
            }
            rows.end_row();
        }
        rows.finish()
    }

    fn inside_object(&mut self, key: &str, scanner: &mut Scanner<'_>) -> Result<(), JsonError> {
        let label_of_row = Label::of(key);
        let mut column_of_key = None;
        while let Some(Token::Key(inner)) = scanner.next()? {
            let place = match (Label::of(&inner), label_of_row) {
                (Some(row), _) => Some((row, *column_of_key.get_or_insert_with(|| self.names.named(key)))),
                (None, Some(row)) => Some((row, self.names.named(&inner))),
                (None, None) => None,
            };
            match (scanner.next()?, place) {
                (Some(Token::ObjectStart | Token::ArrayStart), _) => scanner.skip_rest()?,
                (Some(token), Some((row, column))) => {
                    if let Some(value) = self.value(column, &token) {
                        self.has_named_labels |= row.is_named;
                        self.labelled.push((row.number, column, value));
                    }
                }
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

    /// Reads the rest of a list within a list, which may be a label and a value.
    fn pair(&mut self, column: usize, scanner: &mut Scanner<'_>) -> Result<(), JsonError> {
        let (mut label, mut value, mut length) = (f64::NAN, None, 0);
        while let Some(token) = scanner.next()? {
            length += 1;
            match (token, length) {
                (Token::ArrayEnd, _) => break,
                (Token::ObjectStart | Token::ArrayStart, _) => scanner.skip_rest()?,
                (Token::Number(text), 1) => label = number(text),
                (token, 2) if label >= 0.0 && label.fract() == 0.0 => value = self.value(column, &token),
                _ => {}
            }
        }
        match (value, length) {
            (Some(value), PAIR) => self.pairs.entry(column).or_default().push((label as u64, value)),
            (value, _) => self.count -= usize::from(value.is_some()),
        }
        Ok(())
    }

    fn cell(&mut self, label: u64, column: usize, token: &Token<'_>) {
        if let Some(value) = self.value(column, token) {
            self.cells.push((label, column, value));
        }
    }

    /// The number that a value is; none where there is no room for more.
    fn value(&mut self, column: usize, token: &Token<'_>) -> Option<f64> {
        let value = match token {
            Token::Number(text) => Some(number(text)),
            Token::Bool(value) => Some(f64::from(u8::from(*value))),
            Token::Text(text) if is_row_text(self.names.name(column)) => any_seconds(text),
            Token::Text(text) => nonfinite_word(text),
            _ => None,
        };
        let has_room = self.count < CELLS;
        self.count += usize::from(value.is_some() && has_room);
        self.left_out += u64::from(value.is_some() && !has_room);
        value.filter(|_| has_room)
    }
}

/// The label of a row: a number, alone as pandas counts rows, or behind what it counts.
#[derive(Debug, Clone, Copy)]
struct Label {
    number: u64,
    is_named: bool,
}

impl Label {
    fn of(key: &str) -> Option<Self> {
        let name = key.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let is_named = !name.is_empty();
        if is_named && !is_count_name(name.trim_end_matches(['_', '-', ' ', ':', '='])) {
            return None;
        }
        let digits = key.get(name.len()..).filter(|digits| digits.len() <= LONGEST_LABEL)?;
        Some(Self { number: digits.parse().ok()?, is_named })
    }
}
