//! Tables with a header: CSV from notebooks, pandas, trackers and spreadsheets.
//!
//! The delimiter is a comma, a semicolon (then a decimal comma is understood) or a tab. W&B's export of a chart
//! holds several runs side by side (`run - metric` with `__MIN` and `__MAX`) and becomes as many.

mod chart;

use csv_core::{ReadFieldResult, Reader, ReaderBuilder};

use super::json::nonfinite_word;
use super::rows::{Rows, is_step_name};
use super::{FileReader, Fragment, Place, Problem, Role, Weight, path};
use crate::run::{Run, Warning};
use chart::Target;

/// Longest cell kept, in bytes; the rest of a longer one is passed over. No number is that long.
const MAX_CELL: usize = 64 * 1024;
/// More columns than any table of metrics has.
const MAX_COLUMNS: usize = 100_000;

/// Reads a table.
pub(crate) struct CsvReader {
    path: String,
    parser: Reader,
    delimiter: u8,
    cell: Vec<u8>,
    filled: usize,
    /// The cell being read was longer than [`MAX_CELL`].
    is_long: bool,
    /// Cells of the header, until it is complete.
    header: Vec<String>,
    layout: Option<Layout>,
    position: usize,
    /// The row being read has a cell that is not blank.
    row_has_text: bool,
    rows: Vec<NamedRows>,
    uneven: u64,
    first_uneven: Option<u64>,
}

/// The rows of one run of the table.
struct NamedRows {
    name: String,
    rows: Rows,
}

/// What each column of the table is.
struct Layout {
    kind: Kind,
    columns: Vec<Option<Target>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Metrics,
    ChartExport,
    RunsTable,
    Samples,
    NoHeader,
}

impl CsvReader {
    /// `head` is the start of the file, from which the delimiter is taken.
    pub(crate) fn new(path: &str, head: &[u8]) -> Self {
        let delimiter = delimiter(head).unwrap_or(b',');
        Self {
            path: path.to_owned(),
            parser: ReaderBuilder::new().delimiter(delimiter).build(),
            delimiter,
            cell: vec![0; 256],
            filled: 0,
            is_long: false,
            header: Vec::new(),
            layout: None,
            position: 0,
            row_has_text: false,
            rows: Vec::new(),
            uneven: 0,
            first_uneven: None,
        }
    }

    /// Parses `input`. To the parser empty input is the end of the file.
    fn parse(&mut self, mut input: &[u8], is_end: bool) {
        while is_end || !input.is_empty() {
            let room = self.cell.get_mut(self.filled..).unwrap_or_default();
            let (result, read, written) = self.parser.read_field(input, room);
            self.filled += written;
            input = input.get(read..).unwrap_or_default();
            match result {
                ReadFieldResult::InputEmpty | ReadFieldResult::End => return,
                ReadFieldResult::OutputFull if self.cell.len() < MAX_CELL => self.cell.resize(self.cell.len() * 2, 0),
                // Longer than any number: it is text, and its room may be used again.
                ReadFieldResult::OutputFull => {
                    self.is_long = true;
                    self.filled = 0;
                }
                ReadFieldResult::Field { record_end } => {
                    self.take_cell();
                    self.filled = 0;
                    self.is_long = false;
                    if record_end {
                        self.end_row();
                    }
                }
            }
        }
    }

    fn take_cell(&mut self) {
        let text = String::from_utf8_lossy(self.cell.get(..self.filled).unwrap_or_default());
        let text = text.trim();
        self.row_has_text |= !text.is_empty();
        match &self.layout {
            None if self.header.len() < MAX_COLUMNS => self.header.push(text.to_owned()),
            None => {}
            Some(layout) => {
                let target = layout.columns.get(self.position).and_then(Option::as_ref);
                if let (Some(target), Some(value), false) = (target, number(text, self.delimiter), self.is_long) {
                    match target.run {
                        Some(run) => {
                            self.rows.get_mut(run).into_iter().for_each(|run| run.rows.number(&target.key, value))
                        }
                        None => self.rows.iter_mut().for_each(|run| run.rows.number(&target.key, value)),
                    }
                }
            }
        }
        self.position += 1;
    }

    fn end_row(&mut self) {
        match &self.layout {
            None if !self.row_has_text => self.header.clear(),
            None => {
                let header = std::mem::take(&mut self.header);
                self.rows =
                    self.lay_out(&header).into_iter().map(|name| NamedRows { name, rows: Rows::default() }).collect();
            }
            Some(layout) => {
                if self.row_has_text && self.position != layout.columns.len() {
                    self.uneven += 1;
                    self.first_uneven.get_or_insert(self.parser.line().saturating_sub(1));
                }
                self.rows.iter_mut().for_each(|run| run.rows.end_row());
            }
        }
        self.position = 0;
        self.row_has_text = false;
    }

    /// Settles what each column is, and gives the names of the runs in the table.
    fn lay_out(&mut self, header: &[String]) -> Vec<String> {
        let names: Vec<String> = header.iter().map(|name| clean_name(name)).collect();
        let has = |wanted: &str| names.iter().any(|name| name.eq_ignore_ascii_case(wanted));
        let (kind, columns, runs) =
            if names.iter().all(|name| name.is_empty() || number(name, self.delimiter).is_some()) {
                (Kind::NoHeader, Vec::new(), Vec::new())
            } else if let Some((columns, runs)) = chart::layout(&names) {
                (Kind::ChartExport, columns, runs)
            } else if has("Name") && (has("State") || has("Created") || has("Runtime")) {
                (Kind::RunsTable, Vec::new(), Vec::new())
            } else if has("prompt") || has("completion") || has("completions") || has("response") {
                (Kind::Samples, Vec::new(), Vec::new())
            } else {
                let target = |key: &String| (!key.is_empty()).then(|| Target { run: None, key: key.clone() });
                (Kind::Metrics, names.iter().map(target).collect(), vec![String::new()])
            };
        self.layout = Some(Layout { kind, columns });
        runs
    }
}

impl FileReader for CsvReader {
    fn push(&mut self, bytes: &[u8]) {
        self.parse(bytes, false);
    }

    fn finish(mut self: Box<Self>) -> (Vec<Fragment>, Vec<Problem>) {
        self.parse(b"", true);
        let kind = self.layout.as_ref().map_or(Kind::NoHeader, |layout| layout.kind);
        let problem = |place, weight, what: &str, remedy: &str| Problem::new(&self.path, place, weight, what, remedy);
        let mut problems = Vec::new();
        match kind {
            Kind::Metrics | Kind::ChartExport => {}
            Kind::RunsTable => {
                let what = "This is a table of runs with one row each: it has no history and is not read yet.";
                return (Vec::new(), vec![problem(Place::File, Weight::Remark, what, "Drop the runs' own files.")]);
            }
            Kind::Samples => {
                let what = "This table holds samples (prompts and completions), not metrics, and is not read yet.";
                return (Vec::new(), vec![problem(Place::File, Weight::Remark, what, "")]);
            }
            Kind::NoHeader => {
                let what = "The table has no header, so that its columns have no names.";
                let remedy = "Add a first line with the names, such as step,reward,kl.";
                return (Vec::new(), vec![problem(Place::Line(1), Weight::Lost, what, remedy)]);
            }
        }
        if let Some(line) = self.first_uneven {
            let what = format!("{} rows have more or fewer cells than the header.", self.uneven);
            problems.push(problem(Place::Line(line), Weight::Remark, &what, ""));
        }
        let folder = path::folder(&self.path).to_owned();
        let mut fragments = Vec::new();
        for NamedRows { name, rows } in self.rows {
            if rows.len() > 0 {
                let run = Run { name, warnings: warnings(kind), ..rows.finish() };
                fragments.push(Fragment { run, role: Role::Primary, folder: folder.clone() });
            }
        }
        if fragments.is_empty() {
            let what = "The table holds no number below its header.";
            problems.push(Problem::new(&self.path, Place::File, Weight::Lost, what, ""));
        }
        (fragments, problems)
    }
}

fn warnings(kind: Kind) -> Vec<Warning> {
    let text = "read from the export of a W&B chart, which may be sampled or averaged: spikes may be missing";
    match kind {
        Kind::ChartExport => vec![Warning { text: text.to_owned(), step: None }],
        _ => Vec::new(),
    }
}

/// The delimiter that the first line has most of, if it has any.
pub(crate) fn delimiter(head: &[u8]) -> Option<u8> {
    let line = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let (mut in_quotes, mut commas, mut semicolons, mut tabs) = (false, 0, 0, 0);
    for byte in line {
        match byte {
            b'"' => in_quotes = !in_quotes,
            b'\n' if !in_quotes => break,
            b',' if !in_quotes => commas += 1,
            b';' if !in_quotes => semicolons += 1,
            b'\t' if !in_quotes => tabs += 1,
            _ => {}
        }
    }
    let best = [(tabs, b'\t'), (semicolons, b';'), (commas, b',')].into_iter().max_by_key(|(count, _)| *count);
    best.filter(|(count, _)| *count > 0).map(|(_, delimiter)| delimiter)
}

/// A column's name as the other formats write it: notebooks show `Training Loss` and `rewards / correctness`.
fn clean_name(name: &str) -> String {
    let name = name.trim_start_matches('\u{feff}').trim().replace(" / ", "/");
    match name.to_ascii_lowercase().as_str() {
        "training loss" => "loss".to_owned(),
        "validation loss" => "eval_loss".to_owned(),
        lower @ ("step" | "epoch") => lower.to_owned(),
        // The index that pandas writes has no name, or this one when it was read back.
        "unnamed: 0" => String::new(),
        _ => name,
    }
}

/// A cell as a number; `None` for text and for the many ways to write nothing.
fn number(cell: &str, delimiter: u8) -> Option<f64> {
    match cell.bytes().next()? {
        b'0'..=b'9' | b'-' | b'+' | b'.' => {}
        _ => {
            return match cell.to_ascii_lowercase().as_str() {
                "nan" => Some(f64::NAN),
                "inf" | "infinity" => Some(f64::INFINITY),
                "true" => Some(1.0),
                "false" => Some(0.0),
                _ => nonfinite_word(cell),
            };
        }
    }
    if delimiter == b';' && cell.contains(',') && !cell.contains('.') {
        return cell.replacen(',', ".", 1).parse().ok();
    }
    cell.parse().ok()
}

/// True when the file reads as a table: the first two lines have equally many cells, names above and a number below.
pub(crate) fn looks_like_table(head: &[u8]) -> bool {
    let Some(delimiter) = delimiter(head) else { return false };
    let text = String::from_utf8_lossy(head);
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let (Some(header), Some(first)) = (lines.next(), lines.next()) else { return false };
    let cells = |line: &str| -> Vec<String> {
        line.split(char::from(delimiter)).map(|cell| cell.trim().trim_matches('"').to_owned()).collect()
    };
    let (names, values) = (cells(header), cells(first));
    let is_number = |cell: &String| number(cell, delimiter).is_some();
    let is_name = |name: &String| !is_number(name) && name.len() < 200;
    names.len() == values.len()
        && names.iter().all(is_name)
        && values.iter().any(is_number)
        && (names.iter().any(|name| is_step_name(&clean_name(name)))
            || values.iter().filter(|cell| is_number(cell)).count() * 2 > values.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_in(text: &str, slice: usize) -> (Vec<Fragment>, Vec<Problem>) {
        let mut reader = Box::new(CsvReader::new("t.csv", text.as_bytes()));
        for part in text.as_bytes().chunks(slice) {
            reader.push(part);
        }
        reader.finish()
    }

    fn read(text: &str) -> Run {
        let (mut fragments, problems) = read_in(text, 5);
        assert_eq!(problems, []);
        fragments.remove(0).run
    }

    #[test]
    fn a_notebook_table_is_a_run() {
        let run = read("\u{feff}Step,Training Loss,rewards / correct,kl\n1,0.5,No log,nan\n2,-0.000000,1.5,\n\n");
        assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["kl", "loss", "rewards/correct", "step"]);
        assert_eq!(run.columns["loss"].values(), [0.5, 0.0]);
        assert_eq!(run.columns["rewards/correct"].rows(), [1]);
        assert!(run.columns["kl"].values()[0].is_nan());
    }

    #[test]
    fn semicolons_bring_decimal_commas() {
        let run = read("step;loss;name\r\n1;0,5;a,b\r\n2;1e-3;c\r\n");
        assert_eq!(run.columns["loss"].values(), [0.5, 1e-3]);
        assert!(!run.columns.contains_key("name"));
    }

    #[test]
    fn tabs_quotes_and_long_cells_are_read() {
        let long = "x".repeat(200_000);
        let run = read(&format!("step\t\"a\t\"\"b\"\"\"\ttext\n1\t\"2.5\"\t{long}\n2\t3\t\"line\nbreak\"\n"));
        assert_eq!(run.columns["a\t\"b\""].values(), [2.5, 3.0]);
    }

    #[test]
    fn the_index_of_pandas_is_no_metric() {
        let run = read(",_step,_runtime,_timestamp,train/loss\n0,0,1.5,1790000000.5,2\n1,5,2.5,1790000001.5,1\n");
        assert_eq!(run.row_steps, [0.0, 5.0]);
        assert_eq!(run.row_times, [1_790_000_000.5, 1_790_000_001.5]);
        assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["train/loss"]);
    }

    #[test]
    fn a_chart_export_is_several_runs() {
        let text = "\"Step\",\"a - b - loss\",\"a - b - loss__MIN\",\"a - b - loss__MAX\",\"c - loss\",\"c - loss__MIN\",\"c - loss__MAX\"\n\
                    \"0\",\"1\",\"1\",\"1\",\"\",\"\",\"\"\n\"10\",\"2\",\"2\",\"2\",\"3\",\"3\",\"3\"\n";
        let (fragments, problems) = read_in(text, 9);
        assert_eq!(problems, []);
        let seen: Vec<_> = fragments
            .iter()
            .map(|fragment| (fragment.run.name.as_str(), fragment.run.columns["loss"].values().to_vec()))
            .collect();
        assert_eq!(seen, [("a - b", vec![1.0, 2.0]), ("c", vec![3.0])]);
        assert_eq!(fragments[0].run.columns["step"].values(), [0.0, 10.0]);
        assert_eq!(fragments[0].run.warnings.len(), 1);
    }

    #[test]
    fn what_is_no_table_of_metrics_says_so() {
        let weight = |text| {
            let (fragments, problems) = read_in(text, 100);
            assert!(fragments.is_empty());
            problems[0].weight
        };
        assert_eq!(weight("Name,State,Created,lr\nrun-1,finished,2026,0.1\n"), Weight::Remark);
        assert_eq!(weight("prompt,completion,reward\n2+2,4,1\n"), Weight::Remark);
        assert_eq!(weight("1,2\n3,4\n"), Weight::Lost);
        assert_eq!(weight("step,loss\na,b\n"), Weight::Lost);
        assert_eq!(weight(""), Weight::Lost);
    }

    #[test]
    fn uneven_rows_are_counted() {
        let (fragments, problems) = read_in("step,loss\n1,2\n2\n3,4,5\n", 3);
        assert_eq!(fragments[0].run.columns["step"].values(), [1.0, 2.0, 3.0]);
        assert_eq!((problems[0].place, problems[0].weight), (Place::Line(3), Weight::Remark));
    }

    #[test]
    fn tables_are_told_from_text() {
        assert!(looks_like_table(b"Step,Training Loss\n1,0.5\n"));
        assert!(looks_like_table(b"a;b\n1,5;2\n"));
        for text in ["Dear all,\nplease, read\n", "a,b\n", "one line", "x: 1, y: 2\nx: 3, y: 4\n", "1,2\n3,4\n"] {
            assert!(!looks_like_table(text.as_bytes()), "{text}");
        }
    }
}
