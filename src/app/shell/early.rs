//! What was clicked, chosen or dropped on the static first screen before this program had come: `public/early.js` keeps
//! it, and it is done here.

use js_sys::{Array, Reflect};
use leptos::prelude::*;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};

use crate::app::browser::elements::{click, focus};
use crate::app::browser::folder_walk::Dropped;
use crate::app::state::AppState;
use crate::app::state::command::Command;

/// Takes the static first screen out of the page. Gives the id of what had the focus in it.
pub fn leave_static_page() -> Option<String> {
    let static_page = document().get_element_by_id("static-page")?;
    let focused = document().active_element().filter(|element| static_page.contains(Some(element)));
    let id = focused.map(|element| element.id()).filter(|id| !id.is_empty());
    static_page.remove();
    id
}

/// Does what was waiting, and from now on what a file chooser of the static page gives. Call it once, when the page is
/// there; `focused` had the focus before.
pub fn take_early(app: AppState, focused: Option<String>) {
    if let Some(id) = focused {
        focus(&id);
    }
    let Ok(early) = Reflect::get(&window(), &JsValue::from_str("rundownEarly")) else { return };
    if early.is_undefined() {
        return;
    }
    let take = Closure::<dyn Fn(JsValue)>::new(move |what: JsValue| replay(app, &what)).into_js_value();
    let _ = Reflect::set(&early, &JsValue::from_str("take"), &take);
    let waiting = Reflect::get(&early, &JsValue::from_str("waiting")).map(|waiting| Array::from(&waiting));
    for what in waiting.unwrap_or_default().iter() {
        replay(app, &what);
    }
}

/// A click by its word, or files by two arrays.
fn replay(app: AppState, what: &JsValue) {
    let part = |name: &str| Reflect::get(what, &JsValue::from_str(name)).unwrap_or(JsValue::UNDEFINED);
    if let Some(word) = part("click").as_string() {
        match word.as_str() {
            "sample" => app.add_sample(),
            "connect" => _ = app.act(Command::Connect),
            "privacy" => _ = app.act(Command::Privacy),
            "help" => _ = app.act(Command::Help),
            "theme" => _ = app.act(Command::Theme),
            "more" => click("more-menu-button"),
            _ => {}
        }
        return;
    }
    let list = |name: &str| part(name).dyn_into::<Array>().unwrap_or_default();
    if let Some(dropped) = Dropped::of_early(&list("entries"), &list("files")) {
        app.add_dropped(dropped);
    }
}
