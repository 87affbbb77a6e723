//! A newer version of the page: it waits until the user wants it.

use leptos::prelude::*;

use crate::app::browser::offline::{register_service_worker, take_over};

/// The line, once a newer version waits.
#[component]
pub fn Update() -> impl IntoView {
    let is_ready = RwSignal::new(false);
    register_service_worker(move || {
        // The page may be gone by then.
        is_ready.try_set(true);
    });
    view! {
        <Show when=move || is_ready.get()>
            <div class="banner quiet" role="status">
                <p>"A new version is ready."</p>
                <div class="buttons">
                    <button type="button" id="reload" on:click=move |_| take_over()>"Reload"</button>
                    <button type="button" on:click=move |_| is_ready.set(false)>"Later"</button>
                </div>
            </div>
        </Show>
    }
}
