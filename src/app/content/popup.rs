//! A button that opens a small panel beside it: a menu, or a few controls. It closes on Escape, on a press elsewhere, when
//! the focus leaves it, and a menu when something was chosen.

use leptos::children::ViewFn;
use leptos::ev::{self, FocusEvent, KeyboardEvent, MouseEvent};
use leptos::html::{Button, Div};
use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, HtmlElement, Node};

/// What in a panel takes the focus.
const FOCUSABLE: &str = "button:not(:disabled), input:not(:disabled), select:not(:disabled)";
/// Width of a panel over the page with its distance to the edge of the window, as in `style/list.css`.
const WIDTH: f64 = 268.0;
/// Distance of such a panel from the edge of the window.
const EDGE: f64 = 8.0;

/// Closes the panel that a control stands in, for controls after which nobody stays there.
#[derive(Clone, Copy)]
pub struct ClosePopup {
    is_open: RwSignal<bool>,
    button: NodeRef<Button>,
}

impl ClosePopup {
    /// The panel around the present component.
    pub fn around() -> Self {
        expect_context()
    }

    /// Closes it; the focus goes back to the button.
    pub fn close(self) {
        self.is_open.set(false);
        if let Some(button) = self.button.get_untracked() {
            let _ = button.focus();
        }
    }
}

/// A button and the panel that it opens.
#[component]
pub fn Popup(
    /// Class of the whole.
    #[prop(optional)]
    class: &'static str,
    /// Class of the button.
    #[prop(default = "popup-button")]
    button_class: &'static str,
    /// Id of the button.
    #[prop(optional)]
    id: Option<&'static str>,
    /// What the panel is called.
    #[prop(into)]
    title: Signal<String>,
    /// True where the button is called so too, because its face is a mark.
    #[prop(optional)]
    names_button: bool,
    /// What the button shows.
    #[prop(into)]
    face: ViewFn,
    /// Whether the Tab key stops at the button: `0` or `-1`.
    #[prop(into, default = Signal::stored("0"))]
    tabindex: Signal<&'static str>,
    /// True for a menu, whose children are `role="menuitem"`.
    #[prop(optional)]
    is_menu: bool,
    /// True for a panel over the page, where what is around it scrolls and would cut it off.
    #[prop(optional)]
    is_over_page: bool,
    /// What is in the panel, made when it opens.
    children: ChildrenFn,
) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let (root, button) = (NodeRef::<Div>::new(), NodeRef::<Button>::new());
    let popup = ClosePopup { is_open, button };
    provide_context(popup);
    let press = move |event: KeyboardEvent| {
        if !is_open.get_untracked() {
            return;
        }
        match (event.key().as_str(), root.get_untracked()) {
            ("Escape", _) => popup.close(),
            ("ArrowDown", Some(root)) if is_menu => move_focus(&root, 1),
            ("ArrowUp", Some(root)) if is_menu => move_focus(&root, -1),
            _ => return,
        }
        // Nothing else is closed or moved by it.
        event.prevent_default();
        event.stop_propagation();
    };
    let leave = move |event: FocusEvent| {
        let to = event.related_target().and_then(|target| target.dyn_into::<Node>().ok());
        // Without a target the window lost the focus, or something was clicked that takes none.
        if to.is_some_and(|to| is_outside(root, &to)) {
            is_open.set(false);
        }
    };
    let choose = move |event: MouseEvent| {
        let item = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let item = item.and_then(|element| element.closest("[role^='menuitem']").ok().flatten());
        if is_menu && item.is_some() {
            popup.close();
        }
    };
    let name = move || names_button.then(|| title.get());
    let children = StoredValue::new(children);
    view! {
        <div class=format!("popup {class}") node_ref=root on:keydown=press on:focusout=leave>
            <button
                type="button"
                class=button_class
                id=id
                node_ref=button
                tabindex=tabindex
                aria-haspopup=is_menu.then_some("menu")
                aria-expanded=move || is_open.get().to_string()
                aria-label=name
                title=name
                on:click=move |_| is_open.update(|is_open| *is_open = !*is_open)
            >
                {face.run()}
            </button>
            <Show when=move || is_open.get()>
                <Panel root popup title is_menu is_over_page on_click=choose>
                    {children.with_value(|children| children())}
                </Panel>
            </Show>
        </div>
    }
}

/// The open panel.
#[component]
fn Panel(
    root: NodeRef<Div>,
    popup: ClosePopup,
    title: Signal<String>,
    is_menu: bool,
    is_over_page: bool,
    on_click: impl Fn(MouseEvent) + 'static,
    children: Children,
) -> impl IntoView {
    let panel = NodeRef::<Div>::new();
    let close_outside = move |event: &Event| {
        if event.target().and_then(|target| target.dyn_into::<Node>().ok()).is_some_and(|to| is_outside(root, &to)) {
            let _ = popup.is_open.try_set(false);
        }
    };
    let _ = use_event_listener(document(), ev::pointerdown, move |event| close_outside(&event));
    if is_over_page {
        // It does not move with what is scrolled by hand. The browser itself scrolls what takes the focus into sight: that
        // closes nothing.
        let _ = use_event_listener(document(), ev::wheel, move |event| close_outside(&event));
        let _ = use_event_listener(document(), ev::touchmove, move |event| close_outside(&event));
    }
    Effect::new(move |_| {
        if let Some(panel) = panel.get() {
            focus_first(&panel);
        }
    });
    let position = popup.button.get_untracked().filter(|_| is_over_page).map(|button| PopupPosition::beside(&button));
    let pixels = |value: f64| format!("{value}px");
    view! {
        <div
            class="popup-panel"
            role=if is_menu { "menu" } else { "group" }
            aria-label=title
            tabindex="-1"
            node_ref=panel
            style:left=position.map(|position| pixels(position.left))
            style:top=position.and_then(|position| position.top).map(pixels)
            style:bottom=position.and_then(|position| position.bottom).map(pixels)
            on:click=on_click
        >
            {children()}
        </div>
    }
}

/// Where a panel over the page lies: the distance from the left, and from the top or the bottom.
#[derive(Debug, Clone, Copy)]
struct PopupPosition {
    left: f64,
    top: Option<f64>,
    bottom: Option<f64>,
}

impl PopupPosition {
    /// Below a button, or above one that is low in the window.
    fn beside(button: &web_sys::HtmlButtonElement) -> Self {
        let size = |size: Result<JsValue, _>| size.ok().and_then(|size| size.as_f64()).unwrap_or_default();
        let (width, height) = (size(window().inner_width()), size(window().inner_height()));
        let rect = button.get_bounding_client_rect();
        let left = rect.left().min(width - WIDTH).max(EDGE);
        if rect.bottom() < height * 0.55 {
            Self { left, top: Some(rect.bottom() + 2.0), bottom: None }
        } else {
            Self { left, top: None, bottom: Some(height - rect.top() + 2.0) }
        }
    }
}

fn is_outside(root: NodeRef<Div>, node: &Node) -> bool {
    root.try_get_untracked().flatten().is_some_and(|root| !root.contains(Some(node)))
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
    let index = (0..count).find(|index| items.get(index.unsigned_abs()) == focused);
    let next = index.map_or(0, |index| (index + by).rem_euclid(count.max(1)));
    if let Some(item) = items.get(next.unsigned_abs()).and_then(|node| node.dyn_into::<HtmlElement>().ok()) {
        let _ = item.focus();
    }
}
