//! The page: Leptos views and state. It speaks to the engine by messages alone.
//!
//! Leptos mounts the page and drives it: its reactive graph runs every effect and owns what a view makes. Views are
//! made of the elements in [`dom`] and follow the state in [`reactive`]: see there why not with Leptos' own types.
//!
//! The files without a browser in them ([`cells`], [`listing`], [`route`], [`text`], `run_view/lanes`) are tested
//! natively by `tests/page_parts.rs`.

pub mod answer;
pub mod blocks;
mod cells;
pub mod chart;
pub mod client;
mod connect;
mod dialogs;
pub mod dom;
mod download;
mod files;
mod files_dialog;
mod files_input;
mod first_screen;
mod follow;
mod hosts;
mod keys;
mod link;
mod listing;
mod mark;
pub mod metrics_view;
mod problems;
pub mod reactive;
mod recovery;
mod report_view;
mod route;
mod run_list;
mod run_view;
mod settings;
mod store;
mod text;
pub mod theme;
mod top_bar;
mod topic_view;
pub mod worker_url;

use leptos::prelude::{document, window};
use web_sys::Event;

use dom::{Children, Part, a, div, live, main as main_element, on_window, p, together};
use reactive::{Derived, follow};
use route::{Route, View};
use store::Store;

/// Mounts the page and never returns it.
pub fn mount() {
    console_error_panic_hook::set_once();
    leptos::mount::mount_to_body(|| {
        if let Some(body) = document().body() {
            page().add_to(&body);
        }
    });
}

fn page() -> Part {
    let store = Store::new(client::Engine::started(), theme::Theme::of_browser());
    follow_address(store);
    keys::listen(store);
    ask_again_after_restart(store);
    name_the_window(store);
    let body = move || if store.loaded.get() { workspace(store) } else { start(store) };
    together((
        a().class("skip").attr("href", "#main").on("click", skip_to_main).child("Skip to content"),
        top_bar::top_bar(store),
        live(body),
        files_input::choosers(store),
        files_input::drop_anywhere(store),
        div().class("tray").child((follow::news(store), problems::banner(store), files_input::progress_bar(store))),
        dialogs::dialogs(store),
        p().class("visually-hidden").attr("role", "status").says(move || store.announcement.get()),
    ))
}

fn start(store: Store) -> Part {
    main_element().id("main").attr("tabindex", "-1").child(first_screen::first_screen(store)).view()
}

fn workspace(store: Store) -> Part {
    let view = Derived::new(move || store.route.get().view);
    let body = move || match view.get() {
        View::Run => run_view::run_view(store),
        View::Metrics => metrics_view::metrics_view(store),
        View::Topic(topic) => topic_view::topic_view(store, topic),
        View::Report => report_view::report_view(store),
    };
    let answers = main_element().id("main").attr("tabindex", "-1").child(live(body));
    div().class("workspace").child((run_list::run_list(store), answers)).view()
}

/// The address leads: a link, the back button and a key all change it, and the page follows.
fn follow_address(store: Store) {
    let read = move || {
        let hash = window().location().hash().unwrap_or_default();
        let route = Route::parse(&hash);
        if store.route.get_untracked() != route {
            store.route.set(route);
            window().scroll_to_with_x_and_y(0.0, 0.0);
        }
    };
    read();
    on_window("hashchange", move |_: Event| read());
}

fn ask_again_after_restart(store: Store) {
    let generation = store.engine.generation();
    follow(move || {
        if generation.get() > 0 {
            store.refresh();
        }
    });
}

fn name_the_window(store: Store) {
    follow(move || {
        let name = store.current.get().map(|run| store.name_of(run)).unwrap_or_default();
        document().set_title(&if name.is_empty() { "Rundown".to_owned() } else { format!("{name} · Rundown") });
    });
}

/// The skip link moves the focus without changing the address, which holds the view.
fn skip_to_main(event: Event) {
    event.prevent_default();
    keys::focus("main");
}
