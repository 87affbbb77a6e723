//! What the parts of the run list share: its lines, which of them are in the document, and what all rows depend on.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use leptos_use_window_size::use_window_size;

use super::items::{self, Group, ListItem, NOT_SET};
use super::names::CommonParts;
use super::{spark, window};
use crate::app::browser::timing::after;
use crate::app::state::columns::{MAX_COLUMNS, RunCells};
use crate::app::state::listing::group_column;
use crate::app::state::{AppState, View};
use rundown_content::Cell;
use rundown_protocol::{ColumnId, RunRow};

/// Height of a line in pixels; `style/list.css` has the same ones.
const LINE: f64 = 28.0;
const LINE_ON_PHONES: f64 = 44.0;
/// Lines by which a new list grows in one task: each takes about a millisecond.
const LINES_A_TASK: usize = 20;
/// Widest window of a phone.
const PHONE: f64 = 480.0;

/// The list. Copies are the same list.
#[derive(Clone, Copy)]
pub struct ListState {
    /// The lines, top to bottom.
    pub items: Memo<Arc<Vec<ListItem>>>,
    /// Index of each run among the lines.
    pub indexes: Memo<Arc<BTreeMap<u32, usize>>>,
    /// The columns beside the list's own.
    pub columns: Memo<Vec<ColumnId>>,
    /// Id of the run that others are compared with.
    pub baseline: Memo<Option<String>>,
    /// Ids of the runs that stay on top.
    pub pinned: Memo<Vec<String>>,
    /// The view that the page shows.
    pub view: Memo<View>,
    /// What all names share.
    pub common: Memo<CommonParts>,
    /// What all sparklines of the list's metric lie in, where they share a range.
    pub spark_range: Memo<Option<(f32, f32)>>,
    /// How far the lines are scrolled, and the height in which they are seen.
    pub scrolled: RwSignal<(f64, f64)>,
    /// Height of a line.
    pub line: Memo<f64>,
    /// The first line in the document, and the one behind the last.
    pub window: Memo<(usize, usize)>,
    /// The row that the Tab key stops at.
    pub tab_stop: Memo<Option<u32>>,
    /// Place of each run in the engine's list.
    rows: Memo<Arc<BTreeMap<u32, usize>>>,
    app: AppState,
}

impl ListState {
    /// The list of the page's runs.
    pub fn new(app: AppState) -> Self {
        let runs = app.runs;
        let items = lines(app);
        let indexes = Memo::new(move |_| {
            let index = |(index, item): (usize, &ListItem)| item.run().map(|run| (run, index));
            Arc::new(items.with(|items| items.iter().enumerate().filter_map(index).collect::<BTreeMap<_, _>>()))
        });
        let width = use_window_size().width;
        let line = Memo::new(move |_| if width.get() <= PHONE { LINE_ON_PHONES } else { LINE });
        let scrolled = RwSignal::new((0.0, 0.0));
        let around_sight = Memo::new(move |_| {
            let (top, height) = scrolled.get();
            let range = window::window(items.with(|items| items.len()), top, height, line.get());
            (range.start, range.end)
        });
        let limit = RwSignal::new(LINES_A_TASK);
        Effect::new(move |_| {
            let (start, end) = around_sight.get();
            if limit.get() < end - start {
                after(0, move || _ = limit.try_update(|limit| *limit += LINES_A_TASK));
            }
        });
        let in_document = Memo::new(move |_| {
            let (start, end) = around_sight.get();
            (start, end.min(start + limit.get()))
        });
        let tab_stop = Memo::new(move |_| {
            let (start, end) = in_document.get();
            let open = runs.open.get();
            let index = open.and_then(|open| indexes.with(|indexes| indexes.get(&open).copied()));
            if index.is_some_and(|index| (start..end).contains(&index)) {
                return open;
            }
            items.with(|items| items.iter().take(end).skip(start).find_map(ListItem::run))
        });
        let rows = move |_: Option<&_>| {
            let index = |(index, row): (usize, &RunRow)| (row.run, index);
            Arc::new(runs.list.with(|list| list.runs.iter().enumerate().map(index).collect::<BTreeMap<_, _>>()))
        };
        Self {
            items,
            indexes,
            columns: app.address.part(|state| state.columns.iter().take(MAX_COLUMNS).cloned().collect()),
            baseline: app.address.part(|state| state.baseline.clone()),
            pinned: app.address.part(|state| state.pinned.clone()),
            view: app.view(),
            common: Memo::new(move |_| {
                runs.list.with(|list| CommonParts::of(list.runs.iter().map(|row| row.name.as_str())))
            }),
            spark_range: Memo::new(move |_| {
                let of_metric = |row: &&RunRow| row.value.is_some();
                runs.list.with(|list| {
                    spark::shared_range(list.runs.iter().filter(of_metric).map(|row| row.spark.as_slice()))
                })
            }),
            scrolled,
            line,
            window: in_document,
            tab_stop,
            rows: Memo::new(rows),
            app,
        }
    }

    /// The row of a run, `None` when it is gone; followed by whoever asks.
    pub fn row(self, run: u32) -> Option<RunRow> {
        let index = self.rows.with(|rows| rows.get(&run).copied())?;
        self.app.runs.list.with(|list| list.runs.get(index).cloned())
    }

    /// Place among the lines of the group with this value, and the group; followed by whoever asks.
    pub fn group(self, value: &str) -> (usize, Group) {
        let group = |(index, item): (usize, &ListItem)| match item {
            ListItem::Group(group) if group.value == value => Some((index, group.clone())),
            _ => None,
        };
        self.items.with(|items| items.iter().enumerate().find_map(group)).unwrap_or_default()
    }

    /// Folds a group, or unfolds it.
    pub fn fold(self, value: &str) {
        self.app.address.choose(|state| {
            let known = state.folded.len();
            state.folded.retain(|folded| folded != value);
            if state.folded.len() == known {
                state.folded.push(value.to_owned());
            }
        });
    }

    /// Unfolds the group of a run, if that is folded.
    pub fn unfold_around(self, run: u32) {
        let cells = self.app.runs.cells.get_untracked();
        let group = group_column(&cells, &self.app.address.now().list_group);
        let Some(value) = group.map(|index| group_value(&cells, run, index)) else { return };
        if self.app.address.now().folded.contains(&value) {
            self.fold(&value);
        }
    }

    /// What a run has in a column, in words; followed by whoever asks.
    pub fn cell(self, run: u32, column: &ColumnId) -> String {
        self.app.runs.cells.with(|cells| {
            let cell = cells.index_of(column).and_then(|index| cells.cell(run, index));
            cell.map(Cell::plain).unwrap_or_default()
        })
    }
}

fn lines(app: AppState) -> Memo<Arc<Vec<ListItem>>> {
    let parts = app.address.part(|state| (state.list_group.clone(), state.pinned.clone(), state.folded.clone()));
    Memo::new(move |_| {
        let (list, rows, cells) = (app.runs.list.get(), app.runs.rows.get(), app.runs.cells.get());
        parts.with(|(setting, pinned, folded)| {
            let value_of = group_column(&cells, setting).map(|index| {
                let cells = &cells;
                move |run: u32| group_value(cells, run, index)
            });
            let value_of = value_of.as_ref().map(|value_of| value_of as &dyn Fn(u32) -> String);
            Arc::new(items::items(&list, &rows, pinned, value_of, folded))
        })
    })
}

/// The value of a run's group.
fn group_value(cells: &RunCells, run: u32, index: usize) -> String {
    let value = cells.cell(run, index).map(Cell::plain).unwrap_or_default();
    if value.is_empty() { NOT_SET.to_owned() } else { value }
}
