//! The Compare view: a workbench of the runs in the list. Charts draw the shown runs; the table, the parallel coordinates
//! and the scatter plot hold all that the filter leaves, and each can choose which are shown.

mod charts;
mod column_axis;
mod parallel;
mod pareto;
mod run_table_view;
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
use super::chart::{OnceVisible, share_charts};
use super::engine::question::{Answered, answered};
use super::state::AppState;
use super::topic_view::TopicBlocks;
use rundown_protocol::{Aggregate, Choice, ColumnId, Request, RunTable, TableRequest, Topic};

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
        <OnceVisible class="parallel-place"><ParallelCoordinates /></OnceVisible>
        <OnceVisible class="scatter-place"><ScatterPlot /></OnceVisible>
    }
    .into_any()
}

/// The table of the listed runs with these columns (none: the engine chooses), asked again when runs or baseline change.
fn run_table(app: AppState, columns: impl Fn() -> Vec<ColumnId> + 'static) -> Answered<RunTable> {
    let baseline = app.address.part(|state| state.baseline.clone());
    // Other choices must not ask again.
    let chosen = app.address.part(|state| {
        let mut chosen = state.chosen(Topic::Compare);
        chosen.retain(|(name, _)| name == Choice::METRIC || name.starts_with(Choice::DIRECTION_OF));
        chosen
    });
    answered(app.engine, move || {
        app.runs.revision.track();
        Request::Table(TableRequest {
            runs: app.runs.listed(),
            columns: columns(),
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
    let chosen = app.address.part(|state| state.choice(Topic::Compare, Choice::METRIC).map(str::to_owned));
    Memo::new(move |_| match chosen.get().filter(|key| !key.is_empty()) {
        None => app.runs.list.with(|list| list.measure.clone()),
        Some(key) => key,
    })
}

/// The column of the last values of a metric.
fn last_value(key: String) -> ColumnId {
    ColumnId::Metric { key, aggregate: Aggregate::Last }
}
