//! Dialogs. The browser's own `<dialog>` keeps the focus in and closes on Escape.

use leptos::prelude::*;

/// Dialogs.
#[component]
pub fn Dialogs() -> impl IntoView {
    view! { <p>"…"</p> }
}

/// What the tab remembers of a server: the key, if the user asked for that.
pub fn remembered_server() -> crate::protocol::ServerQuery {
    crate::protocol::ServerQuery::default()
}
