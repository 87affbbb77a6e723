//! Texts of rows that are counts, such as `"correct": "3/16"`: kept aside as shares until all rows are there, as one that
//! is no count shows that the others of its name are not either.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::counts::ColumnCounts;
use super::names::{evaluation_name, is_count_name, is_row_text, is_sample_key};
use crate::budget::MemoryUse;
use rundown_run::{Column, Run};

/// Longest text of a count: two numbers of up to ten digits, a slash, and blanks around it.
const MAX_TEXT: usize = 24;
/// Names of counts that are kept; the texts of further ones are not read as counts.
const MAX_NAMES: usize = 256;
/// Bytes that a share takes, about.
const SHARE_BYTES: usize = 12;

/// The shares that the rows so far count.
#[derive(Debug, Default)]
pub(super) struct CountTexts {
    columns: BTreeMap<String, CountColumn>,
    shares: usize,
}

#[derive(Debug, Default)]
struct CountColumn {
    counts: ColumnCounts,
    /// Shares by what their names get in front, which is empty for rows of the training.
    shares: BTreeMap<&'static str, Column>,
}

impl CountTexts {
    /// The share that a text counts; `None` for any other text, and where the name says that it is no metric.
    pub(super) fn share(&mut self, name: &str, text: &str) -> Option<f64> {
        if let Some(column) = self.columns.get_mut(name) {
            return column.counts.share(text);
        }
        let may_be_count = text.len() <= MAX_TEXT && text.contains('/') && self.columns.len() < MAX_NAMES;
        if !may_be_count || is_count_name(name) || is_row_text(name) || is_sample_key(name) {
            return None;
        }
        let mut counts = ColumnCounts::default();
        let share = counts.share(text)?;
        self.columns.insert(name.to_owned(), CountColumn { counts, shares: BTreeMap::new() });
        Some(share)
    }

    /// Keeps a share of a row; `prefix` is that of the metrics of an evaluation.
    pub(super) fn push(&mut self, name: &str, prefix: Option<&'static str>, row: u32, share: f64) {
        if let Some(column) = self.columns.get_mut(name) {
            let prefix = prefix.filter(|prefix| matches!(evaluation_name(name, prefix), Cow::Owned(_)));
            column.shares.entry(prefix.unwrap_or_default()).or_default().push(row, share);
            self.shares += 1;
        }
    }

    /// What the shares take.
    pub(super) fn memory_use(&self) -> MemoryUse {
        MemoryUse::bytes(self.shares * SHARE_BYTES)
    }

    /// Adds the columns of shares to a run, where none of its metrics has their name.
    pub(super) fn fill(self, run: &mut Run) {
        for (name, column) in self.columns.into_iter().filter(|(_, column)| !column.counts.are_refuted()) {
            for (prefix, shares) in column.shares {
                run.columns.entry(format!("{prefix}{name}")).or_insert(shares);
            }
        }
    }
}
