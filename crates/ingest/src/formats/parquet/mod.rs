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
mod blocks;
mod codec;
mod column;
mod column_numbers;
mod footer;
mod history;
mod limits;
mod long_table;
mod media;
mod page_header;
mod run_rows;
mod samples;
mod schema;
mod shape;
mod thrift;
mod values;

pub(crate) use history::whole_of;
pub(crate) use values::half;

use crate::PartialRun;
use crate::budget::{FileBudget, MemoryUse, ROW_BYTES, WHOLE_FILE};
use blocks::FileBlocks;
use column::{ColumnBudget, TableColumn};
use footer::Footer;
use limits::ColumnDamage;
use rundown_format::bytes;
use schema::{Leaf, LeafMeaning};
use shape::TableKind;

use crate::{FileEnd, FileReader, Place, Problem, Weight};

/// Columns that are no metrics: indices of pandas and of databases, W&B's own.
const INDEX_COLUMNS: [&str; 8] =
    ["_runtime", "__index_level_0__", "Unnamed: 0", "index", "log_id", "space_id", "created_at", "level_0"];

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
    #[error("its compression {0} is not supported")]
    Codec(&'static str),
    /// An encoding that is not read.
    #[error("its encoding {0} is not supported")]
    Encoding(i64),
    /// More than can be kept.
    #[error("it is too large")]
    TooLarge,
}

type Result<T> = std::result::Result<T, ParquetError>;

/// A table whose columns have been read.
struct ParquetTable {
    rows: u32,
    columns: Vec<TableColumn>,
}

/// Collects a Parquet file and reads it at its end.
pub(crate) struct ParquetReader {
    path: String,
    file: FileBlocks,
    is_too_long: bool,
    /// Bytes that its values may take; set before the first push.
    budget: Option<FileBudget>,
}

impl ParquetReader {
    pub(crate) fn new(path: &str) -> Self {
        Self { path: path.to_owned(), file: FileBlocks::default(), is_too_long: false, budget: None }
    }
}

impl FileReader for ParquetReader {
    fn push(&mut self, bytes: &[u8]) {
        if self.is_too_long || self.file.len() + bytes.len() > WHOLE_FILE {
            self.is_too_long = true;
            self.file = FileBlocks::default();
            return;
        }
        self.file.push(bytes);
    }

    fn allow(&mut self, budget: FileBudget) {
        self.budget = Some(budget);
    }

    fn memory_use(&self) -> MemoryUse {
        MemoryUse::bytes(self.file.len())
    }

    fn finish(mut self: Box<Self>, _: &mut FileEnd) -> (Vec<PartialRun>, Vec<Problem>) {
        if self.is_too_long {
            let most = bytes(WHOLE_FILE as u64);
            let what = format!("Too large: a Parquet file can only be read whole, and this one has more than {most}.");
            return (Vec::new(), vec![Problem::here(Place::File, Weight::Lost, what, "Export fewer columns or rows.")]);
        }
        let mut footer = match Footer::read(&self.file) {
            Ok(footer) => footer,
            Err(error) => return (Vec::new(), vec![unreadable(error)]),
        };
        let Some(shape) = shape::of(&self.path, &footer.leaves) else {
            let what = "This table has no column that counts steps, so it is not the history of a run.".to_owned();
            let remedy = "Tables with a column such as step, _step or global_step are read.";
            return (Vec::new(), vec![Problem::here(Place::File, Weight::Remark, what, remedy)]);
        };
        let room = self.budget.as_ref().map_or(0, FileBudget::room);
        let mut problems = Vec::new();
        let rows = limits::keep_rows(&mut footer, &shape, room, &mut problems);
        let table = self.read_columns(&footer, rows, &shape, room, &mut problems);
        let parts = match shape.kind {
            TableKind::History => history::runs(&shape, table, &self.path, &mut problems),
            TableKind::System => history::system(&shape, table, &mut problems),
            TableKind::Configs => history::configs(&shape, table, &mut problems),
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
    fn read_columns(
        &mut self,
        footer: &Footer,
        rows: u32,
        shape: &shape::TableShape,
        room: u64,
        problems: &mut Vec<Problem>,
    ) -> ParquetTable {
        let mut budget = ColumnBudget {
            // A row group of a million empty cells takes some 300 bytes: more cells than this no real file has.
            cells: (self.file.len() as u64).saturating_mul(4096).saturating_add(1 << 24),
            bytes: room.saturating_sub(u64::from(rows) * ROW_BYTES),
        };
        let leaves = || footer.leaves.iter().enumerate();
        let needed = || leaves().filter(|(_, leaf)| shape.needs(leaf) && leaf.meaning != LeafMeaning::Opaque);
        for chunk in needed().flat_map(|(index, _)| footer.chunks(index)) {
            self.file.announce(chunk.bytes());
        }
        let mut columns = Vec::new();
        let mut damage = ColumnDamage::default();
        for (index, leaf) in needed() {
            let (column, broken) = column::read(&mut self.file, footer, index, leaf, &mut budget);
            columns.push(column);
            if let Some((at, error)) = broken {
                damage.count(&leaf.name, at, error);
            }
        }
        problems.extend(damage.problem(room));
        problems.extend(limits::unread(&footer.leaves, shape));
        // A few bytes can claim millions of rows: only those count that hold something.
        let used = columns.iter().filter_map(TableColumn::last_row).max().map_or(0, |row| row.saturating_add(1));
        ParquetTable { rows: rows.min(used), columns }
    }
}

/// Why nothing of a file can be read.
fn unreadable(error: ParquetError) -> Problem {
    let (what, remedy) = match error {
        ParquetError::Cut => {
            ("The file ends early: the list of its columns, at the end, is missing.", "Copy the file again.")
        }
        ParquetError::Encrypted => ("The file is encrypted.", "Write it again without encryption."),
        _ => ("The list of columns at the end of the file is damaged.", "Copy the file again."),
    };
    Problem::here(Place::File, Weight::Lost, what, remedy)
}

/// True for a leaf whose values become numbers.
fn is_number(leaf: &Leaf) -> bool {
    !matches!(leaf.meaning, LeafMeaning::Text | LeafMeaning::Opaque)
}
