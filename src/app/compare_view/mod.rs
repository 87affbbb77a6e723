//! The Compare view: a workbench of the runs in the list. Charts draw the shown runs; the table, the parallel coordinates
//! and the scatter plot hold all that the filter leaves, and each can choose which are shown.

mod charts;
mod parallel;
mod run_table_view;
mod scales;
mod scatter;
mod settings_diff;
mod table_rows;

use std::sync::Arc;

use leptos::prelude::*;

use self::charts::ComparedCharts;
use self::parallel::ParallelCoordinates;
use self::run_table_view::RunTableView;
use self::scatter::ScatterPlot;
use self::settings_diff::SettingsDiff;
use super::chart::{OnceSeen, share_charts};
use super::engine::question::{Answered, answered};
use super::state::{AppState, columns};
use super::topic_view::TopicBlocks;
use rundown_protocol::{Request, RunTable, TableRequest, Topic};

/// Name of the engine's choice of the metric that runs are compared by.
const METRIC: &str = "metric";
/// What the names of its choices of a metric's direction begin with.
const DIRECTION: &str = "direction of ";

/// The Compare view.
#[component]
pub fn CompareView() -> impl IntoView {
    share_charts();
    view! {
        <div class="compare-view">
            <h1>"Compare"</h1>
            <TopicBlocks topic=Topic::Compare after=below>
                <ComparedCharts />
                <RunTableView />
            </TopicBlocks>
        </div>
    }
}

/// What stands below the comparison. Of ten thousand runs the two plots are most of the page's work.
fn below() -> AnyView {
    view! {
        <SettingsDiff />
        <OnceSeen class="parallel-place"><ParallelCoordinates /></OnceSeen>
        <OnceSeen class="scatter-place"><ScatterPlot /></OnceSeen>
    }
    .into_any()
}

/// The table of the listed runs with these columns (`""`: the engine chooses), asked again when runs or baseline change.
fn run_table(app: AppState, columns: impl Fn() -> String + 'static) -> Answered<RunTable> {
    let baseline = app.address.part(|state| state.baseline.clone());
    // Other choices must not ask again.
    let chosen = app.address.part(|state| {
        let mut chosen = state.chosen(Topic::Compare);
        chosen.retain(|(name, _)| name == METRIC || name.starts_with(DIRECTION));
        chosen
    });
    answered(app.engine, move || {
        app.runs.revision.track();
        Request::Table(TableRequest {
            runs: app.runs.listed(),
            columns: columns::from_words(&columns()),
            baseline: baseline.get().and_then(|id| app.runs.number(&id)),
            chosen: chosen.get(),
        })
    })
}

/// The last table that came; empty before.
fn latest(table: Answered<RunTable>) -> Memo<Arc<RunTable>> {
    Memo::new(move |before: Option<&Arc<RunTable>>| match table.get() {
        Some(Ok(table)) => table,
        _ => before.cloned().unwrap_or_default(),
    })
}

/// What the runs are compared by: the key of the metric that was chosen, else of the list's own; may be empty.
fn measure(app: AppState) -> Memo<String> {
    let chosen = choice(app, METRIC);
    Memo::new(move |_| match chosen.get() {
        chosen if chosen.is_empty() => app.runs.list.with(|list| list.measure.clone()),
        chosen => chosen,
    })
}

/// A choice of this view that the address holds.
fn choice(app: AppState, name: &'static str) -> Memo<String> {
    app.address.part(move |state| state.choice(Topic::Compare, name).unwrap_or_default().to_owned())
}

/// Makes a choice of this view.
fn choose(app: AppState, name: &'static str, value: String) {
    app.address.choose(|state| state.choose(Topic::Compare, name, value));
}
