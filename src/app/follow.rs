//! Runs that are still running: polled, with new findings marked and, if wanted, notified.

use std::rc::Rc;

use js_sys::Reflect;
use leptos::prelude::window;
use wasm_bindgen::JsValue;
use web_sys::{Notification, NotificationPermission};

use super::dom::{El, Part, command, div, later, live, p, span, together};
use super::store::Store;
use crate::format::counted;
use crate::protocol::SeverityMark;

/// Milliseconds between two looks. A trainer logs a row every few seconds at best, and W&B asks for patience.
const PAUSE_MS: i32 = 20_000;

/// Polls after a pause while some run is still running. Each new list starts the next pause.
pub fn look_again_later(store: Store) {
    if store.list.get_untracked().running == 0 {
        return;
    }
    let revision = store.revision.get_untracked();
    later(pause(), move || {
        // Another list came in between and has its own timer.
        if store.revision.get_untracked() == revision {
            store.engine.poll(move |outcome| store.settle(outcome));
        }
    });
}

/// Tests can't wait so long: they set `rundownPause` on the window.
fn pause() -> i32 {
    let set = Reflect::get(&window(), &JsValue::from_str("rundownPause")).ok().and_then(|value| value.as_f64());
    set.map_or(PAUSE_MS, |value| value as i32)
}

/// How many runs are followed, and the offer to be notified.
pub fn line(store: Store) -> Part {
    live(move || {
        let running = store.list.get().running as usize;
        (running > 0).then(|| {
            let ask = (Notification::permission() == NotificationPermission::Default)
                .then(|| command("Notify me", || _ = Notification::request_permission()).class("link"));
            together((span().class("following").child(format!("Following {}", counted(running, "run"))), ask))
        })
    })
}

/// What is new, until it is dismissed; a critical finding is notified where the user allowed it.
pub fn news(store: Store) -> Part {
    live(move || {
        let news = store.news.get();
        if news.is_empty() {
            return None;
        }
        let critical = news.iter().filter(|row| row.severity == SeverityMark::Critical);
        critical.for_each(|row| notify(&row.text));
        let lines = news.iter().map(|row| p().child(row.text.as_str())).collect::<Vec<_>>();
        let dismiss = move || store.news.set(Rc::new(Vec::new()));
        Some(div().class("banner news").attr("role", "status").child((div().child(lines), command("Dismiss", dismiss))))
    })
}

/// A mark beside the name of a run that has news.
pub fn mark_of(store: Store, run: u32) -> El {
    let is_new = move || store.news.with(|news| news.iter().any(|row| row.run == run));
    span().class("new").says(move || if is_new() { "new" } else { "" })
}

fn notify(text: &str) {
    if Notification::permission() == NotificationPermission::Granted {
        // Where only a service worker may notify, the banner has to do.
        let _ = Notification::new(text);
    }
}
