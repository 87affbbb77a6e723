//! Saving the runs on this device, where the user wants that, and the browser's question before files are lost.

use std::time::Duration;

use leptos::ev;
use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;

use crate::app::state::AppState;

/// After the last change of the list before it is written.
const PAUSE: Duration = Duration::from_millis(800);

/// Writes what is loaded whenever it changes, if the user wants that, and asks before files that are not kept are lost.
/// Call it once, at the root.
pub fn autosave_runs(app: AppState) {
    let mut save = debounce(PAUSE, move |()| app.save_runs());
    Effect::new(move |_| {
        app.runs.revision.track();
        save(());
    });
    let _ = use_event_listener(window(), ev::beforeunload, move |event| {
        if app.projects.has_unkept.get_untracked() {
            event.prevent_default();
            // Older browsers ask when there is a text, and show their own.
            event.set_return_value("The runs are closed with the page.");
        }
    });
}
