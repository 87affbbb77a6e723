//! Runs from a server: where, with what key, and which.
//!
//! The key stays in this page's memory. "Keep for this tab" puts it into the tab's own storage, which ends with the
//! tab; "Forget" takes it out of both. It never reaches the address, and the engine sends it to the one server alone.

use leptos::prelude::{event_target_checked, event_target_value, window};
use web_sys::{KeyboardEvent, Storage};

use super::dom::{
    El, Part, by_id, command, details, div, input, label, later, li, live, p, pre, span, summary, together, ul,
};
use super::download::copy_text;
use super::reactive::State;
use super::run_list::complaint;
use super::store::Store;
use crate::format::counted;
use crate::protocol::{Offer, QueryField, Reply, Request, ServerQuery, Service};

/// Where the tab keeps the key when the user asks for it.
const KEPT: &str = "rundown-key";

/// Field, label, hint.
type Field = (QueryField, &'static str, &'static str);

const WHERE: [&[Field]; 2] = [
    &[
        (QueryField::Address, "Project or run", "https://wandb.ai/you/project or you/project"),
        (QueryField::Key, "API key", "not needed for public projects; from wandb.ai/authorize"),
        (QueryField::Query, "Query", "all runs; or words, or state == finished config.lr > 1e-4"),
    ],
    &[(QueryField::Address, "Dataset", "events-of-the-pipeline"), (QueryField::Key, "API token", "xaat-…")],
];
const WHICH: [&[Field]; 2] = [
    &[
        (QueryField::Count, "At most", "50"),
        (QueryField::Order, "Order by", "newest, or a summary metric such as eval/accuracy"),
        (QueryField::Server, "Server", "https://api.wandb.ai"),
    ],
    &[(QueryField::Count, "Hours back", "24"), (QueryField::Server, "Server", "https://api.axiom.co")],
];
/// Fields of a query.
const FIELDS: usize = QueryField::Query as usize + 1;
/// Who types no more for so long wants to see what the query gives.
const PAUSE_MS: i32 = 900;

/// What the tab remembers of the last visit: the key, if the user asked for that.
pub fn remembered() -> ServerQuery {
    let mut query = ServerQuery { fields: vec![String::new(); FIELDS], ..ServerQuery::default() };
    if let Some(key) = storage().and_then(|storage| storage.get_item(KEPT).ok().flatten()) {
        write(&mut query, QueryField::Key, key);
    }
    query
}

/// The form, and below it what the server has.
pub fn form(store: Store) -> Part {
    let offer = State::new(None::<Offer>);
    let waiting = State::new(false);
    let latest = State::new(0u32);
    let next = move || {
        let ticket = latest.get_untracked().wrapping_add(1);
        latest.quietly(|latest| *latest = ticket);
        ticket
    };
    let ask = move || {
        let ticket = next();
        waiting.set(true);
        store.has_asked.set(true);
        keep(store);
        store.engine.ask(Request::Browse(store.query.get_untracked()), move |answer| {
            // The answer to a question that was changed meanwhile is not shown.
            if latest.get_untracked() != ticket {
                return;
            }
            waiting.set(false);
            offer.set(Some(match answer {
                Ok((Reply::Offer(offer), _)) => offer,
                Ok(_) => Offer::default(),
                Err(error) => Offer { text: error.to_string(), failed: true, ..Offer::default() },
            }));
        });
    };
    let typed = move || {
        // Nothing is asked of a server before the user has said so once.
        if latest.get_untracked() == 0 {
            return;
        }
        let ticket = next();
        later(PAUSE_MS, move || {
            if latest.get_untracked() == ticket {
                ask();
            }
        });
    };
    let service = move || store.query.with(|query| query.service as usize);
    let body = move || {
        let service = service();
        let which = if service == 0 { "Which runs" } else { "Which hours" };
        let fields = |fields: &'static [Field]| {
            let line = |named: &'static Field| {
                let is_query = named.0 == QueryField::Query;
                let pressed = move |event: KeyboardEvent| {
                    if event.key() == "Enter" {
                        ask();
                    }
                };
                let changed = move |_| {
                    if is_query {
                        typed();
                    }
                };
                field(store, named).on_as("keydown", pressed).on("input", changed)
            };
            fields.iter().map(line).collect::<Vec<_>>()
        };
        together((
            div().class("fields").child(WHERE.get(service).map(|named| fields(named))),
            key_line(store),
            details().child((
                summary().child(which),
                div().class("fields").child(WHICH.get(service).map(|list| fields(list))),
            )),
        ))
    };
    let list = command("List runs", ask).id("list-runs").class("primary").switch("disabled", move || waiting.get());
    together((
        services(store),
        live(move || Some(body())),
        div().class("buttons").child(list),
        live(move || offer.get().map(|offer| offered(store, &offer))),
    ))
}

fn services(store: Store) -> El {
    let choice = move |service: Service, words: &'static str| {
        let chosen = move || store.query.with(|query| query.service == service);
        let radio = input().attr("type", "radio").attr("name", "service").switch("checked", chosen);
        let choose = move |_| store.query.update(|query| query.service = service);
        label().child((radio.on("change", choose), words))
    };
    div()
        .class("scope")
        .attr("role", "radiogroup")
        .attr("aria-label", "Server")
        .child((choice(Service::Wandb, "Weights & Biases"), choice(Service::Axiom, "Axiom")))
}

fn field(store: Store, &(field, name, hint): &'static Field) -> El {
    let kind = if field == QueryField::Key { "password" } else { "text" };
    let input = input()
        .attr("type", kind)
        .attr("data-field", name)
        .attr("placeholder", hint)
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .value(move || store.query.with_untracked(|query| query.field(field).to_owned()))
        .on("input", move |event| {
            let text = event_target_value(&event);
            store.query.quietly(|query| write(query, field, text));
        });
    label().child((span().child(name), input))
}

/// Where the key stays, and how to be rid of it.
fn key_line(store: Store) -> El {
    let is_kept = storage().is_some_and(|storage| matches!(storage.get_item(KEPT), Ok(Some(_))));
    let check = input().attr("type", "checkbox").id("keep-key").switch("checked", move || is_kept);
    let forget = move || {
        // First: the update makes the line anew, and its box asks the storage.
        let _ = storage().map(|storage| storage.remove_item(KEPT));
        store.query.update(|query| write(query, QueryField::Key, String::new()));
    };
    p().class("muted").child((
        "The key stays in this page's memory and goes to that server alone. ",
        label().child((
            check.on("change", move |event| keep_or_not(store, event_target_checked(&event))),
            " Keep for this tab ",
        )),
        command("Forget", forget).class("link"),
    ))
}

/// What the server has, or what to do instead.
fn offered(store: Store, offer: &Offer) -> Part {
    if let Some(fault) = &offer.fault {
        return complaint(fault).view();
    }
    let words =
        p().class(if offer.failed { "banner" } else { "muted" }).attr("role", "status").child(offer.text.as_str());
    if offer.runs.is_empty() {
        return together((words, advice(store, &offer.advice)));
    }
    let wanted = State::new(offer.runs.iter().map(|run| run.id.clone()).collect::<Vec<_>>());
    let rows = ul().class("offer").each(offer.runs.iter(), |run| {
        let id = run.id.clone();
        let check = input().attr("type", "checkbox").attr("checked", "").on("change", move |event| {
            let checked = event_target_checked(&event);
            wanted.update(|wanted| {
                wanted.retain(|known| *known != id);
                if checked {
                    wanted.push(id.clone());
                }
            });
        });
        let detail = span().class("muted").child(run.detail.as_str());
        li().child(label().child((check, span().child(run.name.as_str()), detail)))
    });
    let open = offer.is_open.then(|| store.query.with_untracked(|query| query.field(QueryField::Query).to_owned()));
    let load = move || {
        store.dialog.set(None);
        if let Some(query) = &open {
            store.filter.set(query.clone());
        }
        store.add_fetched(wanted.get_untracked());
    };
    let load = command("", load)
        .id("load-runs")
        .class("primary")
        .says(move || format!("Load {}", counted(wanted.with(Vec::len), "run")))
        .switch("disabled", move || wanted.with(Vec::is_empty));
    together((words, rows, div().class("buttons").child(load)))
}

/// Ways that work, each a sentence and perhaps a script to copy.
fn advice(store: Store, ways: &[(String, String)]) -> El {
    ul().class("ways").each(ways, |(words, script)| {
        let copied = script.clone();
        let script = (!script.is_empty()).then(|| {
            (pre().child(script.as_str()), command("Copy", move || copy_text(store, copied.clone())).class("link"))
        });
        li().child((words.as_str(), script))
    })
}

fn write(query: &mut ServerQuery, field: QueryField, text: String) {
    if let Some(place) = query.fields.get_mut(field as usize) {
        *place = text;
    }
}

fn keep(store: Store) {
    if by_id::<web_sys::HtmlInputElement>("keep-key").is_some_and(|check| check.checked()) {
        keep_or_not(store, true);
    }
}

fn keep_or_not(store: Store, keep: bool) {
    let Some(storage) = storage() else { return };
    let key = store.query.with_untracked(|query| query.field(QueryField::Key).to_owned());
    // A full or forbidden storage keeps nothing, which is the safe side.
    let _ = if keep && !key.is_empty() { storage.set_item(KEPT, &key) } else { storage.remove_item(KEPT) };
}

fn storage() -> Option<Storage> {
    window().session_storage().ok().flatten()
}
