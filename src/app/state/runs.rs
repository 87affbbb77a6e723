//! The runs of the page: the list as the engine gave it, the rows that the filter leaves, the open run, and the runs
//! that charts draw.

use std::sync::Arc;

use leptos::prelude::*;

use super::address::Address;
use super::columns::{MAX_COLUMNS, RunCells};
use super::listing::{self, ListOrder, Sort};
use super::run_colors::{LineStyle, RunColors};
use super::run_set;
use super::tags::Tags;
use super::view::View;
use crate::app::browser::storage::SharedText;
use crate::app::engine::Engine;
use rundown_protocol::{ColumnId, QueryMatches, Request, RunList, RunRow, TableRequest};

/// What this browser remembers the user's tags as.
const TAGS: &str = "rundown-tags";

/// The runs. Copies are the same runs.
#[derive(Clone, Copy)]
pub struct Runs {
    /// The list as the engine last gave it.
    pub list: RwSignal<Arc<RunList>>,
    /// Grows with each list of everything that was read: what was asked about a run is asked again.
    pub revision: RwSignal<u32>,
    /// The engine's answer to the filter, where that is a query.
    pub matches: Memo<Option<Arc<QueryMatches>>>,
    /// What runs have in the columns that the list shows, sorts by and groups by.
    pub cells: Memo<Arc<RunCells>>,
    /// Words that the user put on runs.
    pub tags: RwSignal<Tags>,
    /// Where this browser remembers them.
    stored_tags: SharedText,
    /// Places in the list of the rows that the filter leaves, in their order.
    pub rows: Memo<Arc<Vec<usize>>>,
    /// The engine's number of the open run: the one in the address, else the first of the list. While files are read,
    /// the run that was there first stays open: the first of the list is another one each time.
    pub open: Memo<Option<u32>>,
    /// The runs that charts draw, the open one first.
    pub shown: Memo<Arc<Vec<ShownRun>>>,
    /// True once there is a run.
    pub is_loaded: Memo<bool>,
    /// The views that these runs have something for.
    pub views: Memo<Vec<View>>,
    /// Colours that runs have got so far.
    colors: StoredValue<RunColors>,
    /// The runs that are highlighted on the whole page: the one under the pointer, or those of a group.
    highlighted: RwSignal<Vec<u32>>,
    /// How far the list has grown.
    pub(super) growth: StoredValue<Growth>,
    /// Id of the run that was last shown or hidden: where a choice with Shift begins.
    pub(super) range_anchor: StoredValue<Option<String>>,
    /// What was chosen before one run was isolated.
    pub(super) before_isolation: StoredValue<Option<Vec<String>>>,
}

/// What was there before the list began to grow.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Growth {
    /// The greatest number of a run when all files were last read; 0 where there was none.
    pub(super) newest: u32,
    /// Whether runs of the files came that are being read.
    pub(super) first_runs: FirstRuns,
    /// A reading was stopped while another one went on: unless that ends with the list of all, it is to be asked for.
    pub(super) is_list_due: bool,
}

/// The first runs of files that are being read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum FirstRuns {
    /// None came yet.
    #[default]
    Awaited,
    /// They came while the address had this run.
    Came(Option<String>),
}

/// A run that charts draw.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownRun {
    /// The engine's number.
    pub run: u32,
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// How its lines are drawn.
    pub style: LineStyle,
}

impl Runs {
    /// No runs yet.
    pub fn new(engine: Engine, address: Address) -> Self {
        let list = RwSignal::new(Arc::new(RunList::default()));
        let revision = RwSignal::new(0);
        let matches = matches(engine, address, list);
        let cells = cells(engine, address, list);
        let stored_tags = SharedText::new(TAGS);
        let tags = RwSignal::new(stored_tags.read().map(|text| Tags::read(&text)).unwrap_or_default());
        let order = address
            .part(|state| (state.filter.clone(), state.sort.clone(), state.list_group.clone(), state.pinned.clone()));
        let rows = Memo::new(move |_| {
            let cells = cells.get();
            order.with(|(filter, sort, group, pinned)| {
                let order = ListOrder { sort, group, pinned, cells: &cells };
                Arc::new(tags.with(|tags| filtered(&list.get(), filter, tags, order, matches)))
            })
        });
        let wanted = address.part(|state| state.run.clone());
        let open = Memo::new(move |before: Option<&Option<u32>>| {
            let before = before.copied().flatten();
            wanted.with(|wanted| list.with(|list| run_set::open(list, wanted.as_deref(), before)))
        });
        let colors = StoredValue::new(RunColors::default());
        let chosen = address.part(|state| state.shown.clone());
        let was_partial = StoredValue::new(false);
        let shown = Memo::new(move |before: Option<&Arc<Vec<ShownRun>>>| {
            let list = list.get();
            let before: Vec<u32> = before.into_iter().flat_map(|runs| runs.iter().map(|shown| shown.run)).collect();
            let rows = chosen.with(|chosen| run_set::shown(&list, open.get(), chosen.as_deref(), &before));
            let was_partial = was_partial.try_update_value(|was| std::mem::replace(was, list.is_partial));
            if list.is_partial || was_partial == Some(true) {
                let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
                colors.update_value(|colors| colors.keep_only(&ids));
            }
            Arc::new(rows.into_iter().map(|row| ShownRun::new(row, colors)).collect::<Vec<_>>())
        });
        let runs = Self {
            list,
            revision,
            matches,
            cells,
            tags,
            stored_tags,
            rows,
            open,
            shown,
            is_loaded: Memo::new(move |_| list.with(|list| !list.runs.is_empty())),
            views: Memo::new(move |_| list.with(|list| View::all(&list.topics))),
            colors,
            highlighted: RwSignal::new(Vec::new()),
            growth: StoredValue::new(Growth::default()),
            range_anchor: StoredValue::new(None),
            before_isolation: StoredValue::new(None),
        };
        Effect::new(move |_| address.name_open_run(runs.open.get().map(|run| runs.id(run))));
        runs
    }

    /// The number of the open run, which no run has while there is none; followed by whoever asks.
    pub fn open_number(self) -> u32 {
        self.open.get().unwrap_or_default()
    }

    /// What `read` makes of the row of a run; `None` when it is gone. Followed by whoever asks.
    pub fn row<T>(self, run: u32, read: impl FnOnce(&RunRow) -> T) -> Option<T> {
        self.list.with(|list| list.runs.iter().find(|row| row.run == run).map(read))
    }

    /// Name of a run, empty when it is gone; followed by whoever asks.
    pub fn name(self, run: u32) -> String {
        self.row(run, |row| row.name.clone()).unwrap_or_default()
    }

    /// Id of a run, empty when it is gone.
    pub fn id(self, run: u32) -> String {
        untrack(|| self.row(run, |row| row.id.clone())).unwrap_or_default()
    }

    /// Number of the run with this id.
    pub fn number(self, id: &str) -> Option<u32> {
        self.list.with(|list| list.runs.iter().find(|row| row.id == id).map(|row| row.run))
    }

    /// Numbers of the runs that charts draw, the open one first; followed by whoever asks.
    pub fn shown_numbers(self) -> Vec<u32> {
        self.shown.with(|shown| shown.iter().map(|shown| shown.run).collect())
    }

    /// Numbers of the runs that the filter leaves; empty when it leaves all, as requests have it. Whether it leaves none is
    /// [`Runs::none_listed`]. Followed by whoever asks.
    pub fn listed(self) -> Vec<u32> {
        let (list, rows) = (self.list.get(), self.rows.get());
        if rows.len() == list.runs.len() {
            return Vec::new();
        }
        rows.iter().filter_map(|row| list.runs.get(*row)).map(|row| row.run).collect()
    }

    /// True where the filter leaves no run; followed by whoever asks.
    pub fn none_listed(self) -> bool {
        self.is_loaded.get() && self.rows.with(|rows| rows.is_empty())
    }

    /// Forgets which runs were chosen for the charts before.
    pub(super) fn forget_shown(self) {
        self.range_anchor.set_value(None);
        self.before_isolation.set_value(None);
    }

    /// The run `by` places from the open one in the list.
    pub fn neighbour(self, by: isize) -> Option<u32> {
        untrack(|| listing::neighbour(&self.list.get(), &self.rows.get(), self.open.get(), by))
    }

    /// Puts tags on a run; this browser remembers them.
    pub fn set_tags(self, id: &str, words: &str) {
        self.tags.update(|tags| {
            // Another tab may have tagged runs since.
            if let Some(stored) = self.stored_tags.read() {
                *tags = Tags::read(&stored);
            }
            tags.set(id, words);
        });
        self.stored_tags.write(&self.tags.with_untracked(Tags::written));
    }

    /// Highlights these runs, and no others, on the whole page.
    pub fn highlight(self, runs: &[u32]) {
        if self.highlighted.with_untracked(|now| now != runs) {
            self.highlighted.set(runs.to_vec());
        }
    }

    /// Ends the highlight where it is of none but these runs: what is under the pointer meanwhile stays highlighted.
    pub fn unhighlight(self, runs: &[u32]) {
        if self.highlighted.with_untracked(|now| !now.is_empty() && now.iter().all(|run| runs.contains(run))) {
            self.highlighted.set(Vec::new());
        }
    }

    /// True while the run is highlighted; followed by whoever asks.
    pub fn is_highlighted(self, run: u32) -> bool {
        self.highlighted.with(|now| now.contains(&run))
    }

    /// The run that is highlighted, of a group the first one; followed by whoever asks.
    pub fn highlighted(self) -> Option<u32> {
        self.highlighted.with(|now| now.first().copied())
    }

    /// Style of a run in a figure, shown in charts or not.
    pub fn figure_style(self, run: u32) -> LineStyle {
        let id = self.id(run);
        self.colors.try_update_value(|colors| colors.style(&id)).unwrap_or_default()
    }

    /// Style of a run that is shown; followed by whoever asks.
    pub fn style(self, run: u32) -> Option<LineStyle> {
        self.shown.with(|shown| shown.iter().find(|shown| shown.run == run).map(|shown| shown.style))
    }
}

impl ShownRun {
    fn new(row: &RunRow, colors: StoredValue<RunColors>) -> Self {
        let style = colors.try_update_value(|colors| colors.style(&row.id)).unwrap_or_default();
        Self { run: row.run, id: row.id.clone(), name: row.name.clone(), style }
    }
}

/// The runs that the filter selects, where it is a query. What was answered before stays until the next answer.
fn matches(engine: Engine, address: Address, list: RwSignal<Arc<RunList>>) -> Memo<Option<Arc<QueryMatches>>> {
    let query = address.part(|state| listing::is_query(&state.filter).then(|| state.filter.clone()));
    let generation = engine.generation();
    let found = LocalResource::new(move || {
        generation.track();
        list.track();
        let query = query.get();
        async move {
            let query = query?;
            let cursor = query.chars().count() as u32;
            engine.request(Request::Find { query, cursor }).await.ok().map(Arc::<QueryMatches>::new)
        }
    });
    Memo::new(move |_| query.with(Option::is_some).then(|| found.get().flatten()).flatten())
}

/// What runs have in the columns of the list.
fn cells(engine: Engine, address: Address, list: RwSignal<Arc<RunList>>) -> Memo<Arc<RunCells>> {
    let wanted = address.part(|state| {
        let mut wanted: Vec<ColumnId> = state.columns.iter().take(MAX_COLUMNS).cloned().collect();
        if let Sort::Column(order) = &state.sort {
            wanted.push(order.column.clone());
        }
        if !state.list_group.is_empty() {
            wanted.push(ColumnId::Setting(state.list_group.clone()));
        }
        let mut seen = Vec::new();
        wanted.retain(|column| {
            let is_new = !seen.contains(column);
            seen.push(column.clone());
            is_new
        });
        wanted
    });
    let baseline = address.part(|state| state.baseline.clone());
    let baseline = Memo::new(move |_| {
        baseline
            .with(|id| list.with(|list| list.runs.iter().find(|row| Some(&row.id) == id.as_ref()).map(|row| row.run)))
    });
    let generation = engine.generation();
    let table = LocalResource::new(move || {
        generation.track();
        list.track();
        let request = TableRequest { columns: wanted.get(), baseline: baseline.get(), ..TableRequest::default() };
        async move {
            if request.columns.is_empty() {
                return Arc::default();
            }
            let table = engine.request(Request::Table(request)).await;
            table.map(|table| Arc::new(RunCells::new(table))).unwrap_or_default()
        }
    });
    Memo::new(move |_| table.get().unwrap_or_default())
}

fn filtered(
    list: &RunList,
    filter: &str,
    tags: &Tags,
    order: ListOrder<'_>,
    matches: Memo<Option<Arc<QueryMatches>>>,
) -> Vec<usize> {
    if !listing::is_query(filter) {
        return listing::arrange(list, filter, tags, order);
    }
    let mut rows = listing::arrange(list, "", tags, order);
    // Everything stays until there is an answer.
    if let Some(found) = matches.get().filter(|found| found.fault.is_none()) {
        rows.retain(|row| list.runs.get(*row).is_some_and(|row| found.runs.binary_search(&row.run).is_ok()));
    }
    rows
}
