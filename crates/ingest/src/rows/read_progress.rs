//! How far a file has been read, from which follows how much room its values will need: a list that grows by doubling
//! takes up to three times its size while it moves, and up to twice its size afterwards.

use rundown_run::Column;

/// Length from which the final length is estimated: below it growing is cheap, and too little of the file was read.
const MIN_LENGTH_FOR_FORECAST: usize = 1 << 12;

/// How far a file has been read. Nothing but the room for values depends on it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ReadProgress {
    /// Bytes before those that are being read.
    pub(crate) read: u64,
    /// Bytes of the file; 0 where that is unknown.
    pub(crate) size: u64,
}

impl ReadProgress {
    /// Adds a value to a column. A long one that is full gets the room at once that it will need for the whole file.
    #[inline]
    pub(crate) fn push_to(self, column: &mut Column, row: u32, value: f64) {
        if column.len() >= MIN_LENGTH_FOR_FORECAST && column.len() == column.capacity() {
            self.make_room_in_column(column);
        }
        column.push(row, value);
    }

    #[cold]
    fn make_room_in_column(self, column: &mut Column) {
        column.make_room(self.foreseen(column.len()));
    }

    /// Makes room in a list in the same way.
    pub(crate) fn make_room_in(self, list: &mut Vec<f64>) {
        if list.len() >= MIN_LENGTH_FOR_FORECAST && list.len() == list.capacity() {
            // Without the memory the list grows by itself.
            let _ = list.try_reserve_exact(self.foreseen(list.len()) - list.len());
        }
    }

    /// The length that a list of `len` values will have at the end of the file, at the rate so far. An eighth more than it has
    /// at least, so that adding stays linear, and twice that at most: all rows may stand at the beginning of a file.
    fn foreseen(self, len: usize) -> usize {
        if self.read == 0 || self.size == 0 {
            return len + len / 2;
        }
        let whole = len as f64 * (self.size as f64 / self.read as f64);
        // A hundredth more: the rate of rows is never quite even.
        ((whole * 1.01) as usize).clamp(len + len / 8, len * 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_columns_get_the_room_that_they_need() {
        for (read, size, expected) in [
            (0, 0, 150_000),
            (1, 1_000, 200_000),
            (800, 1_000, 126_250),
            (999, 1_000, 112_500),
            (1_000, 1_000, 112_500),
        ] {
            assert_eq!(ReadProgress { read, size }.foreseen(100_000), expected);
        }
        let (mut column, mut list) = (Column::default(), Vec::new());
        let rows = 7 * MIN_LENGTH_FOR_FORECAST as u32;
        for row in 0..rows {
            let progress = ReadProgress { read: u64::from(row) * 100, size: u64::from(rows) * 100 };
            progress.push_to(&mut column, row, 1.0);
            progress.make_room_in(&mut list);
            list.push(1.0);
        }
        assert_eq!((column.len(), list.len()), (rows as usize, rows as usize));
        for capacity in [column.capacity(), list.capacity()] {
            assert!(capacity < column.len() + column.len() / 50, "{capacity}");
        }
    }
}
