//! Above the rows: how many runs there are of each verdict, how many the filter leaves and charts draw, their order, and what
//! stands in the columns.

use leptos::prelude::*;

use super::columns_menu::ColumnsMenu;
use super::list_state::ListState;
use super::verdict_counts::VerdictCounts;
use crate::app::content::{ClosePopup, Menu, Popup};
use crate::app::state::AppState;
use crate::app::state::columns::{ColumnOrder, from_word, word};
use crate::app::state::listing::Sort;
use crate::app::state::run_set::MAX_SHOWN;
use rundown_format::counted;
use rundown_protocol::ColumnId;

/// The lines above the rows.
#[component]
pub fn ListHead(
    /// The list below it.
    list: ListState,
) -> impl IntoView {
    let app = AppState::of_page();
    let counts = move || {
        let listed = app.runs.rows.with(|rows| rows.len());
        let all = app.runs.list.with(|list| list.runs.len());
        let shown = app.runs.shown.with(|shown| shown.len());
        let of = (listed != all).then(|| format!("{listed} of {}, ", counted(all, "run")));
        view! { {of} <strong>{format!("{shown} shown")}</strong> }
    };
    view! {
        <VerdictCounts />
        <div class="list-head">
            <span role="status">{move || counts()}</span>
            <Popup button_class="link" title="Show runs in charts" names_button=true is_over_page=true face=|| "Show ▾">
                <ShowMenu />
            </Popup>
            <SortSelect list />
            <Popup
                button_class="link"
                title="Columns and grouping"
                names_button=true
                is_over_page=true
                face=|| "Columns ▾"
            >
                <ColumnsMenu list />
            </Popup>
        </div>
        <ColumnTitles list />
    }
}

/// What charts draw, chosen at once.
#[component]
fn ShowMenu() -> impl IntoView {
    let app = AppState::of_page();
    let popup = ClosePopup::around();
    let item = move |words: String, act: fn(AppState)| {
        let click = move |_| {
            act(app);
            popup.close();
        };
        view! { <button type="button" on:click=click>{words}</button> }
    };
    view! {
        {item("Show best five".to_owned(), AppState::show_best)}
        {item(format!("Show all listed (max {MAX_SHOWN})"), AppState::show_listed)}
        {item("Show none".to_owned(), |app| app.choose_shown(Some(Vec::new())))}
        {item("Show the open run and the best four".to_owned(), |app| app.choose_shown(None))}
        <p class="muted">
            "Click a box, or press Space on a row, to show a run in the charts. Shift+click selects a range, Alt+click \
             only that run."
        </p>
    }
}

/// The order of the rows.
#[component]
fn SortSelect(list: ListState) -> impl IntoView {
    let app = AppState::of_page();
    let sort = app.address.part(|state| state.sort.clone());
    // Which way a column sorts is chosen at its title.
    let chosen = move || {
        sort.with(|sort| match sort {
            Sort::Column(order) => word(&order.column),
            plain => plain.label(),
        })
    };
    let options = move || {
        let mut options: Vec<(String, String)> = Sort::ALL.iter().map(|sort| (sort.label(), sort.label())).collect();
        let mut columns = list.columns.get();
        let sorted = sort.with(|sort| if let Sort::Column(order) = sort { Some(order.column.clone()) } else { None });
        columns.extend(sorted.filter(|column| !columns.contains(column)));
        options.extend(columns.iter().map(|column| (word(column), title_of(app, column))));
        options
    };
    let choose = move |label: String| {
        let sort = match from_word(&label) {
            Some(column) if !Sort::ALL.iter().any(|sort| sort.label() == label) => {
                let is_descending = is_numeric(app, &column);
                Sort::Column(ColumnOrder { column, is_descending })
            }
            _ => Sort::from_label(&label),
        };
        app.address.choose(|state| state.sort = sort);
    };
    let (options, value) = (Signal::derive(options), Signal::derive(chosen));
    view! { <label>"by " <Menu id="sort" name="Sort runs by" options value choose /></label> }
}

/// What the numbers are; the titles of further columns sort by them.
#[component]
fn ColumnTitles(list: ListState) -> impl IntoView {
    let app = AppState::of_page();
    let measure = move || {
        let key = app.runs.list.with(|list| list.measure.clone());
        (!key.is_empty()).then(|| {
            let whole = format!("{key}, mean of the last fifth of the run");
            view! { <span class="measure" title=whole><span>{key}</span>", at the end"</span> }
        })
    };
    let sort = app.address.part(|state| state.sort.clone());
    let title = move |column: ColumnId| {
        let name = title_of(app, &column);
        let direction = {
            let column = column.clone();
            move || {
                sort.with(|sort| match sort {
                    Sort::Column(order) if order.column == column => Some(order.is_descending),
                    _ => None,
                })
            }
        };
        let arrow = {
            let direction = direction.clone();
            move || match direction() {
                Some(true) => " ↓",
                Some(false) => " ↑",
                None => "",
            }
        };
        let click = {
            let direction = direction.clone();
            move |_| {
                let is_descending = match untrack(&direction) {
                    Some(is_descending) => !is_descending,
                    None => is_numeric(app, &column),
                };
                let order = ColumnOrder { column: column.clone(), is_descending };
                app.address.choose(|state| state.sort = Sort::Column(order));
            }
        };
        let label = {
            let name = name.clone();
            move || match direction() {
                Some(true) => format!("{name}, descending: reverse the order"),
                Some(false) => format!("{name}, ascending: reverse the order"),
                None => format!("Sort by {name}"),
            }
        };
        view! {
            <button type="button" class="cell link" title=label.clone() aria-label=label on:click=click>
                <span>{name}</span>
                {arrow}
            </button>
        }
    };
    let is_empty = move || app.runs.list.with(|list| list.measure.is_empty()) && list.columns.with(Vec::is_empty);
    view! {
        <div class=move || format!("list-titles columns-{}", list.columns.with(Vec::len)) hidden=move || is_empty()>
            {move || measure()}
            {move || list.columns.get().into_iter().map(title).collect_view()}
        </div>
    }
}

/// Title and unit of a column as the engine names them, else its key.
fn title_of(app: AppState, column: &ColumnId) -> String {
    app.runs.cells.with(|cells| cells.title(column)).unwrap_or_else(|| match column {
        ColumnId::Setting(key) | ColumnId::Metric { key, .. } | ColumnId::ToBaseline { key, .. } => key.clone(),
        plain => word(plain),
    })
}

fn is_numeric(app: AppState, column: &ColumnId) -> bool {
    app.runs.cells.with_untracked(|cells| cells.column(column).is_none_or(|column| column.is_numeric))
}
