//! The page: Leptos components and state. It speaks to the engine by messages alone.
//!
//! Arrows between the folders go one way: `browser` (what the browser offers) ← `engine` (the worker that is asked) ←
//! `state` (one typed context) ← `content` (blocks as elements) ← `chart` ← the views ← `shell` (what is around them).
//!
//! A closure stands in the `view!` that shows it, as `{move || rows()}` and not `{rows}`: Leptos then erases its type, and the
//! page is smaller (docs/decisions/page-size.md).
//!
//! The files without a browser in them are tested natively by `tests/page_parts.rs`.

#![allow(clippy::redundant_closure, reason = "closures that `view!` can see are erased: see above")]

mod browser;
pub mod chart;
mod compare_view;
pub mod content;
mod dialogs;
pub mod engine;
mod metrics_view;
mod report_view;
mod run_list;
mod run_view;
mod settings_view;
mod sharing;
mod shell;
pub mod state;
mod topic_view;
mod warm_up;

pub use browser::{keep_error, kept_files};

use leptos::prelude::*;

use browser::elements::focus;
use browser::named_hosts::{is_framed, narrow_policy};
use browser::timing::{after, in_next_task};
use browser::trusted_types;
use dialogs::{Dialogs, Framed, remembered_server};
use engine::{Engine, fetch_engine};
use metrics_view::MetricsView;
use report_view::ReportView;
use run_list::RunListPanel;
use run_view::OpenRunView;
use shell::{
    DropTarget, FileChoosers, FirstScreen, Keyboard, TopBar, Tray, WindowTitle, leave_static_page, take_early,
};
use state::{AppState, View, catch_focus, taken_query};
use topic_view::TopicView;
use warm_up::warm_up;

use rundown_protocol::Topic;

/// Mounts the page and never returns it.
pub fn mount() {
    console_error_panic_hook::set_once();
    fetch_engine();
    trusted_types::allow_templates();
    narrow_policy();
    // The first screen is part of the document, so that it paints before this program has come.
    let focused = leave_static_page();
    mount_to_body(move || view! { <App focused=focused.clone() /> });
}

/// The page. `focused` is the id of what had the focus before it came.
#[component]
fn App(focused: Option<String>) -> impl IntoView {
    let asked = taken_query();
    let has_query = asked.is_some();
    let app = AppState::new(Engine::started(), remembered_server(asked));
    provide_context(app);
    app.restore_settings();
    after(0, move || {
        take_early(app, focused);
        app.go_on(has_query);
        warm_up(app);
    });
    ask_again_after_restart(app);
    app.engine.on_list(move |list| app.show_early(list));
    let skip = move |event: leptos::ev::MouseEvent| {
        // Without changing the address, which holds the view.
        event.prevent_default();
        focus("main");
    };
    view! {
        <a class="skip" href="#main" on:click=skip>"Skip to content"</a>
        <TopBar />
        {is_framed().then(|| view! { <Framed /> })}
        <Show
            when=move || app.runs.is_loaded.get()
            fallback=|| view! { <main id="main" tabindex="-1"><FirstScreen /></main> }
        >
            <Workspace />
        </Show>
        <FileChoosers />
        <DropTarget />
        <Tray />
        <Dialogs />
        <Keyboard />
        <WindowTitle />
        <p class="visually-hidden" role="status">{move || app.announcement.get()}</p>
    }
}

/// The runs at the left, the view beside them.
#[component]
fn Workspace() -> impl IntoView {
    let app = AppState::of_page();
    let view = app.view();
    // The first screen is gone with what had the focus.
    catch_focus("#main");
    let has_list = in_next_task();
    let shown = move || match view.get() {
        View::Run => view! { <OpenRunView /> }.into_any(),
        View::Metrics => view! { <MetricsView /> }.into_any(),
        View::Topic(Topic::Compare) => view! { <compare_view::CompareView /> }.into_any(),
        View::Topic(Topic::Settings) => view! { <settings_view::SettingsView /> }.into_any(),
        View::Topic(topic) => view! { <TopicView topic /> }.into_any(),
        View::Report => view! { <ReportView /> }.into_any(),
    };
    view! {
        <div class="workspace" class:list-open=move || app.list_is_open.get()>
            <RunListPanel />
            <button
                type="button"
                class="sheet-backdrop"
                tabindex="-1"
                aria-label="Close the list of runs"
                on:click=move |_| app.list_is_open.set(false)
            ></button>
            <main id="main" tabindex="-1">{move || has_list.get().then(shown)}</main>
        </div>
    }
}

fn ask_again_after_restart(app: AppState) {
    let generation = app.engine.generation();
    Effect::new(move |_| {
        if generation.get() > 0 {
            app.refresh();
        }
    });
}
