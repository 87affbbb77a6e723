//! Rows identified by their step. Metrics that come one after the other, each with steps of its own, stand in the
//! same rows where their steps are equal.
//!
//! A value is put into its column at once and only the rows are put in order at the end, so that a point takes no more
//! memory while it is read than afterwards.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use rundown_run::Column;

/// Bytes of memory that a row takes: its key and its time.
const ROW_BYTES: usize = 24;
/// Bytes that its place in the map takes.
const ENTRY_BYTES: usize = 36;

/// The key that identifies a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct StepKey {
    pub(crate) step: f64,
    /// Which of the rows of this step it is: a metric may have a step twice.
    pub(crate) repeat: u32,
}

impl Eq for StepKey {}

impl Ord for StepKey {
    fn cmp(&self, other: &Self) -> Ordering {
        self.step.total_cmp(&other.step).then(self.repeat.cmp(&other.repeat))
    }
}

impl PartialOrd for StepKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Rows by their steps, numbered in the order in which they came first.
#[derive(Debug, Default)]
pub(crate) struct StepRows {
    keys: Vec<StepKey>,
    times: Vec<f64>,
    /// `None` while the keys ascend, as those of metrics that were logged together do: then they are searched themselves.
    by_key: Option<BTreeMap<StepKey, u32>>,
}

impl StepRows {
    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The key that identifies a row.
    #[inline]
    pub(crate) fn key(&self, row: u32) -> Option<StepKey> {
        self.keys.get(row as usize).copied()
    }

    /// The row of a key, made where it is new. `likely` is looked at first: metrics mostly have the same rows, in the
    /// same order.
    #[inline]
    pub(crate) fn row(&mut self, key: StepKey, likely: u32) -> u32 {
        if self.key(likely) == Some(key) { likely } else { self.find_or_add(key) }
    }

    fn find_or_add(&mut self, key: StepKey) -> u32 {
        let new = self.keys.len() as u32;
        if self.by_key.is_none() && self.keys.last().is_some_and(|last| key <= *last) {
            if let Ok(row) = self.keys.binary_search(&key) {
                return row as u32;
            }
            // Not of `collect`, which brings a sort of its own into the program.
            let mut by_key = BTreeMap::new();
            by_key.extend(self.keys.iter().copied().zip(0..));
            self.by_key = Some(by_key);
        }
        if let Some(by_key) = &mut self.by_key {
            let row = *by_key.entry(key).or_insert(new);
            if row != new {
                return row;
            }
        }
        self.keys.push(key);
        self.times.push(f64::NAN);
        new
    }

    /// Bytes of memory that the rows take.
    pub(crate) fn bytes(&self) -> usize {
        self.keys.len() * (ROW_BYTES + self.by_key.as_ref().map_or(0, |_| ENTRY_BYTES))
    }

    /// The time of a row in Unix seconds, NaN where it is unknown.
    #[inline]
    pub(crate) fn time_mut(&mut self, row: u32) -> Option<&mut f64> {
        self.times.get_mut(row as usize)
    }

    /// The rows for which `is_kept` holds, by step.
    pub(crate) fn sorted(self, is_kept: impl Fn(u32) -> bool) -> SortedRows {
        let Self { keys, times, by_key } = self;
        if by_key.is_none() && (0..keys.len() as u32).all(&is_kept) {
            // Not of `into_iter`, which would keep the room of the keys.
            return SortedRows { steps: keys.iter().map(|key| key.step).collect(), times, numbers: None };
        }
        let (mut sorted, mut numbers) = (SortedRows::default(), vec![0; keys.len()]);
        let order: Vec<u32> = match by_key {
            Some(by_key) => by_key.into_values().collect(),
            None => (0..keys.len() as u32).collect(),
        };
        for row in order.into_iter().filter(|row| is_kept(*row)) {
            let (Some(key), Some(time)) = (keys.get(row as usize), times.get(row as usize)) else { continue };
            if let Some(number) = numbers.get_mut(row as usize) {
                *number = sorted.steps.len() as u32;
            }
            sorted.steps.push(key.step);
            sorted.times.push(*time);
        }
        SortedRows { numbers: Some(numbers), ..sorted }
    }
}

/// Rows by step, as a run holds them.
#[derive(Debug, Default)]
pub(crate) struct SortedRows {
    pub(crate) steps: Vec<f64>,
    /// Unix seconds, NaN where a time is unknown.
    pub(crate) times: Vec<f64>,
    /// The number of each row as it came; `None` where rows came in order.
    numbers: Option<Vec<u32>>,
}

impl SortedRows {
    /// The number of what came as `row`.
    pub(crate) fn number(&self, row: u32) -> u32 {
        let numbers = self.numbers.as_ref();
        numbers.map_or(row, |numbers| numbers.get(row as usize).copied().unwrap_or(row))
    }

    /// The column with these rows, by row.
    pub(crate) fn column(&self, column: Column) -> Column {
        if self.numbers.is_none() && column.rows().is_sorted() {
            return column;
        }
        let points: Vec<(u32, f64)> = column.points().map(|(row, value)| (self.number(row), value)).collect();
        drop(column);
        let mut sorted = Column::default();
        sorted.make_room(points.len());
        sorted.extend_unordered(points);
        sorted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(step: f64) -> StepKey {
        StepKey { step, repeat: 0 }
    }

    #[test]
    fn rows_are_found_again_and_sorted_at_the_end() {
        let mut rows = StepRows::default();
        let found: Vec<u32> = [3.0, 1.0, 3.0, 2.0].into_iter().map(|step| rows.row(key(step), 9)).collect();
        assert_eq!(found, [0, 1, 0, 2]);
        assert_eq!(rows.row(key(1.0), 1), 1);
        assert_eq!(rows.row(StepKey { step: 3.0, repeat: 1 }, 0), 3);
        let sorted = rows.sorted(|row| row != 2);
        assert_eq!(sorted.steps, [1.0, 3.0, 3.0]);
        let column: Column = [(0, 30.0), (1, 10.0), (3, 31.0)].into_iter().collect();
        let column = sorted.column(column);
        assert_eq!(
            (column.rows(), column.values()),
            (rundown_run::RowNumbers::List(&[0, 1, 2]), &[10.0, 30.0, 31.0][..])
        );
    }

    proptest! {
        #[test]
        fn every_point_keeps_its_step(steps in prop::collection::vec(0_u32..20, 0..40), likely in 0_u32..10) {
            let mut rows = StepRows::default();
            let column: Column =
                steps.iter().map(|step| (rows.row(key(f64::from(*step)), likely), f64::from(*step))).collect();
            let sorted = rows.sorted(|_| true);
            prop_assert!(sorted.steps.is_sorted_by(|a, b| a < b));
            let column = sorted.column(column);
            prop_assert_eq!(column.len(), steps.len());
            prop_assert!(column.rows().is_sorted());
            for (row, value) in column.points() {
                prop_assert_eq!(sorted.steps[row as usize], value);
            }
        }
    }
}
