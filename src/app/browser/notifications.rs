//! Notifications of the system. Browsers on phones have none for a page, and some have no such interface at all.

use js_sys::Reflect;
use leptos::prelude::window;
use wasm_bindgen::JsValue;
use web_sys::{Notification, NotificationPermission};

/// True where the user can be asked and was not.
pub fn can_ask() -> bool {
    are_known() && Notification::permission() == NotificationPermission::Default
}

/// Asks the user whether the page may notify. Must run within a click.
pub fn ask() {
    if are_known() {
        // Where only a service worker may notify, the news have to do.
        let _ = Notification::request_permission();
    }
}

/// Notifies, where the user allowed it.
pub fn notify(text: &str) {
    if are_known() && Notification::permission() == NotificationPermission::Granted {
        // Where only a service worker may notify, the list has to do.
        let _ = Notification::new(text);
    }
}

fn are_known() -> bool {
    Reflect::has(&window(), &JsValue::from_str("Notification")) == Ok(true)
}
