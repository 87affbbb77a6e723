//! Charts are made when they come into sight and taken apart when they leave it: hundreds would fill the memory and slow
//! down scrolling.

use leptos::html::Div;
use leptos::prelude::*;
use leptos_use_intersection_observer::{UseIntersectionObserverOptions, use_intersection_observer_with_options};

/// A chart is made ready this far before it scrolls into sight.
const AHEAD: &str = "500px 0px";

/// A box of a chart's size; what is in it exists while it is in or near the window. `name` stands there otherwise, so
/// that a search in the page finds it.
#[component]
pub fn WhenSeen(
    /// What the chart shows.
    name: String,
    /// The chart.
    children: ChildrenFn,
) -> impl IntoView {
    let place = NodeRef::<Div>::new();
    let is_seen = RwSignal::new(false);
    let options = UseIntersectionObserverOptions::<web_sys::Element, _>::default().root_margin(AHEAD);
    let _ = use_intersection_observer_with_options(
        place,
        move |entries, _| {
            let Some(entry) = entries.last() else { return };
            let has_focus = || {
                let focused = document().active_element();
                place.get_untracked().is_some_and(|place| place.contains(focused.as_deref()))
            };
            // The focus must not be lost.
            let seen = entry.is_intersecting() || has_focus();
            if is_seen.try_get_untracked() == Some(!seen) {
                is_seen.set(seen);
            }
        },
        options,
    );
    let inside = move || match is_seen.get() {
        true => children().into_any(),
        false => view! { <code class="chart-name">{name.clone()}</code> }.into_any(),
    };
    view! { <div class="chart-place-holder" class:is-waiting=move || !is_seen.get() node_ref=place>{move || inside()}</div> }
}
