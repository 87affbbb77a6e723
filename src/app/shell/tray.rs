//! The foot of the window: how far the reading is, what went wrong, what can be taken back. Nothing moves when lines come
//! and go.

use std::time::Duration;

use leptos::prelude::*;

use super::autosave::autosave_runs;
use super::follow::{follow_runs, notify_news};
use super::progress_bar::ProgressBar;
use super::update::Update;
use crate::app::browser::timing::Timer;
use crate::app::state::{AppState, Closed, Dialog};
use rundown_format::counted;

/// How long a confirmation is shown.
const CONFIRMED: Duration = Duration::from_secs(3);

/// The lines at the foot of the window.
#[component]
pub fn Tray() -> impl IntoView {
    let app = AppState::of_page();
    follow_runs(app);
    notify_news(app);
    autosave_runs(app);
    view! {
        <aside class="tray" aria-label="Messages">
            <NewsLine />
            <Update />
            <Undo />
            <FaultBanner />
            <Confirmation />
            <Unresponsive />
            <ProgressBar />
        </aside>
    }
}

/// What went wrong last, until it is dismissed.
#[component]
fn FaultBanner() -> impl IntoView {
    let app = AppState::of_page();
    let notice = app.engine.notice();
    let shown = move || app.fault.get().or_else(|| notice.get());
    let dismiss = move |_| {
        app.engine.dismiss_notice();
        app.fault.set(None);
    };
    // An engine that stopped says more than the request that failed with it.
    Effect::new(move || {
        if notice.with(Option::is_some) {
            app.fault.set(None);
        }
    });
    let banner = move |text: String| {
        view! {
            <div class="banner">
                <p>{text}</p>
                <button type="button" on:click=dismiss>"Dismiss"</button>
            </div>
        }
    };
    view! { <div role="alert">{move || shown().map(banner)}</div> }
}

/// What was done, for some seconds. A screen reader hears it as an announcement.
#[component]
fn Confirmation() -> impl IntoView {
    let confirmation = AppState::of_page().confirmation;
    let timer = Timer::new();
    Effect::new(move || {
        if confirmation.with(Option::is_some) {
            timer.set(CONFIRMED, move || confirmation.set(None));
        }
    });
    let shown = move |text| view! { <p class="banner quiet confirmation" aria-hidden="true">{text}</p> };
    move || confirmation.get().map(shown)
}

/// The notice that the engine does not respond, with a button that restarts it.
#[component]
fn Unresponsive() -> impl IntoView {
    let engine = AppState::of_page().engine;
    let is_unresponsive = engine.is_unresponsive();
    view! {
        <Show when=move || is_unresponsive.get()>
            <div class="banner" role="alert">
                <p>"The engine has not responded for 30 seconds. On a slow machine it may still respond."</p>
                <button type="button" id="restart-engine" on:click=move |_| engine.restart_unresponsive()>"Restart the engine"</button>
            </div>
        </Show>
    }
}

/// The runs that were closed, to be opened again.
#[component]
fn Undo() -> impl IntoView {
    let app = AppState::of_page();
    move || {
        let what = match app.closed.get()? {
            Closed::All { runs, .. } => format!("{} closed.", counted(runs, "run")),
            Closed::One { name, .. } => format!("{name} removed."),
        };
        Some(view! {
            <div class="banner quiet" role="status">
                <p>{what}</p>
                <div class="buttons">
                    <button type="button" id="reopen" on:click=move |_| app.reopen()>"Undo"</button>
                    <button type="button" on:click=move |_| app.closed.set(None)>"Dismiss"</button>
                </div>
            </div>
        })
    }
}

/// New findings, a click away.
#[component]
fn NewsLine() -> impl IntoView {
    let app = AppState::of_page();
    move || {
        let count = app.news.with(|news| news.len());
        (count > 0).then(|| {
            let open = move |_| app.open_dialog(Dialog::News);
            view! {
                <p class="news" role="status">
                    <button type="button" id="news" on:click=open>{counted_findings(count)}</button>
                </p>
            }
        })
    }
}

fn counted_findings(count: usize) -> String {
    counted(count, "new finding")
}
