//! What the server has, or what to do instead.

use leptos::prelude::*;

use crate::app::state::AppState;
use rundown_format::counted;
use rundown_protocol::{Offer, OfferRow, QueryField};

/// The answer.
#[component]
pub fn Offered(
    /// The answer.
    offer: Offer,
) -> impl IntoView {
    if let Some((at, what)) = &offer.fault {
        let words = format!("Character {}: {what}", at + 1);
        return view! { <p class="muted complaint" role="status">{words}</p> }.into_any();
    }
    let class = if offer.failed { "banner" } else { "muted" };
    let rest = if offer.runs.is_empty() {
        view! { <Advice ways=offer.advice /> }.into_any()
    } else {
        view! { <Choose runs=offer.runs is_open=offer.is_open /> }.into_any()
    };
    view! {
        <p class=class role="status">{offer.text}</p>
        {rest}
    }
    .into_any()
}

/// The runs, to be chosen among.
#[component]
fn Choose(runs: Vec<OfferRow>, is_open: bool) -> impl IntoView {
    let app = AppState::of_page();
    let wanted = RwSignal::new(runs.iter().map(|run| run.id.clone()).collect::<Vec<_>>());
    let rows = runs
        .into_iter()
        .map(|run| {
            let OfferRow { id, name, detail } = run;
            let choose = move |event| {
                wanted.update(|wanted| {
                    wanted.retain(|known| *known != id);
                    if event_target_checked(&event) {
                        wanted.push(id.clone());
                    }
                });
            };
            view! {
                <li>
                    <label>
                        <input type="checkbox" checked=true on:change=choose />
                        <span>{name}</span>
                        <span class="muted">{detail}</span>
                    </label>
                </li>
            }
        })
        .collect_view();
    // What the server could not be asked is asked of the runs once they are here.
    let query = app.server.with_untracked(|query| query.field(QueryField::Query).to_owned());
    let query = is_open.then_some(query);
    let load = move |_| {
        app.dialog.set(None);
        if let Some(query) = query.clone() {
            app.address.choose(|state| state.filter = query);
        }
        app.add_fetched(wanted.get_untracked());
    };
    view! {
        <ul class="offer" tabindex="0" aria-label="Runs on the server">{rows}</ul>
        <div class="buttons">
            <button
                type="button"
                id="load-runs"
                class="primary"
                prop:disabled=move || wanted.with(Vec::is_empty)
                on:click=load
            >
                {move || format!("Load {}", counted(wanted.with(Vec::len), "run"))}
            </button>
        </div>
    }
}

/// Ways that work, each a sentence and perhaps a script to copy.
#[component]
fn Advice(ways: Vec<(String, String)>) -> impl IntoView {
    let app = AppState::of_page();
    let way = move |(words, script): (String, String)| {
        let script = (!script.is_empty()).then(|| {
            let copied = script.clone();
            view! {
                <pre tabindex="0" aria-label="Script">{script}</pre>
                <button type="button" class="link" on:click=move |_| app.copy(copied.clone())>"Copy"</button>
            }
        });
        view! { <li>{words} {script}</li> }
    };
    view! { <ul class="ways">{ways.into_iter().map(way).collect_view()}</ul> }
}
