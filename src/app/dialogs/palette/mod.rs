//! The palette: everything that can be gone to or done, found by a few letters.

mod entries;
mod fuzzy;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use web_sys::HtmlElement;

use crate::app::browser::elements::{by_id, scroll_to};
use crate::app::browser::timing::on_frame;
use crate::app::engine::question::answered;
use crate::app::state::AppState;
use rundown_protocol::{MetricList, Request};

use entries::{PaletteEntry, entries};
use fuzzy::ranked;

/// Most rows that are drawn.
const MAX_ROWS: usize = 50;
/// Rows that Page Up and Page Down pass over.
const PAGE: usize = 8;
const LIST: &str = "palette-list";

/// A field, and what its letters find.
#[component]
pub fn Palette() -> impl IntoView {
    let app = AppState::of_page();
    let typed = RwSignal::new(String::new());
    let selected = RwSignal::new(0usize);
    let metrics = answered::<MetricList>(app.engine, move || Request::ListMetrics {
        runs: app.runs.open.get().into_iter().collect(),
    });
    let all = Memo::new(move |_| {
        let metrics = metrics.get().and_then(Result::ok);
        entries(app, metrics.as_deref())
    });
    let found = Memo::new(move |_| {
        all.with(|all| {
            let indexes = typed.with(|typed| ranked(typed, all.iter().map(|entry| entry.words.as_str()), MAX_ROWS));
            indexes.into_iter().filter_map(|index| all.get(index).cloned()).collect::<Vec<PaletteEntry>>()
        })
    });
    let last = move || found.with_untracked(|found| found.len().saturating_sub(1));
    let go = move |to: usize| {
        selected.set(to.min(last()));
        on_frame(move || {
            if let Some(row) = selected.try_get_untracked().and_then(|index| by_id::<HtmlElement>(&row_id(index))) {
                scroll_to(&row);
            }
        });
    };
    let choose = move |at: usize| {
        if let Some(entry) = found.with_untracked(|found| found.get(at).cloned()) {
            // First: the entry may open a dialog.
            app.dialog.set(None);
            entry.choose(app);
        }
    };
    let press = move |event: KeyboardEvent| {
        let here = selected.get_untracked();
        match event.key().as_str() {
            "ArrowDown" if here >= last() => go(0),
            "ArrowDown" => go(here + 1),
            "ArrowUp" if here == 0 => go(last()),
            "ArrowUp" => go(here - 1),
            "PageDown" => go(here + PAGE),
            "PageUp" => go(here.saturating_sub(PAGE)),
            "Enter" => choose(here),
            _ => return,
        }
        event.prevent_default();
    };
    let write = move |event| {
        typed.set(event_target_value(&event));
        selected.set(0);
    };
    let row = move |(at, entry): (usize, PaletteEntry)| {
        let keys = (!entry.keys.is_empty()).then(|| view! { <kbd>{entry.keys.clone()}</kbd> });
        view! {
            <li
                id=row_id(at)
                role="option"
                aria-selected=move || (selected.get() == at).to_string()
                on:click=move |_| choose(at)
            >
                <span class="words">{entry.words.clone()}</span>
                <span class="muted">{entry.kind}</span>
                {keys}
            </li>
        }
    };
    let rows = move || found.get().into_iter().enumerate().map(row).collect_view();
    view! {
        <input
            type="text"
            id="palette-search"
            role="combobox"
            aria-label="Search or run a command"
            aria-expanded="true"
            aria-autocomplete="list"
            aria-controls=LIST
            aria-activedescendant=move || found.with(|found| !found.is_empty()).then(|| row_id(selected.get()))
            placeholder="Runs, metrics, views, commands"
            autocomplete="off"
            spellcheck="false"
            autofocus=true
            on:input=write
            on:keydown=press
        />
        <ul id=LIST role="listbox" aria-label="Found">{move || rows()}</ul>
        <p class="muted nothing" role="status">
            {move || found.with(Vec::is_empty).then_some("No matches.")}
        </p>
    }
}

fn row_id(index: usize) -> String {
    format!("palette-{index}")
}
