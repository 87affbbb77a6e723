//! The bar on top: where you are, the views, and what is always at hand.

use super::dom::{El, Part, a, command, div, header, live, nav, span};
use super::route::{Route, View};
use super::store::{Dialog, Store};
use super::{files_input, keys};
use crate::format::counted;
use crate::protocol::Topic;

/// The bar on top.
pub fn top_bar(store: Store) -> Part {
    let add = |id: &'static str, words: &'static str| command(words, move || keys::click(id));
    header()
        .class("top")
        .child((
            span().class("brand").child("Rundown"),
            live(move || store.loaded.get().then(|| (project(store), tabs(store)))),
            div().class("tools").child((
                live(move || {
                    store.loaded.get().then(|| {
                        (
                            add(files_input::CHOOSE_FILES, "Add files…"),
                            add(files_input::CHOOSE_FOLDER, "Add a folder…"),
                            command("Connect…", move || store.dialog.set(Some(Dialog::Connect))),
                        )
                    })
                }),
                live(move || {
                    let settings = View::Topic(Topic::Settings);
                    let shown = move || (store.route.get().view == settings).then_some("page");
                    store.loaded.get().then(|| {
                        a().class("icon")
                            .follow("href", move || Some(Route { view: settings, run: store.current.get() }.hash()))
                            .follow("aria-current", shown)
                            .attr("aria-label", "Settings")
                            .attr("title", "Settings")
                            .child("⚙")
                    })
                }),
                command("◐", move || store.theme.switch())
                    .id("theme")
                    .class("icon")
                    .attr("aria-label", "Switch between light and dark")
                    .attr("title", "Light or dark (t)"),
                command("?", move || store.dialog.set(Some(Dialog::Help)))
                    .id("help")
                    .class("icon")
                    .attr("aria-label", "Help")
                    .attr("title", "Help (?)"),
            )),
        ))
        .view()
}

fn project(store: Store) -> El {
    let name = move || store.list.get().project.clone();
    let runs = move || counted(store.list.get().runs.len(), "run");
    span().class("project").child((span().says(name), " ", span().class("muted").says(runs)))
}

fn tabs(store: Store) -> Part {
    let tab = move |view: View| {
        a().follow("href", move || Some(Route { view, run: store.current.get() }.hash()))
            .follow("aria-current", move || (store.route.get().view == view).then_some("page"))
            .child(view.label())
    };
    live(move || {
        nav()
            .class("tabs")
            .attr("aria-label", "Views")
            .each(store.views.get().into_iter().filter(|view| *view != View::Topic(Topic::Settings)), tab)
    })
}
