//! A button that opens a small panel of controls beside it. It lies over everything, so that the scrolling list does not
//! cut it off.

use leptos::ev;
use leptos::html::{Button, Div};
use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;
use wasm_bindgen::JsCast;
use web_sys::{FocusEvent, KeyboardEvent, Node};

/// Width of a panel with its distance to the edge of the window, as in `style/list.css`.
const WIDTH: f64 = 268.0;
/// Distance from the edge of the window.
const EDGE: f64 = 8.0;

/// Closes the panel that a control stands in, for controls after which nobody stays there.
#[derive(Clone, Copy)]
pub struct ClosePopup(Callback<()>);

impl ClosePopup {
    /// The panel around the present component.
    pub fn around() -> Self {
        expect_context()
    }

    /// Closes it; the focus goes back to the button.
    pub fn close(self) {
        self.0.run(());
    }
}

/// Where the panel lies: the distance from the left, and from the top or the bottom.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Place {
    left: f64,
    top: Option<f64>,
    bottom: Option<f64>,
}

/// The button and its panel.
#[component]
pub fn Popup(
    /// Further classes of the button.
    #[prop(default = "")]
    class: &'static str,
    /// What a screen reader calls the button, and the panel.
    #[prop(into)]
    label: Signal<String>,
    /// What is on the button.
    #[prop(into)]
    words: Signal<String>,
    /// Whether the Tab key stops at the button: `0` or `-1`.
    #[prop(into, default = Signal::stored("0"))]
    tabindex: Signal<&'static str>,
    /// The controls, made when the panel opens.
    children: ChildrenFn,
) -> impl IntoView {
    let place = RwSignal::new(None::<Place>);
    let root = NodeRef::<Div>::new();
    let button = NodeRef::<Button>::new();
    let close = Callback::new(move |()| {
        place.set(None);
        if let Some(button) = button.get_untracked() {
            let _ = button.focus();
        }
    });
    provide_context(ClosePopup(close));
    let switch = move |_: ev::MouseEvent| {
        let below = button.get_untracked().map(|button| place_beside(&button));
        place.update(|place| *place = if place.is_some() { None } else { below });
    };
    let escape = move |event: KeyboardEvent| {
        if event.key() == "Escape" && place.get_untracked().is_some() {
            // Nothing else is closed by it.
            event.prevent_default();
            event.stop_propagation();
            close.run(());
        }
    };
    let leave = move |event: FocusEvent| {
        let to = event.related_target().and_then(|to| to.dyn_into::<Node>().ok());
        if to.is_some_and(|to| is_outside(root, &to)) {
            place.set(None);
        }
    };
    let panel = move || {
        let children = children.clone();
        place.get().map(|at| {
            let children = children.clone();
            view! {
                <Panel label root place at>
                    {children()}
                </Panel>
            }
        })
    };
    view! {
        <div class="popup" node_ref=root on:keydown=escape on:focusout=leave>
            <button
                type="button"
                class=class
                node_ref=button
                tabindex=tabindex
                aria-label=label
                title=label
                aria-expanded=move || place.with(Option::is_some).to_string()
                on:click=switch
            >
                {words}
            </button>
            {move || panel()}
        </div>
    }
}

/// The open panel: closed by a press outside of it, and when what is below it is scrolled by hand.
#[component]
fn Panel(
    label: Signal<String>,
    root: NodeRef<Div>,
    place: RwSignal<Option<Place>>,
    at: Place,
    children: Children,
) -> impl IntoView {
    let close_outside = move |target: Option<web_sys::EventTarget>| {
        if target.and_then(|target| target.dyn_into::<Node>().ok()).is_some_and(|target| is_outside(root, &target)) {
            let _ = place.try_set(None);
        }
    };
    let _ = use_event_listener(document(), ev::pointerdown, move |event| close_outside(event.target()));
    // What is scrolled by hand. The browser itself scrolls what takes the focus into sight: that closes nothing.
    let _ = use_event_listener(document(), ev::wheel, move |event| close_outside(event.target()));
    let _ = use_event_listener(document(), ev::touchmove, move |event| close_outside(event.target()));
    let pixels = |value: Option<f64>| value.map(|value| format!("{value}px"));
    view! {
        <div
            class="popup-panel"
            role="group"
            aria-label=label
            tabindex="-1"
            style:left=pixels(Some(at.left))
            style:top=pixels(at.top)
            style:bottom=pixels(at.bottom)
        >
            {children()}
        </div>
    }
}

fn is_outside(root: NodeRef<Div>, node: &Node) -> bool {
    root.try_get_untracked().flatten().is_some_and(|root| !root.contains(Some(node)))
}

/// Below a button, or above one that is low in the window.
fn place_beside(button: &web_sys::HtmlButtonElement) -> Place {
    let size = |size: Result<wasm_bindgen::JsValue, _>| size.ok().and_then(|size| size.as_f64()).unwrap_or_default();
    let (width, height) = (size(window().inner_width()), size(window().inner_height()));
    let rect = button.get_bounding_client_rect();
    let left = rect.left().min(width - WIDTH).max(EDGE);
    if rect.bottom() < height * 0.55 {
        Place { left, top: Some(rect.bottom() + 2.0), bottom: None }
    } else {
        Place { left, top: None, bottom: Some(height - rect.top() + 2.0) }
    }
}
