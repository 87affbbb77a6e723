//! Runs from a server: where, with what key, and which.
//!
//! The key stays in this page's memory. "Keep for this tab" puts it into the tab's own storage, which ends with the
//! tab; "Forget" takes it out of both. It never reaches the address, and the engine sends it to the one server alone.

mod address;
mod fields;
mod key;
mod offer;

use leptos::prelude::*;

use crate::app::browser::timing::after;
use crate::app::state::AppState;
use crate::protocol::{Offer, QueryField, Reply, Request, Service};

use address::complaint;
use fields::{Fields, WHERE, WHICH};
use key::KeyLine;
use offer::Offered;

pub use key::remembered_server;

/// Who types no more for so long wants to see what the query gives.
const PAUSE_MS: i32 = 900;

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
        {body}
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
            <input type="radio" name="service" prop:checked=is_chosen on:change=choose />
            {words}
        </label>
    }
}

/// A question to the server, and its answer.
#[derive(Clone, Copy)]
pub struct Asking {
    app: AppState,
    offer: RwSignal<Option<Offer>>,
    /// Why nothing was asked.
    refusal: RwSignal<Option<&'static str>>,
    is_waiting: RwSignal<bool>,
    /// Grows with each question and each letter of a query: an answer to an older question is not shown.
    latest: RwSignal<u32>,
}

impl Asking {
    fn new(app: AppState) -> Self {
        Self {
            app,
            offer: RwSignal::new(None),
            refusal: RwSignal::new(None),
            is_waiting: RwSignal::new(false),
            latest: RwSignal::new(0),
        }
    }

    /// Asks the server that the form names, once the form names one.
    pub fn ask(self) {
        let query = self.app.server.get_untracked();
        self.refusal.set(complaint(query.service, query.field(QueryField::Address)));
        if self.refusal.get_untracked().is_some() {
            self.offer.set(None);
            return;
        }
        let ticket = self.next();
        self.is_waiting.set(true);
        self.app.has_asked.set(true);
        key::keep_if_wanted(self.app);
        self.app.engine.ask(Request::Browse(query), move |answer| {
            // The dialog may be closed, or the question changed.
            if self.latest.try_get_untracked() != Some(ticket) {
                return;
            }
            self.is_waiting.set(false);
            self.offer.set(Some(match answer {
                Ok((Reply::Offer(offer), _)) => offer,
                Ok(_) => Offer::default(),
                Err(error) => Offer { text: error.to_string(), failed: true, ..Offer::default() },
            }));
        });
    }

    /// Asks again when the user has typed no more for a while; nothing is asked of a server before they have said so
    /// once.
    pub fn ask_later(self) {
        if self.latest.get_untracked() == 0 {
            return;
        }
        let ticket = self.next();
        after(PAUSE_MS, move || {
            if self.latest.try_get_untracked() == Some(ticket) {
                self.ask();
            }
        });
    }

    fn next(self) -> u32 {
        let ticket = self.latest.get_untracked().wrapping_add(1);
        self.latest.set(ticket);
        ticket
    }
}
