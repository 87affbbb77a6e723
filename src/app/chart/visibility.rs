//! Charts are made when they come into sight, and those of which there may be hundreds are taken apart when they leave it:
//! they would fill the memory and slow down scrolling.

use leptos::html::Div;
use leptos::prelude::*;
use leptos_use_intersection_observer::{UseIntersectionObserverOptions, use_intersection_observer_with_options};

/// A chart is made ready this far before it scrolls into sight.
const AHEAD: &str = "500px 0px";

/// A box of a chart's size; what is in it exists while it is in or near the window. `name` stands there otherwise, so
/// that a search in the page finds it.
#[component]
pub fn WhileVisible(
    /// What the chart shows.
    name: String,
    /// The chart.
    children: ChildrenFn,
) -> impl IntoView {
    let container = NodeRef::<Div>::new();
    let is_seen = RwSignal::new(false);
    observe(container, move |is_near| {
        let has_focus = || {
            let focused = document().active_element();
            container.get_untracked().is_some_and(|container| container.contains(focused.as_deref()))
        };
        // The focus must not be lost.
        let seen = is_near || has_focus();
        if is_seen.try_get_untracked() == Some(!seen) {
            is_seen.set(seen);
        }
    });
    let inside = move || match is_seen.get() {
        true => children().into_any(),
        false => view! { <code class="chart-name">{name.clone()}</code> }.into_any(),
    };
    view! { <div class="chart-place-holder" class:is-waiting=move || !is_seen.get() node_ref=container>{move || inside()}</div> }
}

/// A box whose content is made when it first comes near the window, and then stays. Show it once what stands above it has its
/// height: before that the box itself is near the window.
#[component]
pub fn OnceVisible(
    /// Class of the box, which gives it the height of what is to come.
    class: &'static str,
    /// The content.
    children: ChildrenFn,
) -> impl IntoView {
    let container = NodeRef::<Div>::new();
    let was_seen = RwSignal::new(false);
    observe(container, move |is_near| {
        if is_near && was_seen.try_get_untracked() == Some(false) {
            was_seen.set(true);
        }
    });
    view! {
        <div class=class class:is-waiting=move || !was_seen.get() node_ref=container>
            {move || was_seen.get().then(|| children())}
        </div>
    }
}

/// Calls `on_change` whenever a box comes near the window (true) or leaves it.
fn observe(container: NodeRef<Div>, on_change: impl Fn(bool) + 'static) {
    let options = UseIntersectionObserverOptions::<web_sys::Element, _>::default().root_margin(AHEAD);
    let _ = use_intersection_observer_with_options(
        container,
        move |entries, _| entries.last().into_iter().for_each(|entry| on_change(entry.is_intersecting())),
        options,
    );
}
