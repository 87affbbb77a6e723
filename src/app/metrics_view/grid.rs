//! A grid of charts, which are made when they come into sight.

use leptos::prelude::*;

use super::sections::ChartKey;
use crate::app::chart::{HeatChart, RunsChart, WhileVisible};
use crate::app::state::AppState;
use rundown_protocol::HeatSource;

/// Charts shown at first and with each "Show more": each is an element that the browser watches.
const SHOWN: usize = 200;

/// A grid of charts.
#[component]
pub fn Grid(charts: Memo<Vec<ChartKey>>) -> impl IntoView {
    let columns = AppState::of_page().address.part(|state| state.charts.columns);
    let limit = RwSignal::new(SHOWN);
    let shown = move || charts.with(|charts| charts.iter().take(limit.get()).cloned().collect::<Vec<_>>());
    let left = move || charts.with(Vec::len).saturating_sub(limit.get());
    let has_more = move || left() > 0;
    let words = move || format!("Show {} more of {}", left().min(SHOWN), left());
    view! {
        <div
            class=move || format!("metrics-grid columns-{}", columns.get())
            style=("--columns", move || columns.get().to_string())
        >
            <For each=shown key=ChartKey::clone let:chart>
                <LazyChart chart />
            </For>
        </div>
        <Show when=has_more>
            <button type="button" class="metrics-more" on:click=move |_| limit.update(|limit| *limit += SHOWN)>
                {move || words()}
            </button>
        </Show>
    }
}

#[component]
fn LazyChart(chart: ChartKey) -> impl IntoView {
    let (key, name) = (chart.key.clone(), chart.key.clone());
    view! {
        <div class="metric-cell" data-cell=key>
            <WhileVisible name>
                <MetricChart key=chart.key.clone() is_histograms=chart.is_histograms unit=chart.unit.clone() />
            </WhileVisible>
        </div>
    }
}

/// The chart of a metric.
#[component]
pub fn MetricChart(key: String, is_histograms: bool, #[prop(into)] unit: Signal<String>) -> impl IntoView {
    if is_histograms {
        let source = HeatSource::Histograms(key.clone());
        return view! { <HeatChart name=key source /> }.into_any();
    }
    view! { <RunsChart key unit /> }.into_any()
}
