//! The summary of a verdict: three lines, and the rest when one asks for it.

use leptos::html::P;
use leptos::prelude::*;
use leptos_use_resize_observer::use_resize_observer;

use crate::app::content::Inline;
use rundown_content::Span;

/// A paragraph of at most three lines with a button for the rest, where there is one.
#[component]
pub fn Summary(spans: Vec<Span>) -> impl IntoView {
    let node = NodeRef::<P>::new();
    let is_open = RwSignal::new(false);
    let is_long = RwSignal::new(false);
    let _ = use_resize_observer(node, move |_, _| {
        // Nothing is cut off while it is open: whether it is long was seen before.
        if let (Some(Some(element)), Some(false)) = (node.try_get_untracked(), is_open.try_get_untracked()) {
            let _ = is_long.try_set(element.scroll_height() > element.client_height() + 1);
        }
    });
    view! {
        <p class="summary" class:clamped=move || !is_open.get() node_ref=node><Inline spans links_metrics=true /></p>
        <Show when=move || is_long.get()>
            <button
                class="link rest"
                aria-expanded=move || is_open.get().to_string()
                on:click=move |_| is_open.update(|is_open| *is_open = !*is_open)
            >
                {move || if is_open.get() { "Less" } else { "More" }}
            </button>
        </Show>
    }
}
