//! Parquet files: W&B's exported histories, `to_parquet` of pandas, Trackio's exports, TRL's completions.
//!
//! An own reader, and not the `parquet` crate: that one panics on some damaged files, which would end the engine; its
//! zstd is C, which does not build for wasm here; and without Arrow it gives rows of boxed values, one by one. What is
//! needed is small: columns of numbers and of text (docs/decisions/parquet.md). The codecs are crates (`snap`, `flate2`,
//! `ruzstd`, `lz4_flex`). Format facts: parquet.thrift and Encodings.md of the Parquet format.
//!
//! The layers are one file each: footer → pages of a column → values → the shape of the table (whose rows are they).
//! A file can only be read whole, as its list of columns is at the end.

mod bits;
mod codec;
mod column;
mod footer;
mod history;
mod media;
mod samples;
mod schema;
mod shape;
mod thrift;
mod values;

pub(crate) use history::whole_of;
pub(crate) use values::half;

use crate::ingest::PartialRun;
use column::{Budget, TableColumn};
use footer::Footer;
use schema::{Leaf, LeafMeaning};
use shape::TableKind;

use crate::ingest::{FileReader, Place, Problem, Weight};

/// Longest file that is kept in memory.
const MAX_FILE: usize = 1 << 30;
/// Most rows of a table.
const MAX_ROWS: u64 = 1 << 26;
/// Most values kept of one file: 1.6 GB of them.
const MAX_VALUES: u64 = 1 << 27;
/// Most bytes of text kept of one file.
const MAX_TEXT: u64 = 256 << 20;

/// Why a file or a part of one cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum ParquetError {
    /// The bytes contradict themselves.
    #[error("the data is damaged")]
    Malformed,
    /// The end, which lists the columns, is missing.
    #[error("the file ends early")]
    Cut,
    /// Readable only with a key.
    #[error("the file is encrypted")]
    Encrypted,
    /// A codec that is not read.
    #[error("it is packed with {0}, which is not read")]
    Codec(&'static str),
    /// An encoding that is not read.
    #[error("its encoding {0} is not read")]
    Encoding(i64),
    /// More than can be kept.
    #[error("it is too large")]
    TooLarge,
}

/// A table whose columns have been read.
struct ParquetTable {
    rows: u32,
    columns: Vec<TableColumn>,
}

/// Collects a Parquet file and reads it at its end.
pub(crate) struct ParquetReader {
    path: String,
    file: Vec<u8>,
    is_too_long: bool,
}

impl ParquetReader {
    pub(crate) fn new(path: &str) -> Self {
        Self { path: path.to_owned(), file: Vec::new(), is_too_long: false }
    }
}

impl FileReader for ParquetReader {
    fn push(&mut self, bytes: &[u8]) {
        if self.is_too_long || self.file.len() + bytes.len() > MAX_FILE {
            self.is_too_long = true;
            self.file = Vec::new();
            return;
        }
        self.file.extend_from_slice(bytes);
    }

    fn finish(self: Box<Self>) -> (Vec<PartialRun>, Vec<Problem>) {
        if self.is_too_long {
            let what = "The file is larger than 1 GB, and a Parquet file can only be read whole.".to_owned();
            return (Vec::new(), vec![Problem::here(Place::File, Weight::Lost, what, "Export fewer columns or rows.")]);
        }
        let footer = match Footer::read(&self.file) {
            Ok(footer) => footer,
            Err(error) => {
                let what = match error {
                    ParquetError::Cut => "The file ends early: the list of its columns, at the end, is missing.",
                    ParquetError::Encrypted => "The file is encrypted.",
                    _ => "The list of columns at the end of the file is damaged.",
                };
                return (Vec::new(), vec![Problem::here(Place::File, Weight::Lost, what, "Copy the file again.")]);
            }
        };
        let rows: u64 = footer.groups.iter().fold(0, |sum, group| sum.saturating_add(group.rows));
        if rows > MAX_ROWS {
            let what = format!("The table claims {rows} rows: that is too large.");
            return (Vec::new(), vec![Problem::here(Place::File, Weight::Lost, what, "Export fewer rows.")]);
        }
        let Some(shape) = shape::of(&self.path, &footer.leaves) else {
            let what = "This table has no column that counts steps, so it is no history of a run.".to_owned();
            let remedy = "Tables with a column such as step, _step or global_step are read.";
            return (Vec::new(), vec![Problem::here(Place::File, Weight::Remark, what, remedy)]);
        };
        let (table, mut problems) = self.read_columns(&footer, rows as u32, &shape);
        let parts = match shape.kind {
            TableKind::History => history::runs(&shape, table, &self.path),
            TableKind::System => history::system(&shape, table),
            TableKind::Configs => history::configs(&shape, table),
            TableKind::Samples => samples::parts(table, &self.path),
        };
        if parts.is_empty() && problems.is_empty() {
            let what = "The table holds no value to plot.".to_owned();
            problems.push(Problem::here(Place::File, Weight::Lost, what, ""));
        }
        (parts, problems)
    }
}

impl ParquetReader {
    /// Reads the columns that the shape needs, one after the other.
    fn read_columns(&self, footer: &Footer, rows: u32, shape: &shape::TableShape) -> (ParquetTable, Vec<Problem>) {
        let mut budget = Budget {
            // A row group of a million empty cells takes some 300 bytes: more cells than this no real file has.
            cells: (self.file.len() as u64).saturating_mul(4096).saturating_add(1 << 24),
            values: MAX_VALUES,
            text: MAX_TEXT,
        };
        let mut columns = Vec::new();
        let mut damaged = 0_u32;
        let mut first: Option<(u64, ParquetError)> = None;
        for (index, leaf) in footer.leaves.iter().enumerate() {
            if leaf.meaning == LeafMeaning::Opaque || !shape.needs(leaf) {
                continue;
            }
            let (column, damage) = column::read(&self.file, footer, index, leaf, &mut budget);
            columns.push(column);
            if let Some((at, error)) = damage {
                damaged += 1;
                if first.is_none_or(|(known, _)| at < known) {
                    first = Some((at, error));
                }
            }
        }
        let problems = first.map(|(at, error)| {
            let what = match damaged {
                1 => format!("A column cannot be read whole: {error}. What it holds elsewhere is kept."),
                _ => format!("{damaged} columns cannot be read whole: {error}. What they hold elsewhere is kept."),
            };
            let remedy = match error {
                ParquetError::Codec(_) | ParquetError::Encoding(_) => "Write the file again with snappy or zstd.",
                ParquetError::TooLarge => "Export fewer columns or rows.",
                _ => "Copy the file again.",
            };
            Problem::here(Place::Byte(at), Weight::Partial, what, remedy)
        });
        // A few bytes can claim millions of rows: only those count that hold something.
        let used = columns.iter().filter_map(TableColumn::last_row).max().map_or(0, |row| row.saturating_add(1));
        (ParquetTable { rows: rows.min(used), columns }, problems.into_iter().collect())
    }
}

/// True for a leaf whose values become numbers.
fn is_number(leaf: &Leaf) -> bool {
    !matches!(leaf.meaning, LeafMeaning::Text | LeafMeaning::Opaque)
}
