//! What this browser remembers of choices. A browser that refuses storage forgets them, and nothing else is lost.

use leptos::prelude::window;
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

/// The storage that ends with the tab.
pub fn of_tab() -> Option<Storage> {
    window().session_storage().ok().flatten()
}

fn lasting() -> Option<Storage> {
    window().local_storage().ok().flatten()
}
