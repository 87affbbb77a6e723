//! The Report view: what can be kept of the answers, as it will be in the file.

use leptos::prelude::*;

/// ReportView.
#[component]
pub fn ReportView() -> impl IntoView {
    view! { <p>"…"</p> }
}
