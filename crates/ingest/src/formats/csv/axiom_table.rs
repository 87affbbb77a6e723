//! Axiom events saved as CSV: a column `_time`, and one that names the event.

use super::cell::number;
use super::{TableOutcome, TableSink};
use crate::budget::MemoryUse;
use crate::formats::axiom;
use crate::formats::axiom::AxiomEvent;

/// Reads one event a row.
#[derive(Default)]
pub(super) struct AxiomTable {
    delimiter: u8,
    names: Vec<String>,
    event: AxiomEvent,
    has_cells: bool,
    events: axiom::AxiomEvents,
}

impl AxiomTable {
    /// The table with these columns, or `None` for any other one.
    pub(super) fn new(names: &[String], delimiter: u8) -> Option<Self> {
        let is_name = |name: &String| axiom::NAME_FIELDS.contains(&name.rsplit('.').next().unwrap_or(name));
        let is_events = names.iter().any(|name| name == "_time") && names.iter().any(is_name);
        is_events.then(|| Self { delimiter, names: names.to_vec(), ..Self::default() })
    }
}

impl TableSink for AxiomTable {
    fn cell(&mut self, column: usize, text: &str) {
        let Some(name) = self.names.get(column).filter(|name| !name.is_empty() && !text.is_empty()) else { return };
        self.has_cells = true;
        match number(text, self.delimiter) {
            Some(value) => self.event.number(name, value),
            None => self.event.text(name, text),
        }
    }

    fn end_row(&mut self) {
        let event = std::mem::take(&mut self.event);
        if std::mem::take(&mut self.has_cells) {
            self.events.add(&event);
        }
    }

    fn memory_use(&self) -> MemoryUse {
        self.events.memory_use()
    }

    fn finish(self: Box<Self>, _path: &str) -> TableOutcome {
        let problems = self.events.left_out().into_iter().collect();
        TableOutcome { runs: self.events.finish(), problems, ..TableOutcome::default() }
    }
}
