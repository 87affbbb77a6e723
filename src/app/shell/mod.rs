//! What is around the views.

use leptos::prelude::*;

/// DropTarget.
#[component]
pub fn DropTarget() -> impl IntoView {
    view! { <p>"…"</p> }
}

/// FileChoosers.
#[component]
pub fn FileChoosers() -> impl IntoView {
    view! { <p>"…"</p> }
}

/// FirstScreen.
#[component]
pub fn FirstScreen() -> impl IntoView {
    view! { <p>"…"</p> }
}

/// Keyboard.
#[component]
pub fn Keyboard() -> impl IntoView {
    view! { <p>"…"</p> }
}

/// TopBar.
#[component]
pub fn TopBar() -> impl IntoView {
    view! { <p>"…"</p> }
}

/// Tray.
#[component]
pub fn Tray() -> impl IntoView {
    view! { <p>"…"</p> }
}

/// WindowTitle.
#[component]
pub fn WindowTitle() -> impl IntoView {
    view! { <p>"…"</p> }
}
