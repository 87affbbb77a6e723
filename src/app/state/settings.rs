//! Settings as the user wrote them: applied to all runs, and remembered by this browser for the next visit.

use leptos::prelude::*;

use super::app_state::AppState;
use crate::app::browser::storage;
use rundown_format::redact;

const STORED_AS: &str = "rundown-settings";

impl AppState {
    /// Diagnoses all runs with these settings, those to come too, and remembers them; `then` hears what is wrong.
    pub fn apply_settings(self, text: String, then: impl FnOnce(Result<(), String>) + 'static) {
        self.settings.set(text.clone());
        self.engine.apply(text.clone(), move |answer| match answer {
            Ok(list) => {
                // A key has no place in settings; one that was pasted there is not kept.
                let is_open = redact(&text) == text;
                storage::remember(STORED_AS, if is_open { &text } else { "" });
                self.finish_loading(Ok(list));
                then(Ok(()));
            }
            Err(error) => then(Err(error.to_string())),
        });
    }

    /// Takes up the settings of an earlier visit. Call it once, before the first run is read.
    pub fn restore_settings(self) {
        if let Some(text) = remembered() {
            self.settings.set(text.clone());
            // What another version of the page has kept may not be readable: the form shows it, nothing is applied.
            self.engine.apply(text, |_| {});
        }
    }

    /// True while this browser remembers settings.
    pub fn remembers_settings(self) -> bool {
        remembered().is_some()
    }

    /// Lets this browser forget the settings; those of this visit stay.
    pub fn forget_settings(self) {
        storage::remember(STORED_AS, "");
    }
}

fn remembered() -> Option<String> {
    storage::remembered(STORED_AS).filter(|text| !text.trim().is_empty())
}
