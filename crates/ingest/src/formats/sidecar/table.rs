//! `*.table.json`: a table that a run logged, such as prompts, completions and their rewards.
//!
//! A run may log one at every step, each with thousands of long texts. What a person reads of them is some hundred
//! rows, so that is what is kept; the rest is counted.

use crate::budget::MemoryUse;
use crate::syntax::json::{Json, Piece, PieceSink, Splitter};
use crate::{FileEnd, FileReader, Place, Problem, Weight, path};
use crate::{PartKind, PartialRun};
use rundown_run::{LoggedCell, LoggedTable, Run, TableFile};

/// Rows kept of a table.
const MAX_ROWS: usize = 256;
/// Bytes of cells kept of a table.
const MAX_BYTES: usize = 512 << 10;
/// Columns kept.
const MAX_COLUMNS: usize = 256;

/// Reads a table.
pub(crate) struct TableReader {
    path: String,
    splitter: Splitter,
    content: TableContent,
}

#[derive(Default)]
struct TableContent {
    table: LoggedTable,
    bytes: usize,
    bad: u64,
    /// Cells of the longest row.
    widest: usize,
}

impl TableReader {
    pub(crate) fn new(path: &str) -> Self {
        Self { path: path.to_owned(), splitter: Splitter::default(), content: TableContent::default() }
    }
}

impl PieceSink for TableContent {
    fn add(&mut self, piece: Piece<'_>) -> bool {
        match piece {
            Piece::Element { key: "columns", value } if self.table.columns.len() < MAX_COLUMNS => {
                self.table.columns.push(Json::parse(value).map(Json::into_text).unwrap_or_default());
            }
            Piece::Element { key: "data", value } => self.row(value),
            _ => {}
        }
        true
    }
}

impl TableContent {
    fn row(&mut self, value: &[u8]) {
        if self.table.rows.len() >= MAX_ROWS || self.bytes + value.len() > MAX_BYTES {
            self.table.dropped += 1;
            return;
        }
        match Json::parse(value) {
            Ok(Json::List(cells)) => {
                self.bytes += value.len();
                self.widest = self.widest.max(cells.len());
                self.table.rows.push(cells.into_iter().take(MAX_COLUMNS).map(cell).collect());
            }
            _ => self.bad += 1,
        }
    }
}

impl FileReader for TableReader {
    fn push(&mut self, bytes: &[u8]) {
        self.splitter.push(bytes, &mut self.content);
    }

    fn memory_use(&self) -> MemoryUse {
        self.splitter.memory_use()
    }

    fn finish(mut self: Box<Self>, _: &mut FileEnd) -> (Vec<PartialRun>, Vec<Problem>) {
        let outcome = self.splitter.finish(&mut self.content);
        let TableContent { mut table, bad, widest, .. } = self.content;
        let mut problems = Vec::new();
        let mut remark = |place, what: String| {
            problems.push(Problem::here(place, Weight::Remark, what, ""));
        };
        match outcome.broken_at {
            Some(offset) => {
                remark(Place::Byte(offset), "The table is broken here: the rows after it are lost.".to_owned())
            }
            None if outcome.is_cut => remark(Place::File, "The table ends early: rows may be missing.".to_owned()),
            None => {}
        }
        if widest > MAX_COLUMNS {
            remark(Place::File, format!("Of {widest} columns of the table {MAX_COLUMNS} are kept."));
        }
        if bad > 0 {
            remark(Place::File, format!("{bad} rows of the table could not be understood and were skipped."));
        }
        if table.columns.is_empty() && table.rows.is_empty() {
            return (Vec::new(), problems);
        }
        // The first member may have been the rows; and every row is as long as the header.
        let width = table.rows.iter().map(Vec::len).fold(table.columns.len(), usize::max);
        table.columns.resize(width, String::new());
        table.rows.iter_mut().for_each(|row| row.resize(width, LoggedCell::Null));
        let name = path::file_name(&self.path).trim_end_matches(".table.json").to_owned();
        let rows = Some(table.rows.len() as u64 + table.dropped + bad);
        let file = TableFile { key: name, row: 0, path: self.path.clone(), rows, content: Some(table) };
        let run = Run { tables: vec![file], ..Run::default() };
        (vec![PartialRun::of(run, PartKind::Sidecar)], problems)
    }
}

fn cell(value: Json) -> LoggedCell {
    match value {
        Json::Null => LoggedCell::Null,
        Json::Bool(value) => LoggedCell::Bool(value),
        Json::Number(value) => LoggedCell::Number(value),
        other => LoggedCell::Text(other.into_text()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, slice: usize) -> (Vec<PartialRun>, Vec<Problem>) {
        let mut reader = Box::new(TableReader::new("r/files/media/table/t_1_ab.table.json"));
        text.as_bytes().chunks(slice).for_each(|part| reader.push(part));
        reader.finish(&mut FileEnd::default())
    }

    #[test]
    fn cells_keep_their_kinds() {
        let text = r#"{"columns":["p","r"],"data":[["a",1.5],[null,NaN],[true],[[1,2],"x"]]}"#;
        for slice in [1, 5, 1000] {
            let (parts, problems) = read(text, slice);
            let table = parts[0].run.tables[0].content.as_ref().unwrap();
            assert_eq!(table.columns, ["p", "r"]);
            assert_eq!(table.rows[0], [LoggedCell::Text("a".into()), LoggedCell::Number(1.5)]);
            assert_eq!(table.rows[2], [LoggedCell::Bool(true), LoggedCell::Null]);
            assert_eq!(table.rows[3][0], LoggedCell::Text("[1, 2]".into()));
            assert!(problems.is_empty());
        }
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let rows: Vec<String> = (0..1000).map(|row| format!("[{row}]")).collect();
        let (parts, _) = read(&format!("{{\"columns\":[\"a\"],\"data\":[{}]}}", rows.join(",")), 100);
        let file = &parts[0].run.tables[0];
        let table = file.content.as_ref().unwrap();
        assert_eq!((table.rows.len(), table.dropped, file.rows), (MAX_ROWS, 1000 - MAX_ROWS as u64, Some(1000)));
        let long = format!("{{\"data\":[[\"{}\"],[1]]}}", "x".repeat(MAX_BYTES));
        assert_eq!(read(&long, 4096).0[0].run.tables[0].content.as_ref().unwrap().dropped, 1);
    }

    #[test]
    fn damage_costs_what_follows_it() {
        let (parts, problems) = read(r#"{"columns":["a"],"data":[[1],{"x":2},[3],[4"#, 4);
        assert_eq!(parts[0].run.tables[0].content.as_ref().unwrap().rows.len(), 2);
        assert_eq!(problems.len(), 2);
        assert!(read("[]", 1).0.is_empty());
    }
}
