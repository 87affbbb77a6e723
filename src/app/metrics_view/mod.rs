//! Every chart of the shown runs: searched, smoothed, zoomed together.
//!
//! The files without a browser in them ([`folds`], [`search`], [`sections`]) are tested natively by
//! `tests/page_parts.rs`.

mod display;
mod enlarged;
mod finder;
mod folds;
mod grid;
mod grouping;
mod search;
mod section;
mod sections;
mod segments;
mod smoothing;
mod toolbar;
mod x_axis;

use std::sync::Arc;

use leptos::prelude::*;

use crate::app::browser::storage;
use crate::app::chart::{Pins, line_metrics, share_charts};
use crate::app::engine::question::answered;
use crate::app::state::AppState;
use rundown_protocol::{MetricList, Request, XAxis};

use enlarged::{Enlarged, restore_scroll_position};
use finder::Finder;
use folds::Folds;
use grid::Grid;
use section::{FOLDS_STORED_AS, Section};
use sections::{FoundSection, charts_of, count};
use toolbar::{Toolbar, WindowLine};

/// Sections are open from the start until this many charts are.
const OPEN_CHARTS: usize = 200;

/// Every chart of the shown runs.
#[component]
pub fn MetricsView() -> impl IntoView {
    let app = AppState::of_page();
    let group = share_charts();
    let list = listed(app);
    let metrics = Memo::new(move |_| list.get().and_then(Result::ok));
    let x = app.address.part(|state| match &state.charts.x {
        XAxis::Metric(key) => Some(key.clone()),
        _ => None,
    });
    let all = Memo::new(move |_| {
        metrics
            .with(|list| list.as_ref().map(|list| x.with(|x| FoundSection::all(list, x.as_deref()))))
            .unwrap_or_default()
    });
    let line_keys = |list: &MetricList| line_metrics(list).map(|row| row.key.clone()).collect::<Vec<_>>();
    let keys = Memo::new(move |_| metrics.with(|list| list.as_deref().map(line_keys)).unwrap_or_default());
    let typed = app.address.part(|state| state.metrics.clone());
    let found = Memo::new(move |_| {
        let finder = typed.with(|typed| Finder::new(typed));
        all.with(|all| all.iter().map(|section| section.searched(|key| finder.finds(key))).collect::<Vec<_>>())
    });
    let is_invalid = Memo::new(move |_| typed.with(|typed| Finder::new(typed).is_invalid()));
    let is_searched = Memo::new(move |_| typed.with(|typed| !Finder::new(typed).is_empty()));
    let enlarged = app.address.part(|state| state.enlarged.clone());
    restore_scroll_position(enlarged);
    let state = move || match list.get() {
        None => Some(view! { <p class="muted" role="status">"Listing the metrics…"</p> }.into_any()),
        Some(Err(why)) => {
            Some(view! { <p class="banner">{format!("The metrics can't be listed: {why}")}</p> }.into_any())
        }
        Some(Ok(_)) if all.with(Vec::is_empty) => {
            Some(view! { <p class="muted">"These runs logged no numbers."</p> }.into_any())
        }
        Some(Ok(_)) => None,
    };
    let wide = move || enlarged.get().map(|key| view! { <Enlarged key sections=all /> });
    view! {
        <div class="metrics-view">
            <h1 class="visually-hidden">"Metrics"</h1>
            <Toolbar group keys is_invalid />
            <div class="metrics-line">
                <p class="muted metrics-count" role="status">
                    {move || found.with(|found| if found.is_empty() { String::new() } else { count(found) })}
                </p>
                <WindowLine group />
            </div>
            <NoRunShown />
            {move || state()}
            {move || wide()}
            <div class="metrics-sections" hidden=move || enlarged.get().is_some()>
                <FetchRest metrics />
                <Pinned found />
                <Sections found is_searched />
            </div>
        </div>
    }
}

/// What the shown runs logged.
fn listed(app: AppState) -> Memo<Option<Result<Arc<MetricList>, String>>> {
    let shown = Memo::new(move |_| {
        let shown = app.runs.shown_numbers();
        // Histograms are those of the open run, and so is all without a shown one.
        if shown.is_empty() { app.runs.open.get().into_iter().collect() } else { shown }
    });
    let request = move || {
        app.runs.revision.track();
        Request::ListMetrics { runs: shown.get() }
    };
    let answer = answered::<MetricList>(app.engine, request);
    Memo::new(move |_| answer.get())
}

#[component]
fn NoRunShown() -> impl IntoView {
    let app = AppState::of_page();
    view! {
        <Show when=move || app.runs.shown.with(|shown| shown.is_empty())>
            <p class="muted" role="status">"No run is shown. Tick one in the list of runs."</p>
        </Show>
    }
}

/// What the server of the open run has besides.
#[component]
fn FetchRest(metrics: Memo<Option<Arc<MetricList>>>) -> impl IntoView {
    let app = AppState::of_page();
    let rest = Memo::new(move |_| metrics.with(|list| list.as_ref().map(|list| list.rest.clone()).unwrap_or_default()));
    let fetch = move |_| {
        let run = app.runs.shown.with_untracked(|shown| shown.first().map(|shown| shown.run));
        if let Some(run) = run.or_else(|| app.runs.open.get_untracked()) {
            app.engine.fetch_rest(run, move |outcome| app.finish_loading(outcome));
        }
    };
    view! {
        <Show when=move || !rest.with(String::is_empty)>
            <button type="button" id="fetch-rest" on:click=fetch>{move || format!("Fetch {}", rest.get())}</button>
        </Show>
    }
}

/// The charts that the user pinned.
#[component]
fn Pinned(found: Memo<Vec<FoundSection>>) -> impl IntoView {
    let pins = expect_context::<Pins>();
    let charts = Memo::new(move |_| found.with(|found| charts_of(found, &pins.keys())));
    view! {
        <Show when=move || !charts.with(Vec::is_empty)>
            <section class="metrics-section metrics-pinned">
                <h2>"Pinned " <span class="muted">{move || charts.with(Vec::len)}</span></h2>
                <Grid charts />
            </section>
        </Show>
    }
}

#[component]
fn Sections(found: Memo<Vec<FoundSection>>, is_searched: Memo<bool>) -> impl IntoView {
    let folds = RwSignal::new(Folds::read(&storage::remembered(FOLDS_STORED_AS).unwrap_or_default()));
    // Name, and whether it is open without a choice of the user.
    let names = move || {
        let mut before = 0;
        found.with(|found| {
            let names = found.iter().map(|section| {
                let is_open = before < OPEN_CHARTS;
                before += section.rows.iter().filter(|row| !row.constant).count();
                (section.name.clone(), is_open)
            });
            names.collect::<Vec<_>>()
        })
    };
    view! {
        <For each=names key=|(name, _)| name.clone() let((name, is_open))>
            <Section
                section={
                    let name = name.clone();
                    Memo::new(move |_| {
                        let of = |section: &&FoundSection| section.name == name;
                        found.with(|found| found.iter().find(of).cloned().unwrap_or_default())
                    })
                }
                name
                folds
                is_open
                is_searched
            />
        </For>
    }
}
