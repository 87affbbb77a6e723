//! What was found broken in a file of records.

/// Broken records of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RecordDamage {
    /// Offset of the first broken record.
    pub(crate) first_bad: Option<u64>,
    /// Number of broken records, or of places where some were lost.
    pub(crate) bad: u64,
    /// Offset at which the last record begins when the file ends within it.
    pub(crate) torn_at: Option<u64>,
}

impl RecordDamage {
    /// Counts a broken record that begins at `offset`.
    pub(crate) fn count(&mut self, offset: u64) {
        self.bad += 1;
        self.first_bad.get_or_insert(offset);
    }
}
