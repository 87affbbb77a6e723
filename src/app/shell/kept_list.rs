//! The projects on this device, each a click away.

use js_sys::Date;
use leptos::prelude::*;

use crate::app::state::AppState;
use crate::app::state::projects::kept_project::{KeptProject, days_ago};
use rundown_format::{bytes, counted};

/// The list; nothing where nothing is kept.
#[component]
pub fn KeptList() -> impl IntoView {
    let app = AppState::of_page();
    app.projects.refresh();
    let rows = move || app.projects.kept.get().iter().map(|project| row(app, project)).collect_view();
    view! {
        <Show when=move || app.projects.kept.with(|kept| !kept.is_empty())>
            <section class="kept" aria-labelledby="kept-heading">
                <h2 id="kept-heading">"Kept on this device"</h2>
                <ul>{move || rows()}</ul>
            </section>
        </Show>
    }
}

fn row(app: AppState, project: &KeptProject) -> impl IntoView + use<> {
    let title = project.title().to_owned();
    let size = project.bytes();
    let size = if size > 0 { format!("{}, ", bytes(size)) } else { String::new() };
    let detail = format!("{size}{}", days_ago(project.saved_ms, Date::now()));
    let words = format!("Reopen {title}, {}", counted(project.runs, "run"));
    let id = project.id.clone();
    let project = project.clone();
    view! {
        <li>
            <button type="button" class="reopen" on:click=move |_| app.open_kept(&project)>{words}</button>
            <span class="muted">{detail}</span>
            <button
                type="button"
                class="link"
                aria-label=format!("Forget {title}")
                on:click=move |_| app.projects.forget(id.clone())
            >
                "Forget"
            </button>
        </li>
    }
}
