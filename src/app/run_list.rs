//! The column of runs: verdict, name, sparkline, number; filtered, sorted, walked by keyboard.

use std::rc::Rc;

use leptos::prelude::event_target_value;
use web_sys::KeyboardEvent;

use super::dom::{
    El, Part, a, command, datalist, div, drawing, input, keyed, label, li, live, nav, option, p, select, span,
    together, ul,
};
use super::listing::{self, Sort, verdict_word};
use super::reactive::{State, follow as follow_state};
use super::route::Route;
use super::store::{Dialog, Store};
use super::{follow, keys, mark, problems, text};
use crate::format::{bytes, counted};
use crate::protocol::{Reply, Request, RunRow};

/// Id of the ways in which a query can go on.
const WAYS: &str = "ways";
const SPARK_WIDTH: f32 = 62.0;
const SPARK_HEIGHT: f32 = 16.0;
/// A unit more on each side, for the width of the line.
const SPARK_BOX: &str = "-1 -1 64 18";

/// The column of runs.
pub fn run_list(store: Store) -> Part {
    let range = State::new((0.0, 1.0));
    // A run whose files grew has a new revision: its row is made anew.
    let keys = move || {
        let list = store.list.get();
        range.set(text::spark_range(list.runs.iter().map(|row| row.spark.as_slice())));
        let revision = u64::from(store.revision.get_untracked());
        store.rows.get().iter().map(|row| revision << 32 | *row as u64).collect()
    };
    let row = move |key: u64| {
        let row = (key & u64::from(u32::MAX)) as usize;
        li().child(store.list.get_untracked().runs.get(row).map(|row| run_row(store, row, range.get_untracked())))
    };
    let class = move || store.list.get().measure.is_empty().then_some("bare");
    nav()
        .class("runs")
        .id("runs")
        .attr("aria-label", "Runs")
        .child((
            filter_box(store),
            live(move || store.found.get().and_then(|found| found.fault.as_ref().map(complaint))),
            head(store),
            ul().follow("class", class).on_as("keydown", move |event| walk(store, &event)).child(keyed(keys, row)),
            nothing_matches(store),
            foot(store),
        ))
        .view()
}

fn filter_box(store: Store) -> Part {
    follow_state(move || {
        let filter = store.filter.get();
        store.revision.track();
        if !listing::is_query(&filter) {
            // Words are looked for here: nothing is loaded for them.
            store.found.set(None);
            return;
        }
        let cursor = filter.chars().count() as u32;
        store.engine.ask(Request::Find { query: filter.clone(), cursor }, move |answer| {
            if let Ok((Reply::Matches(found), _)) = answer
                && store.filter.get_untracked() == filter
            {
                store.found.set(Some(Rc::new(found)));
            }
        });
    });
    let way = |(text, what): (String, String)| option().attr("value", text).child(what);
    let ways = move || {
        datalist().id(WAYS).each(store.found.get().map(|found| found.completions.clone()).unwrap_or_default(), way)
    };
    together((filter_input(store), live(ways)))
}

/// What is wrong with a query, and where.
pub fn complaint((at, what): &(u32, String)) -> El {
    p().class("muted complaint").attr("role", "status").child(format!("Character {}: {what}", at + 1))
}

fn filter_input(store: Store) -> El {
    input()
        .attr("list", WAYS)
        .attr("type", "search")
        .id(keys::FILTER)
        .attr("aria-label", "Filter runs by name, state, verdict or finding, or by a query")
        .attr("placeholder", "Words, or config.lr > 1e-4")
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .value(move || store.filter.get())
        .on("input", move |event| store.filter.set(event_target_value(&event)))
}

fn head(store: Store) -> El {
    let shown = move || {
        let rows = store.rows.get().len();
        let all = store.list.get().runs.len();
        let words = counted(all, "run");
        if rows == all { words } else { format!("{rows} of {words}") }
    };
    let choice = |sort: Sort| option().attr("value", sort.label()).child(sort.label());
    let measure = move || {
        let key = store.list.get().measure.clone();
        (!key.is_empty()).then(|| {
            let whole = format!("{key}, last value");
            span().class("measure").attr("title", whole).child((span().child(key), ", last"))
        })
    };
    div().class("list-head").child((
        label().child((
            span().attr("role", "status").says(shown),
            " by ",
            select()
                .id("sort")
                .attr("aria-label", "Sort runs by")
                .on("change", move |event| store.sort.set(Sort::from_label(&event_target_value(&event))))
                .each(Sort::ALL, choice)
                .value(move || store.sort.get().label()),
        )),
        live(measure),
    ))
}

fn run_row(store: Store, row: &RunRow, range: (f32, f32)) -> El {
    let run = row.run;
    let here = move || store.current.get() == Some(run);
    // One stop for the Tab key: the run shown, or the first row when that one is filtered out.
    let tab_stop = move || Some(if store.tab_stop.get() == Some(run) { "0" } else { "-1" });
    let word = verdict_word(row.verdict);
    let why = if row.worst.is_empty() { word.to_owned() } else { format!("{word}: {}", row.worst.join(", ")) };
    let line = text::spark_path(&row.spark, range, SPARK_WIDTH, SPARK_HEIGHT);
    a().id(keys::row_id(run))
        .class("run")
        .follow("href", move || Some(Route { run: Some(run), ..store.route.get() }.hash()))
        .follow("aria-current", move || here().then_some("true"))
        .follow("tabindex", tab_stop)
        .attr("data-verdict", word)
        .attr("title", format!("{} ({}, {why})", row.name, row.state))
        .child((
            mark::verdict(row.verdict),
            span().class("name").child((row.name.as_str(), follow::mark_of(store, run))),
            span().class("visually-hidden").child(format!(", {why}, ")),
            drawing("spark", SPARK_BOX, &line),
            span().class("value").child(text::short_or_dash(row.value)),
        ))
}

fn nothing_matches(store: Store) -> Part {
    live(move || {
        store.rows.get().is_empty().then(|| {
            p().class("muted nothing")
                .child(("No run matches. ", command("Show all", move || store.filter.set(String::new())).class("link")))
        })
    })
}

fn foot(store: Store) -> El {
    let read = move || {
        let list = store.list.get();
        format!("{} read, {}", counted(list.files as usize, "file"), bytes(list.bytes))
    };
    div().class("list-foot").child((
        command("", move || store.dialog.set(Some(Dialog::Files))).id("files").class("link").says(read),
        follow::line(store),
        problems::line(store),
        command("Close all runs", move || store.clear()).class("link"),
    ))
}

fn walk(store: Store, event: &KeyboardEvent) {
    let by = match event.key().as_str() {
        "ArrowDown" => 1,
        "ArrowUp" => -1,
        "Home" => -isize::MAX,
        "End" => isize::MAX,
        _ => return,
    };
    event.prevent_default();
    keys::move_by(store, by);
}
