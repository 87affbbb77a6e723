//! The Run view: verdict in a sentence, facts, incidents, then findings; text left, evidence right.

use leptos::prelude::*;

/// RunView.
#[component]
pub fn RunView() -> impl IntoView {
    view! { <p>"…"</p> }
}
