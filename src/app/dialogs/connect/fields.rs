//! The fields of the form, by kind of server.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use super::asking::Asking;
use crate::app::state::AppState;
use rundown_protocol::QueryField;

/// Field, label, hint.
pub type Field = (QueryField, &'static str, &'static str);

/// Where the runs are, by number of the service.
pub const WHERE: [&[Field]; 2] = [
    &[(QueryField::Address, "Project or run", "https://wandb.ai/you/project or you/project")],
    &[(QueryField::Address, "Dataset", "events-of-the-pipeline")],
];
/// What is asked once the page may ask that server, by number of the service.
pub const WHAT: [&[Field]; 2] = [
    &[
        (QueryField::Key, "API key", "not needed for public projects; from wandb.ai/authorize"),
        (QueryField::Query, "Query", "all runs; or words, or state == finished config.lr > 1e-4"),
    ],
    &[(QueryField::Key, "API token", "xaat-…")],
];
/// Another server than the usual one, by number of the service.
pub const SERVER: [&[Field]; 2] = [
    &[
        (QueryField::Server, "Server", "https://api.wandb.ai"),
        (QueryField::FileHosts, "File hosts", "https://storage.googleapis.com is known"),
    ],
    &[(QueryField::Server, "Server", "https://api.axiom.co")],
];
/// Which of them, by number of the service.
pub const WHICH: [&[Field]; 2] = [
    &[
        (QueryField::Count, "Max runs", "50"),
        (QueryField::Order, "Order by", "newest, or a summary metric such as eval/accuracy"),
    ],
    &[(QueryField::Count, "Hours back", "24")],
];

/// Some fields.
#[component]
pub fn Fields(
    /// Which.
    fields: &'static [Field],
    /// What Enter does.
    asking: Asking,
) -> impl IntoView {
    let lines = fields.iter().map(|field| view! { <FieldLine field asking /> }).collect_view();
    view! { <div class="fields">{lines}</div> }
}

#[component]
fn FieldLine(field: &'static Field, asking: Asking) -> impl IntoView {
    let app = AppState::of_page();
    let (field, name, hint) = *field;
    let press = move |event: KeyboardEvent| {
        if event.key() == "Enter" {
            asking.ask();
        }
    };
    let write = move |event| {
        app.server.update(|query| query.write(field, event_target_value(&event)));
        if field == QueryField::Query {
            asking.ask_later();
        }
    };
    view! {
        <label>
            <span>{name}</span>
            <input
                type=if field == QueryField::Key { "password" } else { "text" }
                data-field=name
                placeholder=hint
                autocomplete="off"
                spellcheck="false"
                prop:value=move || app.server.with(|query| query.fields.get(field as usize).cloned().unwrap_or_default())
                on:input=write
                on:keydown=press
            />
        </label>
    }
}
