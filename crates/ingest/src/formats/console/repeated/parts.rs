//! Which kinds of lines rows are made of: those that begin a row, and those around them.

use std::collections::{BTreeMap, BTreeSet};

use super::around::{RowPosition, around};
use super::line_kind::{Counter, LineKind};
use super::{RepeatedLines, out_of_order};
use crate::rows::metric_words;
use rundown_stats::CompactCollect as _;

/// The kinds of lines that rows are made of, by their numbers.
pub(super) struct Parts {
    pub(super) counter: Option<Counter>,
    /// Kinds that begin a row.
    pub(super) leads: BTreeSet<usize>,
    /// Kinds without a counter that belong to a row.
    pub(super) around: BTreeMap<usize, RowPosition>,
    /// A few such lines are enough.
    pub(super) is_certain: bool,
}

impl RepeatedLines {
    /// The lines around rows that come in at least half of them.
    pub(super) fn in_most_rows(
        &self,
        around: BTreeMap<usize, RowPosition>,
        rows: usize,
    ) -> BTreeMap<usize, RowPosition> {
        let lines = |kind: &usize| self.kinds.get(kind).map_or(0, |kind| kind.lines);
        around.into_iter().filter(|(kind, _)| lines(kind) * 2 >= rows).compact_collect()
    }

    /// True where the names of lines of these kinds are together those of a row of metrics.
    pub(super) fn make_row<'k>(&self, kinds: impl Iterator<Item = &'k usize> + Clone) -> bool {
        let names =
            kinds.filter_map(|kind| self.kinds.get(kind)).flat_map(|kind| kind.names.iter().map(String::as_str));
        metric_words::make_row(names)
    }

    /// The kinds of lines that rows are made of.
    pub(super) fn parts(&self) -> Parts {
        let (counter, common, is_certain) = self.lead();
        let leads: BTreeSet<usize> = match &counter {
            Some(counter) => {
                let stray = out_of_order::stray(&self.kinds, counter, &self.steps(counter));
                let counted = self.kinds.iter().filter(|(_, kind)| kind.place_of(counter).is_some());
                counted.map(|(number, _)| *number).filter(|number| !stray.contains(number)).compact_collect()
            }
            None => common.into_iter().compact_collect(),
        };
        // Beside a few rows any line of text comes about once a row.
        let around = if is_certain { BTreeMap::new() } else { around(&self.lines, &self.kinds, &leads) };
        Parts { counter, leads, around, is_certain }
    }

    /// What begins a row: a counter, or the kind of lines that come most often; and whether a few such lines are enough.
    fn lead(&self) -> (Option<Counter>, Option<usize>, bool) {
        if let Some(counter) = self.counter(&|_| false) {
            return (Some(counter), None, false);
        }
        if let Some(common) = self.commonest() {
            return (None, Some(common), false);
        }
        match self.counter(&LineKind::is_row) {
            Some(counter) => (Some(counter), None, true),
            None => {
                (None, self.kinds.iter().find(|(_, kind)| kind.is_dictionary && kind.is_row()).map(|(n, _)| *n), true)
            }
        }
    }
}
