//! Where the key stays, and how to be rid of it.

use leptos::prelude::*;
use web_sys::HtmlInputElement;

use crate::app::browser::elements::by_id;
use crate::app::browser::kept_key::{forget_key, keep_key, kept_key, use_kept_key};
use crate::app::state::AppState;
use rundown_protocol::{QueryField, ServerQuery};

/// Id of the box that asks the tab to keep the key.
const CHECK: &str = "keep-key";

/// What the user wrote before the page was reloaded (`query`), with the key of that server if they asked the tab to keep it.
pub fn remembered_server(query: Option<ServerQuery>) -> ServerQuery {
    let mut query = query.unwrap_or_default();
    use_kept_key(&mut query);
    query
}

/// Stores the key with which a server was asked for the tab, if the box is ticked.
pub fn store_key_if_wanted(asked: &ServerQuery) {
    if by_id::<HtmlInputElement>(CHECK).is_some_and(|check| check.checked()) {
        keep_key(asked);
    }
}

/// The line below the fields.
#[component]
pub fn KeyLine() -> impl IntoView {
    let app = AppState::of_page();
    let is_kept = RwSignal::new(app.server.with_untracked(kept_key).is_some());
    let choose = move |event| {
        let is_wanted = event_target_checked(&event);
        is_kept.set(is_wanted);
        if is_wanted {
            return app.server.with_untracked(keep_key);
        }
        forget_key();
    };
    let forget = move |_| {
        is_kept.set(false);
        app.server.update(|query| query.write(QueryField::Key, String::new()));
        forget_key();
    };
    view! {
        <p class="muted">
            "The key stays in this page's memory and is sent only to that server. "
            <label>
                <input type="checkbox" id=CHECK prop:checked=move || is_kept.get() on:change=choose />
                " Keep for this tab "
            </label>
            <button type="button" class="link" on:click=forget>"Forget"</button>
        </p>
    }
}
