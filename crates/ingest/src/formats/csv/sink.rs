//! What takes the cells of a table, and what it gives in the end.

use crate::Problem;
use crate::budget::MemoryUse;
use crate::rows::read_progress::ReadProgress;
use crate::syntax::utf8;
use rundown_run::{FileFormat, Run};

/// Takes the cells of one kind of table.
pub(super) trait TableSink {
    /// Takes a cell without the blanks around it. Columns are counted from 0; cells beyond the header do not come.
    fn cell(&mut self, column: usize, text: &str);

    /// Takes a cell that is a plain decimal: its characters, which are ASCII, and its value.
    fn decimal(&mut self, column: usize, text: &[u8], _value: f64) {
        self.cell(column, &utf8(text));
    }

    /// Takes the end of a row.
    fn end_row(&mut self);

    /// Drops the cells of a line that holds several rows. False where the table keeps them.
    fn drop_row(&mut self) -> bool {
        false
    }

    /// Takes, in place of the end of a row, that its cells were the names of the columns from here on. False where it only has
    /// those that it began with.
    fn change_header(&mut self, _names: &[String]) -> bool {
        false
    }

    /// Says how far the file has been read.
    fn set_progress(&mut self, _progress: ReadProgress) {}

    /// What it keeps, about.
    fn memory_use(&self) -> MemoryUse;

    /// Takes the end of the table and gives what was in it.
    fn finish(self: Box<Self>, path: &str) -> TableOutcome;
}

/// What a table gave.
#[derive(Default)]
pub(super) struct TableOutcome {
    pub(super) runs: Vec<Run>,
    /// What the rows showed the table to be, where that is more than its header did.
    pub(super) format: Option<FileFormat>,
    pub(super) problems: Vec<Problem>,
    /// The rows are prompts and what belongs to them, and no metrics.
    pub(super) are_samples: bool,
    /// The rows are results on several benchmarks or of several seeds, without a step.
    pub(super) are_results: bool,
}
