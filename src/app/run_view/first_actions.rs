//! What to try first, below the verdict: the best action of each of the worst root causes. Their cards have the rest.

use std::sync::Arc;

use leptos::prelude::*;

use super::lanes::card_id;
use crate::app::browser::elements::reveal;
use crate::app::content::Inline;
use rundown_content::Span;
use rundown_protocol::{RunView, SeverityMark};

/// Actions that are listed.
const SHOWN: usize = 3;

/// The list; nothing for a run without advice.
#[component]
pub fn FirstActions(view: Arc<RunView>) -> impl IntoView {
    let actions = first(&view);
    let item = |(index, change): (usize, Vec<Span>)| {
        let name = view.findings.get(index).map(|finding| finding.phrase.clone()).unwrap_or_default();
        view! {
            <li>
                <Inline spans=change links_metrics=true />
                " "
                <button class="link" on:click=move |_| reveal(&card_id(index))>{name}</button>
            </li>
        }
    };
    (!actions.is_empty()).then(|| {
        view! {
            <section class="try-first" aria-labelledby="try-title">
                <h2 id="try-title">"Try"</h2>
                <ol>{actions.into_iter().map(item).collect_view()}</ol>
            </section>
        }
    })
}

/// The best action of each root cause that is more than a note, and the finding that it belongs to; the same change
/// is not listed twice.
fn first(view: &RunView) -> Vec<(usize, Vec<Span>)> {
    let mut first: Vec<(usize, Vec<Span>)> = Vec::new();
    for (index, finding) in view.findings.iter().enumerate() {
        let is_root = finding.explained_by.is_none() && finding.severity > SeverityMark::Note;
        let Some(action) = finding.actions.first().filter(|_| is_root) else { continue };
        let change: Vec<Span> = action.iter().filter(|span| !matches!(span, Span::Note(_))).cloned().collect();
        if first.len() < SHOWN && !first.iter().any(|(_, known)| *known == change) {
            first.push((index, change));
        }
    }
    first
}
