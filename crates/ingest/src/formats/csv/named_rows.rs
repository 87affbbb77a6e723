//! Tables that may have one row a run without the marks of a tracker: read as rows of metrics and as runs, until the
//! texts that name the rows tell which they are.

use super::metrics::MetricTable;
use super::runs_table::RunsTable;
use super::{TableOutcome, TableSink};
use crate::budget::MemoryUse;
use crate::formats::row_names::{RowNames, is_prompt};
use crate::rows::read_progress::ReadProgress;
use crate::syntax::utf8;
use rundown_run::FileFormat;

/// Reads rows that each may be a run.
pub(super) struct NamedRows {
    /// The rows as metrics; `None` where rows that are not runs are samples, as they hold a prompt.
    rows: Option<MetricTable>,
    /// `None` once the rows are known not to be runs.
    runs: Option<ListedRuns>,
}

struct ListedRuns {
    table: RunsTable,
    names: RowNames,
}

impl NamedRows {
    /// The table with these columns, or `None` where its rows cannot be runs.
    pub(super) fn new(names: &[String], delimiter: u8) -> Option<Self> {
        let found = RowNames::of_columns(names.iter().map(String::as_str))?;
        let runs = Some(ListedRuns { table: RunsTable::of_columns(names, delimiter), names: found });
        let has_prompt = names.iter().any(|name| is_prompt(name));
        let rows = (!has_prompt).then(|| MetricTable::new(names, delimiter));
        Some(Self { rows, runs })
    }
}

impl TableSink for NamedRows {
    fn cell(&mut self, column: usize, text: &str) {
        if let Some(rows) = &mut self.rows {
            rows.cell(column, text);
        }
        if let Some(runs) = &mut self.runs {
            runs.table.cell(column, text);
        }
    }

    fn decimal(&mut self, column: usize, text: &[u8], value: f64) {
        if let Some(rows) = &mut self.rows {
            rows.decimal(column, text, value);
        }
        if let Some(runs) = &mut self.runs {
            runs.table.cell(column, &utf8(text));
        }
    }

    fn end_row(&mut self) {
        if let Some(rows) = &mut self.rows {
            rows.end_row();
        }
        self.runs = self.runs.take().and_then(ListedRuns::end_row);
    }

    fn set_progress(&mut self, progress: ReadProgress) {
        if let Some(rows) = &mut self.rows {
            rows.set_progress(progress);
        }
    }

    fn memory_use(&self) -> MemoryUse {
        let rows = self.rows.as_ref().map(TableSink::memory_use).unwrap_or_default();
        rows + self.runs.as_ref().map(|runs| runs.table.memory_use()).unwrap_or_default()
    }

    fn finish(self: Box<Self>, path: &str) -> TableOutcome {
        match (self.runs.filter(|runs| runs.names.are_runs()), self.rows) {
            (Some(ListedRuns { table, names }), _) => {
                let table = table.named_by(names.experiment());
                TableOutcome { format: Some(FileFormat::RunsTable), ..Box::new(table).finish(path) }
            }
            (None, Some(rows)) => Box::new(rows).finish(path),
            (None, None) => TableOutcome { are_samples: true, ..TableOutcome::default() },
        }
    }
}

impl ListedRuns {
    /// Ends a row; `None` where it shows that the rows are not runs. An empty row is skipped.
    fn end_row(mut self) -> Option<Self> {
        let is_run = self.table.is_row_empty() || self.names.add_row(|name| self.table.cell_of(name));
        self.table.end_row();
        is_run.then_some(self)
    }
}
