//! Every key, by where it holds.

use leptos::prelude::*;

use crate::app::state::command::{KEYS, KeyContext};

/// The keys.
#[component]
pub fn Help() -> impl IntoView {
    let group = |context: KeyContext| {
        let rows = KEYS.iter().filter(|row| row.0 == context).map(|(_, keys, what)| row(keys, what));
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

fn row(keys: &'static str, what: &'static str) -> impl IntoView {
    let keys = keys.split(' ').map(|key| match key {
        "to" => view! { <span>" to "</span> }.into_any(),
        key => view! { <kbd>{key}</kbd> }.into_any(),
    });
    view! {
        <dt>{keys.collect_view()}</dt>
        <dd>{what}</dd>
    }
}
