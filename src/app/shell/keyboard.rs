//! The keyboard: one listener on the window, the same keys in every view.

use leptos::ev;
use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use super::paste::take_pastes;
use super::top_bar::OPEN_RUN;
use super::typing::is_typing;
use crate::app::browser::elements::focus;
use crate::app::state::command::Command;
use crate::app::state::{AppState, Dialog};

/// Listens for as long as the page lives.
#[component]
pub fn Keyboard() -> impl IntoView {
    let app = AppState::of_page();
    let _ = use_event_listener(window(), ev::keydown, move |event| {
        if !event.default_prevented() && press(app, &event) {
            event.prevent_default();
        }
    });
    take_pastes(app);
}

/// True for a key that meant something.
fn press(app: AppState, event: &KeyboardEvent) -> bool {
    if event.alt_key() {
        return false;
    }
    let is_control = event.ctrl_key() || event.meta_key();
    let views = app.runs.views.get_untracked();
    let command = Command::of_key(&event.key(), is_control, event.shift_key(), &views);
    // A dialog keeps its own keys; the browser closes it on Escape. The key of the palette also closes it.
    if let Some(dialog) = app.dialog.get_untracked() {
        let is_palette = dialog == Dialog::Palette && command == Some(Command::Palette);
        if is_palette {
            app.dialog.set(None);
        }
        return is_palette;
    }
    if is_typing(event) {
        return match (event.key().as_str(), command) {
            (_, Some(Command::Palette)) => app.act(Command::Palette),
            ("Escape", _) => leave(event),
            _ => false,
        };
    }
    match command {
        Some(command) => app.act(command),
        None => event.key() == "Escape" && close_what_is_open(app),
    }
}

/// Closes the sheet, which gives the focus back to its button, else the enlarged chart; false where neither is open.
fn close_what_is_open(app: AppState) -> bool {
    if app.list_is_open.get_untracked() {
        app.list_is_open.set(false);
        focus(OPEN_RUN);
        return true;
    }
    let is_enlarged = app.address.now().enlarged.is_some();
    if is_enlarged {
        app.address.choose(|state| state.enlarge(None));
    }
    is_enlarged
}

/// Leaves a field, with what stands in it.
fn leave(event: &KeyboardEvent) -> bool {
    let Some(element) = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok()) else { return false };
    let _ = element.blur();
    true
}
