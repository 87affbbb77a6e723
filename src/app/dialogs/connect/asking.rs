//! What is asked of a server, and its answer.

use std::time::Duration;

use leptos::prelude::*;

use super::key::store_key_if_wanted;
use crate::app::browser::named_hosts::named_hosts;
use crate::app::browser::server_address::complaint;
use crate::app::browser::timing::Timer;
use crate::app::engine::{AskError, EngineReply};
use crate::app::state::AppState;
use rundown_protocol::{QueryField, Request, ServerListing};

/// Who types no more for so long wants to see what the query gives.
const PAUSE: Duration = Duration::from_millis(900);

/// A question to the server, and its answer.
#[derive(Clone, Copy)]
pub struct Asking {
    app: AppState,
    /// What the server has.
    pub listing: RwSignal<Option<ServerListing>>,
    /// Why nothing was asked.
    pub refusal: RwSignal<Option<&'static str>>,
    /// True while the server has not answered.
    pub is_waiting: RwSignal<bool>,
    /// The question under way, for the engine.
    request: StoredValue<u32>,
    /// Grows with each question and each letter of a query: an answer to an older question is not shown.
    latest: StoredValue<u32>,
    /// Runs out once the user types no more.
    typing: Timer,
}

impl Asking {
    /// Nothing was asked yet.
    pub fn new(app: AppState) -> Self {
        Self {
            app,
            listing: RwSignal::new(None),
            refusal: RwSignal::new(None),
            is_waiting: RwSignal::new(false),
            request: StoredValue::new(0),
            latest: StoredValue::new(0),
            typing: Timer::new(),
        }
    }

    /// Asks the server that the form names, once the form names one.
    pub fn ask(self) {
        let query = self.app.server.get_untracked();
        self.refusal.set(complaint(query.service, query.field(QueryField::Address)));
        if self.refusal.get_untracked().is_some() {
            self.listing.set(None);
            return;
        }
        self.stop();
        let ticket = self.next();
        self.is_waiting.set(true);
        let asked = query.clone();
        let take = move |answer: Result<EngineReply, AskError>| {
            // The dialog may be closed, or the question changed.
            if self.latest.try_get_value() != Some(ticket) {
                return;
            }
            self.is_waiting.set(false);
            let listing = answer.and_then(|(reply, _)| Ok(ServerListing::try_from(reply)?));
            let listing = listing.unwrap_or_else(|error| ServerListing::failed(error.to_string()));
            match &listing {
                ServerListing::UnnamedHosts(origins) => {
                    if !self.app.runs.is_loaded.get_untracked() && named_hosts().is_empty() {
                        // Nothing is lost, and what the page may then ask is said before anything is asked.
                        return self.app.connect_to(origins);
                    }
                }
                _ => {
                    self.app.has_asked.set(true);
                    // Not before: the key in the form may be that of a server which was asked earlier.
                    store_key_if_wanted(&asked);
                }
            }
            self.listing.set(Some(listing));
        };
        self.request.set_value(self.app.engine.begin(Request::Browse(query), Box::new(take)));
    }

    /// Stops asking.
    pub fn stop(self) {
        // When the dialog goes, its signals may be gone before it.
        if self.is_waiting.try_get_untracked() == Some(true) {
            self.next();
            self.is_waiting.set(false);
            self.app.has_asked.set(true);
            self.app.engine.stop(self.request.get_value());
        }
    }

    /// Asks again when the user has typed no more for a while; nothing is asked of a server before they have said so
    /// once.
    pub fn ask_later(self) {
        if self.latest.get_value() == 0 {
            return;
        }
        self.next();
        self.typing.set(PAUSE, move || self.ask());
    }

    fn next(self) -> u32 {
        self.typing.stop();
        let ticket = self.latest.get_value().wrapping_add(1);
        self.latest.set_value(ticket);
        ticket
    }
}
