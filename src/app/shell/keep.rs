//! Keeping the runs on this device: the question, asked once, and the browser's own question before files are lost.

use leptos::ev;
use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;

use crate::app::browser::kept_files::can_keep;
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

/// The question, once files are loaded and until it is answered.
#[component]
pub fn KeepQuestion() -> impl IntoView {
    let app = AppState::of_page();
    let is_asked = Memo::new(move |_| {
        let is_open = app.projects.consent.get().is_none() && app.projects.has_unkept.get();
        is_open && app.engine.progress().with(Option::is_none) && can_keep()
    });
    view! {
        <Show when=move || is_asked.get()>
            <div class="banner quiet" role="group" aria-label="Keeping runs">
                <p>"Keep these runs on this device, so that they open again after a reload? They go nowhere else."</p>
                <div class="buttons">
                    <button type="button" id="keep" class="primary" on:click=move |_| app.consent_to_keep(true)>
                        "Keep"
                    </button>
                    <button type="button" id="keep-not" on:click=move |_| app.consent_to_keep(false)>"No"</button>
                </div>
            </div>
        </Show>
    }
}
