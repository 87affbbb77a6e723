//! What to try first, below the verdict. The cards of the findings have the rest.

use std::sync::Arc;

use leptos::prelude::*;

use super::lanes::card_id;
use crate::app::browser::elements::reveal;
use crate::app::content::Inline;
use rundown_protocol::{FirstAction, RunView};

/// The list; nothing for a run without advice.
#[component]
pub fn FirstActions(view: Arc<RunView>) -> impl IntoView {
    let item = |first: FirstAction| {
        let index = first.finding as usize;
        let name = view.findings.get(index).map(|finding| finding.phrase.clone()).unwrap_or_default();
        view! {
            <li>
                <Inline spans=first.change links_metrics=true />
                " "
                <button class="link" on:click=move |_| reveal(&card_id(index))>{name}</button>
            </li>
        }
    };
    (!view.first_actions.is_empty()).then(|| {
        view! {
            <section class="try-first" aria-labelledby="try-title">
                <h2 id="try-title">"Try"</h2>
                <ol>{view.first_actions.iter().cloned().map(item).collect_view()}</ol>
            </section>
        }
    })
}
