//! Sentences: words, numbers, keys, links and runs.

use leptos::prelude::*;

use super::cells::{code_pieces, with_minus_signs};
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
            state.enlarged = Some(key.clone());
        }
    };
    let href = {
        let change = change.clone();
        move || app.address.link(|state| change(state))
    };
    let follow = move |event| app.address.follow_link(&event, |state| change(state));
    view! { <a class="metric-link" href=href on:click=follow><code>{key}</code></a> }.into_any()
}

fn part(span: Span) -> AnyView {
    match span {
        Span::Text(words) => words_with_code(words),
        Span::Number(..) | Span::Percent(_) | Span::Step(_) => with_minus_signs(&span.plain()).into_any(),
        Span::Key(key) | Span::Metric(key) | Span::Setting(key) => view! { <code>{key}</code> }.into_any(),
        Span::Strong(words) => view! { <strong>{words_with_code(words)}</strong> }.into_any(),
        Span::Note(words) => view! { <span class="aside">{words_with_code(words)}</span> }.into_any(),
        Span::Run(run, name) => view! { <RunLink run name /> }.into_any(),
        Span::Link(words, address) => {
            view! { <a href=address target="_blank" rel="noopener noreferrer">{words}</a> }.into_any()
        }
    }
}

/// Words in which some are marked as code by backticks, as writers of advice do.
fn words_with_code(words: String) -> AnyView {
    if !words.contains('`') {
        return words.into_any();
    }
    let piece = |(is_code, text): (bool, &str)| {
        let text = text.to_owned();
        if is_code { view! { <code>{text}</code> }.into_any() } else { text.into_any() }
    };
    code_pieces(&words).into_iter().map(piece).collect_view().into_any()
}
