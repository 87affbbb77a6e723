//! New findings of runs that are followed or watched: each opens its run.

use std::sync::Arc;

use leptos::prelude::*;

use crate::app::content::NotifyButton;
use crate::app::content::mark::Severity;
use crate::app::state::{AppState, View, focus_main};
use rundown_protocol::NewsRow;

/// The list, newest first.
#[component]
pub fn News() -> impl IntoView {
    let app = AppState::of_page();
    let rows = move || {
        let news = app.news.get();
        if news.is_empty() {
            return view! { <p class="muted">"No new findings since you last looked."</p> }.into_any();
        }
        let rows = news.iter().map(|news| row(app, news)).collect_view();
        view! { <ul class="news-list">{rows}</ul> }.into_any()
    };
    let clear = move |_| {
        app.news.set(Arc::default());
        app.dialog.set(None);
    };
    view! {
        {move || rows()}
        <div class="buttons">
            <NotifyButton words="Notify me of critical findings" />
            <Show when=move || app.news.with(|news| !news.is_empty())>
                <button type="button" on:click=clear>"Mark all as read"</button>
            </Show>
        </div>
    }
}

fn row(app: AppState, news: &NewsRow) -> impl IntoView + use<> {
    let seen = news.clone();
    let open = move |_| {
        let id = app.runs.id(seen.run);
        app.news.update(|news| *news = Arc::new(news.iter().filter(|row| **row != seen).cloned().collect()));
        app.dialog.set(None);
        app.address.choose(|state| {
            state.view = View::Run;
            state.run = Some(id);
        });
        focus_main();
    };
    view! {
        <li>
            <button type="button" class="news-row" on:click=open>
                <Severity severity=news.severity />
                <span>{news.text.clone()}</span>
            </button>
        </li>
    }
}
