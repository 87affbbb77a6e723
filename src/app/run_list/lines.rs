//! The scrolling lines of the list. Of a long one only those in sight are in the document; space above and below stands
//! for the others.

use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::html::Div;
use leptos::prelude::*;
use leptos_use_resize_observer::use_resize_observer;
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::group_row::GroupRow;
use super::items::{ItemKey, ListItem};
use super::list_state::ListState;
use super::run_row::RunLine;
use super::window::{self, scroll_to_line};
use crate::app::browser::elements::focus;
use crate::app::browser::timing::on_frame;
use crate::app::state::{AppState, row_id};

/// The lines.
#[component]
pub fn ListLines(
    /// The list.
    list: ListState,
) -> impl IntoView {
    let app = AppState::of_page();
    let node = NodeRef::<Div>::new();
    let measure = move || {
        if let Some(Some(ul)) = node.try_get_untracked() {
            let seen = (f64::from(ul.scroll_top()), f64::from(ul.client_height()));
            if list.scrolled.try_get_untracked().is_some_and(|known| known != seen) {
                let _ = list.scrolled.try_set(seen);
            }
        }
    };
    let _ = use_resize_observer(node, move |_, _| measure());
    follow_open_run(app, list, node);
    stay_in_place(app, list, node);
    // Above and below in one step: with one of them the list would be short for a moment, and the browser scroll it back.
    let padding = move || {
        let ((start, end), count) = (list.window.get(), list.items.with(|items| items.len()));
        let height = |lines: usize| lines as f64 * list.line.get();
        format!("{}px {}px", height(start), height(count.saturating_sub(end)))
    };
    let in_document = move || {
        let (start, end) = list.window.get();
        let keys =
            |items: &Arc<Vec<ListItem>>| items.iter().take(end).skip(start).map(ListItem::key).collect::<Vec<_>>();
        list.items.with(keys)
    };
    let class = move || {
        let is_bare = app.runs.list.with(|list| list.measure.is_empty());
        let columns = list.columns.with(Vec::len);
        format!("lines columns-{columns}{}", if is_bare { " bare" } else { "" })
    };
    view! {
        <div
            node_ref=node
            class=move || class()
            data-runs=move || app.runs.rows.with(|rows| rows.len())
            on:scroll=move |_| measure()
            on:keydown=move |event| walk(app, list, &event)
        >
            // The space is not the box's own: a box is never lower than its padding.
            <ul style:padding-block=move || padding()>
                <For each=in_document key=Clone::clone let:key>
                    {match key {
                        ItemKey::Run(run) => view! { <RunLine run list /> }.into_any(),
                        ItemKey::Group(value) => view! { <GroupRow value list /> }.into_any(),
                    }}
                </For>
            </ul>
        </div>
    }
}

/// Scrolls the open run into sight whenever another one is opened; the focus goes along if it is among the rows.
fn follow_open_run(app: AppState, list: ListState, node: NodeRef<Div>) {
    Effect::new(move |_| {
        // A sheet has a height only while it is open.
        app.list_is_open.track();
        let Some(run) = app.runs.open.get() else { return };
        list.unfold_around(run);
        // Once the rows have their places, and the list its height.
        on_frame(move || {
            let Some(Some(ul)) = node.try_get_untracked() else { return };
            let Some(Some(index)) = list.indexes.try_with_untracked(|indexes| indexes.get(&run).copied()) else {
                return;
            };
            let (Some((top, _)), Some(line)) = (list.scrolled.try_get_untracked(), list.line.try_get_untracked())
            else {
                return;
            };
            let height = f64::from(ul.client_height());
            if let Some(top) = scroll_to_line(index, top, height, line) {
                ul.set_scroll_top(top as i32);
                let _ = list.scrolled.try_set((top, height));
            }
            let focused = document().active_element();
            let is_among_rows = focused.is_some_and(|focused| focused.class_list().contains("run"));
            if is_among_rows {
                // Once the row is in the document.
                on_frame(move || focus(&row_id(run)));
            }
        });
    });
}

/// Keeps the first line in sight where it is while the list grows above it, as files are read.
fn stay_in_place(app: AppState, list: ListState, node: NodeRef<Div>) {
    // The list was growing, and its lines.
    type Before = (bool, Arc<Vec<ListItem>>);
    Effect::new(move |before: Option<Before>| {
        let (items, is_growing) = (list.items.get(), app.runs.list.with(|list| list.is_partial));
        let (top, line) = (list.scrolled.get_untracked().0, list.line.get_untracked());
        if let Some((was_growing, before)) = before
            && (was_growing || is_growing)
            && top > 0.0
            && let Some(moved) = window::moved_by(&before, &items, top, line)
            && moved != 0.0
        {
            // Once the new lines have their place.
            on_frame(move || {
                let Some(Some(ul)) = node.try_get_untracked() else { return };
                ul.set_scroll_top((top + moved) as i32);
                let _ = list.scrolled.try_set((top + moved, f64::from(ul.client_height())));
            });
        }
        (is_growing, items)
    });
}

/// Opens another run by a key.
fn walk(app: AppState, list: ListState, event: &KeyboardEvent) {
    if event.default_prevented() || event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key() {
        return;
    }
    // The keys of a run's menu, and of the field in it, are its own.
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    if target.is_some_and(|target| matches!(target.closest(".popup-panel"), Ok(Some(_)))) {
        return;
    }
    let (_, height) = list.scrolled.get_untracked();
    let page = ((height / list.line.get_untracked()) as isize - 1).max(1);
    let by = match event.key().as_str() {
        "ArrowDown" => 1,
        "ArrowUp" => -1,
        "PageDown" => page,
        "PageUp" => -page,
        "Home" => -isize::MAX,
        "End" => isize::MAX,
        _ => return,
    };
    event.prevent_default();
    app.step(by);
}
