//! Runs from a server: where, with what key, and which.
//!
//! First the server is named, and the page reloads under a policy that lets it ask this one alone; then the key is
//! typed. It stays in this page's memory. "Keep for this tab" puts it into the tab's own storage, which ends with the
//! tab, for that server alone; "Forget" takes it out of both. It never reaches the address, and the engine sends it to
//! the one server alone.

mod asking;
mod fields;
mod framed;
mod key;
mod listing;
mod naming;

use leptos::prelude::*;

use crate::app::browser::kept_key::use_kept_key;
use crate::app::browser::named_hosts::{is_framed, named_hosts};
use crate::app::state::AppState;
use rundown_protocol::Service;

use asking::Asking;
use fields::{Field, Fields, SERVER, WHAT, WHERE, WHICH};
use framed::Refused;
use key::KeyLine;
use listing::Listing;
use naming::Named;

pub use framed::Framed;
pub use key::remembered_server;

/// The form, and below it what the server has.
#[component]
pub fn Connect() -> impl IntoView {
    if is_framed() {
        return view! { <Refused /> }.into_any();
    }
    view! { <ServerForm /> }.into_any()
}

#[component]
fn ServerForm() -> impl IntoView {
    let app = AppState::of_page();
    let asking = Asking::new(app);
    on_cleanup(move || asking.stop());
    let hosts = named_hosts();
    let is_named = !hosts.is_empty();
    let service = Memo::new(move |_| app.server.with(|query| query.service));
    let body = move || {
        let service = service.get();
        let which = if service == Service::Wandb { "Which runs" } else { "Which hours" };
        let of = |fields: [&'static [Field]; 2]| fields.get(service as usize).copied().unwrap_or_default();
        let rest = is_named.then(|| {
            view! {
                <Fields fields=of(WHAT) asking />
                <KeyLine />
                <details>
                    <summary>{which}</summary>
                    <Fields fields=of(WHICH) asking />
                </details>
            }
        });
        view! {
            <Fields fields=of(WHERE) asking />
            {rest}
            <details>
                <summary>"Another server"</summary>
                <Fields fields=of(SERVER) asking />
            </details>
        }
    };
    let words = if is_named { "List runs" } else { "Continue" };
    let answer = move || asking.listing.get().map(|listing| view! { <Listing listing /> });
    view! {
        <div class="scope" role="radiogroup" aria-label="Server">
            <ServiceChoice service=Service::Wandb words="Weights & Biases" />
            <ServiceChoice service=Service::Axiom words="Axiom" />
        </div>
        {move || body()}
        {move || asking.refusal.get().map(|words| view! { <p class="banner" id="refusal" role="alert">{words}</p> })}
        <Named hosts />
        <div class="buttons">
            <button
                type="button"
                id="list-runs"
                class="primary"
                prop:disabled=move || asking.is_waiting.get()
                on:click=move |_| asking.ask()
            >
                {words}
            </button>
            {move || asking.is_waiting.get().then(|| view! { <Stop asking /> })}
        </div>
        {move || answer()}
    }
}

#[component]
fn Stop(asking: Asking) -> impl IntoView {
    view! {
        <button type="button" id="stop-listing" on:click=move |_| asking.stop()>"Stop"</button>
        <span class="muted" role="status">"Waiting for the server…"</span>
    }
}

#[component]
fn ServiceChoice(service: Service, words: &'static str) -> impl IntoView {
    let app = AppState::of_page();
    let is_chosen = move || app.server.with(|query| query.service == service);
    let choose = move |_| {
        app.server.update(|query| {
            query.service = service;
            // A key of the one service is none of the other.
            use_kept_key(query);
        });
    };
    view! {
        <label>
            <input type="radio" name="service" prop:checked=move || is_chosen() on:change=choose />
            {words}
        </label>
    }
}
