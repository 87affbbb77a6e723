//! Sentences: words, numbers, keys and runs.

use leptos::prelude::*;

use super::swatch::RunLink;
use crate::app::state::{AppState, View, ViewState};
use rundown_content::Span;

/// A sentence.
#[component]
pub fn Inline(
    /// Its parts.
    spans: Vec<Span>,
    /// True where keys of metrics lead to their charts: not within headings and buttons.
    #[prop(optional)]
    links_metrics: bool,
) -> impl IntoView {
    let app = links_metrics.then(use_context::<AppState>).flatten();
    let linked = move |span| match (span, app) {
        (Span::Metric(key), Some(app)) => metric_link(app, key),
        (span, _) => part(span),
    };
    spans.into_iter().map(linked).collect_view()
}

/// The key of a metric as a link to its chart.
fn metric_link(app: AppState, key: String) -> AnyView {
    let change = {
        let key = key.clone();
        move |state: &mut ViewState| {
            state.view = View::Metrics;
            state.enlarge(Some(key.clone()));
        }
    };
    let href = {
        let change = change.clone();
        move || app.address.href(|state| change(state))
    };
    let follow = move |event| app.address.follow_link(&event, |state| change(state));
    view! { <a class="metric-link" href=href on:click=follow><code>{key}</code></a> }.into_any()
}

fn part(span: Span) -> AnyView {
    match span {
        Span::Text(words) => words.into_any(),
        Span::Number(..) | Span::Percent(_) | Span::Step(_) | Span::Tabular(..) => span.typeset().into_any(),
        Span::Key(key) | Span::Metric(key) | Span::Setting(key) => view! { <code>{key}</code> }.into_any(),
        Span::Strong(words) => view! { <strong>{words}</strong> }.into_any(),
        Span::Note(words) => view! { <span class="aside">{words}</span> }.into_any(),
        Span::Run(run, name) => view! { <RunLink run name /> }.into_any(),
    }
}
