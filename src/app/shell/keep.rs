//! Keeping the runs on this device, where the user wants that, and the browser's question before files are lost.

use leptos::ev;
use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;

use crate::app::browser::timing::after;
use crate::app::state::AppState;

/// Milliseconds after the last change of the list before it is written.
const PAUSE_MS: i32 = 800;

/// Writes what is loaded whenever it changes, if the user wants that, and asks before files that are not kept are lost.
/// Call it once, at the root.
pub fn keep_runs(app: AppState) {
    Effect::new(move |_| {
        let revision = app.runs.revision.get();
        after(PAUSE_MS, move || {
            if app.runs.revision.try_get_untracked() == Some(revision) {
                app.keep_runs();
            }
        });
    });
    let _ = use_event_listener(window(), ev::beforeunload, move |event| {
        if app.projects.has_unkept.get_untracked() {
            event.prevent_default();
            // Older browsers ask when there is a text, and show their own.
            event.set_return_value("The runs are closed with the page.");
        }
    });
}
