//! Below the rows: what was read, what is followed, what had problems.

use leptos::prelude::*;

use crate::app::browser::elements::click;
use crate::app::browser::kept_files::can_keep;
use crate::app::content::{NotifyButton, ProblemsButton};
use crate::app::state::{AppState, CHOOSE_FILES, Dialog};
use rundown_format::counted;

/// The lines below the rows.
#[component]
pub fn ListFoot() -> impl IntoView {
    let app = AppState::of_page();
    let read = move || app.runs.list.with(|list| list.read.clone());
    // `make bench` looks how long the last reading took.
    let read_ms = move || app.runs.list.with(|list| list.read_ms);
    view! {
        <div class="list-foot">
            <button type="button" class="more-files" on:click=move |_| click(CHOOSE_FILES)>"Drop more runs here"</button>
            <button
                type="button"
                id="files"
                class="link"
                data-read-ms=move || read_ms()
                on:click=move |_| app.open_dialog(Dialog::Files)
            >
                {move || read()}
            </button>
            <FollowingLine />
            <ProblemsButton />
            <KeepOffer />
            <button type="button" class="link" on:click=move |_| app.clear()>"Close all runs"</button>
        </div>
    }
}

/// How many runs are followed, and the offer to be notified.
#[component]
fn FollowingLine() -> impl IntoView {
    let app = AppState::of_page();
    let running = Memo::new(move |_| app.runs.list.with(|list| list.running as usize));
    let words = move || format!("Following {}", counted(running.get(), "run"));
    view! {
        <Show when=move || { running.get() > 0 }>
            <span class="following">{move || words()}</span>
            <NotifyButton words="Notify me" class="link" />
        </Show>
    }
}

/// The offer to keep the runs for the next visit, until it is answered.
#[component]
fn KeepOffer() -> impl IntoView {
    let app = AppState::of_page();
    let is_open = Memo::new(move |_| {
        let is_open = app.projects.consent.get().is_none() && app.projects.has_unkept.get();
        is_open && app.engine.progress().with(Option::is_none) && can_keep()
    });
    let why = "The files are kept in this browser, so that they open again after a reload. They go nowhere else.";
    view! {
        <Show when=move || is_open.get()>
            <span class="keep-offer" role="group" aria-label="Keep these runs on this device?" title=why>
                "Keep for the next visit? "
                <button type="button" id="keep" class="link" on:click=move |_| app.consent_to_keep(true)>"Keep"</button>
                " "
                <button type="button" id="keep-not" class="link" on:click=move |_| app.consent_to_keep(false)>"No"</button>
            </span>
        </Show>
    }
}
