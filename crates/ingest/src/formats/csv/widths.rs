//! How many cells the rows of a table have, and which are several rows in one line, as where several processes write one table.

use crate::{Occurrences, Place, Problem, Weight};
use rundown_format::counted;

/// Fewest columns of which twice as many cells are two rows: with fewer, texts with commas have as many.
const MIN_COLUMNS_OF_TORN: usize = 4;

/// What the rows so far have.
#[derive(Debug, Default)]
pub(super) struct RowWidths {
    /// Numbers in the row being read beyond the columns of the header.
    pub(super) more_numbers: usize,
    /// Rows with as many cells as the header.
    even: u64,
    /// Rows with more or fewer, by their lines.
    uneven: Occurrences,
    /// Those of them that are several rows in one line.
    torn: usize,
}

impl RowWidths {
    /// Takes the end of a row on this line: all its cells, and those up to the last one that is not blank. True for several rows in
    /// one line.
    pub(super) fn end_row(&mut self, line: u64, columns: usize, all: usize, cells: usize) -> bool {
        // Where a line feed is missing, two cells became one.
        let is_long = columns >= MIN_COLUMNS_OF_TORN && cells + 1 >= 2 * columns;
        // If most rows are that long, columns lack names.
        let are_even = self.even > 0 && self.even >= self.uneven.count;
        // Words beyond the last column are those of a text with commas.
        let are_numbers = 2 * std::mem::take(&mut self.more_numbers) + columns >= cells;
        if all == columns {
            self.even += 1;
        } else if cells > 0 {
            self.uneven.add(line);
        }
        is_long && are_even && are_numbers
    }

    /// Counts several rows in one line that were left out.
    pub(super) fn add_torn(&mut self) {
        self.torn += 1;
    }

    /// What is wrong with the rows.
    pub(super) fn problem(&self) -> Option<Problem> {
        let line = self.uneven.first?;
        let mut what =
            format!("{} with more or fewer cells than the header.", counted(self.uneven.count as usize, "row"));
        if self.torn > 0 {
            what += &format!(" Lines left out that hold several rows: {}.", self.torn);
        }
        let weight = if self.torn > 0 { Weight::Partial } else { Weight::Remark };
        Some(Problem::here(Place::Line(line), weight, &what, ""))
    }
}
