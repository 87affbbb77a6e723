//! Where the key stays, and how to be rid of it.

use leptos::prelude::*;
use web_sys::HtmlInputElement;

use crate::app::browser::elements::by_id;
use crate::app::browser::storage::of_tab;
use crate::app::state::AppState;
use rundown_protocol::{QueryField, ServerQuery};

/// Where the tab keeps the key when the user asks for it.
const STORED_AS: &str = "rundown-key";
/// Id of the box that asks for it.
const CHECK: &str = "keep-key";

/// What the tab remembers of the last visit: the key, if the user asked for that. `query` is what they wrote before the page
/// was reloaded.
pub fn remembered_server(query: Option<ServerQuery>) -> ServerQuery {
    let mut query = query.unwrap_or_default();
    if let Some(key) = of_tab().and_then(|storage| storage.get_item(STORED_AS).ok().flatten()) {
        query.write(QueryField::Key, key);
    }
    query
}

/// Stores the key as it is now for the tab, if the box is ticked.
pub fn store_key_if_wanted(app: AppState) {
    if by_id::<HtmlInputElement>(CHECK).is_some_and(|check| check.checked()) {
        store_key(app, true);
    }
}

/// The line below the fields.
#[component]
pub fn KeyLine() -> impl IntoView {
    let app = AppState::of_page();
    let is_kept = RwSignal::new(of_tab().is_some_and(|storage| matches!(storage.get_item(STORED_AS), Ok(Some(_)))));
    let choose = move |event| {
        is_kept.set(event_target_checked(&event));
        store_key(app, is_kept.get_untracked());
    };
    let forget = move |_| {
        is_kept.set(false);
        app.server.update(|query| query.write(QueryField::Key, String::new()));
        store_key(app, false);
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

fn store_key(app: AppState, is_wanted: bool) {
    let Some(storage) = of_tab() else { return };
    let key = app.server.with_untracked(|query| query.field(QueryField::Key).to_owned());
    // A full or forbidden storage keeps nothing, which is the safe side.
    let _ =
        if is_wanted && !key.is_empty() { storage.set_item(STORED_AS, &key) } else { storage.remove_item(STORED_AS) };
}
