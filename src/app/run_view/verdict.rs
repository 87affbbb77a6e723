//! The verdict on a run: word, headline, a summary of at most three lines, facts, and what to try first.

use std::sync::Arc;

use leptos::prelude::*;

use super::first_actions::FirstActions;
use super::summary::Summary;
use crate::app::browser::elements::reveal;
use crate::app::content::mark::Verdict;
use crate::app::content::{Inline, Menu};
use crate::app::state::AppState;
use rundown_protocol::{Fold, RunView};

/// The head of the view.
#[component]
pub fn VerdictHead(view: Arc<RunView>) -> impl IntoView {
    let word = view.verdict.word();
    let facts = view.facts.iter().cloned().map(|spans| view! { <span class="fact"><Inline spans /></span> });
    let facts = facts.collect_view();
    let skipped = (!view.skipped.is_empty()).then(|| {
        let words = view.skipped.clone();
        view! { <button class="link" on:click=|_| reveal(Fold::SKIPPED)>{words}</button> }
    });
    view! {
        <header class="verdict">
            <h1>
                <span class=word data-verdict=word>
                    <Verdict verdict=view.verdict />
                    {capitalised(word)}
                </span>
                " "
                <span class="headline">{view.headline.clone()}</span>
            </h1>
            <Summary spans=view.summary.clone() />
            <div class="facts"><LastSteps />{facts}{skipped}</div>
            <FirstActions view />
        </header>
    }
}

/// Whether the whole run is looked at, or its health of late.
#[component]
fn LastSteps() -> impl IntoView {
    let address = AppState::of_page().address;
    let value = address.part(|state| state.last_steps.to_string());
    let choose = move |steps: String| address.choose(|state| state.last_steps = steps.parse().unwrap_or_default());
    let choices = [
        ("0", "the whole run"),
        ("50", "the last 50 steps"),
        ("200", "the last 200 steps"),
        ("1000", "the last 1,000 steps"),
    ];
    let options = choices.map(|(steps, words)| (steps.to_owned(), words.to_owned())).to_vec();
    view! {
        <label class="span-of-steps">
            "Verdict on "
            <Menu options value choose id="last-steps" name="Steps that the verdict is about" />
        </label>
    }
}

fn capitalised(word: &str) -> String {
    let mut word = word.to_owned();
    if let Some(first) = word.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    word
}
