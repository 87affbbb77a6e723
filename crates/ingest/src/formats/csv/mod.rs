//! Tables with a header: CSV from notebooks, pandas, trackers and spreadsheets.
//!
//! The delimiter is a comma, a semicolon (then a decimal comma is understood) or a tab. The header tells which table
//! it is: an export of a W&B chart, a table of runs, one value a row, Axiom events, or rows of metrics.

mod axiom_table;
mod cell;
mod chart;
mod later_header;
mod long_table;
mod metrics;
mod monitor;
mod named_rows;
mod preamble;
mod result_rows;
mod runs_table;
mod sink;
mod step_texts;
mod widths;

use csv_core::{ReadFieldResult, Reader, ReaderBuilder};
use memchr::{memchr, memchr3};

use crate::budget::MemoryUse;
use crate::rows::read_progress::ReadProgress;
use crate::syntax::json::leading_decimal;
use crate::syntax::utf8;
use crate::{FileEnd, FileReader, Occurrences, Place, Problem, Weight};
use crate::{PartKind, PartialRun};
use cell::{clean_name, number};
use later_header::LaterHeader;
pub(crate) use long_table::name_download;
use preamble::Preamble;
pub(crate) use preamble::looks_like_table;
use rundown_format::without_formula_mark;
use rundown_run::{Config, FileFormat};
pub(crate) use runs_table::{RunsTable, tag_of_mlflow};
use sink::{TableOutcome, TableSink};
use widths::RowWidths;

/// Longest cell kept, in bytes; a longer one counts as empty. Cells with a printed config are long.
const MAX_CELL: usize = 4 << 20;
/// Longest cell that is taken past the parser.
const MAX_PLAIN_CELL: usize = 256;
/// Longest row that is taken past the parser.
const MAX_PLAIN_ROW: usize = 1 << 20;
/// Columns of which the names are kept: 100 MB of them. How many of them hold metrics is settled where these are kept.
const MAX_COLUMNS: usize = 1 << 22;

/// Reads a table.
#[derive(Default)]
pub(crate) struct CsvReader {
    path: String,
    parser: Reader,
    delimiter: u8,
    cell: Vec<u8>,
    filled: usize,
    /// The cell being read was longer than [`MAX_CELL`].
    is_long: bool,
    /// The parser stands between two cells of a row.
    is_between: bool,
    /// The parser stands in a cell, perhaps behind no more than its opening quote.
    is_within: bool,
    /// Line breaks that were taken past the parser.
    plain_lines: u64,
    /// Bytes above the header that are still to be skipped.
    above: usize,
    later_header: LaterHeader,
    table: CsvTable,
    /// When an environment's monitor was started and what it monitors, by the line above the header.
    monitored: Option<(f64, Config)>,
    /// Number of columns of the header.
    columns: usize,
    format: FileFormat,
    position: usize,
    /// Cells of the row being read up to the last one that is not blank.
    cells: usize,
    widths: RowWidths,
    /// Cells that were too long to be kept, by their lines.
    long_cells: Occurrences,
}

/// How far the table is known.
enum CsvTable {
    /// Cells of the header so far.
    Header(Vec<String>),
    Rows(Box<dyn TableSink>),
    /// Prompts and completions.
    Samples,
    NoHeader,
}

impl Default for CsvTable {
    fn default() -> Self {
        CsvTable::Header(Vec::new())
    }
}

impl CsvReader {
    /// `head` is the start of the file, from which the delimiter is taken.
    pub(crate) fn new(path: &str, head: &[u8]) -> Self {
        let above = Preamble::of(head);
        let delimiter = above.delimiter.unwrap_or(b',');
        Self {
            path: path.to_owned(),
            parser: ReaderBuilder::new().delimiter(delimiter).build(),
            delimiter,
            above: above.bytes,
            plain_lines: above.lines,
            cell: vec![0; 256],
            format: FileFormat::Table,
            ..Self::default()
        }
    }

    /// Parses `input`. To the parser empty input is the end of the file.
    fn parse(&mut self, mut input: &[u8], is_end: bool) {
        while is_end || !input.is_empty() {
            while let Some(rest) = self.plain_row(input) {
                input = rest;
            }
            while let Some((cell, rest)) = self.plain_cell(input) {
                self.add_cell(cell);
                input = rest;
            }
            // What is left after the plain cells may be nothing, which would end the file.
            if input.is_empty() && !is_end {
                return;
            }
            self.is_between = false;
            let room = self.cell.get_mut(self.filled..).unwrap_or_default();
            let (result, read, written) = self.parser.read_field(input, room);
            self.filled += written;
            let (ended, rest) = input.split_at_checked(read).unwrap_or((input, &[]));
            input = rest;
            self.is_within |= !ended.is_empty();
            match result {
                ReadFieldResult::InputEmpty | ReadFieldResult::End => return,
                ReadFieldResult::OutputFull if self.cell.len() < MAX_CELL => self.cell.resize(self.cell.len() * 2, 0),
                // Its room may be used again.
                ReadFieldResult::OutputFull => {
                    self.is_long = true;
                    self.filled = 0;
                }
                ReadFieldResult::Field { record_end } => {
                    let cell = std::mem::take(&mut self.cell);
                    self.add_cell(cell.get(..self.filled).unwrap_or_default());
                    self.cell = cell;
                    self.filled = 0;
                    self.is_long = false;
                    self.is_within = false;
                    self.is_between = !record_end;
                    if record_end {
                        // Behind a line feed the parser stands on the next line, behind a carriage return not yet.
                        let has_feed = !is_end && ended.last() == Some(&b'\n');
                        self.end_row(self.parser.line() + self.plain_lines - u64::from(has_feed));
                    }
                }
            }
        }
    }

    /// Reads the next row where it needs no parser: a whole line without quotes. What follows it; `None` elsewhere. The
    /// parser is in the same state behind it as before it.
    fn plain_row<'i>(&mut self, input: &'i [u8]) -> Option<&'i [u8]> {
        let is_row_start = self.position == 0 && !self.is_between && !self.is_within;
        if !is_row_start || !matches!(self.table, CsvTable::Rows(_)) {
            return None;
        }
        // The end of the row before, and empty lines.
        let blanks = input.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
        let (blanks, input) = input.split_at_checked(blanks)?;
        let end = memchr3(b'\n', b'\r', b'"', input.get(..MAX_PLAIN_ROW).unwrap_or(input))?;
        let (line, rest) = input.split_at_checked(end)?;
        let rest = rest.strip_prefix(b"\n").or_else(|| rest.strip_prefix(b"\r\n"))?;
        self.plain_lines += blanks.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        let mut left = Some(line);
        while let Some(cells) = left {
            left = self.add_plain_cell(cells);
        }
        self.end_row(self.parser.line() + self.plain_lines - 1);
        Some(rest)
    }

    /// Adds the first cell of the rest of a plain line, and gives what follows it; `None` after the last.
    fn add_plain_cell<'i>(&mut self, cells: &'i [u8]) -> Option<&'i [u8]> {
        // Nearly all cells are decimals, and reading one finds its end: no search for the delimiter.
        if let Some((value, length)) = leading_decimal(cells)
            && cells.get(length).is_none_or(|next| *next == self.delimiter)
            && let CsvTable::Rows(sink) = &mut self.table
        {
            if self.position < self.columns {
                sink.decimal(self.position, cells.get(..length).unwrap_or_default(), value);
            } else {
                self.widths.more_numbers += 1;
            }
            self.position += 1;
            self.cells = self.position;
            return cells.get(length + 1..);
        }
        let end = memchr(self.delimiter, cells).unwrap_or(cells.len());
        self.add_text(&utf8(cells.get(..end).unwrap_or_default()));
        cells.get(end + 1..)
    }

    /// The next cell and what follows its delimiter, where that needs no parser: a short cell without quotes between
    /// two others. The parser is in the same state behind it as before it.
    fn plain_cell<'i>(&self, input: &'i [u8]) -> Option<(&'i [u8], &'i [u8])> {
        if !self.is_between {
            return None;
        }
        let mut near = input.iter().take(MAX_PLAIN_CELL);
        let end = near.position(|byte| *byte == self.delimiter || matches!(byte, b'"' | b'\n' | b'\r'))?;
        let (cell, rest) = input.split_at_checked(end)?;
        let (first, rest) = rest.split_first()?;
        (*first == self.delimiter).then_some((cell, rest))
    }

    fn add_cell(&mut self, cell: &[u8]) {
        // Checking is faster than repairing, which is hardly ever needed.
        let text = utf8(cell);
        if self.is_long {
            self.long_cells.add((self.parser.line() + self.plain_lines).saturating_sub(1));
            self.cells = self.position + 1;
        }
        self.add_text(if self.is_long { "" } else { &text });
    }

    fn add_text(&mut self, text: &str) {
        let is_bare = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
        let text = match text.as_bytes() {
            // Nearly all cells: no blanks around it, and no mark.
            bytes if is_bare(bytes.first()) && is_bare(bytes.last()) => text,
            // A cell that Rundown or another careful writer kept from being a formula.
            _ => without_formula_mark(text.trim()),
        };
        if !text.is_empty() {
            self.cells = self.position + 1;
        }
        match &mut self.table {
            CsvTable::Header(header) if header.len() < MAX_COLUMNS => header.push(text.to_owned()),
            CsvTable::Rows(sink) => {
                self.later_header.add(self.position, text, self.delimiter);
                if self.position < self.columns {
                    sink.cell(self.position, text);
                } else {
                    self.widths.more_numbers += usize::from(number(text, self.delimiter).is_some());
                }
            }
            _ => {}
        }
        self.position += 1;
    }

    /// Ends the row whose last cell is on this line, counted from 1.
    fn end_row(&mut self, line: u64) {
        match &mut self.table {
            CsvTable::Header(header) if self.cells == 0 => header.clear(),
            CsvTable::Header(header) => {
                let header = std::mem::take(header);
                if let Some(seconds) = header.first().and_then(|first| monitor::started_at(first)) {
                    self.monitored = Some((seconds, monitor::settings(&header)));
                    (self.position, self.cells) = (0, 0);
                    return;
                }
                self.columns = self.position;
                self.lay_out(&header);
            }
            CsvTable::Rows(sink) => {
                let names = self.later_header.end_row(self.position);
                if names.is_some_and(|names| sink.change_header(&names)) {
                    self.columns = self.position;
                } else {
                    let is_torn = self.widths.end_row(line, self.columns, self.position, self.cells);
                    if is_torn && sink.drop_row() {
                        self.widths.add_torn();
                    } else {
                        sink.end_row();
                    }
                }
            }
            CsvTable::Samples | CsvTable::NoHeader => {}
        }
        (self.position, self.cells) = (0, 0);
    }

    /// Settles which table it is by the names of its columns.
    fn lay_out(&mut self, header: &[String]) {
        let delimiter = self.delimiter;
        let names: Vec<String> = header.iter().map(|name| clean_name(name)).collect();
        let has = |wanted: &str| names.iter().any(|name| name.eq_ignore_ascii_case(wanted));
        let is_value = |name: &String| name.is_empty() || number(name, delimiter).is_some();
        if names.iter().all(is_value) {
            self.table = CsvTable::NoHeader;
            return;
        }
        let (format, sink): (FileFormat, Box<dyn TableSink>) = if let Some(episodes) =
            self.monitored.take().and_then(|(from, config)| monitor::MonitorTable::new(&names, from, config, delimiter))
        {
            (FileFormat::Table, Box::new(episodes))
        } else if let Some(events) = axiom_table::AxiomTable::new(&names, delimiter) {
            (FileFormat::Axiom, Box::new(events))
        } else if let Some(chart) = chart::ChartTable::new(&names, delimiter) {
            (FileFormat::ChartExport, Box::new(chart))
        } else if let Some(table) = long_table::LongTable::new(&names, delimiter) {
            let is_download = table.is_download();
            (if is_download { FileFormat::TensorBoardDownload } else { FileFormat::Table }, Box::new(table))
        } else if let Some(runs) = runs_table::RunsTable::new(&names, delimiter) {
            (FileFormat::RunsTable, Box::new(runs))
        } else if let Some(rows) = named_rows::NamedRows::new(&names, delimiter) {
            (FileFormat::Table, Box::new(rows))
        } else if ["prompt", "completion", "completions", "response"].into_iter().any(has) {
            self.table = CsvTable::Samples;
            return;
        } else {
            (FileFormat::Table, Box::new(metrics::MetricTable::new(&names, delimiter)))
        };
        self.format = format;
        self.table = CsvTable::Rows(sink);
        self.later_header = LaterHeader::after(names);
    }
}

impl FileReader for CsvReader {
    fn push(&mut self, bytes: &[u8]) {
        let skipped = bytes.len().min(self.above);
        self.above -= skipped;
        self.parse(bytes.get(skipped..).unwrap_or_default(), false);
    }

    fn set_progress(&mut self, progress: ReadProgress) {
        if let CsvTable::Rows(sink) = &mut self.table {
            sink.set_progress(progress);
        }
    }

    fn memory_use(&self) -> MemoryUse {
        match &self.table {
            CsvTable::Rows(sink) => sink.memory_use(),
            CsvTable::Header(names) => MemoryUse::bytes(names.len() * size_of::<String>()),
            CsvTable::Samples | CsvTable::NoHeader => MemoryUse::default(),
        }
    }

    fn finish(mut self: Box<Self>, end: &mut FileEnd) -> (Vec<PartialRun>, Vec<Problem>) {
        // The last row, unless more of it was to come: its last number may be cut.
        if !end.is_stopped {
            self.parse(b"", true);
        }
        end.format = self.format;
        let sink = match self.table {
            CsvTable::Rows(sink) => sink,
            CsvTable::Samples => return (Vec::new(), vec![of_samples()]),
            CsvTable::Header(_) | CsvTable::NoHeader => {
                let what = "The table has no header, so that its columns have no names.";
                let remedy = "Add a first line with the names, such as step,reward,kl.";
                return (Vec::new(), vec![Problem::here(Place::Line(1), Weight::Lost, what, remedy)]);
            }
        };
        let TableOutcome { runs, format, problems: of_table, are_samples, are_results } = sink.finish(&self.path);
        if are_samples || are_results {
            return (Vec::new(), vec![if are_samples { of_samples() } else { of_results() }]);
        }
        end.format = format.unwrap_or(end.format);
        let mut problems: Vec<Problem> = self.widths.problem().into_iter().collect();
        if let Some(line) = self.long_cells.first {
            let what = format!("Too large: {} cells are longer than 4 MB and count as empty.", self.long_cells.count);
            problems.push(Problem::here(Place::Line(line), Weight::Partial, what, ""));
        }
        if self.columns > MAX_COLUMNS {
            let what = format!("Too large: of {} columns the first {MAX_COLUMNS} are read.", self.columns);
            problems.push(Problem::here(Place::Line(1), Weight::Partial, what, "Export fewer columns."));
        }
        if runs.is_empty() {
            let what = "The table holds no number below its header.";
            problems.push(Problem::here(Place::File, Weight::Lost, what, ""));
            return (Vec::new(), problems);
        }
        problems.extend(of_table);
        let part = |run| PartialRun::of(run, PartKind::History);
        (runs.into_iter().map(part).collect(), problems)
    }
}

fn of_results() -> Problem {
    let what = "This table holds results on several benchmarks, or of several seeds, and no steps: they are no history, and are not read.";
    let remedy = "With a column of steps its rows are read as the history of each run.";
    Problem::here(Place::File, Weight::Remark, what, remedy)
}

fn of_samples() -> Problem {
    let what = "This table holds samples (prompts and completions), not metrics, and is not supported yet.";
    Problem::here(Place::File, Weight::Remark, what, "")
}

#[cfg(test)]
mod tests;
