//! Light or dark: the system's choice until the user makes one, which this browser then remembers.

use leptos::prelude::{document, window};
use wasm_bindgen::JsCast;
use web_sys::{Event, MediaQueryList, MediaQueryListEvent, Storage};

use super::dom::listen;
use super::reactive::{State, follow, untrack};

const STORED_AS: &str = "rundown-theme";

/// Light or dark, as the system and the user want it. Copies are the same.
#[derive(Clone, Copy)]
pub struct Theme {
    system_dark: State<bool>,
    chosen_dark: State<Option<bool>>,
}

impl Theme {
    /// The theme of this browser; keeps `data-theme` of the page in step with it.
    pub fn of_browser() -> Self {
        let query = window().match_media("(prefers-color-scheme: dark)").ok().flatten();
        let theme = Self {
            system_dark: State::new(query.as_ref().is_some_and(MediaQueryList::matches)),
            chosen_dark: State::new(stored()),
        };
        if let Some(query) = query {
            let changed = move |event: Event| {
                theme.system_dark.set(event.unchecked_ref::<MediaQueryListEvent>().matches());
            };
            listen(&query, "change", Box::new(changed));
        }
        follow(move || {
            let root = document().document_element();
            let word = theme.chosen_dark.get().map(word);
            let _ = match (root, word) {
                (Some(root), Some(word)) => root.set_attribute("data-theme", word),
                (Some(root), None) => root.remove_attribute("data-theme"),
                (None, _) => Ok(()),
            };
        });
        theme
    }

    /// True while the page is dark; followed by whoever asks.
    pub fn is_dark(self) -> bool {
        self.chosen_dark.get().unwrap_or_else(|| self.system_dark.get())
    }

    /// Switches between light and dark.
    pub fn switch(self) {
        let dark = !untrack(|| self.is_dark());
        self.chosen_dark.set(Some(dark));
        if let Some(storage) = storage() {
            // A browser that refuses storage forgets the choice; nothing else is lost.
            let _ = storage.set_item(STORED_AS, word(dark));
        }
    }
}

fn word(dark: bool) -> &'static str {
    if dark { "dark" } else { "light" }
}

fn storage() -> Option<Storage> {
    window().local_storage().ok().flatten()
}

fn stored() -> Option<bool> {
    let choice = storage()?.get_item(STORED_AS).ok()??;
    [true, false].into_iter().find(|dark| word(*dark) == choice)
}
