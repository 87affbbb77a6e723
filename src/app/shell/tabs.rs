//! The tabs: a link for each view.

use leptos::ev::MouseEvent;
use leptos::prelude::*;

use crate::app::browser::elements::scroll_to;
use crate::app::state::{AppState, View};
use rundown_protocol::Topic;

/// The tabs of the views that the runs have something for.
#[component]
pub fn Tabs() -> impl IntoView {
    let app = AppState::of_page();
    let views = move || {
        let settings = View::Topic(Topic::Settings);
        app.runs.views.get().into_iter().filter(|view| *view != settings).collect::<Vec<_>>()
    };
    view! {
        <nav class="tabs" aria-label="Views">
            <For each=views key=|view| view.slug() children=move |view| view! { <ViewLink view class="" words=view.label() /> } />
        </nav>
    }
}

/// A link to a view.
#[component]
pub fn ViewLink(
    /// The view.
    view: View,
    /// Its class.
    class: &'static str,
    /// What it says.
    words: &'static str,
) -> impl IntoView {
    let app = AppState::of_page();
    let shown = app.view();
    let is_other = words != view.label();
    let follow = move |event: MouseEvent| {
        app.address.follow_link(&event, |state| {
            state.view = view;
            state.enlarge(None);
        });
    };
    // On a phone the tabs are a strip that scrolls.
    let node = NodeRef::<leptos::html::A>::new();
    Effect::new(move |_| {
        if let Some(node) = node.get().filter(|_| shown.get() == view) {
            scroll_to(&node);
        }
    });
    let link = move || {
        app.address.href(|state| {
            state.view = view;
            state.enlarge(None);
        })
    };
    view! {
        <a
            node_ref=node
            class=class
            href=move || link()
            aria-current=move || (shown.get() == view).then_some("page")
            aria-label=is_other.then_some(view.label())
            title=is_other.then_some(view.label())
            on:click=follow
        >
            {words}
        </a>
    }
}
