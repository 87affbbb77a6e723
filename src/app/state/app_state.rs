//! The one context of the page.

use std::sync::Arc;

use leptos::prelude::*;

use super::address::Address;
use super::color_scheme::ColorScheme;
use super::folder_walks::Walks;
use super::projects::Projects;
use super::runs::Runs;
use super::view::View;
use super::view_state::ViewState;
use crate::app::engine::Engine;
use rundown_protocol::{NewsRow, ServerQuery};

/// Dialogs; at most one is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialog {
    /// The keys, and what the page is.
    Help,
    /// How to check that nothing leaves the browser.
    Privacy,
    /// Files that could not be read.
    Problems,
    /// Runs from a server.
    Connect,
    /// Every file and what it was taken for.
    Files,
    /// Everything that can be done, found by words.
    Palette,
    /// What is new in runs that are followed.
    News,
}

/// Runs that were closed, to be opened again.
#[derive(Debug, Clone, PartialEq)]
pub enum Closed {
    /// All of them.
    All {
        /// How many.
        runs: usize,
        /// What was looked at.
        view: Box<ViewState>,
        /// Their number in [`Projects`].
        opening: u32,
    },
    /// One was removed from the others.
    One {
        /// Its id.
        id: String,
        /// Its name.
        name: String,
    },
}

/// State of the page. Copies share the same signals.
#[derive(Clone, Copy)]
pub struct AppState {
    /// The engine.
    pub engine: Engine,
    /// Light or dark.
    pub color_scheme: ColorScheme,
    /// What is looked at.
    pub address: Address,
    /// What is loaded.
    pub runs: Runs,
    /// What stays on this device.
    pub projects: Projects,
    /// The open dialog.
    pub dialog: RwSignal<Option<Dialog>>,
    /// True while the list of runs is open as a sheet, on a narrow window.
    pub list_is_open: RwSignal<bool>,
    /// The runs that were closed last, until that is taken back or let go.
    pub closed: RwSignal<Option<Closed>>,
    /// Name of the folder that is watched. Each choice of a folder is an `Arc` of its own, since two can have one name.
    pub watched: RwSignal<Option<Arc<String>>>,
    /// Walks through dropped folders.
    pub walks: RwSignal<Walks>,
    /// What the user wrote about a server, the key included: here and nowhere else, unless they ask for more.
    pub server: RwSignal<ServerQuery>,
    /// True once a server was asked: the engine's requests are not among those that the page's browser counts.
    pub has_asked: RwSignal<bool>,
    /// What is new in runs that are being followed, until it is looked at.
    pub news: RwSignal<Arc<Vec<NewsRow>>>,
    /// Settings as the user wrote them; applied when they say so.
    pub settings: RwSignal<String>,
    /// Whether downloads and copies are without names of people and machines. On at first: they are made to be shared.
    pub hides_names: RwSignal<bool>,
    /// What went wrong last, for the user.
    pub fault: RwSignal<Option<String>>,
    /// What was done last, for a screen reader.
    pub announcement: RwSignal<String>,
    /// The same where nothing else on the page shows it, for some seconds.
    pub confirmation: RwSignal<Option<String>>,
}

impl AppState {
    /// The state of a page that was just opened. `server` is what the tab remembers of one.
    pub fn new(engine: Engine, server: ServerQuery) -> Self {
        let address = Address::of_page();
        Self {
            engine,
            color_scheme: ColorScheme::of_browser(),
            address,
            runs: Runs::new(engine, address),
            projects: Projects::of_device(),
            dialog: RwSignal::new(None),
            list_is_open: RwSignal::new(false),
            closed: RwSignal::new(None),
            watched: RwSignal::new(None),
            walks: RwSignal::new(Walks::default()),
            server: RwSignal::new(server),
            has_asked: RwSignal::new(false),
            news: RwSignal::new(Arc::new(Vec::new())),
            settings: RwSignal::new(String::new()),
            hides_names: RwSignal::new(true),
            fault: RwSignal::new(None),
            announcement: RwSignal::new(String::new()),
            confirmation: RwSignal::new(None),
        }
    }

    /// Says, to eyes and to a screen reader, what else nothing on the page shows.
    pub fn confirm(self, text: impl Into<String>) {
        let text = text.into();
        self.announcement.set(text.clone());
        self.confirmation.set(Some(text));
    }

    /// The state of this page: every component may ask for it.
    pub fn of_page() -> Self {
        expect_context()
    }

    /// The view that is shown; followed by whoever asks.
    pub fn view(self) -> Memo<View> {
        self.address.part(|state| state.view)
    }

    /// Opens a run in the present view.
    pub fn open(self, run: u32) {
        let id = self.runs.id(run);
        self.address.choose(|state| state.run = Some(id));
    }

    /// Opens the run `by` places down the list; the run that is open then.
    pub fn step(self, by: isize) -> Option<u32> {
        let next = self.runs.neighbour(by)?;
        if Some(next) != self.runs.open.get_untracked() {
            self.open(next);
        }
        Some(next)
    }
}
