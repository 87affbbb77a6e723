//! Files can be dropped anywhere, at any time; the page says so while they hover.

use leptos::ev;
use leptos::prelude::*;
use leptos_use_event_listener::use_event_listener;
use web_sys::DragEvent;

use crate::app::browser::folder_walk::Dropped;
use crate::app::state::AppState;

/// Takes what is dropped.
#[component]
pub fn DropTarget() -> impl IntoView {
    let app = AppState::of_page();
    let is_hovering = RwSignal::new(false);
    let _ = use_event_listener(window(), ev::dragenter, move |event| {
        if brings_files(&event) {
            event.prevent_default();
            is_hovering.set(true);
        }
    });
    let _ = use_event_listener(window(), ev::dragover, |event| {
        if brings_files(&event) {
            event.prevent_default();
        }
    });
    let _ = use_event_listener(window(), ev::dragleave, move |event| {
        // Without a related target the pointer has left the window, not only an element.
        if event.related_target().is_none() {
            is_hovering.set(false);
        }
    });
    let _ = use_event_listener(window(), ev::drop, move |event| {
        is_hovering.set(false);
        let Some(transfer) = event.data_transfer().filter(|_| brings_files(&event)) else { return };
        event.prevent_default();
        if let Some(dropped) = Dropped::of(&transfer) {
            app.dialog.set(None);
            app.add_dropped(dropped);
        }
    });
    view! {
        <Show when=move || is_hovering.get()>
            <div class="drop-overlay">
                <p>"Drop to add"</p>
            </div>
        </Show>
    }
}

fn brings_files(event: &DragEvent) -> bool {
    event.data_transfer().is_some_and(|transfer| transfer.types().includes(&"Files".into(), 0))
}
