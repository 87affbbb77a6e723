//! A button that opens a small panel: a menu, or a few settings. It closes on Escape, on a click elsewhere, when the focus
//! leaves it, and a menu when something was chosen.

use leptos::children::ViewFn;
use leptos::ev::{FocusEvent, KeyboardEvent, MouseEvent};
use leptos::html::{Button, Div};
use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, Node};

/// What in a panel takes the focus.
const FOCUSABLE: &str = "button:not(:disabled), input:not(:disabled), select:not(:disabled)";

/// A button and the panel that it opens.
#[component]
pub fn Popup(
    /// Class of the whole.
    class: &'static str,
    /// What the button is called, where its face does not say it.
    #[prop(optional)]
    label: &'static str,
    /// What the button shows.
    #[prop(into)]
    face: ViewFn,
    /// What the panel is called.
    title: &'static str,
    /// True for a menu, whose children are `role="menuitem"`.
    #[prop(optional)]
    is_menu: bool,
    /// What is in the panel, made when it opens.
    children: ChildrenFn,
) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let (root, button) = (NodeRef::<Div>::new(), NodeRef::<Button>::new());
    let close = move || {
        is_open.set(false);
        if let Some(button) = button.get_untracked() {
            let _ = button.focus();
        }
    };
    let press = move |event: KeyboardEvent| {
        if !is_open.get_untracked() {
            return;
        }
        let step = match event.key().as_str() {
            "Escape" => {
                close();
                None
            }
            "ArrowDown" if is_menu => Some(1),
            "ArrowUp" if is_menu => Some(-1),
            _ => return,
        };
        if let (Some(step), Some(root)) = (step, root.get_untracked()) {
            move_focus(&root, step);
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let leave = move |event: FocusEvent| {
        let to = event.related_target().and_then(|target| target.dyn_into::<Node>().ok());
        // Without a target the window lost the focus, or something was clicked that takes none.
        if to.is_some() && !holds(root, to.as_ref()) {
            is_open.set(false);
        }
    };
    let choose = move |event: MouseEvent| {
        let item = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let item = item.and_then(|element| element.closest("[role^='menuitem']").ok().flatten());
        if is_menu && item.is_some() {
            close();
        }
    };
    let children = StoredValue::new(children);
    view! {
        <div class=format!("popup {class}") node_ref=root on:keydown=press on:focusout=leave>
            <button
                type="button"
                class="popup-button"
                node_ref=button
                aria-haspopup=is_menu.then_some("menu")
                aria-expanded=move || if is_open.get() { "true" } else { "false" }
                aria-label=(!label.is_empty()).then_some(label)
                title=(!label.is_empty()).then_some(label)
                on:click=move |_| is_open.update(|is_open| *is_open = !*is_open)
            >
                {face.run()}
            </button>
            <Show when=move || is_open.get()>
                <Panel root is_open title is_menu on_choice=choose>
                    {children.with_value(|children| children())}
                </Panel>
            </Show>
        </div>
    }
}

#[component]
fn Panel(
    root: NodeRef<Div>,
    is_open: RwSignal<bool>,
    title: &'static str,
    is_menu: bool,
    on_choice: impl Fn(MouseEvent) + 'static,
    children: Children,
) -> impl IntoView {
    let panel = NodeRef::<Div>::new();
    let _ = use_event_listener(window(), leptos::ev::pointerdown, move |event| {
        let target = event.target().and_then(|target| target.dyn_into::<Node>().ok());
        if !holds(root, target.as_ref()) {
            is_open.set(false);
        }
    });
    Effect::new(move |_| {
        if let Some(panel) = panel.get() {
            focus_first(&panel);
        }
    });
    let role = if is_menu { "menu" } else { "group" };
    view! {
        <div class="popup-panel" role=role aria-label=title tabindex="-1" node_ref=panel on:click=on_choice>
            {children()}
        </div>
    }
}

fn holds(root: NodeRef<Div>, node: Option<&Node>) -> bool {
    root.get_untracked().is_some_and(|root| root.contains(node))
}

fn focus_first(panel: &Element) {
    let first = panel.query_selector(FOCUSABLE).ok().flatten();
    if let Some(first) = first.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = first.focus();
    }
}

/// Moves the focus among the items of a menu, round and round.
fn move_focus(root: &Element, by: i32) {
    let Ok(items) = root.query_selector_all("[role^='menuitem']") else { return };
    let focused: Option<Node> = document().active_element().map(JsCast::unchecked_into);
    let count = i32::try_from(items.length()).unwrap_or_default();
    let place = (0..count).find(|place| items.get(place.unsigned_abs()) == focused);
    let next = place.map_or(0, |place| (place + by).rem_euclid(count.max(1)));
    if let Some(item) = items.get(next.unsigned_abs()).and_then(|node| node.dyn_into::<HtmlElement>().ok()) {
        let _ = item.focus();
    }
}
