//! The bar on top: where you are, the views, and what is always at hand. On a narrow window the open run stands in it,
//! and opens the list of runs.

use leptos::prelude::*;

use super::tabs::{Tabs, ViewLink};
use crate::app::browser::timing::after;
use crate::app::content::mark::Verdict;
use crate::app::content::{ClosePopup, Popup};
use crate::app::state::command::Command;
use crate::app::state::{AppState, View};
use rundown_format::counted;
use rundown_protocol::{Topic, VerdictMark};

/// Id of the button that opens the run list on a narrow window.
pub const OPEN_RUN: &str = "open-run";

/// The bar.
#[component]
pub fn TopBar() -> impl IntoView {
    let app = AppState::of_page();
    // In a task of its own, behind the list of runs.
    let is_loaded = RwSignal::new(false);
    Effect::new(move |_| {
        let is_loaded_now = app.runs.is_loaded.get();
        after(0, move || is_loaded.set(is_loaded_now));
    });
    view! {
        <header class="top">
            <span class="brand">"Rundown"</span>
            <Show when=move || is_loaded.get()>
                <Project />
                <Tabs />
            </Show>
            <div class="tools">
                <Show when=move || is_loaded.get()>
                    <OpenRun />
                    <button
                        type="button"
                        id="search"
                        class="search wide"
                        aria-haspopup="dialog"
                        on:click=move |_| {
                            app.act(Command::Palette);
                        }
                    >
                        <span>"Search or run a command"</span>
                        <kbd>{Command::Palette.key()}</kbd>
                    </button>
                    <Popup id="add-menu-button" class="menu wide" title="Add runs" names_button=true face=|| "Add…">
                        <CloseOnClick>
                            <AddItems />
                        </CloseOnClick>
                    </Popup>
                    <TopBarItem command=Command::CopyLink words="Copy link" class="wide" />
                    <Watching class="watching wide" />
                    <ViewLink view=View::Topic(Topic::Settings) class="icon wide" words="⚙" />
                </Show>
                <button
                    type="button"
                    id="theme"
                    class="icon wide"
                    aria-label="Switch between light and dark theme"
                    title=format!("Light or dark ({})", Command::Theme.key())
                    on:click=move |_| app.color_scheme.switch()
                >
                    "◐"
                </button>
                <button
                    type="button"
                    id="help"
                    class="icon wide"
                    aria-label="Help"
                    title=format!("Help ({})", Command::Help.key())
                    on:click=move |_| {
                        app.act(Command::Help);
                    }
                >
                    "?"
                </button>
                <Popup id="more-menu-button" class="menu narrow" title="More" names_button=true face=|| "⋯">
                    <CloseOnClick>
                        <MoreItems />
                    </CloseOnClick>
                </Popup>
            </div>
        </header>
    }
}

/// Name of the project, and how many runs.
#[component]
fn Project() -> impl IntoView {
    let app = AppState::of_page();
    view! {
        <span class="project wide">
            <span>{move || app.runs.list.with(|list| list.project.clone())}</span>
            " "
            <span class="muted">{move || app.runs.list.with(|list| counted(list.runs.len(), "run"))}</span>
        </span>
    }
}

/// The open run, which opens the list.
#[component]
fn OpenRun() -> impl IntoView {
    let app = AppState::of_page();
    let verdict = Memo::new(move |_| app.runs.row(app.runs.open_number(), |row| row.verdict));
    let name = move || app.runs.name(app.runs.open_number());
    let word = move || verdict.get().map(VerdictMark::word);
    view! {
        <button
            type="button"
            id=OPEN_RUN
            class="open-run narrow"
            aria-expanded=move || app.list_is_open.get().to_string()
            aria-controls="runs"
            on:click=move |_| app.list_is_open.update(|is_open| *is_open = !*is_open)
        >
            {move || verdict.get().map(|verdict| view! { <Verdict verdict /> })}
            <span class="name">{move || name()}</span>
            <span class="visually-hidden">{move || word().map(|word| format!(", {word}, choose a run"))}</span>
            <span aria-hidden="true">"▾"</span>
        </button>
    }
}

/// The folder that is watched; a click ends that.
#[component]
fn Watching(class: &'static str) -> impl IntoView {
    let app = AppState::of_page();
    move || {
        let name = app.watched.get()?;
        let stop = move |_| app.stop_watching();
        let label = format!("Stop watching {name}");
        Some(view! {
            <button type="button" class=class title=label.clone() aria-label=label on:click=stop>
                "Watching " {name.to_string()}
            </button>
        })
    }
}

/// Commands of a popup, which closes when one is chosen.
#[component]
fn CloseOnClick(children: Children) -> impl IntoView {
    let popup = ClosePopup::around();
    view! { <div on:click=move |_| popup.close()>{children()}</div> }
}

#[component]
fn AddItems() -> impl IntoView {
    view! {
        <TopBarItem command=Command::AddFiles />
        <TopBarItem command=Command::AddFolder />
        <TopBarItem command=Command::WatchFolder />
        <TopBarItem command=Command::Connect />
    }
}

#[component]
fn MoreItems() -> impl IntoView {
    let app = AppState::of_page();
    let settings = Command::Show(View::Topic(Topic::Settings));
    view! {
        <Show when=move || app.runs.is_loaded.get()>
            <AddItems />
            <TopBarItem command=Command::Palette />
            <TopBarItem command=Command::CopyLink />
            <Watching class="watching" />
            <TopBarItem command=settings />
            <TopBarItem command=Command::CloseAll />
        </Show>
        <TopBarItem command=Command::Theme />
        <TopBarItem command=Command::Help />
    }
}

/// A button for a command.
#[component]
fn TopBarItem(
    /// What it does.
    command: Command,
    /// What it says, where that is not the command's own words.
    #[prop(optional)]
    words: &'static str,
    /// Its class.
    #[prop(optional)]
    class: &'static str,
) -> impl IntoView {
    let app = AppState::of_page();
    let words = if words.is_empty() { command.label() } else { words };
    let act = move |_| {
        app.act(command);
    };
    view! {
        <button type="button" class=class on:click=act>
            {words}
        </button>
    }
}
