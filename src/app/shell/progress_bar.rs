//! How far the reading is, with a way to stop it.

use leptos::prelude::*;

use super::progress_words::{amounts, doing, share};
use crate::app::state::AppState;
use rundown_format::counted;

/// The bar, while something is read.
#[component]
pub fn ProgressBar() -> impl IntoView {
    let app = AppState::of_page();
    let reading = app.engine.progress();
    let is_busy = Memo::new(move |_| reading.with(Option::is_some) || app.walks.get().is_active());
    let words =
        move || reading.with(|progress| progress.as_ref().map_or_else(|| "Looking through folders…".to_owned(), doing));
    let far = move || {
        reading.with(|progress| match progress {
            Some(progress) => amounts(progress),
            None => format!("{} found", counted(app.walks.get().found(), "file")),
        })
    };
    // Thousandths; without a value the bar says that it goes on.
    let value = move || {
        let share = reading.with(|progress| progress.as_ref().and_then(share))?;
        Some(format!("{:.0}", share * 1_000.0))
    };
    view! {
        <Show when=move || is_busy.get()>
            <div class="progress" role="group" aria-label="Reading files">
                <progress max="1000" value=move || value() aria-label="Reading"></progress>
                <p>
                    <strong>{words}</strong>
                    <span class="muted">{move || far()}</span>
                </p>
                <button type="button" on:click=move |_| app.cancel()>"Cancel"</button>
            </div>
        </Show>
    }
}
