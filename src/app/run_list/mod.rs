//! The column of runs: which of them charts draw, verdict, name, line and numbers; filtered, sorted, grouped, walked by
//! keyboard. On a phone it is a sheet over the page (`style/shell.css`).

mod columns_menu;
mod filter_box;
mod group_row;
mod items;
mod lines;
mod list_foot;
mod list_head;
mod list_state;
mod names;
mod query_repair;
mod resizer;
mod row_menu;
mod run_row;
mod show_box;
mod spark;
mod verdict_counts;
mod window;

use leptos::ev::FocusEvent;
use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

use crate::app::browser::elements::focus;
use crate::app::browser::timing::on_frame;
use crate::app::state::{AppState, row_id};
use filter_box::FilterBox;
use lines::ListLines;
use list_foot::ListFoot;
use list_head::ListHead;
use list_state::ListState;
use resizer::Resizer;
use run_row::{RowContent, RunLine};
use rundown_protocol::RunRow;

/// The column of runs.
#[component]
pub fn RunListPanel() -> impl IntoView {
    let app = AppState::of_page();
    let list = ListState::new(app);
    let node = NodeRef::<Div>::new();
    let is_open = app.list_is_open;
    let has_focus = move || {
        let focused = document().active_element();
        node.try_get_untracked().flatten().is_some_and(|node| node.contains(focused.as_deref()))
    };
    // The sheet takes the focus, and closes when the focus leaves it: it would lie over what is focused.
    Effect::new(move |_| {
        if is_open.get()
            && let Some(run) = list.tab_stop.get_untracked()
        {
            on_frame(move || {
                if !has_focus() {
                    focus(&row_id(run));
                }
            });
        }
    });
    let leave = move |event: FocusEvent| {
        let to = event.related_target().and_then(|to| to.dyn_into::<Element>().ok());
        // The button that opens the sheet closes it itself.
        let is_elsewhere = to.is_some_and(|to| matches!(to.closest("#runs, [aria-controls=runs]"), Ok(None)));
        if is_elsewhere && is_open.get_untracked() {
            is_open.set(false);
        }
    };
    view! {
        <nav class="runs-column" aria-label="Runs">
            <div id="runs" class="runs" node_ref=node on:focusout=leave>
                <FilterBox />
                <ListHead list />
                <NothingMatches />
                <ListLines list />
                <ListFoot />
            </div>
            <Resizer list />
        </nav>
    }
}

/// The list with a line of a made-up run, for a page that warms up.
#[component]
pub fn MadeUpList(row: RunRow) -> impl IntoView {
    let list = ListState::new(AppState::of_page());
    view! {
        <RunListPanel />
        <div class="runs lines">
            <RunLine run=row.run list />
            <a class="run">
                <RowContent row list />
            </a>
        </div>
    }
}

/// Says that the filter leaves no run.
#[component]
fn NothingMatches() -> impl IntoView {
    let app = AppState::of_page();
    let show_all = move |_| app.address.choose(|state| state.filter = String::new());
    view! {
        <Show when=move || app.runs.rows.with(|rows| rows.is_empty())>
            <p class="muted nothing">
                "No run matches. " <button type="button" class="link" on:click=show_all>"Show all"</button>
            </p>
        </Show>
    }
}
