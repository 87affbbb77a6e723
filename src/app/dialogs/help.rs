//! Every key, by where it holds.

use leptos::prelude::*;

use crate::app::state::command::{KeyContext, SHORTCUTS};

/// The keys.
#[component]
pub fn Help() -> impl IntoView {
    let group = |context: KeyContext| {
        let shortcuts = SHORTCUTS.iter().filter(|shortcut| shortcut.context == context);
        let rows = shortcuts.map(|shortcut| row(shortcut.keys, shortcut.action));
        view! {
            <h3>{context.label()}</h3>
            <dl class="keys">{rows.collect_view()}</dl>
        }
    };
    view! {
        {KeyContext::ALL.map(group)}
        <p class="muted">
            "Drop files anywhere on the page to add them. They are read in this browser and sent nowhere. On a Mac, ⌘ does what Ctrl does here."
        </p>
    }
}

fn row(keys: &'static str, action: &'static str) -> impl IntoView {
    let keys = keys.split(' ').map(|key| match key {
        "to" => view! { <span>" to "</span> }.into_any(),
        key => view! { <kbd>{key}</kbd> }.into_any(),
    });
    view! {
        <dt>{keys.collect_view()}</dt>
        <dd>{action}</dd>
    }
}
