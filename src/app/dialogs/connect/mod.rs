//! Runs from a server: where, with what key, and which.
//!
//! The key stays in this page's memory. "Keep for this tab" puts it into the tab's own storage, which ends with the
//! tab; "Forget" takes it out of both. It never reaches the address, and the engine sends it to the one server alone.

mod address;
mod asking;
mod fields;
mod key;
mod offer;

use leptos::prelude::*;

use crate::app::state::AppState;
use crate::protocol::Service;

use asking::Asking;
use fields::{Fields, WHERE, WHICH};
use key::KeyLine;
use offer::Offered;

pub use key::remembered_server;

/// The form, and below it what the server has.
#[component]
pub fn Connect() -> impl IntoView {
    let app = AppState::of_page();
    let asking = Asking::new(app);
    let service = Memo::new(move |_| app.server.with(|query| query.service));
    let body = move || {
        let service = service.get();
        let which = if service == Service::Wandb { "Which runs" } else { "Which hours" };
        let place = service as usize;
        view! {
            <Fields fields=WHERE.get(place).copied().unwrap_or_default() asking />
            <KeyLine />
            <details>
                <summary>{which}</summary>
                <Fields fields=WHICH.get(place).copied().unwrap_or_default() asking />
            </details>
        }
    };
    view! {
        <div class="scope" role="radiogroup" aria-label="Server">
            <Choice service=Service::Wandb words="Weights & Biases" />
            <Choice service=Service::Axiom words="Axiom" />
        </div>
        {move || body()}
        {move || asking.refusal.get().map(|words| view! { <p class="banner" id="refusal" role="alert">{words}</p> })}
        <div class="buttons">
            <button
                type="button"
                id="list-runs"
                class="primary"
                prop:disabled=move || asking.is_waiting.get()
                on:click=move |_| asking.ask()
            >
                "List runs"
            </button>
        </div>
        {move || asking.offer.get().map(|offer| view! { <Offered offer /> })}
    }
}

#[component]
fn Choice(service: Service, words: &'static str) -> impl IntoView {
    let app = AppState::of_page();
    let is_chosen = move || app.server.with(|query| query.service == service);
    let choose = move |_| app.server.update(|query| query.service = service);
    view! {
        <label>
            <input type="radio" name="service" prop:checked=move || is_chosen() on:change=choose />
            {words}
        </label>
    }
}
