//! The keyboard: one listener on the window, the same keys in every view.

use leptos::prelude::document;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent};

use super::dom::{by_id, on_window};
use super::files_input::CHOOSE_FILES;
use super::store::{Dialog, Store};

/// What the help dialog lists: keys and what they do.
pub const KEYS: [(&str, &str); 7] = [
    ("j k", "next, previous run (↓ ↑ in the list)"),
    ("1 to 9", "the tabs, from the left"),
    ("/", "filter the list of runs"),
    ("o", "add files"),
    ("t", "light or dark"),
    ("?", "this help"),
    ("Esc", "close a dialog, leave the filter"),
];

/// Id of the filter box.
pub const FILTER: &str = "filter";

/// Listens for as long as the page lives.
pub fn listen(store: Store) {
    on_window("keydown", move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() || event.default_prevented() {
            return;
        }
        if store.dialog.get_untracked().is_some() {
            return;
        }
        if is_typing(&event) {
            if event.key() == "Escape" {
                leave(&event);
            }
            return;
        }
        if act(store, &event.key()) {
            event.prevent_default();
        }
    });
}

/// Does what a key stands for; false for a key that stands for nothing.
fn act(store: Store, key: &str) -> bool {
    match key {
        "?" => store.dialog.set(Some(Dialog::Help)),
        "t" => store.theme.switch(),
        "o" => click(CHOOSE_FILES),
        _ if !store.loaded.get_untracked() => return false,
        "j" => move_by(store, 1),
        "k" => move_by(store, -1),
        "/" => focus(FILTER),
        digit => {
            let place = digit.parse().ok().and_then(|digit: usize| digit.checked_sub(1));
            let views = store.views.get_untracked();
            let Some(view) = place.and_then(|place| views.get(place)) else { return false };
            store.show(*view);
        }
    }
    true
}

/// Opens the run `by` places down the list. The focus moves along only when it is in the list.
pub fn move_by(store: Store, by: isize) {
    let Some(run) = store.step(by) else { return };
    let Some(row) = by_id::<HtmlElement>(&row_id(run)) else { return };
    let in_list = document().active_element().is_some_and(|active| matches!(active.closest("#runs"), Ok(Some(_))));
    if in_list {
        let _ = row.focus();
    } else {
        show(&row);
    }
}

/// Id of a run's row.
pub fn row_id(run: u32) -> String {
    format!("run-{run}")
}

/// Scrolls as little as makes the element visible.
fn show(element: &Element) {
    let options = web_sys::ScrollIntoViewOptions::new();
    options.set_block(web_sys::ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

/// Moves the focus to the element with this id.
pub fn focus(id: &str) {
    if let Some(element) = by_id::<HtmlElement>(id) {
        let _ = element.focus();
    }
}

/// Clicks the element with this id.
pub fn click(id: &str) {
    if let Some(element) = by_id::<HtmlElement>(id) {
        element.click();
    }
}

fn is_typing(event: &KeyboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|target| match target.tag_name().as_str() {
        "TEXTAREA" | "SELECT" => true,
        "INPUT" => !matches!(target.get_attribute("type").as_deref(), Some("checkbox" | "radio" | "button" | "file")),
        _ => target.has_attribute("contenteditable"),
    })
}

fn leave(event: &KeyboardEvent) {
    if let Some(element) = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok()) {
        let _ = element.blur();
    }
}
