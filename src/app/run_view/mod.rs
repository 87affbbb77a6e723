//! The Run view: verdict in a sentence, facts, incidents, then findings; text left, evidence right.

use leptos::prelude::event_target_value;

use super::answer;
use super::blocks::inline;
use super::dom::{Part, command, div, h1, header, label, live, option, p, section, select, span};
use super::listing::verdict_word;
use super::mark;
use super::store::Store;
use crate::content::Span;
use crate::protocol::{Fold, Reply, Request, RunView};

mod appendix;
mod candidates;
mod card;
mod lanes;
mod timeline;
mod well;

/// Everything about the run.
pub fn run_view(store: Store) -> Part {
    let reply = answer::ask(store, move || Request::OpenRun { run: store.shown(), last_steps: store.last_steps.get() });
    live(move || match reply.get() {
        None => p().class("muted").attr("role", "status").child("Looking at the run…").view(),
        Some(Err(error)) => failed(&error),
        Some(Ok(reply)) => match &*reply {
            Reply::Run(view) => answered(store, view),
            _ => failed("Unexpected reply from the engine: reload the page."),
        },
    })
}

fn failed(text: &str) -> Part {
    p().class("banner").child(format!("This run can't be shown: {text}")).view()
}

fn answered(store: Store, view: &RunView) -> Part {
    let roots = lanes::by_root(&view.findings.iter().map(|finding| finding.explained_by).collect::<Vec<_>>());
    let card = |(root, rest): &(usize, Vec<usize>)| card::root(store, view, *root, rest);
    div()
        .class("run-view")
        .attr("data-run", view.run.to_string())
        .child((
            verdict(store, view),
            candidates::question(store, view),
            (!view.findings.is_empty()).then(|| timeline::timeline(view)),
            well::what_went_well(store, view),
            section().class("findings").attr("aria-label", "Findings").each(&roots, card),
            appendix::appendix(&view.appendix),
        ))
        .view()
}

fn verdict(store: Store, view: &RunView) -> Part {
    let word = verdict_word(view.verdict);
    let mut title = word.to_owned();
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let skipped = (!view.skipped.is_empty())
        .then(|| command(view.skipped.as_str(), || timeline::reveal(Fold::SKIPPED)).class("link"));
    let fact = |fact: &Vec<Span>| span().class("fact").child(inline(fact));
    header()
        .class("verdict")
        .child((
            h1().child((
                span().class(word).attr("data-verdict", word).child((mark::verdict(view.verdict), title)),
                " ",
                span().class("headline").child(view.headline.clone()),
            )),
            p().class("summary").child(inline(&view.summary)),
            div().class("facts").child(span_of_steps(store)).each(&view.facts, fact).child(skipped),
        ))
        .view()
}

/// Whether the whole run is looked at, or its health of late.
fn span_of_steps(store: Store) -> Part {
    let choice = |(steps, words): (&str, &str)| option().attr("value", steps).child(words);
    let choose = select()
        .id("last-steps")
        .attr("aria-label", "Steps that the verdict is about")
        .on("change", move |event| store.last_steps.set(event_target_value(&event).parse().unwrap_or_default()))
        .each(
            [
                ("0", "the whole run"),
                ("50", "the last 50 steps"),
                ("200", "the last 200 steps"),
                ("1000", "the last 1,000 steps"),
            ],
            choice,
        )
        .value(move || store.last_steps.get().to_string());
    label().class("span-of-steps").child(("Verdict on", choose)).view()
}
