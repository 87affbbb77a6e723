//! The table of runs: a row for each run, columns of settings, metrics and what was found.

mod available;
mod columns;
mod facts;
mod metric_values;
mod setting_values;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use super::{Session, SessionRun};
use facts::TableFacts;
pub(super) use facts::TableFactsCache;
use rundown_compare::{Metric, RunSummary};
use rundown_content::Cell;
use rundown_present::compare::{AdviceCache, Selection};
use rundown_protocol::{Aggregate, ColumnId, RunTable, RunTableColumn, RunTableRow, TableRequest};
use rundown_stats::CompactSort as _;

/// Most settings among the columns that are chosen here.
const CHOSEN_SETTINGS: usize = 12;
/// Most settings that become axes.
const MAX_AXES: usize = 9;

/// The runs of a table, and what their columns are made of.
struct TableRuns<'s> {
    /// In the order of the rows.
    rows: Vec<TableRun<'s>>,
    /// The run whose numbers others are compared with; it need not be a row.
    baseline: Option<TableRun<'s>>,
    /// What does not depend on the columns.
    facts: Rc<TableFacts>,
}

/// A run with its diagnosis.
#[derive(Clone, Copy)]
struct TableRun<'s> {
    loaded: &'s SessionRun,
    summary: &'s RunSummary,
}

/// A column with what stands in it, a cell for each row.
struct FilledColumn {
    column: RunTableColumn,
    cells: Vec<Cell>,
    /// The key of each row whose run logs the metric under another one, with the row's place.
    own_keys: Vec<(usize, String)>,
}

impl FilledColumn {
    fn of(column: RunTableColumn, cells: Vec<Cell>) -> Self {
        Self { column, cells, own_keys: Vec::new() }
    }
}

impl Session {
    /// A table of runs. Those that wait for their diagnosis are left out.
    pub(super) fn table(&mut self, request: &TableRequest) -> RunTable {
        let mut advice = std::mem::take(&mut self.advice);
        let mut facts = std::mem::take(&mut self.table_facts);
        let table = self.table_with(request, &mut facts, &mut advice);
        self.table_facts = facts;
        self.advice = advice;
        table
    }

    fn table_with(&self, request: &TableRequest, facts: &mut TableFactsCache, cache: &mut AdviceCache) -> RunTable {
        let facts = facts.of(self, request);
        let runs = TableRuns {
            rows: self.numbered(&facts.rows).into_iter().filter_map(TableRun::of).collect(),
            baseline: request.baseline.and_then(|number| TableRun::of(self.loaded(number)?)),
            facts,
        };
        let chosen = if request.columns.is_empty() { runs.chosen_columns() } else { request.columns.clone() };
        let chosen = chosen.into_iter().flat_map(|column| runs.resolved(column, cache)).collect::<Vec<_>>();
        let filled: Vec<FilledColumn> = chosen.iter().map(|column| columns::filled(&runs, column)).collect();
        let row = |row: &TableRun<'_>| RunTableRow { run: row.loaded.number, ..RunTableRow::default() };
        let mut rows: Vec<RunTableRow> = runs.rows.iter().map(row).collect();
        let mut titles = Vec::with_capacity(filled.len());
        for FilledColumn { column, cells, own_keys } in filled {
            for (place, key) in own_keys {
                let Some(row) = rows.get_mut(place) else { continue };
                row.own_keys.resize(titles.len(), String::new());
                row.own_keys.push(key);
            }
            titles.push(column);
            rows.iter_mut().zip(cells).for_each(|(row, cell)| row.cells.push(cell));
        }
        RunTable { columns: titles, rows, available: runs.available() }
    }
}

impl<'s> TableRun<'s> {
    /// `None` for a run that waits for its diagnosis.
    fn of(loaded: &'s SessionRun) -> Option<Self> {
        Some(Self { loaded, summary: loaded.run.summary()? })
    }
}

impl TableRuns<'_> {
    fn summaries(&self) -> Vec<&RunSummary> {
        self.rows.iter().map(|row| row.summary).collect()
    }

    /// The metric of a key, by which runs that log the same quantity under another key have a value too.
    fn metric(&self, key: &str) -> Metric {
        Metric::chosen(&self.summaries(), key, None)
    }

    /// The leaderboard: rank, verdict, outcome, the settings that differ, lengths, what went wrong.
    fn chosen_columns(&self) -> Vec<ColumnId> {
        let mut columns = vec![ColumnId::Name, ColumnId::Rank, ColumnId::Verdict];
        if let Some(metric) = &self.facts.outcome {
            let of = |aggregate| ColumnId::Metric { key: metric.key.clone(), aggregate };
            columns.extend([of(Aggregate::Mean), of(Aggregate::Best)]);
            let to_baseline = || ColumnId::ToBaseline { key: metric.key.clone(), aggregate: Aggregate::Mean };
            columns.extend(self.baseline.map(|_| to_baseline()));
        }
        columns.extend(settings(&self.facts.differing.common, CHOSEN_SETTINGS));
        columns.extend([ColumnId::LastStep, ColumnId::Duration, ColumnId::Findings]);
        columns
    }

    /// The column itself, or those that it stands for in these runs.
    fn resolved(&self, column: ColumnId, cache: &mut AdviceCache) -> Vec<ColumnId> {
        match column {
            ColumnId::Deciding => vec![self.deciding(cache)],
            ColumnId::Differing => settings(&self.facts.differing.recorded, usize::MAX),
            ColumnId::Axes => settings(&self.facts.differing.common, MAX_AXES),
            column => vec![column],
        }
    }

    /// What [`ColumnId::Deciding`] is in these runs.
    fn deciding(&self, cache: &mut AdviceCache) -> ColumnId {
        // In the order of Signals, whose recommendations these are.
        let mut rows = self.rows.clone();
        rows.compact_sort_by_key(|row| (row.loaded.place, row.loaded.number));
        let summaries: Vec<&RunSummary> = rows.iter().map(|row| row.summary).collect();
        let advice = cache.advice(&summaries, &Selection::by(self.facts.outcome.clone()));
        match advice.as_ref().and_then(|advice| advice.analysis.effects.first()).map(|effect| &effect.parameter) {
            Some(parameter) if parameter.is_number() => ColumnId::Setting(parameter.key.clone()),
            _ if self.rows.iter().any(|row| row.summary.spent.hours.is_some()) => ColumnId::Duration,
            _ => ColumnId::LastStep,
        }
    }

    /// The columns that there could be.
    fn available(&self) -> Vec<RunTableColumn> {
        self.facts.available.get_or_init(|| available::available(self)).clone()
    }
}

/// The first of these settings as columns.
fn settings(keys: &[String], most: usize) -> Vec<ColumnId> {
    keys.iter().take(most).cloned().map(ColumnId::Setting).collect()
}
