//! Columns found by name while rows are read.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::names::is_essential;
use super::read_progress::ReadProgress;
use crate::budget::{COLUMN_BYTES, COLUMN_NAME, COLUMNS, MemoryUse, VALUE_BYTES};
use rundown_run::Column;
use rundown_stats::CompactCollect as _;

/// All columns of a run that is being read.
#[derive(Debug, Default)]
pub(crate) struct ColumnsByName {
    by_name: FxHashMap<String, usize>,
    columns: Vec<(String, Column)>,
    /// The column after the one asked for last: rows mostly name their columns in the same order.
    next: usize,
    progress: ReadProgress,
    kept: MemoryUse,
}

/// The number of every column beyond the limit.
pub(crate) const LEFT_OUT: usize = usize::MAX;
/// Columns beyond the limit that are kept all the same, as no run can be diagnosed without them: steps and rewards.
const ESSENTIAL: usize = 1_024;

impl ColumnsByName {
    /// Number of the column of this name, made when it is new; [`LEFT_OUT`] where that would be too many, and for a name that
    /// is too long.
    pub(crate) fn named(&mut self, name: &str) -> usize {
        if name.len() > COLUMN_NAME {
            return LEFT_OUT;
        }
        if self.columns.get(self.next).is_some_and(|(known, _)| known == name) {
            self.next += 1;
            return self.next - 1;
        }
        if let Some(column) = self.by_name.get(name) {
            self.next = *column + 1;
            return *column;
        }
        let column = self.columns.len();
        if column >= COLUMNS && (column >= COLUMNS + ESSENTIAL || !is_essential(name)) {
            return LEFT_OUT;
        }
        self.kept.bytes += COLUMN_BYTES + name.len() as u64;
        self.by_name.insert(name.to_owned(), column);
        self.columns.push((name.to_owned(), Column::default()));
        self.next = self.columns.len();
        column
    }

    /// The name of a column.
    pub(crate) fn name(&self, column: usize) -> &str {
        self.columns.get(column).map_or("", |(name, _)| name)
    }

    /// What the columns take, and what was left out.
    pub(crate) fn memory_use(&self) -> MemoryUse {
        self.kept
    }

    /// Names of all columns.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    /// Says how far the file has been read.
    pub(crate) fn set_progress(&mut self, progress: ReadProgress) {
        self.progress = progress;
    }

    /// Adds a value, unless the column has one in this row already.
    #[inline]
    pub(crate) fn push(&mut self, column: usize, row: u32, value: f64) {
        let Some((_, column)) = self.columns.get_mut(column) else {
            self.kept.left_out += 1;
            return;
        };
        if column.rows().last() != Some(row) {
            self.kept.bytes += VALUE_BYTES;
            self.progress.push_to(column, row, value);
        }
    }

    /// Adds a value of a row that is not the last one, unless the column has one there or behind it.
    pub(crate) fn push_earlier(&mut self, column: usize, row: u32, value: f64) {
        let has_none = |column: &Column| column.rows().last().is_none_or(|last| last < row);
        if self.columns.get(column).is_some_and(|(_, column)| has_none(column)) {
            self.push(column, row, value);
        }
    }

    /// The columns that hold something, by name.
    pub(crate) fn into_map(self) -> BTreeMap<String, Column> {
        self.columns.into_iter().filter(|(_, column)| !column.is_empty()).compact_collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_one_value_of_a_column_and_empty_columns_go() {
        let mut columns = ColumnsByName::default();
        let (loss, kl) = (columns.named("loss"), columns.named("kl"));
        for (name, column) in [("loss", loss), ("kl", kl), ("loss", loss), ("loss", loss), ("kl", kl)] {
            assert_eq!(columns.named(name), column);
        }
        assert_eq!(columns.name(kl), "kl");
        columns.push(loss, 0, 1.0);
        columns.push(loss, 0, 2.0);
        columns.push(loss, 1, 3.0);
        assert_eq!(columns.named(&"a".repeat(COLUMN_NAME + 1)), LEFT_OUT);
        let map = columns.into_map();
        assert_eq!(map.keys().collect::<Vec<_>>(), ["loss"]);
        assert_eq!(map["loss"].values(), [1.0, 3.0]);
    }
}
