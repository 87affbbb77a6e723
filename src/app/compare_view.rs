//! The Compare view: shown runs side by side.

use leptos::prelude::*;

/// CompareView.
#[component]
pub fn CompareView() -> impl IntoView {
    view! { <p>"…"</p> }
}
