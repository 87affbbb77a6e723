//! The edge between the list and the view, which makes the list wider or narrower by pointer and keys.

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::list_state::ListState;
use crate::app::browser::storage;

const STORED_AS: &str = "rundown-list-width";
/// The usual width, which grows with the names of the runs where the window is wide.
const USUAL: f64 = 300.0;
const WIDEST_USUAL: f64 = 420.0;
/// Characters of a name that the usual width has room for, and the width of each further one.
const CHARACTERS: usize = 10;
const CHARACTER: f64 = 7.5;
const NARROWEST: f64 = 220.0;
const WIDEST: f64 = 900.0;
/// What a key press adds.
const STEP: f64 = 16.0;
/// Width of a further column, as in `style/list.css`.
const COLUMN: f64 = 76.0;

/// The edge. It sets `--column` on the element around the list.
#[component]
pub fn Resizer(
    /// The list.
    list: ListState,
) -> impl IntoView {
    let stored =
        storage::remembered(STORED_AS).and_then(|width| width.parse().ok()).filter(|width: &f64| width.is_finite());
    let chosen = RwSignal::new(stored.map(|width| width.clamp(NARROWEST, WIDEST)));
    let is_dragged = RwSignal::new(false);
    let node = NodeRef::<leptos::html::Div>::new();
    let columns = move || list.columns.with(Vec::len) as f64 * COLUMN;
    let usual = move || list.common.with(|common| usual_width(common.longest_own_part()));
    let width = Memo::new(move |_| chosen.get().unwrap_or_else(usual) + columns());
    Effect::new(move |_| {
        let width = match chosen.get() {
            Some(width) => format!("{}px", width + columns()),
            None => format!("calc(clamp({USUAL}px, 29vw, {}px) + {}px)", usual(), columns()),
        };
        let around = node.get().and_then(|node| node.closest(".workspace").ok().flatten());
        if let Some(around) = around.and_then(|around| around.dyn_into::<HtmlElement>().ok()) {
            let _ = around.style().set_property("--column", &width);
        }
    });
    let choose = move |width: f64| chosen.set(Some(width.clamp(NARROWEST, WIDEST).round()));
    let remember_width = move || match chosen.get_untracked() {
        Some(width) => storage::remember(STORED_AS, &width.to_string()),
        None => storage::forget(STORED_AS),
    };
    let choose_usual = move || {
        chosen.set(None);
        remember_width();
    };
    let grab = move |event: PointerEvent| {
        event.prevent_default();
        if let Some(edge) = event.current_target().and_then(|edge| edge.dyn_into::<Element>().ok()) {
            let _ = edge.set_pointer_capture(event.pointer_id());
        }
        is_dragged.set(true);
    };
    let drag = move |event: PointerEvent| {
        if is_dragged.get_untracked() {
            let left = node.get_untracked().and_then(|node| node.closest(".workspace").ok().flatten());
            let left = left.map_or(0.0, |around| around.get_bounding_client_rect().left());
            choose(f64::from(event.client_x()) - left - untrack(columns));
        }
    };
    let release = move |_: PointerEvent| {
        if is_dragged.get_untracked() {
            is_dragged.set(false);
            remember_width();
        }
    };
    let press = move |event: KeyboardEvent| {
        let now = chosen.get_untracked().unwrap_or_else(|| untrack(usual));
        let width = match event.key().as_str() {
            "ArrowLeft" => now - STEP,
            "ArrowRight" => now + STEP,
            "Home" => NARROWEST,
            "End" => WIDEST,
            "Enter" => {
                choose_usual();
                return;
            }
            _ => return,
        };
        event.prevent_default();
        choose(width);
        remember_width();
    };
    view! {
        <div
            node_ref=node
            class="list-edge"
            class:dragged=move || is_dragged.get()
            role="separator"
            aria-orientation="vertical"
            aria-label="Width of the run list"
            aria-controls="runs"
            aria-valuenow=move || width.get()
            aria-valuemin=move || NARROWEST + columns()
            aria-valuemax=move || WIDEST + columns()
            tabindex="0"
            title="Drag, or press the arrow keys; double-click for the usual width"
            on:pointerdown=grab
            on:pointermove=drag
            on:pointerup=release
            on:pointercancel=release
            on:keydown=press
            on:dblclick=move |_| choose_usual()
        ></div>
    }
}

/// Width of a list with names of this length.
fn usual_width(longest_name: usize) -> f64 {
    let further = longest_name.saturating_sub(CHARACTERS) as f64;
    (USUAL + further * CHARACTER).min(WIDEST_USUAL).round()
}
