//! The column of runs.

use leptos::prelude::*;

/// RunList.
#[component]
pub fn RunList() -> impl IntoView {
    view! { <p>"…"</p> }
}
