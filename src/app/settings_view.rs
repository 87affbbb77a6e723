//! The Settings view.

use leptos::prelude::*;

/// SettingsView.
#[component]
pub fn SettingsView() -> impl IntoView {
    view! { <p>"…"</p> }
}
