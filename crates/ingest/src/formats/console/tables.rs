//! Tables: rows under a head (`| step | reward |` in Markdown or drawn by rich, `step | reward` over `-- | --` as GitHub
//! shows it, `step   reward` in columns), and boxes ([`Boxes`]).

use super::boxes::Boxes;
use super::labelled::{CounterKind, NumberToken};
use crate::budget::MemoryUse;
use crate::rows::metric_rows::MetricRows;
use crate::rows::names::is_step_name;
use rundown_run::Run;
use std::collections::BTreeMap;

/// Rows that prove that tables hold the metrics of a run: a table of settings is one row.
const ENOUGH_ROWS: usize = 3;
/// Longest line that is looked at, and most cells of it.
const MAX_LINE: usize = 4096;
const MAX_CELLS: usize = 200;
/// Fewest columns of a table without bars: two words above two numbers are often text.
const COLUMNS: usize = 3;
/// First columns of the table that TRL's trainers show in a notebook, and one by which the table of GRPO is told from that of a
/// supervised training.
const NOTEBOOK: [&str; 2] = ["Step", "Training Loss"];
const NOTEBOOK_REWARD: &str = "reward";
/// Bytes of the numbers of a row of such a table, about: twenty with their columns.
const KNOWN_BYTES: usize = 512;
/// Signs between cells.
const BARS: [char; 4] = ['|', '│', '┃', '║'];

/// Collects the tables of a log.
#[derive(Debug, Default)]
pub(super) struct Tables {
    rows: MetricRows,
    /// Names of the columns of the table that is open.
    head: Vec<String>,
    /// The table that is open has no bars at its sides.
    is_bare: bool,
    /// The last line, where it may be the head of a table without bars at its sides.
    before: Option<String>,
    boxes: Boxes,
    /// Rows of tables that TRL's trainers show in a notebook, by the first numbers in them: people paste a table again with more
    /// columns.
    known: BTreeMap<Vec<Option<u64>>, KnownRow>,
}

/// A row of a notebook's table.
#[derive(Debug)]
struct KnownRow {
    row: u32,
    /// Its numbers with their columns.
    numbers: Vec<(usize, f64)>,
}

impl Tables {
    /// Adds a line when it is part of a table.
    pub(super) fn add(&mut self, line: &str) -> bool {
        if line.len() > MAX_LINE {
            return false;
        }
        let before = self.before.take();
        // A logger puts the time before the dashes as well: `14:32:15 | -----`.
        let is_dashed = || line.rsplit_once('|').is_some_and(|(_, behind)| is_border(behind));
        if is_border(line) || (before.is_some() && is_dashed()) {
            self.boxes.end();
            return before.is_some_and(|head| self.bare_head(&head, line)) || !self.head.is_empty();
        }
        let Some(cells) = cells(line) else {
            self.boxes.end();
            self.boxes.text(line);
            return if line.contains('|') { self.bare(line) } else { self.columns(line) };
        };
        self.is_bare = false;
        self.boxes.add(&cells, number) || self.row(&cells) || self.open(&cells)
    }

    /// Rows so far.
    pub(super) fn len(&self) -> usize {
        self.rows.len().max(self.boxes.len())
    }

    /// True for boxes whose steps are their titles: nothing else of the log is a row.
    pub(super) fn is_sure(&self) -> bool {
        self.boxes.is_titled() && self.boxes.len() >= ENOUGH_ROWS
    }

    /// True where rows are those that TRL's trainers show in a notebook.
    pub(super) fn is_of_trainer(&self) -> bool {
        self.known.len() >= ENOUGH_ROWS
    }

    /// What the rows take.
    pub(super) fn memory_use(&self) -> MemoryUse {
        self.rows.memory_use() + self.boxes.memory_use() + MemoryUse::bytes(self.known.len() * KNOWN_BYTES)
    }

    /// The line above one of dashes, in a table without bars at its sides. The dashes may go on below all columns.
    fn bare_head(&mut self, head: &str, border: &str) -> bool {
        let head = bare_cells(head);
        let parts = bare_cells(border).len();
        let is_whole = parts < COLUMNS && head.len() >= COLUMNS;
        self.is_bare = (parts == head.len() || is_whole) && self.open(&head);
        self.is_bare
    }

    /// A line with bars between its cells alone: a row, or what may be a head.
    fn bare(&mut self, line: &str) -> bool {
        let cells = bare_cells(line);
        if self.is_bare && self.row(&cells) {
            return true;
        }
        self.head.clear();
        self.before = (cells.len() <= MAX_CELLS).then(|| line.to_owned());
        false
    }

    /// A line of a table whose columns only blanks separate: every cell of a row is a number.
    fn columns(&mut self, line: &str) -> bool {
        // Most lines of a log are neither: those with such a sign need no look at their words.
        let has_comma = line.contains(',');
        if line.contains([':', '=']) || (has_comma && self.head.is_empty()) {
            self.head.clear();
            return false;
        }
        let cells: Vec<&str> = line.split_whitespace().take(MAX_CELLS + 1).collect();
        let is_word = |cell: &&str| cell.starts_with(char::is_alphabetic);
        let is_row = cells.iter().all(|cell| number(cell).is_some());
        let is_head = !has_comma && cells.len() >= COLUMNS && cells.len() <= MAX_CELLS && cells.iter().all(is_word);
        if (is_row && self.row(&cells)) || (is_head && self.open(&cells)) {
            return is_row;
        }
        self.head.clear();
        false
    }

    /// The run that the rows make; none of too few, which are tables of settings.
    pub(super) fn finish(mut self) -> Run {
        self.boxes.end();
        let rows = if self.rows.len() < ENOUGH_ROWS { Run::default() } else { self.rows.finish() };
        let boxes = if self.boxes.len() < ENOUGH_ROWS { Run::default() } else { self.boxes.finish() };
        if boxes.columns.len() > rows.columns.len() { boxes } else { rows }
    }

    /// A row under the open head.
    fn row(&mut self, cells: &[&str]) -> bool {
        let read = |(place, cell): (usize, &&str)| {
            let counts = || self.head.get(place).is_some_and(|name| counts_steps(name));
            number(cell).or_else(|| range_end(cell).filter(|_| counts()))
        };
        let numbers: Vec<Option<f64>> = cells.iter().enumerate().map(read).collect();
        let many = numbers.iter().flatten().count();
        let counted = self.head.iter().zip(&numbers).any(|(name, number)| number.is_some() && counts_steps(name));
        if cells.len() != self.head.len() || 2 * many < cells.len() || !counted {
            return false;
        }
        // Rows of nothing but zeros, as runs begin with them, are alike without being copies.
        let is_telling = numbers.iter().skip(1).flatten().any(|number| number.abs() > 0.0);
        if is_telling && is_of_notebook(&self.head) && self.is_shown_again(&numbers) {
            return true;
        }
        for (name, number) in self.head.iter().zip(numbers) {
            if let Some(number) = number {
                self.rows.number(name, number);
            }
        }
        self.rows.end_row();
        true
    }

    /// True for a row of a notebook's table that was there already, as far as both have the same columns: what else it holds
    /// goes to the first one. Its numbers have six decimals, and are not all alike by chance.
    fn is_shown_again(&mut self, numbers: &[Option<f64>]) -> bool {
        let first: Vec<Option<u64>> =
            numbers.iter().take(NOTEBOOK.len()).map(|number| number.map(f64::to_bits)).collect();
        let named = self.head.iter().zip(numbers);
        let numbers: Vec<(usize, f64)> =
            named.filter_map(|(name, number)| number.map(|number| (self.rows.column(name), number))).collect();
        let is_other = |(column, value): &(usize, f64)| {
            numbers.iter().any(|(other, number)| other == column && number.to_bits() != value.to_bits())
        };
        if let Some(known) = self.known.get_mut(&first)
            && !known.numbers.iter().any(is_other)
        {
            for (column, value) in numbers {
                if known.numbers.iter().all(|(other, _)| *other != column) {
                    self.rows.number_of_earlier(known.row, column, value);
                    known.numbers.push((column, value));
                }
            }
            return true;
        }
        self.known.insert(first, KnownRow { row: self.rows.len() as u32, numbers });
        false
    }

    /// A head: names alone, one of which counts steps.
    fn open(&mut self, cells: &[&str]) -> bool {
        let is_name = |cell: &&str| number(cell).is_none();
        if cells.len() < 2 || !cells.iter().all(is_name) || !cells.iter().any(|cell| counts_steps(cell.trim())) {
            return false;
        }
        self.head = cells.iter().map(|cell| cell.trim().trim_matches(['*', '`']).to_owned()).collect();
        true
    }
}

/// True for the head of a table that TRL's trainers show in a notebook.
fn is_of_notebook(head: &[String]) -> bool {
    head.iter().take(NOTEBOOK.len()).eq(&NOTEBOOK) && head.iter().any(|name| name == NOTEBOOK_REWARD)
}

fn counts_steps(name: &str) -> bool {
    is_step_name(name) || CounterKind::of(name) != CounterKind::Other
}

/// The cells of a line that begins and ends with a bar, as they stand.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix(BARS)?.strip_suffix(BARS)?;
    let cells: Vec<&str> = inner.split(BARS).take(MAX_CELLS + 1).collect();
    (cells.len() <= MAX_CELLS).then_some(cells)
}

/// The cells between the bars of a line.
fn bare_cells(line: &str) -> Vec<&str> {
    line.trim().split('|').take(MAX_CELLS + 1).collect()
}

/// True for a line between rows: dashes and what crosses them.
fn is_border(line: &str) -> bool {
    let line = line.trim();
    let is_line = |c: char| "-=+|: \u{2502}\u{2503}\u{2551}".contains(c) || ('\u{2500}'..='\u{257f}').contains(&c);
    line.chars().all(is_line) && line.chars().filter(|c| "-=─━═".contains(*c)).count() >= 3
}

/// A number in a cell, perhaps with commas between thousands or with a sign of per cent.
fn number(cell: &str) -> Option<f64> {
    let cell = cell.trim().trim_matches('*');
    match cell.strip_suffix('%') {
        Some(share) => plain(share.trim()).map(|share| share / 100.0),
        None => plain(cell),
    }
}

fn plain(cell: &str) -> Option<f64> {
    if !cell.contains(',') {
        return cell.parse().ok();
    }
    // `0,512` has a decimal comma.
    let is_grouped = |number: &NumberToken<'_>| number.length == cell.len() && !cell.starts_with('0');
    NumberToken::of(cell).filter(is_grouped).map(|number| number.value)
}

/// The end of a range of steps such as `1–50` or `51-100`: what the row says holds up to there.
fn range_end(cell: &str) -> Option<f64> {
    let (start, end) = cell.trim().trim_matches('*').split_once(['-', '–', '—'])?;
    let (start, end) = (start.trim().parse::<u32>().ok()?, end.trim().parse::<u32>().ok()?);
    (start < end).then_some(f64::from(end))
}

#[cfg(test)]
mod tests;
