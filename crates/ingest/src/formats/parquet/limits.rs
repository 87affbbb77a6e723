//! What is not read of a table, and how the user is told: rows and values that are too many, columns of other kinds,
//! damage.

use super::footer::Footer;
use super::schema::{Leaf, LeafMeaning};
use super::shape::{TableKind, TableShape};
use super::{ParquetError, is_number};
use crate::budget::ROW_BYTES;
use crate::{Place, Problem, Weight};
use rundown_format::bytes;
use rundown_run::LoggedCell;

/// Keeps the row groups whose rows fit into `room` bytes: the number of their rows, counted before any is made.
pub(super) fn keep_rows(footer: &mut Footer, shape: &TableShape, room: u64, problems: &mut Vec<Problem>) -> u32 {
    // A table of samples has a cell for each column of a row, also where there is no value.
    let row_bytes = match shape.kind {
        TableKind::Samples => (footer.leaves.len() * size_of::<LoggedCell>()) as u64 + ROW_BYTES,
        _ => ROW_BYTES,
    };
    let most = (room / row_bytes.max(1)).min(u64::from(u32::MAX));
    let all = footer.groups.iter().fold(0_u64, |sum, group| sum.saturating_add(group.rows));
    let mut rows = 0_u64;
    footer.groups.retain(|group| {
        let is_kept = rows.saturating_add(group.rows) <= most;
        // Behind a group that is left out no other is kept, so that rows keep their numbers.
        rows = if is_kept { rows + group.rows } else { u64::MAX };
        is_kept
    });
    let rows = footer.groups.iter().map(|group| group.rows).sum::<u64>();
    if rows < all {
        let what = format!(
            "Too large: the table has {all} rows, and {} of memory are left for {most}. The first {rows} are read.",
            bytes(room)
        );
        let weight = if rows == 0 { Weight::Lost } else { Weight::Partial };
        problems.push(Problem::here(Place::File, weight, what, "Export fewer rows."));
    }
    u32::try_from(rows).unwrap_or(u32::MAX)
}

/// Columns that are left out for what they hold.
pub(super) fn unread(leaves: &[Leaf], shape: &TableShape) -> Option<Problem> {
    if shape.kind == TableKind::Samples {
        return None;
    }
    let is_metric = |leaf: &&Leaf| leaf.meaning == LeafMeaning::Opaque || (is_number(leaf) && leaf.max_repetition > 0);
    // What W&B says of pictures and tables is no metric.
    let is_media = |leaf: &&Leaf| shape.media.iter().any(|key| super::shape::is_below(&leaf.name, key));
    let is_read = |leaf: &&Leaf| leaf.meaning != LeafMeaning::Opaque && shape.needs(leaf);
    let mut names = leaves.iter().filter(is_metric).filter(|leaf| !is_media(leaf) && !is_read(leaf));
    let first = names.next()?;
    let what = match names.count() {
        0 => format!("The column {} holds no plain numbers (lists, maps or bytes) and was skipped.", first.name),
        more => format!(
            "{} columns hold no plain numbers (lists, maps or bytes) and are left out, {} the first of them.",
            more + 1,
            first.name
        ),
    };
    Some(Problem::here(Place::File, Weight::Remark, what, "Where they are metrics, write one number a row."))
}

/// Columns that cannot be read whole.
#[derive(Debug, Default)]
pub(super) struct ColumnDamage {
    columns: u32,
    /// Name, place and reason of the first.
    first: Option<(String, u64, ParquetError)>,
}

impl ColumnDamage {
    /// Counts a column that is broken from byte `at` on.
    pub(super) fn count(&mut self, name: &str, at: u64, error: ParquetError) {
        self.columns += 1;
        if self.first.as_ref().is_none_or(|(_, known, _)| at < *known) {
            self.first = Some((name.to_owned(), at, error));
        }
    }

    /// What to tell the user; `room` bytes were there for the values.
    pub(super) fn problem(self, room: u64) -> Option<Problem> {
        let (name, at, error) = self.first?;
        let columns = match self.columns {
            1 => format!("The column {name} cannot be read whole"),
            more => format!("{more} columns cannot be read whole, {name} the first of them"),
        };
        let rest = "What was read of it elsewhere is kept.";
        let what = match error {
            ParquetError::TooLarge => {
                format!("Too large: the values take more than {} of memory. {columns}. {rest}", bytes(room))
            }
            error => format!("{columns}: {error}. {rest}"),
        };
        let remedy = match error {
            ParquetError::Codec(_) | ParquetError::Encoding(_) => {
                "Write the file again with another compression, such as snappy or zstd."
            }
            ParquetError::Encrypted => "Write the file again without encryption.",
            ParquetError::TooLarge => "Export fewer columns or rows.",
            ParquetError::Malformed | ParquetError::Cut => "Copy the file again.",
        };
        Some(Problem::here(Place::Byte(at), Weight::Partial, what, remedy))
    }
}
