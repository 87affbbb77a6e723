//! What the server has, or what to do instead.

use leptos::prelude::*;

use super::naming::Name;
use crate::app::state::AppState;
use rundown_format::counted;
use rundown_protocol::{QueryField, ServerListing, ServerRun, ServerRuns, Workaround};

/// The answer.
#[component]
pub fn Listing(
    /// The answer.
    listing: ServerListing,
) -> impl IntoView {
    match listing {
        ServerListing::Runs(listed) => view! { <Choose listed /> }.into_any(),
        ServerListing::Projects { entity, projects } => {
            let words = format!("Which project? {entity} has {}.", projects.join(", "));
            view! { <p class="banner" role="status">{words}</p> }.into_any()
        }
        ServerListing::InvalidQuery { at, what } => {
            let words = format!("Character {}: {what}", at + 1);
            view! { <p class="muted complaint" role="status">{words}</p> }.into_any()
        }
        ServerListing::UnnamedHosts(origins) => view! { <Name origins /> }.into_any(),
        ServerListing::Failed { text, workarounds } => view! {
            <p class="banner" role="status">{text}</p>
            <Workarounds workarounds />
        }
        .into_any(),
    }
}

/// The runs, to be chosen among.
#[component]
fn Choose(listed: ServerRuns) -> impl IntoView {
    let app = AppState::of_page();
    let ServerRuns { text, runs, needs_local_filter } = listed;
    if runs.is_empty() {
        return view! { <p class="muted" role="status">{text}</p> }.into_any();
    }
    let wanted = RwSignal::new(runs.iter().map(|run| run.id.clone()).collect::<Vec<_>>());
    let rows = runs
        .into_iter()
        .map(|run| {
            let ServerRun { id, name, detail } = run;
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
    let query = needs_local_filter.then_some(query);
    let load = move |_| {
        app.dialog.set(None);
        if let Some(query) = query.clone() {
            app.address.choose(|state| state.filter = query);
        }
        app.add_fetched(wanted.get_untracked());
    };
    view! {
        <p class="muted" role="status">{text}</p>
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
    .into_any()
}

/// Ways that work, each a sentence and perhaps a script to copy.
#[component]
fn Workarounds(workarounds: Vec<Workaround>) -> impl IntoView {
    let app = AppState::of_page();
    let way = move |Workaround { text, script }: Workaround| {
        let script = script.map(|script| {
            let copied = script.clone();
            view! {
                <pre tabindex="0" aria-label="Script">{script}</pre>
                <button type="button" class="link" on:click=move |_| app.copy(copied.clone())>"Copy"</button>
            }
        });
        view! { <li>{text} {script}</li> }
    };
    view! { <ul class="ways">{workarounds.into_iter().map(way).collect_view()}</ul> }
}
