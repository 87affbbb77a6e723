//! Columns found by name while rows are read.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::names::is_essential;
use crate::budget::{COLUMN_BYTES, COLUMNS, Kept, VALUE_BYTES};
use rundown_run::Column;

/// Length from which a column's room is foreseen: before, growing costs little, and little of the file tells how long
/// it will be.
const FORESEEN: usize = 1 << 16;

/// All columns of a run that is being read.
#[derive(Debug, Default)]
pub(crate) struct ColumnsByName {
    by_name: FxHashMap<String, usize>,
    columns: Vec<(String, Column)>,
    /// The column after the one asked for last: rows mostly name their columns in the same order.
    next: usize,
    /// The part of the file before the bytes that are being read, and its size; 0 where unknown.
    progress: (u64, u64),
    kept: Kept,
}

/// The number of every column beyond the limit.
pub(crate) const LEFT_OUT: usize = usize::MAX;
/// Columns beyond the limit that are kept all the same, as nothing can be said without them: steps and rewards.
const ESSENTIAL: usize = 1_024;

impl ColumnsByName {
    /// Number of the column of this name, made when it is new; [`LEFT_OUT`] where that would be too many.
    pub(crate) fn named(&mut self, name: &str) -> usize {
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
    pub(crate) fn kept(&self) -> Kept {
        self.kept
    }

    /// Names of all columns.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    /// Says how much of the file has been read, so that long columns get the room that they will need at once.
    pub(crate) fn set_progress(&mut self, read: u64, size: u64) {
        self.progress = (read, size);
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
            if column.len() >= FORESEEN && column.len() == column.capacity() {
                column.make_room(foreseen(column.len(), self.progress));
            }
            column.push(row, value);
        }
    }

    /// The columns that hold something, by name.
    pub(crate) fn into_map(self) -> BTreeMap<String, Column> {
        self.columns.into_iter().filter(|(_, column)| !column.is_empty()).collect()
    }
}

/// The length that a column of `len` values will have at the end of the file, at the rate so far. Always an eighth more
/// than it has, so that adding stays linear.
#[cold]
fn foreseen(len: usize, (read, size): (u64, u64)) -> usize {
    let least = len + len / 8;
    if read == 0 || size == 0 {
        return len * 2;
    }
    let whole = len as f64 * (size as f64 / read as f64);
    // A hundredth more: the rate of rows is never quite even.
    least.max((whole * 1.01) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_columns_get_the_room_that_they_need() {
        assert_eq!(foreseen(100_000, (0, 0)), 200_000);
        assert_eq!(foreseen(100_000, (250, 1_000)), 404_000);
        assert_eq!(foreseen(100_000, (999, 1_000)), 112_500);
        assert_eq!(foreseen(100_000, (1_000, 1_000)), 112_500);

        let mut columns = ColumnsByName::default();
        let loss = columns.named("loss");
        let rows = 10 * FORESEEN as u32;
        for row in 0..rows {
            columns.set_progress(u64::from(row) * 100, u64::from(rows) * 100);
            columns.push(loss, row, 1.0);
        }
        let column = &columns.into_map()["loss"];
        assert_eq!(column.len(), rows as usize);
        assert!(column.capacity() < column.len() + column.len() / 50, "{}", column.capacity());
    }

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
        let map = columns.into_map();
        assert_eq!(map.keys().collect::<Vec<_>>(), ["loss"]);
        assert_eq!(map["loss"].values(), [1.0, 3.0]);
    }
}
