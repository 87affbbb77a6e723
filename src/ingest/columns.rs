//! Columns found by name while rows are read.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::run::Column;

/// All columns of a run that is being read.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    by_name: FxHashMap<String, usize>,
    columns: Vec<(String, Column)>,
    /// The column after the one asked for last: rows mostly name their columns in the same order.
    next: usize,
}

impl Columns {
    /// Number of the column of this name, made when it is new.
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
        self.by_name.insert(name.to_owned(), column);
        self.columns.push((name.to_owned(), Column::default()));
        self.next = self.columns.len();
        column
    }

    /// The name of a column.
    pub(crate) fn name(&self, column: usize) -> &str {
        self.columns.get(column).map_or("", |(name, _)| name)
    }

    /// Names of all columns.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|(name, _)| name.as_str())
    }

    /// Adds a value, unless the column has one in this row already.
    #[inline]
    pub(crate) fn push(&mut self, column: usize, row: u32, value: f64) {
        if let Some((_, column)) = self.columns.get_mut(column)
            && column.rows().last() != Some(&row)
        {
            column.push(row, value);
        }
    }

    /// The columns that hold something, by name.
    pub(crate) fn into_map(self) -> BTreeMap<String, Column> {
        self.columns.into_iter().filter(|(_, column)| !column.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_one_value_of_a_column_and_empty_columns_go() {
        let mut columns = Columns::default();
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
