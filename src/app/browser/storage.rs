//! What this browser remembers of choices. A browser that refuses storage forgets them, and nothing else is lost.

use leptos::prelude::*;
use web_sys::Storage;

/// Remembers a choice for the next visit.
pub fn remember(name: &str, value: &str) {
    if let Some(storage) = lasting() {
        let _ = storage.set_item(name, value);
    }
}

/// Takes a choice back.
pub fn forget(name: &str) {
    if let Some(storage) = lasting() {
        let _ = storage.remove_item(name);
    }
}

/// A choice of an earlier visit.
pub fn remembered(name: &str) -> Option<String> {
    lasting()?.get_item(name).ok()?
}

/// A text that every tab reads before it writes it. Copies are the same.
#[derive(Clone, Copy)]
pub struct SharedText {
    name: &'static str,
    /// False once this tab could not write: what is stored is older then than what it has.
    is_written: StoredValue<bool>,
}

impl SharedText {
    /// The text of this name.
    pub fn new(name: &'static str) -> Self {
        Self { name, is_written: StoredValue::new(true) }
    }

    /// What a tab wrote last; `None` where this tab has something newer.
    pub fn read(self) -> Option<String> {
        if self.is_written.get_value() { remembered(self.name) } else { None }
    }

    /// Writes it for other tabs and the next visit.
    pub fn write(self, text: &str) {
        let is_written = lasting().is_some_and(|storage| storage.set_item(self.name, text).is_ok());
        self.is_written.set_value(is_written);
    }
}

/// The storage that ends with the tab.
pub fn of_tab() -> Option<Storage> {
    window().session_storage().ok().flatten()
}

fn lasting() -> Option<Storage> {
    window().local_storage().ok().flatten()
}
