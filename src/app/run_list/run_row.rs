//! A row of the list: the box that draws the run in charts, the link that opens it, and its menu.

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::prelude::*;

use super::list_state::ListState;
use super::names::NameParts;
use super::row_menu::RowMenu;
use super::show_box::{ShowBox, change_shown};
use super::spark;
use crate::app::browser::elements::focus;
use crate::app::browser::timing::on_frame;
use crate::app::content::{Popup, highlight_on_hover, mark};
use crate::app::state::{AppState, ViewState, row_id};
use rundown_protocol::{ColumnId, RunRow};

const SPARK_WIDTH: f32 = 62.0;
const SPARK_HEIGHT: f32 = 16.0;
/// A unit more on each side, for the width of the line.
const SPARK_BOX: &str = "-1 -1 64 18";

/// The row of a run.
#[component]
pub fn RunLine(
    /// The run.
    run: u32,
    /// The list around it.
    list: ListState,
) -> impl IntoView {
    let app = AppState::of_page();
    let name = Memo::new(move |_| list.row(run).map(|row| row.name).unwrap_or_default());
    let tabindex = Signal::derive(move || if list.tab_stop.get() == Some(run) { "0" } else { "-1" });
    let position = move || list.indexes.with(|indexes| indexes.get(&run).map_or(1, |index| index + 1));
    view! {
        <li
            {..highlight_on_hover(app, run)}
            class="row"
            class:lit=move || app.runs.is_highlighted(run)
            aria-setsize=move || list.items.with(|items| items.len())
            aria-posinset=move || position()
            on:focusin=move |_| app.runs.highlight(&[run])
            on:focusout=move |_| app.runs.unhighlight(&[run])
        >
            <ShowBox run name tabindex />
            <RowLink run list tabindex />
            <Popup
                button_class="more"
                title=Signal::derive(move || format!("Actions for {}", name.get()))
                names_button=true
                is_over_page=true
                face=|| "⋯"
                tabindex
            >
                <RowMenu run />
            </Popup>
        </li>
    }
}

/// What opens the run.
#[component]
fn RowLink(run: u32, list: ListState, tabindex: Signal<&'static str>) -> impl IntoView {
    let app = AppState::of_page();
    let row = Memo::new(move |_| list.row(run));
    let is_open = move || app.runs.open.get() == Some(run);
    let word = move || row.with(|row| row.as_ref().map(|row| row.verdict.word()));
    // The whole link is made only where it can be used: it would be another one with each frame of a zoom.
    let href = move || {
        let id = app.runs.id(run);
        if app.runs.highlighted() == Some(run) {
            return app.address.href(|state| state.run = Some(id));
        }
        ViewState { view: list.view.get(), run: Some(id), ..Default::default() }.hash()
    };
    let click = move |event: MouseEvent| {
        if event.button() != 0 {
            return;
        }
        event.prevent_default();
        if event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key() {
            change_shown(app, run, event.shift_key(), event.alt_key());
        } else {
            app.open(run);
            if app.list_is_open.get_untracked() {
                app.list_is_open.set(false);
                on_frame(|| focus("main"));
            }
        }
    };
    let space = move |event: KeyboardEvent| {
        if event.key() == " " {
            event.prevent_default();
            change_shown(app, run, event.shift_key(), event.alt_key());
        }
    };
    view! {
        <a
            id=row_id(run)
            class="run"
            href=move || href()
            draggable="false"
            tabindex=tabindex
            aria-current=move || is_open().then_some("true")
            data-verdict=move || word()
            title=move || row.with(|row| row.as_ref().map(title))
            on:click=click
            on:keydown=space
        >
            {move || row.get().map(|row| view! { <RowContent row list /> })}
        </a>
    }
}

/// Verdict, name, line and numbers of a run.
#[component]
pub fn RowContent(
    /// The run.
    row: RunRow,
    /// The list around it.
    list: ListState,
) -> impl IntoView {
    // Another metric than the list's has a range of its own.
    let shared = row.value.and_then(|_| list.spark_range.get());
    let range = shared.or_else(|| spark::range(&row.spark)).unwrap_or_default();
    let line = spark::spark_path(&row.spark, range, SPARK_WIDTH, SPARK_HEIGHT);
    let value = spark::short_or_dash(row.value);
    let value_key = row.value.map(|_| row.value_key.clone());
    let spoken = format!(", {}, ", why(&row));
    let run = row.run;
    let cell = move |column: ColumnId| {
        let text = move || list.cell(run, &column);
        let title = text.clone();
        view! { <span class="cell" title=title>{move || text()}</span> }
    };
    view! {
        <mark::Verdict verdict=row.verdict />
        <RunName row=row list />
        <span class="visually-hidden">{spoken}</span>
        <svg class="spark" viewBox=SPARK_BOX aria-hidden="true"><path d=line /></svg>
        <span class="value" title=value_key>{value}</span>
        {move || list.columns.get().into_iter().map(cell).collect_view()}
    }
}

/// The name, and words beside it: that it is new, the baseline, pinned, and what the user put on it.
#[component]
fn RunName(row: RunRow, list: ListState) -> impl IntoView {
    let app = AppState::of_page();
    let (run, id, name) = (row.run, row.id, row.name);
    let parts = move || {
        let parts = list.common.with(|common| common.parts(&name));
        if parts.is_whole() {
            return name.clone().into_any();
        }
        let NameParts { prefix, start, end, suffix } = parts;
        let part = |class: &'static str, text: &str| {
            (!text.is_empty()).then(|| view! { <span class=class>{text.to_owned()}</span> })
        };
        view! {
            {part("common", prefix)}
            {part("start", start)}
            {part("end", end)}
            {part("common", suffix)}
        }
        .into_any()
    };
    let is_new = move || app.news.with(|news| news.iter().any(|row| row.run == run));
    let words = move || {
        let is_baseline = list.baseline.with(|baseline| baseline.as_ref() == Some(&id));
        let is_pinned = list.pinned.with(|pinned| pinned.contains(&id));
        let mut words: Vec<String> = Vec::new();
        words.extend(is_baseline.then(|| "baseline".to_owned()));
        words.extend(is_pinned.then(|| "pinned".to_owned()));
        app.runs.tags.with(|tags| words.extend_from_slice(tags.of(&id)));
        words.join(" ")
    };
    view! {
        <span class="name">
            <span class="name-parts">{move || parts()}</span>
            <span class="new">{move || if is_new() { "new" } else { "" }}</span>
            <span class="words">{move || words()}</span>
        </span>
    }
}

fn why(row: &RunRow) -> String {
    let word = row.verdict.word();
    if row.worst.is_empty() { word.to_owned() } else { format!("{word}: {}", row.worst.join(", ")) }
}

fn title(row: &RunRow) -> String {
    format!("{} ({}, {})", row.name, row.state, why(row))
}
