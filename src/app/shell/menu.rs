//! A button that opens a short list of buttons below it.

use leptos::ev;
use leptos::html::Button;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{FocusEvent, KeyboardEvent, Node};

/// A menu; a click on anything in it closes it.
#[component]
pub fn Menu(
    /// Id of the list.
    id: &'static str,
    /// Further classes.
    #[prop(optional)]
    class: &'static str,
    /// What the button says to a screen reader.
    label: &'static str,
    /// What is on the button.
    words: &'static str,
    /// The buttons.
    children: ChildrenFn,
) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let button = NodeRef::<Button>::new();
    let close = move |event: KeyboardEvent| {
        if event.key() == "Escape" && is_open.get_untracked() {
            // Nothing else is closed by it.
            event.prevent_default();
            is_open.set(false);
            if let Some(button) = button.get_untracked() {
                let _ = button.focus();
            }
        }
    };
    let leave = move |event: FocusEvent| {
        let around = event.current_target().and_then(|around| around.dyn_into::<Node>().ok());
        let to = event.related_target().and_then(|to| to.dyn_into::<Node>().ok());
        if !around.is_some_and(|around| to.is_some_and(|to| around.contains(Some(&to)))) {
            is_open.set(false);
        }
    };
    view! {
        <div class=format!("menu {class}") on:keydown=close on:focusout=leave>
            <button
                type="button"
                id=format!("{id}-button")
                node_ref=button
                aria-label=label
                aria-expanded=move || is_open.get().to_string()
                aria-controls=id
                on:click=move |_: ev::MouseEvent| is_open.update(|is_open| *is_open = !*is_open)
            >
                {words}
            </button>
            // Focusable by a press of the mouse: some browsers do not focus buttons, and the list would close under it.
            <div id=id class="menu-list" tabindex="-1" class:open=move || is_open.get() on:click=move |_| is_open.set(false)>
                {move || is_open.get().then(|| children())}
            </div>
        </div>
    }
}
