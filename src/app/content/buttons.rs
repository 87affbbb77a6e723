//! Buttons that several parts of the page have.

use leptos::prelude::*;

use crate::app::browser::notifications;
use crate::app::state::problems::summary;
use crate::app::state::{AppState, Dialog};

/// "3 files had problems", which opens the list; nothing when there are none.
#[component]
pub fn ProblemsButton() -> impl IntoView {
    let app = AppState::of_page();
    let words = move || app.runs.list.with(|list| summary(&list.problems));
    let open = move |_| app.open_dialog(Dialog::Problems);
    move || {
        words().map(|words| view! { <button type="button" id="problems" class="link" on:click=open>{words}</button> })
    }
}

/// The offer to tell of new findings while the page is out of sight; nothing once the browser has an answer.
#[component]
pub fn NotifyButton(
    /// What the button says.
    words: &'static str,
    /// Its class.
    #[prop(optional)]
    class: &'static str,
) -> impl IntoView {
    let asks = RwSignal::new(notifications::can_ask());
    let ask = move |_| {
        asks.set(false);
        notifications::ask();
    };
    view! {
        <Show when=move || asks.get()>
            <button type="button" class=class on:click=ask>{words}</button>
        </Show>
    }
}
