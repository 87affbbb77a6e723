//! Light or dark: the system's choice until the user makes one, which this browser then remembers.

use leptos::prelude::*;
use leptos_use_media_query::use_media_query;

use crate::app::browser::storage;

const STORED_AS: &str = "rundown-theme";

/// Whether the page is light or dark, as the system and the user want it. Copies are the same.
#[derive(Clone, Copy)]
pub struct ColorScheme {
    chosen: RwSignal<Option<bool>>,
    is_dark: Memo<bool>,
}

impl ColorScheme {
    /// The theme of this browser; keeps `data-theme` of the page in step with it.
    pub fn of_browser() -> Self {
        let system = use_media_query("(prefers-color-scheme: dark)");
        // Where the system has colours of its own for every page, what is drawn must fit these.
        let forces_colours = use_media_query("(forced-colors: active)");
        let chosen = RwSignal::new(stored());
        Effect::new(move |_| {
            let Some(root) = document().document_element() else { return };
            let _ = match chosen.get() {
                Some(is_dark) => root.set_attribute("data-theme", word(is_dark)),
                None => root.remove_attribute("data-theme"),
            };
        });
        let is_dark = move |_: Option<&_>| {
            let system = system.get();
            if forces_colours.get() { system } else { chosen.get().unwrap_or(system) }
        };
        Self { chosen, is_dark: Memo::new(is_dark) }
    }

    /// True while the page is dark; followed by whoever asks.
    pub fn is_dark(self) -> bool {
        self.is_dark.get()
    }

    /// Switches between light and dark.
    pub fn switch(self) {
        let is_dark = !self.is_dark.get_untracked();
        self.chosen.set(Some(is_dark));
        storage::remember(STORED_AS, word(is_dark));
    }
}

fn word(is_dark: bool) -> &'static str {
    if is_dark { "dark" } else { "light" }
}

fn stored() -> Option<bool> {
    let choice = storage::remembered(STORED_AS)?;
    [true, false].into_iter().find(|is_dark| word(*is_dark) == choice)
}
