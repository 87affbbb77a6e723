//! Where the key stays, and how to be rid of it.

use leptos::prelude::*;
use web_sys::HtmlInputElement;

use super::address::server_of;
use crate::app::browser::elements::by_id;
use crate::app::browser::storage::of_tab;
use crate::app::state::AppState;
use rundown_protocol::{QueryField, ServerQuery};

/// Where the tab keeps the key when the user asks for it, below a line with the server that it is for.
const STORED_AS: &str = "rundown-key";
/// Id of the box that asks for it.
const CHECK: &str = "keep-key";

/// What the user wrote before the page was reloaded (`query`), with the key of that server if they asked the tab to keep it.
pub fn remembered_server(query: Option<ServerQuery>) -> ServerQuery {
    let mut query = query.unwrap_or_default();
    if let Some(key) = kept_key(&query) {
        query.write(QueryField::Key, key);
    }
    query
}

/// The key that the tab keeps for the server of a query. One that is kept for another server is not offered to this one.
fn kept_key(query: &ServerQuery) -> Option<String> {
    let stored = of_tab()?.get_item(STORED_AS).ok()??;
    let (server, key) = stored.split_once('\n')?;
    (server == server_of(query)).then(|| key.to_owned())
}

/// Stores the key with which a server was asked for the tab, if the box is ticked.
pub fn store_key_if_wanted(asked: &ServerQuery) {
    if by_id::<HtmlInputElement>(CHECK).is_some_and(|check| check.checked()) {
        store_key(asked, true);
    }
}

/// The line below the fields.
#[component]
pub fn KeyLine() -> impl IntoView {
    let app = AppState::of_page();
    let is_kept = RwSignal::new(app.server.with_untracked(kept_key).is_some());
    let choose = move |event| {
        is_kept.set(event_target_checked(&event));
        app.server.with_untracked(|query| store_key(query, is_kept.get_untracked()));
    };
    let forget = move |_| {
        is_kept.set(false);
        app.server.update(|query| query.write(QueryField::Key, String::new()));
        app.server.with_untracked(|query| store_key(query, false));
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

fn store_key(query: &ServerQuery, is_wanted: bool) {
    let Some(storage) = of_tab() else { return };
    let key = query.field(QueryField::Key);
    // A full or forbidden storage keeps nothing, which is the safe side.
    let _ = if is_wanted && !key.is_empty() {
        storage.set_item(STORED_AS, &format!("{}\n{key}", server_of(query)))
    } else {
        storage.remove_item(STORED_AS)
    };
}
