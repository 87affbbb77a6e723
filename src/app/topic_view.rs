//! Views over all runs: the engine says what there is to say, as blocks, and what can be chosen.

use std::rc::Rc;

use leptos::prelude::event_target_value;

use super::blocks::{Tables, blocks};
use super::dom::{El, Part, article, div, h1, label, live, option, p, select};
use super::reactive::Derived;
use super::route::View;
use super::store::Store;
use super::{answer, settings};
use crate::protocol::{Choice, ProjectRequest, ProjectView, Reply, Request, Topic};

/// Width that drawings are made for, in CSS pixels; they shrink with the page.
const DRAWN_FOR: u32 = 860;

/// A view over all runs.
pub fn topic_view(store: Store, topic: Topic) -> Part {
    // What the list shows is compared.
    let listed = move || {
        let (list, rows) = (store.list.get(), store.rows.get());
        if rows.len() == list.runs.len() {
            return Vec::new();
        }
        rows.iter().filter_map(|row| list.runs.get(*row)).map(|row| row.run).collect()
    };
    let chosen = move || {
        let of_this = |(view, name, value): (Topic, String, String)| (view == topic).then_some((name, value));
        store.chosen.get().into_iter().filter_map(of_this).collect()
    };
    let question =
        move || Request::OpenProject(ProjectRequest { topic, runs: listed(), chosen: chosen(), width: DRAWN_FOR });
    let reply = answer::ask(store, question);
    let shown = Derived::new(move || match reply.get() {
        Some(Ok(reply)) => match &*reply {
            Reply::Project(view) => Rc::new(view.clone()),
            _ => Rc::default(),
        },
        _ => Rc::<ProjectView>::default(),
    });
    // Without the present value, so that a menu stays where it is, and keeps the focus, while its value changes.
    let menus = Derived::new(move || {
        let mut menus = shown.get().choices.clone();
        menus.iter_mut().for_each(|menu| menu.value.clear());
        menus
    });
    let body = move || match reply.get() {
        None => p().class("muted").attr("role", "status").child("Comparing…").view(),
        Some(Err(what)) => p().class("banner").child(what).view(),
        Some(Ok(_)) => article().class("document").child(blocks(&shown.get().blocks, Tables::Sorted)).view(),
    };
    div()
        .class("topic-view")
        .child((
            h1().child(View::Topic(topic).label()),
            (topic == Topic::Settings).then(|| settings::form(store)),
            live(move || div().class("choices").each(menus.get(), |choice| menu(store, topic, choice, shown))),
            live(body),
        ))
        .view()
}

fn menu(store: Store, topic: Topic, choice: Choice, shown: Derived<Rc<ProjectView>>) -> El {
    let (name, asked) = (choice.name.clone(), choice.name);
    let change = move |value: String| {
        store.chosen.update(|chosen| {
            chosen.retain(|(view, known, _)| *view != topic || *known != name);
            chosen.push((topic, name.clone(), value));
        });
    };
    let value = move || {
        let shown = shown.get();
        let choice = shown.choices.iter().find(|choice| choice.name == asked);
        choice.map(|choice| choice.value.clone()).unwrap_or_default()
    };
    let item = |(value, words): (String, String)| option().attr("value", value).child(words);
    label().child((
        choice.label,
        " ",
        select().on("change", move |event| change(event_target_value(&event))).each(choice.options, item).value(value),
    ))
}
