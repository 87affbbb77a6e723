//! The rows in which a metric was logged. Most metrics are logged in every row from their first on: of those the first row
//! is kept and no list, which is a third of a column (docs/decisions/rows-of-columns.md).

use serde::{Serialize, Serializer};

use super::list::List;

/// The rows of a column, one for each of its values, as they are kept.
///
/// One form for the same rows: rows that follow each other without a gap are never a list.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum KeptRows {
    /// One after the other, from this one on.
    From(u32),
    /// In any order.
    List(List<u32>),
}

impl Default for KeptRows {
    fn default() -> Self {
        Self::From(0)
    }
}

impl KeptRows {
    /// Adds the row of the value behind the first `len`.
    #[inline]
    pub(super) fn push(&mut self, len: usize, row: u32) {
        match self {
            Self::List(list) => list.own().push(row),
            Self::From(first) if len == 0 => *first = row,
            Self::From(first) if follows(*first, len, row) => {}
            Self::From(first) => {
                let rows = RowNumbers::Range { first: *first, len };
                *self = Self::with_gap(rows, row);
            }
        }
    }

    #[cold]
    fn with_gap(rows: RowNumbers<'_>, next: u32) -> Self {
        let list: Vec<u32> = rows.iter().chain([next]).collect();
        Self::List(list.into())
    }

    /// Adds rows behind the first `len`.
    pub(super) fn append(&mut self, len: usize, rows: RowNumbers<'_>) {
        match (&mut *self, rows) {
            (_, rows) if rows.is_empty() => {}
            (Self::From(first), RowNumbers::Range { first: next, .. }) if len == 0 => *first = next,
            (Self::From(first), RowNumbers::Range { first: next, .. }) if follows(*first, len, next) => {}
            (_, rows) => {
                for (place, row) in rows.iter().enumerate() {
                    self.push(len + place, row);
                }
            }
        }
    }

    /// The rows of the first `len` values.
    #[inline]
    pub(super) fn of(&self, len: usize) -> RowNumbers<'_> {
        match self {
            Self::From(first) => RowNumbers::Range { first: *first, len },
            Self::List(list) => RowNumbers::List(list),
        }
    }

    /// Makes room for `len` rows in all, and for no more.
    pub(super) fn make_room(&mut self, len: usize) {
        if let Self::List(list) = self {
            let list = list.own();
            let _ = list.try_reserve_exact(len.saturating_sub(list.len()));
        }
    }

    /// Drops the rows behind the first `len`.
    pub(super) fn truncate(&mut self, len: usize) {
        if len == 0 {
            *self = Self::default();
        }
        let Self::List(list) = self else { return };
        list.own().truncate(len);
        if let Some(first) = list.first().copied()
            && list.iter().enumerate().all(|(place, row)| follows(first, place, *row))
        {
            *self = Self::From(first);
        }
    }

    /// Bytes of memory that the rows take.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::From(_) => 0,
            Self::List(list) => list.len() * size_of::<u32>(),
        }
    }

    /// Gives back the room that is not used.
    pub(super) fn shrink_to_fit(&mut self) {
        if let Self::List(list) = self {
            list.own().shrink_to_fit();
        }
    }

    /// Rows that fit without new memory; `None` where none is needed.
    pub(super) fn capacity(&self) -> Option<usize> {
        match self {
            Self::From(_) => None,
            Self::List(list) => Some(list.capacity()),
        }
    }

    /// Lets clones from now on hold the same rows.
    pub(super) fn share(&mut self) {
        if let Self::List(list) = self {
            list.share();
        }
    }
}

/// True for the row that follows `len` rows from `first` on.
#[inline]
fn follows(first: u32, len: usize, row: u32) -> bool {
    row.checked_sub(first).is_some_and(|distance| distance as usize == len)
}

/// The rows of a column, one for each of its values.
#[derive(Debug, Clone, Copy)]
pub enum RowNumbers<'c> {
    /// `len` rows, one after the other.
    Range {
        /// The first of them.
        first: u32,
        /// How many there are.
        len: usize,
    },
    /// Others, in the order of logging.
    List(&'c [u32]),
}

impl<'c> RowNumbers<'c> {
    /// Number of rows.
    #[inline]
    pub fn len(self) -> usize {
        match self {
            Self::Range { len, .. } => len,
            Self::List(list) => list.len(),
        }
    }

    /// True when there is none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The row of the value at `place`.
    #[inline]
    pub fn get(self, place: usize) -> Option<u32> {
        match self {
            Self::Range { first, len } => (place < len).then(|| first.saturating_add(place as u32)),
            Self::List(list) => list.get(place).copied(),
        }
    }

    /// The row of the first value.
    pub fn first(self) -> Option<u32> {
        self.get(0)
    }

    /// The row of the last value.
    #[inline]
    pub fn last(self) -> Option<u32> {
        self.get(self.len().checked_sub(1)?)
    }

    /// All rows in the order of logging.
    pub fn iter(self) -> impl Iterator<Item = u32> + 'c {
        let (first, len, list) = match self {
            Self::Range { first, len } => (first, len, &[][..]),
            Self::List(list) => (0, 0, list),
        };
        (0..len).map(move |place| first.saturating_add(place as u32)).chain(list.iter().copied())
    }

    /// True where rows ascend or repeat.
    pub fn is_sorted(self) -> bool {
        match self {
            Self::Range { .. } => true,
            Self::List(list) => list.is_sorted(),
        }
    }

    /// The first `len` of them.
    pub(super) fn up_to(self, len: usize) -> Self {
        match self {
            Self::Range { first, len: all } => Self::Range { first, len: all.min(len) },
            Self::List(list) => Self::List(list.get(..len).unwrap_or(list)),
        }
    }

    /// How many values stand before `row`, where rows ascend.
    pub fn before(self, row: u32) -> usize {
        match self {
            Self::Range { first, len } => (row.saturating_sub(first) as usize).min(len),
            Self::List(list) => list.partition_point(|known| *known < row),
        }
    }

    /// Place of the value of a row, where rows ascend.
    pub fn place_of(self, row: u32) -> Option<usize> {
        let place = self.before(row);
        (self.get(place)? == row).then_some(place)
    }

    /// True when the first rows are those of `other`.
    pub fn starts_with(self, other: RowNumbers<'_>) -> bool {
        match (self, other) {
            (Self::Range { first, len }, RowNumbers::Range { first: other, len: others }) => {
                others == 0 || (first == other && len >= others)
            }
            (Self::List(list), RowNumbers::List(other)) => list.starts_with(other),
            _ => self.len() >= other.len() && self.iter().zip(other.iter()).all(|(one, other)| one == other),
        }
    }
}

impl PartialEq<RowNumbers<'_>> for RowNumbers<'_> {
    fn eq(&self, other: &RowNumbers<'_>) -> bool {
        self.len() == other.len() && self.starts_with(*other)
    }
}

impl<T: AsRef<[u32]> + ?Sized> PartialEq<T> for RowNumbers<'_> {
    fn eq(&self, other: &T) -> bool {
        *self == RowNumbers::List(other.as_ref())
    }
}

impl Serialize for RowNumbers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kept(rows: &[u32]) -> KeptRows {
        let mut kept = KeptRows::default();
        for (len, row) in rows.iter().enumerate() {
            kept.push(len, *row);
        }
        kept
    }

    #[test]
    fn rows_without_a_gap_take_no_list() {
        assert!(matches!(kept(&[7, 8, 9]), KeptRows::From(7)));
        assert!(matches!(kept(&[7, 9]), KeptRows::List(_)));
        assert!(matches!(kept(&[7, 7]), KeptRows::List(_)));
        assert!(matches!(kept(&[7, 6]), KeptRows::List(_)));
        assert_eq!(kept(&[u32::MAX, 0]).of(2), [u32::MAX, 0]);
    }

    proptest! {
        #[test]
        fn rows_are_those_that_were_added(
            one in prop::collection::vec(0_u32..6, 0..5), other in prop::collection::vec(0_u32..6, 0..5), row in 0_u32..7
        ) {
            let mut whole = kept(&one);
            whole.append(one.len(), kept(&other).of(other.len()));
            let both = [&one[..], &other].concat();
            let rows = whole.of(both.len());
            prop_assert_eq!(&whole, &kept(&both), "one form for the same rows");
            prop_assert_eq!(rows.iter().collect::<Vec<_>>(), &both[..]);
            prop_assert_eq!(rows, &both[..]);
            prop_assert_eq!((rows.first(), rows.last()), (both.first().copied(), both.last().copied()));
            let begin = kept(&one);
            prop_assert!(rows.starts_with(begin.of(one.len())));
            prop_assert_eq!(rows.starts_with(kept(&other).of(other.len())), both.starts_with(&other));
            if both.is_sorted_by(|a, b| a < b) {
                prop_assert_eq!(rows.before(row), both.partition_point(|known| *known < row));
                prop_assert_eq!(rows.place_of(row), both.binary_search(&row).ok());
            }
            whole.truncate(one.len());
            prop_assert_eq!(&whole, &begin, "one form for the same rows");
        }
    }
}
