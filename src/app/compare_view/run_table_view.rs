//! Every run that the list shows, in a table whose rows are drawn as they come into sight. Columns are chosen, resized and
//! ordered; rows are filtered and saved.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::ev;
use leptos::html::Div;
use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;
use leptos_use_resize_observer::use_resize_observer;
use web_sys::PointerEvent;

use super::table_rows::{arranged, csv};
use super::{latest, run_table};
use crate::app::content::{Inline, Popup, highlight_on_hover};
use crate::app::state::AppState;
use crate::app::state::columns::ColumnOrder;
use rundown_format::counted;
use rundown_protocol::{ColumnId, RunTable, RunTableColumn, RunTableRow};

/// Height of a row in CSS pixels: `style/compare.css` has the same.
const ROW_PX: f64 = 30.0;
/// Rows above and below what is in sight.
const AHEAD: usize = 12;
/// Narrowest column, in CSS pixels.
const NARROWEST_PX: f64 = 48.0;

/// Widths of the columns that the user resized.
type Widths = BTreeMap<ColumnId, f64>;

/// The table.
#[component]
pub fn RunTableView() -> impl IntoView {
    let app = AppState::of_page();
    let wanted = app.address.part(|state| state.compare.columns.clone());
    let table = latest(run_table(app, move || wanted.get()));
    let filter = app.address.part(|state| state.table_filter.clone());
    let order = app.address.part(|state| state.compare.order.clone());
    let by = Memo::new(move |_| {
        let ColumnOrder { column, is_descending } = order.get();
        let index = table.with(|table| table.columns.iter().position(|known| known.column == column))?;
        Some((index, is_descending))
    });
    let rows = Memo::new(move |_| table.with(|table| arranged(table, &filter.read(), by.get())));
    let scroller = NodeRef::<Div>::new();
    let (top, height) = (RwSignal::new(0.0), RwSignal::new(600.0));
    use_resize_observer(scroller, move |entries, _| {
        if let Some(entry) = entries.first() {
            height.set(entry.content_rect().height());
        }
    });
    let visible = Memo::new(move |_| {
        let all = rows.with(Vec::len);
        let first = ((top.get() / ROW_PX) as usize).saturating_sub(AHEAD).min(all);
        let last = (first + (height.get() / ROW_PX) as usize + 2 * AHEAD).min(all);
        (first, last)
    });
    let drawn = move || {
        let (first, last) = visible.get();
        // A row of another table is another row, wherever it stands.
        let version = table.with(|table| Arc::as_ptr(table) as usize);
        let indexes = rows.with(|rows| rows.iter().skip(first).take(last - first).copied().collect::<Vec<_>>());
        indexes.into_iter().enumerate().map(move |(at, index)| (first + at, index, version)).collect::<Vec<_>>()
    };
    let save = move |_| {
        let text = table.with_untracked(|table| csv(table, &rows.get_untracked()));
        app.save_with_names_hidden("runs.csv", "text/csv", text);
    };
    // Until the table is there it has the height of its rows: what stands below it does not move then.
    let awaited = move || match table.with(|table| table.columns.is_empty()) {
        true => app.runs.rows.with(|rows| rows.len()),
        false => 0,
    };
    let below = move || (rows.with(Vec::len) + awaited() - visible.get().1) as f64 * ROW_PX;
    let widths = RwSignal::new(Widths::new());
    view! {
        <section class="panel run-table" aria-labelledby="run-table-title">
            <div class="section-head">
                <h2 id="run-table-title">"Leaderboard"</h2>
                <span class="muted" role="status">{move || counted(rows.with(Vec::len), "run")}</span>
                <input
                    type="search"
                    aria-label="Filter the rows of the table"
                    placeholder="Filter rows"
                    prop:value=filter
                    on:input=move |event| app.address.adjust(|state| state.table_filter = event_target_value(&event))
                />
                <ColumnMenu table />
                <button type="button" on:click=save>"Save as CSV"</button>
            </div>
            <div
                class="table-scroll"
                node_ref=scroller
                tabindex="0"
                role="group"
                aria-labelledby="run-table-title"
                on:scroll=move |event| top.set(f64::from(event_target::<web_sys::HtmlElement>(&event).scroll_top()))
            >
                <table class="grid virtual" aria-rowcount=move || (rows.with(Vec::len) + 1).to_string()>
                    <thead>
                        <tr aria-rowindex="1">
                            <For
                                each=move || table.get().columns.clone()
                                key=head_key
                                let:column
                            >
                                <Head column order widths />
                            </For>
                        </tr>
                    </thead>
                    <tbody>
                        <tr class="spacer" aria-hidden="true" style:height=move || px(visible.get().0 as f64 * ROW_PX)></tr>
                        <For each=drawn key=|line| *line let:line>
                            {
                                let table = table.get_untracked();
                                let row = table.rows.get(line.1).cloned();
                                row.map(|row| view! { <Row row index=line.0 table /> })
                            }
                        </For>
                        <tr class="spacer" aria-hidden="true" style:height=move || px(below())></tr>
                    </tbody>
                </table>
            </div>
        </section>
    }
}

/// What a head shows, and what it does: another one is made where any of this changes, as with another baseline or unit.
fn head_key(column: &RunTableColumn) -> (ColumnId, String, String, bool, Option<bool>) {
    let RunTableColumn { column, title, unit, is_numeric, direction, .. } = column;
    (column.clone(), title.clone(), unit.clone(), *is_numeric, *direction)
}

/// The head of a column: orders the rows, and its edge resizes it.
#[component]
fn Head(column: RunTableColumn, order: Memo<ColumnOrder>, widths: RwSignal<Widths>) -> impl IntoView {
    let app = AppState::of_page();
    let this = StoredValue::new(column.column);
    let is_first_down = column.is_numeric && column.direction != Some(false);
    let ordered =
        move || order.with(|order| this.with_value(|this| order.column == *this).then_some(order.is_descending));
    let turn = move |_| {
        let by_this = |is_descending| ColumnOrder { column: this.get_value(), is_descending };
        let next = match ordered() {
            None => by_this(is_first_down),
            Some(is_descending) if is_descending == is_first_down => by_this(!is_descending),
            Some(_) => ColumnOrder::default(),
        };
        app.address.choose(|state| state.compare.order = next);
    };
    let sort = move || ordered().map(|down| if down { "descending" } else { "ascending" });
    let head = NodeRef::<leptos::html::Th>::new();
    let start = StoredValue::new(None::<(f64, f64)>);
    let down = move |event: PointerEvent| {
        let Some(head) = head.get_untracked() else { return };
        event.prevent_default();
        start.set_value(Some((f64::from(event.client_x()), f64::from(head.offset_width()))));
    };
    let drag = move |event: PointerEvent| {
        if let Some((from, width)) = start.try_get_value().flatten() {
            let width = (width + f64::from(event.client_x()) - from).max(NARROWEST_PX);
            widths.update(|widths| _ = widths.insert(this.get_value(), width));
        }
    };
    let _ = use_event_listener(window(), ev::pointermove, drag);
    let _ = use_event_listener(window(), ev::pointerup, move |_| _ = start.try_set_value(None));
    let width = move || widths.with(|widths| this.with_value(|this| widths.get(this).map(|width| px(*width))));
    let class = if column.is_numeric { "right" } else { "" };
    let unit = (!column.unit.is_empty()).then(|| view! { <span class="muted">" " {column.unit.clone()}</span> });
    view! {
        <th scope="col" class=class node_ref=head aria-sort=move || sort() style:min-width=move || width() style:width=move || width()>
            <button type="button" class="sort" on:click=turn>{column.title} {unit}</button>
            <span class="resize" aria-hidden="true" on:pointerdown=down></span>
        </th>
    }
}

#[component]
fn Row(row: RunTableRow, index: usize, table: Arc<RunTable>) -> impl IntoView {
    let app = AppState::of_page();
    let run = row.run;
    let class = move || {
        let is = |signal: bool, class: &'static str| if signal { class } else { "" };
        let open = is(app.runs.open.get() == Some(run), "open");
        let lit = is(app.runs.is_highlighted(run), " lit");
        format!("{open}{lit}")
    };
    let cells = row.cells.into_iter().enumerate().map(|(index, cell)| {
        let own_key = row.own_keys.get(index).cloned();
        let is_number = table.columns.get(index).is_some_and(|column| column.is_numeric);
        let words =
            if cell.text.is_empty() { "–".into_any() } else { view! { <Inline spans=cell.text /> }.into_any() };
        if index == 0 {
            view! { <th scope="row">{words}</th> }.into_any()
        } else {
            view! { <td class=if is_number { "right" } else { "" } title=own_key>{words}</td> }.into_any()
        }
    });
    view! {
        <tr
            {..highlight_on_hover(app, run)}
            class=move || class()
            aria-rowindex=(index + 2).to_string()
        >
            {cells.collect_view()}
        </tr>
    }
}

/// Which columns there are: a box for each.
#[component]
fn ColumnMenu(table: Memo<Arc<RunTable>>) -> impl IntoView {
    let app = AppState::of_page();
    let search = RwSignal::new(String::new());
    let chosen =
        move || table.with(|table| table.columns.iter().map(|column| column.column.clone()).collect::<Vec<_>>());
    let toggle = move |column: ColumnId| {
        let mut all = untrack(chosen);
        match all.iter().position(|known| *known == column) {
            Some(index) => {
                all.remove(index);
            }
            None => all.push(column),
        }
        app.address.choose(|state| state.compare.columns = all);
    };
    let offered = move || {
        let wanted = search.get().to_lowercase();
        let table = table.get();
        let fits = |column: &&RunTableColumn| column.title.to_lowercase().contains(&wanted);
        table.available.iter().filter(fits).take(200).cloned().collect::<Vec<_>>()
    };
    view! {
        <Popup class="column-menu" title="Columns of the table" face=|| view! { "Columns " <span aria-hidden="true">"▾"</span> }>
            <input
                type="search"
                aria-label="Search columns"
                placeholder="Search columns"
                prop:value=search
                on:input=move |event| search.set(event_target_value(&event))
            />
            <ul>
                <For each=offered key=|column| column.column.clone() let:column>
                    {
                        let this = StoredValue::new(column.column);
                        let is_chosen = move || this.with_value(|this| chosen().contains(this));
                        view! {
                            <li>
                                <label>
                                    <input
                                        type="checkbox"
                                        prop:checked=move || is_chosen()
                                        on:change=move |_| toggle(this.get_value())
                                    />
                                    {column.title}
                                </label>
                            </li>
                        }
                    }
                </For>
            </ul>
            <button type="button" class="link" on:click=move |_| app.address.choose(|state| state.compare.columns.clear())>
                "Default columns"
            </button>
        </Popup>
    }
}

fn px(pixels: f64) -> String {
    format!("{pixels:.0}px")
}
