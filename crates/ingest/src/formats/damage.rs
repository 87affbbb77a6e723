//! What was found broken in a file of records.

use crate::Occurrences;

/// Broken records of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RecordDamage {
    /// Broken records, or places where some were lost, by their offsets.
    pub(crate) bad: Occurrences,
    /// Offset at which the last record begins when the file ends within it.
    pub(crate) torn_at: Option<u64>,
}
