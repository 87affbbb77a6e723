//! Every chart of the shown runs: searched, smoothed, zoomed together.

use leptos::prelude::*;

/// MetricsView.
#[component]
pub fn MetricsView() -> impl IntoView {
    view! { <p>"…"</p> }
}
