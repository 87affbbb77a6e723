//! A header among the rows: a restarted program wrote its table behind the first one, perhaps with other columns.

use std::collections::BTreeSet;

use super::MAX_COLUMNS;
use super::cell::{clean_name, number};
use crate::rows::names::is_step_name;

/// Fewest names of the header before that are in another one.
const ENOUGH_KNOWN: usize = 2;
/// Names that are compared with the first cell of each row sooner than it is cleaned and looked up.
const FEW_NAMES: usize = 64;

/// Collects the cells of a row as long as they may be names.
#[derive(Debug, Default)]
pub(super) struct LaterHeader {
    /// Names of the header before, and how many cells it has.
    known: BTreeSet<String>,
    columns: usize,
    cells: Vec<String>,
    is_open: bool,
}

impl LaterHeader {
    /// Looks for a header among the rows below one with these names.
    pub(super) fn after(known: Vec<String>) -> Self {
        Self { columns: known.len(), known: known.into_iter().collect(), ..Self::default() }
    }

    /// Takes a cell of a row that is no plain decimal.
    pub(super) fn add(&mut self, position: usize, text: &str, delimiter: u8) {
        if position == 0 {
            self.cells.clear();
            let text = text.trim_start_matches('\u{feff}');
            self.is_open = is_step_name(text) || self.is_known(text);
        }
        if !self.is_open {
            return;
        }
        self.is_open = number(text, delimiter).is_none() && self.cells.len() < MAX_COLUMNS;
        self.cells.push(clean_name(text));
    }

    fn is_known(&self, text: &str) -> bool {
        if self.columns > FEW_NAMES {
            return self.known.contains(&clean_name(text));
        }
        self.known.iter().any(|known| known.eq_ignore_ascii_case(text))
    }

    /// Ends a row of so many cells, and gives their names where it is a header: none is a number, and most are those of the header before,
    /// or a step is and half of the others.
    pub(super) fn end_row(&mut self, cells: usize) -> Option<Vec<String>> {
        // Plain decimals do not come to `add`, so that cells may be missing.
        if !std::mem::take(&mut self.is_open) || self.cells.len() != cells {
            return None;
        }
        let is_known = |name: &&String| !name.is_empty() && self.known.contains(*name);
        let known = self.cells.iter().filter(is_known);
        let share = if known.clone().any(|name| is_step_name(name)) { self.columns.min(cells) } else { cells };
        let count = known.count();
        if count < ENOUGH_KNOWN || 2 * count < share {
            return None;
        }
        self.known = self.cells.iter().cloned().collect();
        self.columns = cells;
        Some(std::mem::take(&mut self.cells))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_told_from_rows_of_texts() {
        let found = |cells: &[&str]| {
            let names = ["step", "loss", "reward"].map(str::to_owned);
            let mut header = LaterHeader::after(names.to_vec());
            (0..).zip(cells).for_each(|(position, cell)| header.add(position, cell, b','));
            header.end_row(cells.len()).is_some()
        };
        assert!(found(&["step", "loss", "reward"]) && found(&["Step", "loss", "kl", "reward"]));
        assert!(found(&["step", "loss", "a", "b", "c", "d", "e"]));
        assert!(!found(&["step", "a", "b"]) && !found(&["loss", "0.5", "reward"]) && !found(&["1", "loss", "reward"]));
        let wide: Vec<String> = (0..=FEW_NAMES).map(|column| format!("a{column}")).collect();
        let mut header = LaterHeader::after(wide.clone());
        (0..).zip(&wide).for_each(|(position, cell)| header.add(position, cell, b','));
        assert_eq!(header.end_row(wide.len()), Some(wide));
        assert!(!found(&["loss", "reward", "a", "b", "c"]) && !found(&["step"]) && !found(&["", "loss", "reward"]));
    }
}
