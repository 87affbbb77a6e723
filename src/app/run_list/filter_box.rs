//! The filter: words that are looked for here, or a query that the engine answers, with ways to go on and what is wrong.

use leptos::prelude::*;

use super::query_repair::with_key;
use crate::app::state::{AppState, FILTER};

/// Id of the ways in which a query can go on.
const WAYS: &str = "ways";

/// The field, its completions and its complaints.
#[component]
pub fn FilterBox() -> impl IntoView {
    let app = AppState::of_page();
    let filter = app.address.part(|state| state.filter.clone());
    let ways = move || app.runs.matches.with(|found| found.as_ref().map(|found| found.completions.clone()));
    view! {
        <input
            type="search"
            id=FILTER
            list=WAYS
            aria-label="Filter runs by name, state, verdict, finding or tag, or by a query"
            placeholder="Words, or config.lr > 1e-4"
            autocomplete="off"
            spellcheck="false"
            prop:value=move || filter.get()
            on:input:target=move |event| {
                let text = event.target().value();
                app.address.adjust(|state| state.filter = text);
            }
        />
        <datalist id=WAYS>
            {move || ways().unwrap_or_default()
                .into_iter()
                .map(|(text, what)| view! { <option value=text>{what}</option> })
                .collect_view()}
        </datalist>
        <Complaint />
        <UnknownKeys />
        <HiddenRun />
    }
}

/// What is wrong with the query, and where.
#[component]
fn Complaint() -> impl IntoView {
    let app = AppState::of_page();
    let fault = move || app.runs.matches.with(|found| found.as_ref().and_then(|found| found.fault.clone()));
    let words = |(at, what): (u32, String)| format!("Character {}: {what}", at + 1);
    view! {
        {move || fault().map(|fault| view! { <p class="muted complaint" role="status">{words(fault)}</p> })}
    }
}

/// Keys that no run has, each with the near one that there is.
#[component]
fn UnknownKeys() -> impl IntoView {
    let app = AppState::of_page();
    let unknown = move || app.runs.matches.with(|found| found.as_ref().map(|found| found.unknown.clone()));
    let line = move |(key, near): (String, String)| {
        let repair = (!near.is_empty()).then(|| {
            let (key, known) = (key.clone(), near.clone());
            let put_in = move |_| app.address.choose(|state| state.filter = with_key(&state.filter, &key, &known));
            view! {
                " Did you mean "
                <button type="button" class="link" on:click=put_in>{near.clone()}</button>
                "?"
            }
        });
        view! { <p class="muted complaint">"No run has " <code>{key}</code> "." {repair}</p> }
    };
    view! {
        <div role="status">{move || unknown().unwrap_or_default().into_iter().map(line).collect_view()}</div>
    }
}

/// Says that the open run is not in the list.
#[component]
fn HiddenRun() -> impl IntoView {
    let app = AppState::of_page();
    let hidden = Memo::new(move |_| {
        let (open, list) = (app.runs.open.get()?, app.runs.list.get());
        let index = list.runs.iter().position(|row| row.run == open)?;
        let is_listed = app.runs.rows.with(|rows| rows.contains(&index));
        (!is_listed).then(|| list.runs.get(index).map(|row| row.name.clone())).flatten()
    });
    let show = move |_| app.address.choose(|state| state.filter = String::new());
    view! {
        {move || hidden.get().map(|name| view! {
            <p class="hidden-run">
                "Open, but hidden by the filter: " <strong>{name}</strong> " "
                <button type="button" class="link" on:click=show>"Show it"</button>
            </p>
        })}
    }
}
