//! The title of the window says what is looked at, the most telling word first: "ugly · amber-07 · Run · Rundown".

use leptos::prelude::*;

use crate::app::state::{AppState, View};

/// Keeps the title of the window in step with the page.
#[component]
pub fn WindowTitle() -> impl IntoView {
    let app = AppState::of_page();
    let view = app.view();
    let title = Memo::new(move |_| {
        if !app.runs.is_loaded.get() {
            return "Rundown".to_owned();
        }
        let view = view.get();
        let of = match view {
            View::Run | View::Metrics => {
                app.runs.row(app.runs.open_number(), |row| format!("{} · {}", row.verdict.word(), row.name))
            }
            _ => app.runs.list.with(|list| (!list.project.is_empty()).then(|| list.project.clone())),
        };
        let parts: Vec<String> = of.into_iter().chain([view.label().to_owned(), "Rundown".to_owned()]).collect();
        parts.join(" · ")
    });
    Effect::new(move |_| document().set_title(&title.get()));
}
